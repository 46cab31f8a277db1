/* copy.c: moving elements: copies between any strides and types, casts, filling, and the two ops
** that autograd needs for views.  It refuses to do arithmetic, but for the sum in
** as_strided_add.
*/
#include "cpu.h"
#include "nd.h"
#include "stream.h"
#include "transpose.h"

typedef void (*convert_run)(char *dst, int64_t dst_step, const char *src, int64_t src_step,
                            int64_t n);

static inline int64_t kiln__whole64(double v) {
  return v != v ? 0 : v >= 0x1p63 ? INT64_MAX : v <= -0x1p63 ? INT64_MIN : (int64_t)v;
}
static inline int32_t kiln__whole32(double v) {
  double low = v > 2147483647.0 ? 2147483647.0 : v;
  double fits = low >= -2147483648.0 ? low : v == v ? -2147483648.0 : 0;
  return (int32_t)fits;
}

#define EACH_HALF
#define EACH "convert.h"
#include "each.h"

/* float32 from and to float16 where both are contiguous, by the processor. */
static void widen_run(char *dst, int64_t dst_step, const char *src, int64_t src_step, int64_t n) {
  if (dst_step == 4 && src_step == 2)
    kiln__widen_f16((float *)dst, (const kiln_f16 *)src, n);
  else
    to_f32_f16(dst, dst_step, src, src_step, n);
}
static void narrow_run(char *dst, int64_t dst_step, const char *src, int64_t src_step, int64_t n) {
  if (dst_step == 2 && src_step == 4)
    kiln__narrow_f16((kiln_f16 *)dst, (const float *)src, n);
  else
    to_f16_f32(dst, dst_step, src, src_step, n);
}

static const convert_run *const converts[KILN_DTYPE_COUNT] = {
    [KILN_FLOAT32] = converts_f32,   [KILN_FLOAT64] = converts_f64, [KILN_FLOAT16] = converts_f16,
    [KILN_BFLOAT16] = converts_bf16, [KILN_INT8] = converts_i8,     [KILN_UINT8] = converts_u8,
    [KILN_INT16] = converts_i16,     [KILN_INT32] = converts_i32,   [KILN_INT64] = converts_i64,
    [KILN_BOOL] = converts_b8,
};

static const convert_run adds[KILN_DTYPE_COUNT] = {
    [KILN_FLOAT32] = add_f32,   [KILN_FLOAT64] = add_f64, [KILN_FLOAT16] = add_f16,
    [KILN_BFLOAT16] = add_bf16, [KILN_INT8] = add_i8,     [KILN_UINT8] = add_u8,
    [KILN_INT16] = add_i16,     [KILN_INT32] = add_i32,   [KILN_INT64] = add_i64,
    [KILN_BOOL] = add_b8,
};

static convert_run converter(int32_t to, int32_t from) {
  if (to == KILN_FLOAT32 && from == KILN_FLOAT16)
    return widen_run;
  if (to == KILN_FLOAT16 && from == KILN_FLOAT32)
    return narrow_run;
  return converts[to][from];
}

void FN(kiln__cpu_convert)(void *dst, int32_t dst_dtype, const void *src, int32_t src_dtype,
                           int64_t n) {
  if (dst_dtype == src_dtype) {
    if (n > 0)
      memmove(dst, src, (size_t)(n * kiln__size_of(dst_dtype)));
    return;
  }
  converter(dst_dtype, src_dtype)(dst, kiln__size_of(dst_dtype), src, kiln__size_of(src_dtype), n);
}

/* -- Transposed copies ----------------------------------------------------------------------------
** Where one dim is contiguous in dst and another in src, the plane of the two is copied tile by
** tile, so that every cache line is used whole. */

enum {
  TILE = 32,
  STRIP_BYTES = 256, /* of a source row in a strip of large results */
  STREAM_COLUMNS = 128,
};

/* The dim that is contiguous in the source while the last one is in the destination, or -1. */
static int32_t plane_of(const kiln_nd *it, int64_t size) {
  int32_t last = it->ndim - 1;
  if (it->stride[0][last] != size || it->stride[1][last] == size || it->stride[1][last] == 0 ||
      it->shape[last] < 8) {
    return -1;
  }
  for (int32_t d = 0; d < last; d++) {
    if (it->stride[1][d] == size && it->shape[d] >= 8)
      return d;
  }
  return -1;
}

/* A strip of large results, by way of a buffer from which whole rows are streamed.  What is read
** next is asked for early: it lies too far apart for the processor to guess. */
static void stream_strip(transpose_fn transpose, char *dst, int64_t dst_step, const char *src,
                         int64_t src_step, int64_t height, int64_t columns, int64_t size) {
  enum { WIDTH = 256, AHEAD = 8, LINE = 64 };
  _Alignas(64) char buffer[STRIP_BYTES * WIDTH];
  for (int64_t first = 0; first < columns; first += WIDTH) {
    int64_t width = columns - first < WIDTH ? columns - first : WIDTH;
    const char *s = src + first * src_step;
    for (int64_t j = 0; j < width; j += AHEAD, s += AHEAD * src_step) {
      int64_t n = width - j < AHEAD ? width - j : AHEAD;
      for (int64_t k = AHEAD; k < 2 * AHEAD && first + j + k < columns; k++) {
        for (int64_t i = 0; i < height * size; i += LINE)
          __builtin_prefetch(s + k * src_step + i);
      }
      transpose(buffer + j * size, WIDTH * size, s, src_step, height, n);
    }
    for (int64_t i = 0; i < height; i++) {
      kiln__stream(dst + i * dst_step + first * size, buffer + i * WIDTH * size, width * size);
    }
  }
  kiln__stream_end();
}

/* A plane: rows and columns of dst, steps in bytes between the rows of each; the height of a strip.
 */
typedef struct plane {
  int64_t rows, columns, dst_step, src_step, size, height;
  bool streamed;
} plane;

/* Strips of the plane, first to last - 1, counted over all outer dims. */
static void copy_strips(const kiln_nd *outer, const plane *p, int64_t first, int64_t last) {
  transpose_fn transpose = transpose_of(p->size);
  int64_t at[KILN_MAX_DIMS], strips = (p->rows + p->height - 1) / p->height;
  for (int64_t s = first; s < last; s++) {
    kiln__nd_seek(outer, s / strips, at);
    int64_t i = s % strips * p->height, rest = p->rows - i;
    int64_t height = rest < p->height ? rest : p->height;
    char *dst = kiln__nd_at(outer, 0, at) + i * p->dst_step;
    const char *src = kiln__nd_at(outer, 1, at) + i * p->size;
    if (p->streamed) {
      stream_strip(transpose, dst, p->dst_step, src, p->src_step, height, p->columns, p->size);
      continue;
    }
    for (int64_t j = 0; j < p->columns; j += TILE) {
      transpose(dst + j * p->size, p->dst_step, src + j * p->src_step, p->src_step, height,
                p->columns - j < TILE ? p->columns - j : TILE);
    }
  }
}

static void copy_plane(const kiln_nd *it, int32_t dim, int64_t size) {
  int32_t last = it->ndim - 1;
  plane p = {.rows = it->shape[dim],
             .columns = it->shape[last],
             .dst_step = it->stride[0][dim],
             .src_step = it->stride[1][last],
             .size = size};
  p.streamed = it->numel * size >= KILN_STREAM_BYTES && p.columns >= STREAM_COLUMNS;
  p.height = p.streamed ? STRIP_BYTES / size : TILE;
  kiln_nd outer = *it;
  outer.ndim = last;
  outer.shape[dim] = 1; /* walked by the strips */
  int64_t strips = it->numel / (p.rows * p.columns) * ((p.rows + p.height - 1) / p.height);
  int64_t grain = KILN_GRAIN / (p.height * p.columns) + 1;
  KILN_PARALLEL(strips, 1, grain, copy_strips(&outer, &p, from, to));
}

/* -- Copies in general ----------------------------------------------------------------------------
 */

/* Elements from to to - 1 in walking order. */
static void copy_rows(const kiln_nd *it, int64_t from, int64_t to, convert_run run, int64_t size) {
  const int32_t last = it->ndim - 1;
  const bool streamed = !run && it->stride[0][last] == size && it->stride[1][last] == size;
  int64_t at[KILN_MAX_DIMS], dst_step = it->stride[0][last], src_step = it->stride[1][last];
  kiln__nd_seek(it, from, at);
  while (from < to) {
    int64_t n = it->shape[last] - at[last];
    if (n > to - from)
      n = to - from;
    char *dst = kiln__nd_at(it, 0, at), *src = kiln__nd_at(it, 1, at);
    if (run)
      run(dst, dst_step, src, src_step, n);
    else if (streamed)
      kiln__move(dst, src, n * size, it->numel * size);
    else
      kiln__run_copy(dst, dst_step, src, src_step, n, size);
    from += n;
    kiln__nd_next_row(it, at);
  }
  kiln__stream_end();
}

void FN(kiln__cpu_write)(const kiln_tensor *dst, const kiln_tensor *src) {
  if (dst->numel == 0)
    return;
  kiln_nd it;
  it.operands = 0;
  kiln__nd_add(&it, dst);
  kiln__nd_add(&it, src);
  kiln__nd_simplify(&it);
  convert_run run = dst->dtype == src->dtype ? NULL : converter(dst->dtype, src->dtype);
  int64_t size = kiln__size_of(dst->dtype);
  int32_t plane = run ? -1 : plane_of(&it, size);
  if (plane >= 0) {
    copy_plane(&it, plane, size);
  } else {
    KILN_PARALLEL(it.numel, 64, KILN_GRAIN, copy_rows(&it, from, to, run, size));
  }
}

/* -- Kernels
 * ---------------------------------------------------------------------------------------- */

static int32_t clone(const kiln_call *c) {
  FN(kiln__cpu_write)(c->out[0], c->in[0]);
  return KILN_OK;
}

/* copy(x, src) and fill(x, value). */
static int32_t copy(const kiln_call *c) {
  FN(kiln__cpu_write)(c->out[0], c->in[1]);
  return KILN_OK;
}

/* slice_set(base, value, size, stride, base_size, base_stride, offset).  Where the base did not lie
** row-major in its storage, that storage is rebuilt, written and read back. */
static int32_t slice_set(const kiln_call *c) {
  const kiln_tensor *out = c->out[0];
  const kiln_list *size = &c->list[0], *stride = &c->list[1];
  const kiln_list *base_size = &c->list[2], *base_stride = &c->list[3];
  if (out->numel == 0)
    return KILN_OK;
  if (kiln__is_row_major(base_size, base_stride)) {
    kiln_tensor region = kiln__region_of(out, size, stride, out->offset + c->attr[0].i);
    FN(kiln__cpu_write)(out, c->in[0]);
    FN(kiln__cpu_write)(&region, c->in[1]);
    return KILN_OK;
  }
  int64_t extent = 1;
  for (int32_t d = 0; d < base_size->n; d++)
    extent += (base_size->v[d] - 1) * base_stride->v[d];
  int64_t bytes = extent * kiln__size_of(out->dtype);
  kiln_storage rebuilt = {.data = kiln__scratch(0, bytes), .bytes = bytes};
  if (!rebuilt.data)
    return KILN_ENOMEM;
  kiln_tensor base = *out;
  base.storage = &rebuilt;
  base = kiln__region_of(&base, base_size, base_stride, 0);
  kiln_tensor region = kiln__region_of(&base, size, stride, c->attr[0].i);
  FN(kiln__cpu_write)(&base, c->in[0]);
  FN(kiln__cpu_write)(&region, c->in[1]);
  FN(kiln__cpu_write)(out, &base);
  kiln__scratch_free(0, rebuilt.data, bytes);
  return KILN_OK;
}

/* Zeros, then g added at the places of a view.  Where the view repeats elements one thread adds in
** order, so the sum is always the same. */
static int32_t as_strided_add(const kiln_call *c) {
  const kiln_tensor *g = c->in[0], *out = c->out[0];
  if (out->numel == 0)
    return KILN_OK;
  int64_t size = kiln__size_of(out->dtype), bytes = out->numel * size;
  memset(kiln__data(out), 0, (size_t)bytes);
  kiln_tensor region = kiln__region_of(out, &c->list[1], &c->list[2], out->offset + c->attr[0].i);
  if (region.numel == 0)
    return KILN_OK;
  if (!kiln__may_overlap(&region)) {
    FN(kiln__cpu_write)(&region, g);
    return KILN_OK;
  }
  kiln_nd it;
  it.operands = 0;
  kiln__nd_add(&it, &region);
  kiln__nd_add(&it, g);
  kiln__nd_simplify(&it);
  copy_rows(&it, 0, it.numel, adds[out->dtype], size);
  return KILN_OK;
}

static const kiln_entry copy_kernels[] = {
    {KILN_OP_CLONE, KILN_D_ALL, 0, clone},
    {KILN_OP_CAST, KILN_D_ALL, 0, clone},
    {KILN_OP_COPY, KILN_D_ALL, KILN_K_STRIDED_OUT, copy},
    {KILN_OP_FILL, KILN_D_ALL, KILN_K_STRIDED_OUT, copy},
    {KILN_OP_SLICE_SET, KILN_D_ALL, 0, slice_set},
    {KILN_OP_AS_STRIDED_ADD, KILN_D_ALL, 0, as_strided_add},
};

void FN(kiln__cpu_copy)(kiln_slot (*table)[KILN_DTYPE_COUNT]);
void FN(kiln__cpu_copy)(kiln_slot (*table)[KILN_DTYPE_COUNT]) {
  KILN_CPU_ENTRIES(table, copy_kernels);
}
