/* rows.c: row-sparse gradients.  Of a tensor [n, ...], the rows at some positions; all others are
** zero.  What the gradient of a look-up is (embedding with `sparse`), so that a step costs what was
** looked up and not the whole table.
**
** Positions are distinct and in order, always.  A row-sparse tensor is flagged KILN_T_ROWS, keeps
** its positions in `base` and its values in `grad`, and stands on one NaN expanded over its shape,
** so that nothing reads outside memory through it.  It refuses to be an operand: kiln_apply says
** so, and kiln_rows_dense() makes an ordinary tensor of it.
*/
#include "internal.h"

#include <math.h>

static kiln_tensor *positions(const kiln_tensor *x) { return x->base; }
static kiln_tensor *values(const kiln_tensor *x) { return x->grad; }

/* [n, rest of shape] */
static kiln_tensor *as_rows(kiln_tensor *x, int64_t n, const int64_t *shape, int32_t ndim) {
  int64_t size[KILN_MAX_DIMS];
  memcpy(size, shape, (size_t)ndim * sizeof *size);
  size[0] = n;
  return kiln_view(kiln_clone(x), size, ndim);
}

/* A row-sparse tensor of positions [k] and values [k, ...] that are as they must be. */
static kiln_tensor *assemble(kiln_tensor *index, kiln_tensor *rows, const int64_t *shape,
                             int32_t ndim) {
  int64_t stride[KILN_MAX_DIMS] = {0};
  kiln_tensor *cell = kiln_full(NULL, 0, (double)NAN, rows->dtype, rows->device);
  if (!cell)
    return NULL;
  kiln_tensor *x =
      kiln_tensor_from_storage(kiln_peek_storage(cell), rows->dtype, 0, shape, stride, ndim);
  if (!x)
    return NULL;
  x->flags |= KILN_T_ROWS;
  x->base = kiln_tensor_retain(index);
  x->generation = index->generation;
  x->grad = kiln_tensor_retain(rows);
  return x;
}

/* Sorts positions and adds up the rows of equal ones. */
static kiln_tensor *coalesce(kiln_tensor *index, kiln_tensor *rows, const int64_t *shape,
                             int32_t ndim) {
  int64_t m = index->numel, one = 1;
  if (m < 2)
    return assemble(index, rows, shape, ndim);
  kiln_tensor *sorted[2];
  if (kiln_sort(index, 0, false, true, sorted) < 0)
    return NULL;
  kiln_tensor *other =
      kiln_ne(kiln_slice(sorted[0], 0, 1, m - 1, 1), kiln_slice(sorted[0], 0, 0, m - 2, 1));
  kiln_tensor *parts[] = {kiln_full(&one, 1, 1, KILN_BOOL, index->device), other};
  kiln_tensor *starts = kiln_cat(parts, 2, 0); /* of a run of equal positions */
  kiln_tensor *run = kiln_cumsum(kiln_cast(starts, KILN_INT64), 0, false);
  kiln_tensor *distinct = kiln_masked_select(sorted[0], starts);
  if (!run || !distinct)
    return NULL;
  int64_t size[KILN_MAX_DIMS];
  memcpy(size, shape, (size_t)ndim * sizeof *size);
  size[0] = distinct->numel;
  kiln_tensor *sums = kiln_index_add(kiln_full(size, ndim, 0, rows->dtype, rows->device), 0, run,
                                     kiln_index_select(rows, 0, sorted[1]), 1);
  return sums ? assemble(distinct, sums, shape, ndim) : NULL;
}

kiln_tensor *kiln__rows_new(kiln_tensor *index, kiln_tensor *rows, int64_t skip,
                            const kiln_meta *m) {
  int64_t n = index->numel;
  index = kiln_view(kiln_clone(index), &n, 1);
  rows = as_rows(rows, n, m->shape, m->ndim);
  if (skip != KILN_NONE) {
    kiln_tensor *kept = kiln_nonzero(kiln_ne(index, kiln_number_int(skip + KILN_INDEX_BASE)));
    if (!kept)
      return NULL;
    n = kept->shape[0];
    kept = kiln_view(kept, &n, 1);
    index = kiln_index_select(index, 0, kept);
    rows = kiln_index_select(rows, 0, kept);
  }
  return index && rows ? coalesce(index, rows, m->shape, m->ndim) : NULL;
}

kiln_tensor *kiln__rows_add(kiln_tensor *a, kiln_tensor *b) {
  if (!kiln__is_rows(a)) {
    kiln_tensor *swap = a;
    a = b;
    b = swap;
  }
  kiln_pool pool;
  kiln_tensor *sum = NULL;
  kiln__pool_open(&pool);
  if (kiln__is_rows(b)) {
    kiln_tensor *index[] = {positions(a), positions(b)}, *rows[] = {values(a), values(b)};
    kiln_tensor *all = kiln_cat(index, 2, 0), *all_rows = kiln_cat(rows, 2, 0);
    sum = all && all_rows ? coalesce(all, all_rows, a->shape, a->ndim) : NULL;
  } else {
    sum = kiln_index_add(b, 0, positions(a), values(a), 1);
    if (sum)
      kiln_tensor_retain(sum);
  }
  kiln__pool_close(&pool);
  return sum;
}

/* -- What Lua asks ------------------------------------------------------------------------- */

bool kiln_is_rows(const kiln_tensor *x) { return kiln__is_rows(x); }

static bool check(const kiln_tensor *x, const char *what) {
  if (x && !kiln__is_rows(x))
    kiln_fail(KILN_EARG, "%s: the tensor is not row-sparse", what);
  return x && kiln__is_rows(x);
}

kiln_tensor *kiln_rows_index(kiln_tensor *x) {
  return check(x, "indices") ? kiln_tensor_retain(positions(x)) : NULL;
}

kiln_tensor *kiln_rows_values(kiln_tensor *x) {
  return check(x, "values") ? kiln_tensor_retain(values(x)) : NULL;
}

kiln_tensor *kiln_rows_dense(kiln_tensor *x) {
  if (!check(x, "to_dense"))
    return NULL;
  kiln_pool pool;
  kiln__pool_open(&pool);
  kiln_tensor *zeros = kiln_full(x->shape, x->ndim, 0, x->dtype, x->device);
  kiln_tensor *y = kiln_index_add(zeros, 0, positions(x), values(x), 1);
  if (y)
    kiln_tensor_retain(y);
  kiln__pool_close(&pool);
  return y;
}
