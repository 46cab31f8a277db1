/* pool_each.h: pooling for element type T.  Read by each.h.  Integers have the largest value of
** windows at even steps and, int64 alone, their mean without its fraction.
**
** INT is an integer as wide as T, 32 bits at least: positions are kept in it while a row of windows
** is worked on, so that values and positions vectorise alike.
*/
#define INT TYPED(pool_int)
typedef __typeof__(__builtin_choose_expr(sizeof(T) <= 4, (int32_t)0, (int64_t)0)) INT;

/* -- Windows at even steps: a row of outputs at a time, tap by tap --------------------------- */

/* The best of a tap and what was best so far, for outputs first..last; the tap is at column
** `from` + i * STEP of the row.  A NaN wins. */
#define KEEP_BEST(STEP)                                                                            \
  for (int64_t i = first; i < last; i++) {                                                         \
    T v = row[from + i * (STEP)];                                                                  \
    bool better = v > best[i] || v != v || place[i] < 0;                                           \
    best[i] = better ? v : best[i];                                                                \
    place[i] = better ? (INT)(at + i * (STEP)) : place[i];                                         \
  }
#define ADD_UP(STEP)                                                                               \
  for (int64_t i = first; i < last; i++)                                                           \
    best[i] += row[from + i * (STEP)];
/* Gradients go the other way; one tap meets no place twice. */
#define HAND_OUT(STEP)                                                                             \
  _Pragma("omp simd") for (int64_t i = first; i < last; i++) row[from + i * (STEP)] += best[i];

/* Runs LOOP for every tap of the windows `w` of output row (oz, oy) that lies in the plane. */
#define FOR_TAPS(w, LOOP)                                                                          \
  taps in_z = taps_of(w, 0, oz, oz), in_y = taps_of(w, 1, oy, oy);                                 \
  taps in_x = taps_of(w, 2, 0, (w)->out[2] - 1);                                                   \
  for (int64_t kz = in_z.first; kz < in_z.last; kz++) {                                            \
    int64_t z = oz * (w)->stride[0] - (w)->padding[0] + kz * (w)->dilation[0];                     \
    for (int64_t ky = in_y.first; ky < in_y.last; ky++) {                                          \
      int64_t y = oy * (w)->stride[1] - (w)->padding[1] + ky * (w)->dilation[1];                   \
      int64_t line = (z * (w)->in[1] + y) * (w)->in[2], step = (w)->stride[2];                     \
      __auto_type row = plane + line;                                                              \
      for (int64_t kx = in_x.first; kx < in_x.last; kx++) {                                        \
        int64_t from = kx * (w)->dilation[2] - (w)->padding[2], at = line + from, first, last;     \
        tap_range(w, from, &first, &last);                                                         \
        (void)at;                                                                                  \
        if (step == 1) {                                                                           \
          LOOP(1)                                                                                  \
        } else if (step == 2) {                                                                    \
          LOOP(2)                                                                                  \
        } else {                                                                                   \
          LOOP(step)                                                                               \
        }                                                                                          \
      }                                                                                            \
    }                                                                                              \
  }

/* A strip of an output row at a time, whose values and positions stay in cache. */
static void TYPED(max_planes)(const pool_job *j, int64_t from_plane, int64_t to_plane) {
  int64_t width = j->out[2], rows = j->out[0] * j->out[1];
  for (int64_t r = from_plane * rows; r < to_plane * rows; r++) {
    const T *plane = (const T *)j->x + r / rows * volume(j->in);
    int64_t oz = r % rows / j->out[1], oy = r % j->out[1];
    pool_job strip;
    for (int64_t left = 0; left < width; left += strip.out[2]) {
      T best[STRIP], *value = (T *)j->y + r * width + left;
      INT place[STRIP];
      int64_t *position = j->positions + r * width + left;
      strip = narrowed(j, left);
      for (int64_t i = 0; i < strip.out[2]; i++)
        best[i] = 0, place[i] = -1;
      FOR_TAPS(&strip, KEEP_BEST)
      for (int64_t i = 0; i < strip.out[2]; i++) {
        value[i] = best[i];
        position[i] = (int64_t)place[i] + KILN_INDEX_BASE;
      }
    }
  }
}

#if T_SUM
static void TYPED(avg_planes)(const pool_job *j, int64_t from_plane, int64_t to_plane) {
  int64_t width = j->out[2], rows = j->out[0] * j->out[1];
  for (int64_t r = from_plane * rows; r < to_plane * rows; r++) {
    const T *plane = (const T *)j->x + r / rows * volume(j->in);
    int64_t oz = r % rows / j->out[1], oy = r % j->out[1], lines = lines_of(j, oz, oy);
    pool_job strip;
    for (int64_t left = 0; left < width; left += strip.out[2]) {
      T *best = (T *)j->y + r * width + left;
      strip = narrowed(j, left);
      for (int64_t i = 0; i < strip.out[2]; i++)
        best[i] = 0;
      FOR_TAPS(&strip, ADD_UP)
      for (int64_t i = 0; i < strip.out[2]; i++)
        best[i] /= (T)cells_of(j, lines, left + i);
    }
  }
}

#endif

#if T_FLOAT
static void TYPED(avg_dx_planes)(const pool_job *j, int64_t from_plane, int64_t to_plane) {
  int64_t width = j->out[2], rows = j->out[0] * j->out[1], in = volume(j->in);
  for (int64_t r = from_plane * rows; r < to_plane * rows; r++) {
    T *plane = (T *)j->y + r / rows * in;
    if (r % rows == 0)
      memset(plane, 0, (size_t)in * sizeof(T));
    const T *g = (const T *)j->x + r * width;
    int64_t oz = r % rows / j->out[1], oy = r % j->out[1], lines = lines_of(j, oz, oy);
    pool_job strip;
    for (int64_t left = 0; left < width; left += strip.out[2]) {
      T best[STRIP];
      strip = narrowed(j, left);
      for (int64_t i = 0; i < strip.out[2]; i++) {
        best[i] = g[left + i] / (T)cells_of(j, lines, left + i);
      }
      FOR_TAPS(&strip, HAND_OUT)
    }
  }
}

#endif

#undef KEEP_BEST
#undef ADD_UP
#undef HAND_OUT
#undef FOR_TAPS

#if T_FLOAT
/* -- Windows with bounds of their own -------------------------------------------------------- */

/* Runs a statement for every output o of plane p, with its window in `b`. */
#define FOR_WINDOWS(...)                                                                           \
  for (int64_t p = from_plane; p < to_plane; p++) {                                                \
    bounds b = {0};                                                                                \
    for (int64_t o = 0; o < volume(j->out); o++) {                                                 \
      bounds_of(j, p, o, &b);                                                                      \
      __VA_ARGS__                                                                                  \
    }                                                                                              \
  }
/* Runs a statement for every line of that window: cells from..to of the plane. */
#define FOR_LINES(...)                                                                             \
  for (int64_t z = b.first[0]; z < b.last[0]; z++) {                                               \
    for (int64_t y = b.first[1]; y < b.last[1]; y++) {                                             \
      int64_t line = (z * j->in[1] + y) * j->in[2];                                                \
      int64_t from = line + b.first[2], to = line + b.last[2];                                     \
      __VA_ARGS__                                                                                  \
    }                                                                                              \
  }

static void TYPED(bounded_max_planes)(const pool_job *j, int64_t from_plane, int64_t to_plane) {
  FOR_WINDOWS({
    const T *plane = (const T *)j->x + p * volume(j->in);
    T best = 0;
    int64_t place = -1;
    FOR_LINES({
      for (int64_t i = from; i < to; i++) {
        if (place < 0 || plane[i] > best || plane[i] != plane[i])
          best = plane[i], place = i;
      }
    })
    ((T *)j->y)[p * volume(j->out) + o] = best;
    j->positions[p * volume(j->out) + o] = place + KILN_INDEX_BASE;
  })
}

static T TYPED(line_sum)(const T *x, int64_t from, int64_t to) {
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = from; i < to; i++)
    sum += x[i];
  return sum;
}

static void TYPED(bounded_avg_planes)(const pool_job *j, int64_t from_plane, int64_t to_plane) {
  FOR_WINDOWS({
    const T *plane = (const T *)j->x + p * volume(j->in);
    double sum = 0;
    FOR_LINES({ sum += (double)TYPED(line_sum)(plane, from, to); })
    ((T *)j->y)[p * volume(j->out) + o] = (T)(sum / (double)b.count);
  })
}

static void TYPED(bounded_avg_dx_planes)(const pool_job *j, int64_t from_plane, int64_t to_plane) {
  FOR_WINDOWS({
    T *plane = (T *)j->y + p * volume(j->in);
    if (o == 0)
      memset(plane, 0, (size_t)volume(j->in) * sizeof(T));
    T g = (T)((double)((const T *)j->x)[p * volume(j->out) + o] / (double)b.count);
    FOR_LINES({
      for (int64_t i = from; i < to; i++)
        plane[i] += g;
    })
  })
}

#undef FOR_WINDOWS
#undef FOR_LINES

/* -- Planes by position ---------------------------------------------------------------------- */

/* Positions that lie in no plane are left out and counted. */
static void TYPED(put_planes)(const pool_job *j, int64_t from_plane, int64_t to_plane) {
  int64_t in = volume(j->in), out = volume(j->out), wrong = 0;
  for (int64_t p = from_plane; p < to_plane; p++) {
    const T *x = (const T *)j->x + p * in;
    const int64_t *position = j->positions + p * in;
    T *y = (T *)j->y + p * out;
    for (int64_t i = 0; i < out; i++)
      y[i] = 0;
    for (int64_t i = 0; i < in; i++) {
      uint64_t at = (uint64_t)(position[i] - KILN_INDEX_BASE);
      if (at >= (uint64_t)out)
        wrong++;
      else if (j->add)
        y[at] += x[i];
      else
        y[at] = x[i];
    }
  }
  if (wrong)
    __atomic_store_n(j->wrong, true, __ATOMIC_RELAXED);
}

static void TYPED(take_planes)(const pool_job *j, int64_t from_plane, int64_t to_plane) {
  int64_t in = volume(j->in), out = volume(j->out), wrong = 0;
  for (int64_t p = from_plane; p < to_plane; p++) {
    const T *x = (const T *)j->x + p * in;
    const int64_t *position = j->positions + p * out;
    T *y = (T *)j->y + p * out;
    for (int64_t i = 0; i < out; i++) {
      uint64_t at = (uint64_t)(position[i] - KILN_INDEX_BASE);
      if (at < (uint64_t)in)
        y[i] = x[at];
      else
        wrong++;
    }
  }
  if (wrong)
    __atomic_store_n(j->wrong, true, __ATOMIC_RELAXED);
}
#endif
#undef INT
