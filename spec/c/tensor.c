/* tensor.c: the C interface without gradients: life and death of tensors, ops, views, writing in
** place, errors.  Small on purpose: it runs under the sanitizers.  Values at large are the specs'
** business.
*/
#include "test.h"

#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

/* -- Life and death ------------------------------------------------------------------------- */

static void library(void) {
  CHECK(strlen(kiln_version()) > 0);
  CHECK(kiln_abi() > 0);
  CHECK(strstr(kiln_cdef(), "kiln_add(") != NULL);
  CHECK(strchr(kiln_cdef(), '#') == NULL);
  CHECK(kiln_fact("cpu_level") != NULL);
  CHECK(kiln_fact("no such fact") == NULL);
  CHECK(kiln_num_threads() >= 1);
}

static void life_cycle(void) {
  const kiln_memory *m = kiln_peek_memory(0);
  int64_t before = m->live_bytes;
  kiln_tensor *x = kiln_tensor_new(SHAPE(2, 3), KILN_FLOAT32, 0);
  REQUIRE(x);
  CHECK(m->live_bytes >= before + 24);
  CHECK(kiln_tensor_ndim(x) == 2 && kiln_tensor_numel(x) == 6);
  CHECK(kiln_tensor_size(x, 0) == 2 && kiln_tensor_size(x, 1) == 3);
  CHECK(kiln_tensor_stride(x, 0) == 3 && kiln_tensor_stride(x, 1) == 1);
  CHECK(kiln_tensor_is_contiguous(x));
  CHECK(kiln_tensor_dtype(x) == KILN_FLOAT32);
  CHECK((uintptr_t)kiln_tensor_data(x) % 64 == 0);
  kiln_storage *s = kiln_storage_retain(kiln_peek_storage(x));
  kiln_tensor_release(kiln_tensor_retain(x));
  kiln_tensor_release(x);
  CHECK(kiln_storage_refs(s) == 1 && kiln_storage_bytes(s) == 24);
  kiln_storage_release(s);
  CHECK(m->live_bytes == before);
  kiln_tensor_release(NULL);
}

static void empty_and_scalar(void) {
  kiln_tensor *x = kiln_tensor_new(SHAPE(3, 0, 2), KILN_FLOAT32, 0);
  REQUIRE(x);
  CHECK(kiln_tensor_numel(x) == 0 && kiln_tensor_data(x) == NULL);
  CHECK(test_sum(x) == 0);
  kiln_tensor_release(x);
  x = kiln_full(NULL, 0, 7, KILN_INT64, 0);
  CHECK(kiln_tensor_ndim(x) == 0 && kiln_tensor_numel(x) == 1);
  CHECK(test_item(x) == 7);
}

static void impossible_tensors(void) {
  CHECK(!kiln_tensor_new(SHAPE(2, -1), KILN_FLOAT32, 0));
  CHECK_ERROR(KILN_EARG, "[2, -1]");
  CHECK(!kiln_tensor_new(SHAPE(INT64_C(1) << 40, INT64_C(1) << 40), KILN_FLOAT32, 0));
  CHECK_ERROR(KILN_EARG, "1099511627776");
  CHECK(!kiln_tensor_new(SHAPE(1, 1, 1, 1, 1, 1, 1, 1, 1), KILN_FLOAT32, 0));
  CHECK_ERROR(KILN_EARG, "9");
  CHECK(!kiln_tensor_new(SHAPE(2), 99, 0));
  CHECK_ERROR(KILN_EARG, "99");
  CHECK(!kiln_tensor_new(SHAPE(2), KILN_FLOAT32, 15));
  CHECK_ERROR(KILN_EARG, "15");
  CHECK(!kiln_tensor_new(SHAPE(INT64_C(1) << 46), KILN_FLOAT32, 0));
  CHECK_ERROR(KILN_ENOMEM, "bytes");
}

static void borrowed(void) {
  float data[] = {1, 2, 3, 4};
  kiln_tensor *x = kiln_tensor_borrow(data, SHAPE(2, 2), KILN_FLOAT32);
  REQUIRE(x);
  CHECK(kiln_fill_(x, kiln_number(5)) == KILN_OK);
  CHECK(data[0] == 5 && data[3] == 5);
  kiln_tensor_release(x);
}

static void from_storage(void) {
  kiln_storage *s = kiln_storage_new(6 * 4, 0);
  REQUIRE(s);
  memset(kiln_storage_data(s), 0, 24);
  const int64_t shape[] = {2, 2}, stride[] = {3, 1}, far[] = {4, 2}, back[] = {2, -1};
  kiln_tensor *x = kiln_tensor_from_storage(s, KILN_FLOAT32, 1, shape, stride, 2);
  CHECK(x && kiln_tensor_offset(x) == 1 && !kiln_tensor_is_contiguous(x));
  CHECK(!kiln_tensor_from_storage(s, KILN_FLOAT32, 1, shape, far, 2));
  CHECK_ERROR(KILN_EARG, "[4, 2]");
  CHECK(!kiln_tensor_from_storage(s, KILN_FLOAT32, 1, shape, back, 2));
  CHECK_ERROR(KILN_EARG, "[2, -1]");
  CHECK(!kiln_tensor_from_storage(s, KILN_FLOAT64, 0, shape, stride, 2));
  CHECK_ERROR(KILN_EARG, "float64");
  CHECK(!kiln_tensor_from_storage(s, KILN_FLOAT32, -1, shape, stride, 2));
  CHECK_ERROR(KILN_EARG, "-1");
  kiln_tensor_release(x);
  kiln_storage_release(s);
}

static void memory_is_reused(void) {
  const kiln_memory *m = kiln_peek_memory(0);
  int64_t live = m->live_bytes;
  for (int i = 0; i < 2000; i++) {
    kiln_tensor *x = kiln_full(SHAPE(1000), i, KILN_FLOAT32, 0);
    REQUIRE(x);
    kiln_tensor_release(x);
  }
  CHECK(m->live_bytes == live);
  kiln_memory_trim(0);
  CHECK(m->cached_bytes >= 0);
}

/* More free blocks than a thread keeps, out of order; what comes back is written to without harm.
 */
static void many_blocks_are_reused(void) {
  enum { MANY = 1000, STRIDE = 7 };
  static kiln_tensor *all[MANY];
  const kiln_memory *m = kiln_peek_memory(0);
  int64_t live = m->live_bytes, tensors = m->live_tensors;
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < MANY; i++) {
      all[i] = kiln_full(SHAPE(1 + i % 40), i, KILN_FLOAT32, 0);
      REQUIRE(all[i]);
    }
    for (int i = 0; i < MANY; i++)
      CHECK(test_sum(all[i]) == (double)i * (1 + i % 40));
    for (int i = 0; i < MANY / 2; i++) {
      kiln_tensor *x = all[i * STRIDE % MANY];
      all[i * STRIDE % MANY] = all[i];
      all[i] = x;
    }
    kiln_tensors_release(all, MANY);
    CHECK(m->live_bytes == live && m->live_tensors == tensors);
  }
}

/* -- Ops ------------------------------------------------------------------------------------ */

static void every_dtype(void) {
  for (int32_t d = 0; d < KILN_DTYPE_COUNT; d++) {
    kiln_tensor *a = kiln_full(SHAPE(3, 5), 1, d, 0), *b = kiln_full(SHAPE(5), 2, d, 0);
    kiln_tensor *c = kiln_add(a, b, 1);
    CHECK(c && kiln_tensor_dtype(c) == d);
    CHECK(test_sum(c) == (d == KILN_BOOL ? 15 : 45));
    kiln_tensor_release(a);
    kiln_tensor_release(b);
    kiln_tensor_release(c);
  }
}

static void promotion(void) {
  kiln_tensor *i = kiln_full(SHAPE(2), 3, KILN_INT32, 0);
  kiln_tensor *h = kiln_full(SHAPE(2), 0.5, KILN_FLOAT16, 0);
  kiln_tensor *a = kiln_mul(i, h), *b = kiln_mul(i, kiln_number_int(2));
  kiln_tensor *c = kiln_mul(i, kiln_number(0.5)), *d = kiln_div(i, i);
  CHECK(kiln_tensor_dtype(a) == KILN_FLOAT16);
  CHECK(kiln_tensor_dtype(b) == KILN_INT32);
  CHECK(kiln_tensor_dtype(c) == kiln_default_dtype());
  CHECK(kiln_tensor_dtype(d) == kiln_default_dtype());
  CHECK(test_sum(a) == 3 && test_sum(b) == 12 && test_sum(c) == 3 && test_sum(d) == 2);
  kiln_tensor *all[] = {i, h, a, b, c, d};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    kiln_tensor_release(all[k]);
}

static void matrix_product(void) {
  const double x[] = {1, 2, 3, 4, 5, 6}, y[] = {1, 0, 2, 1, 0, 3};
  kiln_tensor *a = test_tensor(x, SHAPE(2, 3)), *b = test_tensor(y, SHAPE(3, 2));
  kiln_tensor *c = kiln_mm(a, b), *t = kiln_transpose(a, 0, 1);
  const double expected[] = {5, 11, 14, 23};
  REQUIRE(c && t);
  CHECK(memcmp(kiln_tensor_data(c), expected, sizeof expected) == 0);
  kiln_tensor *gram = kiln_mm(t, a);
  REQUIRE(gram);
  CHECK(((double *)kiln_tensor_data(gram))[5] == 36); /* 2 * 3 + 5 * 6 */
  CHECK(!kiln_mm(a, a));
  CHECK_ERROR(KILN_EARG, "[2, 3]");
  kiln_tensor *all[] = {a, b, c, t, gram};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    kiln_tensor_release(all[k]);
}

static void same_seed_same_numbers(void) {
  uint64_t seed, offset;
  kiln_seed(0, 42);
  kiln_rng_get(0, &seed, &offset);
  CHECK(seed == 42 && kiln_initial_seed(0) == 42);
  kiln_tensor *a = kiln_tensor_new(SHAPE(1000), KILN_FLOAT32, 0);
  kiln_tensor *b = kiln_tensor_new(SHAPE(1000), KILN_FLOAT32, 0);
  REQUIRE(a && b);
  CHECK(kiln_uniform_(a, 0, 1) == KILN_OK);
  kiln_rng_set(0, seed, offset);
  CHECK(kiln_uniform_(b, 0, 1) == KILN_OK);
  CHECK(memcmp(kiln_tensor_data(a), kiln_tensor_data(b), 4000) == 0);
  CHECK(kiln_uniform_(b, 0, 1) == KILN_OK);
  CHECK(memcmp(kiln_tensor_data(a), kiln_tensor_data(b), 4000) != 0);
  kiln_tensor_release(a);
  kiln_tensor_release(b);
}

/* -- Views and writing in place ---------------------------------------------------------------- */

static void views_share_memory(void) {
  kiln_tensor *x = kiln_arange(0, 1, 12, KILN_FLOAT64, 0);
  kiln_tensor *m = kiln_view(x, SHAPE(3, 4)), *t = kiln_transpose(m, 0, 1);
  kiln_tensor *row = kiln_select(t, 0, -1), *some = kiln_slice(m, 1, 0, 3, 2);
  REQUIRE(m && t && row && some);
  CHECK(kiln_peek_base(row) == x && kiln_peek_storage(row) == kiln_peek_storage(x));
  CHECK(test_sum(row) == 3 + 7 + 11);
  CHECK(kiln_tensor_size(some, 1) == 2 && test_sum(some) == 0 + 2 + 4 + 6 + 8 + 10);
  int64_t version = kiln_tensor_version(x);
  CHECK(kiln_fill_(row, kiln_number(0)) == KILN_OK);
  CHECK(kiln_tensor_version(x) > version);
  CHECK(test_sum(x) == 66 - 21);
  CHECK(!kiln_view(t, SHAPE(12)));
  CHECK_ERROR(KILN_EARG, "[4, 3]");
  CHECK(!kiln_select(m, 0, 3));
  CHECK_ERROR(KILN_EARG, "select");
  kiln_tensor *all[] = {x, m, t, row, some};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    kiln_tensor_release(all[k]);
}

static void a_view_outlives_its_base(void) {
  kiln_tensor *x = kiln_full(SHAPE(4, 4), 2, KILN_FLOAT32, 0);
  kiln_tensor *row = kiln_select(x, 0, 1);
  kiln_tensor_release(x);
  CHECK(test_sum(row) == 8);
  kiln_tensor_release(row);
}

/* Sizes at and around those where the code goes to vectors and threads. */
static void in_place_add(void) {
  static const int64_t sizes[] = {1, 3, 8, 15, 16, 17, 64, 181, 182, 256, 257, 363};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    int64_t n = sizes[k];
    kiln_tensor *x = kiln_full(SHAPE(n, n), 0, KILN_FLOAT32, 0);
    kiln_tensor *one = kiln_full(SHAPE(n, n), 1, KILN_FLOAT32, 0);
    REQUIRE(x && one);
    CHECK(kiln_add_(x, one, 1) == KILN_OK);
    const float *v = kiln_tensor_data(x);
    int64_t wrong = 0;
    for (int64_t i = 0; i < n * n; i++)
      wrong += v[i] != 1;
    CHECK(wrong == 0);
    kiln_tensor_release(x);
    kiln_tensor_release(one);
  }
}

static void in_place_refusals(void) {
  kiln_tensor *x = kiln_full(SHAPE(1), 2, KILN_FLOAT32, 0), *wide = kiln_expand(x, SHAPE(1, 3));
  CHECK(kiln_mul_(wide, kiln_number(2)) < 0); /* three elements are one */
  CHECK_ERROR(KILN_EARG, "mul");
  kiln_tensor *i = kiln_full(SHAPE(2), 3, KILN_INT32, 0),
              *f = kiln_full(SHAPE(2), 1, KILN_FLOAT32, 0);
  CHECK(kiln_add_(i, f, 1) < 0);
  CHECK_ERROR(KILN_EARG, "int32");
  CHECK(kiln_add_(x, f, 1) < 0); /* [1] cannot hold [2] */
  CHECK_ERROR(KILN_EARG, "[1]");
  CHECK(test_sum(x) == 2 && test_sum(i) == 6);
  kiln_tensor *all[] = {x, wide, i, f};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    kiln_tensor_release(all[k]);
}

/* An input that overlaps the output but is not the same view: as if it had been copied first. */
static void in_place_overlap(void) {
  kiln_tensor *x = kiln_arange(0, 1, 6, KILN_FLOAT64, 0);
  kiln_tensor *low = kiln_slice(x, 0, 0, 4, 1), *high = kiln_slice(x, 0, 1, 5, 1);
  REQUIRE(low && high);
  CHECK(kiln_copy_(high, low, false) == KILN_OK);
  const double expected[] = {0, 0, 1, 2, 3, 4};
  CHECK(memcmp(kiln_tensor_data(x), expected, sizeof expected) == 0);
  kiln_tensor *all[] = {x, low, high};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    kiln_tensor_release(all[k]);
}

static void set_and_resize(void) {
  kiln_tensor *x = kiln_full(SHAPE(4), 1, KILN_FLOAT32, 0),
              *y = kiln_full(SHAPE(2), 3, KILN_FLOAT32, 0);
  CHECK(kiln_tensor_resize(x, SHAPE(2, 2)) == KILN_OK);
  CHECK(kiln_tensor_ndim(x) == 2 && test_sum(x) == 4);
  CHECK(kiln_tensor_resize(x, SHAPE(1000)) == KILN_OK);
  CHECK(kiln_tensor_numel(x) == 1000);
  CHECK(kiln_tensor_resize(x, SHAPE(-2)) < 0);
  CHECK_ERROR(KILN_EARG, "-2");
  CHECK(kiln_tensor_set(x, y, false) == KILN_OK);
  CHECK(kiln_peek_storage(x) == kiln_peek_storage(y) && test_sum(x) == 6);
  kiln_tensor_release(x);
  kiln_tensor_release(y);
}

/* -- Errors --------------------------------------------------------------------------------- */

static void errors_name_what_was_given(void) {
  kiln_tensor *a = kiln_full(SHAPE(3, 4), 1, KILN_FLOAT32, 0),
              *b = kiln_full(SHAPE(5), 1, KILN_FLOAT32, 0);
  CHECK(!kiln_mul(a, b));
  CHECK(strstr(kiln_error(), "mul") && strstr(kiln_error(), "[5]"));
  CHECK_ERROR(KILN_EARG, "[3, 4]");
  /* NULL in, NULL out; the first error stays. */
  CHECK(!kiln_exp(kiln_add(kiln_mul(a, b), a, 1)));
  CHECK_ERROR(KILN_EARG, "mul");
  kiln_tensor_release(a);
  kiln_tensor_release(b);
}

static void interrupt(void) {
  kiln_tensor *a = kiln_full(SHAPE(3), 1, KILN_FLOAT32, 0);
  kiln_interrupt_raise();
  CHECK(kiln_interrupt_pending());
  CHECK(!kiln_exp(a));
  CHECK_ERROR(KILN_EINTR, "interrupted");
  CHECK(!kiln_interrupt_pending());
  kiln_tensor *b = kiln_exp(a);
  CHECK(b);
  kiln_tensor_release(a);
  kiln_tensor_release(b);
}

static void on_timer(int signal_number) {
  (void)signal_number;
  kiln_interrupt_raise();
}

/* The flag goes up while a kernel runs, after so much time of this process as no sort of that many
** takes: the kernel runs to its end, and then the call fails. */
static void interrupt_in_a_kernel(void) {
  kiln_tensor *x = kiln_arange(0, 1, 1 << 21, KILN_FLOAT64, 0), *y = kiln_cos(x), *out[2];
  struct sigaction before, action = {.sa_handler = on_timer};
  struct itimerval once = {.it_value = {.tv_usec = 1000}};
  sigaction(SIGVTALRM, &action, &before);
  setitimer(ITIMER_VIRTUAL, &once, NULL);
  CHECK(kiln_sort(y, 0, false, false, out) == KILN_EINTR);
  CHECK_ERROR(KILN_EINTR, "interrupted");
  sigaction(SIGVTALRM, &before, NULL);
  CHECK(kiln_interrupt_poll() == KILN_OK);
  kiln_interrupt_raise();
  CHECK(kiln_interrupt_poll() == KILN_EINTR);
  CHECK_ERROR(KILN_EINTR, "interrupted");
  kiln_tensor_release(x);
  kiln_tensor_release(y);
}

static kiln_tensor *loggamma(kiln_tensor *x) { return kiln_lgamma(x); }
static kiln_tensor *squared(kiln_tensor *x) { return kiln_mm(x, x); }

/* The flag goes up at a small part of the processor's time that the call takes: most of it is not
** done, in one of some trials at least, for others use the machine, too.  Two threads: more would
** be through before the system looks at the timer. */
static void interrupt_between_parts(kiln_tensor *(*call)(kiln_tensor *), kiln_tensor *x) {
  enum { TRIALS = 10 };
  struct sigaction before, action = {.sa_handler = on_timer};
  const struct itimerval once = {.it_value = {.tv_usec = 1000}}, never = {.it_value = {0}};
  int64_t live = kiln_peek_memory(0)->live_tensors;
  int32_t threads = kiln_num_threads();
  bool was_short = false;
  kiln_set_num_threads(2);
  sigaction(SIGVTALRM, &action, &before);
  for (int i = 0; i < TRIALS && !was_short; i++) {
    clock_t start = clock();
    kiln_tensor_release(call(x));
    clock_t whole = clock() - start;
    setitimer(ITIMER_VIRTUAL, &once, NULL);
    start = clock();
    kiln_tensor *y = call(x);
    was_short = !y && clock() - start < whole / 2;
    setitimer(ITIMER_VIRTUAL, &never, NULL);
    if (y)
      kiln_interrupt_poll(); /* it came late */
    else
      CHECK(kiln_error_code() == KILN_EINTR);
    kiln_error_clear();
    kiln_tensor_release(y);
    CHECK(kiln_peek_memory(0)->live_tensors == live);
  }
  CHECK(was_short);
  sigaction(SIGVTALRM, &before, NULL);
  kiln_set_num_threads(threads);
  kiln_tensor_release(x);
}

static void interrupt_of_long_kernels(void) {
  interrupt_between_parts(loggamma, kiln_arange(0, 1, 1 << 23, KILN_FLOAT64, 0));
  interrupt_between_parts(squared, kiln_full(SHAPE(3000, 3000), 1, KILN_FLOAT32, 0));
}

static pthread_t ticked;
static uintptr_t ticked_frame;
static volatile int32_t ticks, strays;

static void on_tick(int signal_number) {
  (void)signal_number;
  uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
  if (!pthread_equal(pthread_self(), ticked))
    return;
  ticks++;
  strays += frame > ticked_frame || ticked_frame - frame > 4 << 20;
}

/* Libraries may have other uses for the stack pointer: no signal is to find it elsewhere. */
static void signals_find_the_stack(void) {
  struct sigaction before, action = {.sa_handler = on_tick};
  struct itimerval every = {.it_value = {.tv_usec = 200}, .it_interval = {.tv_usec = 200}};
  const struct itimerval never = {.it_value = {0}};
  kiln_tensor *x = kiln_full(SHAPE(300, 300), 1, KILN_FLOAT32, 0);
  ticked = pthread_self();
  ticked_frame = (uintptr_t)__builtin_frame_address(0);
  sigaction(SIGALRM, &action, &before);
  setitimer(ITIMER_REAL, &every, NULL);
  for (int i = 0; i < 5000 && ticks < 20; i++)
    kiln_tensor_release(squared(x));
  setitimer(ITIMER_REAL, &never, NULL);
  sigaction(SIGALRM, &before, NULL);
  CHECK(ticks > 0 && strays == 0);
  kiln_tensor_release(x);
}

static void errors_without_a_name_get_the_ops(void) {
  const int64_t huge = (int64_t)1 << 45;
  kiln_tensor *x = kiln_full(SHAPE(1), 1, KILN_FLOAT32, 0);
  kiln_tensor *wide = kiln_expand(x, &huge, 1);
  REQUIRE(wide);
  CHECK(!kiln_exp(wide));
  CHECK_ERROR(KILN_ENOMEM, "exp: ");
  CHECK(!kiln_expand(x, (const int64_t[]){huge, huge}, 2));
  CHECK_ERROR(KILN_EARG, "expand: shape [35184372088832, 35184372088832] has more elements");
  CHECK(!kiln_tensor_new((const int64_t[]){-1}, 1, KILN_FLOAT32, 0));
  CHECK_ERROR(KILN_EARG, "shape [-1] has a negative size at dim 1");
  kiln_tensor_release(wide);
  kiln_tensor_release(x);
}

static void held_memory_stays(void) {
  kiln_tensor *x = kiln_full(SHAPE(4), 1, KILN_FLOAT32, 0);
  void *data = kiln_tensor_data(x);
  kiln_storage *s = kiln_storage_hold(kiln_peek_storage(x), KILN_HOLD_LOOP);
  REQUIRE(s == kiln_storage_hold(s, KILN_HOLD_LOOP));
  CHECK(kiln_tensor_resize(x, SHAPE(100000)) < 0);
  CHECK_ERROR(KILN_EARG, "apply_ or map_ is at work on this memory");
  CHECK(kiln_tensor_resize(x, SHAPE(2)) == KILN_OK);
  CHECK(kiln_tensor_data(x) == data);
  kiln_storage_let_go(s);
  CHECK(kiln_storage_resize(s, 1 << 20) < 0);
  kiln_error_clear();
  kiln_tensor_release(x);
  CHECK(*(float *)data == 1); /* a hold is a reference */
  kiln_storage_let_go(s);
  kiln_tensor *y = kiln_full(SHAPE(4), 1, KILN_FLOAT32, 0);
  CHECK(kiln_tensor_resize(y, SHAPE(100000)) == KILN_OK);
  kiln_tensor_release(y);
}

static void conversion(void) {
  const double in[] = {1.5, -2.5, 255, NAN, INFINITY};
  float f[5];
  int64_t i[3];
  kiln_convert(f, KILN_FLOAT32, in, KILN_FLOAT64, 5);
  CHECK(f[0] == 1.5f && f[2] == 255 && isnan(f[3]) && isinf(f[4]));
  kiln_convert(i, KILN_INT64, in, KILN_FLOAT64, 3);
  CHECK(i[0] == 1 && i[1] == -2 && i[2] == 255);
  kiln_tensor *big = kiln_full(NULL, 0, 0, KILN_INT64, 0);
  CHECK(kiln_fill_(big, kiln_number_int(INT64_C(10151188881778163))) == KILN_OK);
  int64_t back = 0;
  double unused;
  CHECK(kiln_tensor_item(big, &unused, &back) == 2 && back == INT64_C(10151188881778163));
  kiln_tensor_release(big);
}

static const test tests[] = {
    {"library", library},
    {"life cycle", life_cycle},
    {"empty and scalar", empty_and_scalar},
    {"impossible tensors", impossible_tensors},
    {"borrowed memory", borrowed},
    {"tensor from storage", from_storage},
    {"memory is reused", memory_is_reused},
    {"many blocks are reused", many_blocks_are_reused},
    {"every dtype", every_dtype},
    {"promotion", promotion},
    {"matrix product", matrix_product},
    {"same seed, same numbers", same_seed_same_numbers},
    {"views share memory", views_share_memory},
    {"a view outlives its base", a_view_outlives_its_base},
    {"in-place add", in_place_add},
    {"in-place refusals", in_place_refusals},
    {"in-place overlap", in_place_overlap},
    {"set and resize", set_and_resize},
    {"errors name what was given", errors_name_what_was_given},
    {"interrupt", interrupt},
    {"interrupt_in_a_kernel", interrupt_in_a_kernel},
    {"interrupt_of_long_kernels", interrupt_of_long_kernels},
    {"signals_find_the_stack", signals_find_the_stack},
    {"errors_without_a_name_get_the_ops", errors_without_a_name_get_the_ops},
    {"held_memory_stays", held_memory_stays},
    {"conversion", conversion},
};

int main(void) { return test_main(tests, sizeof tests / sizeof *tests); }
