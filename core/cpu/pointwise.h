/* pointwise.h: for one element type, one loop an op over contiguous operands, from the generated
** list of pointwise rows.  Included through each.h by elementwise.c.
*/
#include "../wanted.h"

#if defined(KILN_PASS_LOOPS)

#include "../scalar.h"

/* p[0] is the output, p[1].. the inputs; the output may be an input.  A row with parameters finds
** them in `par`.  Vector functions round otherwise than scalar ones, so what CALLS functions goes
** through them to the last element: a result does not depend on its place in the tensor. */
#define KILN_LOOP(name, OUT, INPUTS, ARGUMENTS, EXPR, CALLS)                                       \
  static void TYPED(name##_run)(int64_t n, char *const *p, const kiln_attr *par) {                 \
    if (T_FLOAT && CALLS)                                                                          \
      n &= ~(int64_t)(LANES - 1); /* as it is: tells the compiler that nothing is left over */     \
    const T p0 = F(parameter)(par[0].f), p1 = F(parameter)(par[1].f);                              \
    const T p2 = F(parameter)(par[2].f), p3 = F(parameter)(par[3].f);                              \
    KILN_TYPE_##OUT *out = (KILN_TYPE_##OUT *)p[0];                                                \
    (void)p0, (void)p1, (void)p2, (void)p3;                                                        \
    _Pragma("omp simd") for (int64_t i = 0; i < n; i++) {                                          \
      ARGUMENTS out[i] = (KILN_TYPE_##OUT)(EXPR);                                                  \
    }                                                                                              \
  }                                                                                                \
  static void TYPED(name)(int64_t n, char *const *p, const kiln_attr *par) {                       \
    if (T_FLOAT && CALLS)                                                                          \
      in_whole_vectors(TYPED(name##_run), n, p, par, INPUTS, sizeof(T), sizeof(KILN_TYPE_##OUT));  \
    else                                                                                           \
      TYPED(name##_run)(n, p, par);                                                                \
  }
#define CALLS_IN(text) (__builtin_strchr(text, 'F') != NULL) /* as in F(exp)(a0) */
#define KILN_TYPE_SAME T
#define KILN_TYPE_BOOL bool
#define KILN_A0 const T a0 = ((const T *)p[1])[i];
#define KILN_A1 KILN_A0 const T a1 = ((const T *)p[2])[i];
#define KILN_A2 KILN_A1 const T a2 = ((const T *)p[3])[i];
#define KILN_A3 KILN_A2 const T a3 = ((const T *)p[4])[i];
#define KILN_PW1(E, name, TYPES, OUT, EXPR)                                                        \
  KILN_WANT_##TYPES(KILN_LOOP(name, OUT, 1, KILN_A0, EXPR, CALLS_IN(#EXPR)))
#define KILN_PW2(E, name, TYPES, OUT, EXPR)                                                        \
  KILN_WANT_##TYPES(KILN_LOOP(name, OUT, 2, KILN_A1, EXPR, CALLS_IN(#EXPR)))
#define KILN_PW3(E, name, TYPES, OUT, EXPR)                                                        \
  KILN_WANT_##TYPES(KILN_LOOP(name, OUT, 3, KILN_A2, EXPR, CALLS_IN(#EXPR)))
#define KILN_PW4(E, name, TYPES, OUT, EXPR)                                                        \
  KILN_WANT_##TYPES(KILN_LOOP(name, OUT, 4, KILN_A3, EXPR, CALLS_IN(#EXPR)))
#include "kiln_pointwise.h"
#undef KILN_LOOP
#undef CALLS_IN
#undef KILN_TYPE_SAME
#undef KILN_TYPE_BOOL
#undef KILN_A0
#undef KILN_A1
#undef KILN_A2
#undef KILN_A3

#else /* the table's rows: .loop[KILN_OP_ADD][KILN_FLOAT32] = add_f32 */

#define KILN_ROW(E, name, TYPES) KILN_WANT_##TYPES([KILN_OP_##E][TD] = TYPED(name), )
#define KILN_PW1(E, name, TYPES, OUT, EXPR) KILN_ROW(E, name, TYPES)
#define KILN_PW2(E, name, TYPES, OUT, EXPR) KILN_ROW(E, name, TYPES)
#define KILN_PW3(E, name, TYPES, OUT, EXPR) KILN_ROW(E, name, TYPES)
#define KILN_PW4(E, name, TYPES, OUT, EXPR) KILN_ROW(E, name, TYPES)
#include "kiln_pointwise.h"
#undef KILN_ROW

#endif

#undef KILN_PW1
#undef KILN_PW2
#undef KILN_PW3
#undef KILN_PW4
