/* create.cu: tensors made from nothing but numbers. */
#include "kernel.h"

template <class T> static __global__ void fill_kernel(T *out, T value, int64_t n) {
  for (int64_t i = kiln_thread(); i < n; i += kiln_stride())
    out[i] = value;
}

/* The value's bits, whatever the type: one kernel a size. */
template <class T> static void fill(kiln_tensor *out, const void *value) {
  T v;
  memcpy(&v, value, sizeof v);
  KILN_LAUNCH(fill_kernel<T>, kiln_grid(out->numel), KILN_BLOCK, 0, kiln__cuda_stream(out->device),
              (T *)kiln__data(out), v, out->numel);
}

/* full(size, value, dtype, device) */
static int32_t full(const kiln_call *c) {
  kiln_tensor *out = c->out[0];
  char value[8] = {0};
  if (out->numel == 0)
    return KILN_OK;
  kiln_convert(value, out->dtype, &c->attr[0].f, KILN_FLOAT64, 1);
  switch (kiln_dtype_size(out->dtype)) {
  case 1:
    fill<uint8_t>(out, value);
    break;
  case 2:
    fill<uint16_t>(out, value);
    break;
  case 4:
    fill<uint32_t>(out, value);
    break;
  default:
    fill<uint64_t>(out, value);
  }
  return kiln__cuda_launched("full");
}

const kiln_entry kiln__cuda_create[] = {
    {KILN_OP_FULL, KILN_D_ALL, 0, full},
};
const int32_t kiln__cuda_create_n = sizeof kiln__cuda_create / sizeof *kiln__cuda_create;
