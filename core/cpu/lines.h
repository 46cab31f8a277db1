/* lines.h: for float, one loop an op that writes past the caches: whole lines of 64 bytes, LANES
** elements at a time, the output aligned, the inputs asked for early.  Results are those of
** pointwise.h's loops.  Included by elementwise.c with T and TN set as in each.h, after
** pointwise.h; and with KILN_LINES_TABLE for the table's rows, [KILN_OP_ADD] = add_lines.
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
  static void name##_lines(int64_t n, char *const *p, const kiln_attr *par) {                      \
    const T p0 = F(parameter)(par[0].f), p1 = F(parameter)(par[1].f);                              \
    const T p2 = F(parameter)(par[2].f), p3 = F(parameter)(par[3].f);                              \
    (void)p0, (void)p1, (void)p2, (void)p3;                                                        \
    for (int64_t at = 0; at < n; at += LANES) {                                                    \
      _Alignas(64) T line[LANES];                                                                  \
      for (int32_t k = 1; k <= INPUTS; k++)                                                        \
        __builtin_prefetch(p[k] + at * (int64_t)sizeof(T) + AHEAD);                                \
      _Pragma("omp simd") for (int64_t l = 0; l < LANES; l++) {                                    \
        const int64_t i = at + l;                                                                  \
        ARGUMENTS line[l] = (T)(EXPR);                                                             \
      }                                                                                            \
      kiln__stream_line(p[0] + at * (int64_t)sizeof(T), line);                                     \
    }                                                                                              \
  }
#define KILN_A0 const T a0 = ((const T *)p[1])[i];
#define KILN_A1 KILN_A0 const T a1 = ((const T *)p[2])[i];
#define KILN_A2 KILN_A1 const T a2 = ((const T *)p[3])[i];
#define KILN_A3 KILN_A2 const T a3 = ((const T *)p[4])[i];
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
