/* onednn.c: float32 convolutions and matrix products by oneDNN.
**
** Primitives are made for one thread and run side by side on parts of the work that depend on the
** shape alone, so results are equal to the bit for any number of threads; a part is small enough
** that its change of layout stays in cache.  What a shape needs is made once and kept.  It refuses
** to choose: callers decide what comes here.
*/
#include "onednn.h"
#include "gemm.h"

#include <oneapi/dnnl/dnnl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

/* The stack pointer is one of the registers in which oneDNN's products, and convolutions made of
** products, keep their operands: the frame of a signal that came meanwhile would be written over
** whatever lies before these.  So signals wait, whoever asked for them. */
static sigset_t hold_signals(void) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  return before;
}
static void let_signals(sigset_t before) { pthread_sigmask(SIG_SETMASK, &before, NULL); }

void kiln__onednn_sgemm(bool ta, bool tb, int64_t m, int64_t n, int64_t k, float alpha,
                        const float *a, int64_t lda, const float *b, int64_t ldb, float beta,
                        float *c, int64_t ldc) {
  sigset_t before = hold_signals();
  dnnl_sgemm(ta ? 'T' : 'N', tb ? 'T' : 'N', m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  let_signals(before);
}

/* -- Plans: what one shape needs ------------------------------------------------------------- */

/* Compared as bytes, so it is zeroed before it is filled. */
typedef struct plan_key {
  kiln_conv part; /* the convolution that one primitive computes */
  int64_t ca, cb; /* channels of the whole tensors, which set the strides */
  int32_t which, bias, threads;
} plan_key;

typedef struct plan plan;
struct plan {
  plan_key key;
  plan *next;
  bool cached;
  dnnl_primitive_t run, reorder[3];                  /* NULL where the layouts agree */
  dnnl_memory_desc_t user[3], own[3], bias, scratch; /* by kiln_conv_result */
  size_t bytes[3], scratch_bytes;                    /* of own layouts; 0 where they agree */
};

enum { PLAN_BUCKETS = 256, PLAN_MOST = 1024 };

static struct {
  pthread_mutex_t lock;
  dnnl_engine_t engine;
  plan *bucket[PLAN_BUCKETS];
  int32_t n;
} plans = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void plan_free(plan *p) {
  if (!p)
    return;
  if (p->run)
    dnnl_primitive_destroy(p->run);
  for (int i = 0; i < 3; i++) {
    if (p->reorder[i])
      dnnl_primitive_destroy(p->reorder[i]);
  }
  free(p);
}

/* Which operand is brought into oneDNN's layout once and read by many parts. */
static kiln_conv_result shared_operand(kiln_conv_result which) {
  return which == KILN_CONV_W ? KILN_CONV_A : KILN_CONV_W;
}

/* Spatial dims that oneDNN needs to see: a leading dim of size 1 is left out. */
static int32_t spatial_dims(const kiln_conv *g) {
  bool flat = g->in[0] == 1 && g->out[0] == 1 && g->kernel[0] == 1 && g->padding[0] == 0;
  return flat ? 2 : 3;
}

/* The tensors as the caller holds them: row-major, channels a slice of ca or cb. */
static bool describe_user(plan *p) {
  const kiln_conv *g = &p->key.part;
  int32_t nd = spatial_dims(g), skip = 3 - nd;
  dnnl_dims_t dims = {0}, stride = {0};
  const int64_t *spatial[3] = {g->in + skip, g->kernel + skip, g->out + skip};
  for (int32_t t = 0; t < 3; t++) {
    int32_t n = 0;
    if (t == KILN_CONV_W) {
      if (g->groups > 1)
        dims[n++] = g->groups;
      dims[n++] = g->cb / g->groups;
      dims[n++] = g->ca / g->groups;
    } else {
      dims[n++] = g->n;
      dims[n++] = t == KILN_CONV_A ? g->ca : g->cb;
    }
    for (int32_t i = 0; i < nd; i++)
      dims[n++] = spatial[t][i];
    int64_t step = 1;
    for (int32_t i = n - 1; i >= 0; i--) {
      int64_t size = dims[i];
      stride[i] = step;
      /* The dim that may be a slice sets the next stride by its whole size. */
      if (t == KILN_CONV_A && i == 1)
        size = p->key.ca;
      if (t == KILN_CONV_B && i == 1)
        size = p->key.cb;
      if (t == KILN_CONV_W && i == 1 && g->groups == 1)
        size = p->key.ca;
      step *= size;
    }
    if (dnnl_memory_desc_init_by_strides(&p->user[t], n, dims, dnnl_f32, stride))
      return false;
    if (dnnl_memory_desc_init_by_tag(&p->own[t], n, dims, dnnl_f32, dnnl_format_tag_any))
      return false;
  }
  dims[0] = g->cb;
  return !p->key.bias || !dnnl_memory_desc_init_by_tag(&p->bias, 1, dims, dnnl_f32, dnnl_a);
}

static bool describe_conv(plan *p, dnnl_primitive_desc_t *pd, dnnl_primitive_desc_t *hint) {
  const kiln_conv *g = &p->key.part;
  int32_t skip = 3 - spatial_dims(g);
  dnnl_dims_t s = {0}, d = {0}, pad = {0};
  for (int32_t i = skip; i < 3; i++) {
    s[i - skip] = g->stride[i];
    d[i - skip] = g->dilation[i] - 1;
    pad[i - skip] = g->padding[i];
  }
  const dnnl_memory_desc_t *bias = p->key.bias ? &p->bias : NULL;
  dnnl_convolution_desc_t desc;
  dnnl_primitive_attr_t attr;
  if (dnnl_primitive_attr_create(&attr))
    return false;
  dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user);
  bool ok = !dnnl_dilated_convolution_forward_desc_init(
                &desc, dnnl_forward_training, dnnl_convolution_direct, &p->own[KILN_CONV_A],
                &p->own[KILN_CONV_W], bias, &p->own[KILN_CONV_B], s, d, pad, pad) &&
            !dnnl_primitive_desc_create(pd, &desc, attr, plans.engine, NULL);
  if (ok && p->key.which != KILN_CONV_B) {
    *hint = *pd;
    *pd = NULL;
    dnnl_status_t status =
        p->key.which == KILN_CONV_A
            ? dnnl_dilated_convolution_backward_data_desc_init(
                  &desc, dnnl_convolution_direct, &p->own[KILN_CONV_A], &p->own[KILN_CONV_W],
                  &p->own[KILN_CONV_B], s, d, pad, pad)
            : dnnl_dilated_convolution_backward_weights_desc_init(
                  &desc, dnnl_convolution_direct, &p->own[KILN_CONV_A], &p->own[KILN_CONV_W], NULL,
                  &p->own[KILN_CONV_B], s, d, pad, pad);
    ok = !status && !dnnl_primitive_desc_create(pd, &desc, attr, plans.engine, *hint);
  }
  dnnl_primitive_attr_destroy(attr);
  return ok;
}

/* Takes the layouts that the primitive chose and prepares the way there or back. */
static bool choose_layouts(plan *p, const_dnnl_primitive_desc_t pd) {
  static const dnnl_query_t query[3][3] = {
      [KILN_CONV_A] = {dnnl_query_diff_src_md, dnnl_query_weights_md, dnnl_query_diff_dst_md},
      [KILN_CONV_W] = {dnnl_query_src_md, dnnl_query_diff_weights_md, dnnl_query_diff_dst_md},
      [KILN_CONV_B] = {dnnl_query_src_md, dnnl_query_weights_md, dnnl_query_dst_md},
  };
  kiln_conv_result which = (kiln_conv_result)p->key.which, shared = shared_operand(which);
  for (int32_t t = 0; t < 3; t++) {
    p->own[t] = *dnnl_primitive_desc_query_md(pd, query[which][t], 0);
    if (dnnl_memory_desc_equal(&p->own[t], &p->user[t]))
      continue;
    bool parallel = t == (int32_t)shared || (t == (int32_t)which && t == KILN_CONV_W);
    omp_set_num_threads(parallel ? p->key.threads : 1);
    const dnnl_memory_desc_t *from = t == (int32_t)which ? &p->own[t] : &p->user[t];
    const dnnl_memory_desc_t *to = t == (int32_t)which ? &p->user[t] : &p->own[t];
    dnnl_primitive_desc_t reorder;
    if (dnnl_reorder_primitive_desc_create(&reorder, from, plans.engine, to, plans.engine, NULL))
      return false;
    bool made = !dnnl_primitive_create(&p->reorder[t], reorder);
    dnnl_primitive_desc_destroy(reorder);
    if (!made)
      return false;
    p->bytes[t] = (dnnl_memory_desc_get_size(&p->own[t]) + 63) & ~(size_t)63;
  }
  p->scratch = *dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0);
  p->scratch_bytes = (dnnl_memory_desc_get_size(&p->scratch) + 63) & ~(size_t)63;
  return true;
}

/* NULL where oneDNN has nothing better than its reference loops. */
static plan *plan_make(const plan_key *key) {
  plan *p = calloc(1, sizeof *p);
  dnnl_primitive_desc_t pd = NULL, hint = NULL;
  const char *name = "ref";
  if (!p)
    return NULL;
  p->key = *key;
  int most = omp_get_max_threads();
  omp_set_num_threads(1); /* what a primitive is made for */
  bool ok = describe_user(p) && describe_conv(p, &pd, &hint) &&
            !dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &name) &&
            strncmp(name, "ref", 3) != 0 && !dnnl_primitive_create(&p->run, pd) &&
            choose_layouts(p, pd);
  omp_set_num_threads(most);
  if (pd)
    dnnl_primitive_desc_destroy(pd);
  if (hint)
    dnnl_primitive_desc_destroy(hint);
  if (ok)
    return p;
  plan_free(p);
  return NULL;
}

static plan *plan_get(const plan_key *key) {
  uint64_t h = 1469598103934665603u;
  const int64_t *word = (const int64_t *)(const void *)key;
  _Static_assert(sizeof(plan_key) % sizeof(int64_t) == 0, "hashed as words");
  for (size_t i = 0; i < sizeof *key / sizeof *word; i++) {
    h = (h ^ (uint64_t)word[i]) * 1099511628211u;
  }
  plan **bucket = &plans.bucket[(h >> 32) % PLAN_BUCKETS], *p;
  pthread_mutex_lock(&plans.lock);
  for (p = *bucket; p && memcmp(&p->key, key, sizeof *key) != 0;)
    p = p->next;
  if (!p && (plans.engine || !dnnl_engine_create(&plans.engine, dnnl_cpu, 0))) {
    p = plan_make(key);
    if (p && plans.n < PLAN_MOST) {
      p->cached = true;
      p->next = *bucket;
      *bucket = p;
      plans.n++;
    }
  }
  pthread_mutex_unlock(&plans.lock);
  return p;
}

/* -- Running --------------------------------------------------------------------------------- */

typedef struct argument {
  int index;
  const dnnl_memory_desc_t *layout;
  void *data;
} argument;

static bool execute(dnnl_primitive_t primitive, const argument *args, int n) {
  dnnl_exec_arg_t exec[5];
  dnnl_stream_t stream = NULL;
  int made = 0;
  bool ok = !dnnl_stream_create(&stream, plans.engine, dnnl_stream_default_flags);
  for (; ok && made < n; made++) {
    exec[made].arg = args[made].index;
    ok = !dnnl_memory_create(&exec[made].memory, args[made].layout, plans.engine, args[made].data);
    if (!ok)
      break;
  }
  sigset_t before = hold_signals();
  ok = ok && !dnnl_primitive_execute(primitive, stream, n, exec) && !dnnl_stream_wait(stream);
  let_signals(before);
  while (made > 0)
    dnnl_memory_destroy(exec[--made].memory);
  if (stream)
    dnnl_stream_destroy(stream);
  return ok;
}

static bool reorder(const plan *p, int32_t t, void *from, void *to) {
  bool out = t == p->key.which;
  argument args[] = {{DNNL_ARG_FROM, out ? &p->own[t] : &p->user[t], from},
                     {DNNL_ARG_TO, out ? &p->user[t] : &p->own[t], to}};
  return execute(p->reorder[t], args, 2);
}

static bool convolve(const plan *p, float *const data[3], const float *bias, void *scratch) {
  static const int index[3][3] = {
      [KILN_CONV_A] = {DNNL_ARG_DIFF_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_DST},
      [KILN_CONV_W] = {DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_DST},
      [KILN_CONV_B] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST},
  };
  const int *i = index[p->key.which];
  argument args[5] = {{i[0], &p->own[0], data[0]},
                      {i[1], &p->own[1], data[1]},
                      {i[2], &p->own[2], data[2]},
                      {DNNL_ARG_SCRATCHPAD, &p->scratch, scratch}};
  int n = 4;
  if (p->key.bias)
    args[n++] = (argument){DNNL_ARG_BIAS, &p->bias, (void *)(uintptr_t)bias};
  return execute(p->run, args, n);
}

/* -- A whole convolution --------------------------------------------------------------------- */

/* The work is cut into `chunks` of the batch times `slices` of the channels that are independent
** of each other; the last of each may be smaller. */
typedef struct job {
  kiln_conv whole;
  kiln_conv_result which, shared;
  float *data[3];
  const float *bias;
  int64_t chunk, chunks, slice, slices;
  plan *plan[2][2]; /* [last chunk][last slice] */
  size_t bytes[3];  /* the largest block of each operand in oneDNN's layout */
  size_t scratch_bytes, thread_bytes;
  char *shared_blocks, *partial, *thread_blocks;
  int64_t image_ns;
} job;

static int64_t plane(const int64_t *size) { return size[0] * size[1] * size[2]; }

/* Parts depend on the shape and on the machine, not on the threads in use. */
static void cut(job *j) {
  const kiln_conv *g = &j->whole;
  int64_t most = 2 * kiln__cores();
  int64_t channels = j->which == KILN_CONV_A ? g->ca : g->cb;
  double work = (double)g->cb / (double)g->groups * (double)g->ca * (double)plane(g->out) *
                (double)plane(g->kernel);
  j->image_ns = (int64_t)(work / 50) + 1;
  int64_t finest = g->groups > 1 ? 1 : (channels + 15) / 16; /* slices are multiples of 16 */
  if (j->which == KILN_CONV_W) {
    j->slices = finest < most ? finest : most;
    int64_t chunks = (most + j->slices - 1) / j->slices;
    j->chunk = (g->n + chunks - 1) / chunks;
  } else {
    /* Images that are 0.2 ms of work, and more where the weights, which each part reads, are larger
    ** than an image: then a part for each core. */
    int64_t images = g->ca * plane(g->in) + g->cb * plane(g->out);
    int64_t heavy = g->cb * (g->ca / g->groups) * plane(g->kernel) / (images > 0 ? images : 1);
    int64_t worth = 200000 / j->image_ns + 1 + heavy, parts = heavy > 1 ? most / 2 : 2 * most;
    int64_t share = (g->n + parts - 1) / parts;
    j->chunk = worth < share ? worth : share;
    /* For one image oneDNN takes a way forward that is up to a fifth slower than for two. */
    if (j->which == KILN_CONV_B && j->chunk == 1 && g->n >= most)
      j->chunk = 2;
    int64_t chunks = (g->n + j->chunk - 1) / j->chunk;
    int64_t slices = (most + chunks - 1) / chunks;
    j->slices = chunks >= most ? 1 : slices < finest ? slices : finest;
  }
  j->chunks = (g->n + j->chunk - 1) / j->chunk;
  j->slice = ((channels + j->slices - 1) / j->slices + 15) / 16 * 16;
  if (j->slices == 1 || j->slice > channels)
    j->slice = channels;
  j->slices = (channels + j->slice - 1) / j->slice;
}

static plan *plan_of(const job *j, int64_t chunk, int64_t slice) {
  return j->plan[chunk == j->chunks - 1][slice == j->slices - 1];
}

static bool get_plans(job *j) {
  const kiln_conv *g = &j->whole;
  int64_t channels = j->which == KILN_CONV_A ? g->ca : g->cb;
  for (int last_chunk = 0; last_chunk < 2; last_chunk++) {
    for (int last_slice = 0; last_slice < 2; last_slice++) {
      plan_key key;
      memset(&key, 0, sizeof key);
      key.part = *g;
      key.ca = g->ca;
      key.cb = g->cb;
      key.which = j->which;
      key.bias = j->bias != NULL;
      key.threads = omp_get_max_threads();
      key.part.n = last_chunk ? g->n - (j->chunks - 1) * j->chunk : j->chunk;
      int64_t c = last_slice ? channels - (j->slices - 1) * j->slice : j->slice;
      if (j->which == KILN_CONV_A)
        key.part.ca = c;
      else
        key.part.cb = c;
      plan *p = plan_get(&key);
      j->plan[last_chunk][last_slice] = p;
      if (!p)
        return false;
      for (int t = 0; t < 3; t++) {
        if (p->bytes[t] > j->bytes[t])
          j->bytes[t] = p->bytes[t];
      }
      if (p->scratch_bytes > j->scratch_bytes)
        j->scratch_bytes = p->scratch_bytes;
    }
  }
  return true;
}

/* Where a part of operand t begins in the caller's tensor. */
static float *begin(const job *j, int32_t t, int64_t chunk, int64_t slice) {
  const kiln_conv *g = &j->whole;
  int64_t first = chunk * j->chunk, channel = slice * j->slice, offset = 0;
  int64_t kernel = plane(g->kernel);
  if (t == KILN_CONV_A) {
    offset = (first * g->ca + (j->which == KILN_CONV_A ? channel : 0)) * plane(g->in);
  } else if (t == KILN_CONV_B) {
    offset = (first * g->cb + (j->which == KILN_CONV_A ? 0 : channel)) * plane(g->out);
  } else if (g->groups == 1) {
    offset = j->which == KILN_CONV_A ? channel * kernel : channel * g->ca * kernel;
  }
  return j->data[t] + offset;
}

/* The shared operand depends on the slice (weights) or on the chunk (input). */
static int64_t shared_count(const job *j) {
  return j->shared == KILN_CONV_W ? j->slices : j->chunks;
}

static bool prepare_shared(const job *j) {
  bool ok = true;
  for (int64_t i = 0; ok && i < shared_count(j); i++) {
    bool by_slice = j->shared == KILN_CONV_W;
    int64_t chunk = by_slice ? 0 : i, slice = by_slice ? i : 0;
    const plan *p = plan_of(j, chunk, slice);
    if (!p->bytes[j->shared])
      continue;
    ok = reorder(p, j->shared, begin(j, j->shared, chunk, slice),
                 j->shared_blocks + (size_t)i * j->bytes[j->shared]);
  }
  return ok;
}

static bool run_part(const job *j, int64_t chunk, int64_t slice, char *block) {
  const plan *p = plan_of(j, chunk, slice);
  float *data[3];
  bool ok = true;
  for (int32_t t = 0; ok && t < 3; t++) {
    data[t] = begin(j, t, chunk, slice);
    if (t == KILN_CONV_W && j->which == KILN_CONV_W) {
      if (j->partial) {
        data[t] = (float *)(void *)(j->partial + (size_t)(slice * j->chunks + chunk) * j->bytes[t]);
      }
    } else if (p->bytes[t] && t == (int32_t)j->shared) {
      int64_t i = j->shared == KILN_CONV_W ? slice : chunk;
      data[t] = (float *)(void *)(j->shared_blocks + (size_t)i * j->bytes[t]);
    } else if (p->bytes[t]) {
      data[t] = (float *)(void *)block;
      block += j->bytes[t];
      if (t != (int32_t)j->which)
        ok = reorder(p, t, begin(j, t, chunk, slice), data[t]);
    }
  }
  const float *bias = j->bias ? j->bias + slice * j->slice : NULL;
  ok = ok && convolve(p, data, bias, block);
  if (ok && j->which != KILN_CONV_W && p->bytes[j->which]) {
    ok = reorder(p, j->which, data[j->which], begin(j, j->which, chunk, slice));
  }
  return ok;
}

/* Gradients of the weights: the chunks' contributions are added in order. */
static bool finish_weights(const job *j) {
  bool ok = true;
  for (int64_t slice = 0; ok && slice < j->slices; slice++) {
    const plan *p = plan_of(j, 0, slice);
    size_t bytes = dnnl_memory_desc_get_size(&p->own[KILN_CONV_W]);
    char *first = j->partial + (size_t)(slice * j->chunks) * j->bytes[KILN_CONV_W];
    float *sum = (float *)(void *)first;
    for (int64_t i = 1; i < j->chunks; i++) {
      const float *add = (const float *)(const void *)(first + (size_t)i * j->bytes[KILN_CONV_W]);
      KILN_PARALLEL((int64_t)(bytes / sizeof *sum), 16, KILN_GRAIN, {
        for (int64_t k = from; k < to; k++)
          sum[k] += add[k];
      });
    }
    if (p->bytes[KILN_CONV_W])
      ok = reorder(p, KILN_CONV_W, sum, begin(j, KILN_CONV_W, 0, slice));
    else
      memcpy(begin(j, KILN_CONV_W, 0, slice), sum, bytes);
  }
  return ok;
}

int32_t kiln__onednn_conv(const kiln_conv *g, kiln_conv_result which, float *a, float *w, float *b,
                          const float *bias) {
  job j = {.whole = *g,
           .which = which,
           .shared = shared_operand(which),
           .data = {a, w, b},
           .bias = bias};
  int32_t status = 0;
  cut(&j);
  if (get_plans(&j)) {
    int threads = omp_get_max_threads();
    size_t shared = (size_t)shared_count(&j) * j.bytes[j.shared], partial = 0;
    if (which == KILN_CONV_W && (j.bytes[KILN_CONV_W] || j.chunks > 1)) {
      if (!j.bytes[KILN_CONV_W]) {
        j.bytes[KILN_CONV_W] =
            (dnnl_memory_desc_get_size(&j.plan[0][0]->own[KILN_CONV_W]) + 63) & ~(size_t)63;
      }
      partial = (size_t)(j.slices * j.chunks) * j.bytes[KILN_CONV_W];
    }
    for (int t = 0; t < 3; t++) {
      if (t != (int)j.shared && t != KILN_CONV_W)
        j.thread_bytes += j.bytes[t];
    }
    j.thread_bytes += j.scratch_bytes + 64;
    int64_t total = (int64_t)(shared + partial + (size_t)threads * j.thread_bytes);
    char *memory = kiln__scratch(0, total);
    if (!memory) {
      status = KILN_ENOMEM;
    } else {
      j.shared_blocks = memory;
      j.partial = partial ? memory + shared : NULL;
      j.thread_blocks = memory + shared + partial;
      bool ok = prepare_shared(&j);
      int32_t failed = 0;
      if (ok) {
        KILN_UNITS(j.chunks * j.slices, j.image_ns * g->n, {
          char *block = j.thread_blocks + (size_t)omp_get_thread_num() * j.thread_bytes;
          if (!run_part(&j, unit % j.chunks, unit / j.chunks, block)) {
            __atomic_store_n(&failed, 1, __ATOMIC_RELAXED);
          }
        });
      }
      ok = ok && !failed && (!j.partial || finish_weights(&j));
      status = ok ? 1 : kiln_fail(KILN_EBACKEND, "oneDNN failed on a convolution");
      kiln__scratch_free(0, memory, total);
    }
  }
  for (int i = 0; i < 4; i++) {
    plan *p = j.plan[i >> 1][i & 1];
    if (p && !p->cached)
      plan_free(p);
  }
  return status;
}
