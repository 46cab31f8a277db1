/* index_masks.h: the part of index.cu that chooses by mask: where, masked_select, masked_scatter,
** nonzero.  Included once, after what index.cu shares.
*/
#ifndef KILN_CUDA_INDEX_MASKS_H
#define KILN_CUDA_INDEX_MASKS_H

/* -- where ---------------------------------------------------------------------------------------
 */

typedef struct three_walks {
  kiln_walk condition, x, y;
} three_walks;

template <typename B>
static __global__ void where_kernel(three_walks w, const bool *condition, const B *x, const B *y,
                                    B *out, int64_t n) {
  KILN_EACH(i, n) {
    out[i] = condition[kiln__walk(w.condition, i)] ? x[kiln__walk(w.x, i)] : y[kiln__walk(w.y, i)];
  }
}

static int32_t where(const kiln_call *c) {
  kiln_job j = begin(c, "where");
  const kiln_tensor *out = c->out[0];
  three_walks w = {kiln__walk_over(in(c, 0), out->shape, out->ndim),
                   kiln__walk_over(in(c, 1), out->shape, out->ndim),
                   kiln__walk_over(in(c, 2), out->shape, out->ndim)};
  KILN_BY_SIZE(kiln__bytes_of(out->dtype),
               KILN_RUN(&j, where_kernel<type>, out->numel, w, (const bool *)kiln__data(in(c, 0)),
                        (const type *)kiln__data(in(c, 1)), (const type *)kiln__data(in(c, 2)),
                        (type *)kiln__data(out), out->numel));
  return kiln__job_end(&j);
}

/* -- By rank: how many elements before each are chosen --------------------------------------------
 */

static __global__ void mark_mask(kiln_walk w, const bool *mask, int64_t *rank, int64_t n) {
  KILN_EACH(i, n) { rank[i] = mask[kiln__walk(w, i)]; }
}

static int64_t *mask_ranks(kiln_job *j, kiln_walk w, const kiln_tensor *mask, int64_t n) {
  int64_t *rank = (int64_t *)kiln__job_take(j, n * 8);
  KILN_RUN(j, mark_mask, n, w, (const bool *)kiln__data(mask), rank, n);
  kiln__cuda_running_sums(j, rank, n);
  return rank;
}

template <typename B>
static __global__ void select_masked(kiln_walk at_mask, kiln_walk at_x, const bool *mask,
                                     const int64_t *rank, const B *x, B *y, int64_t n) {
  KILN_EACH(i, n) {
    if (mask[kiln__walk(at_mask, i)])
      y[rank[i]] = x[kiln__walk(at_x, i)];
  }
}

static int32_t masked_select(const kiln_call *c) {
  kiln_job j = begin(c, "masked_select");
  const kiln_tensor *x = in(c, 0), *mask = in(c, 1);
  kiln_walk joint = {};
  int64_t n = 1;
  if (c->out[0]->numel == 0)
    return KILN_OK;
  join_shapes(&joint, x);
  join_shapes(&joint, mask);
  for (int32_t d = 0; d < joint.ndim; d++)
    n *= joint.shape[d];
  kiln_walk at_mask = kiln__walk_over(mask, joint.shape, joint.ndim);
  kiln_walk at_x = kiln__walk_over(x, joint.shape, joint.ndim);
  int64_t *rank = mask_ranks(&j, at_mask, mask, n);
  KILN_BY_SIZE(kiln__bytes_of(x->dtype),
               KILN_RUN(&j, select_masked<type>, n, at_mask, at_x, (const bool *)kiln__data(mask),
                        rank, (const type *)kiln__data(x), (type *)kiln__data(c->out[0]), n));
  return kiln__job_end(&j);
}

template <typename B>
static __global__ void scatter_masked(kiln_walk at_mask, kiln_walk at_x, const bool *mask,
                                      const int64_t *rank, const B *x, const B *src, B *y,
                                      int64_t n) {
  KILN_EACH(i, n) { y[i] = mask[kiln__walk(at_mask, i)] ? src[rank[i]] : x[kiln__walk(at_x, i)]; }
}

/* x and mask broadcast to the output; src is read in order. */
static int32_t masked_scatter(const kiln_call *c) {
  kiln_job j = begin(c, "masked_scatter");
  const kiln_tensor *x = in(c, 0), *mask = in(c, 1), *y = c->out[0];
  kiln_walk at_mask = kiln__walk_over(mask, y->shape, y->ndim);
  kiln_walk at_x = kiln__walk_over(x, y->shape, y->ndim);
  int64_t *rank = mask_ranks(&j, at_mask, mask, y->numel);
  KILN_BY_SIZE(kiln__bytes_of(y->dtype),
               KILN_RUN(&j, scatter_masked<type>, y->numel, at_mask, at_x,
                        (const bool *)kiln__data(mask), rank, (const type *)kiln__data(x),
                        (const type *)kiln__data(in(c, 2)), (type *)kiln__data(y), y->numel));
  return kiln__job_end(&j);
}

static __global__ void mark_nonzero(const void *x, int32_t dtype, int64_t *rank, int64_t n) {
  KILN_EACH(i, n) { rank[i] = kiln__element(x, dtype, i) != 0; }
}

/* out [count, ndim]; shape: of x. */
static __global__ void write_coordinates(const void *x, int32_t dtype, kiln_walk shape,
                                         const int64_t *rank, int64_t count, int64_t *out,
                                         int64_t n) {
  KILN_EACH(i, n) {
    if (kiln__element(x, dtype, i) == 0 || rank[i] >= count)
      continue;
    int64_t rest = i;
    for (int32_t d = shape.ndim - 1; d >= 0; d--) {
      out[rank[i] * shape.ndim + d] = rest % shape.shape[d] + KILN_INDEX_BASE;
      rest /= shape.shape[d];
    }
  }
}

static int32_t nonzero(const kiln_call *c) {
  kiln_job j = begin(c, "nonzero");
  const kiln_tensor *x = in(c, 0), *y = c->out[0];
  kiln_walk shape = {};
  const void *data = kiln__data(x);
  if (y->numel == 0)
    return KILN_OK;
  shape.ndim = x->ndim;
  memcpy(shape.shape, x->shape, sizeof shape.shape);
  int64_t *rank = (int64_t *)kiln__job_take(&j, x->numel * 8);
  KILN_RUN(&j, mark_nonzero, x->numel, data, x->dtype, rank, x->numel);
  kiln__cuda_running_sums(&j, rank, x->numel);
  KILN_RUN(&j, write_coordinates, x->numel, data, x->dtype, shape, rank, y->shape[0],
           (int64_t *)kiln__data(y), x->numel);
  return kiln__job_end(&j);
}

#endif
