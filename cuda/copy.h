/* copy.h: what other families ask of copy.cu. */
#ifndef KILN_CUDA_COPY_H
#define KILN_CUDA_COPY_H
#include "operands.h"

/* Launches what writes src, broadcast and cast, into dst; any strides, no overlap between the two.
** src may be one element in host memory (device 0). */
int32_t kiln__cuda_write(const kiln_tensor *dst, const kiln_tensor *src);

#endif
