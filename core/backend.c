/* backend.c: which backends there are and which kernel they have for an op.  The CPU's is built in;
** libkiln_cuda is opened when somebody first asks for a device that is not the CPU.  It refuses to
** know kernels.
*/
#include "internal.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <unistd.h>

const kiln_backend *kiln__cpu_backend(void);

static struct {
  pthread_once_t once;
  const kiln_backend *cuda;
  int32_t n_devices;
  char why[512];
} accelerators = {.once = PTHREAD_ONCE_INIT};

void kiln__backend_fill(kiln_slot (*table)[KILN_DTYPE_COUNT], const kiln_entry *entries,
                        int32_t n) {
  for (int32_t i = 0; i < n; i++) {
    for (int32_t d = 0; d < KILN_DTYPE_COUNT; d++) {
      if (!(entries[i].dtypes >> d & 1))
        continue;
      table[entries[i].op][d] = (kiln_slot){entries[i].run, entries[i].flags};
    }
  }
}

/* KILN_CUDA_LIBDIR (folders, with ':' between) says where NVIDIA's libraries are that the loader
** would not find: what is open already satisfies libkiln_cuda. */
static void preload_runtime(void) {
  static const char *const names[] = {"libcudart.so.13", "libcudart.so.12"};
  const char *folders = getenv("KILN_CUDA_LIBDIR");
  while (folders && *folders) {
    int length = (int)strcspn(folders, ":");
    for (int32_t i = 0; i < KILN_COUNT(names); i++) {
      char path[1024];
      int n = snprintf(path, sizeof path, "%.*s/%s", length, folders, names[i]);
      if (n < (int)sizeof path)
        (void)dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    }
    folders += length + (folders[length] == ':');
  }
}

__attribute__((format(printf, 1, 2))) static void no_accelerator(const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(accelerators.why, sizeof accelerators.why, format, args);
  va_end(args);
}

/* The library that KILN_CUDA_LIBRARY names; else the one beside libkiln; else what the loader
** finds.  One that is there but does not load is not passed over.  NULL after saying why. */
static void *find_cuda(void) {
  const char *named = getenv("KILN_CUDA_LIBRARY"), *path = named && *named ? named : NULL;
  char beside[512];
  Dl_info self;
  if (!path && dladdr((void *)find_cuda, &self) && self.dli_fname && strchr(self.dli_fname, '/')) {
    int folder = (int)(strrchr(self.dli_fname, '/') - self.dli_fname);
    int n = snprintf(beside, sizeof beside, "%.*s/libkiln_cuda.so", folder, self.dli_fname);
    if (n < (int)sizeof beside && access(beside, F_OK) == 0)
      path = beside;
  }
  preload_runtime();
  void *library = dlopen(path ? path : "libkiln_cuda.so", RTLD_NOW | RTLD_LOCAL);
  const char *said = library ? "" : dlerror();
  if (!library && !path && strncmp(said, "libkiln_cuda.so:", 16) == 0)
    no_accelerator("libkiln_cuda.so is not installed (docs/gpu.md says how)");
  else if (!library)
    no_accelerator("%s%s", said,
                   strncmp(said, "libcudart", 9) == 0
                       ? " (KILN_CUDA_LIBDIR may name the folder that has it)"
                       : "");
  return library;
}

static void open_cuda(void) {
  void *library = find_cuda();
  if (!library)
    return;
  const kiln_backend *(*get)(void);
  *(void **)&get = dlsym(library, "kiln_cuda_backend");
  const kiln_backend *b = get ? get() : NULL;
  if (!b || b->abi != KILN_BACKEND_ABI || b->struct_size != sizeof *b ||
      b->ops != KILN_OPS_DIGEST) {
    Dl_info it;
    no_accelerator("%s is of another build than libkiln; build or install both together",
                   get && dladdr(*(void **)&get, &it) ? it.dli_fname : "libkiln_cuda");
    return;
  }
  const char *why = "";
  int32_t n = 0;
  if (b->device_count(&n, &why) < 0 || n == 0) {
    no_accelerator("%s", why);
    return;
  }
  accelerators.cuda = b;
  accelerators.n_devices = n;
}

const kiln_backend *kiln__backend(int32_t device) {
  static const kiln_backend *cpu;
  if (KILN_LIKELY(device == 0)) {
    const kiln_backend *b = __atomic_load_n(&cpu, __ATOMIC_ACQUIRE);
    if (KILN_UNLIKELY(!b)) {
      b = kiln__cpu_backend();
      __atomic_store_n(&cpu, b, __ATOMIC_RELEASE);
    }
    return b;
  }
  pthread_once(&accelerators.once, open_cuda);
  return device > 0 && device <= accelerators.n_devices ? accelerators.cuda : NULL;
}

bool kiln_has_kernel(const char *op, int32_t dtype, int32_t device) {
  const kiln_backend *b = kiln__backend(device);
  for (int32_t i = 0; b && dtype >= 0 && dtype < KILN_DTYPE_COUNT && i < KILN_OP_COUNT; i++) {
    if (strcmp(kiln__ops[i].name, op) == 0)
      return b->table[i][dtype].run || (kiln__is_half(dtype) && b->table[i][KILN_FLOAT32].run);
  }
  return false;
}

int32_t kiln_device_count(void) {
  pthread_once(&accelerators.once, open_cuda);
  return accelerators.n_devices;
}

const char *kiln_cuda_why(void) {
  pthread_once(&accelerators.once, open_cuda);
  return accelerators.why;
}
