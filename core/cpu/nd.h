/* nd.h: what the CPU's walks over strided operands add to ../strided.h: runs of elements copied
** from and to places that are not contiguous.
*/
#ifndef KILN_ND_H
#define KILN_ND_H
#include "cpu.h"

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
