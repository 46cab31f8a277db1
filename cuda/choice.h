/* choice.h: kernels of the random family that stand in choice.cu. */
#ifndef KILN_CUDA_CHOICE_H
#define KILN_CUDA_CHOICE_H
#include "kernel.h"

int32_t kiln__cuda_randperm(const kiln_call *c);
int32_t kiln__cuda_multinomial(const kiln_call *c);

#endif
