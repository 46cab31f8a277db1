/* sort_each.h: elements as integers that sort like them, for one element type (see each.h).
** NaN is above every number and -0 equals 0.  Types of up to 4 bytes have 32-bit keys.
*/
static inline uint64_t TYPED(key)(T value) {
#if T_FLOAT
  V v = LOAD(value);
  if (v != v)
    return sizeof(V) == 8 ? UINT64_MAX : UINT32_MAX;
  if (v == 0)
    return sizeof(V) == 8 ? UINT64_C(1) << 63 : UINT32_C(1) << 31;
  if (sizeof(V) == 8) {
    double d = (double)v;
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return bits ^ (bits >> 63 ? UINT64_MAX : UINT64_C(1) << 63);
  }
  float f = (float)v;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return bits ^ (bits >> 31 ? UINT32_MAX : UINT32_C(1) << 31);
#else
  if (sizeof(T) == 8)
    return (uint64_t)value ^ UINT64_C(1) << 63;
  return (uint32_t)(int32_t)value ^ UINT32_C(1) << 31;
#endif
}

/* Elements from..to - 1 of a line; flip is all ones for descending order. */
static void TYPED(load_short)(const void *line, int64_t step, int64_t from, int64_t to,
                              uint64_t flip, uint64_t *out) {
  const T *x = line;
  for (int64_t i = from; i < to; i++) {
    out[i] = (uint32_t)(TYPED(key)(x[i * step]) ^ flip) * (UINT64_C(1) << 32) | (uint64_t)i;
  }
}

static void TYPED(load_pair)(const void *line, int64_t step, int64_t from, int64_t to,
                             uint64_t flip, pair *out) {
  const T *x = line;
  uint64_t mask = sizeof(T) == 8 ? flip : flip & UINT32_MAX;
  for (int64_t i = from; i < to; i++)
    out[i] = (pair){TYPED(key)(x[i * step]) ^ mask, i};
}
