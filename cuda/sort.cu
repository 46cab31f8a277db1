/* sort.cu: sorting along a dim and what follows from it.  Every element becomes an entry, its key
** and its place; order.h sorts the entries, and what is asked for is read off them.  NaN is above
** every number, -0 equals 0, ties keep their order.
*/
#include "block.h"
#include "order.h"

/* Lines of n elements along a dim, `inner` apart. */
typedef struct lines {
  int64_t count, n, inner;
} lines;

static __device__ inline int64_t element_at(const lines &l, int64_t per_line, int64_t line,
                                            int64_t p) {
  return (line / l.inner * per_line + p) * l.inner + line % l.inner;
}

/* -- Keys: unsigned integers that sort like the elements, in their low 8 * sizeof(T) bits ---------
 */

/* Of a float's bits: sign, then a magnitude above `infinity` for NaN. */
template <typename B> static __device__ inline uint64_t float_key(B bits, B infinity) {
  const B sign = (B)((B)1 << (8 * sizeof(B) - 1));
  B magnitude = (B)(bits & (B)~sign);
  if (magnitude > infinity)
    return (B) ~(B)0;
  if (magnitude == 0)
    return sign;
  return bits & sign ? (B)~bits : (B)(bits | sign);
}
static __device__ inline uint64_t key_of(float v) {
  return float_key<uint32_t>(__float_as_uint(v), 0x7f800000u);
}
static __device__ inline uint64_t key_of(double v) {
  return float_key<uint64_t>((uint64_t)__double_as_longlong(v), (uint64_t)0x7ff << 52);
}
static __device__ inline uint64_t key_of(kiln_f16 v) { return float_key<uint16_t>(v.bits, 0x7c00); }
static __device__ inline uint64_t key_of(kiln_bf16 v) {
  return float_key<uint16_t>(v.bits, 0x7f80);
}
static __device__ inline uint64_t key_of(int8_t v) { return (uint8_t)v ^ 0x80u; }
static __device__ inline uint64_t key_of(int16_t v) { return (uint16_t)v ^ 0x8000u; }
static __device__ inline uint64_t key_of(int32_t v) { return (uint32_t)v ^ 0x80000000u; }
static __device__ inline uint64_t key_of(int64_t v) { return (uint64_t)v ^ (uint64_t)1 << 63; }
static __device__ inline uint64_t key_of(uint8_t v) { return v; }
static __device__ inline uint64_t key_of(bool v) { return v; }

template <typename T>
static __global__ void load(const T *x, lines l, uint64_t flip, kiln_entries e) {
  KILN_EACH(i, l.count * l.n) {
    e.key[i] = key_of(x[element_at(l, l.n, i / l.n, i % l.n)]) ^ flip;
    e.place[i] = i;
  }
}

/* -- What is read off sorted entries
 * --------------------------------------------------------------- */

/* Entries first..first + k - 1 of each line: their values and positions. */
template <typename B>
static __global__ void emit(const B *x, lines l, const int64_t *place, int64_t first, int64_t k,
                            B *values, int64_t *where) {
  KILN_EACH(i, l.count * k) {
    int64_t line = i / k, r = i % k, p = place[line * l.n + first + r] - line * l.n;
    int64_t to = element_at(l, k, line, r);
    values[to] = x[element_at(l, l.n, line, p)];
    where[to] = p + KILN_INDEX_BASE;
  }
}

/* The first k entries of each line as entries whose keys are their positions. */
static __global__ void by_position(kiln_entries e, lines l, int64_t k, kiln_entries to) {
  KILN_EACH(i, l.count * k) {
    int64_t line = i / k;
    to.key[i] = (uint64_t)(e.place[line * l.n + i % k] - line * l.n);
    to.place[i] = i;
  }
}
static __global__ void from_position(kiln_entries from, lines l, int64_t k, kiln_entries e) {
  KILN_EACH(i, l.count * k) {
    int64_t line = i / k;
    e.place[line * l.n + i % k] = line * l.n + (int64_t)from.key[i];
  }
}

/* The first of [low, high) whose key is not below (upper: is above) `key`. */
static __device__ inline int64_t bound(const uint64_t *keys, int64_t low, int64_t high,
                                       uint64_t key, bool upper) {
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (keys[middle] < key || (upper && keys[middle] == key))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* How many of n sorted keys stand before NaN (0: there is none). */
static __device__ inline int64_t numbers_in(const uint64_t *key, int64_t n, uint64_t nan) {
  return nan != 0 ? bound(key, 0, n, nan, false) : n;
}

/* Brings the median of each line to its front: of NaNs the first, if there is one that counts. */
static __global__ void choose_median(kiln_entries e, lines l, uint64_t nan, bool without_nan) {
  KILN_EACH(line, l.count) {
    int64_t n = numbers_in(e.key + line * l.n, l.n, nan);
    int64_t at = n == l.n || (without_nan && n > 0) ? (n - 1) / 2 : n;
    e.place[line * l.n] = e.place[line * l.n + at];
  }
}

/* The last entry of the longest run of equal numbers (the first of several runs), one block a line;
** the line's first place if NaN stands there and no number stands twice. */
static __global__ void choose_mode(kiln_entries e, lines l, uint64_t nan) {
  KILN_SHARED(int64_t, longest, [KILN_BLOCK]);
  KILN_SHARED(int64_t, end, [KILN_BLOCK]);
  KILN_EACH_BLOCK(line, l.count) {
    const uint64_t *key = e.key + line * l.n;
    const int64_t n = numbers_in(key, l.n, nan);
    int64_t most = 0, last = 0;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
      if (i > 0 && key[i] == key[i - 1])
        continue;
      int64_t to = bound(key, i, n, key[i], true);
      if (to - i > most) {
        most = to - i;
        last = to - 1;
      }
    }
    longest[threadIdx.x] = most;
    end[threadIdx.x] = last;
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
      __syncthreads();
      if (threadIdx.x < (unsigned)step) {
        int64_t other = longest[threadIdx.x + step], at = end[threadIdx.x + step];
        if (other > longest[threadIdx.x] ||
            (other == longest[threadIdx.x] && at < end[threadIdx.x])) {
          longest[threadIdx.x] = other;
          end[threadIdx.x] = at;
        }
      }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      const int64_t *place = e.place + line * l.n;
      const bool leads = n < l.n && place[n] == line * l.n;
      e.place[line * l.n] = place[leads && longest[0] <= 1 ? n : end[0]];
    }
    __syncthreads();
  }
}

/* -- Calls
 * ------------------------------------------------------------------------------------------ */

static lines lines_of(const kiln_tensor *x, int64_t dim) {
  lines l = {1, 1, 1};
  for (int32_t d = 0; d < x->ndim; d++) {
    if (d == dim || dim == KILN_NONE) {
      l.n *= x->shape[d];
      continue;
    }
    l.count *= x->shape[d];
    if (d > dim)
      l.inner *= x->shape[d];
  }
  return l;
}

static kiln_entries sorted_entries(kiln_job *j, const kiln_tensor *x, lines l, bool descending) {
  int32_t bits = x->dtype == KILN_BOOL ? 1 : (int32_t)(8 * kiln__bytes_of(x->dtype));
  uint64_t flip = !descending ? 0 : bits == 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1;
  kiln_entries e = kiln__cuda_entries(j, l.count * l.n);
  void *data = kiln__data(x);
  switch (x->dtype) {
  case KILN_FLOAT16:
    KILN_RUN(j, load<kiln_f16>, l.count * l.n, (const kiln_f16 *)data, l, flip, e);
    break;
  case KILN_BFLOAT16:
    KILN_RUN(j, load<kiln_bf16>, l.count * l.n, (const kiln_bf16 *)data, l, flip, e);
    break;
  default:
    KILN_BY_DTYPE(x->dtype, KILN_RUN(j, load<type>, l.count * l.n, (const type *)data, l, flip, e));
  }
  return kiln__cuda_order(j, e, l.count, l.n, bits);
}

static void emit_entries(kiln_job *j, const kiln_call *c, lines l, kiln_entries e, int64_t first,
                         int64_t k) {
  const void *x = kiln__data(c->in[0]);
  void *values = kiln__data(c->out[0]);
  int64_t *where = (int64_t *)kiln__data(c->out[1]);
  KILN_BY_SIZE(kiln__bytes_of(c->in[0]->dtype),
               KILN_RUN(j, emit<type>, l.count * k, (const type *)x, l, e.place, first, k,
                        (type *)values, where));
}

/* attr: dim, descending. */
static int32_t sort(const kiln_call *c) {
  kiln_job j = kiln__job("sort", c->in[0]->device);
  lines l = lines_of(c->in[0], c->attr[0].i);
  if (l.count > 0 && l.n > 0) {
    kiln_entries e = sorted_entries(&j, c->in[0], l, c->attr[1].i != 0);
    emit_entries(&j, c, l, e, 0, l.n);
  }
  return kiln__job_end(&j);
}

/* attr: k, dim, largest, sorted. */
static int32_t topk(const kiln_call *c) {
  kiln_job j = kiln__job("topk", c->in[0]->device);
  lines l = lines_of(c->in[0], c->attr[1].i);
  int64_t k = c->attr[0].i, n = l.count * k;
  if (n > 0 && l.n > 0) {
    kiln_entries e = sorted_entries(&j, c->in[0], l, c->attr[2].i != 0);
    if (!c->attr[3].i) {
      kiln_entries chosen = kiln__cuda_entries(&j, n);
      KILN_RUN(&j, by_position, n, e, l, k, chosen);
      chosen = kiln__cuda_order(&j, chosen, l.count, k, kiln__bits_below(l.n));
      KILN_RUN(&j, from_position, n, chosen, l, k, e);
    }
    emit_entries(&j, c, l, e, 0, k);
  }
  return kiln__job_end(&j);
}

/* attr: k, dim. */
static int32_t kthvalue(const kiln_call *c) {
  kiln_job j = kiln__job("kthvalue", c->in[0]->device);
  lines l = lines_of(c->in[0], c->attr[1].i);
  if (l.count > 0 && l.n > 0)
    emit_entries(&j, c, l, sorted_entries(&j, c->in[0], l, false), c->attr[0].i - 1, 1);
  return kiln__job_end(&j);
}

/* The largest key of a float dtype, which only NaN has; 0 for integers. */
static uint64_t nan_key(int32_t dtype) {
  return dtype == KILN_FLOAT64    ? ~(uint64_t)0
         : dtype == KILN_FLOAT32  ? 0xffffffffu
         : dtype <= KILN_BFLOAT16 ? 0xffffu
                                  : 0;
}

static int32_t median(const kiln_call *c) {
  kiln_job j = kiln__job("median", c->in[0]->device);
  lines l = lines_of(c->in[0], c->attr[1].i);
  if (l.count > 0 && l.n > 0) {
    kiln_entries e = sorted_entries(&j, c->in[0], l, false);
    KILN_RUN(&j, choose_median, l.count, e, l, nan_key(c->in[0]->dtype), c->attr[0].i != 0);
    emit_entries(&j, c, l, e, 0, 1);
  }
  return kiln__job_end(&j);
}

static int32_t mode(const kiln_call *c) {
  kiln_job j = kiln__job("mode", c->in[0]->device);
  lines l = lines_of(c->in[0], c->attr[0].i);
  if (l.count > 0 && l.n > 0) {
    kiln_entries e = sorted_entries(&j, c->in[0], l, false);
    KILN_RUN_BLOCKS(&j, choose_mode, l.count, KILN_BLOCK, e, l, nan_key(c->in[0]->dtype));
    emit_entries(&j, c, l, e, 0, 1);
  }
  return kiln__job_end(&j);
}

const kiln_entry kiln__cuda_sort[] = {
    {KILN_OP_SORT, KILN_D_ALL, KILN_K_CONTIGUOUS, sort},
    {KILN_OP_TOPK, KILN_D_ALL, KILN_K_CONTIGUOUS, topk},
    {KILN_OP_KTHVALUE, KILN_D_ALL, KILN_K_CONTIGUOUS, kthvalue},
    {KILN_OP_MEDIAN_ALONG, KILN_D_ALL, KILN_K_CONTIGUOUS, median},
    {KILN_OP_MEDIAN_OF_ALL, KILN_D_ALL, KILN_K_CONTIGUOUS, median},
    {KILN_OP_MODE, KILN_D_ALL, KILN_K_CONTIGUOUS, mode},
};
const int32_t kiln__cuda_sort_n = sizeof kiln__cuda_sort / sizeof *kiln__cuda_sort;
