/* autograd.c: gradients through the C interface: sums, shared inputs, writing in place, second
** derivatives, errors, and graphs too long for any recursion.  Small on purpose: it runs under the
** sanitizers.
*/
#include "test.h"

#include <pthread.h>

static kiln_tensor *leaf(double value, int64_t n) {
  kiln_tensor *x = kiln_full(&n, 1, value, KILN_FLOAT64, 0);
  if (x)
    kiln_set_requires_grad(x, true);
  return x;
}

static double grad_sum(kiln_tensor *x) {
  kiln_tensor *g = kiln_grad(x);
  double v = test_sum(g);
  kiln_tensor_release(g);
  return v;
}

static void release_all(kiln_tensor **all, size_t n) {
  for (size_t i = 0; i < n; i++)
    kiln_tensor_release(all[i]);
}
#define RELEASE(...)                                                                               \
  release_all((kiln_tensor *[]){__VA_ARGS__},                                                      \
              sizeof((kiln_tensor *[]){__VA_ARGS__}) / sizeof(kiln_tensor *))

static void product_and_sum(void) {
  kiln_tensor *x = leaf(2, 3), *w = leaf(5, 3);
  kiln_tensor *xw = kiln_mul(x, w), *y = kiln_sum(xw, NULL, 0, false);
  REQUIRE(y);
  CHECK(kiln_requires_grad(y) && !kiln_is_leaf(y) && kiln_is_leaf(x));
  CHECK(strcmp(kiln_node_name(kiln_peek_node(xw)), "mul") == 0);
  CHECK(test_backward(y, false) == KILN_TASK_DONE);
  CHECK(grad_sum(x) == 15 && grad_sum(w) == 6);
  CHECK(kiln_set_grad(x, NULL) == KILN_OK && kiln_grad(x) == NULL);
  RELEASE(x, w, xw, y);
}

static void a_leaf_used_twice(void) {
  kiln_tensor *x = leaf(3, 2);
  kiln_tensor *xx = kiln_mul(x, x), *z = kiln_add(xx, x, 1), *y = kiln_sum(z, NULL, 0, false);
  CHECK(test_backward(y, true) == KILN_TASK_DONE);
  CHECK(grad_sum(x) == 2 * 7);
  CHECK(test_backward(y, false) == KILN_TASK_DONE); /* accumulates */
  CHECK(grad_sum(x) == 4 * 7);
  CHECK(test_backward(y, false) < 0); /* what it saved is gone */
  CHECK(strlen(kiln_error()) > 0);
  kiln_error_clear();
  RELEASE(x, xx, z, y);
}

static void broadcast_inputs_get_their_own_shape(void) {
  kiln_tensor *x = leaf(1, 4), *b = leaf(2, 1), *m = kiln_full(SHAPE(3, 4), 1, KILN_FLOAT64, 0);
  kiln_tensor *p = kiln_mul(m, x), *q = kiln_mul(p, b), *y = kiln_sum(q, NULL, 0, false);
  CHECK(test_backward(y, false) == KILN_TASK_DONE);
  kiln_tensor *gx = kiln_grad(x), *gb = kiln_grad(b);
  REQUIRE(gx && gb);
  CHECK(kiln_tensor_ndim(gx) == 1 && kiln_tensor_numel(gx) == 4 && test_sum(gx) == 24);
  CHECK(kiln_tensor_numel(gb) == 1 && test_sum(gb) == 12);
  RELEASE(x, b, m, p, q, y, gx, gb);
}

static void second_derivative(void) {
  kiln_tensor *x = leaf(2, 1);
  kiln_tensor *xx = kiln_mul(x, x), *xxx = kiln_mul(xx, x), *y = kiln_sum(xxx, NULL, 0, false);
  kiln_tensor *g = test_grad(y, x, true);
  REQUIRE(g);
  CHECK(kiln_requires_grad(g) && test_sum(g) == 12);
  kiln_tensor *gs = kiln_sum(g, NULL, 0, false), *gg = test_grad(gs, x, false);
  REQUIRE(gg);
  CHECK(test_sum(gg) == 12 && kiln_grad(x) == NULL);
  RELEASE(x, xx, xxx, y, g, gs, gg);
}

static void no_grad_and_volatile(void) {
  kiln_tensor *x = leaf(2, 2);
  bool was = kiln_set_grad_enabled(false);
  kiln_tensor *a = kiln_exp(x);
  kiln_set_grad_enabled(was);
  CHECK(was && !kiln_requires_grad(a));
  kiln_tensor *v = kiln_full(SHAPE(2), 1, KILN_FLOAT64, 0);
  kiln_set_volatile(v, true);
  kiln_tensor *b = kiln_mul(x, v), *d = kiln_detach(x);
  CHECK(kiln_is_volatile(b) && !kiln_requires_grad(b) && kiln_peek_node(b) == NULL);
  CHECK(!kiln_requires_grad(d));
  CHECK(!kiln_peek_node(d));
  RELEASE(x, a, v, b, d);
}

/* -- Writing in place ------------------------------------------------------------------------- */

static void assignment_into_a_row_keeps_both_gradients(void) {
  kiln_tensor *x = leaf(1, 3), *v = leaf(4, 3), *copy = kiln_clone(x);
  kiln_tensor *two = kiln_mul(v, kiln_number(2)), *at = kiln_slice(copy, 0, 1, 1, 1);
  kiln_tensor *first = kiln_slice(two, 0, 0, 0, 1);
  REQUIRE(at && first);
  CHECK(kiln_copy_(at, first, false) == KILN_OK);
  kiln_tensor *y = kiln_sum(copy, NULL, 0, false);
  CHECK(test_backward(y, false) == KILN_TASK_DONE);
  kiln_tensor *gx = kiln_grad(x), *gv = kiln_grad(v);
  REQUIRE(gx && gv);
  const double want_x[] = {1, 0, 1}, want_v[] = {2, 0, 0};
  CHECK(memcmp(kiln_tensor_data(gx), want_x, sizeof want_x) == 0);
  CHECK(memcmp(kiln_tensor_data(gv), want_v, sizeof want_v) == 0);
  RELEASE(x, v, copy, two, at, first, y, gx, gv);
}

static void a_sibling_view_sees_the_new_history(void) {
  kiln_tensor *x = leaf(3, 4), *base = kiln_clone(x);
  kiln_tensor *left = kiln_slice(base, 0, 0, 1, 1), *all = kiln_view(base, SHAPE(2, 2));
  REQUIRE(left && all);
  CHECK(kiln_mul_(left, kiln_number(10)) == KILN_OK);
  kiln_tensor *y = kiln_sum(all, NULL, 0, false);
  CHECK(test_backward(y, false) == KILN_TASK_DONE);
  CHECK(grad_sum(x) == 10 + 10 + 1 + 1);
  RELEASE(x, base, left, all, y);
}

static void a_leaf_is_not_written(void) {
  kiln_tensor *x = leaf(1, 2);
  CHECK(kiln_mul_(x, kiln_number(3)) < 0);
  CHECK(strstr(kiln_error(), "mul") != NULL);
  kiln_error_clear();
  CHECK(test_sum(x) == 2);
  RELEASE(x);
}

static void an_overwritten_value_is_noticed(void) {
  kiln_tensor *x = leaf(1, 2), *e = kiln_exp(x), *y = kiln_mul(e, e);
  kiln_tensor *s = kiln_sum(y, NULL, 0, false);
  REQUIRE(s);
  CHECK(kiln_fill_(e, kiln_number(0)) == KILN_OK);
  CHECK(test_backward(s, false) < 0);
  CHECK_ERROR(KILN_EVERSION, "mul");
  RELEASE(x, e, y, s);
}

/* -- Errors --------------------------------------------------------------------------------- */

static void roots_that_cannot_be(void) {
  kiln_tensor *x = leaf(1, 3), *y = kiln_exp(x), *plain = kiln_full(NULL, 0, 1, KILN_FLOAT64, 0);
  CHECK(test_backward(y, false) < 0); /* three elements and no seed */
  CHECK(strstr(kiln_error(), "[3]") != NULL);
  kiln_error_clear();
  CHECK(test_backward(plain, false) < 0);
  CHECK(strlen(kiln_error()) > 0);
  kiln_error_clear();
  kiln_tensor *i = kiln_full(SHAPE(3), 1, KILN_INT64, 0);
  CHECK(kiln_set_requires_grad(i, true) < 0);
  CHECK(strstr(kiln_error(), "int64") != NULL);
  kiln_error_clear();
  RELEASE(x, y, plain, i);
}

static void a_task_given_up(void) {
  kiln_tensor *x = leaf(1, 3), *e = kiln_exp(x), *y = kiln_sum(e, NULL, 0, false), *seed = NULL;
  kiln_task *t = kiln_backward(&y, &seed, 1, NULL, 0, false, false, true, false);
  REQUIRE(t);
  kiln_task_free(t); /* never run */
  RELEASE(x, e, y);
}

/* -- Long graphs on a small stack ---------------------------------------------------------------
 */

enum { LONG = 1000000, UNUSED = 100000, SMALL_STACK = 256 << 10 };

static kiln_tensor *chain(kiln_tensor *x, int length) {
  kiln_tensor *y = kiln_mul(x, kiln_number(1));
  for (int i = 1; y && i < length; i++) {
    kiln_tensor *next = kiln_mul(y, kiln_number(1));
    kiln_tensor_release(y);
    y = next;
  }
  return y;
}

static void *long_chain(void *unused) {
  (void)unused;
  kiln_tensor *x = leaf(2, 1);
  kiln_tensor *y = chain(x, LONG);
  CHECK(y && test_backward(y, false) == KILN_TASK_DONE);
  CHECK(grad_sum(x) == 1);
  kiln_tensor_release(y);
  kiln_tensor_release(chain(x, UNUSED)); /* freed without having been differentiated */
  kiln_tensor_release(x);
  return NULL;
}

static void a_million_ops(void) {
  pthread_t thread;
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  CHECK(pthread_attr_setstacksize(&attr, SMALL_STACK) == 0);
  REQUIRE(pthread_create(&thread, &attr, long_chain, NULL) == 0);
  pthread_join(thread, NULL);
  pthread_attr_destroy(&attr);
}

/* sum of the rows of w at 2 3 2 (positions from 1), with a row-sparse gradient. */
static kiln_tensor *look_up(kiln_tensor *w) {
  static const double where[] = {2, 3, 2};
  kiln_tensor *at = test_tensor(where, SHAPE(3)), *index = kiln_cast(at, KILN_INT64);
  kiln_tensor *rows = kiln_embedding(w, index, INT64_MIN, false, true);
  kiln_tensor *y = kiln_sum(rows, NULL, 0, false);
  RELEASE(at, index, rows);
  return y;
}

static void row_sparse_gradients(void) {
  kiln_tensor *w = kiln_full(SHAPE(4, 2), 1, KILN_FLOAT64, 0);
  CHECK(kiln_set_requires_grad(w, true) == KILN_OK);
  kiln_tensor *y = look_up(w), *again = look_up(w);
  CHECK(test_backward(y, false) == KILN_TASK_DONE && test_backward(again, false) == KILN_TASK_DONE);
  kiln_tensor *g = kiln_grad(w);
  REQUIRE(g && kiln_is_rows(g));
  kiln_tensor *index = kiln_rows_index(g), *rows = kiln_rows_values(g), *dense = kiln_rows_dense(g);
  CHECK(kiln_tensor_numel(index) == 2 && test_sum(index) == 5);
  CHECK(test_sum(rows) == 12 && test_sum(dense) == 12);
  CHECK(kiln_mul(g, dense) == NULL);
  CHECK_ERROR(KILN_EARG, "row-sparse");
  CHECK(kiln_rows_index(dense) == NULL);
  CHECK_ERROR(KILN_EARG, "not row-sparse");
  RELEASE(w, y, again, g, index, rows, dense);
}

static const test tests[] = {
    {"product and sum", product_and_sum},
    {"a leaf used twice", a_leaf_used_twice},
    {"broadcast inputs get their own shape", broadcast_inputs_get_their_own_shape},
    {"second derivative", second_derivative},
    {"no_grad and volatile", no_grad_and_volatile},
    {"assignment into a row keeps both gradients", assignment_into_a_row_keeps_both_gradients},
    {"a sibling view sees the new history", a_sibling_view_sees_the_new_history},
    {"a leaf is not written", a_leaf_is_not_written},
    {"an overwritten value is noticed", an_overwritten_value_is_noticed},
    {"roots that cannot be", roots_that_cannot_be},
    {"a task given up", a_task_given_up},
    {"row-sparse gradients", row_sparse_gradients},
    {"a million ops on a small stack", a_million_ops},
};

int main(void) { return test_main(tests, sizeof tests / sizeof *tests); }
