/* operands.h: tensors of any strides as kernels see them: by value, dims sorted and merged
** (../core/strided.h), places found by multiplying instead of dividing.  It refuses to know types:
** strides count bytes.
*/
#ifndef KILN_CUDA_OPERANDS_H
#define KILN_CUDA_OPERANDS_H
#include "../core/strided.h"
#include "kernel.h"

/* Up to so many elements, positions are divided in 32 bits. */
#ifndef KILN_NARROW_NUMEL
#define KILN_NARROW_NUMEL (1 << 30)
#endif

/* Division by a number of 1..2^31 as a product and a shift. */
typedef struct kiln_divisor {
  uint32_t by, magic, shift;
} kiln_divisor;

static inline kiln_divisor kiln_divisor_of(int64_t by) {
  kiln_divisor d = {(uint32_t)by, 0, 0};
  while ((uint64_t)1 << d.shift < (uint64_t)by)
    d.shift++;
  uint64_t excess = ((uint64_t)1 << d.shift) - (uint64_t)by;
  d.magic = (uint32_t)((excess << 32) / (uint64_t)by + 1);
  return d;
}

/* n / d.by for n < 2^31. */
static __device__ __forceinline__ uint32_t kiln_divide(uint32_t n, const kiln_divisor &d) {
  return ((uint32_t)(((uint64_t)n * d.magic) >> 32) + n) >> d.shift;
}

/* N operands walked together. */
template <int N> struct kiln_operands {
  int32_t ndim;
  bool narrow;
  int64_t numel;
  kiln_divisor divisor[KILN_MAX_DIMS];
  int64_t shape[KILN_MAX_DIMS], stride[N][KILN_MAX_DIMS];
  char *data[N];
};

template <int N> static inline kiln_operands<N> kiln_operands_of(const kiln_nd *it) {
  kiln_operands<N> w = {};
  w.ndim = it->ndim;
  w.numel = it->numel;
  w.narrow = it->numel <= KILN_NARROW_NUMEL;
  for (int32_t d = 0; d < it->ndim; d++) {
    w.shape[d] = it->shape[d];
    if (w.narrow && it->shape[d] > 0)
      w.divisor[d] = kiln_divisor_of(it->shape[d]);
    for (int k = 0; k < N; k++)
      w.stride[k][d] = it->stride[k][d];
  }
  for (int k = 0; k < N; k++)
    w.data[k] = it->data[k];
  return w;
}

/* at[k]: bytes from the start of operand k to the index-th element in walking order. */
template <int N>
static __device__ __forceinline__ void kiln_seek(const kiln_operands<N> &w, int64_t index,
                                                 int64_t (&at)[N]) {
  for (int k = 0; k < N; k++)
    at[k] = 0;
  for (int d = w.ndim - 1; d > 0; d--) {
    int64_t q;
    if (w.narrow)
      q = kiln_divide((uint32_t)index, w.divisor[d]);
    else
      q = index / w.shape[d];
    const int64_t r = index - q * w.shape[d];
    for (int k = 0; k < N; k++)
      at[k] += r * w.stride[k][d];
    index = q;
  }
  for (int k = 0; k < N; k++)
    at[k] += index * w.stride[k][0];
}

#endif
