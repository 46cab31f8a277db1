/* memory.c: what happens where the system has no memory to give.  The program stands in front of
** the allocator; a trial fails its first request, then its second, and so on, until the call comes
** through.  Each call before that must have failed with KILN_ENOMEM and left nothing behind.
*/
#include "test.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

/* -- The allocator ---------------------------------------------------------------------------- */

static atomic_long left = -1; /* requests that are still granted; negative: all */

static bool refused(void) {
  long n = atomic_load(&left);
  return n == 0 || (n > 0 && atomic_fetch_sub(&left, 1) <= 0);
}

#define REAL(name) __typeof__(name) *real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

void *malloc(size_t size) {
  REAL(malloc);
  return refused() ? NULL : real(size);
}

void *realloc(void *p, size_t size) {
  REAL(realloc);
  return refused() ? NULL : real(p, size);
}

void *calloc(size_t n, size_t size) {
  REAL(calloc);
  return refused() ? NULL : real(n, size);
}

int posix_memalign(void **p, size_t alignment, size_t size) {
  REAL(posix_memalign);
  return refused() ? ENOMEM : real(p, alignment, size);
}

/* -- Trials ----------------------------------------------------------------------------------- */

/* call() with the first n requests granted and no more, for n from 0 on.  It returns a status. */
static void try(int32_t (*call)(void)) {
  enum { MOST = 1000 };
  int32_t status = -1, refusals = 0;
  for (long n = 0; n < MOST && status < 0; n++) {
    int64_t live = kiln_peek_memory(0)->live_tensors, nodes = kiln_peek_memory(0)->live_nodes;
    atomic_store(&left, n);
    status = call();
    atomic_store(&left, -1);
    if (status >= 0)
      break;
    refusals++;
    CHECK(status == KILN_ENOMEM);
    CHECK_ERROR(KILN_ENOMEM, "memory");
    CHECK(kiln_peek_memory(0)->live_tensors == live && kiln_peek_memory(0)->live_nodes == nodes);
  }
  CHECK(status >= 0 && refusals > 0);
  CHECK(kiln_error_code() == 0);
}

/* -- Views of a tensor that was written ------------------------------------------------------- */

static kiln_tensor *leaf, *base, *view;

/* A view whose history has to be made anew, for its base was written through another one. */
static void make_view(void) {
  leaf = test_tensor((const double[]){1, 2, 3}, SHAPE(3));
  kiln_set_requires_grad(leaf, true);
  base = kiln_mul(leaf, kiln_number(2));
  view = kiln_select(base, 0, 1);
  kiln_tensor *other = kiln_select(base, 0, 0);
  REQUIRE(kiln_mul_(other, kiln_number(3)) == KILN_OK);
  kiln_tensor_release(other);
}

static void drop_view(void) {
  kiln_tensor_release(view);
  kiln_tensor_release(base);
  kiln_tensor_release(leaf);
}

static int32_t compute_with_view(void) {
  kiln_tensor *y = kiln_exp(view);
  bool ok = y != NULL;
  kiln_tensor_release(y);
  return ok ? KILN_OK : kiln_error_code();
}

static int32_t differentiate_view(void) { return test_backward(view, true); }
static int32_t hook_view(void) { return kiln_hook_add(view, 1); }
static int32_t retain_grad_of_view(void) { return kiln_retain_grad(view); }

static int32_t call_lua_with_view(void) {
  kiln_tensor *none = NULL;
  kiln_node *n = kiln_node_lua(1, "Mine", &view, 1, &none, 1, NULL);
  if (!n)
    return kiln_error_code();
  kiln_node_release(n);
  return KILN_OK;
}

static void views_of_what_was_written(void) {
  static int32_t (*const calls[])(void) = {compute_with_view, differentiate_view, hook_view,
                                           retain_grad_of_view, call_lua_with_view};
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    make_view();
    atomic_store(&left, 0);
    CHECK(kiln_requires_grad(view) && !kiln_is_leaf(view));
    atomic_store(&left, -1);
    CHECK(kiln_error_code() == 0);
    try(calls[i]);
    CHECK(kiln_requires_grad(view) && kiln_peek_node(view));
    drop_view();
  }
}

static void gradients_after_a_refusal(void) {
  make_view();
  atomic_store(&left, 0);
  CHECK(!kiln_exp(view));
  atomic_store(&left, -1);
  kiln_error_clear();
  kiln_tensor *y = kiln_mul(view, view), *g = test_grad(y, leaf, false);
  CHECK(g && test_item(kiln_select(g, 0, 1)) == 16);
  kiln_tensor_release(g);
  kiln_tensor_release(y);
  drop_view();
}

/* -- What lives with a thread or a Lua state -------------------------------------------------- */

static int32_t open_state(void) {
  int32_t state = kiln_lua_open();
  kiln_lua_close(state);
  return state;
}

static int32_t own_generator(void) { return kiln_rng_own(1); }

static void numbers_of_states(void) { try(open_state); }
static void generators_of_threads(void) { try(own_generator); }

static bool dead;
static int32_t find_cycles(void) { return kiln_find_cycles(&leaf, 1, NULL, 0, &dead); }

static void cycles_through_many_hooks(void) {
  leaf = kiln_full(SHAPE(1), 1, KILN_FLOAT64, 0);
  REQUIRE(leaf && kiln_set_requires_grad(leaf, true) == KILN_OK);
  for (int64_t key = 1; key <= 100; key++)
    CHECK(kiln_hook_add(leaf, key) == KILN_OK);
  try(find_cycles);
  CHECK(dead);
  kiln_tensor_release(leaf);
}

static const test tests[] = {
    {"views of what was written", views_of_what_was_written},
    {"gradients after a refusal", gradients_after_a_refusal},
    {"numbers of Lua states", numbers_of_states},
    {"generators of threads", generators_of_threads},
    {"cycles through many hooks", cycles_through_many_hooks},
};

int main(void) {
  setenv("KILN_ALLOC", "direct", 1); /* every request of the core reaches the system */
  return test_main(tests, sizeof tests / sizeof *tests);
}
