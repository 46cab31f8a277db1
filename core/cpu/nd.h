/* nd.h: walks several tensors of any strides together: dims sorted by the first operand's strides,
** neighbours that step alike merged, so that what can be one long loop is one.
** Operand 0 is what is written; the others are broadcast to it.  It refuses to know types: strides
** count bytes.
*/
#ifndef KILN_ND_H
#define KILN_ND_H
#include "cpu.h"

enum { KILN_ND_OPERANDS = 6 };

typedef struct kiln_nd {
  int32_t ndim, operands; /* ndim >= 1 */
  int64_t numel;
  int64_t shape[KILN_MAX_DIMS]; /* innermost last */
  int64_t stride[KILN_ND_OPERANDS][KILN_MAX_DIMS];
  char *data[KILN_ND_OPERANDS];
} kiln_nd;

/* Adds x; the first call decides the shape, later ones broadcast to it. */
static inline void kiln__nd_add(kiln_nd *it, const kiln_tensor *x) {
  int64_t size = kiln__size_of(x->dtype);
  if (it->operands == 0) {
    it->ndim = x->ndim;
    it->numel = x->numel;
    memcpy(it->shape, x->shape, sizeof it->shape);
  }
  int64_t *stride = it->stride[it->operands];
  int32_t lead = it->ndim - x->ndim;
  for (int32_t d = 0; d < it->ndim; d++) {
    int32_t k = d - lead;
    stride[d] = k < 0 || (x->shape[k] == 1 && it->shape[d] != 1) ? 0 : x->stride[k] * size;
  }
  it->data[it->operands++] = kiln__data(x);
}

static inline void kiln__nd_move(kiln_nd *it, int32_t from, int32_t to) {
  it->shape[to] = it->shape[from];
  for (int32_t k = 0; k < it->operands; k++)
    it->stride[k][to] = it->stride[k][from];
}

static inline bool kiln__nd_merges(const kiln_nd *it, int32_t outer, int32_t inner) {
  for (int32_t k = 0; k < it->operands; k++) {
    if (it->stride[k][outer] != it->stride[k][inner] * it->shape[inner])
      return false;
  }
  return true;
}

/* Drops dims of size 1, sorts by operand 0's strides, merges. */
static inline void kiln__nd_simplify(kiln_nd *it) {
  int32_t n = 0;
  for (int32_t d = 0; d < it->ndim; d++) {
    if (it->shape[d] == 1)
      continue;
    kiln__nd_move(it, d, n++);
  }
  for (int32_t i = 1; i < n; i++) {
    for (int32_t j = i; j > 0; j--) {
      int64_t a = it->stride[0][j - 1], b = it->stride[0][j];
      if ((a < 0 ? -a : a) >= (b < 0 ? -b : b))
        break;
      int64_t shape = it->shape[j];
      it->shape[j] = it->shape[j - 1];
      it->shape[j - 1] = shape;
      for (int32_t k = 0; k < it->operands; k++) {
        int64_t s = it->stride[k][j];
        it->stride[k][j] = it->stride[k][j - 1];
        it->stride[k][j - 1] = s;
      }
    }
  }
  int32_t last = 0;
  for (int32_t d = 1; d < n; d++) {
    if (kiln__nd_merges(it, last, d)) {
      int64_t merged = it->shape[last] * it->shape[d];
      kiln__nd_move(it, d, last);
      it->shape[last] = merged;
    } else {
      kiln__nd_move(it, d, ++last);
    }
  }
  it->ndim = last + 1;
  if (n == 0) {
    it->shape[0] = 1;
    for (int32_t k = 0; k < it->operands; k++)
      it->stride[k][0] = 0;
  }
}

/* Coordinates of the index-th position in walking order. */
static inline void kiln__nd_seek(const kiln_nd *it, int64_t index, int64_t *at) {
  for (int32_t d = it->ndim - 1; d > 0; d--) {
    at[d] = index % it->shape[d];
    index /= it->shape[d];
  }
  at[0] = index;
}

static inline char *kiln__nd_at(const kiln_nd *it, int32_t operand, const int64_t *at) {
  char *p = it->data[operand];
  for (int32_t d = 0; d < it->ndim; d++)
    p += at[d] * it->stride[operand][d];
  return p;
}

/* Moves to the next row (innermost coordinate 0). */
static inline void kiln__nd_next_row(const kiln_nd *it, int64_t *at) {
  at[it->ndim - 1] = 0;
  for (int32_t d = it->ndim - 2; d >= 0; d--) {
    if (++at[d] < it->shape[d] || d == 0)
      break;
    at[d] = 0;
  }
}

/* True when the operand's elements lie one after the other in walking order. */
static inline bool kiln__nd_is_linear(const kiln_nd *it, int32_t operand, int64_t size) {
  for (int32_t d = it->ndim - 1; d >= 0; d--) {
    if (it->stride[operand][d] != size && it->shape[d] != 1)
      return false;
    size *= it->shape[d];
  }
  return true;
}

/* -- Strided runs of elements of 1, 2, 4 or 8 bytes -------------------------------------------- */

typedef uint8_t __attribute__((may_alias)) kiln_bits8;
typedef uint16_t __attribute__((may_alias)) kiln_bits16;
typedef uint32_t __attribute__((may_alias)) kiln_bits32;
typedef uint64_t __attribute__((may_alias)) kiln_bits64;

static inline void kiln__run_copy(char *dst, int64_t dst_stride, const char *src,
                                  int64_t src_stride, int64_t n, int64_t size) {
#define KILN_RUN(type)                                                                             \
  case sizeof(type):                                                                               \
    if (src_stride == 0) {                                                                         \
      type v = *(const type *)src;                                                                 \
      if (dst_stride == (int64_t)sizeof(type)) {                                                   \
        for (int64_t i = 0; i < n; i++)                                                            \
          ((type *)dst)[i] = v;                                                                    \
      } else {                                                                                     \
        for (int64_t i = 0; i < n; i++)                                                            \
          *(type *)(dst + i * dst_stride) = v;                                                     \
      }                                                                                            \
    } else if (dst_stride == (int64_t)sizeof(type)) {                                              \
      for (int64_t i = 0; i < n; i++)                                                              \
        ((type *)dst)[i] = *(const type *)(src + i * src_stride);                                  \
    } else {                                                                                       \
      for (int64_t i = 0; i < n; i++) {                                                            \
        *(type *)(dst + i * dst_stride) = *(const type *)(src + i * src_stride);                   \
      }                                                                                            \
    }                                                                                              \
    break;
  if (src_stride == size && dst_stride == size) {
    memmove(dst, src, (size_t)(n * size));
    return;
  }
  switch (size) {
    KILN_RUN(kiln_bits8)
    KILN_RUN(kiln_bits16)
    KILN_RUN(kiln_bits32)
    KILN_RUN(kiln_bits64)
  default:
    break;
  }
#undef KILN_RUN
}

/* Copies n elements of an operand, from the index-th on in walking order, to a buffer. */
static inline void kiln__nd_gather(const kiln_nd *it, int32_t operand, int64_t index, int64_t n,
                                   char *buffer, int64_t size) {
  enum { SHORT = 16 }; /* rows for which choosing a loop costs more than running it */
  const int32_t last = it->ndim - 1;
  const int64_t inner = it->shape[last], step = it->stride[operand][last];
  int64_t at[KILN_MAX_DIMS];
  kiln__nd_seek(it, index, at);
  while (n > 0) {
    int64_t m = inner - at[last];
    if (m > n)
      m = n;
    const char *src = kiln__nd_at(it, operand, at);
    /* rows that follow in the next dim out come without looking up their place again */
    int64_t rows = 1, row_step = 0;
    if (inner < SHORT && last > 0 && at[last] == 0) {
      row_step = it->stride[operand][last - 1];
      rows = it->shape[last - 1] - at[last - 1];
      if (rows > n / inner)
        rows = n / inner;
      if (rows < 1)
        rows = 1;
    }
#define KILN_ROWS(type)                                                                            \
  case sizeof(type):                                                                               \
    for (int64_t r = 0; r < rows; r++, src += row_step, buffer += m * (int64_t)sizeof(type)) {     \
      for (int64_t i = 0; i < m; i++)                                                              \
        ((type *)buffer)[i] = *(const type *)(src + i * step);                                     \
    }                                                                                              \
    break;
    if (inner >= SHORT) {
      kiln__run_copy(buffer, size, src, step, m, size);
      buffer += m * size;
    } else {
      switch (size) {
        KILN_ROWS(kiln_bits8)
        KILN_ROWS(kiln_bits16)
        KILN_ROWS(kiln_bits32)
        KILN_ROWS(kiln_bits64)
      default:
        break;
      }
    }
#undef KILN_ROWS
    n -= m * rows;
    if (last > 0)
      at[last - 1] += rows - 1;
    kiln__nd_next_row(it, at);
  }
}

/* The reverse: writes a buffer to the places of an operand. */
static inline void kiln__nd_scatter(const kiln_nd *it, int32_t operand, int64_t index, int64_t n,
                                    const char *buffer, int64_t size) {
  int64_t at[KILN_MAX_DIMS], inner = it->shape[it->ndim - 1];
  int64_t step = it->stride[operand][it->ndim - 1];
  kiln__nd_seek(it, index, at);
  while (n > 0) {
    int64_t m = inner - at[it->ndim - 1];
    if (m > n)
      m = n;
    kiln__run_copy(kiln__nd_at(it, operand, at), step, buffer, size, m, size);
    buffer += m * size;
    n -= m;
    kiln__nd_next_row(it, at);
  }
}

#endif
