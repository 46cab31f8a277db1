/* conv.c: convolutions: what fits, what size comes out, and gradients.
**
** Everything is one trilinear form of an input a, a weight w and an output b.  `convolution` gives
** b from a and w, `convolution_dx` a from b and w, `convolution_dw` w from a and b; a transposed
** convolution is the second with its operands renamed.  So each is the gradient of the others.
*/
#include "rules.h"

enum { STRIDE, PADDING, DILATION, OUTPUT_PADDING }; /* lists of `convolution` */
enum { TRANSPOSED, GROUPS };                        /* its attributes */
enum { MOST_SIZE = 1 << 30 }; /* of what is multiplied by a stride or a dilation in 64 bits */

/* The window's lists (the first of which is list k), groups, and the weight's shape. */
static int32_t check_window(const kiln_call *c, int32_t k, int64_t groups, const int64_t *weight,
                            int32_t ndim) {
  int32_t dims = ndim - 2;
  if (dims < 1 || dims > 3) {
    return kiln__fail_op(c->op, KILN_EARG, "weight must have 3 to 5 dims, its shape is %s",
                         kiln__shape_text(weight, ndim));
  }
  if (kiln__check_list(c, k, dims, 1) < 0 || kiln__check_list(c, k + 1, dims, 0) < 0 ||
      kiln__check_list(c, k + 2, dims, 1) < 0) {
    return KILN_EARG;
  }
  if (groups < 1) {
    return kiln__fail_op(c->op, KILN_EARG, "groups must be at least 1, got %lld",
                         (long long)groups);
  }
  for (int32_t i = 0; i < dims; i++) {
    if (weight[i + 2] < 1 || weight[i + 2] > MOST_SIZE) {
      return kiln__fail_op(c->op, KILN_EARG, "the kernel is %s: weight's shape is %s",
                           weight[i + 2] < 1 ? "empty" : "too large",
                           kiln__shape_text(weight, ndim));
    }
  }
  int64_t channels;
  if (__builtin_mul_overflow(weight[1], groups, &channels)) {
    return kiln__fail_op(c->op, KILN_EARG, "%lld groups of %lld channels are too many",
                         (long long)groups, (long long)weight[1]);
  }
  if (weight[0] % groups != 0) {
    return kiln__fail_op(c->op, KILN_EARG,
                         "dim 1 of weight, %lld, is not divisible by groups, %lld",
                         (long long)weight[0], (long long)groups);
  }
  return KILN_OK;
}

static int32_t check_channels(const kiln_call *c, const char *name, const kiln_tensor *x,
                              int32_t ndim, int64_t wanted) {
  if (x->ndim != ndim) {
    return kiln__fail_op(c->op, KILN_EARG, "%s must have %d dims like weight, its shape is %s",
                         name, ndim, kiln__shape_text(x->shape, x->ndim));
  }
  if (x->shape[1] != wanted) {
    return kiln__fail_op(c->op, KILN_EARG, "%s has %lld channels (shape %s), weight wants %lld",
                         name, (long long)x->shape[1], kiln__shape_text(x->shape, x->ndim),
                         (long long)wanted);
  }
  return KILN_OK;
}

/* What a window makes of `size` elements along dim i; negative when it does not fit. */
static int64_t windows(const kiln_call *c, int32_t k, int32_t i, int64_t size, int64_t kernel) {
  int64_t reach = kiln__entry(&c->list[k + 2], i) * (kernel - 1) + 1;
  int64_t padded = size + 2 * kiln__entry(&c->list[k + 1], i);
  return padded < reach ? -1 : (padded - reach) / kiln__entry(&c->list[k], i) + 1;
}

int32_t kiln__shape_convolution(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *x = c->in[0], *w = c->in[1], *bias = c->in[2];
  bool transposed = c->attr[TRANSPOSED].i != 0;
  int64_t groups = c->attr[GROUPS].i;
  if (check_window(c, 0, groups, w->shape, w->ndim) < 0)
    return KILN_EARG;
  int32_t dims = w->ndim - 2;
  int64_t from = transposed ? w->shape[0] : w->shape[1] * groups;
  int64_t to = transposed ? w->shape[1] * groups : w->shape[0];
  if (check_channels(c, "x", x, w->ndim, from) < 0)
    return KILN_EARG;
  if (kiln__check_list(c, OUTPUT_PADDING, dims, 0) < 0)
    return KILN_EARG;
  if (bias && (bias->ndim != 1 || bias->shape[0] != to)) {
    return kiln__fail_op(c->op, KILN_EARG, "bias must have shape [%lld], its shape is %s",
                         (long long)to, kiln__shape_text(bias->shape, bias->ndim));
  }
  out->ndim = w->ndim;
  out->shape[0] = x->shape[0];
  out->shape[1] = to;
  for (int32_t i = 0; i < dims; i++) {
    int64_t size = x->shape[i + 2], kernel = w->shape[i + 2], extra = kiln__entry(&c->list[3], i);
    int64_t stride = kiln__entry(&c->list[STRIDE], i);
    int64_t dilation = kiln__entry(&c->list[DILATION], i);
    if (!transposed) {
      size = windows(c, 0, i, size, kernel);
    } else if (extra >= stride) {
      return kiln__fail_op(c->op, KILN_EARG, "output_padding %lld must be smaller than stride %lld",
                           (long long)extra, (long long)stride);
    } else if (size > MOST_SIZE) {
      return kiln__fail_op(c->op, KILN_EARG, "dim %d of x is %lld, the most is %d", i + 3,
                           (long long)size, MOST_SIZE);
    } else {
      size = size == 0 ? -1
                       : (size - 1) * stride - 2 * kiln__entry(&c->list[PADDING], i) +
                             dilation * (kernel - 1) + extra + 1;
    }
    if (size < 1) {
      return kiln__fail_op(
          c->op, KILN_EARG,
          "a kernel of %lld (dilation %lld, padding %lld) does not fit dim %d of x, "
          "which is %lld",
          (long long)kernel, (long long)dilation, (long long)kiln__entry(&c->list[PADDING], i),
          i + 3, (long long)x->shape[i + 2]);
    }
    out->shape[i + 2] = size;
  }
  return KILN_OK;
}

/* Sizes a and w must lead to b. */
static int32_t check_sizes(const kiln_call *c, const int64_t *a, const int64_t *w, const int64_t *b,
                           int32_t ndim) {
  bool ok = a[0] == b[0];
  for (int32_t i = 0; i < ndim - 2; i++)
    ok = ok && windows(c, 1, i, a[i + 2], w[i + 2]) == b[i + 2];
  return ok ? KILN_OK
            : kiln__fail_op(c->op, KILN_EARG, "no convolution of %s with %s has the shape %s",
                            kiln__shape_text(a, ndim), kiln__shape_text(w, ndim),
                            kiln__shape_text(b, ndim));
}

static int32_t set_size(const kiln_call *c, kiln_meta *out, int32_t ndim) {
  const kiln_list *size = &c->list[0];
  if (size->n != ndim || kiln__numel(size->v, size->n) < 0) {
    return kiln__fail_op(c->op, KILN_EARG, "size must be %d sizes, got %s", ndim,
                         kiln__shape_text(size->v, size->n));
  }
  out->ndim = (uint8_t)ndim;
  memcpy(out->shape, size->v, (size_t)ndim * sizeof *size->v);
  return KILN_OK;
}

int32_t kiln__shape_convolution_dx(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *g = c->in[0], *w = c->in[1];
  int64_t groups = c->attr[0].i;
  if (check_window(c, 1, groups, w->shape, w->ndim) < 0 ||
      check_channels(c, "g", g, w->ndim, w->shape[0]) < 0 || set_size(c, out, w->ndim) < 0) {
    return KILN_EARG;
  }
  if (out->shape[1] != w->shape[1] * groups) {
    return kiln__fail_op(c->op, KILN_EARG, "size has %lld channels, weight wants %lld",
                         (long long)out->shape[1], (long long)(w->shape[1] * groups));
  }
  return check_sizes(c, out->shape, w->shape, g->shape, w->ndim);
}

int32_t kiln__shape_convolution_dw(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *g = c->in[0], *x = c->in[1];
  int64_t groups = c->attr[0].i;
  if (set_size(c, out, g->ndim) < 0 || check_window(c, 1, groups, out->shape, out->ndim) < 0 ||
      check_channels(c, "g", g, out->ndim, out->shape[0]) < 0 ||
      check_channels(c, "x", x, out->ndim, out->shape[1] * groups) < 0) {
    return KILN_EARG;
  }
  return check_sizes(c, x->shape, out->shape, g->shape, out->ndim);
}

/* -- Gradients ------------------------------------------------------------------------------- */

#define LIST(l) (l)->v, (l)->n
#define WINDOW(l) LIST(l), LIST((l) + 1), LIST((l) + 2)

static kiln_tensor *conv(kiln_tensor *a, kiln_tensor *w, const kiln_list *window, int64_t groups) {
  int64_t none = 0;
  return kiln_convolution(a, w, NULL, WINDOW(window), false, &none, 1, groups);
}

void kiln__grad_convolution(kiln_grad_call *c) {
  kiln_tensor *g = c->g[0], *x = c->in[0], *w = c->in[1];
  const kiln_meta *xm = &c->in_meta[0], *wm = &c->in_meta[1];
  int64_t groups = c->attr[GROUPS].i;
  bool transposed = c->attr[TRANSPOSED].i != 0;
  if (kiln__wants(c, 0)) {
    kiln__give(c, 0,
               transposed
                   ? conv(g, w, c->list, groups)
                   : kiln_convolution_dx(g, w, xm->shape, xm->ndim, WINDOW(c->list), groups));
  }
  if (kiln__wants(c, 1)) {
    kiln__give(c, 1,
               kiln_convolution_dw(transposed ? x : g, transposed ? g : x, wm->shape, wm->ndim,
                                   WINDOW(c->list), groups));
  }
  if (kiln__wants(c, 2)) {
    int64_t dims[] = {0, 2, 3, 4};
    kiln__give(c, 2, kiln_sum(g, dims, xm->ndim - 1, false));
  }
}

void kiln__grad_convolution_dx(kiln_grad_call *c) {
  kiln_tensor *u = c->g[0];
  const kiln_list *window = c->list + 1;
  const kiln_meta *wm = &c->in_meta[1];
  int64_t groups = c->attr[0].i;
  if (kiln__wants(c, 0))
    kiln__give(c, 0, conv(u, c->in[1], window, groups));
  if (kiln__wants(c, 1)) {
    kiln__give(c, 1, kiln_convolution_dw(c->in[0], u, wm->shape, wm->ndim, WINDOW(window), groups));
  }
}

void kiln__grad_convolution_dw(kiln_grad_call *c) {
  kiln_tensor *u = c->g[0];
  const kiln_list *window = c->list + 1;
  const kiln_meta *xm = &c->in_meta[1];
  int64_t groups = c->attr[0].i;
  if (kiln__wants(c, 0))
    kiln__give(c, 0, conv(c->in[1], u, window, groups));
  if (kiln__wants(c, 1)) {
    kiln__give(c, 1, kiln_convolution_dx(c->in[0], u, xm->shape, xm->ndim, WINDOW(window), groups));
  }
}
