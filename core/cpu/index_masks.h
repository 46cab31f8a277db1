/* index_masks.h: the part of index.c that chooses by mask: where, masked_select, masked_scatter,
** nonzero.  Included once, after what index.c shares.
*/
#ifndef KILN_CPU_INDEX_MASKS_H
#define KILN_CPU_INDEX_MASKS_H

/* -- where ------------------------------------------------------------------------------ */

#define SELECT_ROW(XS, YS)                                                                         \
  for (int64_t i = 0; i < n; i++)                                                                  \
  o[i] = c[i] ? x[XS ? i : 0] : y[YS ? i : 0]

#define WHERE(type)                                                                                \
  static void where_row_##type(type *o, const uint8_t *c, const type *x, const type *y, int64_t n, \
                               bool each_x, bool each_y) {                                         \
    if (each_x && each_y)                                                                          \
      SELECT_ROW(1, 1);                                                                            \
    else if (each_x)                                                                               \
      SELECT_ROW(1, 0);                                                                            \
    else if (each_y)                                                                               \
      SELECT_ROW(0, 1);                                                                            \
    else                                                                                           \
      SELECT_ROW(0, 0);                                                                            \
  }
WHERE(kiln_bits8)
WHERE(kiln_bits16)
WHERE(kiln_bits32)
WHERE(kiln_bits64)

enum { BLOCK = 512 };

/* Brings what does not step by one element or by none into a buffer, a block at a time. */
static void where_part(const kiln_nd *it, int64_t size, int64_t from, int64_t to) {
  int32_t last = it->ndim - 1;
  int64_t at[KILN_MAX_DIMS];
  char buffer[3][BLOCK * 8], out[BLOCK * 8];
  kiln__nd_seek(it, from, at);
  while (from < to) {
    int64_t n = it->shape[last] - at[last];
    if (n > to - from)
      n = to - from;
    bool copied = false, each[4];
    for (int k = 0; k < 4; k++) {
      int64_t step = it->stride[k][last];
      each[k] = step != 0;
      copied |= step != (k == 1 ? 1 : size) && (step != 0 || k < 2);
    }
    if (copied && n > BLOCK)
      n = BLOCK;
    char *p[4];
    for (int k = 0; k < 4; k++) {
      int64_t step = it->stride[k][last], unit = k == 1 ? 1 : size;
      p[k] = kiln__nd_at(it, k, at);
      if (step == unit || (step == 0 && k >= 2))
        continue;
      if (k > 0) {
        kiln__run_copy(buffer[k - 1], unit, p[k], step, n, unit);
        p[k] = buffer[k - 1];
      }
    }
    char *o = it->stride[0][last] == size ? p[0] : out;
    const uint8_t *c = (const uint8_t *)p[1];
    switch (size) {
#define CASE(bytes, type)                                                                          \
  case bytes:                                                                                      \
    where_row_##type((type *)o, c, (const type *)p[2], (const type *)p[3], n, each[2], each[3]);   \
    break;
      CASE(1, kiln_bits8)
      CASE(2, kiln_bits16)
      CASE(4, kiln_bits32)
      CASE(8, kiln_bits64)
#undef CASE
    }
    if (o == out)
      kiln__run_copy(p[0], it->stride[0][last], out, size, n, size);
    from += n;
    at[last] += n;
    if (at[last] == it->shape[last])
      kiln__nd_next_row(it, at);
  }
}

static int32_t where(const kiln_call *c) {
  kiln_nd it = {0};
  kiln__nd_add(&it, c->out[0]);
  for (int32_t i = 0; i < 3; i++)
    kiln__nd_add(&it, in(c, i));
  kiln__nd_simplify(&it);
  int64_t size = kiln__size_of(c->out[0]->dtype);
  if (it.numel > 0)
    KILN_PARALLEL(it.numel, 64, KILN_GRAIN, where_part(&it, size, from, to));
  return KILN_OK;
}

/* -- Masks ----------------------------------------------------------------------------------------
 */

static char nothing[8];

/* A stand-in for a tensor of the shape that x and mask broadcast to, for kiln__nd_add. */
static kiln_tensor common_shape(const kiln_tensor *x, const kiln_tensor *mask,
                                kiln_storage *storage) {
  kiln_tensor y = {.dtype = KILN_UINT8, .storage = storage, .numel = 1};
  *storage = (kiln_storage){.data = nothing};
  y.ndim = x->ndim > mask->ndim ? x->ndim : mask->ndim;
  for (int32_t d = y.ndim - 1; d >= 0; d--) {
    int32_t a = d - (y.ndim - x->ndim), b = d - (y.ndim - mask->ndim);
    y.shape[d] = a < 0                          ? mask->shape[b]
                 : b < 0 || mask->shape[b] == 1 ? x->shape[a]
                                                : mask->shape[b];
    y.stride[d] = y.numel;
    y.numel *= y.shape[d];
  }
  return y;
}

/* The elements of x at the broadcast shape `like`, one after the other: x's own memory, or a copy
** that the caller frees with kiln__scratch_free when *copy is set. */
static const void *flattened(const kiln_tensor *x, const kiln_tensor *like, void **copy) {
  *copy = NULL;
  if (x->numel == like->numel && kiln__is_contiguous(x))
    return kiln__data(x);
  int64_t size = kiln__size_of(x->dtype);
  kiln_nd it = {0};
  kiln__nd_add(&it, like);
  kiln__nd_add(&it, x);
  if (it.ndim == 0)
    it.shape[it.ndim++] = 1;
  *copy = kiln__scratch(0, like->numel * size);
  if (*copy && like->numel > 0)
    kiln__nd_gather(&it, 1, 0, like->numel, *copy, size);
  return *copy;
}

static int64_t count_true(const uint8_t *mask, int64_t from, int64_t to) {
  int64_t total = 0;
  while (from < to) {
    int64_t end = to - from > 255 ? from + 255 : to;
    uint8_t few = 0;
    for (; from < end; from++)
      few += mask[from];
    total += few;
  }
  return total;
}

/* Where each of at most PARTS parts of a mask starts to write. */
enum { PARTS = 64 };
typedef struct parts {
  int n;
  int64_t first[PARTS];
} parts;

static void count_part(const uint8_t *mask, int64_t n, parts *p, int64_t from, int64_t to) {
  for (int64_t i = from; i < to; i++) {
    int64_t a, b;
    kiln__part(n, 64, (int)i, p->n, &a, &b);
    p->first[i] = count_true(mask, a, b);
  }
}

static parts parts_of(const uint8_t *mask, int64_t n) {
  parts p = {.n = n > 4 * KILN_GRAIN ? PARTS : 1};
  KILN_PARALLEL(p.n, 1, 1, count_part(mask, n, &p, from, to));
  int64_t sum = 0;
  for (int i = 0; i < p.n; i++) {
    int64_t count = p.first[i];
    p.first[i] = sum;
    sum += count;
  }
  return p;
}

/* Writes without a branch; the write after the last true element would be another part's. */
static void compress_part(const uint8_t *mask, const void *x, void *out, int64_t size, int64_t n,
                          const parts *p, int64_t from, int64_t to) {
  for (int64_t i = from; i < to; i++) {
    int64_t a, b;
    kiln__part(n, 64, (int)i, p->n, &a, &b);
    while (b > a && !mask[b - 1])
      b--;
    BY_SIZE(size, {
      const type *s = x;
      type *d = (type *)out + p->first[i];
      for (int64_t k = a; k < b; k++) {
        *d = s[k];
        d += mask[k];
      }
    });
  }
}

static int32_t masked_select(const kiln_call *c) {
  const kiln_tensor *x = in(c, 0), *mask = in(c, 1);
  kiln_storage storage;
  kiln_tensor shape = common_shape(x, mask, &storage);
  if (c->out[0]->numel == 0)
    return KILN_OK;
  void *copies[2];
  const uint8_t *m = flattened(mask, &shape, &copies[0]);
  const void *v = flattened(x, &shape, &copies[1]);
  int64_t size = kiln__size_of(x->dtype), n = shape.numel;
  if (m && v) {
    parts p = parts_of(m, n);
    void *out = kiln__data(c->out[0]);
    KILN_PARALLEL(p.n, 1, 1, compress_part(m, v, out, size, n, &p, from, to));
  }
  if (copies[0])
    kiln__scratch_free(0, copies[0], n);
  if (copies[1])
    kiln__scratch_free(0, copies[1], n * size);
  return m && v ? KILN_OK : KILN_ENOMEM;
}

/* x and mask broadcast to the output; src is read in order. */
static int32_t masked_scatter(const kiln_call *c) {
  const kiln_tensor *y = c->out[0], *x = in(c, 0);
  void *copies[2];
  const uint8_t *m = flattened(in(c, 1), y, &copies[0]);
  const void *v = flattened(x, y, &copies[1]);
  int64_t size = kiln__size_of(y->dtype), n = y->numel;
  if (m && v && n > 0) {
    const char *src = kiln__data(in(c, 2));
    if (kiln__data(y) != v)
      memcpy(kiln__data(y), v, (size_t)(n * size));
    BY_SIZE(size, {
      const type *s = (const type *)src;
      type *d = kiln__data(y);
      for (int64_t i = 0; i < n; i++) {
        if (m[i])
          d[i] = *s++;
      }
    });
  }
  if (copies[0])
    kiln__scratch_free(0, copies[0], n);
  if (copies[1])
    kiln__scratch_free(0, copies[1], n * size);
  return m && v ? KILN_OK : KILN_ENOMEM;
}

/* out [count, ndim]: coordinates of the elements that are not 0, in order. */
static int32_t nonzero(const kiln_call *c) {
  enum { STEP = 4096 };
  const kiln_tensor *x = in(c, 0);
  int64_t *out = kiln__data(c->out[0]), size = kiln__size_of(x->dtype), at[KILN_MAX_DIMS] = {0};
  int64_t left = c->out[0]->shape[0];
  uint8_t mask[STEP];
  const char *data = kiln__data(x);
  for (int64_t i = 0; i < x->numel && left > 0; i += STEP) {
    int64_t n = x->numel - i < STEP ? x->numel - i : STEP;
    kiln_convert(mask, KILN_BOOL, data + i * size, x->dtype, n);
    if (x->ndim == 1) {
      for (int64_t k = 0; k < n && left > 0; k++) {
        *out = i + k + KILN_INDEX_BASE;
        out += mask[k];
        left -= mask[k];
      }
      continue;
    }
    for (int64_t k = 0; k < n; k++) {
      if (mask[k]) {
        for (int32_t d = 0; d < x->ndim; d++)
          *out++ = at[d] + KILN_INDEX_BASE;
        left--;
      }
      for (int32_t d = x->ndim - 1; d >= 0 && ++at[d] == x->shape[d]; d--)
        at[d] = 0;
    }
  }
  return KILN_OK;
}

#endif
