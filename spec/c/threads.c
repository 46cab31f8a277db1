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

/* -- Channels and generators ------------------------------------------------------------------ */

static kiln_channel *forth, *back;

/* Sends the numbers it gets back with its own added. */
static void *answer(void *arg) {
  for (;;) {
    size_t n;
    const char *bytes = kiln_channel_pop(forth, -1, &n);
    if (!bytes)
      return NULL;
    int32_t v[2];
    memcpy(v, bytes, sizeof *v);
    CHECK(n == sizeof *v);
    kiln_channel_done(bytes);
    v[1] = (int32_t)(intptr_t)arg;
    CHECK(kiln_channel_push(back, (const char *)v, sizeof v) == KILN_OK);
  }
}

static void *ask(void *arg) {
  (void)arg;
  int64_t sum = 0;
  for (int32_t i = 0; i < 5 * ROUNDS; i++)
    CHECK(kiln_channel_push(forth, (const char *)&i, sizeof i) == KILN_OK);
  for (int32_t i = 0; i < 5 * ROUNDS; i++) {
    size_t n;
    const char *bytes = kiln_channel_pop(back, 60, &n);
    int32_t v[2] = {0};
    CHECK(bytes && n == sizeof v);
    if (bytes)
      memcpy(v, bytes, sizeof v);
    kiln_channel_done(bytes);
    sum += v[0];
  }
  CHECK(sum == (int64_t)5 * ROUNDS * (5 * ROUNDS - 1) / 2);
  kiln_channel_close(forth);
  return NULL;
}

static void *ask_or_answer(void *arg) { return arg ? answer(arg) : ask(arg); }

static void channels_pass_messages_on(void) {
  forth = kiln_channel_new();
  back = kiln_channel_retain(kiln_channel_new());
  REQUIRE(forth && back);
  in_threads(ask_or_answer);
  size_t n;
  CHECK(kiln_channel_pop(back, 0.01, &n) == NULL && n == 0); /* time is over */
  CHECK(kiln_channel_push(back, "left over", 9) == KILN_OK);
  kiln_channel_release(forth);
  kiln_channel_release(back);
  kiln_channel_release(back); /* and with it what was left over */
}

static double drawn[THREADS];

/* One looks for cycles through the parameter whose gradient the others replace. */
static void *search_or_replace(void *arg) {
  for (int i = 0; i < ROUNDS; i++) {
    if (arg) {
      kiln_tensor *g = kiln_full(SHAPE(WIDTH), i, KILN_FLOAT64, 0);
      CHECK(kiln_set_grad(shared, i % 3 ? g : NULL) == KILN_OK);
      kiln_tensor_release(g);
      continue;
    }
    bool dead = true;
    CHECK(kiln_find_cycles(&shared, 1, NULL, 0, &dead) == KILN_OK);
    CHECK(!dead); /* it has a reference that no Lua value explains */
  }
  return NULL;
}

static void cycles_are_looked_for_beside_writers(void) {
  shared = kiln_full(SHAPE(WIDTH), 1, KILN_FLOAT64, 0);
  REQUIRE(shared);
  CHECK(kiln_set_requires_grad(shared, true) == KILN_OK);
  kiln_tensor_retain(shared);
  in_threads(search_or_replace);
  kiln_tensor_release(shared);
  kiln_tensor_release(shared);
}

static void *draw(void *arg) {
  CHECK(kiln_rng_own(7) == KILN_OK);
  kiln_tensor *x = kiln_full(SHAPE(1), 0, KILN_FLOAT64, 0);
  for (int i = 0; i < ROUNDS; i++)
    CHECK(kiln_uniform_(x, 0, 1) == KILN_OK);
  drawn[(intptr_t)arg] = test_item(x);
  return NULL;
}

static void own_generators_do_not_mix(void) {
  in_threads(draw);
  for (int i = 1; i < THREADS; i++)
    CHECK(drawn[i] == drawn[0]);
}

static void workers_need_lua(void) {
  CHECK(kiln_worker_start("", 0, "", 0) == NULL);
  CHECK_ERROR(KILN_EBACKEND, "does not export Lua");
}

static const test tests[] = {
    {"gradients over a shared parameter", gradients_over_a_shared_parameter},
    {"accumulation into a shared parameter", accumulation_into_a_shared_parameter},
    {"references are atomic", references_are_atomic},
    {"tensors pass between threads", tensors_pass_between_threads},
    {"errors belong to their thread", errors_belong_to_their_thread},
    {"channels pass messages on", channels_pass_messages_on},
    {"cycles are looked for beside writers", cycles_are_looked_for_beside_writers},
    {"own generators do not mix", own_generators_do_not_mix},
    {"workers need Lua", workers_need_lua},
};

int main(void) { return test_main(tests, sizeof tests / sizeof *tests); }
