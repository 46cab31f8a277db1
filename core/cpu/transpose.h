/* transpose.h: blocks of elements of 1, 2, 4 or 8 bytes turned over, in registers four by four.  It
** refuses to cut large matrices into blocks: that is the caller's.
*/
#ifndef KILN_TRANSPOSE_H
#define KILN_TRANSPOSE_H
#include "nd.h"

/* dst[i][j] = src[j][i] for i < rows, j < columns; steps in bytes between the rows of each. */
#define DEFINE_TRANSPOSE(E, name, BY_FOUR)                                                         \
  static void name(char *dst, int64_t dst_step, const char *src, int64_t src_step, int64_t rows,   \
                   int64_t columns) {                                                              \
    int64_t i = 0;                                                                                 \
    for (; BY_FOUR && i + 4 <= rows; i += 4) {                                                     \
      int64_t j = 0;                                                                               \
      char *d = dst + i * dst_step;                                                                \
      for (; j + 4 <= columns; j += 4) {                                                           \
        typedef E V4 __attribute__((vector_size(4 * sizeof(E)), aligned(sizeof(E)), may_alias));   \
        const char *s = src + j * src_step + i * (int64_t)sizeof(E);                               \
        const V4 s0 = *(const V4 *)s, s1 = *(const V4 *)(s + src_step);                            \
        const V4 s2 = *(const V4 *)(s + 2 * src_step), s3 = *(const V4 *)(s + 3 * src_step);       \
        const V4 a = __builtin_shuffle(s0, s1, (V4){0, 4, 1, 5});                                  \
        const V4 b = __builtin_shuffle(s0, s1, (V4){2, 6, 3, 7});                                  \
        const V4 c = __builtin_shuffle(s2, s3, (V4){0, 4, 1, 5});                                  \
        const V4 e = __builtin_shuffle(s2, s3, (V4){2, 6, 3, 7});                                  \
        char *q = d + j * (int64_t)sizeof(E);                                                      \
        *(V4 *)q = __builtin_shuffle(a, c, (V4){0, 1, 4, 5});                                      \
        *(V4 *)(q + dst_step) = __builtin_shuffle(a, c, (V4){2, 3, 6, 7});                         \
        *(V4 *)(q + 2 * dst_step) = __builtin_shuffle(b, e, (V4){0, 1, 4, 5});                     \
        *(V4 *)(q + 3 * dst_step) = __builtin_shuffle(b, e, (V4){2, 3, 6, 7});                     \
      }                                                                                            \
      for (; j < columns; j++) {                                                                   \
        for (int64_t k = 0; k < 4; k++) {                                                          \
          ((E *)(d + k * dst_step))[j] = ((const E *)(src + j * src_step))[i + k];                 \
        }                                                                                          \
      }                                                                                            \
    }                                                                                              \
    for (; i < rows; i++) {                                                                        \
      for (int64_t j = 0; j < columns; j++) {                                                      \
        ((E *)(dst + i * dst_step))[j] = ((const E *)(src + j * src_step))[i];                     \
      }                                                                                            \
    }                                                                                              \
  }
DEFINE_TRANSPOSE(kiln_bits8, transpose_8, false)
DEFINE_TRANSPOSE(kiln_bits16, transpose_16, false)
DEFINE_TRANSPOSE(kiln_bits32, transpose_32, true)
DEFINE_TRANSPOSE(kiln_bits64, transpose_64, true)
#undef DEFINE_TRANSPOSE

typedef void (*transpose_fn)(char *dst, int64_t dst_step, const char *src, int64_t src_step,
                             int64_t rows, int64_t columns);

static inline transpose_fn transpose_of(int64_t size) {
  return size == 1   ? transpose_8
         : size == 2 ? transpose_16
         : size == 4 ? transpose_32
                     : transpose_64;
}

#endif
