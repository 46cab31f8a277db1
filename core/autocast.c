/* autocast.c: gives the ops that the op table says (lua/kiln/ops/precision.lua) their inputs in
** half precision or in float32 while autocast is on in this thread.
**
** Casts are recorded ops, so gradients come back in the dtype of what was cast.  The cast of a
** leaf that requires grad, a weight, is kept until the outermost region ends, the leaf is written
** or backward has run.  It refuses calls in place, whose result has the dtype of what is written,
** and to look at float64.
*/
#include "internal.h"

enum { KINDS = 2, OFF = -1 }; /* of devices: the CPU, accelerators */

/* A leaf and its cast; both are held. */
typedef struct kept {
  kiln_tensor *leaf, *cast;
  int64_t version;
  bool recorded;
} kept;

typedef struct region {
  int8_t dtype[KINDS];
  kept *items;
  int32_t n, capacity;
} region;

KILN_HOT_TLS bool kiln__autocasting;
static _Thread_local region here = {.dtype = {OFF, OFF}};

int32_t kiln_autocast(int32_t kind) { return kind >= 0 && kind < KINDS ? here.dtype[kind] : OFF; }

int32_t kiln_set_autocast(int32_t kind, int32_t dtype) {
  if (kind < 0 || kind >= KINDS || (dtype != OFF && !kiln__is_half(dtype)))
    return kiln_fail(KILN_EARG, "autocast: dtype must be float16 or bfloat16, not %s",
                     kiln_dtype_name(dtype));
  here.dtype[kind] = (int8_t)dtype;
  kiln__autocasting = here.dtype[0] != OFF || here.dtype[1] != OFF;
  return KILN_OK;
}

void kiln_autocast_forget(void) {
  for (int32_t i = 0; i < here.n; i++) {
    kiln_tensor_release(here.items[i].leaf);
    kiln_tensor_release(here.items[i].cast);
  }
  free(here.items);
  here.items = NULL;
  here.n = here.capacity = 0;
}

/* -- Casts ---------------------------------------------------------------------------------- */

static kept *find(const kiln_tensor *leaf, int32_t dtype) {
  for (int32_t i = 0; i < here.n; i++) {
    if (here.items[i].leaf == leaf && here.items[i].cast->dtype == dtype)
      return &here.items[i];
  }
  return NULL;
}

/* Keeps a cast in place of one that is out of date; without memory it is not kept. */
static void keep(kept *old, kiln_tensor *leaf, kiln_tensor *cast) {
  kept item = {leaf, cast, leaf->storage->version, kiln__recording()};
  if (!old && here.n == here.capacity) {
    int32_t capacity = here.capacity ? 2 * here.capacity : 32;
    kept *items = realloc(here.items, (size_t)capacity * sizeof *items);
    if (!items)
      return;
    here.items = items;
    here.capacity = capacity;
  }
  kiln_tensor_retain(leaf);
  kiln_tensor_retain(cast);
  if (old) {
    kiln_tensor_release(old->leaf);
    kiln_tensor_release(old->cast);
    *old = item;
  } else {
    here.items[here.n++] = item;
  }
}

/* A cast that may stand for its leaf once more: neither written nor run through backward since. */
static bool is_good(const kept *k) {
  const kiln_node *n = k->cast->node;
  return k->version == k->leaf->storage->version && k->recorded == kiln__recording() &&
         !(n && n->consumed);
}

/* x in another dtype: a new reference. */
static kiln_tensor *cast_of(kiln_tensor *x, int32_t dtype) {
  bool weight = kiln__is_half(dtype) && kiln_is_leaf(x) && kiln_requires_grad(x);
  kept *k = weight ? find(x, dtype) : NULL;
  if (k && is_good(k))
    return kiln_tensor_retain(k->cast);
  kiln_tensor *y = kiln_cast(x, dtype);
  if (y && weight)
    keep(k, x, y);
  return y;
}

/* The dtype that a call's inputs are wanted in; OFF where it runs as it is. */
static int32_t wanted(const kiln_call *c, const kiln_op_info *op) {
  int32_t kind = 0;
  for (int32_t i = 0; i < c->n_in; i++)
    kind |= c->in[i] && c->in[i]->device > 0;
  if (here.dtype[kind] == OFF)
    return OFF;
  return op->flags & KILN_F_LOW ? here.dtype[kind] : KILN_FLOAT32;
}

static bool is_cast(const kiln_tensor *x, int32_t dtype) {
  return !(x->flags & KILN_T_NUMBER) && x->dtype != dtype &&
         (x->dtype == KILN_FLOAT32 || kiln__is_half(x->dtype));
}

/* Runs the call on inputs that were cast. */
static int32_t run(kiln_call *c, const kiln_op_info *op, int32_t dtype) {
  kiln_tensor *in[KILN_MAX_IN], *held[KILN_MAX_IN], **given = c->in;
  kiln_pool *pool = kiln__pool_swap(NULL);
  int32_t status = KILN_OK, n_held = 0;
  for (int32_t i = 0; i < c->n_in && status == KILN_OK; i++) {
    in[i] = given[i];
    if (!in[i] || !(op->promotes >> i & 1) || !is_cast(in[i], dtype))
      continue;
    in[i] = cast_of(in[i], dtype);
    if (in[i])
      held[n_held++] = in[i];
    else
      status = kiln_error_code();
  }
  if (status == KILN_OK) {
    c->in = in;
    status = kiln_apply(c);
    c->in = given;
  }
  while (n_held > 0)
    kiln_tensor_release(held[--n_held]);
  kiln__pool_swap(pool);
  return status == KILN_OK ? kiln__pool_add(c->out, c->n_out) : status;
}

int32_t kiln__apply_autocast(kiln_call *c) {
  const kiln_op_info *op = &kiln__ops[c->op];
  int32_t dtype = c->n_in <= KILN_MAX_IN ? wanted(c, op) : OFF;
  kiln__autocasting = false; /* casts, and the call itself, run as they are */
  int32_t status = dtype == OFF ? kiln_apply(c) : run(c, op, dtype);
  kiln__autocasting = true;
  return status;
}
