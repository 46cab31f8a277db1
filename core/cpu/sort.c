/* sort.c: sorting along a dim and what follows from it, on the CPU.
** Every element becomes an entry, its key and its place, and entries are sorted by radix: 32-bit
** keys share 64 bits with the place, others stand beside it.  Ties keep their order, everywhere and
** with any number of threads.
*/
#include "cpu.h"
#include "nd.h"

typedef struct pair {
  uint64_t key;
  int64_t place;
} pair;

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS, SHORT = 40 };

#define ENTRY uint64_t
#define KEY(e) (e)
#define LOW_BIT 32
#define BEFORE(a, b) ((a) < (b))
#define NAME(x) x##_short
#include "radix.h"

#define ENTRY pair
#define KEY(e) ((e).key)
#define LOW_BIT 0
#define BEFORE(a, b) ((a).key < (b).key || ((a).key == (b).key && (a).place < (b).place))
#define NAME(x) x##_pair
#include "radix.h"

#define EACH "sort_each.h"
#define EACH_HALF
#include "each.h"

typedef void (*short_loader)(const void *, int64_t, int64_t, int64_t, uint64_t, uint64_t *);
typedef void (*pair_loader)(const void *, int64_t, int64_t, int64_t, uint64_t, pair *);
#define LOADERS(kind)                                                                              \
  {                                                                                                \
    [KILN_FLOAT32] = kind##_f32, [KILN_FLOAT64] = kind##_f64, [KILN_FLOAT16] = kind##_f16,         \
    [KILN_BFLOAT16] = kind##_bf16, [KILN_INT8] = kind##_i8, [KILN_UINT8] = kind##_u8,              \
    [KILN_INT16] = kind##_i16, [KILN_INT32] = kind##_i32, [KILN_INT64] = kind##_i64,               \
    [KILN_BOOL] = kind##_b8                                                                        \
  }
static const short_loader short_loaders[KILN_DTYPE_COUNT] = LOADERS(load_short);
static const pair_loader pair_loaders[KILN_DTYPE_COUNT] = LOADERS(load_pair);

/* What is done with each line of n elements, `inner` apart. */
typedef enum task { SORT, TOPK, KTH, MEDIAN, NANMEDIAN, MODE } task;
typedef struct job {
  task what;
  const char *x;
  char *values;
  int64_t *where;
  int64_t lines, n, inner, k, size;
  int32_t dtype;
  bool descending, sorted, compact; /* compact: entries of 64 bits */
  int threads;                      /* that sort one line together */
  kiln_stop *stop;
} job;

/* Of one line or of a thread's lines. */
typedef struct space {
  void *a, *b;
  int64_t *count, bytes;
} space;

static bool get_space(const job *j, space *s) {
  int64_t entries = j->n * (j->compact ? 8 : (int64_t)sizeof(pair));
  s->bytes = 2 * entries + j->threads * DIGITS * 8;
  char *p = kiln__scratch(0, s->bytes);
  s->a = p;
  s->b = p ? p + entries : NULL;
  s->count = p ? (int64_t *)(p + 2 * entries) : NULL;
  return p != NULL;
}

static int64_t place_of(const job *j, const void *entries, int64_t i) {
  return j->compact ? (int64_t)(((const uint64_t *)entries)[i] & UINT32_MAX)
                    : ((const pair *)entries)[i].place;
}

static uint64_t key_of(const job *j, const void *entries, int64_t i) {
  return j->compact ? ((const uint64_t *)entries)[i] >> 32 : ((const pair *)entries)[i].key;
}

static void load(const job *j, const char *x, const space *s) {
  uint64_t flip = j->descending ? UINT64_MAX : 0;
  KILN_PARALLEL(j->n, 64, j->threads > 1 ? KILN_GRAIN : j->n,
                j->compact ? short_loaders[j->dtype](x, j->inner, from, to, flip, s->a)
                           : pair_loaders[j->dtype](x, j->inner, from, to, flip, s->a));
}

static void *sort_entries(const job *j, const space *s) {
  return j->compact ? (void *)radix_short(s->a, s->b, j->n, j->threads, s->count, j->stop)
                    : (void *)radix_pair(s->a, s->b, j->n, j->threads, s->count, j->stop);
}

/* Writes entries from..to - 1 of a sorted line: their values and places. */
static void emit(const job *j, const void *entries, const char *x, char *values, int64_t *where,
                 int64_t from, int64_t to) {
#define EMIT(type)                                                                                 \
  case sizeof(type):                                                                               \
    for (int64_t i = from; i < to; i++) {                                                          \
      int64_t p = place_of(j, entries, i);                                                         \
      ((type *)values)[i * j->inner] = ((const type *)x)[p * j->inner];                            \
      where[i * j->inner] = p + KILN_INDEX_BASE;                                                   \
    }                                                                                              \
    break;
  switch (j->size) {
    EMIT(kiln_bits8)
    EMIT(kiln_bits16)
    EMIT(kiln_bits32)
    EMIT(kiln_bits64)
  }
#undef EMIT
}

/* Entries of a piece of a line; more than that beside 2 k are pruned to k. */
enum { PIECE = 1024, SPARE = 4 * PIECE };

static bool is_sifted(const job *j) {
  return j->what == TOPK && j->compact && j->k > 0 && j->n / 16 >= j->k + PIECE;
}

/* Puts into s->a what can be among the first k entries of a line, in order of place; returns how
** many. The line is read once: what comes after the k-th of the entries before it cannot be
** among them.
*/
static int64_t sift(const job *j, const char *x, const space *s) {
  enum { GROUP = 64 };
  const uint64_t flip = j->descending ? UINT64_MAX : 0;
  uint64_t *kept = s->a, piece[PIECE], last = UINT64_MAX;
  int64_t n = 0;
  for (int64_t from = 0; from < j->n && !kiln__stops(j->stop); from += PIECE) {
    const int64_t m = j->n - from < PIECE ? j->n - from : PIECE;
    short_loaders[j->dtype](x + from * j->inner * j->size, j->inner, 0, m, flip, piece);
    for (int64_t i = m; i < PIECE; i++)
      piece[i] = UINT64_MAX - (uint64_t)from;
    for (int64_t g = 0; g < PIECE; g += GROUP) {
      uint64_t *e = piece + g;
      int64_t hits = 0;
      for (int64_t i = 0; i < GROUP; i++) {
        e[i] += (uint64_t)from;
        hits += e[i] < last;
      }
      for (int64_t i = 0; hits > 0 && i < GROUP; i++) {
        kept[n] = e[i];
        n += e[i] < last;
      }
    }
    if (n < 2 * j->k + SPARE)
      continue;
    const uint64_t *best = first_short(kept, n, j->k, false, s->b, s->count, j->stop);
    n = j->k;
    last = 0;
    for (int64_t i = 0; i < n; i++) {
      kept[i] = best[i];
      last = best[i] > last ? best[i] : last;
    }
  }
  return n;
}

/* The place of the k-th element in order. */
static int64_t select_place(const job *j, const space *s, int64_t k) {
  if (j->compact) {
    return (int64_t)(select_short(s->a, j->n, k, s->b, s->count, j->stop) & UINT32_MAX);
  }
  return select_pair(s->a, j->n, k, s->b, s->count, j->stop).place;
}

/* Is this entry NaN, which is the largest key? */
static bool is_nan(const job *j, const void *entries, int64_t i) {
  uint64_t nan = j->dtype == KILN_FLOAT64 ? UINT64_MAX : UINT32_MAX;
  return j->dtype <= KILN_BFLOAT16 && key_of(j, entries, i) == nan;
}

/* The lower of the two in the middle; the first NaN if there is one that counts. */
static int64_t median_place(const job *j, const space *s) {
  int64_t first = -1, count = 0;
  const int64_t n = j->dtype <= KILN_BFLOAT16 ? j->n : 0;
  for (int64_t i = 0, to; kiln__next_piece(j->stop, i, n, &to);) {
    for (; i < to; i++) {
      if (!is_nan(j, s->a, i))
        continue;
      first = first < 0 ? i : first;
      count++;
    }
  }
  if (count > 0 && (j->what == MEDIAN || count == j->n))
    return first;
  return select_place(j, s, (j->n - count - 1) / 2);
}

/* The last place of the smallest of the most frequent numbers; the line's first place if NaN
** stands there and no number stands twice. */
static int64_t mode_place(const job *j, const void *sorted) {
  int64_t best = 0, longest = 0, run = 0, i = 0;
  for (int64_t to; kiln__next_piece(j->stop, i, j->n, &to) && !is_nan(j, sorted, i);) {
    for (; i < to && !is_nan(j, sorted, i); i++) {
      run = i > 0 && key_of(j, sorted, i) == key_of(j, sorted, i - 1) ? run + 1 : 1;
      if (run > longest) {
        longest = run;
        best = i;
      }
    }
  }
  if (kiln__stops(j->stop))
    return 0;
  const bool leads = i < j->n && place_of(j, sorted, i) == 0;
  return leads && longest <= 1 ? 0 : place_of(j, sorted, best);
}

static void do_line(const job *j, int64_t line, const space *s) {
  int64_t o = line / j->inner, b = line % j->inner;
  const char *x = j->x + (o * j->n * j->inner + b) * j->size;
  int64_t results = j->what == SORT ? j->n : j->what == TOPK ? j->k : 1;
  int64_t first = o * results * j->inner + b, place = 0;
  char *values = j->values + first * j->size;
  int64_t *where = j->where + first;
  const void *e = NULL;
  if (!is_sifted(j))
    load(j, x, s);
  if (kiln__stops(j->stop)) /* there may be no places in the entries */
    return;
  switch (j->what) {
  case SORT:
    e = sort_entries(j, s);
    if (!kiln__stops(j->stop))
      KILN_PARALLEL(j->n, 16, j->threads > 1 ? KILN_GRAIN / 4 : j->n,
                    emit(j, e, x, values, where, from, to));
    return;
  case TOPK: {
    const int64_t n = is_sifted(j) ? sift(j, x, s) : j->n;
    e = j->compact ? (void *)first_short(s->a, n, j->k, j->sorted, s->b, s->count, j->stop)
                   : (void *)first_pair(s->a, j->n, j->k, j->sorted, s->b, s->count, j->stop);
    if (!kiln__stops(j->stop))
      emit(j, e, x, values, where, 0, j->k);
    return;
  }
  case KTH:
    place = select_place(j, s, j->k - 1);
    break;
  case MEDIAN:
  case NANMEDIAN:
    place = median_place(j, s);
    break;
  case MODE:
    place = mode_place(j, sort_entries(j, s));
    break;
  }
  if (kiln__stops(j->stop))
    return;
  memcpy(values, x + place * j->inner * j->size, (size_t)j->size);
  *where = place + KILN_INDEX_BASE;
}

static void do_part(const job *j, int64_t from, int64_t to, int32_t *failed) {
  space s;
  if (!get_space(j, &s)) {
    *failed = 1;
    return;
  }
  for (int64_t i = from; i < to; i++)
    do_line(j, i, &s);
  kiln__scratch_free(0, s.a, s.bytes);
}

/* dim KILN_NONE: all of x is one line. */
static int32_t run(const kiln_call *c, task what, int64_t dim, int64_t k, bool descending,
                   bool sorted) {
  const kiln_tensor *x = c->in[0];
  job j = {.what = what,
           .x = kiln__data(x),
           .values = kiln__data(c->out[0]),
           .where = kiln__data(c->out[1]),
           .lines = 1,
           .n = 1,
           .inner = 1,
           .k = k,
           .size = kiln__size_of(x->dtype),
           .dtype = x->dtype,
           .descending = descending,
           .sorted = sorted,
           .threads = 1,
           .stop = &kiln__stop};
  for (int32_t d = 0; d < x->ndim; d++) {
    if (d == dim || dim == KILN_NONE) {
      j.n *= x->shape[d];
      continue;
    }
    j.lines *= x->shape[d];
    if (d > dim)
      j.inner *= x->shape[d];
  }
  j.compact = j.size <= 4 && j.n <= UINT32_MAX;
  if (j.lines == 0 || j.n == 0)
    return KILN_OK;
  int32_t failed = 0;
  if (what == SORT && j.lines < omp_get_max_threads()) {
    j.threads = kiln__threads(j.n, KILN_GRAIN / 2);
    do_part(&j, 0, j.lines, &failed);
  } else {
    int64_t grain = KILN_GRAIN / 8 / j.n + 1;
    KILN_PARALLEL_BY(grain, j.lines, 1, grain, do_part(&j, from, to, &failed));
  }
  return failed ? KILN_ENOMEM : KILN_OK;
}

/* attr: dim, descending. */
static int32_t sort(const kiln_call *c) {
  return run(c, SORT, c->attr[0].i, 0, c->attr[1].i != 0, true);
}
/* attr: k, dim, largest, sorted. */
static int32_t topk(const kiln_call *c) {
  return run(c, TOPK, c->attr[1].i, c->attr[0].i, c->attr[2].i != 0, c->attr[3].i != 0);
}
/* attr: k, dim. */
static int32_t kthvalue(const kiln_call *c) {
  return run(c, KTH, c->attr[1].i, c->attr[0].i, false, false);
}
/* attr: without_nan, dim. */
static int32_t median(const kiln_call *c) {
  const task what = c->attr[0].i ? NANMEDIAN : MEDIAN;
  return run(c, what, c->attr[1].i, 0, false, false);
}
static int32_t mode(const kiln_call *c) { return run(c, MODE, c->attr[0].i, 0, false, false); }

static const kiln_entry entries[] = {
    {KILN_OP_SORT, KILN_D_ALL, KILN_K_CONTIGUOUS, sort},
    {KILN_OP_TOPK, KILN_D_ALL, KILN_K_CONTIGUOUS, topk},
    {KILN_OP_KTHVALUE, KILN_D_ALL, KILN_K_CONTIGUOUS, kthvalue},
    {KILN_OP_MEDIAN_ALONG, KILN_D_ALL, KILN_K_CONTIGUOUS, median},
    {KILN_OP_MEDIAN_OF_ALL, KILN_D_ALL, KILN_K_CONTIGUOUS, median},
    {KILN_OP_MODE, KILN_D_ALL, KILN_K_CONTIGUOUS, mode},
};

void FN(kiln__cpu_sort)(kiln_slot (*table)[KILN_DTYPE_COUNT]);
void FN(kiln__cpu_sort)(kiln_slot (*table)[KILN_DTYPE_COUNT]) { KILN_CPU_ENTRIES(table, entries); }
