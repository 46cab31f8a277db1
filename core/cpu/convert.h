/* convert.h: from every element type to the type T: one function a pair, over strided runs.
** Included through each.h by copy.c.
**
** A float becomes an integer by dropping its fraction; NaN becomes 0, what does not fit in 32 bits
** (64 for int64) the nearest that does, and the low bits of that go into narrower types.  Anything
** but 0 is true.
*/
#if T_FLOAT
#define FROM_FLOAT(v) STORE((V)(v))
#define FROM_INT(v) STORE((V)(v))
#elif T_INT
#define FROM_FLOAT(v)                                                                              \
  (sizeof(T) == 8 ? (T)kiln__whole64((double)(v)) : (T)kiln__whole32((double)(v)))
#define FROM_INT(v) ((T)(v))
#else
#define FROM_FLOAT(v) ((v) != 0)
#define FROM_INT(v) ((v) != 0)
#endif

#define CONVERT(S, name, VALUE)                                                                    \
  static void KILN_PASTE(TYPED(to), name)(char *dst, int64_t dst_step, const char *src,            \
                                          int64_t src_step, int64_t n) {                           \
    if (dst_step == (int64_t)sizeof(T) && src_step == (int64_t)sizeof(S)) {                        \
      T *restrict d = (T *)dst;                                                                    \
      const S *restrict s = (const S *)src;                                                        \
      for (int64_t i = 0; i < n; i++)                                                              \
        d[i] = VALUE(s[i]);                                                                        \
    } else {                                                                                       \
      for (int64_t i = 0; i < n; i++) {                                                            \
        *(T *)(dst + i * dst_step) = VALUE(*(const S *)(src + i * src_step));                      \
      }                                                                                            \
    }                                                                                              \
  }
#define FROM_F16(v) FROM_FLOAT(kiln__from_f16(v))
#define FROM_BF16(v) FROM_FLOAT(kiln__from_bf16(v))
CONVERT(float, f32, FROM_FLOAT)
CONVERT(double, f64, FROM_FLOAT)
CONVERT(kiln_f16, f16, FROM_F16)
CONVERT(kiln_bf16, bf16, FROM_BF16)
CONVERT(int8_t, i8, FROM_INT)
CONVERT(uint8_t, u8, FROM_INT)
CONVERT(int16_t, i16, FROM_INT)
CONVERT(int32_t, i32, FROM_INT)
CONVERT(int64_t, i64, FROM_INT)
CONVERT(bool, b8, FROM_INT)

/* The row of the table for T. */
static const convert_run TYPED(converts)[KILN_DTYPE_COUNT] = {
    [KILN_FLOAT32] = KILN_PASTE(TYPED(to), f32), [KILN_FLOAT64] = KILN_PASTE(TYPED(to), f64),
    [KILN_FLOAT16] = KILN_PASTE(TYPED(to), f16), [KILN_BFLOAT16] = KILN_PASTE(TYPED(to), bf16),
    [KILN_INT8] = KILN_PASTE(TYPED(to), i8),     [KILN_UINT8] = KILN_PASTE(TYPED(to), u8),
    [KILN_INT16] = KILN_PASTE(TYPED(to), i16),   [KILN_INT32] = KILN_PASTE(TYPED(to), i32),
    [KILN_INT64] = KILN_PASTE(TYPED(to), i64),   [KILN_BOOL] = KILN_PASTE(TYPED(to), b8),
};

/* x += y over a run, for the gradient of a view that repeats elements. */
static void TYPED(add)(char *x, int64_t x_step, const char *y, int64_t y_step, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    T *to = (T *)(x + i * x_step);
    *to = STORE((V)(LOAD(*to) + LOAD(*(const T *)(y + i * y_step))));
  }
}

#undef CONVERT
#undef FROM_FLOAT
#undef FROM_INT
#undef FROM_F16
#undef FROM_BF16
