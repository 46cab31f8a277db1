/* pool.c: the kernels of pooling: planes of up to three dims, each plane worked on by one thread.
 */
#include "cpu.h"

enum { STRIP = 256 };

/* Windows over planes: `in` is what windows lie over, `out` has one entry a window.  Unused leading
** dims have size 1.  x and y are what is read and written, whichever has which size. */
typedef struct pool_job {
  const void *x, *samples; /* fractional: one number a dim of a plane, or NULL */
  void *y;
  int64_t *positions;
  int64_t planes, in[3], out[3], dims; /* dims: of what the samples are for */
  int64_t window[3], stride[3], padding[3], dilation[3];
  int64_t divisor; /* average: KILN_NONE for the window's size */
  bool count_padding, add;
  bool *wrong; /* set where a position lies outside its plane */
} pool_job;

static int64_t volume(const int64_t *v) { return v[0] * v[1] * v[2]; }

/* Taps of a window along a dim: first..last. */
typedef struct taps {
  int64_t first, last;
} taps;

/* The taps along dim i that lie in the plane for some output from `o` to `most`. */
static inline taps taps_of(const pool_job *j, int i, int64_t o, int64_t most) {
  int64_t step = j->dilation[i], before = j->padding[i] - most * j->stride[i];
  int64_t room = j->in[i] + j->padding[i] - o * j->stride[i];
  taps t = {before > 0 ? before : 0, room > 0 ? room : 0};
  if (step != 1)
    t.first = (t.first + step - 1) / step, t.last = (t.last + step - 1) / step;
  if (t.last > j->window[i])
    t.last = j->window[i];
  return t;
}

/* The outputs whose tap at column `from` + i * stride lies in the row. */
static void tap_range(const pool_job *j, int64_t from, int64_t *first, int64_t *last) {
  int64_t step = j->stride[2];
  *first = from >= 0 ? 0 : (-from + step - 1) / step;
  *last = from >= j->in[2] ? 0 : (j->in[2] - 1 - from) / step + 1;
  if (*last > j->out[2])
    *last = j->out[2];
}

/* The same windows from output column `left` on, at most STRIP of them, and no more than one where
** a stride passes the whole row, so that no tap lies between the windows of a strip: moving right
*by
** `left` windows is like having that much less padding. */
static pool_job narrowed(const pool_job *j, int64_t left) {
  pool_job strip = *j;
  int64_t rest = j->out[2] - left, most = j->stride[2] > j->in[2] ? 1 : STRIP;
  strip.out[2] = rest < most ? rest : most;
  strip.padding[2] -= left * j->stride[2];
  return strip;
}

/* How far window o reaches along dim i, with or without padding. */
static inline int64_t reach_of(const pool_job *j, int i, int64_t o) {
  int64_t edge = j->count_padding ? j->padding[i] : 0;
  int64_t first = o * j->stride[i] - j->padding[i], last = first + j->window[i];
  return (last < j->in[i] + edge ? last : j->in[i] + edge) - (first > -edge ? first : -edge);
}

/* What the sum over window (oz, oy, ox) is divided by: lines of cells, as many as int64 counts. */
static inline int64_t lines_of(const pool_job *j, int64_t oz, int64_t oy) {
  int64_t lines = reach_of(j, 0, oz) * reach_of(j, 1, oy), most = INT64_MAX / j->window[2];
  return lines < most ? lines : most;
}
static inline int64_t cells_of(const pool_job *j, int64_t lines, int64_t ox) {
  return j->divisor != KILN_NONE ? j->divisor : lines * reach_of(j, 2, ox);
}

/* Where the window of an output lies: evenly spread over the plane, or by the plane's samples. */
typedef struct bounds {
  int64_t first[3], last[3], count;
} bounds;

static void fractional_bounds(const pool_job *j, int64_t p, const int64_t *o, bounds *b) {
  b->first[0] = 0;
  b->last[0] = 1;
  for (int i = 3 - (int)j->dims; i < 3; i++) {
    /* Samples come as (w, h) or (d, h, w), PyTorch's orders. */
    double u = ((const double *)j->samples)[j->dims * p + (j->dims == 2 ? 2 - i : i)];
    int64_t room = j->in[i] - j->window[i];
    double alpha = j->out[i] > 1 ? (double)room / (double)(j->out[i] - 1) : 0;
    int64_t first = (int64_t)(((double)o[i] + u) * alpha) - (int64_t)(u * alpha);
    if (o[i] == j->out[i] - 1 || first > room)
      first = room;
    b->first[i] = first;
    b->last[i] = first + j->window[i];
  }
}

static void bounds_of(const pool_job *j, int64_t p, int64_t out, bounds *b) {
  int64_t o[3] = {out / (j->out[1] * j->out[2]), out / j->out[2] % j->out[1], out % j->out[2]};
  b->count = 1;
  if (j->samples) {
    fractional_bounds(j, p, o, b);
    return;
  }
  for (int i = 0; i < 3; i++) {
    b->first[i] = o[i] * j->in[i] / j->out[i];
    b->last[i] = ((o[i] + 1) * j->in[i] + j->out[i] - 1) / j->out[i];
    b->count *= b->last[i] - b->first[i];
  }
}

#define EACH_NO_BOOL
#define EACH "pool_each.h"
#include "each.h"

#define PICK(dtype, name) ((dtype) == KILN_FLOAT64 ? name##_f64 : name##_f32)

typedef void plane_loop(const pool_job *j, int64_t from, int64_t to);

static plane_loop *const max_loops[KILN_DTYPE_COUNT] = {
    [KILN_FLOAT32] = max_planes_f32, [KILN_FLOAT64] = max_planes_f64, [KILN_INT8] = max_planes_i8,
    [KILN_UINT8] = max_planes_u8,    [KILN_INT16] = max_planes_i16,   [KILN_INT32] = max_planes_i32,
    [KILN_INT64] = max_planes_i64,
};
static plane_loop *const avg_loops[KILN_DTYPE_COUNT] = {
    [KILN_FLOAT32] = avg_planes_f32,
    [KILN_FLOAT64] = avg_planes_f64,
    [KILN_INT64] = avg_planes_i64,
};

/* -- Jobs ------------------------------------------------------------------------------------ */

/* The last n dims of a tensor as three. */
static void plane_of(const kiln_tensor *x, int32_t n, int64_t *plane) {
  for (int32_t i = 0; i < 3; i++)
    plane[i] = i < 3 - n ? 1 : x->shape[x->ndim - 3 + i];
}

static void spread(const kiln_list *l, int32_t n, int64_t otherwise, int64_t *to) {
  for (int32_t i = 0; i < 3; i++) {
    int32_t k = i - (3 - n);
    to[i] = k < 0 ? otherwise : l->v[l->n == 1 ? 0 : k];
  }
}

/* Windows of the plane of `in`, one a place in the plane of `out`; n dims. */
static pool_job job_of(const kiln_call *c, const kiln_tensor *in, const kiln_tensor *out,
                       int32_t n) {
  pool_job j = {.x = kiln__data(c->in[0]), .y = kiln__data(c->out[0]), .divisor = KILN_NONE};
  plane_of(in, n, j.in);
  plane_of(out, n, j.out);
  j.planes = 1;
  for (int32_t i = 0; i < in->ndim - n; i++)
    j.planes *= in->shape[i];
  return j;
}

static void set_windows(pool_job *j, const kiln_list *l, int32_t n) {
  kiln_list one = {1, {1}};
  spread(l, n, 1, j->window);
  spread(l + 1, n, 1, j->stride);
  spread(l + 2, n, 0, j->padding);
  spread(&one, n, 1, j->dilation);
}

/* Elements that a plane costs whose windows lie at even steps: a window reads no more than it. */
static int64_t cost_of(const pool_job *j) {
  int64_t cost = volume(j->out);
  for (int i = 0; i < 3; i++)
    cost *= j->window[i] < j->in[i] ? j->window[i] : j->in[i];
  return cost;
}

/* `work`: elements that a plane costs. */
static int32_t run(const pool_job *j, plane_loop *loop, int64_t work) {
  KILN_PARALLEL(j->planes, 1, KILN_GRAIN / (work + 1) + 1, loop(j, from, to));
  return KILN_OK;
}

/* -- Kernels --------------------------------------------------------------------------------- */

static int32_t max_pool(const kiln_call *c) {
  int32_t n = c->list[0].n;
  pool_job j = job_of(c, c->in[0], c->out[0], n);
  set_windows(&j, c->list, n);
  spread(&c->list[3], n, 1, j.dilation);
  j.positions = kiln__data(c->out[1]);
  return run(&j, max_loops[c->in[0]->dtype], cost_of(&j));
}

static int32_t avg_pool(const kiln_call *c) {
  int32_t n = c->list[0].n;
  pool_job j = job_of(c, c->in[0], c->out[0], n);
  set_windows(&j, c->list, n);
  j.count_padding = c->attr[1].i != 0;
  j.divisor = c->attr[2].i;
  return run(&j, avg_loops[c->in[0]->dtype], cost_of(&j));
}

static int32_t avg_pool_dx(const kiln_call *c) {
  int32_t n = c->list[0].n;
  pool_job j = job_of(c, c->out[0], c->in[0], n);
  set_windows(&j, c->list + 1, n);
  j.count_padding = c->attr[1].i != 0;
  j.divisor = c->attr[2].i;
  return run(&j, PICK(c->in[0]->dtype, avg_dx_planes), cost_of(&j));
}

static int32_t adaptive_max_pool(const kiln_call *c) {
  pool_job j = job_of(c, c->in[0], c->out[0], c->list[0].n);
  j.positions = kiln__data(c->out[1]);
  return run(&j, PICK(c->in[0]->dtype, bounded_max_planes), volume(j.in));
}

static int32_t adaptive_avg_pool(const kiln_call *c) {
  pool_job j = job_of(c, c->in[0], c->out[0], c->list[0].n);
  return run(&j, PICK(c->in[0]->dtype, bounded_avg_planes), volume(j.in));
}

static int32_t adaptive_avg_pool_dx(const kiln_call *c) {
  pool_job j = job_of(c, c->out[0], c->in[0], c->list[0].n);
  return run(&j, PICK(c->in[0]->dtype, bounded_avg_dx_planes), volume(j.in));
}

static int32_t fractional_max_pool(const kiln_call *c) {
  const kiln_tensor *samples = c->in[1];
  int32_t n = c->list[0].n;
  pool_job j = job_of(c, c->in[0], c->out[0], n);
  int64_t bytes = samples->numel * (int64_t)sizeof(double);
  double *u = kiln__scratch(samples->device, bytes);
  if (!u)
    return KILN_ENOMEM;
  kiln_convert(u, KILN_FLOAT64, kiln__data(samples), samples->dtype, samples->numel);
  int32_t status = KILN_OK;
  for (int64_t i = 0; i < samples->numel && status == KILN_OK; i++) {
    if (u[i] >= 0 && u[i] < 1)
      continue;
    status =
        kiln_fail(KILN_EARG, "fractional_max_pool: sample %g at position %lld is not in [0, 1)",
                  u[i], (long long)i + 1);
  }
  spread(&c->list[0], n, 1, j.window);
  j.samples = u;
  j.dims = n;
  j.positions = kiln__data(c->out[1]);
  if (status == KILN_OK)
    run(&j, PICK(c->in[0]->dtype, bounded_max_planes), volume(j.in));
  kiln__scratch_free(samples->device, u, bytes);
  return status;
}

/* Names the first position that is not in a plane of `size` elements. */
static int32_t refuse_positions(const kiln_tensor *positions, int64_t size, const char *op) {
  const int64_t *p = kiln__data(positions);
  int64_t i = 0;
  while (p[i] >= KILN_INDEX_BASE && p[i] < size + KILN_INDEX_BASE)
    i++;
  return kiln_fail(KILN_EARG, "%s: position %lld (entry %lld) is not in 1..%lld", op,
                   (long long)p[i], (long long)i + 1, (long long)size);
}

static int32_t max_unpool(const kiln_call *c) {
  int32_t n = c->list[0].n;
  bool wrong = false;
  pool_job j = job_of(c, c->in[0], c->out[0], n);
  j.positions = kiln__data(c->in[1]);
  j.add = c->attr[0].i != 0;
  j.wrong = &wrong;
  run(&j, PICK(c->in[0]->dtype, put_planes), volume(j.in) + volume(j.out));
  return wrong ? refuse_positions(c->in[1], volume(j.out), "max_unpool") : KILN_OK;
}

static int32_t max_unpool_dx(const kiln_call *c) {
  bool wrong = false;
  pool_job j = job_of(c, c->in[0], c->out[0], (int32_t)c->attr[0].i);
  j.positions = kiln__data(c->in[1]);
  j.wrong = &wrong;
  run(&j, PICK(c->in[0]->dtype, take_planes), volume(j.out));
  return wrong ? refuse_positions(c->in[1], volume(j.in), "max_unpool_dx") : KILN_OK;
}

static const kiln_entry pool_kernels[] = {
    {KILN_OP_MAX_POOL, KILN_D_REAL, KILN_K_CONTIGUOUS, max_pool},
    {KILN_OP_AVG_POOL, KILN_D_FLOAT | KILN_D(KILN_INT64), KILN_K_CONTIGUOUS, avg_pool},
    {KILN_OP_AVG_POOL_DX, KILN_D_FLOAT, KILN_K_CONTIGUOUS, avg_pool_dx},
    {KILN_OP_ADAPTIVE_MAX_POOL, KILN_D_FLOAT, KILN_K_CONTIGUOUS, adaptive_max_pool},
    {KILN_OP_ADAPTIVE_AVG_POOL, KILN_D_FLOAT, KILN_K_CONTIGUOUS, adaptive_avg_pool},
    {KILN_OP_ADAPTIVE_AVG_POOL_DX, KILN_D_FLOAT, KILN_K_CONTIGUOUS, adaptive_avg_pool_dx},
    {KILN_OP_FRACTIONAL_MAX_POOL, KILN_D_FLOAT, KILN_K_CONTIGUOUS, fractional_max_pool},
    {KILN_OP_MAX_UNPOOL, KILN_D_FLOAT, KILN_K_CONTIGUOUS, max_unpool},
    {KILN_OP_MAX_UNPOOL_DX, KILN_D_FLOAT, KILN_K_CONTIGUOUS, max_unpool_dx},
};

void FN(kiln__cpu_pool)(kiln_slot (*table)[KILN_DTYPE_COUNT]) {
  KILN_CPU_ENTRIES(table, pool_kernels);
}
