/* ops/eig.c: the gradient of eig, whose eigenvalues and vectors are complex and come as real
** numbers.  A complex matrix is a pair of real ones here, and everything is a composition of
** recorded ops, so that second derivatives follow.  It refuses gradients by the phase of complex
** eigenvectors: any phase is as good as another, so nothing definite depends on it.
*/
#include "matrices.h"
#include <math.h>

typedef struct pair {
  kiln_tensor *re, *im;
} pair;

static pair product(pair x, pair y) {
  return (pair){kiln_sub(times(x.re, y.re), times(x.im, y.im), 1),
                kiln_add(times(x.re, y.im), times(x.im, y.re), 1)};
}

/* The conjugate transpose. */
static pair adjoint(pair x) { return (pair){flipped(x.re), kiln_neg(flipped(x.im))}; }

/* The real part of y where x y = z: [re -im; im re] [y.re; y.im] = [z.re; z.im]. */
static kiln_tensor *real_solution(pair x, pair z) {
  int64_t last = x.re->ndim - 1, n = cols_of(x.re);
  kiln_tensor *top[] = {x.re, kiln_neg(x.im)}, *bottom[] = {x.im, x.re}, *right[] = {z.re, z.im};
  kiln_tensor *rows[] = {kiln_cat(top, 2, last), kiln_cat(bottom, 2, last)};
  kiln_tensor *y = kiln_solve(kiln_cat(rows, 2, last - 1), kiln_cat(right, 2, last - 1));
  return kiln_slice(y, last - 1, 0, n - 1, 1);
}

/* The columns of x one place to the left; the first comes last. */
static kiln_tensor *next_columns(kiln_tensor *x) {
  int64_t last = x->ndim - 1, n = cols_of(x);
  if (n < 2)
    return x;
  kiln_tensor *parts[] = {kiln_slice(x, last, 1, n - 1, 1), kiln_slice(x, last, 0, 0, 1)};
  return kiln_cat(parts, 2, last);
}

static kiln_tensor *previous_columns(kiln_tensor *x) {
  int64_t last = x->ndim - 1, n = cols_of(x);
  if (n < 2)
    return x;
  kiln_tensor *parts[] = {kiln_slice(x, last, n - 1, n - 1, 1), kiln_slice(x, last, 0, n - 2, 1)};
  return kiln_cat(parts, 2, last);
}

static kiln_tensor *no(kiln_tensor *x) { return kiln_sub(x, x, 1); }

/* The largest absolute value, or negative after an error. */
static double largest(kiln_tensor *x) {
  double v;
  int64_t i;
  return kiln_tensor_item(kiln_amax(kiln_abs(kiln_detach(x)), NULL, 0, false), &v, &i) == 1 ? v
                                                                                            : -1;
}

/* Whether a is small beside b: 1, 0, or negative after an error. */
static int is_small(kiln_tensor *a, kiln_tensor *b, double tolerance) {
  double small = largest(a), large = largest(b);
  return small < 0 || large < 0 ? -1 : small <= tolerance * large;
}

/* Eigenvectors for the eigenvalues e that the op gave without them: the same algorithm finds them
** in the same order, which is checked. */
static kiln_tensor *missing_vectors(kiln_tensor *x, kiln_tensor *e) {
  kiln_tensor *again[2];
  if (kiln_eig(x, true, again) < 0)
    return NULL;
  int same = is_small(kiln_sub(again[0], e, 1), e, 1e-3);
  if (same == 0) {
    kiln__fail_op(KILN_OP_EIG, KILN_EGRAD,
                  "the eigenvalues came in another order; ask for the "
                  "eigenvectors in the forward call");
  }
  return same > 0 ? again[1] : NULL;
}

/* |e_j - e_i|^2 for the parts a and b of the differences, 1 on the diagonal.  The vectors of
** eigenvalues that are equal up to rounding have no derivatives: NaN, unless nothing depends on
** either. */
static kiln_tensor *gaps_squared(pair difference, pair e, pair off, kiln_tensor *diagonal) {
  kiln_tensor *size =
      kiln_add(kiln_mul(difference.re, difference.re), kiln_mul(difference.im, difference.im), 1);
  kiln_tensor *length =
      kiln_sqrt(kiln_detach(kiln_add(kiln_mul(e.re, e.re), kiln_mul(e.im, e.im), 1)));
  kiln_tensor *near = kiln_le(kiln_sqrt(kiln_detach(size)), row(rounding(length)));
  kiln_tensor *zero = kiln_logical_and(kiln_eq(kiln_detach(off.re), kiln_number_int(0)),
                                       kiln_eq(kiln_detach(off.im), kiln_number_int(0)));
  kiln_tensor *none = kiln_where(kiln_logical_and(zero, flipped(zero)), kiln_number_int(1),
                                 kiln_number((double)NAN));
  return kiln_where(diagonal, kiln_number_int(1), kiln_where(near, none, size));
}

/* x = v diag(e) v^-1.  dx = v^-H (diag(de) + (v^H dv - v^H v diag(re(v^H dv))) / gaps) v^H, gaps
** the conjugates of e_j - e_i; the second term of the numerator keeps the vectors at length 1. */
void kiln__grad_eig(kiln_grad_call *c) {
  kiln_tensor *x = c->in[0], *e = c->out[0], *packed = c->out[1];
  if (x->numel == 0) {
    kiln__give(c, 0, no(x));
    return;
  }
  if (!c->attr[0].i)
    packed = missing_vectors(x, e);
  if (!packed)
    return;
  int64_t last = x->ndim - 1;
  kiln_tensor *re = kiln_select(e, last, 0), *im = kiln_select(e, last, 1);
  kiln_tensor *first = kiln_gt(row(im), kiln_number(0)), *second = kiln_lt(row(im), kiln_number(0));
  kiln_tensor *zero = no(packed);
  pair v = {kiln_where(second, previous_columns(packed), packed),
            kiln_where(first, next_columns(packed), kiln_where(second, kiln_neg(packed), zero))};
  pair vh = adjoint(v), middle = {NULL, NULL};
  if (c->g[1] && c->attr[0].i) {
    kiln_tensor *g = c->g[1];
    pair gv = {kiln_where(second, zero, g), kiln_where(first, next_columns(g), zero)};
    pair p = product(vh, gv), lengths = product(vh, v);
    kiln_tensor *phase = kiln_diagonal(p.im, 0, last - 1, last);
    int invariant = is_small(phase, p.re, 1e-2);
    if (invariant <= 0) {
      if (invariant == 0 && largest(phase) > 0) {
        kiln__fail_op(KILN_OP_EIG, KILN_EGRAD,
                      "the gradient of x is not defined: what was computed depends on the phase of "
                      "complex eigenvectors, which is arbitrary");
        return;
      }
      if (invariant < 0)
        return;
    }
    kiln_tensor *along = row(kiln_diagonal(p.re, 0, last - 1, last));
    pair off = {kiln_sub(p.re, kiln_mul(lengths.re, along), 1),
                kiln_sub(p.im, kiln_mul(lengths.im, along), 1)};
    int64_t n[] = {cols_of(x)};
    kiln_tensor *diagonal = kiln_diagonals(kiln_full(n, 1, 1, KILN_BOOL, x->device), 0);
    kiln_tensor *a = kiln_where(diagonal, kiln_number_int(1), kiln_sub(row(re), column(re), 1));
    kiln_tensor *b = kiln_sub(row(im), column(im), 1);
    kiln_tensor *size = gaps_squared((pair){a, b}, (pair){re, im}, off, diagonal);
    middle.re = kiln_div(kiln_sub(kiln_mul(off.re, a), kiln_mul(off.im, b), 1), size);
    middle.im = kiln_div(kiln_add(kiln_mul(off.re, b), kiln_mul(off.im, a), 1), size);
  }
  if (c->g[0]) {
    middle.re = add(middle.re, kiln_diagonals(kiln_select(c->g[0], last, 0), 0));
    middle.im = add(middle.im, kiln_diagonals(kiln_select(c->g[0], last, 1), 0));
  }
  if (middle.re)
    kiln__give(c, 0, real_solution(vh, product(middle, vh)));
}
