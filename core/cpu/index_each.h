/* index_each.h: the loops of index.c that add and compare, for one element type (see each.h).
** Every sum is taken in the order of the positions, whatever the number of threads: a thread owns
** places, not terms.
*/
#if T_BOOL
#define SUM(a, b) ((a) || (b))
#else
#define SUM(a, b) STORE(LOAD(a) + LOAD(b))
#endif
/* NaN is above every number. */
#if T_FLOAT
#define ABOVE(a, b) ((a) > (b) || ((a) != (a) && (b) == (b)))
#else
#define ABOVE(a, b) ((a) > (b))
#endif

/* For the destination rows low..high - 1 of each outer block: dst[row] += alpha * src[k]. */
static void TYPED(add_rows)(const rows *r, double alpha, int64_t low, int64_t high) {
  V a = (V)alpha;
  (void)a;
  for (int64_t o = r->outer_from; o < r->outer_to; o++) {
    T *dst = (T *)r->dst + o * r->n * r->inner;
    const T *src = (const T *)r->src + o * r->count * r->inner;
    for (int64_t k = 0; k < r->count; k++) {
      int64_t row = r->index[k] - KILN_INDEX_BASE;
      if (row < low || row >= high)
        continue;
      T *d = dst + row * r->inner;
      const T *s = src + k * r->inner;
      if (alpha == 1) {
        for (int64_t b = 0; b < r->inner; b++)
          d[b] = SUM(d[b], s[b]);
      } else {
#if T_BOOL
        for (int64_t b = 0; b < r->inner; b++)
          d[b] = d[b] || (alpha != 0 && s[b]);
#else
        for (int64_t b = 0; b < r->inner; b++)
          d[b] = STORE(LOAD(d[b]) + a * LOAD(s[b]));
#endif
      }
    }
  }
}

/* Lines from..to - 1 (outer * inner + place inside): x[index] += src along the dim. */
static void TYPED(add_lines)(const lines *p, int64_t from, int64_t to) {
  const T *src = p->src;
  while (from < to) {
    int64_t o = from / p->inner, b0 = from % p->inner, b1 = p->inner;
    if (b1 - b0 > to - from)
      b1 = b0 + (to - from);
    T *x = (T *)p->x + lines_outer(p, o);
    for (int64_t k = 0; k < p->count; k++) {
      int64_t at = (o * p->count + k) * p->inner;
      for (int64_t b = b0; b < b1; b++) {
        T *d = x + (p->index[at + b] - KILN_INDEX_BASE) * p->x_inner + lines_inner(p, b);
        *d = SUM(*d, src[p->one_source ? 0 : at + b]);
      }
    }
    from += b1 - b0;
  }
}

/* Blocks m of a scattered write whose place is in low..high - 1. */
static void TYPED(add_blocks)(const blocks *p, int64_t low, int64_t high) {
  for (int64_t m = 0; m < p->count; m++) {
    if (p->place[m] < low || p->place[m] >= high)
      continue;
    T *d = (T *)p->x + p->place[m];
    const T *s = (const T *)p->values + (p->one_value ? 0 : m * p->inner);
    for (int64_t b = 0; b < p->inner; b++) {
      T *e = d + (p->inner_place ? p->inner_place[b] : b);
      *e = SUM(*e, s[p->one_value ? 0 : b]);
    }
  }
}

/* value[s][b] = max of x[r][b] over rows r of segment s (NaN wins), from = its row, 0 for none. */
static void TYPED(segment_max)(const rows *r, int64_t *from) {
  const T *x = r->src;
  T *value = r->dst;
  memset(from, 0, (size_t)(r->n * r->inner) * sizeof *from);
  memset(value, 0, (size_t)(r->n * r->inner) * sizeof *value);
  for (int64_t k = 0; k < r->count; k++) {
    int64_t first = (r->index[k] - KILN_INDEX_BASE) * r->inner;
    for (int64_t b = 0; b < r->inner; b++) {
      V v = LOAD(x[k * r->inner + b]), best = LOAD(value[first + b]);
      if (from[first + b] && !ABOVE(v, best))
        continue;
      value[first + b] = STORE(v);
      from[first + b] = k + KILN_INDEX_BASE;
    }
  }
}

/* Position (from 1) before which each of x[from..to) goes in its sorted line: after equal ones if
** `right`. */
static void TYPED(search)(const sorted_lines *p, int64_t from, int64_t to) {
  for (int64_t i = from; i < to; i++) {
    const T *s = (const T *)p->sorted + (p->one_line ? 0 : i / p->width * p->n);
    V v = LOAD(((const T *)p->x)[i]);
    int64_t low = 0, high = p->n;
    while (low < high) {
      int64_t middle = low + (high - low) / 2;
      V at = LOAD(s[middle]);
      if (p->right ? !ABOVE(at, v) : ABOVE(v, at))
        low = middle + 1;
      else
        high = middle;
    }
    p->out[i] = low + KILN_INDEX_BASE;
  }
}

#undef ABOVE
#undef SUM
