/* norm.c: the kernels of batch, layer, RMS and group normalisation and of their gradients. */
#include "cpu.h"
#include "stream.h"

enum { PIECE = 2048, STRIP = 64, MOST_BLOCKS = 32 };

/* What a normalisation reads and writes; y is the output, or the gradient of x. */
typedef struct norm_job {
  const void *x, *g, *weight, *bias;
  void *y, *mean, *var, *dweight, *dbias, *partial;
  int64_t n, channels, plane; /* batch and group: x is [n, channels, plane]; layer: [n, plane] */
  int64_t members;            /* channels of a group */
  int64_t blocks, rows;       /* layer gradients: so many blocks of so many rows */
  int64_t step;               /* between the sums of a block, in elements */
  double eps;
  bool centred;  /* layer; RMS is not */
  bool streamed; /* layer: the output is large, and written past the caches */
} norm_job;

#define EACH_FLOATS_ONLY
#define EACH "norm_each.h"
#include "each.h"

#define PICK(dtype, name) ((dtype) == KILN_FLOAT64 ? name##_f64 : name##_f32)

static void *data_of(const kiln_tensor *x) { return x ? kiln__data(x) : NULL; }

static norm_job job_of(const kiln_tensor *x, const kiln_tensor *weight, kiln_tensor *y,
                       double eps) {
  norm_job j = {.x = kiln__data(x), .weight = data_of(weight), .y = kiln__data(y), .eps = eps};
  j.n = x->shape[0];
  j.channels = x->shape[1];
  j.plane = x->numel == 0 ? 0 : x->numel / (j.n * j.channels);
  return j;
}

/* Elements a thread should have, as units of `size` elements. */
static int64_t grain(int64_t size) { return KILN_GRAIN / (size + 1) + 1; }

/* -- Batch normalisation --------------------------------------------------------------------------
 */

static void by_channels(const norm_job *j, int32_t dtype, bool backward) {
  if (j->plane == 1) {
    int64_t strips = (j->channels + STRIP - 1) / STRIP;
    KILN_PARALLEL(
        strips, 1, grain(j->n * STRIP),
        (backward ? PICK(dtype, batch_dx_strips) : PICK(dtype, batch_strips))(j, from, to));
  } else {
    KILN_PARALLEL(
        j->channels, 1, grain(j->n * j->plane),
        (backward ? PICK(dtype, batch_dx_channels) : PICK(dtype, batch_channels))(j, from, to));
  }
}

static int32_t batch_norm_train(const kiln_call *c) {
  const kiln_tensor *x = c->in[0];
  norm_job j = job_of(x, c->in[1], c->out[0], c->attr[0].f);
  j.bias = data_of(c->in[2]);
  j.mean = kiln__data(c->out[1]);
  j.var = kiln__data(c->out[2]);
  by_channels(&j, x->dtype, false);
  return KILN_OK;
}

static int32_t batch_norm_dx(const kiln_call *c) {
  const kiln_tensor *x = c->in[1];
  norm_job j = job_of(x, c->in[2], c->out[0], c->attr[0].f);
  j.g = kiln__data(c->in[0]);
  j.mean = kiln__data(c->in[3]);
  j.var = kiln__data(c->in[4]);
  j.dweight = kiln__data(c->out[1]);
  j.dbias = kiln__data(c->out[2]);
  by_channels(&j, x->dtype, true);
  return KILN_OK;
}

static int32_t batch_norm_eval(const kiln_call *c) {
  const kiln_tensor *x = c->in[0];
  norm_job j = job_of(x, c->in[3], c->out[0], c->attr[0].f);
  j.bias = data_of(c->in[4]);
  j.mean = kiln__data(c->in[1]);
  j.var = kiln__data(c->in[2]);
  KILN_PARALLEL(j.plane > 0 ? j.n * j.channels : 0, 1, grain(j.plane),
                PICK(x->dtype, batch_eval)(&j, from, to));
  return KILN_OK;
}

/* -- Layer and RMS normalisation ------------------------------------------------------------- */

static norm_job layer_job(const kiln_call *c, const kiln_tensor *x, int32_t weight, bool centred) {
  norm_job j = {.x = kiln__data(x),
                .weight = data_of(c->in[weight]),
                .y = kiln__data(c->out[0]),
                .eps = c->attr[0].f,
                .centred = centred,
                .plane = 1};
  for (int32_t i = 0; i < c->list[0].n; i++)
    j.plane *= c->list[0].v[i];
  j.n = j.plane > 0 ? x->numel / j.plane : 0;
  return j;
}

static int32_t layer(const kiln_call *c, bool centred) {
  const kiln_tensor *x = c->in[0];
  norm_job j = layer_job(c, x, 1, centred);
  if (centred)
    j.bias = data_of(c->in[2]);
  j.streamed = x->numel * kiln__size_of(x->dtype) >= KILN_STREAM_BYTES;
  KILN_PARALLEL(j.n, 1, grain(j.plane), PICK(x->dtype, layer_rows)(&j, from, to));
  return KILN_OK;
}

static int32_t layer_norm(const kiln_call *c) { return layer(c, true); }
static int32_t rms_norm(const kiln_call *c) { return layer(c, false); }

static int32_t layer_dx(const kiln_call *c, bool centred) {
  const kiln_tensor *x = c->in[1];
  norm_job j = layer_job(c, x, 2, centred);
  j.g = kiln__data(c->in[0]);
  j.dweight = kiln__data(c->out[1]);
  j.dbias = centred ? kiln__data(c->out[2]) : NULL;
  j.rows = (j.n + MOST_BLOCKS - 1) / MOST_BLOCKS;
  if (j.rows < 8)
    j.rows = 8;
  j.blocks = (j.n + j.rows - 1) / j.rows;
  /* Half a page more than whole pages: writes to one sum must not look, by the last bits of their
  ** address, like writes to what is read next of the other. */
  j.step = (j.plane + 1023) / 1024 * 1024 + 512;
  int64_t bytes = 2 * (j.blocks * j.step + 1) * kiln__size_of(x->dtype);
  j.partial = kiln__scratch(x->device, bytes);
  if (!j.partial)
    return KILN_ENOMEM;
  KILN_PARALLEL(j.blocks, 1, grain(j.rows * j.plane),
                PICK(x->dtype, layer_dx_blocks)(&j, from, to));
  KILN_PARALLEL(j.plane, 16, grain(2 * j.blocks), PICK(x->dtype, layer_dx_sum)(&j, from, to));
  kiln__scratch_free(x->device, j.partial, bytes);
  return KILN_OK;
}

static int32_t layer_norm_dx(const kiln_call *c) { return layer_dx(c, true); }
static int32_t rms_norm_dx(const kiln_call *c) { return layer_dx(c, false); }

/* -- Group normalisation --------------------------------------------------------------------- */

static int32_t group_norm(const kiln_call *c) {
  const kiln_tensor *x = c->in[0];
  int64_t groups = c->attr[0].i;
  norm_job j = job_of(x, c->in[1], c->out[0], c->attr[1].f);
  j.bias = data_of(c->in[2]);
  j.members = j.channels / groups;
  if (x->numel == 0)
    return KILN_OK;
  KILN_PARALLEL(j.n * groups, 1, grain(j.members * j.plane),
                PICK(x->dtype, group_units)(&j, from, to));
  return KILN_OK;
}

static int32_t group_norm_dx(const kiln_call *c) {
  const kiln_tensor *x = c->in[1];
  int64_t groups = c->attr[0].i;
  norm_job j = job_of(x, c->in[2], c->out[0], c->attr[1].f);
  int64_t bytes = (2 * j.n * j.channels + 1) * (int64_t)sizeof(double);
  j.g = kiln__data(c->in[0]);
  j.members = j.channels / groups;
  j.dweight = kiln__data(c->out[1]);
  j.dbias = kiln__data(c->out[2]);
  j.partial = kiln__scratch(x->device, bytes);
  if (!j.partial)
    return KILN_ENOMEM;
  if (j.plane > 0) {
    KILN_PARALLEL(j.n * groups, 1, grain(j.members * j.plane),
                  PICK(x->dtype, group_dx_units)(&j, from, to));
  } else {
    memset(j.partial, 0, (size_t)bytes);
  }
  KILN_PARALLEL(j.channels, 16, grain(2 * j.n), PICK(x->dtype, group_dx_sum)(&j, from, to));
  kiln__scratch_free(x->device, j.partial, bytes);
  return KILN_OK;
}

static const kiln_entry norm_kernels[] = {
    {KILN_OP_BATCH_NORM_TRAIN, KILN_D_FLOAT, KILN_K_CONTIGUOUS, batch_norm_train},
    {KILN_OP_BATCH_NORM_EVAL, KILN_D_FLOAT, KILN_K_CONTIGUOUS, batch_norm_eval},
    {KILN_OP_BATCH_NORM_DX, KILN_D_FLOAT, KILN_K_CONTIGUOUS, batch_norm_dx},
    {KILN_OP_LAYER_NORM, KILN_D_FLOAT, KILN_K_CONTIGUOUS, layer_norm},
    {KILN_OP_LAYER_NORM_DX, KILN_D_FLOAT, KILN_K_CONTIGUOUS, layer_norm_dx},
    {KILN_OP_RMS_NORM, KILN_D_FLOAT, KILN_K_CONTIGUOUS, rms_norm},
    {KILN_OP_RMS_NORM_DX, KILN_D_FLOAT, KILN_K_CONTIGUOUS, rms_norm_dx},
    {KILN_OP_GROUP_NORM, KILN_D_FLOAT, KILN_K_CONTIGUOUS, group_norm},
    {KILN_OP_GROUP_NORM_DX, KILN_D_FLOAT, KILN_K_CONTIGUOUS, group_norm_dx},
};

void FN(kiln__cpu_norm)(kiln_slot (*table)[KILN_DTYPE_COUNT]) {
  KILN_CPU_ENTRIES(table, norm_kernels);
}
