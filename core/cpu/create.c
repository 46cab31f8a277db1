/* create.c: tensors made from nothing but numbers.
 */
#include "cpu.h"
#include "nd.h"

/* full(size, value, dtype, device) */
static int32_t full(const kiln_call *c) {
  kiln_tensor *out = c->out[0];
  char value[8] = {0};
  int64_t size = kiln__size_of(out->dtype);
  FN(kiln__cpu_convert)(value, out->dtype, &c->attr[0].f, KILN_FLOAT64, 1);
  char *data = kiln__data(out);
  KILN_PARALLEL(out->numel, 64, KILN_GRAIN,
                kiln__run_copy(data + from * size, size, value, 0, to - from, size));
  return KILN_OK;
}

/* Elements from to to - 1 of an arange, by blocks through the type they are computed in: int64
** where start and step are whole and the result is an integer, double otherwise. */
static void count_up(const kiln_call *c, int64_t from, int64_t to) {
  enum { BLOCK = 256 };
  kiln_tensor *out = c->out[0];
  const double start = c->attr[0].f, step = c->attr[1].f;
  const int64_t size = kiln__size_of(out->dtype);
  const bool whole = out->dtype >= KILN_INT8 && start == floor(start) && step == floor(step) &&
                     fabs(start) < 0x1p62 && fabs(step) < 0x1p62;
  for (int64_t m; from < to; from += m) {
    int64_t integer[BLOCK];
    double real[BLOCK];
    m = to - from < BLOCK ? to - from : BLOCK;
    if (whole) {
      int64_t first = (int64_t)start, by = (int64_t)step;
      for (int64_t i = 0; i < m; i++)
        integer[i] = first + (from + i) * by;
    } else {
      for (int64_t i = 0; i < m; i++)
        real[i] = start + (double)(from + i) * step;
    }
    FN(kiln__cpu_convert)
    ((char *)kiln__data(out) + from * size, out->dtype, whole ? (void *)integer : (void *)real,
     whole ? KILN_INT64 : KILN_FLOAT64, m);
  }
}

/* arange(start, step, count, dtype, device) */
static int32_t arange(const kiln_call *c) {
  KILN_PARALLEL(c->out[0]->numel, 256, KILN_GRAIN, count_up(c, from, to));
  return KILN_OK;
}

static const kiln_entry create_kernels[] = {
    {KILN_OP_FULL, KILN_D_ALL, 0, full},
    {KILN_OP_ARANGE, KILN_D_ALL, 0, arange},
};

void FN(kiln__cpu_create)(kiln_slot (*table)[KILN_DTYPE_COUNT]);
void FN(kiln__cpu_create)(kiln_slot (*table)[KILN_DTYPE_COUNT]) {
  KILN_CPU_ENTRIES(table, create_kernels);
}
