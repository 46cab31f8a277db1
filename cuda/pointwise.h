/* pointwise.h: for one element type, what each pointwise row computes of one element, as a type
** that elementwise.cu makes kernels of.  Included through ../core/cpu/each.h.
*/
#include "../core/wanted.h"

#define KILN_TYPE_SAME T
#define KILN_TYPE_BOOL bool

#if defined(KILN_PASS_FUNCTIONS)

#include "../core/scalar.h"

/* at(a, p): one element from the inputs a[0].. and the parameters. */
#define KILN_FUNCTION(name, N, OUT, EXPR)                                                          \
  struct TYPED(name) {                                                                             \
    enum { inputs = N };                                                                           \
    static __device__ __forceinline__ T parameter(const kiln_attr &v) {                            \
      return F(parameter)(v.f);                                                                    \
    }                                                                                              \
    static __device__ __forceinline__ KILN_TYPE_##OUT at(T a0, T a1, T a2, T a3, T p0, T p1, T p2, \
                                                         T p3) {                                   \
      (void)a0, (void)a1, (void)a2, (void)a3, (void)p0, (void)p1, (void)p2, (void)p3;              \
      return (KILN_TYPE_##OUT)(EXPR);                                                              \
    }                                                                                              \
  };
#define KILN_PW1(E, name, TYPES, OUT, EXPR) KILN_WANT_##TYPES(KILN_FUNCTION(name, 1, OUT, EXPR))
#define KILN_PW2(E, name, TYPES, OUT, EXPR) KILN_WANT_##TYPES(KILN_FUNCTION(name, 2, OUT, EXPR))
#define KILN_PW3(E, name, TYPES, OUT, EXPR) KILN_WANT_##TYPES(KILN_FUNCTION(name, 3, OUT, EXPR))
#define KILN_PW4(E, name, TYPES, OUT, EXPR) KILN_WANT_##TYPES(KILN_FUNCTION(name, 4, OUT, EXPR))
#include "kiln_pointwise.h"
#undef KILN_FUNCTION

#else /* the kernels, as elementwise.cu's table takes them */

#define KILN_ROW(E, name, OUT)                                                                     \
  at[KILN_OP_##E][TD] = pointwise_kernel<TYPED(name), T, KILN_TYPE_##OUT>;
#define KILN_PW1(E, name, TYPES, OUT, EXPR) KILN_WANT_##TYPES(KILN_ROW(E, name, OUT))
#define KILN_PW2(E, name, TYPES, OUT, EXPR) KILN_WANT_##TYPES(KILN_ROW(E, name, OUT))
#define KILN_PW3(E, name, TYPES, OUT, EXPR) KILN_WANT_##TYPES(KILN_ROW(E, name, OUT))
#define KILN_PW4(E, name, TYPES, OUT, EXPR) KILN_WANT_##TYPES(KILN_ROW(E, name, OUT))
#include "kiln_pointwise.h"
#undef KILN_ROW

#endif

#undef KILN_PW1
#undef KILN_PW2
#undef KILN_PW3
#undef KILN_PW4
#undef KILN_TYPE_SAME
#undef KILN_TYPE_BOOL
