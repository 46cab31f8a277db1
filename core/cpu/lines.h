/* lines.h: for float, one loop an op that writes past the caches: a line_loop, a line at a time,
** the inputs asked for early.  Results are those of pointwise.h's loops.  Included by elementwise.c
** with T and TN set as in each.h, after pointwise.h; and with KILN_LINES_TABLE for the rows of the
** table, [KILN_OP_ADD] = add_lines.
*/
#define KILN_WANT_BOOL(...)
#define KILN_WANT_SAME(...) __VA_ARGS__
#define KILN_TAKES_FLOAT(...) __VA_ARGS__
#define KILN_TAKES_REAL(...) __VA_ARGS__
#define KILN_TAKES_ALL(...) __VA_ARGS__
#define KILN_TAKES_INT(...)
#define KILN_TAKES_WHOLE(...)

#if !defined(KILN_LINES_TABLE)

#define KILN_LINES(name, INPUTS, ARGUMENTS, EXPR)                                                  \
  static void name##_lines(int64_t n, char *const *p, const int64_t *step, const kiln_attr *par) { \
    const char *x[INPUTS];                                                                         \
    const T p0 = F(parameter)(par[0].f), p1 = F(parameter)(par[1].f);                              \
    const T p2 = F(parameter)(par[2].f), p3 = F(parameter)(par[3].f);                              \
    (void)p0, (void)p1, (void)p2, (void)p3;                                                        \
    for (int32_t k = 0; k < INPUTS; k++)                                                           \
      x[k] = p[k + 1];                                                                             \
    for (char *to = p[0], *end = to + n * (int64_t)sizeof(T); to < end; to += 64) {                \
      _Alignas(64) T line[LANES];                                                                  \
      for (int32_t k = 0; k < INPUTS; k++)                                                         \
        __builtin_prefetch(x[k] + AHEAD);                                                          \
      _Pragma("omp simd") for (int64_t i = 0; i < LANES; i++) { ARGUMENTS line[i] = (T)(EXPR); }   \
      for (int32_t k = 0; k < INPUTS; k++)                                                         \
        x[k] += step[k + 1];                                                                       \
      kiln__stream_line(to, line);                                                                 \
    }                                                                                              \
  }
#define KILN_A0 const T a0 = ((const T *)(const void *)x[0])[i];
#define KILN_A1 KILN_A0 const T a1 = ((const T *)(const void *)x[1])[i];
#define KILN_A2 KILN_A1 const T a2 = ((const T *)(const void *)x[2])[i];
#define KILN_A3 KILN_A2 const T a3 = ((const T *)(const void *)x[3])[i];
#define KILN_PW1(E, name, TYPES, OUT, EXPR)                                                        \
  KILN_TAKES_##TYPES(KILN_WANT_##OUT(KILN_LINES(name, 1, KILN_A0, EXPR)))
#define KILN_PW2(E, name, TYPES, OUT, EXPR)                                                        \
  KILN_TAKES_##TYPES(KILN_WANT_##OUT(KILN_LINES(name, 2, KILN_A1, EXPR)))
#define KILN_PW3(E, name, TYPES, OUT, EXPR)                                                        \
  KILN_TAKES_##TYPES(KILN_WANT_##OUT(KILN_LINES(name, 3, KILN_A2, EXPR)))
#define KILN_PW4(E, name, TYPES, OUT, EXPR)                                                        \
  KILN_TAKES_##TYPES(KILN_WANT_##OUT(KILN_LINES(name, 4, KILN_A3, EXPR)))
#include "kiln_pointwise.h"
#undef KILN_LINES
#undef KILN_A0
#undef KILN_A1
#undef KILN_A2
#undef KILN_A3

#else

#define KILN_ROW(E, name, OUT) KILN_WANT_##OUT([KILN_OP_##E] = name##_lines, )
#define KILN_PW1(E, name, TYPES, OUT, EXPR) KILN_TAKES_##TYPES(KILN_ROW(E, name, OUT))
#define KILN_PW2(E, name, TYPES, OUT, EXPR) KILN_TAKES_##TYPES(KILN_ROW(E, name, OUT))
#define KILN_PW3(E, name, TYPES, OUT, EXPR) KILN_TAKES_##TYPES(KILN_ROW(E, name, OUT))
#define KILN_PW4(E, name, TYPES, OUT, EXPR) KILN_TAKES_##TYPES(KILN_ROW(E, name, OUT))
#include "kiln_pointwise.h"
#undef KILN_ROW

#endif

#undef KILN_PW1
#undef KILN_PW2
#undef KILN_PW3
#undef KILN_PW4
#undef KILN_WANT_BOOL
#undef KILN_WANT_SAME
#undef KILN_TAKES_FLOAT
#undef KILN_TAKES_REAL
#undef KILN_TAKES_ALL
#undef KILN_TAKES_INT
#undef KILN_TAKES_WHOLE
