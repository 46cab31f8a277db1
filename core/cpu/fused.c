/* fused.c: passes: chains of ops of each element over memory once.  Block by block, every step runs
** through the loop that its op always has, on buffers that stay in the cache; only inputs are read
** from memory and only kept results written.  Same loops, same order, same rounding: what comes out
** is what the ops give one by one, to the bit.  It refuses to know what the ops compute.
**
** A pass is first compiled to a list of instructions.  Halves are held as floats that were rounded
** to half, so that no step widens them again.
*/
#include "fused.h"
#include "cpu.h"
#include "half.h"
#include "nd.h"
#include "stream.h"

#include <stdlib.h>

enum {
  BLOCK = 256,  /* elements at a time: as many lines as a core fetches at once, and all in L1 */
  AHEAD = 2048, /* bytes that are fetched before they are needed; the processor stops at pages */
  LINE = 64,
  ROOM = 8, /* bytes of the largest element */
};

/* Where the elements of an input come from. */
typedef struct source {
  enum { DIRECT, READY, LONG_ROWS, GATHERED } how;
  kiln_nd it; /* operand 0 stands for the shape of the pass, 1 is the input */
  const char *data;
  int64_t period; /* repeats after so many elements of the pass */
  char *ready;    /* READY: period + BLOCK elements as they are held */
} source;

typedef struct value {
  int32_t dtype;
  int32_t held; /* the dtype of its buffer: float32 for the halves */
  int32_t slot; /* its buffer, -1: none of its own */
  int32_t last; /* the last instruction that reads it */
  char *memory; /* the result's place, written directly; NULL: its slot */
} value;

typedef struct instruction {
  enum { LOAD, CONVERT, COPY, LOOP, SELECT, ROUND, STORE } what;
  int32_t n, dst, src[KILN_STEP_IN];
  kiln_loop loop;
  const kiln_attr *attr;
  char *memory; /* ROUND, STORE: where the result goes; NULL: nowhere */
} instruction;

typedef struct job {
  const kiln_pass *pass;
  source *source; /* an input */
  value *value;   /* inputs, results of steps, conversions */
  instruction *code;
  int32_t n_values, n_code, n_slots;
  bool streamed; /* large results are written past the caches */
  char *room;    /* threads * each bytes: slots, halves, then a piece for the reduction */
  int64_t each;
} job;

static bool is_half(int32_t dtype) { return dtype == KILN_FLOAT16 || dtype == KILN_BFLOAT16; }
static int32_t held_as(int32_t dtype) { return is_half(dtype) ? KILN_FLOAT32 : dtype; }

static void widen(char *dst, const char *src, int32_t dtype, int64_t n) {
  if (dtype == KILN_FLOAT16)
    kiln__widen_f16((float *)dst, (const kiln_f16 *)src, n);
  else
    kiln__widen_bf16((float *)dst, (const kiln_bf16 *)src, n);
}

static void narrow(char *dst, const char *src, int32_t dtype, int64_t n) {
  if (dtype == KILN_FLOAT16)
    kiln__narrow_f16((kiln_f16 *)dst, (const float *)src, n);
  else
    kiln__narrow_bf16((kiln_bf16 *)dst, (const float *)src, n);
}

/* -- Inputs --------------------------------------------------------------------------------------
 */

/* After how many elements the input repeats itself: it is constant along all dims outside some. */
static int64_t period_of(const kiln_nd *it) {
  int64_t period = 1;
  int32_t d = 0;
  while (d < it->ndim && it->stride[1][d] == 0)
    d++;
  for (; d < it->ndim; d++)
    period *= it->shape[d];
  return period;
}

/* Whether a period lies in memory one element after the other. */
static bool is_run(const kiln_nd *it, int64_t period, int64_t size) {
  int64_t n = 1;
  for (int32_t d = it->ndim - 1; d >= 0 && n < period; d--) {
    if (it->stride[1][d] != n * size)
      return false;
    n *= it->shape[d];
  }
  return true;
}

static int32_t open_source(const kiln_pass *p, const kiln_tensor *x, source *s) {
  kiln_storage nowhere = {0};
  kiln_tensor whole = {.dtype = x->dtype, .ndim = (uint8_t)p->ndim, .numel = p->numel};
  int64_t step = 1, size = kiln__size_of(x->dtype);
  whole.storage = &nowhere;
  for (int32_t d = p->ndim - 1; d >= 0; d--) {
    whole.shape[d] = p->shape[d];
    whole.stride[d] = step;
    step *= p->shape[d];
  }
  s->it.operands = 0;
  kiln__nd_add(&s->it, &whole);
  kiln__nd_add(&s->it, x);
  kiln__nd_simplify(&s->it);
  s->data = kiln__data(x);
  s->period = period_of(&s->it);
  s->ready = NULL;
  bool run = is_run(&s->it, s->period, size);
  if (run && s->period == p->numel && !is_half(x->dtype)) {
    s->how = DIRECT;
  } else if (s->period <= BLOCK) {
    const int64_t n = s->period + BLOCK;
    char *raw = malloc((size_t)n * ROOM);
    s->how = READY;
    s->ready = aligned_alloc(64, (size_t)((n * ROOM + 63) / 64 * 64));
    if (!s->ready || !raw) {
      free(raw);
      return kiln_fail(KILN_ENOMEM, "out of memory");
    }
    char *to = is_half(x->dtype) ? raw : s->ready;
    for (int64_t i = 0; i < n; i += s->period) { /* one period, again and again */
      int64_t m = s->period < n - i ? s->period : n - i;
      if (i == 0)
        kiln__nd_gather(&s->it, 1, 0, m, to, size);
      else
        memcpy(to + i * size, to, (size_t)(m * size));
    }
    if (is_half(x->dtype))
      widen(s->ready, raw, x->dtype, n);
    free(raw);
  } else {
    s->how = run ? LONG_ROWS : GATHERED;
  }
  return KILN_OK;
}

/* -- Compiling -----------------------------------------------------------------------------------
 */

static int32_t new_value(job *j, int32_t dtype) {
  j->value[j->n_values] =
      (value){.dtype = dtype, .held = held_as(dtype), .slot = -1, .last = -1, .memory = NULL};
  return j->n_values++;
}

static instruction *emit(job *j, int32_t what, int32_t dst, int32_t src) {
  instruction *i = &j->code[j->n_code++];
  *i = (instruction){.what = what, .dst = dst, .n = src < 0 ? 0 : 1, .src = {src}};
  return i;
}

/* The value as a step of that dtype reads it, converted if need be, into `into` if that is one. */
static int32_t value_as(job *j, int32_t v, int32_t dtype, int32_t into) {
  if (v < j->pass->n_in && j->value[v].last < 0) {
    emit(j, LOAD, v, -1);
    j->value[v].last = j->n_code - 1;
  }
  if (j->value[v].dtype == dtype && into < 0)
    return v;
  int32_t to = into >= 0 ? into : new_value(j, dtype);
  emit(j, j->value[v].dtype == dtype ? COPY : CONVERT, to, v);
  return to;
}

static void compile_step(job *j, const kiln_pass_step *s, int32_t dst) {
  const kiln_pass *p = j->pass;
  if (s->op == KILN_OP_CAST || s->op == KILN_OP_CLONE) {
    value_as(j, s->in[0], s->out_dtype, dst);
  } else {
    int32_t src[KILN_STEP_IN] = {0}, n = s->n_in, op = s->op;
    if (op == KILN_OP_POW && s->in[1] < p->n_in) {
      op = FN(kiln__cpu_power)(s->dtype, p->in[s->in[1]]);
      n = op == KILN_OP_POW ? 2 : 1;
    } else if (op == KILN_OP_POW_DX && s->in[2] < p->n_in &&
               FN(kiln__cpu_power)(s->dtype, p->in[s->in[2]]) == KILN_OP_SQUARE) {
      op = KILN_OP_SQUARE_DX;
      n = 2;
    }
    for (int32_t k = 0; k < n; k++) {
      bool mask = op == KILN_OP_WHERE && k == 0, leaf = s->in[k] < p->n_in;
      bool number = leaf && p->in[s->in[k]]->flags & KILN_T_NUMBER;
      int32_t as = mask ? KILN_BOOL : number ? s->number_dtype : s->dtype;
      src[k] = value_as(j, s->in[k], as, -1);
    }
    instruction *i = emit(j, op == KILN_OP_WHERE ? SELECT : LOOP, dst, src[0]);
    i->n = n;
    memcpy(i->src, src, sizeof src);
    i->attr = s->attr;
    if (op != KILN_OP_WHERE)
      i->loop = FN(kiln__cpu_loop)(op, held_as(s->dtype));
  }
  char *memory = s->out ? kiln__data(s->out) : NULL;
  if (is_half(s->out_dtype))
    emit(j, ROUND, dst, dst)->memory = memory;
  else if (memory && (j->streamed || dst == p->reduced))
    emit(j, STORE, dst, dst)->memory = memory;
  else
    j->value[dst].memory = memory;
}

/* Gives each value a buffer from its first use to its last; what an instruction read last makes
** room for what it writes, which its loop allows. */
static int32_t assign_slots(job *j) {
  int32_t *spare = malloc(sizeof *spare * (size_t)(j->n_values + 1)), n_spare = 0;
  if (!spare)
    return kiln_fail(KILN_ENOMEM, "out of memory");
  for (int32_t i = 0; i < j->n_code; i++) {
    const instruction *c = &j->code[i];
    for (int32_t k = 0; k < c->n; k++)
      j->value[c->src[k]].last = i;
    if (j->value[c->dst].last < i)
      j->value[c->dst].last = i; /* written, if never read */
  }
  for (int32_t i = 0; i < j->n_code; i++) {
    const instruction *c = &j->code[i];
    value *dst = &j->value[c->dst];
    bool in_place =
        c->what == LOOP && kiln__size_of(dst->held) == kiln__size_of(j->value[c->src[0]].held);
    for (int32_t round = 0; round < 2; round++) {
      for (int32_t k = 0; k < c->n && round == !in_place; k++) {
        value *v = &j->value[c->src[k]];
        if (v->last == i && v->slot >= 0 && v != dst) {
          spare[n_spare++] = v->slot;
          v->slot = -2 - v->slot; /* given back: its number stays known */
        }
      }
      bool has_place = dst->slot != -1 || dst->memory || c->dst == j->pass->reduced ||
                       (c->what == LOAD && j->source[c->dst].how <= READY);
      if (round == 0 && !has_place)
        dst->slot = n_spare > 0 ? spare[--n_spare] : j->n_slots++;
    }
    if (dst->last == i && dst->slot >= 0) {
      spare[n_spare++] = dst->slot;
      dst->slot = -2 - dst->slot;
    }
  }
  for (int32_t v = 0; v < j->n_values; v++) {
    if (j->value[v].slot < -1)
      j->value[v].slot = -2 - j->value[v].slot;
  }
  free(spare);
  return KILN_OK;
}

static int32_t compile(job *j) {
  const kiln_pass *p = j->pass;
  int32_t conversions = 0;
  for (int32_t s = 0; s < p->n_steps; s++)
    conversions += p->step[s].n_in;
  size_t values = (size_t)(p->n_in + p->n_steps + conversions);
  j->source = calloc((size_t)p->n_in + 1, sizeof *j->source);
  j->value = calloc(values, sizeof *j->value);
  j->code = calloc(values + 2 * (size_t)p->n_steps, sizeof *j->code);
  if (!j->source || !j->value || !j->code)
    return kiln_fail(KILN_ENOMEM, "out of memory");
  for (int32_t i = 0; i < p->n_in; i++) {
    if (open_source(p, p->in[i], &j->source[i]) < 0)
      return KILN_ENOMEM;
    new_value(j, p->in[i]->dtype);
  }
  for (int32_t s = 0; s < p->n_steps; s++) {
    new_value(j, p->step[s].out_dtype);
    if (p->step[s].out && p->numel * kiln__size_of(p->step[s].out_dtype) >= KILN_STREAM_BYTES)
      j->streamed = true;
  }
  for (int32_t s = 0; s < p->n_steps; s++)
    compile_step(j, &p->step[s], p->n_in + s);
  return assign_slots(j);
}

/* -- Running -------------------------------------------------------------------------------------
 */

/* The input's elements from `from` on, in memory or in buffer. */
static char *load(const source *s, const kiln_tensor *x, int64_t from, int64_t n, char *buffer,
                  char *raw) {
  const int64_t size = kiln__size_of(x->dtype);
  const bool half = is_half(x->dtype);
  char *run = (char *)s->data + from % s->period * size;
  for (int64_t i = 0; s->how == DIRECT && i < n * size; i += LINE)
    __builtin_prefetch(run + AHEAD + i);
  if (s->how == DIRECT)
    return run;
  if (s->how == READY)
    return s->ready + from % s->period * kiln__size_of(held_as(x->dtype));
  if (s->how == GATHERED || from % s->period + n > s->period) {
    run = half ? raw : buffer;
    kiln__nd_gather(&s->it, 1, from, n, run, size);
  }
  if (!half)
    return run;
  widen(buffer, run, x->dtype, n);
  return buffer;
}

static void convert(char *dst, int32_t to, const char *src, int32_t held, int64_t n, char *raw) {
  if (is_half(to)) {
    FN(kiln__cpu_convert)(raw, to, src, held, n);
    widen(dst, raw, to, n);
  } else {
    FN(kiln__cpu_convert)(dst, to, src, held, n);
  }
}

static void choose(char *dst, const bool *mask, const char *x, const char *y, int64_t n,
                   int64_t size) {
#define CHOOSE(type)                                                                               \
  case sizeof(type):                                                                               \
    for (int64_t i = 0; i < n; i++)                                                                \
      ((type *)dst)[i] = mask[i] ? ((const type *)x)[i] : ((const type *)y)[i];                    \
    break;
  switch (size) {
    CHOOSE(kiln_bits8)
    CHOOSE(kiln_bits16)
    CHOOSE(kiln_bits32)
    CHOOSE(kiln_bits64)
  default:
    break;
  }
#undef CHOOSE
}

/* One block; `at` holds the place of each value, raw is a buffer for halves. */
static void run_block(const job *j, char **at, char *raw, char *slots, int64_t from, int64_t n) {
  const kiln_pass *p = j->pass;
  for (int32_t i = 0; i < j->n_code; i++) {
    const instruction *c = &j->code[i];
    const value *v = &j->value[c->dst];
    const int64_t size = kiln__size_of(v->dtype);
    char *q[KILN_STEP_IN + 1];
    if (v->memory)
      at[c->dst] = v->memory + from * size;
    q[0] = at[c->dst];
    for (int32_t k = 0; k < c->n; k++)
      q[k + 1] = at[c->src[k]];
    switch (c->what) {
    case LOAD:
      at[c->dst] = load(&j->source[c->dst], p->in[c->dst], from, n,
                        slots + (int64_t)v->slot * BLOCK * ROOM, raw);
      break;
    case CONVERT:
      convert(q[0], v->dtype, q[1], j->value[c->src[0]].held, n, raw);
      break;
    case COPY:
      memmove(q[0], q[1], (size_t)(n * kiln__size_of(v->held)));
      break;
    case LOOP:
      c->loop(n, q, c->attr);
      break;
    case SELECT:
      choose(q[0], (const bool *)q[1], q[2], q[3], n, kiln__size_of(v->held));
      break;
    case ROUND:
      narrow(raw, q[0], v->dtype, n);
      widen(q[0], raw, v->dtype, n);
      if (c->memory)
        memcpy(c->memory + from * size, raw, (size_t)(n * size));
      break;
    case STORE:
      kiln__stream(c->memory + from * size, q[0], n * size);
      break;
    }
  }
}

/* Elements from to to - 1, in the room of this thread; `piece` takes what is reduced. */
static void run_part(const job *j, char *room, int64_t from, int64_t to, char *piece) {
  const kiln_pass *p = j->pass;
  char *raw = room + (int64_t)j->n_slots * BLOCK * ROOM;
  char **at = (char **)(raw + BLOCK * 2);
  for (int32_t v = 0; v < j->n_values; v++)
    at[v] = j->value[v].slot >= 0 ? room + (int64_t)j->value[v].slot * BLOCK * ROOM : NULL;
  for (int64_t n; from < to; from += n) {
    n = to - from < BLOCK ? to - from : BLOCK;
    if (piece) {
      at[p->reduced] = piece;
      piece += n * kiln__size_of(j->value[p->reduced].held);
    }
    run_block(j, at, raw, room, from, n);
  }
  if (j->streamed)
    kiln__stream_end();
}

static char *room_of_thread(const job *j) { return j->room + omp_get_thread_num() * j->each; }

static const char *make_piece(void *context, int64_t from, int64_t n) {
  const job *j = context;
  char *room = room_of_thread(j), *piece = room + j->each - KILN_MADE * ROOM;
  run_part(j, room, from, from + n, piece);
  return piece;
}

static int32_t run(job *j) {
  const kiln_pass *p = j->pass;
  const int64_t grain = 2 * KILN_GRAIN / (j->n_code + 1) + BLOCK;
  int64_t threads = p->reduction >= 0 ? p->numel < 2 * KILN_GRAIN ? 1 : omp_get_max_threads()
                                      : kiln__threads(p->numel, grain);
  j->each = (int64_t)j->n_slots * BLOCK * ROOM + BLOCK * 2 +
            ((int64_t)j->n_values * (int64_t)sizeof(char *) + 63) / 64 * 64;
  if (p->reduction >= 0)
    j->each += KILN_MADE * ROOM;
  j->room = kiln__scratch(0, threads * j->each);
  if (!j->room)
    return KILN_ENOMEM;
  int32_t status = KILN_OK;
  if (p->reduction >= 0) {
    status = FN(kiln__cpu_reduce_made)(p->reduction, j->value[p->reduced].dtype, p->numel,
                                       make_piece, j, p->total);
  } else {
    KILN_PARALLEL(p->numel, BLOCK, grain, run_part(j, room_of_thread(j), from, to, NULL));
  }
  kiln__scratch_free(0, j->room, threads * j->each);
  return status;
}

static int32_t run_pass(const kiln_pass *p) {
  job j = {.pass = p};
  int32_t status = compile(&j);
  if (status >= 0)
    status = run(&j);
  for (int32_t i = 0; j.source && i < p->n_in; i++)
    free(j.source[i].ready);
  free(j.source);
  free(j.value);
  free(j.code);
  return status;
}

/* A family without entries in the table: passes stand beside it. */
void FN(kiln__cpu_fused)(kiln_slot (*table)[KILN_DTYPE_COUNT]);
void FN(kiln__cpu_fused)(kiln_slot (*table)[KILN_DTYPE_COUNT]) {
  (void)table;
  kiln__cpu_pass = run_pass;
}
