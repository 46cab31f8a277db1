/* ops/linalg.c: shapes of linear algebra, and gradients of inverses, determinants and solutions;
** gradients of factors stand in factors.c and eig.c.  All are compositions of recorded ops, so that
** second derivatives follow.
*/
#include "../leading.h"
#include "matrices.h"

static const char *text(const kiln_tensor *x) { return kiln__shape_text(x->shape, x->ndim); }

/* -- Shapes ----------------------------------------------------------------------------- */

static int32_t is_matrix(const kiln_call *c, int32_t i, bool square) {
  const kiln_tensor *x = c->in[i];
  if (x->ndim >= 2 && (!square || x->shape[x->ndim - 1] == x->shape[x->ndim - 2]))
    return KILN_OK;
  return kiln__fail_op(
      c->op, KILN_EARG, "%s must be %s, its shape is %s", kiln__ops[c->op].in_names[i],
      square ? "a square matrix or a batch of them" : "a matrix or a batch of them", text(x));
}

/* out: the first dims of x (all but `drop`), then n sizes. */
static void batch_of(kiln_meta *out, const kiln_tensor *x, int32_t drop, int32_t n, int64_t a,
                     int64_t b) {
  out->ndim = (uint8_t)(x->ndim - drop + n);
  memcpy(out->shape, x->shape, sizeof out->shape);
  if (n > 0)
    out->shape[x->ndim - drop] = a;
  if (n > 1)
    out->shape[x->ndim - drop + 1] = b;
}

int32_t kiln__shape_square(const kiln_call *c, kiln_meta *out) {
  batch_of(out, c->in[0], 0, 0, 0, 0);
  return is_matrix(c, 0, true);
}

/* A number, or several, for each square matrix. */
int32_t kiln__shape_of_square(const kiln_call *c, kiln_meta *out) {
  if (is_matrix(c, 0, true) < 0)
    return KILN_EARG;
  for (int32_t i = 0; i < c->n_out; i++)
    batch_of(&out[i], c->in[0], 2, 0, 0, 0);
  return KILN_OK;
}

/* Batch dims of x and y, both without their last two, broadcast; then [a, b]. */
static int32_t join(const kiln_call *c, const kiln_tensor *x, int32_t drop_x, const kiln_tensor *y,
                    int32_t drop_y, kiln_meta *out) {
  out->ndim = (uint8_t)(x->ndim - drop_x);
  memcpy(out->shape, x->shape, sizeof out->shape);
  return kiln__broadcast(c->op, out, y->shape, y->ndim - drop_y);
}

static void append(kiln_meta *out, int64_t n) { out->shape[out->ndim++] = n; }

static int32_t fail_rows(const kiln_call *c, int32_t i, int32_t j) {
  return kiln__fail_op(
      c->op, KILN_EARG, "the rows of %s, shape %s, do not fit those of %s, shape %s",
      kiln__ops[c->op].in_names[j], text(c->in[j]), kiln__ops[c->op].in_names[i], text(c->in[i]));
}

/* The solution of a times out = b: (a [m, n], b [m, k] or [m]) -> [n, k] or [n]. */
static int32_t solution_of(const kiln_call *c, bool square, kiln_meta *out) {
  const kiln_tensor *a = c->in[0], *b = c->in[1];
  if (is_matrix(c, 0, square) < 0)
    return KILN_EARG;
  bool vector = kiln__are_vectors(a->ndim, a->shape, b->ndim, b->shape);
  if (!vector && is_matrix(c, 1, false) < 0)
    return KILN_EARG;
  if ((vector ? cols_of(b) : rows_of(b)) != rows_of(a))
    return fail_rows(c, 0, 1);
  if (join(c, a, 2, b, vector ? 1 : 2, out) < 0)
    return KILN_EARG;
  append(out, cols_of(a));
  if (!vector)
    append(out, cols_of(b));
  return KILN_OK;
}

int32_t kiln__shape_solve(const kiln_call *c, kiln_meta *out) { return solution_of(c, true, out); }
int32_t kiln__shape_lstsq(const kiln_call *c, kiln_meta *out) { return solution_of(c, false, out); }

/* (b [n, k], a [n, n], ...) */
int32_t kiln__shape_solve_with(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *b = c->in[0], *a = c->in[1];
  if (is_matrix(c, 0, false) < 0 || is_matrix(c, 1, true) < 0)
    return KILN_EARG;
  if (rows_of(a) != rows_of(b))
    return fail_rows(c, 1, 0);
  if (join(c, b, 2, a, 2, out) < 0)
    return KILN_EARG;
  if (c->n_in > 2) { /* pivots [n] */
    const kiln_tensor *pivots = c->in[2];
    kiln_meta all = *out;
    if (pivots->ndim < 1 || cols_of(pivots) != rows_of(a))
      return fail_rows(c, 1, 2);
    if (kiln__broadcast(c->op, &all, pivots->shape, pivots->ndim - 1) < 0)
      return KILN_EARG;
    *out = all;
  }
  append(out, rows_of(b));
  append(out, cols_of(b));
  return KILN_OK;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

int32_t kiln__shape_lu_factor(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *x = c->in[0];
  if (is_matrix(c, 0, false) < 0)
    return KILN_EARG;
  batch_of(&out[0], x, 0, 0, 0, 0);
  batch_of(&out[1], x, 2, 1, least(rows_of(x), cols_of(x)), 0);
  batch_of(&out[2], x, 2, 0, 0, 0);
  out[1].dtype = out[2].dtype = KILN_INT64;
  return KILN_OK;
}

/* (pivots [k], rows) */
int32_t kiln__shape_lu_permutation(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *pivots = c->in[0];
  if (pivots->ndim < 1 || cols_of(pivots) > c->attr[0].i) {
    return kiln__fail_op(c->op, KILN_EARG, "pivots of shape %s for %lld rows", text(pivots),
                         (long long)c->attr[0].i);
  }
  batch_of(out, pivots, 1, 1, c->attr[0].i, 0);
  return KILN_OK;
}

int32_t kiln__shape_pstrf(const kiln_call *c, kiln_meta *out) {
  if (is_matrix(c, 0, true) < 0)
    return KILN_EARG;
  batch_of(&out[0], c->in[0], 0, 0, 0, 0);
  batch_of(&out[1], c->in[0], 1, 0, 0, 0);
  batch_of(&out[2], c->in[0], 2, 0, 0, 0);
  out[1].dtype = out[2].dtype = KILN_INT64;
  return KILN_OK;
}

/* attr: some */
int32_t kiln__shape_qr(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *x = c->in[0];
  if (is_matrix(c, 0, false) < 0)
    return KILN_EARG;
  int64_t k = c->attr[0].i ? least(rows_of(x), cols_of(x)) : rows_of(x);
  batch_of(&out[0], x, 2, 2, rows_of(x), k);
  batch_of(&out[1], x, 2, 2, k, cols_of(x));
  return KILN_OK;
}

int32_t kiln__shape_geqrf(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *x = c->in[0];
  if (is_matrix(c, 0, false) < 0)
    return KILN_EARG;
  batch_of(&out[0], x, 0, 0, 0, 0);
  batch_of(&out[1], x, 2, 1, least(rows_of(x), cols_of(x)), 0);
  return KILN_OK;
}

/* Packed reflectors in in[0] [r, k...] and their factors in in[1] [k], of one batch. */
static int32_t reflectors(const kiln_call *c, int64_t most) {
  const kiln_tensor *a = c->in[0], *tau = c->in[1];
  if (is_matrix(c, 0, false) < 0)
    return KILN_EARG;
  bool ok = tau->ndim == a->ndim - 1 && cols_of(tau) <= most;
  for (int32_t d = 0; ok && d < tau->ndim - 1; d++)
    ok = tau->shape[d] == a->shape[d];
  if (ok)
    return KILN_OK;
  return kiln__fail_op(c->op, KILN_EARG, "tau of shape %s does not fit %lld reflectors in %s",
                       text(tau), (long long)most, text(a));
}

int32_t kiln__shape_orgqr(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *a = c->in[0];
  if (reflectors(c, a->ndim >= 2 ? least(rows_of(a), cols_of(a)) : 0) < 0)
    return KILN_EARG;
  if (cols_of(a) > rows_of(a)) {
    return kiln__fail_op(c->op, KILN_EARG, "x has more columns than rows: %s", text(a));
  }
  batch_of(out, a, 0, 0, 0, 0);
  return KILN_OK;
}

/* (a [r, k], tau [k], c [m, n], left, transpose) */
int32_t kiln__shape_ormqr(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *a = c->in[0], *other = c->in[2];
  if (reflectors(c, a->ndim >= 2 ? least(rows_of(a), cols_of(a)) : 0) < 0)
    return KILN_EARG;
  if (is_matrix(c, 2, false) < 0)
    return KILN_EARG;
  bool ok = other->ndim == a->ndim && cols_of(c->in[1]) == cols_of(a) &&
            rows_of(a) == (c->attr[0].i ? rows_of(other) : cols_of(other));
  for (int32_t d = 0; ok && d < a->ndim - 2; d++)
    ok = a->shape[d] == other->shape[d];
  if (!ok) {
    return kiln__fail_op(c->op, KILN_EARG, "reflectors of shape %s (tau %s) and %s do not fit",
                         text(a), text(c->in[1]), text(other));
  }
  batch_of(out, other, 0, 0, 0, 0);
  return KILN_OK;
}

/* attr: some */
int32_t kiln__shape_svd(const kiln_call *c, kiln_meta *out) {
  const kiln_tensor *x = c->in[0];
  if (is_matrix(c, 0, false) < 0)
    return KILN_EARG;
  int64_t m = rows_of(x), n = cols_of(x), k = least(m, n);
  batch_of(&out[0], x, 2, 2, m, c->attr[0].i ? k : m);
  batch_of(&out[1], x, 2, 1, k, 0);
  batch_of(&out[2], x, 2, 2, n, c->attr[0].i ? k : n);
  return KILN_OK;
}

int32_t kiln__shape_symmetric_eig(const kiln_call *c, kiln_meta *out) {
  if (is_matrix(c, 0, true) < 0)
    return KILN_EARG;
  batch_of(&out[0], c->in[0], 1, 0, 0, 0);
  batch_of(&out[1], c->in[0], 0, 0, 0, 0);
  return KILN_OK;
}

/* attr: eigenvectors */
int32_t kiln__shape_eig(const kiln_call *c, kiln_meta *out) {
  if (is_matrix(c, 0, true) < 0)
    return KILN_EARG;
  batch_of(&out[0], c->in[0], 1, 1, 2, 0);
  batch_of(&out[1], c->in[0], 0, 0, 0, 0);
  if (!c->attr[0].i) {
    out[1].ndim = 1;
    out[1].shape[0] = 0;
  }
  return KILN_OK;
}

/* -- Gradients -------------------------------------------------------------------------- */

void kiln__grad_inverse(kiln_grad_call *c) {
  kiln_tensor *y = flipped(c->out[0]);
  kiln__give(c, 0, kiln_neg(times(times(y, c->g[0]), y)));
}

/* (x [m, n], found [n, m]) */
int32_t kiln__shape_pseudoinverse(const kiln_call *c, kiln_meta *out) {
  if (is_matrix(c, 0, false) < 0)
    return KILN_EARG;
  batch_of(out, c->in[0], 2, 2, cols_of(c->in[0]), rows_of(c->in[0]));
  return KILN_OK;
}

/* Of a step that keeps the rank: -p dx p, and what is outside of the space of x (Golub and Pereyra,
** "The differentiation of pseudo-inverses", 1973).  Equal singular values do not matter to it. */
void kiln__grad_pseudoinverse(kiln_grad_call *c) {
  kiln_tensor *x = c->in[0], *p = c->out[0], *g = flipped(c->g[0]), *q = flipped(p);
  kiln_tensor *through = kiln_neg(times(q, times(c->g[0], q)));
  kiln_tensor *rows = times(kiln_sub(g, times(x, times(p, g)), 1), times(p, q));
  kiln_tensor *columns = times(times(q, p), kiln_sub(g, times(times(g, p), x), 1));
  kiln__give(c, 0, add(through, add(rows, columns)));
}

/* Products of all elements of the last dim but one each. */
static kiln_tensor *products_without(kiln_tensor *s) {
  int64_t n = cols_of(s), last = s->ndim - 1;
  int64_t shape[KILN_MAX_DIMS];
  memcpy(shape, s->shape, sizeof shape);
  shape[last] = 1;
  kiln_tensor *one = kiln_full(shape, s->ndim, 1, s->dtype, s->device);
  if (n == 1)
    return one;
  kiln_tensor *before[] = {one, kiln_slice(kiln_cumprod(s, last, false), last, 0, n - 2, 1)};
  kiln_tensor *after[] = {kiln_slice(kiln_cumprod(s, last, true), last, 1, n - 1, 1), one};
  return kiln_mul(kiln_cat(before, 2, last), kiln_cat(after, 2, last));
}

/* The matrix of cofactors by all minors: a polynomial, with derivatives where x is singular, too.
** The minors have about n^4 elements. */
static kiln_tensor *cofactors_by_minors(kiln_tensor *x) {
  int64_t n = cols_of(x), device = x->device;
  int64_t some = n * (n - 1), count = x->numel / (n * n);
  kiln_tensor *row_number = kiln_unsqueeze(kiln_arange(1, 1, n, KILN_INT64, device), 1);
  kiln_tensor *number = kiln_arange(1, 1, n - 1, KILN_INT64, device);
  kiln_tensor *skips = kiln_cast(kiln_ge(number, row_number), KILN_INT64);
  kiln_tensor *others =
      kiln_view(kiln_add(number, skips, 1), &some, 1); /* of row 1, of row 2, ... */
  kiln_tensor *all = kiln_view(kiln_clone(x), (int64_t[]){count, n, n}, 3);
  all = kiln_index_select(kiln_index_select(all, 1, others), 2, others);
  all = kiln_view(all, (int64_t[]){count, n, n - 1, n, n - 1}, 5);
  kiln_tensor *minors = kiln_det(kiln_permute(all, (int64_t[]){0, 1, 3, 2, 4}, 5));
  kiln_tensor *odd = kiln_add(row_number, kiln_arange(1, 1, n, KILN_INT64, device), 1);
  odd = kiln_remainder(odd, kiln_number_int(2));
  minors = kiln_mul(minors, kiln_add(kiln_mul(odd, kiln_number_int(-2)), kiln_number_int(1), 1));
  return kiln_view(minors, x->shape, x->ndim);
}

/* How many singular values of a matrix, the most of the batch and one at least, are 0 but for
** rounding; -1 on error. */
static int64_t count_zeros(kiln_tensor *s, kiln_tensor *largest) {
  double epsilon = s->dtype == KILN_FLOAT64 ? 0x1p-52 : 0x1p-23, unused;
  kiln_tensor *bound = kiln_mul(largest, kiln_number(epsilon * (double)cols_of(s)));
  kiln_tensor *each = kiln_sum(kiln_le(s, bound), (int64_t[]){-1}, 1, false);
  kiln_tensor *most = kiln_amax(each, NULL, 0, false);
  int64_t n;
  if (!most || kiln_tensor_item(most, &unused, &n) < 0)
    return -1;
  return n < 1 ? 1 : n;
}

/* The matrix of cofactors of a singular x, with a history.  Constants u, v of k columns, the
** singular vectors of what is 0, make b = x + u v^T regular; det x = det b det m, where
** m = 1 - v^T b^-1 u is k x k and singular, and has few minors. */
static kiln_tensor *cofactors_recorded(kiln_tensor *x) {
  enum { MOST = 64 };
  kiln_tensor *usv[3];
  if (kiln_svd(kiln_detach(x), true, usv) < 0)
    return NULL;
  int64_t n = cols_of(x), last = x->ndim - 1;
  kiln_tensor *largest = kiln_amax(usv[1], (int64_t[]){-1}, 1, true);
  int64_t k = count_zeros(usv[1], largest);
  if (k > MOST) {
    kiln__fail_op(
        KILN_OP_DET, KILN_EGRAD,
        "a gradient with a graph needs a rank of at least n - %d, it is %lld for %lld x %lld", MOST,
        (long long)(n - k), (long long)n, (long long)n);
  }
  if (k < 0 || k > MOST)
    return NULL;
  largest = column(kiln_where(kiln_eq(largest, kiln_number_int(0)), kiln_number_int(1), largest));
  kiln_tensor *u = kiln_mul(kiln_slice(usv[0], last, n - k, n - 1, 1), largest);
  kiln_tensor *v = kiln_slice(usv[2], last, n - k, n - 1, 1);
  kiln_tensor *b = kiln_add(x, times(u, flipped(v)), 1), *inverse = kiln_inverse(b);
  kiln_tensor *eye = kiln_diagonals(kiln_full(&k, 1, 1, x->dtype, x->device), 0);
  kiln_tensor *m = kiln_sub(eye, times(flipped(v), times(inverse, u)), 1);
  kiln_tensor *flat = flipped(inverse), *through_b = kiln_mul(column(column(kiln_det(m))), flat);
  kiln_tensor *minors =
      k > 1 ? cofactors_by_minors(m) : kiln_full(m->shape, m->ndim, 1, m->dtype, m->device);
  kiln_tensor *through_m = times(times(times(flat, v), minors), times(flipped(u), flat));
  return kiln_mul(column(column(kiln_det(b))), kiln_add(through_b, through_m, 1));
}

/* The matrix of cofactors of a singular x. */
static kiln_tensor *cofactors(kiln_tensor *x) {
  kiln_tensor *usv[3];
  if (kiln_svd(x, true, usv) < 0)
    return NULL;
  kiln_tensor *sign = kiln_mul(kiln_det(usv[0]), kiln_det(usv[2]));
  kiln_tensor *middle = kiln_mul(usv[0], row(products_without(usv[1])));
  return kiln_mul(column(column(sign)), times(middle, flipped(usv[2])));
}

/* The matrix of cofactors: det inverse^T, or another way to it where det is 0. */
void kiln__grad_det(kiln_grad_call *c) {
  kiln_tensor *x = c->in[0], *d = c->out[0], *g = c->g[0];
  int zero = kiln__has_zero(d);
  if (zero < 0)
    return;
  if (!zero) {
    kiln__give(c, 0, kiln_mul(column(column(kiln_mul(g, d))), flipped(kiln_inverse(x))));
    return;
  }
  kiln__give(c, 0, kiln_mul(column(column(g)), c->create ? cofactors_recorded(x) : cofactors(x)));
}

void kiln__grad_slogdet(kiln_grad_call *c) {
  kiln__give(c, 0, kiln_mul(column(column(c->g[1])), flipped(kiln_inverse(c->in[0]))));
}

void kiln__grad_solve(kiln_grad_call *c) {
  const kiln_meta *of_a = &c->in_meta[0], *of_b = &c->in_meta[1];
  bool vector = kiln__are_vectors(of_a->ndim, of_a->shape, of_b->ndim, of_b->shape);
  kiln_tensor *g = vector ? column(c->g[0]) : c->g[0], *x = vector ? column(c->out[0]) : c->out[0];
  kiln_tensor *db = kiln_solve(flipped(c->in[0]), g);
  if (kiln__wants(c, 0))
    kiln__give(c, 0, kiln_neg(times(db, flipped(x))));
  if (kiln__wants(c, 1))
    kiln__give(c, 1, vector ? kiln_squeeze(db, (int64_t[]){-1}, 1) : db);
}

void kiln__grad_triangular_solve(kiln_grad_call *c) {
  int64_t upper = c->attr[0].i, transpose = c->attr[1].i, unit = c->attr[2].i;
  kiln_tensor *db = kiln_triangular_solve(c->g[0], c->in[1], upper, !transpose, unit);
  if (kiln__wants(c, 0))
    kiln__give(c, 0, db);
  if (!kiln__wants(c, 1))
    return;
  kiln_tensor *x = c->out[0];
  kiln_tensor *da = transpose ? times(x, flipped(db)) : times(db, flipped(x));
  kiln__give(c, 1, kiln_neg(triangle(da, upper, unit ? 1 : 0)));
}

void kiln__grad_lu_solve(kiln_grad_call *c) {
  kiln_tensor *lu = c->in[1], *pivots = c->in[2], *x = c->out[0];
  int64_t transpose = c->attr[0].i, n = rows_of(x);
  kiln_tensor *db = kiln_lu_solve(c->g[0], lu, pivots, !transpose);
  if (kiln__wants(c, 0))
    kiln__give(c, 0, db);
  if (!kiln__wants(c, 1) || !db)
    return;
  /* a = p l u: what reaches a goes on to l and u through its permuted rows. */
  kiln_tensor *da = kiln_neg(transpose ? times(x, flipped(db)) : times(db, flipped(x)));
  if (!da)
    return;
  kiln_tensor *order = kiln_expand(column(kiln_lu_permutation(pivots, n)), da->shape, da->ndim);
  kiln_tensor *permuted = kiln_gather(da, -2, order);
  int64_t ones[] = {n};
  kiln_tensor *eye = kiln_diagonals(kiln_full(ones, 1, 1, x->dtype, x->device), 0);
  kiln_tensor *l = kiln_expand(kiln_add(kiln_tril(lu, -1), eye, 1), da->shape, da->ndim);
  kiln_tensor *u = kiln_expand(kiln_triu(lu, 0), da->shape, da->ndim);
  kiln__give(
      c, 1,
      add(kiln_tril(times(permuted, flipped(u)), -1), kiln_triu(times(flipped(l), permuted), 0)));
}

/* x' = l u of the permuted rows x'.  For square ones l^-T (tril(l^T gl) + triu(gu u^T)) u^-T; what
** a wide matrix has besides acts through l, what a tall one has besides through u. */
void kiln__grad_lu_factor(kiln_grad_call *c) {
  kiln_tensor *lu = c->out[0], *g = c->g[0];
  if (!g)
    return;
  const kiln_meta *meta = &c->in_meta[0];
  kiln_tensor *zeros = kiln_full(meta->shape, meta->ndim, 0, meta->dtype, meta->device);
  int64_t m = rows_of(lu), n = cols_of(lu), k = least(m, n);
  if (k == 0) {
    kiln__give(c, 0, zeros);
    return;
  }
  int32_t last = lu->ndim - 1, rows = lu->ndim - 2;
  kiln_tensor *square = kiln_slice(kiln_slice(lu, last, 0, k - 1, 1), rows, 0, k - 1, 1);
  kiln_tensor *g_square = kiln_slice(kiln_slice(g, last, 0, k - 1, 1), rows, 0, k - 1, 1);
  int64_t ones[] = {k};
  kiln_tensor *eye = kiln_diagonals(kiln_full(ones, 1, 1, lu->dtype, lu->device), 0);
  kiln_tensor *l = kiln_add(kiln_tril(square, -1), eye, 1), *u = kiln_triu(square, 0);
  kiln_tensor *low = times(flipped(l), kiln_tril(g_square, -1));
  kiln_tensor *high = times(kiln_triu(g_square, 0), flipped(u)), *rest = NULL;
  if (n > m) {
    kiln_tensor *gu = kiln_slice(g, last, k, n - 1, 1);
    low = kiln_sub(low, times(gu, flipped(kiln_slice(lu, last, k, n - 1, 1))), 1);
    rest = kiln_triangular_solve(gu, l, false, true, true);
  } else if (m > n) {
    kiln_tensor *gl = kiln_slice(g, rows, k, m - 1, 1);
    high = kiln_sub(high, times(flipped(kiln_slice(lu, rows, k, m - 1, 1)), gl), 1);
    rest = flipped(kiln_triangular_solve(flipped(gl), u, true, false, false));
  }
  kiln_tensor *middle = kiln_add(kiln_tril(low, -1), kiln_triu(high, 0), 1);
  middle = kiln_triangular_solve(middle, l, false, true, true);
  middle = flipped(kiln_triangular_solve(flipped(middle), u, true, false, false));
  kiln_tensor *parts[] = {middle, rest};
  kiln_tensor *permuted = rest ? kiln_cat(parts, 2, n > m ? last : rows) : middle;
  kiln_tensor *order = column(kiln_lu_permutation(c->out[1], m));
  kiln__give(c, 0,
             kiln_scatter(zeros, rows, kiln_expand(order, meta->shape, meta->ndim), permuted));
}

/* Of the least squares or the shortest solution of full rank, through the normal equations. */
void kiln__grad_lstsq(kiln_grad_call *c) {
  kiln_tensor *a = c->in[0], *b = c->in[1], *x = c->out[0], *g = c->g[0];
  bool vector = kiln__are_vectors(a->ndim, a->shape, b->ndim, b->shape);
  int64_t shape[KILN_MAX_DIMS];
  int32_t n = c->out_meta[0].ndim;
  memcpy(shape, c->out_meta[0].shape, sizeof shape);
  if (vector) {
    b = column(b), x = column(x), g = column(g);
    shape[n++] = 1;
  }
  shape[n - 2] = rows_of(a);
  b = kiln_expand(b, shape, n);
  shape[n - 1] = cols_of(a);
  a = kiln_expand(a, shape, n);
  kiln_tensor *da, *db;
  if (rows_of(c->in[0]) >= cols_of(c->in[0])) {
    kiln_tensor *v = kiln_solve(times(flipped(a), a), g);
    db = times(a, v);
    kiln_tensor *residual = kiln_sub(b, times(a, x), 1);
    da = kiln_sub(times(residual, flipped(v)), times(db, flipped(x)), 1);
  } else {
    kiln_tensor *gram = times(a, flipped(a));
    kiln_tensor *w = kiln_solve(gram, b);
    db = kiln_solve(gram, times(a, g));
    kiln_tensor *rest = kiln_sub(g, times(flipped(a), db), 1);
    da = kiln_sub(times(w, flipped(rest)), times(db, flipped(x)), 1);
  }
  if (kiln__wants(c, 0))
    kiln__give(c, 0, da);
  if (kiln__wants(c, 1))
    kiln__give(c, 1, vector ? kiln_squeeze(db, (int64_t[]){-1}, 1) : db);
}
