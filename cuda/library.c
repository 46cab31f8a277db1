/* library.c: opens libraries by name; see library.h. */
#include "library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool kiln__cuda_library(const char *name, const char *const *names, void **functions, int n) {
  const char *folders = getenv("KILN_CUDA_LIBDIR");
  void *library = NULL;
  while (folders && *folders && !library) {
    char path[1024];
    int length = (int)strcspn(folders, ":");
    if (snprintf(path, sizeof path, "%.*s/%s", length, folders, name) < (int)sizeof path)
      library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    folders += length + (folders[length] == ':');
  }
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
