/* copy.cu: moving elements: copies between any strides and types, casts, filling, and the two ops
** that autograd needs for views.  It refuses to do arithmetic, but for the sum in as_strided_add.
*/
#include "copy.h"
#include "typed.h"

/* -- Casts ----------------------------------------------------------------------------------------
 */

template <class D, class S> static __global__ void cast_kernel(const kiln_operands<2> w) {
  for (int64_t i = kiln_thread(); i < w.numel; i += kiln_stride()) {
    int64_t at[2];
    kiln_seek(w, i, at);
    const S v = *(const S *)(w.data[1] + at[1]);
    *(D *)(w.data[0] + at[0]) = kiln_to<D>::of(kiln_type<S>::load(v));
  }
}

typedef void (*walk_fn)(kiln_operands<2> w);

template <class D> static walk_fn cast_from(int32_t dtype) {
  switch (dtype) {
#define CASE(label, S)                                                                             \
  case label:                                                                                      \
    return cast_kernel<D, S>;
    KILN_ALL_TYPES(CASE)
#undef CASE
  }
  return NULL;
}

static walk_fn cast_between(int32_t to, int32_t from) {
  switch (to) {
#define CASE(label, D)                                                                             \
  case label:                                                                                      \
    return cast_from<D>(from);
    KILN_ALL_TYPES(CASE)
#undef CASE
  }
  return NULL;
}

/* -- Copies within a type -------------------------------------------------------------------------
** Types of one size are one.  E is unsigned and has that size. */

template <class E> static __global__ void copy_kernel(const kiln_operands<2> w) {
  for (int64_t i = kiln_thread(); i < w.numel; i += kiln_stride()) {
    int64_t at[2];
    kiln_seek(w, i, at);
    *(E *)(w.data[0] + at[0]) = *(const E *)(w.data[1] + at[1]);
  }
}

template <class E> static __global__ void fill_kernel(const kiln_operands<1> w, E value) {
  for (int64_t i = kiln_thread(); i < w.numel; i += kiln_stride()) {
    int64_t at[1];
    kiln_seek(w, i, at);
    *(E *)(w.data[0] + at[0]) = value;
  }
}

/* The plane of two dims, one contiguous in the destination and the other in the source, goes
** through a tile of shared memory, so that both sides are read and written in whole lines. */
enum { TILE = 32, TILE_ROWS = 8 };

typedef struct plane {
  kiln_operands<2> outer; /* the other dims */
  int64_t rows, columns;  /* rows are contiguous in the source, columns in the destination */
  int64_t dst_step, src_step;
  int64_t row_tiles, column_tiles;
} plane;

template <class E> static __global__ void transpose_kernel(const plane p) {
  KILN_SHARED(E, tile, [TILE][TILE + 1]);
  const int x = threadIdx.x, y = threadIdx.y;
  const int64_t tiles = p.row_tiles * p.column_tiles;
  for (int64_t t = blockIdx.x; t < p.outer.numel * tiles; t += gridDim.x) {
    int64_t at[2];
    kiln_seek(p.outer, t / tiles, at);
    const char *src = p.outer.data[1] + at[1];
    char *dst = p.outer.data[0] + at[0];
    const int64_t row = t % tiles / p.column_tiles * TILE, column = t % p.column_tiles * TILE;
    for (int j = y; j < TILE; j += TILE_ROWS) {
      if (row + x < p.rows && column + j < p.columns)
        tile[j][x] = ((const E *)(src + (column + j) * p.src_step))[row + x];
    }
    __syncthreads();
    for (int j = y; j < TILE; j += TILE_ROWS) {
      if (row + j < p.rows && column + x < p.columns)
        ((E *)(dst + (row + j) * p.dst_step))[column + x] = tile[x][j];
    }
    __syncthreads();
  }
}

/* The dim that is contiguous in the source while the last one is in the destination, or -1. */
static int32_t plane_of(const kiln_nd *it, int64_t size) {
  int32_t last = it->ndim - 1;
  if (it->stride[0][last] != size || it->stride[1][last] == size || it->stride[1][last] == 0 ||
      it->shape[last] < TILE_ROWS) {
    return -1;
  }
  for (int32_t d = 0; d < last; d++) {
    if (it->stride[1][d] == size && it->shape[d] >= TILE_ROWS)
      return d;
  }
  return -1;
}

template <class E> static void transpose(const kiln_nd *it, int32_t dim, cudaStream_t stream) {
  const int32_t last = it->ndim - 1;
  kiln_nd rest = *it;
  plane p;
  p.rows = it->shape[dim];
  p.columns = it->shape[last];
  p.dst_step = it->stride[0][dim];
  p.src_step = it->stride[1][last];
  p.row_tiles = (p.rows + TILE - 1) / TILE;
  p.column_tiles = (p.columns + TILE - 1) / TILE;
  rest.ndim = last;
  rest.shape[dim] = 1;
  rest.numel = it->numel / (p.rows * p.columns);
  p.outer = kiln_operands_of<2>(&rest);
  const int64_t tiles = rest.numel * p.row_tiles * p.column_tiles;
  KILN_LAUNCH(transpose_kernel<E>, (unsigned)(tiles < 65536 ? tiles : 65536), dim3(TILE, TILE_ROWS),
              0, stream, p);
}

template <class E> static void copy_elements(const kiln_nd *it, cudaStream_t stream) {
  const int64_t size = sizeof(E);
  const int32_t dim = plane_of(it, size);
  if (kiln__nd_is_linear(it, 0, size) && kiln__nd_is_linear(it, 1, size))
    cudaMemcpyAsync(it->data[0], it->data[1], (size_t)(it->numel * size), cudaMemcpyDeviceToDevice,
                    stream);
  else if (dim >= 0)
    transpose<E>(it, dim, stream);
  else
    KILN_LAUNCH(copy_kernel<E>, kiln_grid(it->numel), KILN_BLOCK, 0, stream,
                kiln_operands_of<2>(it));
}

template <class E>
static void fill_elements(const kiln_nd *it, const void *value, cudaStream_t stream) {
  E v;
  memcpy(&v, value, sizeof v);
  KILN_LAUNCH(fill_kernel<E>, kiln_grid(it->numel), KILN_BLOCK, 0, stream, kiln_operands_of<1>(it),
              v);
}

/* f<E>(...) for the unsigned type of `size` bytes. */
#define BY_SIZE(size, f, ...)                                                                      \
  ((size) == 1   ? f<uint8_t>(__VA_ARGS__)                                                         \
   : (size) == 2 ? f<uint16_t>(__VA_ARGS__)                                                        \
   : (size) == 4 ? f<uint32_t>(__VA_ARGS__)                                                        \
                 : f<uint64_t>(__VA_ARGS__))

int32_t kiln__cuda_write(const kiln_tensor *dst, const kiln_tensor *src) {
  kiln_nd it = {};
  if (dst->numel == 0)
    return KILN_OK;
  cudaStream_t stream = (cudaStream_t)kiln__cuda_stream(dst->device);
  const int64_t size = kiln__size_of(dst->dtype);
  kiln__nd_add(&it, dst);
  if (src->device == 0) {
    uint64_t value = 0;
    kiln_convert(&value, dst->dtype, kiln__data(src), src->dtype, 1);
    kiln__nd_simplify(&it);
    BY_SIZE(size, fill_elements, &it, &value, stream);
    return kiln__cuda_launched("copy");
  }
  kiln__nd_add(&it, src);
  kiln__nd_simplify(&it);
  if (dst->dtype == src->dtype)
    BY_SIZE(size, copy_elements, &it, stream);
  else
    KILN_LAUNCH(cast_between(dst->dtype, src->dtype), kiln_grid(it.numel), KILN_BLOCK, 0, stream,
                kiln_operands_of<2>(&it));
  return kiln__cuda_launched("copy");
}

/* -- Ops ------------------------------------------------------------------------------------------
 */

static int32_t clone(const kiln_call *c) { return kiln__cuda_write(c->out[0], c->in[0]); }

/* copy(x, src) and fill(x, value). */
static int32_t copy(const kiln_call *c) { return kiln__cuda_write(c->out[0], c->in[1]); }

/* Elements that a storage of this geometry spans. */
static int64_t extent_of(const kiln_list *size, const kiln_list *stride) {
  int64_t extent = 1;
  for (int32_t d = 0; d < size->n; d++)
    extent += (size->v[d] - 1) * stride->v[d];
  return extent;
}

/* slice_set(base, value, size, stride, base_size, base_stride, offset).  Where the base did not lie
** row-major in its storage, that storage is rebuilt, written and read back. */
static int32_t slice_set(const kiln_call *c) {
  const kiln_tensor *out = c->out[0];
  const kiln_list *size = &c->list[0], *stride = &c->list[1];
  const kiln_list *base_size = &c->list[2], *base_stride = &c->list[3];
  int32_t status;
  if (out->numel == 0)
    return KILN_OK;
  if (kiln__is_row_major(base_size, base_stride)) {
    kiln_tensor region = kiln__region_of(out, size, stride, out->offset + c->attr[0].i);
    status = kiln__cuda_write(out, c->in[0]);
    return status < 0 ? status : kiln__cuda_write(&region, c->in[1]);
  }
  kiln_storage rebuilt = {};
  rebuilt.device = out->device;
  rebuilt.bytes = extent_of(base_size, base_stride) * kiln__size_of(out->dtype);
  rebuilt.data = (char *)kiln__scratch(out->device, rebuilt.bytes);
  if (!rebuilt.data)
    return KILN_ENOMEM;
  kiln_tensor base = *out;
  base.storage = &rebuilt;
  base = kiln__region_of(&base, base_size, base_stride, 0);
  kiln_tensor region = kiln__region_of(&base, size, stride, c->attr[0].i);
  status = kiln__cuda_write(&base, c->in[0]);
  if (status == KILN_OK)
    status = kiln__cuda_write(&region, c->in[1]);
  if (status == KILN_OK)
    status = kiln__cuda_write(out, &base);
  kiln__scratch_free(out->device, rebuilt.data, rebuilt.bytes);
  return status;
}

/* x += y, y once for each element of `repeats` (dims along which x stays where it is). */
template <class T>
static __global__ void add_kernel(const kiln_operands<2> w, const kiln_operands<1> repeats) {
  typedef kiln_type<T> type;
  for (int64_t i = kiln_thread(); i < w.numel; i += kiln_stride()) {
    int64_t at[2], step[1];
    kiln_seek(w, i, at);
    T *to = (T *)(w.data[0] + at[0]);
    T sum = *to;
    for (int64_t r = 0; r < repeats.numel; r++) {
      kiln_seek(repeats, r, step);
      const T v = *(const T *)(w.data[1] + at[1] + step[0]);
      sum = type::store((typename type::V)(type::load(sum) + type::load(v)));
    }
    *to = sum;
  }
}

/* How the dims of a view that repeats elements are walked. */
typedef enum dim_role { TOGETHER, IN_ORDER, IN_PLACE } dim_role;

/* Largest dims first, as many as reach distinct elements go together; dims that do not move go to
** the thread; the others get a launch a position. */
static void assign_roles(const kiln_tensor *region, dim_role *role) {
  kiln_tensor together = *region;
  bool done[KILN_MAX_DIMS] = {false};
  together.ndim = 0;
  for (int32_t round = 0; round < region->ndim; round++) {
    int32_t d = -1;
    for (int32_t e = 0; e < region->ndim; e++) {
      if (!done[e] && (d < 0 || region->shape[e] > region->shape[d]))
        d = e;
    }
    done[d] = true;
    role[d] = region->stride[d] == 0 ? IN_PLACE : IN_ORDER;
    if (role[d] == IN_PLACE)
      continue;
    together.shape[together.ndim] = region->shape[d];
    together.stride[together.ndim++] = region->stride[d];
    if (kiln__may_overlap(&together))
      together.ndim--;
    else
      role[d] = TOGETHER;
  }
}

/* x with the dims of one role. */
static kiln_tensor dims_of(const kiln_tensor *x, const dim_role *role, dim_role wanted) {
  kiln_tensor y = *x;
  y.ndim = 0;
  y.numel = 1;
  for (int32_t d = 0; d < x->ndim; d++) {
    if (role[d] != wanted)
      continue;
    y.shape[y.ndim] = x->shape[d];
    y.stride[y.ndim++] = x->stride[d];
    y.numel *= x->shape[d];
  }
  return y;
}

static kiln_nd walk_of(const kiln_tensor *x, const kiln_tensor *y) {
  kiln_nd it = {};
  kiln__nd_add(&it, x);
  if (y)
    kiln__nd_add(&it, y);
  kiln__nd_simplify(&it);
  return it;
}

template <class T> static int32_t add_at(const kiln_tensor *region, const kiln_tensor *g) {
  dim_role role[KILN_MAX_DIMS];
  assign_roles(region, role);
  const kiln_tensor to = dims_of(region, role, TOGETHER), from = dims_of(g, role, TOGETHER);
  const kiln_tensor still = dims_of(g, role, IN_PLACE);
  const kiln_tensor to_order = dims_of(region, role, IN_ORDER);
  const kiln_tensor from_order = dims_of(g, role, IN_ORDER);
  const kiln_nd together = walk_of(&to, &from), repeats = walk_of(&still, NULL);
  const kiln_nd order = walk_of(&to_order, &from_order);
  const kiln_operands<1> again = kiln_operands_of<1>(&repeats);
  int32_t status = KILN_OK;
  for (int64_t i = 0; i < order.numel && status == KILN_OK; i++) {
    int64_t at[KILN_MAX_DIMS];
    kiln_operands<2> w = kiln_operands_of<2>(&together);
    kiln__nd_seek(&order, i, at);
    for (int k = 0; k < 2; k++)
      w.data[k] = kiln__nd_at(&order, k, at);
    KILN_LAUNCH(add_kernel<T>, kiln_grid(w.numel), KILN_BLOCK, 0, kiln__cuda_stream(region->device),
                w, again);
    status = kiln__cuda_launched("as_strided_add");
  }
  return status;
}

/* Zeros, then g added at the places of a view, in the same order every time. */
static int32_t as_strided_add(const kiln_call *c) {
  const kiln_tensor *g = c->in[0], *out = c->out[0];
  if (out->numel == 0)
    return KILN_OK;
  const int64_t bytes = out->numel * kiln__size_of(out->dtype);
  cudaMemsetAsync(kiln__data(out), 0, (size_t)bytes, (cudaStream_t)kiln__cuda_stream(out->device));
  kiln_tensor region = kiln__region_of(out, &c->list[1], &c->list[2], out->offset + c->attr[0].i);
  if (region.numel == 0)
    return kiln__cuda_launched("as_strided_add");
  if (!kiln__may_overlap(&region))
    return kiln__cuda_write(&region, g);
  switch (out->dtype) {
#define CASE(label, T)                                                                             \
  case label:                                                                                      \
    return add_at<T>(&region, g);
    KILN_ALL_TYPES(CASE)
#undef CASE
  }
  return KILN_OK;
}

const kiln_entry kiln__cuda_copy[] = {
    {KILN_OP_CLONE, KILN_D_ALL, 0, clone},
    {KILN_OP_CAST, KILN_D_ALL, 0, clone},
    {KILN_OP_COPY, KILN_D_ALL, KILN_K_STRIDED_OUT, copy},
    {KILN_OP_FILL, KILN_D_ALL, KILN_K_STRIDED_OUT, copy},
    {KILN_OP_SLICE_SET, KILN_D_ALL, 0, slice_set},
    {KILN_OP_AS_STRIDED_ADD, KILN_D_ALL, 0, as_strided_add},
};
const int32_t kiln__cuda_copy_n = sizeof kiln__cuda_copy / sizeof *kiln__cuda_copy;
