/* index_lookup.h: the part of index.cu for triangles, diagonals and looking up values.  Included
** once, after what index.cu shares.
*/
#ifndef KILN_CUDA_INDEX_LOOKUP_H
#define KILN_CUDA_INDEX_LOOKUP_H

/* -- Triangles and diagonals ----------------------------------------------------------------------
 */

/* Keeps columns whose distance from the main diagonal is at most (upper: at least) k. */
template <typename B>
static __global__ void triangle_kernel(const B *x, B *y, int64_t n, int64_t rows, int64_t columns,
                                       int64_t k, bool upper) {
  KILN_EACH(i, n) {
    int64_t distance = i % columns - i / columns % rows;
    y[i] = (upper ? distance >= k : distance <= k) ? x[i] : 0;
  }
}

static int32_t triangle(const kiln_call *c, const char *op, bool upper) {
  kiln_job j = begin(c, op);
  const kiln_tensor *x = in(c, 0);
  int64_t rows = x->shape[x->ndim - 2], columns = x->shape[x->ndim - 1];
  KILN_BY_SIZE(kiln__bytes_of(x->dtype),
               KILN_RUN(&j, triangle_kernel<type>, x->numel, (const type *)kiln__data(x),
                        (type *)kiln__data(c->out[0]), x->numel, rows, columns, c->attr[0].i,
                        upper));
  return kiln__job_end(&j);
}
static int32_t tril(const kiln_call *c) { return triangle(c, "tril", false); }
static int32_t triu(const kiln_call *c) { return triangle(c, "triu", true); }

/* [..., n] to the k-th diagonals of [..., m, m]. */
template <typename B>
static __global__ void diagonal_kernel(const B *x, B *y, int64_t count, int64_t n, int64_t m,
                                       int64_t k) {
  KILN_EACH(i, count) {
    int64_t column = i % m, row = i / m % m;
    bool on = column - row == k;
    y[i] = on ? x[i / (m * m) * n + (k < 0 ? column : row)] : 0;
  }
}

static int32_t diagonals(const kiln_call *c) {
  kiln_job j = begin(c, "diagonals");
  const kiln_tensor *x = in(c, 0), *y = c->out[0];
  int64_t n = x->shape[x->ndim - 1], m = y->shape[y->ndim - 1];
  KILN_BY_SIZE(kiln__bytes_of(x->dtype),
               KILN_RUN(&j, diagonal_kernel<type>, y->numel, (const type *)kiln__data(x),
                        (type *)kiln__data(y), y->numel, n, m, c->attr[0].i));
  return kiln__job_end(&j);
}

/* -- Looking up values
 * ------------------------------------------------------------------------------ */

/* Before which position (from 1) of its sorted line of n each element goes: after equal ones if
** `right`.  width: elements that share a line; 0 when all do. */
template <typename T>
static __global__ void search_kernel(const T *sorted, const T *x, int64_t *out, int64_t count,
                                     int64_t n, int64_t width, bool right) {
  KILN_EACH(i, count) {
    const T *s = sorted + (width > 0 ? i / width * n : 0);
    T v = x[i];
    int64_t low = 0, high = n;
    while (low < high) {
      int64_t middle = low + (high - low) / 2;
      T at = s[middle];
      if (right ? !above(at, v) : above(v, at))
        low = middle + 1;
      else
        high = middle;
    }
    out[i] = low + KILN_INDEX_BASE;
  }
}

static int32_t searchsorted(const kiln_call *c) {
  kiln_job j = begin(c, "searchsorted");
  const kiln_tensor *s = in(c, 0), *x = in(c, 1);
  int64_t n = s->shape[s->ndim - 1], width = s->ndim == 1 ? 0 : x->shape[x->ndim - 1];
  KILN_BY_DTYPE(s->dtype, KILN_RUN(&j, search_kernel<type>, x->numel, (const type *)kiln__data(s),
                                   (const type *)kiln__data(x), (int64_t *)kiln__data(c->out[0]),
                                   x->numel, n, width, c->attr[0].i != 0));
  return kiln__job_end(&j);
}

/* -- Histograms
 * ------------------------------------------------------------------------------------- */

/* The least and the largest element that each block meets, or NaN if it meets one. */
static __global__ void range_kernel(const void *x, int32_t dtype, int64_t n, double *low,
                                    double *high) {
  KILN_SHARED(double, least, [KILN_BLOCK]);
  KILN_SHARED(double, most, [KILN_BLOCK]);
  double a = INFINITY, b = -INFINITY;
  KILN_EACH(i, n) {
    double v = kiln__element(x, dtype, i);
    a = v < a || v != v ? v : a;
    b = v > b || v != v ? v : b;
  }
  least[threadIdx.x] = a;
  most[threadIdx.x] = b;
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    __syncthreads();
    if (threadIdx.x < (unsigned)step) {
      a = least[threadIdx.x + step];
      b = most[threadIdx.x + step];
      least[threadIdx.x] = a < least[threadIdx.x] || a != a ? a : least[threadIdx.x];
      most[threadIdx.x] = b > most[threadIdx.x] || b != b ? b : most[threadIdx.x];
    }
  }
  if (threadIdx.x == 0) {
    low[blockIdx.x] = least[0];
    high[blockIdx.x] = most[0];
  }
}

static __global__ void count_kernel(const void *x, int32_t dtype, int64_t n, double low,
                                    double high, double scale, int64_t bins,
                                    unsigned long long *count) {
  KILN_EACH(i, n) {
    double v = kiln__element(x, dtype, i);
    if (!(v >= low && v <= high))
      continue;
    double part = (v * scale - low * scale) / (high * scale - low * scale);
    int64_t bin = (int64_t)(part * (double)bins);
    atomicAdd(&count[bin < bins ? bin : bins - 1], 1ull);
  }
}

template <typename T>
static __global__ void counts_as(const unsigned long long *count, T *out, int64_t bins) {
  KILN_EACH(i, bins) { out[i] = (T)count[i]; }
}

/* The range of the data, for which the host waits. */
static void data_range(kiln_job *j, const kiln_tensor *x, double *low, double *high) {
  enum { MOST_BLOCKS = 64 };
  int64_t wanted = (x->numel + KILN_BLOCK - 1) / KILN_BLOCK;
  unsigned blocks = wanted < MOST_BLOCKS ? (unsigned)wanted : (unsigned)MOST_BLOCKS;
  double found[2 * MOST_BLOCKS], *part = (double *)kiln__job_take(j, sizeof found);
  if (!part)
    return;
  KILN_LAUNCH(range_kernel, blocks, KILN_BLOCK, 0, j->stream, kiln__data(x), (int32_t)x->dtype,
              x->numel, part, part + blocks);
  j->status = kiln__cuda_launched(j->op);
  kiln__job_fetch(j, found, part, 2 * blocks * (int64_t)sizeof *found);
  *low = INFINITY;
  *high = -INFINITY;
  for (unsigned b = 0; b < blocks && j->status == KILN_OK; b++) {
    *low = found[b] < *low || found[b] != found[b] ? found[b] : *low;
    *high = found[blocks + b] > *high || found[b] != found[b] ? found[blocks + b] : *high;
  }
}

/* attr: bins, min, max; min = max means the range of the data.  Values outside are not counted, the
** last bin holds max itself. */
static int32_t histc(const kiln_call *c) {
  kiln_job j = begin(c, "histc");
  const kiln_tensor *x = in(c, 0), *y = c->out[0];
  int64_t bins = c->attr[0].i;
  double low = c->attr[1].f, high = c->attr[2].f;
  if (low == high && x->numel > 0) {
    data_range(&j, x, &low, &high);
    if (j.status == KILN_OK && !(isfinite(low) && isfinite(high)))
      j.status = kiln_fail(KILN_EARG, "histc: the data has no finite range; give min and max");
    if (low == high) {
      double margin = fmax(1, fabs(low) * 0x1p-40); /* where 1 is lost */
      low = fmax(low - margin, -DBL_MAX);
      high = fmin(high + margin, DBL_MAX);
    }
  } else if (low == high) {
    low = 0;
    high = 1;
  }
  double scale = isinf(high - low) ? 0.5 : 1; /* the range may be wider than a double */
  unsigned long long *count = (unsigned long long *)kiln__job_take(&j, bins * 8);
  kiln__job_zero(&j, count, bins * 8);
  KILN_RUN(&j, count_kernel, x->numel, kiln__data(x), (int32_t)x->dtype, x->numel, low, high, scale,
           bins, count);
  KILN_BY_FLOAT(y->dtype, KILN_RUN(&j, counts_as<type>, bins, count, (type *)kiln__data(y), bins));
  return kiln__job_end(&j);
}

#endif
