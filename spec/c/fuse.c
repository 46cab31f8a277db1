/* fuse.c: fused functions through the C interface: what is put off, what settles it, and that
** nothing is left without memory.  Values at large are the specs' business.
*/
#include "test.h"

static kiln_tensor *ramp(int64_t n) {
  kiln_tensor *x = kiln_tensor_new(&n, 1, KILN_FLOAT64, 0);
  for (int64_t i = 0; x && i < n; i++)
    ((double *)kiln_tensor_data(x))[i] = (double)(i % 7) / 4;
  return x;
}

static double at(kiln_tensor *x, int64_t i) { return ((const double *)kiln_tensor_data(x))[i]; }

static void one_pass(void) {
  const kiln_memory *m = kiln_peek_memory(0);
  kiln_tensor *x = ramp(5000);
  REQUIRE(x);
  int64_t before = m->live_bytes;
  CHECK(kiln_fuse_begin() == 1);
  kiln_tensor *y = kiln_mul(x, x), *z = kiln_add(y, x, 2);
  CHECK(y && z);
  CHECK(m->live_bytes == before); /* neither has memory */
  kiln_tensor_release(y);
  CHECK(kiln_fuse_flush() == KILN_OK);
  kiln_fuse_end();
  bool same = true;
  for (int64_t i = 0; i < 5000; i++)
    same &= at(z, i) == at(x, i) * at(x, i) + 2 * at(x, i);
  CHECK(same);
  kiln_tensor_release(z);
  kiln_tensor_release(x);
}

/* Whoever asks for memory, writes or makes a view finds what the ops would have left. */
static void settling(void) {
  kiln_tensor *x = ramp(3000);
  REQUIRE(x);
  CHECK(kiln_fuse_begin() == 1);
  CHECK(kiln_fuse_begin() == 2);
  kiln_tensor *y = kiln_mul(x, kiln_number(2)), *z = kiln_add(y, x, 1);
  CHECK(at(z, 3) == 2.25);
  kiln_tensor *w = kiln_mul(y, y);
  CHECK(kiln_mul_(x, kiln_number(0)) == KILN_OK); /* y came from the old x */
  CHECK(at(w, 3) == 2.25);
  kiln_fuse_end();
  kiln_tensor *u = kiln_neg(w), *v = kiln_slice(u, 0, 3, 3, 1);
  CHECK(kiln_fuse_flush() == KILN_OK);
  kiln_fuse_end();
  CHECK(test_item(v) == -2.25);
  kiln_tensor *all[] = {u, w, z, y, x};
  for (int32_t i = 0; i < 5; i++)
    kiln_tensor_release(all[i]);
}

/* What nobody brought to memory is empty afterwards, not dangling. */
static void no_flush(void) {
  kiln_tensor *x = ramp(3000);
  REQUIRE(x);
  CHECK(kiln_fuse_begin() == 1);
  kiln_tensor *y = kiln_exp(x);
  kiln_fuse_end();
  CHECK(kiln_tensor_numel(y) == 0 && kiln_tensor_data(y) == NULL);
  kiln_tensor *z = kiln_exp(y);
  CHECK(z && kiln_tensor_numel(z) == 0);
  kiln_tensor_release(z);
  kiln_tensor_release(y);
  kiln_tensor_release(x);
  kiln_fuse_end(); /* one too many does nothing */
}

static void gradients(void) {
  kiln_tensor *x = ramp(3000), *b = ramp(1);
  REQUIRE(x && b);
  CHECK(kiln_set_requires_grad(x, true) == KILN_OK && kiln_set_requires_grad(b, true) == KILN_OK);
  CHECK(kiln_fuse_begin() == 1);
  kiln_tensor *y = kiln_mul(x, x), *z = kiln_add(y, b, 1), *s = kiln_sum(z, NULL, 0, false);
  CHECK(kiln_requires_grad(s));
  kiln_tensor_release(y);
  kiln_tensor_release(z);
  CHECK(kiln_fuse_flush() == KILN_OK);
  kiln_fuse_end();
  REQUIRE(kiln_peek_node(s));
  CHECK(strcmp(kiln_node_name(kiln_peek_node(s)), "fused") == 0);
  CHECK(test_backward(s, true) == KILN_TASK_DONE);
  kiln_tensor *gx = kiln_grad(x), *g = test_grad(s, x, true);
  CHECK(gx && at(gx, 3) == 1.5);
  CHECK(test_item(kiln_grad(b)) == 3000);
  CHECK(g && at(g, 3) == 1.5 && kiln_requires_grad(g));
  kiln_tensor *all[] = {g, gx, s, x, b};
  for (int32_t i = 0; i < 5; i++)
    kiln_tensor_release(all[i]);
}

static const test tests[] = {
    {"one pass", one_pass},
    {"what settles", settling},
    {"an end without a flush", no_flush},
    {"gradients", gradients},
};

int main(void) { return test_main(tests, sizeof tests / sizeof *tests); }
