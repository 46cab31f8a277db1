/* test.h: what the C tests share: checks, a table of tests, the closing line.
**
** A test is a function; CHECK reports and goes on, REQUIRE reports and leaves the test.  Every test
** must end with as many live tensors, storages and nodes as it began with.  The program ends with
** `N passed, N failed, 0 skipped`.  It refuses to know what is tested.
*/
#ifndef KILN_TEST_H
#define KILN_TEST_H
#include "kiln_ops.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct test {
  const char *name;
  void (*run)(void);
} test;

static atomic_int test_failures; /* of the test under way, in any of its threads */

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      printf("  %s:%d: %s (error: %s)\n", __FILE__, __LINE__, #condition, kiln_error());           \
      atomic_fetch_add(&test_failures, 1);                                                         \
    }                                                                                              \
  } while (0)

#define REQUIRE(condition)                                                                         \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      printf("  %s:%d: %s (error: %s)\n", __FILE__, __LINE__, #condition, kiln_error());           \
      atomic_fetch_add(&test_failures, 1);                                                         \
      return;                                                                                      \
    }                                                                                              \
  } while (0)

/* This thread's error has the code and the text; it is cleared. */
#define CHECK_ERROR(code, text)                                                                    \
  do {                                                                                             \
    CHECK(kiln_error_code() == (code));                                                            \
    CHECK(strstr(kiln_error(), text) != NULL);                                                     \
    kiln_error_clear();                                                                            \
  } while (0)

#define SHAPE(...)                                                                                 \
  (const int64_t[]){__VA_ARGS__},                                                                  \
      (int32_t)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

/* A float64 tensor that owns a copy of n numbers. */
static inline kiln_tensor *test_tensor(const double *values, const int64_t *shape, int32_t ndim) {
  kiln_tensor *x = kiln_tensor_new(shape, ndim, KILN_FLOAT64, 0);
  if (x && values)
    memcpy(kiln_tensor_data(x), values, (size_t)kiln_tensor_numel(x) * 8);
  return x;
}

/* The element of a one-element tensor, which is released; NaN when there is none. */
static inline double test_item(kiln_tensor *x) {
  double v = NAN;
  int64_t i = 0;
  int32_t kind = x ? kiln_tensor_item(x, &v, &i) : -1;
  kiln_tensor_release(x);
  return kind == 1 ? v : kind == 2 ? (double)i : NAN;
}

static inline double test_sum(kiln_tensor *x) { return test_item(kiln_sum(x, NULL, 0, false)); }

/* Differentiates root (one element) into the .grad of its leaves. */
static inline int32_t test_backward(kiln_tensor *root, bool retain_graph) {
  kiln_tensor *seed = NULL;
  kiln_task *t = kiln_backward(&root, &seed, 1, NULL, 0, retain_graph, false, true, false);
  if (!t)
    return kiln_error_code();
  int32_t status = kiln_task_run(t);
  kiln_task_free(t);
  return status;
}

/* d root / d leaf, not accumulated. */
static inline kiln_tensor *test_grad(kiln_tensor *root, kiln_tensor *leaf, bool create_graph) {
  kiln_tensor *seed = NULL;
  kiln_task *t = kiln_backward(&root, &seed, 1, &leaf, 1, create_graph, create_graph, false, false);
  if (!t)
    return NULL;
  kiln_tensor *g = kiln_task_run(t) == KILN_TASK_DONE ? kiln_task_result(t, 0) : NULL;
  kiln_task_free(t);
  return g;
}

static inline int test_main(const test *tests, size_t n) {
  int passed = 0, failed = 0;
  const kiln_memory *m = kiln_peek_memory(0);
  for (size_t i = 0; i < n; i++) {
    int64_t tensors = m->live_tensors, storages = m->live_storages, nodes = m->live_nodes;
    kiln_error_clear();
    atomic_store(&test_failures, 0);
    tests[i].run();
    CHECK(m->live_tensors == tensors);
    CHECK(m->live_storages == storages);
    CHECK(m->live_nodes == nodes);
    bool ok = atomic_load(&test_failures) == 0;
    printf("%s %s\n", ok ? "ok  " : "FAIL", tests[i].name);
    fflush(stdout);
    ok ? passed++ : failed++;
  }
  printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed > 0;
}
#endif
