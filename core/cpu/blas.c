/* blas.c: opens OpenBLAS and LAPACKE.  See blas.h for why they are not linked.
**
** The core type is chosen through OPENBLAS_CORETYPE, which OpenBLAS reads while it is being
** loaded; the variable is set for that moment only, and not at all if the user has set it.
*/
#include "blas.h"
#include "cpu.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__x86_64__)
#define MULTIARCH "x86_64-linux-gnu"
#elif defined(__aarch64__)
#define MULTIARCH "aarch64-linux-gnu"
#else
#define MULTIARCH "unknown"
#endif

/* Where Debian keeps the OpenMP build, whatever the alternatives point to. */
#define DEBIAN_OPENMP "/usr/lib/" MULTIARCH "/openblas-openmp/"

/* OPENBLAS_OPENMP in OpenBLAS's numbering: 0 sequential, 1 its own threads, 2 OpenMP. */
enum { PARALLEL_OPENMP = 2 };

static const char *const openblas_names[] = {
    DEBIAN_OPENMP "libopenblas.so.0",
    "libopenblaso.so.0", /* Fedora's name of the OpenMP build */
    "libopenblas.so.0",
};

static struct {
  pthread_once_t once;
  kiln_blas table;
  char why[256]; /* empty when the table may be used */
} blas = {.once = PTHREAD_ONCE_INIT};

static struct {
  pthread_once_t once;
  kiln_lapack table;
  char why[256];
} lapack = {.once = PTHREAD_ONCE_INIT};

/* Fills a table of function pointers in the order of names; the name of the first one missing. */
static const char *fill(void *library, const char *const *names, size_t n, void *table) {
  for (size_t i = 0; i < n; i++) {
    void *f = dlsym(library, names[i]);
    if (!f)
      return names[i];
    memcpy((char *)table + i * sizeof f, &f, sizeof f);
  }
  return NULL;
}

#define NAME(f) #f,
static const char *const blas_functions[] = {KILN_BLAS_FUNCTIONS(NAME)};
static const char *const lapack_functions[] = {KILN_LAPACK_FUNCTIONS(NAME)};
#undef NAME
_Static_assert(sizeof(kiln_blas) == sizeof blas_functions, "one pointer a function");
_Static_assert(sizeof(kiln_lapack) == sizeof lapack_functions, "one pointer a function");

/* -- OpenBLAS ---------------------------------------------------------------------------------- */

static void *open_openmp_build(void) {
  for (size_t i = 0; i < sizeof openblas_names / sizeof *openblas_names; i++) {
    void *library = dlopen(openblas_names[i], RTLD_NOW | RTLD_LOCAL);
    if (!library)
      continue;
    int (*parallel)(void);
    void *f = dlsym(library, "openblas_get_parallel");
    memcpy(&parallel, &f, sizeof f);
    if (f && parallel() == PARALLEL_OPENMP)
      return library;
    snprintf(blas.why, sizeof blas.why, "%s is not the OpenMP build; install libopenblas0-openmp",
             openblas_names[i]);
    dlclose(library);
  }
  if (!blas.why[0]) {
    snprintf(blas.why, sizeof blas.why, "not found; install libopenblas0-openmp");
  }
  return NULL;
}

static void open_blas(void) {
  static const char variable[] = "OPENBLAS_CORETYPE";
  const char *core = getenv(variable) ? NULL : kiln__cpu_blas_core();
  if (core)
    setenv(variable, core, 0);
  void *library = open_openmp_build();
  if (core)
    unsetenv(variable);
  if (!library)
    return;
  const char *missing =
      fill(library, blas_functions, sizeof blas_functions / sizeof *blas_functions, &blas.table);
  blas.why[0] = 0;
  if (missing)
    snprintf(blas.why, sizeof blas.why, "it lacks %s", missing);
}

static const kiln_blas *peek_blas(void) {
  pthread_once(&blas.once, open_blas);
  return blas.why[0] ? NULL : &blas.table;
}

const kiln_blas *kiln__blas(void) {
  const kiln_blas *b = peek_blas();
  if (!b)
    kiln_fail(KILN_EBACKEND, "OpenBLAS: %s", blas.why);
  return b;
}

const char *kiln__blas_config(void) {
  const kiln_blas *b = peek_blas();
  return b ? b->openblas_get_config() : "";
}

const char *kiln__blas_corename(void) {
  const kiln_blas *b = peek_blas();
  return b ? b->openblas_get_corename() : "";
}

const char *kiln__blas_threading(void) { return peek_blas() ? "openmp" : ""; }

/* -- LAPACKE ----------------------------------------------------------------------------------- */

static void open_lapack(void) {
  if (!peek_blas()) {
    memcpy(lapack.why, blas.why, sizeof lapack.why);
    return;
  }
  /* Its BLAS and LAPACK are found by soname, so these two must be in the process before it. */
  dlopen(DEBIAN_OPENMP "libblas.so.3", RTLD_NOW | RTLD_LOCAL);
  dlopen(DEBIAN_OPENMP "liblapack.so.3", RTLD_NOW | RTLD_LOCAL);
  void *library = dlopen("liblapacke.so.3", RTLD_NOW | RTLD_LOCAL);
  const char *missing = NULL;
  if (library) {
    missing = fill(library, lapack_functions, sizeof lapack_functions / sizeof *lapack_functions,
                   &lapack.table);
  } else {
    snprintf(lapack.why, sizeof lapack.why, "not found; install liblapacke");
  }
  if (missing)
    snprintf(lapack.why, sizeof lapack.why, "it lacks %s", missing);
  else if (library)
    lapack.table.LAPACKE_set_nancheck(0); /* linalg.c says where NaN is refused */
}

const kiln_lapack *kiln__lapack(void) {
  pthread_once(&lapack.once, open_lapack);
  if (lapack.why[0])
    kiln_fail(KILN_EBACKEND, "LAPACKE: %s", lapack.why);
  return lapack.why[0] ? NULL : &lapack.table;
}
