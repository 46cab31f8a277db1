/* library.h: opening NVIDIA's larger libraries when they are first needed: cuBLASLt alone takes
** 60 ms and 150 MB, and a machine may have none of them.
*/
#ifndef KILN_CUDA_LIBRARY_H
#define KILN_CUDA_LIBRARY_H
#include <stdbool.h>

/* Opens `name` from a folder of KILN_CUDA_LIBDIR, else where the loader looks, and sets
** functions[i] to the symbol names[i], n of them.  False when one of them is missing. */
bool kiln__cuda_library(const char *name, const char *const *names, void **functions, int n);

/* Whether float32 may be multiplied as TF32, which keeps 10 bits of the fraction: KILN_CUDA_TF32=1.
 */
bool kiln__cuda_tf32(void);

#endif
