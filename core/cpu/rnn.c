/* rnn.c: recurrent layers on the CPU: per step one product with the weight for all gates, then one
** pass over the gates (rnn_steps.h).  Sequences of different lengths are steps with fewer rows.
** It refuses to compute the input's share of the gates: that is one product for all steps.
*/
#include "../steps.h"
#include "gemm.h"
#include "vecmath.h"

enum { RNN_LSTM, RNN_GRU, RNN_TANH, RNN_RELU };

/* One step of one call; everything points at the step's first row. */
typedef struct rnn_step {
  int64_t mode, hidden, width; /* width: columns of reserve */
  char *gates, *mine, *h, *c, *y, *out, *reserve;
  const char *c_before, *bias;
  int64_t c_step; /* from one row of c_before to the next */
} rnn_step;

#define EACH "rnn_steps.h"
#define EACH_FLOATS_ONLY
#include "each.h"

typedef void step_loop(const rnn_step *s, int64_t from, int64_t to);

static void run(step_loop *loop, const rnn_step *s, int64_t rows) {
  enum { NS_A_GATE = 8 };
  KILN_PARALLEL(rows, 1, KILN_GRAIN / (NS_A_GATE * s->hidden * 4) + 1, loop(s, from, to));
}

static step_loop *loop_for(int64_t mode, bool f64, bool back) {
  static step_loop *const loops[3][2][2] = {
      {{lstm_step_f32, lstm_step_f64}, {lstm_back_f32, lstm_back_f64}},
      {{gru_step_f32, gru_step_f64}, {gru_back_f32, gru_back_f64}},
      {{plain_step_f32, plain_step_f64}, {plain_back_f32, plain_back_f64}},
  };
  return loops[mode == RNN_LSTM ? 0 : mode == RNN_GRU ? 1 : 2][back][f64];
}

static void copy(kiln_tensor *to, const kiln_tensor *from) {
  if (to->numel > 0)
    memcpy(kiln__data(to), kiln__data(from), (size_t)(to->numel * kiln__size_of(to->dtype)));
}

/* -- Through time -------------------------------------------------------------------------------
**
** Sequences of a batch do not see each other, so threads share the batch and each goes through all
** steps by itself; where the batch is too small for that, they share the columns of each product.
*/

/* A whole call, forward or back. */
typedef struct job {
  const kiln_call *call;
  kiln_panels w; /* the weight, or its transpose, packed once for all steps */
  int64_t mode, hidden, wide, width, size, steps, batch;
  const int64_t *sizes;
  bool f64, reverse;
  char *mine; /* gru, forward: h's share of the gates of one step */
} job;

/* The k-th step that is taken forward, and the rows before it. */
static int64_t step_at(const job *j, int64_t k) { return j->reverse ? j->steps - 1 - k : k; }

/* Rows [from, to) of the batch that step t has. */
static int64_t count_at(const job *j, int64_t t, int64_t from, int64_t to) {
  int64_t last = j->sizes[t] < to ? j->sizes[t] : to;
  return last > from ? last - from : 0;
}

static char *row_of(const kiln_tensor *x, int64_t row, int64_t columns, int64_t size) {
  return (char *)kiln__data(x) + row * columns * size;
}

/* Prepares j, and packs w: as [hidden, gates] going forward, as [gates, hidden] going back. */
static int32_t begin(job *j, const kiln_call *c, const kiln_tensor *sizes, const kiln_tensor *w,
                     const kiln_tensor *reserve, bool back) {
  *j = (job){.call = c,
             .mode = c->attr[0].i,
             .hidden = w->shape[1],
             .wide = w->shape[0],
             .width = reserve->shape[1],
             .size = kiln__size_of(w->dtype),
             .steps = sizes->numel,
             .sizes = kiln__data(sizes),
             .f64 = w->dtype == KILN_FLOAT64,
             .reverse = c->attr[1].i != 0};
  j->batch = j->steps > 0 ? j->sizes[0] : 0;
  j->w = (kiln_panels){
      .f64 = j->f64, .k = back ? j->wide : j->hidden, .n = back ? j->hidden : j->wide};
  int64_t packed = (FN(kiln__panels_bytes)(&j->w) + 63) & ~(int64_t)63;
  int64_t mine = j->mode == RNN_GRU && !back ? j->batch * j->wide * j->size : 0;
  j->w.data = kiln__scratch(0, packed + mine);
  if (!j->w.data)
    return KILN_ENOMEM;
  j->mine = j->w.data + packed;
  FN(kiln__panels_fill)(&j->w, !back, kiln__data(w), j->hidden);
  return KILN_OK;
}

static void end(job *j, bool back) {
  int64_t packed = (FN(kiln__panels_bytes)(&j->w) + 63) & ~(int64_t)63;
  int64_t mine = j->mode == RNN_GRU && !back ? j->batch * j->wide * j->size : 0;
  kiln__scratch_free(0, j->w.data, packed + mine);
}

/* Calls through(j, from, to) for parts of the batch. */
static void share(const job *j, int64_t rows, void (*through)(const job *, int64_t, int64_t)) {
  enum { LEAST = 8 }; /* rows that keep the registers of a product busy */
  int64_t work = rows / (j->batch > 0 ? j->batch : 1) * j->wide * (j->hidden + 512) / 50;
  int64_t grain = KILN_GRAIN / (work + 1) + 1;
  KILN_PARALLEL(j->batch, LEAST, grain > LEAST ? grain : LEAST, through(j, from, to));
}

static void forward(const job *j, int64_t from, int64_t to) {
  const kiln_call *c = j->call;
  const kiln_tensor *gates = c->in[0], *h = c->out[1], *cell = c->out[2];
  const char *bias = c->in[5] ? kiln__data(c->in[5]) : NULL;
  int64_t row = j->reverse ? gates->shape[0] : 0, size = j->size, wide = j->wide;
  for (int64_t k = 0; k < j->steps; k++) {
    int64_t t = step_at(j, k), n = count_at(j, t, from, to);
    if (j->reverse)
      row -= j->sizes[t];
    if (n > 0) {
      rnn_step s = {.mode = j->mode, .hidden = j->hidden, .width = j->width, .bias = bias};
      int64_t first = row + from;
      s.gates = row_of(gates, first, wide, size);
      s.y = row_of(c->out[0], first, j->hidden, size);
      s.reserve = row_of(c->out[3], first, j->width, size);
      s.h = row_of(h, from, j->hidden, size);
      s.c = j->mode == RNN_LSTM ? row_of(cell, from, j->hidden, size) : NULL;
      s.mine = j->mine + from * wide * size;
      char *sum = j->mode == RNN_LSTM ? s.reserve : j->mode == RNN_GRU ? s.mine : s.y;
      int64_t step = j->mode == RNN_LSTM ? j->width : wide;
      FN(kiln__panels_multiply)(&j->w, n, s.h, 0, sum, step);
      run(loop_for(j->mode, j->f64, false), &s, n);
    }
    if (!j->reverse)
      row += j->sizes[t];
  }
}

static int32_t rnn_layer(const kiln_call *c) {
  job j;
  int64_t rows = c->in[0]->shape[0];
  if (kiln__check_steps(c->in[1], rows, c->out[1]->shape[0]) < 0)
    return KILN_EARG;
  if (begin(&j, c, c->in[1], c->in[4], c->out[3], false) < 0)
    return KILN_ENOMEM;
  copy(c->out[1], c->in[2]);
  if (j.mode == RNN_LSTM)
    copy(c->out[2], c->in[3]);
  share(&j, rows, forward);
  end(&j, false);
  return KILN_OK;
}

/* One step back for rows that all have a step before, or all begin at this one. */
static void back_gates(const job *j, rnn_step s, int64_t n) {
  if (n > 0)
    run(loop_for(j->mode, j->f64, true), &s, n);
}

static void back(const job *j, int64_t from, int64_t to) {
  const kiln_call *c = j->call;
  const kiln_tensor *y = c->in[3], *dh = c->out[2], *dc = c->out[3];
  int64_t row = j->reverse ? 0 : y->shape[0], size = j->size, hidden = j->hidden, wide = j->wide;
  for (int64_t k = j->steps - 1; k >= 0; k--) {
    int64_t t = step_at(j, k), n = count_at(j, t, from, to);
    if (!j->reverse)
      row -= j->sizes[t];
    if (n > 0) {
      int64_t first = row + from;
      rnn_step s = {.mode = j->mode, .hidden = hidden, .width = j->width};
      s.gates = row_of(c->out[0], first, wide, size);
      s.mine = j->mode == RNN_GRU ? row_of(c->out[1], first, wide, size) : s.gates;
      s.y = c->in[0] ? row_of(c->in[0], first, hidden, size) : NULL;
      s.out = row_of(y, first, hidden, size);
      s.reserve = row_of(c->in[4], first, j->width, size);
      s.h = row_of(dh, from, hidden, size);
      int64_t before = n;
      if (j->mode == RNN_LSTM) {
        /* c before: in the reserve of the step before, or where the sequence began. */
        int64_t earlier = j->reverse ? t + 1 : t - 1;
        before = k > 0 ? count_at(j, earlier, from, to) : 0;
        before = before < n ? before : n;
        int64_t away = k == 0 ? 0 : j->reverse ? j->sizes[t] : -j->sizes[earlier];
        s.c = row_of(dc, from, hidden, size);
        s.c_before = s.reserve + (away * j->width + 4 * hidden) * size;
        s.c_step = j->width;
      }
      back_gates(j, s, before);
      if (before < n) { /* rows that begin at this step */
        rnn_step begun = s;
        begun.c_before = row_of(c->in[7], from + before, hidden, size);
        begun.c_step = hidden;
        begun.gates += before * wide * size;
        begun.reserve += before * j->width * size;
        begun.h += before * hidden * size;
        begun.c += before * hidden * size;
        if (begun.y)
          begun.y += before * hidden * size;
        back_gates(j, begun, n - before);
      }
      FN(kiln__panels_multiply)(&j->w, n, s.mine, j->mode == RNN_GRU ? 1 : 0, s.h, hidden);
    }
    if (j->reverse)
      row += j->sizes[t];
  }
}

static int32_t rnn_layer_back(const kiln_call *c) {
  job j;
  kiln_tensor *y = c->in[3], *dh = c->out[2], *dc = c->out[3];
  if (begin(&j, c, c->in[5], c->in[8], c->in[4], true) < 0)
    return KILN_ENOMEM;
  memset(kiln__data(dh), 0, (size_t)(dh->numel * j.size));
  if (c->in[1])
    copy(dh, c->in[1]);
  if (j.mode == RNN_LSTM) {
    memset(kiln__data(dc), 0, (size_t)(dc->numel * j.size));
    if (c->in[2])
      copy(dc, c->in[2]);
  }
  share(&j, y->shape[0], back);
  end(&j, true);
  return KILN_OK;
}

static const kiln_entry rnn_kernels[] = {
    {KILN_OP_RNN_LAYER, KILN_D_FLOAT, KILN_K_CONTIGUOUS, rnn_layer},
    {KILN_OP_RNN_LAYER_BACK, KILN_D_FLOAT, KILN_K_CONTIGUOUS, rnn_layer_back},
};

void FN(kiln__cpu_rnn)(kiln_slot (*table)[KILN_DTYPE_COUNT]) {
  KILN_CPU_ENTRIES(table, rnn_kernels);
}
