/* dtype.c: what the element types are called, how large they are, and how they combine.
** It refuses to convert elements; that is a kernel's work (cpu/copy.c).
*/
#include "internal.h"

#include <math.h>

static const struct {
  const char *name;
  int32_t size;
} dtypes[KILN_DTYPE_COUNT] = {
    [KILN_FLOAT32] = {"float32", 4}, [KILN_FLOAT64] = {"float64", 8},
    [KILN_FLOAT16] = {"float16", 2}, [KILN_BFLOAT16] = {"bfloat16", 2},
    [KILN_INT8] = {"int8", 1},       [KILN_UINT8] = {"uint8", 1},
    [KILN_INT16] = {"int16", 2},     [KILN_INT32] = {"int32", 4},
    [KILN_INT64] = {"int64", 8},     [KILN_BOOL] = {"bool", 1},
};

static int32_t default_dtype = KILN_FLOAT32;

int32_t kiln_dtype_size(int32_t dtype) {
  return dtype >= 0 && dtype < KILN_DTYPE_COUNT ? dtypes[dtype].size : 0;
}
const char *kiln_dtype_name(int32_t dtype) {
  return dtype >= 0 && dtype < KILN_DTYPE_COUNT ? dtypes[dtype].name : "unknown";
}
int32_t kiln_default_dtype(void) { return __atomic_load_n(&default_dtype, __ATOMIC_RELAXED); }
void kiln_set_default_dtype(int32_t dtype) {
  if (dtype >= 0 && kiln__is_float(dtype)) {
    __atomic_store_n(&default_dtype, dtype, __ATOMIC_RELAXED);
  }
}

/* Order within a kind; uint8 meets int8 in int16, and the two halves meet in float32. */
int32_t kiln_promote(int32_t a, int32_t b) {
  static const int8_t rank[KILN_DTYPE_COUNT] = {
      [KILN_BOOL] = 0,    [KILN_UINT8] = 1,   [KILN_INT8] = 2,    [KILN_INT16] = 3,
      [KILN_INT32] = 4,   [KILN_INT64] = 5,   [KILN_FLOAT16] = 6, [KILN_BFLOAT16] = 7,
      [KILN_FLOAT32] = 8, [KILN_FLOAT64] = 9,
  };
  if (a == b)
    return a;
  if ((a == KILN_UINT8 && b == KILN_INT8) || (a == KILN_INT8 && b == KILN_UINT8))
    return KILN_INT16;
  if (kiln__is_half(a) && kiln__is_half(b))
    return KILN_FLOAT32;
  return rank[a] > rank[b] ? a : b;
}

static int kind_of(int32_t dtype) { return kiln__is_float(dtype) ? 2 : dtype == KILN_BOOL ? 0 : 1; }

/* -0, which only a float can hold, is a whole number like 0. */
static bool is_minus_zero(const kiln_tensor *number) {
  double v = 1;
  if (number->dtype == KILN_FLOAT64)
    memcpy(&v, kiln__data(number), sizeof v);
  return v == 0;
}

int32_t kiln__common_dtype(const kiln_call *c, uint32_t which) {
  /* [0] tensors with dims, [1] 0-dim tensors, [2] numbers: a weaker class counts only where it is
  ** of a higher kind (bool < integer < float) than the stronger ones. */
  int32_t best[3] = {-1, -1, -1};
  for (int32_t i = 0; i < c->n_in; i++) {
    const kiln_tensor *x = c->in[i];
    if (!x || !(which >> (i < 15 ? i : 15) & 1))
      continue;
    int k = x->flags & KILN_T_NUMBER ? 2 : x->ndim == 0 ? 1 : 0;
    int32_t dtype = k == 2 && is_minus_zero(x) ? KILN_INT64 : x->dtype;
    best[k] = best[k] < 0 ? dtype : kiln_promote(best[k], dtype);
  }
  if (best[2] >= 0 && kiln__is_float(best[2]))
    best[2] = kiln_default_dtype();
  int32_t d = best[0];
  for (int k = 1; k < 3; k++) {
    if (best[k] < 0)
      continue;
    if (d < 0 || kind_of(best[k]) > kind_of(d))
      d = best[k];
  }
  return d;
}

int32_t kiln_result_type(kiln_tensor *x, kiln_tensor *y) {
  kiln_tensor *in[] = {x, y};
  const kiln_call c = {.n_in = 2, .in = in};
  return kiln__common_dtype(&c, 3);
}

bool kiln__can_store(int32_t from, int32_t to) { return kind_of(from) <= kind_of(to); }

/* Fractions are dropped; a negative number counts from the end of an unsigned dtype, as in C. */
bool kiln__value_fits(double v, int32_t dtype) {
  static const struct {
    double least, most;
  } range[KILN_DTYPE_COUNT] = {
      [KILN_INT8] = {-128, 127},
      [KILN_UINT8] = {-255, 255},
      [KILN_INT16] = {-32768, 32767},
      [KILN_INT32] = {-0x1p31, 0x1p31 - 1},
      [KILN_INT64] = {-0x1p63, 0x1.fffffffffffffp62},
  };
  if (kiln__is_float(dtype) || dtype == KILN_BOOL)
    return true;
  return trunc(v) >= range[dtype].least && trunc(v) <= range[dtype].most; /* not NaN */
}

bool kiln__number_fits(const kiln_tensor *number, int32_t dtype) {
  double v;
  if (number->dtype == dtype)
    return true;
  kiln_convert(&v, KILN_FLOAT64, kiln__data(number), number->dtype, 1);
  return kiln__value_fits(v, dtype);
}
