/* each.h: a template engine.  Includes the file named by EACH once for every element type, with
**
**   T      the type in memory         TN   its name: f32, i64, ...     TD   its kiln_dtype
**   V      the type to compute in (float for the halves, T otherwise)
**   LOAD(x), STORE(v)                 T to V and back
**   T_FLOAT, T_INT, T_BOOL, T_HALF    1 for the one kind it is (T_HALF implies T_FLOAT), 0 else
**   T_SUM                             1 for what sums are taken in, the floats and int64
**   MATH(fn)                          the C library's function for V: sqrtf, sqrt
**
** EACH_HALF asks for float16 and bfloat16 too; EACH_FLOATS_ONLY leaves out integers and bool,
** EACH_NO_BOOL bool alone.
** All are undefined afterwards.  Names for T are made with TYPED(name): name_f32.
*/
#include "half.h"

#define TYPED(name) KILN_PASTE(name, TN)
#define LOAD(x) (x)
#define STORE(v) (v)

#define T_FLOAT 1
#define T_INT 0
#define T_BOOL 0
#define T_HALF 0
#define T_SUM 1

#define T float
#define V float
#define TN f32
#define TD KILN_FLOAT32
#define MATH(fn) fn##f
#include EACH
#undef T
#undef V
#undef TN
#undef TD
#undef MATH

#define T double
#define V double
#define TN f64
#define TD KILN_FLOAT64
#define MATH(fn) fn
#include EACH
#undef T
#undef V
#undef TN
#undef TD
#undef MATH

#ifdef EACH_HALF
#undef T_HALF
#undef LOAD
#undef STORE
#define T_HALF 1
#define V float
#define MATH(fn) fn##f

#define T kiln_f16
#define TN f16
#define TD KILN_FLOAT16
#define LOAD(x) kiln__from_f16(x)
#define STORE(v) kiln__to_f16(v)
#include EACH
#undef T
#undef TN
#undef TD
#undef LOAD
#undef STORE

#define T kiln_bf16
#define TN bf16
#define TD KILN_BFLOAT16
#define LOAD(x) kiln__from_bf16(x)
#define STORE(v) kiln__to_bf16(v)
#include EACH
#undef T
#undef TN
#undef TD
#undef LOAD
#undef STORE

#undef V
#undef MATH
#undef T_HALF
#define T_HALF 0
#define LOAD(x) (x)
#define STORE(v) (v)
#endif

#ifndef EACH_FLOATS_ONLY
#undef T_FLOAT
#undef T_INT
#undef T_SUM
#define T_FLOAT 0
#define T_INT 1
#define T_SUM 0
#define V T

#define T int8_t
#define TN i8
#define TD KILN_INT8
#include EACH
#undef T
#undef TN
#undef TD

#define T uint8_t
#define TN u8
#define TD KILN_UINT8
#include EACH
#undef T
#undef TN
#undef TD

#define T int16_t
#define TN i16
#define TD KILN_INT16
#include EACH
#undef T
#undef TN
#undef TD

#define T int32_t
#define TN i32
#define TD KILN_INT32
#include EACH
#undef T
#undef TN
#undef TD

#undef T_SUM
#define T int64_t
#define TN i64
#define TD KILN_INT64
#define T_SUM 1
#include EACH
#undef T
#undef TN
#undef TD
#undef T_SUM
#define T_SUM 0

#ifndef EACH_NO_BOOL
#undef T_INT
#undef T_BOOL
#define T_INT 0
#define T_BOOL 1

#define T bool
#define TN b8
#define TD KILN_BOOL
#include EACH
#undef T
#undef TN
#undef TD
#endif

#undef V
#endif

#undef T_FLOAT
#undef T_INT
#undef T_BOOL
#undef T_HALF
#undef T_SUM
#undef LOAD
#undef STORE
#undef TYPED
#undef EACH
#undef EACH_HALF
#undef EACH_FLOATS_ONLY
#undef EACH_NO_BOOL
