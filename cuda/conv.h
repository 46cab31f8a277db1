/* conv.h: the seam between convolutions and cuDNN. */
#ifndef KILN_CUDA_CONV_H
#define KILN_CUDA_CONV_H
#include "../core/cpu/onednn.h" /* kiln_conv: a convolution's sizes, kiln_conv_result */
#include "runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Computes one of a, w and b, dense tensors of one float dtype, on the device's stream; halves are
** summed in float32.  1 when done, 0 when cuDNN is not there or has nothing for it, negative after
** kiln_fail.  Emulated, there is no cuDNN. */
int32_t kiln__cudnn_conv(const kiln_conv *g, int32_t which, int32_t device, int32_t dtype, void *a,
                         void *w, void *b);

/* Whether cuDNN finds a plan for this convolution on the device that a sheet of properties (JSON)
** describes: needs the library, but no device.  *workspace: the bytes that it would take; *why: a
** reason, lent until the next call.  For tests. */
bool kiln__cudnn_can_plan(const kiln_conv *g, int32_t which, int32_t dtype, const char *sheet,
                          int64_t *workspace, const char **why);

#ifdef __cplusplus
}
#endif
#endif
