/* index_lookup.h: the part of index.c for triangles, diagonals and looking up values.  Included
** once, after what index.c shares.
*/
#ifndef KILN_CPU_INDEX_LOOKUP_H
#define KILN_CPU_INDEX_LOOKUP_H

/* -- Triangles and diagonals ------------------------------------------------------------ */

/* Keeps columns whose distance from the main diagonal is at most (upper: at least) k. */
static void triangle_part(const kiln_call *c, bool upper, int64_t from, int64_t to) {
  const kiln_tensor *x = in(c, 0);
  int64_t rows_ = x->shape[x->ndim - 2], cols = x->shape[x->ndim - 1], k = c->attr[0].i;
  int64_t size = kiln__size_of(x->dtype), line = cols * size;
  for (int64_t r = from; r < to; r++) {
    int64_t i = r % rows_, cut = upper ? i + k : i + k + 1;
    cut = cut < 0 ? 0 : cut > cols ? cols : cut;
    char *y = (char *)kiln__data(c->out[0]) + r * line;
    const char *s = (const char *)kiln__data(x) + r * line;
    int64_t a = upper ? cut : 0, b = upper ? cols : cut;
    if (y != s)
      memcpy(y + a * size, s + a * size, (size_t)((b - a) * size));
    memset(y, 0, (size_t)(a * size));
    memset(y + b * size, 0, (size_t)((cols - b) * size));
  }
}

static int32_t triangle(const kiln_call *c, bool upper) {
  const kiln_tensor *x = in(c, 0);
  if (x->numel == 0)
    return KILN_OK;
  int64_t cols = x->shape[x->ndim - 1];
  KILN_PARALLEL(x->numel / cols, 1, KILN_GRAIN / cols + 1, triangle_part(c, upper, from, to));
  return KILN_OK;
}
static int32_t tril(const kiln_call *c) { return triangle(c, false); }
static int32_t triu(const kiln_call *c) { return triangle(c, true); }

/* [..., n] to the k-th diagonals of [..., n + |k|, n + |k|]. */
static int32_t diagonals(const kiln_call *c) {
  const kiln_tensor *x = in(c, 0), *y = c->out[0];
  int64_t n = x->shape[x->ndim - 1], m = y->shape[y->ndim - 1], k = c->attr[0].i;
  int64_t size = kiln__size_of(x->dtype), start = k < 0 ? -k * m : k;
  memset(kiln__data(y), 0, (size_t)(y->numel * size));
  for (int64_t b = 0; n > 0 && b < x->numel / n; b++) {
    kiln__run_copy((char *)kiln__data(y) + (b * m * m + start) * size, (m + 1) * size,
                   (const char *)kiln__data(x) + b * n * size, size, n, size);
  }
  return KILN_OK;
}

/* -- Looking up values ------------------------------------------------------------------ */

static int32_t searchsorted(const kiln_call *c) {
  const kiln_tensor *s = in(c, 0), *x = in(c, 1);
  sorted_lines p = {.sorted = kiln__data(s),
                    .x = kiln__data(x),
                    .out = kiln__data(c->out[0]),
                    .n = s->shape[s->ndim - 1],
                    .width = x->ndim ? x->shape[x->ndim - 1] : 1,
                    .one_line = s->ndim == 1,
                    .right = c->attr[0].i != 0};
  search_loop loop = search_loops[s->dtype];
  KILN_PARALLEL(x->numel, 8, KILN_GRAIN / 16, loop(&p, from, to));
  return KILN_OK;
}

/* attr: bins, min, max; min = max means the range of the data.  Values outside are not counted, the
** last bin holds max itself. */
static int32_t histc(const kiln_call *c) {
  enum { STEP = 512 };
  const kiln_tensor *x = in(c, 0);
  int64_t bins = c->attr[0].i, size = kiln__size_of(x->dtype);
  double low = c->attr[1].f, high = c->attr[2].f, v[STEP];
  const char *data = kiln__data(x);
  bool of_data = low == high;
  int64_t *count = kiln__scratch(0, bins * 8);
  if (!count)
    return KILN_ENOMEM;
  memset(count, 0, (size_t)bins * 8);
  for (int pass = of_data ? 0 : 1; pass < 2; pass++) {
    double scale = isinf(high - low) ? 0.5 : 1; /* the range may be wider than a double */
    if (pass == 0) {
      low = INFINITY;
      high = -INFINITY;
    }
    for (int64_t i = 0; i < x->numel; i += STEP) {
      int64_t n = x->numel - i < STEP ? x->numel - i : STEP;
      kiln_convert(v, KILN_FLOAT64, data + i * size, x->dtype, n);
      for (int64_t k = 0; k < n; k++) {
        if (pass == 0) {
          if (v[k] < low)
            low = v[k];
          if (v[k] > high)
            high = v[k];
          if (v[k] != v[k])
            high = low = v[k]; /* from which nothing leads back */
        } else if (v[k] >= low && v[k] <= high) {
          double part = (v[k] * scale - low * scale) / (high * scale - low * scale);
          int64_t bin = (int64_t)(part * (double)bins);
          count[bin < bins ? bin : bins - 1]++;
        }
      }
    }
    if (pass > 0)
      break;
    if (x->numel > 0 && !(isfinite(low) && isfinite(high))) {
      kiln__scratch_free(0, count, bins * 8);
      return kiln_fail(KILN_EARG, "histc: the data has no finite range; give min and max");
    }
    if (x->numel == 0) {
      low = 0;
      high = 1;
    } else if (low == high) {
      double margin = fmax(1, fabs(low) * 0x1p-40); /* where 1 is lost */
      low = fmax(low - margin, -DBL_MAX);
      high = fmin(high + margin, DBL_MAX);
    }
  }
  kiln_convert(kiln__data(c->out[0]), c->out[0]->dtype, count, KILN_INT64, bins);
  kiln__scratch_free(0, count, bins * 8);
  return KILN_OK;
}

#endif
