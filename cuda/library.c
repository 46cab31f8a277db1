/* library.c: opens libraries by name; see library.h. */
#include "library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

bool kiln__cuda_library(const char *name, const char *const *names, void **functions, int n) {
  const char *folder = getenv("KILN_CUDA_LIBDIR");
  char path[1024];
  void *library = NULL;
  if (folder && *folder && snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path)
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return false;
  for (int i = 0; i < n; i++) {
    functions[i] = dlsym(library, names[i]);
    if (!functions[i]) {
      dlclose(library);
      return false;
    }
  }
  return true;
}

bool kiln__cuda_tf32(void) {
  const char *asked = getenv("KILN_CUDA_TF32");
  return asked && *asked == '1';
}
