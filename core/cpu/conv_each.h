/* conv_each.h: windows to columns and back, for element type T.  Read by each.h.
**
** A column matrix has a row for each (channel, kernel position) of one group, and a column for each
** output position first..last of an image; `down` and `right` are its steps.
*/

/* Visits the runs of a column matrix that lie in one row of the output.  `run` sees: T *cell (the
** first cell), int64_t count, T *line (the input row, NULL outside), int64_t x (its first column).
*/
#define FOR_RUNS(...)                                                                              \
  for (int64_t r = 0; r < rows; r++) {                                                             \
    int64_t kx = r % g->kernel[2], ky = r / g->kernel[2] % g->kernel[1];                           \
    int64_t kz = r / (g->kernel[2] * g->kernel[1]) % g->kernel[0], ch = r / volume;                \
    for (int64_t p = first; p < last;) {                                                           \
      int64_t ox = p % g->out[2], oy = p / g->out[2] % g->out[1],                                  \
              oz = p / (g->out[2] * g->out[1]);                                                    \
      int64_t count = g->out[2] - ox < last - p ? g->out[2] - ox : last - p;                       \
      int64_t y = oy * g->stride[1] - g->padding[1] + ky * g->dilation[1];                         \
      int64_t z = oz * g->stride[0] - g->padding[0] + kz * g->dilation[0];                         \
      int64_t x = ox * g->stride[2] - g->padding[2] + kx * g->dilation[2];                         \
      bool inside = y >= 0 && y < g->in[1] && z >= 0 && z < g->in[0];                              \
      int64_t line = ((ch * g->in[0] + z) * g->in[1] + y) * g->in[2];                              \
      int64_t cell = r * down + (p - first) * right;                                               \
      __VA_ARGS__                                                                                  \
      p += count;                                                                                  \
    }                                                                                              \
  }

static void TYPED(to_columns)(const kiln_conv *g, const void *image, int64_t first, int64_t last,
                              int64_t down, int64_t right, void *columns) {
  const T *in = image;
  T *out = columns;
  int64_t volume = g->kernel[0] * g->kernel[1] * g->kernel[2], rows = g->ca / g->groups * volume;
  FOR_RUNS({
    for (int64_t i = 0; i < count; i++, x += g->stride[2]) {
      out[cell + i * right] = inside && x >= 0 && x < g->in[2] ? in[line + x] : 0;
    }
  })
}

static void TYPED(from_columns)(const kiln_conv *g, const void *columns, int64_t first,
                                int64_t last, int64_t down, int64_t right, void *image) {
  const T *in = columns;
  T *out = image;
  int64_t volume = g->kernel[0] * g->kernel[1] * g->kernel[2], rows = g->ca / g->groups * volume;
  FOR_RUNS({
    for (int64_t i = 0; inside && i < count; i++, x += g->stride[2]) {
      if (x >= 0 && x < g->in[2])
        out[line + x] += in[cell + i * right];
    }
  })
}

#undef FOR_RUNS

/* Adds bias to each channel of b [rows, channels, plane], rows of channels from..to. */
static void TYPED(add_bias)(const void *bias, int64_t channels, int64_t plane, void *b,
                            int64_t from, int64_t to) {
  for (int64_t i = from; i < to; i++) {
    T v = ((const T *)bias)[i % channels], *row = (T *)b + i * plane;
    for (int64_t k = 0; k < plane; k++)
      row[k] += v;
  }
}

/* sum[i] += the i-th of the next n - 1 parts, `count` apart. */
static void TYPED(add_parts)(void *sum, int64_t n, int64_t count, int64_t from, int64_t to) {
  T *s = sum;
  for (int64_t part = 1; part < n; part++) {
    for (int64_t i = from; i < to; i++)
      s[i] += s[part * count + i];
  }
}
