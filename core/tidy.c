/* tidy.c: NaNs that LuaJIT would take for values of its own, for code that reads memory through a
** pointer: files, other dtypes seen as floats and uninitialised memory may hold them.  It refuses
** to touch, or to look at, what lies between a tensor's elements.
**
** Taken for another value is a NaN whose sign and quiet bit are set, beside the exponent, and
** something more.  The usual one of x86, which has nothing more, counts as such: to look closer
** costs more than to replace it.
*/
#include "internal.h"
#include "strided.h"

/* n elements, `step` bytes apart. */
#define ROWS(T, WORD, BITS)                                                                        \
  static inline WORD odd_##T(const char *p) { /* 1 if the leading BITS are all set */              \
    WORD w;                                                                                        \
    memcpy(&w, p, sizeof w);                                                                       \
    return ((w >> (8 * sizeof w - BITS)) + 1) >> BITS;                                             \
  }                                                                                                \
  static bool is_tidy_##T(const char *p, int64_t n, int64_t step) {                                \
    WORD found = 0;                                                                                \
    if (step == sizeof found) { /* a loop that the compiler can turn into vectors */               \
      for (int64_t i = 0; i < n; i++)                                                              \
        found |= odd_##T(p + i * (int64_t)sizeof found);                                           \
    } else {                                                                                       \
      for (int64_t i = 0; i < n; i++)                                                              \
        found |= odd_##T(p + i * step);                                                            \
    }                                                                                              \
    return found == 0;                                                                             \
  }                                                                                                \
  static void tidy_##T(char *p, int64_t n, int64_t step) {                                         \
    const T usual = (T)NAN;                                                                        \
    for (int64_t i = 0; i < n; i++) {                                                              \
      if (odd_##T(p + i * step))                                                                   \
        memcpy(p + i * step, &usual, sizeof usual);                                                \
    }                                                                                              \
  }
ROWS(float, uint32_t, 10)
ROWS(double, uint64_t, 13)
#undef ROWS

/* Looks at x row by row; where a row is not tidy, mends it or says so. */
static bool walk(const kiln_tensor *x, bool mend) {
  bool wide = x->dtype == KILN_FLOAT64;
  if (x->device != 0 || x->numel == 0 || (!wide && x->dtype != KILN_FLOAT32) || kiln__is_rows(x))
    return true;
  kiln_nd it = {0};
  kiln__nd_add(&it, x);
  kiln__nd_simplify(&it);
  int64_t at[KILN_MAX_DIMS] = {0}, n = it.shape[it.ndim - 1], step = it.stride[0][it.ndim - 1];
  for (int64_t done = 0; done < it.numel; done += n) {
    char *p = kiln__nd_at(&it, 0, at);
    if (wide ? !is_tidy_double(p, n, step) : !is_tidy_float(p, n, step)) {
      if (!mend)
        return false;
      (wide ? tidy_double : tidy_float)(p, n, step);
    }
    kiln__nd_next_row(&it, at);
  }
  return true;
}

bool kiln_tensor_is_tidy(kiln_tensor *x) { return kiln__settle(NULL) < 0 || walk(x, false); }

void kiln_tensor_tidy(kiln_tensor *x) {
  if (kiln__settle(NULL) >= 0)
    walk(x, true);
}
