/* threads.c: what threads may do at the same time: build and differentiate graphs over shared
** parameters, hold and drop the same tensors, allocate here and free there, fail each on its own.
** Its reader is the thread sanitizer.
*/
#include "test.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 200, WIDTH = 64 };

static kiln_tensor *shared; /* a parameter, WIDTH ones that require grad */

static void in_threads(void *(*body)(void *)) {
  pthread_t thread[THREADS];
  for (intptr_t i = 0; i < THREADS; i++) {
    if (pthread_create(&thread[i], NULL, body, (void *)i) != 0)
      abort();
  }
  for (int i = 0; i < THREADS; i++)
    pthread_join(thread[i], NULL);
}

static void with_parameter(void *(*body)(void *)) {
  shared = kiln_full(SHAPE(WIDTH), 1, KILN_FLOAT64, 0);
  REQUIRE(shared);
  CHECK(kiln_set_requires_grad(shared, true) == KILN_OK);
  in_threads(body);
}

/* sum(shared * k), so that the gradient is k everywhere. */
static kiln_tensor *graph(double k) {
  kiln_tensor *p = kiln_mul(shared, kiln_number(k)), *view = kiln_view(p, SHAPE(8, 8));
  kiln_tensor *y = kiln_sum(view, NULL, 0, false);
  kiln_tensor_release(p);
  kiln_tensor_release(view);
  return y;
}

static void *take_gradients(void *arg) {
  double k = (double)(intptr_t)arg + 1;
  for (int i = 0; i < ROUNDS; i++) {
    kiln_tensor *y = graph(k), *g = test_grad(y, shared, false);
    CHECK(g && test_sum(g) == k * WIDTH);
    kiln_tensor_release(y);
    kiln_tensor_release(g);
  }
  return NULL;
}

static void gradients_over_a_shared_parameter(void) {
  with_parameter(take_gradients);
  kiln_tensor *g = kiln_grad(shared);
  CHECK(g == NULL); /* they were handed out, not accumulated */
  kiln_tensor_release(shared);
}

static void *accumulate(void *arg) {
  double k = (double)(intptr_t)arg + 1;
  for (int i = 0; i < ROUNDS; i++) {
    kiln_tensor *y = graph(k);
    CHECK(test_backward(y, false) == KILN_TASK_DONE);
    kiln_tensor_release(y);
  }
  return NULL;
}

static void accumulation_into_a_shared_parameter(void) {
  with_parameter(accumulate);
  kiln_tensor *g = kiln_grad(shared);
  CHECK(g && test_sum(g) == (1 + 2 + 3 + 4) * ROUNDS * WIDTH);
  kiln_tensor_release(g);
  kiln_tensor_release(shared);
}

static void *hold_and_drop(void *arg) {
  (void)arg;
  for (int i = 0; i < 10 * ROUNDS; i++) {
    kiln_tensor *x = kiln_tensor_retain(shared), *view = kiln_select(x, 0, i % WIDTH);
    kiln_tensor_release(x);
    kiln_tensor_release(view);
  }
  return NULL;
}

static void references_are_atomic(void) {
  with_parameter(hold_and_drop);
  CHECK(kiln_storage_refs(kiln_peek_storage(shared)) == 1);
  kiln_tensor_release(shared);
}

static kiln_tensor *_Atomic mailbox[THREADS];

/* Puts a tensor into the next thread's box and frees whatever lay there. */
static void *allocate_here_free_there(void *arg) {
  intptr_t next = ((intptr_t)arg + 1) % THREADS;
  for (int i = 0; i < 5 * ROUNDS; i++) {
    kiln_tensor *x = kiln_full(SHAPE(1 + i % 300), i, KILN_FLOAT32, 0);
    CHECK(x);
    kiln_tensor_release(atomic_exchange(&mailbox[next], x));
  }
  return NULL;
}

static void tensors_pass_between_threads(void) {
  in_threads(allocate_here_free_there);
  for (int i = 0; i < THREADS; i++)
    kiln_tensor_release(atomic_exchange(&mailbox[i], NULL));
}

static void *fail_alone(void *arg) {
  int64_t n = (intptr_t)arg + 2;
  char shape[16];
  snprintf(shape, sizeof shape, "[%" PRId64 "]", n);
  kiln_tensor *a = kiln_full(&n, 1, 1, KILN_FLOAT32, 0),
              *b = kiln_full(SHAPE(99), 1, KILN_FLOAT32, 0);
  for (int i = 0; i < ROUNDS; i++) {
    CHECK(!kiln_mul(a, b));
    CHECK_ERROR(KILN_EARG, shape);
  }
  kiln_tensor_release(a);
  kiln_tensor_release(b);
  return NULL;
}

static void errors_belong_to_their_thread(void) {
  in_threads(fail_alone);
  CHECK(kiln_error_code() == 0);
}

static const test tests[] = {
    {"gradients over a shared parameter", gradients_over_a_shared_parameter},
    {"accumulation into a shared parameter", accumulation_into_a_shared_parameter},
    {"references are atomic", references_are_atomic},
    {"tensors pass between threads", tensors_pass_between_threads},
    {"errors belong to their thread", errors_belong_to_their_thread},
};

int main(void) { return test_main(tests, sizeof tests / sizeof *tests); }
