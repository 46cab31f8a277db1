/* view.c: the geometry of views: shape, stride and offset of an alias of in[0].  No data moves and
** nothing is allocated; what cannot be expressed by strides is an error that says so.
*/
#include "internal.h"

#define IN (c->in[0])

static void start_from(const kiln_tensor *x, kiln_geometry *g) {
  g->ndim = x->ndim;
  g->offset = x->offset;
  memcpy(g->shape, x->shape, sizeof g->shape);
  memcpy(g->stride, x->stride, sizeof g->stride);
}

static void remove_dim(kiln_geometry *g, int32_t dim) {
  for (int32_t i = dim; i + 1 < g->ndim; i++) {
    g->shape[i] = g->shape[i + 1];
    g->stride[i] = g->stride[i + 1];
  }
  g->ndim--;
}

static int32_t fail_dims(const kiln_call *c) {
  return kiln__fail_op(c->op, KILN_EARG, "a tensor has at most %d dims", KILN_MAX_DIMS);
}

/* 0-based position p (negative: from the end) of a dim of n; -1 after the error. */
static int64_t position(const kiln_call *c, const char *name, int64_t p, int64_t n, int32_t dim) {
  int64_t q = p < 0 ? p + n : p;
  if (q < 0 || q >= n) {
    kiln__fail_op(c->op, KILN_EARG, "%s %lld is out of range for dim %d of size %lld", name,
                  (long long)(p < 0 ? p : p + 1), dim + 1, (long long)n);
    return -1;
  }
  return q;
}

/* A step that is too long has one place to go to, and the stride does not matter. */
static int64_t stepped(int64_t stride, int64_t step) {
  int64_t product;
  return __builtin_mul_overflow(stride, step, &product) ? stride : product;
}

int32_t kiln__view_detach(kiln_call *c, kiln_geometry *g) {
  start_from(IN, g);
  return KILN_OK;
}

int32_t kiln__view_as_strided(kiln_call *c, kiln_geometry *g) {
  const kiln_list *size = &c->list[0], *stride = &c->list[1];
  if (size->n != stride->n) {
    return kiln__fail_op(c->op, KILN_EARG, "size %s and stride %s differ in length",
                         kiln__shape_text(size->v, size->n),
                         kiln__shape_text(stride->v, stride->n));
  }
  if (size->n > KILN_MAX_DIMS)
    return fail_dims(c);
  /* The gradient needs the geometry of what this is a view of. */
  c->list[2].n = c->list[3].n = IN->ndim;
  memcpy(c->list[2].v, IN->shape, (size_t)IN->ndim * sizeof *IN->shape);
  memcpy(c->list[3].v, IN->stride, (size_t)IN->ndim * sizeof *IN->stride);
  c->attr[1].i = IN->offset;
  g->ndim = size->n;
  g->offset = c->attr[0].i;
  for (int32_t i = 0; i < size->n; i++) {
    if (size->v[i] < 0 || stride->v[i] < 0) {
      return kiln__fail_op(c->op, KILN_EARG, "size %s and stride %s must not be negative",
                           kiln__shape_text(size->v, size->n),
                           kiln__shape_text(stride->v, stride->n));
    }
    g->shape[i] = size->v[i];
    g->stride[i] = stride->v[i];
  }
  return KILN_OK;
}

int32_t kiln__view_expand(kiln_call *c, kiln_geometry *g) {
  const kiln_list *size = &c->list[0];
  const kiln_tensor *x = IN;
  int32_t extra = size->n - x->ndim;
  if (size->n > KILN_MAX_DIMS)
    return fail_dims(c);
  if (extra < 0) {
    return kiln__fail_op(c->op, KILN_EARG, "size %s has fewer dims than the tensor's shape %s",
                         kiln__shape_text(size->v, size->n), kiln__shape_text(x->shape, x->ndim));
  }
  g->ndim = size->n;
  g->offset = x->offset;
  for (int32_t i = 0; i < size->n; i++) {
    int64_t want = size->v[i], have = i < extra ? 1 : x->shape[i - extra];
    if (want == -1 && i >= extra)
      want = have;
    if (want < 0 || (have != want && have != 1)) {
      return kiln__fail_op(c->op, KILN_EARG, "shape %s does not expand to %s at dim %d",
                           kiln__shape_text(x->shape, x->ndim), kiln__shape_text(size->v, size->n),
                           i + 1);
    }
    g->shape[i] = want;
    g->stride[i] = i < extra || have != want ? 0 : x->stride[i - extra];
  }
  return KILN_OK;
}

static int32_t need_dims(const kiln_call *c) {
  if (IN->ndim > 0)
    return KILN_OK;
  return kiln__fail_op(c->op, KILN_EARG, "a 0-dim tensor has no dims to choose from");
}

int32_t kiln__view_select(kiln_call *c, kiln_geometry *g) {
  if (need_dims(c) < 0)
    return KILN_EARG;
  int32_t dim = (int32_t)c->attr[0].i;
  int64_t p = position(c, "position", c->attr[1].i, IN->shape[dim], dim);
  if (p < 0)
    return KILN_EARG;
  start_from(IN, g);
  g->offset += p * g->stride[dim];
  remove_dim(g, dim);
  return KILN_OK;
}

/* first..last (0-based, inclusive, negative from the end); last = first - 1 is empty. */
int32_t kiln__view_slice(kiln_call *c, kiln_geometry *g) {
  if (need_dims(c) < 0)
    return KILN_EARG;
  int32_t dim = (int32_t)c->attr[0].i;
  int64_t n = IN->shape[dim], first = c->attr[1].i, last = c->attr[2].i, step = c->attr[3].i;
  int64_t a = first < 0 ? first + n : first, b = last < 0 ? last + n : last;
  if (step < 1) {
    return kiln__fail_op(c->op, KILN_EARG, "step must be at least 1, not %lld", (long long)step);
  }
  if (a < 0 || a > n || b >= n || b < a - 1) {
    return kiln__fail_op(c->op, KILN_EARG,
                         "positions %lld to %lld are out of range for dim %d of size %lld",
                         (long long)(first < 0 ? first : first + 1),
                         (long long)(last < 0 ? last : last + 1), dim + 1, (long long)n);
  }
  start_from(IN, g);
  g->shape[dim] = (b - a) / step + 1;
  if (b < a)
    g->shape[dim] = 0;
  else
    g->offset += a * g->stride[dim];
  g->stride[dim] = stepped(g->stride[dim], step);
  return KILN_OK;
}

int32_t kiln__view_transpose(kiln_call *c, kiln_geometry *g) {
  int64_t a = c->attr[0].i, b = c->attr[1].i;
  start_from(IN, g);
  if (IN->ndim == 0)
    return KILN_OK;
  g->shape[a] = IN->shape[b];
  g->shape[b] = IN->shape[a];
  g->stride[a] = IN->stride[b];
  g->stride[b] = IN->stride[a];
  return KILN_OK;
}

int32_t kiln__view_permute(kiln_call *c, kiln_geometry *g) {
  const kiln_list *dims = &c->list[0];
  if (dims->n != IN->ndim) {
    return kiln__fail_op(c->op, KILN_EARG, "%d dims given for a %d-dim tensor", dims->n, IN->ndim);
  }
  start_from(IN, g);
  for (int32_t i = 0; i < dims->n; i++) {
    g->shape[i] = IN->shape[dims->v[i]];
    g->stride[i] = IN->stride[dims->v[i]];
  }
  return KILN_OK;
}

/* Resolves one -1 in `size`. */
static int32_t infer_size(const kiln_call *c, kiln_geometry *g) {
  const kiln_list *size = &c->list[0];
  int64_t known = 1;
  int32_t open = -1;
  if (size->n > KILN_MAX_DIMS)
    return fail_dims(c);
  g->ndim = size->n;
  for (int32_t i = 0; i < size->n; i++) {
    g->shape[i] = size->v[i];
    if (size->v[i] == -1 && open < 0)
      open = i;
    else if (size->v[i] < 0 || __builtin_mul_overflow(known, size->v[i], &known))
      known = -1;
    if (known < 0)
      break;
  }
  if (open >= 0 && known > 0 && IN->numel % known == 0) {
    g->shape[open] = IN->numel / known;
    known = IN->numel;
  }
  if (known != IN->numel || (open >= 0 && g->shape[open] < 0)) {
    return kiln__fail_op(c->op, KILN_EARG, "shape %s with %lld elements cannot be seen as %s",
                         kiln__shape_text(IN->shape, IN->ndim), (long long)IN->numel,
                         kiln__shape_text(size->v, size->n));
  }
  return KILN_OK;
}

int32_t kiln__view_view(kiln_call *c, kiln_geometry *g) {
  const kiln_tensor *x = IN;
  int32_t status = infer_size(c, g);
  if (status < 0)
    return status;
  g->offset = x->offset;
  if (x->numel == 0) {
    int64_t step = 1;
    for (int32_t i = g->ndim - 1; i >= 0; i--) {
      g->stride[i] = step;
      step *= g->shape[i] > 0 ? g->shape[i] : 1;
    }
    return KILN_OK;
  }
  /* Old dims that step as one form a chunk; each chunk must hold a whole number of new dims. */
  int32_t j = g->ndim - 1;
  int64_t chunk = 1, step = x->ndim ? x->stride[x->ndim - 1] : 1;
  for (int32_t i = x->ndim - 1; i >= -1; i--) {
    if (i >= 0)
      chunk *= x->shape[i];
    bool ends = i <= 0 || (x->shape[i - 1] != 1 && x->stride[i - 1] != chunk * step);
    if (!ends)
      continue;
    int64_t filled = 1;
    while (j >= 0 && (filled < chunk || g->shape[j] == 1)) {
      g->stride[j] = step * filled;
      filled *= g->shape[j--];
    }
    if (filled != chunk) {
      return kiln__fail_op(
          c->op, KILN_EARG,
          "shape %s with stride %s cannot be seen as %s without a copy; use reshape",
          kiln__shape_text(x->shape, x->ndim), kiln__shape_text(x->stride, x->ndim),
          kiln__shape_text(g->shape, g->ndim));
    }
    if (i <= 0)
      break;
    chunk = 1;
    step = x->stride[i - 1];
  }
  return KILN_OK;
}

int32_t kiln__view_squeeze(kiln_call *c, kiln_geometry *g) {
  const kiln_list *dims = &c->list[0];
  uint32_t named = dims->n < 0 ? ~0u : 0;
  start_from(IN, g);
  for (int32_t i = 0; i < dims->n; i++)
    named |= 1u << dims->v[i];
  for (int32_t i = g->ndim - 1; i >= 0; i--) {
    if (g->shape[i] == 1 && named >> i & 1)
      remove_dim(g, i);
  }
  return KILN_OK;
}

int32_t kiln__view_unsqueeze(kiln_call *c, kiln_geometry *g) {
  int32_t dim = (int32_t)c->attr[0].i;
  if (IN->ndim == KILN_MAX_DIMS)
    return fail_dims(c);
  start_from(IN, g);
  for (int32_t i = g->ndim; i > dim; i--) {
    g->shape[i] = g->shape[i - 1];
    g->stride[i] = g->stride[i - 1];
  }
  g->stride[dim] = dim < g->ndim ? g->shape[dim + 1] * g->stride[dim + 1] : 1;
  g->shape[dim] = 1;
  g->ndim++;
  return KILN_OK;
}

/* (x, offset, dim1, dim2): the diagonal becomes the last dim. */
int32_t kiln__view_diagonal(kiln_call *c, kiln_geometry *g) {
  int64_t k = c->attr[0].i, a = c->attr[1].i, b = c->attr[2].i;
  if (IN->ndim < 2 || a == b) {
    return kiln__fail_op(
        c->op, KILN_EARG,
        "two different dims are needed, dim1 is %lld and dim2 %lld of a %d-dim tensor",
        (long long)a + 1, (long long)b + 1, IN->ndim);
  }
  start_from(IN, g);
  int64_t rows = IN->shape[a] + (k < 0 ? k : 0), cols = IN->shape[b] - (k > 0 ? k : 0);
  int64_t n = rows < cols ? rows : cols, step = IN->stride[a] + IN->stride[b];
  if (n > 0)
    g->offset += k < 0 ? -k * IN->stride[a] : k * IN->stride[b];
  remove_dim(g, (int32_t)(a > b ? a : b));
  remove_dim(g, (int32_t)(a > b ? b : a));
  g->shape[g->ndim] = n > 0 ? n : 0;
  g->stride[g->ndim++] = step;
  return KILN_OK;
}

/* (x, dim, size, step): windows of a dim; a new last dim runs inside the window. */
int32_t kiln__view_unfold(kiln_call *c, kiln_geometry *g) {
  int32_t dim = (int32_t)c->attr[0].i;
  int64_t size = c->attr[1].i, step = c->attr[2].i;
  int64_t n = IN->ndim ? IN->shape[dim] : 1, stride = IN->ndim ? IN->stride[dim] : 1;
  if (size < 0 || size > n || step < 1) {
    return kiln__fail_op(c->op, KILN_EARG,
                         "windows of size %lld and step %lld do not fit dim %d of size %lld",
                         (long long)size, (long long)step, dim + 1, (long long)n);
  }
  if (IN->ndim == KILN_MAX_DIMS)
    return fail_dims(c);
  start_from(IN, g);
  if (IN->ndim > 0) {
    g->shape[dim] = (n - size) / step + 1;
    g->stride[dim] = stepped(stride, step);
  }
  g->shape[g->ndim] = size;
  g->stride[g->ndim++] = stride;
  return KILN_OK;
}
