/* create.cu: tensors made from nothing but numbers. */
#include "copy.h"
#include "typed.h"

/* full(size, value, dtype, device): a fill with a number. */
static int32_t full(const kiln_call *c) {
  double value = c->attr[0].f;
  kiln_storage storage = {};
  kiln_tensor number = {};
  storage.data = (char *)&value;
  number.dtype = KILN_FLOAT64;
  number.numel = 1;
  number.storage = &storage;
  return kiln__cuda_write(c->out[0], &number);
}

/* What an arange counts in: int64 where start and step are whole and the result is an integer,
** double otherwise. */
template <class N, class T> static __global__ void count_up(T *out, N start, N step, int64_t n) {
  for (int64_t i = kiln_thread(); i < n; i += kiln_stride())
    out[i] = kiln_to<T>::of(start + (N)i * step);
}

template <class T>
static void launch_arange(const kiln_tensor *out, double start, double step, bool whole) {
  T *data = (T *)kiln__data(out);
  void *stream = kiln__cuda_stream(out->device);
  const unsigned grid = kiln_grid(out->numel);
  if (whole)
    KILN_LAUNCH((count_up<int64_t, T>), grid, KILN_BLOCK, 0, stream, data, (int64_t)start,
                (int64_t)step, out->numel);
  else
    KILN_LAUNCH((count_up<double, T>), grid, KILN_BLOCK, 0, stream, data, start, step, out->numel);
}

/* arange(start, step, count, dtype, device) */
static int32_t arange(const kiln_call *c) {
  const kiln_tensor *out = c->out[0];
  const double start = c->attr[0].f, step = c->attr[1].f;
  const bool whole = out->dtype >= KILN_INT8 && start == floor(start) && step == floor(step) &&
                     fabs(start) < 0x1p62 && fabs(step) < 0x1p62;
  if (out->numel == 0)
    return KILN_OK;
  switch (out->dtype) {
#define CASE(label, T)                                                                             \
  case label:                                                                                      \
    launch_arange<T>(out, start, step, whole);                                                     \
    break;
    KILN_ALL_TYPES(CASE)
#undef CASE
  }
  return kiln__cuda_launched("arange");
}

const kiln_entry kiln__cuda_create[] = {
    {KILN_OP_FULL, KILN_D_ALL, 0, full},
    {KILN_OP_ARANGE, KILN_D_ALL, 0, arange},
};
const int32_t kiln__cuda_create_n = sizeof kiln__cuda_create / sizeof *kiln__cuda_create;
