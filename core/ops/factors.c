/* ops/factors.c: gradients of what a matrix is factored into: Cholesky's, orthogonal and singular
** ones, eigenvectors of symmetric matrices.  They are compositions of recorded ops, so that second
** derivatives follow.  Where an op reads one triangle of a symmetric matrix its gradient is
** symmetric, as is custom: that of a step which keeps the matrix symmetric.
*/
#include "matrices.h"
#include <float.h>
#include <math.h>

static kiln_tensor *symmetric(kiln_tensor *x) {
  return kiln_mul(kiln_add(x, flipped(x), 1), kiln_number(0.5));
}

/* a = l l^T: l^-T phi(l^T g) l^-1, phi the lower triangle with half the diagonal. */
void kiln__grad_cholesky(kiln_grad_call *c) {
  bool upper = c->attr[0].i != 0;
  kiln_tensor *l = upper ? flipped(c->out[0]) : c->out[0];
  kiln_tensor *g = kiln_tril(upper ? flipped(c->g[0]) : c->g[0], 0);
  kiln_tensor *p = times(flipped(l), g);
  kiln_tensor *phi = kiln_mul(kiln_add(kiln_tril(p, 0), kiln_tril(p, -1), 1), kiln_number(0.5));
  kiln_tensor *z = kiln_triangular_solve(phi, l, false, true, false);
  kiln__give(c, 0, symmetric(kiln_triangular_solve(flipped(z), l, false, true, false)));
}

void kiln__grad_cholesky_inverse(kiln_grad_call *c) {
  bool upper = c->attr[0].i != 0;
  kiln_tensor *y = c->out[0], *factor = triangle(c->in[0], upper, 0);
  kiln_tensor *da = kiln_neg(times(times(y, c->g[0]), y));
  da = kiln_add(da, flipped(da), 1);
  kiln__give(c, 0, triangle(upper ? times(factor, da) : times(da, factor), upper, 0));
}

/* Gives the gradient of a matrix without elements, of which there is one only. */
static bool gave_empty(kiln_grad_call *c) {
  const kiln_meta *x = &c->in_meta[0];
  if (kiln__numel(x->shape, x->ndim) > 0)
    return false;
  kiln__give(c, 0, kiln_full(x->shape, x->ndim, 0, x->dtype, x->device));
  return true;
}

/* For [m, k] q and square r: (gq + q copyltu(r gr^T - gq^T q)) r^-T.  Factors of columns that
** depend on each other, up to rounding, have no derivatives: NaN. */
static kiln_tensor *qr_back(kiln_tensor *q, kiln_tensor *r, kiln_tensor *gq, kiln_tensor *gr) {
  kiln_tensor *m = times(r, flipped(gr));
  if (gq)
    m = add(m, kiln_neg(times(flipped(gq), q)));
  kiln_tensor *both = kiln_add(kiln_tril(m, 0), flipped(kiln_tril(m, -1)), 1);
  kiln_tensor *x = add(gq, times(q, both));
  kiln_tensor *g = flipped(kiln_triangular_solve(flipped(x), r, true, false, false));
  int64_t last[] = {r->ndim - 2};
  kiln_tensor *d = kiln_abs(kiln_diagonal(kiln_detach(r), 0, last[0], last[0] + 1));
  kiln_tensor *depend = kiln_le(kiln_amin(d, last, 1, true), rounding(d));
  return kiln_where(column(depend), kiln_number((double)NAN), g);
}

void kiln__grad_qr(kiln_grad_call *c) {
  kiln_tensor *q = c->out[0], *r = c->out[1], *x = c->in[0], *gq = c->g[0], *gr = kiln__g(c, 1);
  int64_t m = rows_of(x), n = cols_of(x), last = x->ndim - 1;
  if (gave_empty(c))
    return;
  if (!c->attr[0].i && m > n) {
    kiln__fail_op(KILN_OP_QR, KILN_EGRAD,
                  "the complete factors of a tall matrix (some = false) are "
                  "not differentiable");
    return;
  }
  if (m >= n) {
    kiln__give(c, 0, qr_back(q, r, gq, kiln_triu(gr, 0)));
    return;
  }
  /* a wide matrix [x, y] = q [u, v] */
  kiln_tensor *gv = kiln_slice(gr, last, m, n - 1, 1);
  gq = add(gq, times(kiln_slice(x, last, m, n - 1, 1), flipped(gv)));
  kiln_tensor *parts[] = {qr_back(q, kiln_slice(r, last, 0, m - 1, 1), gq,
                                  kiln_triu(kiln_slice(gr, last, 0, m - 1, 1), 0)),
                          times(q, gv)};
  kiln__give(c, 0, kiln_cat(parts, 2, last));
}

/* p / (e_j - e_i) off the diagonal, 0 on it; for `skew` p - p^T in the place of p.  The vectors of
** values s that are equal up to rounding have no derivatives: NaN, unless nothing depends on
** either. */
static kiln_tensor *over_gaps(kiln_tensor *p, bool skew, kiln_tensor *e, kiln_tensor *s) {
  int64_t n[] = {cols_of(e)};
  if (!p || e->numel == 0)
    return p;
  double least = s->dtype == KILN_FLOAT64 ? DBL_MIN : FLT_MIN;
  kiln_tensor *diagonal = kiln_diagonals(kiln_full(n, 1, 1, KILN_BOOL, e->device), 0);
  kiln_tensor *value = kiln_detach(s), *zero = kiln_eq(kiln_detach(p), kiln_number_int(0));
  kiln_tensor *near =
      kiln_le(kiln_abs(kiln_sub(row(value), column(value), 1)), row(rounding(value)));
  kiln_tensor *none =
      kiln_where(kiln_logical_and(zero, flipped(zero)), kiln_full(n, 0, least, s->dtype, s->device),
                 kiln_full(n, 0, (double)NAN, s->dtype, s->device));
  kiln_tensor *gap = kiln_where(near, none, kiln_sub(row(e), column(e), 1));
  kiln_tensor *q = kiln_div(skew ? kiln_sub(p, flipped(p), 1) : p,
                            kiln_where(diagonal, kiln_number_int(1), gap));
  return kiln_where(diagonal, kiln_number_int(0), q);
}

void kiln__grad_svd(kiln_grad_call *c) {
  kiln_tensor *u = c->out[0], *s = c->out[1], *v = c->out[2];
  kiln_tensor *gu = c->g[0], *gs = c->g[1], *gv = c->g[2];
  int64_t k = cols_of(s), last = u->ndim - 1;
  if (gave_empty(c))
    return;
  if (cols_of(u) != k || cols_of(v) != k) {
    if (gu || gv) {
      kiln__fail_op(KILN_OP_SVD, KILN_EGRAD,
                    "complete vectors (some = false) of a matrix that is not "
                    "square are not differentiable");
      return;
    }
    u = kiln_slice(u, last, 0, k - 1, 1);
    v = kiln_slice(v, last, 0, k - 1, 1);
  }
  kiln_tensor *middle = gs ? kiln_diagonals(gs, 0) : NULL, *outer = NULL;
  kiln_tensor *e = kiln_mul(s, s);
  if (gu) {
    kiln_tensor *turns = over_gaps(times(flipped(u), gu), true, e, s);
    middle = add(middle, kiln_mul(turns, row(s)));
    if (rows_of(u) > k) { /* what gu has outside of the space of u: nothing where that is all */
      kiln_tensor *rest = kiln_div(kiln_sub(gu, times(u, times(flipped(u), gu)), 1), row(s));
      outer = add(outer, times(rest, flipped(v)));
    }
  }
  if (gv) {
    kiln_tensor *turns = over_gaps(times(flipped(v), gv), true, e, s);
    middle = add(middle, kiln_mul(turns, column(s)));
    if (rows_of(v) > k) {
      kiln_tensor *rest = kiln_div(kiln_sub(gv, times(v, times(flipped(v), gv)), 1), row(s));
      outer = add(outer, times(u, flipped(rest)));
    }
  }
  kiln__give(c, 0, add(times(times(u, middle), flipped(v)), outer));
}

void kiln__grad_symmetric_eig(kiln_grad_call *c) {
  kiln_tensor *e = c->out[0], *v = c->out[1];
  kiln_tensor *middle = c->g[0] ? kiln_diagonals(c->g[0], 0) : NULL;
  if (c->g[1])
    middle = add(middle, over_gaps(times(flipped(v), c->g[1]), false, e, e));
  kiln__give(c, 0, symmetric(times(times(v, middle), flipped(v))));
}
