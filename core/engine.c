/* engine.c: running a backward pass: node after node, delivery to leaves, un-broadcasting, and the
** pull of nodes that are written in Lua.  It refuses to call Lua: kiln_task_run() returns what is
** to be called, and is called again with the answers.
*/
#include "pass.h"

/* -- Leaves -------------------------------------------------------------------------------- */

/* Whether nobody else can see or write g's memory. */
static bool is_ours(const kiln_tensor *g) {
  return g->refs == 1 && kiln_storage_refs(g->storage) == 1 && kiln__is_contiguous(g);
}

/* Adds g to x.grad; the node's lock is held. */
static int32_t accumulate(kiln_task *t, kiln_tensor *x, kiln_tensor *g) {
  if (!kiln__same_shape(x, g) || x->dtype != g->dtype) {
    return kiln_fail(
        KILN_EGRAD,
        "backward: a gradient of %s %s reaches a tensor that was given other data since "
        "(%s %s)",
        kiln_dtype_name(g->dtype), kiln__shape_text(g->shape, g->ndim), kiln_dtype_name(x->dtype),
        kiln__shape_text(x->shape, x->ndim));
  }
  if (kiln__is_rows(g) || (x->grad && kiln__is_rows(x->grad)))
    return kiln__pass_add(t, &x->grad, g);
  if (!x->grad) {
    x->grad = is_ours(g) ? kiln_tensor_retain(g) : kiln_clone(g);
    return x->grad ? KILN_OK : kiln_error_code();
  }
  if (!t->create && !x->grad->node)
    return kiln_add_(x->grad, g, 1);
  kiln_tensor *sum = kiln_add(x->grad, g, 1);
  if (!sum)
    return kiln_error_code();
  kiln_tensor_release(x->grad);
  x->grad = sum;
  return KILN_OK;
}

/* Gives each tensor that asked for it its gradient: leaves, retain_grad, captures. */
static int32_t deliver(kiln_task *t, entry *x) {
  kiln_node *n = x->node;
  int32_t status = KILN_OK;
  bool leaf = n->kind == KILN_NODE_LEAF && (!t->restricted || (t->accumulate && x->captured));
  if (x->captured && !(leaf && t->accumulate)) {
    for (int32_t i = 0; i < t->n_captures && status >= 0; i++) {
      capture *c = &t->captures[i];
      if (c->node == n && x->g[c->nr])
        status = kiln__pass_add(t, &c->result, x->g[c->nr]);
    }
  }
  if (status < 0 || (!leaf && !n->retained))
    return status;
  kiln__node_lock(n);
  if (leaf && n->leaf && x->g[0])
    status = accumulate(t, n->leaf, x->g[0]);
  for (int32_t i = 0; n->retained && i < n->n_out && status >= 0; i++) {
    if (n->retained[i] && x->g[i])
      status = accumulate(t, n->retained[i], x->g[i]);
  }
  kiln__node_unlock(n);
  return status;
}

/* -- Running one node ---------------------------------------------------------------------- */

bool kiln__wants(const kiln_grad_call *c, int32_t i) { return c->edges[i].node != NULL; }

void kiln__give(kiln_grad_call *c, int32_t i, kiln_tensor *g) {
  KILN_ASSERT(i >= 0 && i < c->n_in);
  if (!g || !kiln__wants(c, i))
    return;
  c->result[i] = c->result[i] ? kiln_add(c->result[i], g, 1) : g;
}

kiln_tensor *kiln__g(kiln_grad_call *c, int32_t i) {
  if (c->g[i])
    return c->g[i];
  const kiln_meta *m = &c->out_meta[i];
  return kiln_full(m->shape, m->ndim, 0, m->dtype, m->device);
}

static kiln_tensor *to_device(kiln_tensor *g, int32_t device) {
  if (!g || g->device == device)
    return g;
  kiln_tensor *y = kiln_tensor_new(g->shape, g->ndim, g->dtype, device);
  if (!y)
    return NULL;
  kiln__pool_add(y);
  return kiln_copy_(y, g, false) < 0 ? NULL : y;
}

/* A gradient in the dtype and shape of the input it is for, summed down where that was broadcast.
 */
static kiln_tensor *fit_shape(const kiln_node *n, int32_t i, kiln_tensor *g) {
  const kiln_meta *m = &n->in_meta[i];
  if (g->dtype != m->dtype)
    g = kiln_cast(g, m->dtype);
  if (!g)
    return NULL;
  if (g->ndim == m->ndim && memcmp(g->shape, m->shape, (size_t)m->ndim * sizeof *m->shape) == 0) {
    return g;
  }
  kiln_meta wide = *m;
  if (kiln__broadcast(KILN_OP_SUM_TO, &wide, g->shape, g->ndim) < 0 || wide.ndim != g->ndim ||
      memcmp(wide.shape, g->shape, (size_t)g->ndim * sizeof *g->shape) != 0) {
    kiln_error_clear();
    kiln_fail(KILN_EGRAD, "backward: %s gave input %d a gradient of shape %s, it has shape %s",
              kiln__node_title(n), i + 1, kiln__shape_text(g->shape, g->ndim),
              kiln__shape_text(m->shape, m->ndim));
    return NULL;
  }
  return kiln_sum_to(g, m->shape, m->ndim);
}

/* The same on the input's device. */
static kiln_tensor *fit(const kiln_node *n, int32_t i, kiln_tensor *g) {
  return to_device(fit_shape(n, i, g), n->in_meta[i].device);
}

/* Fits the results (lent), keeps them, and passes them on. */
static int32_t distribute(kiln_task *t, int64_t current, kiln_tensor **result, kiln_pool *p) {
  kiln_node *n = t->entries[current].node;
  int32_t status = KILN_OK;
  for (int32_t i = 0; i < n->n_in; i++) {
    if (!result[i])
      continue;
    kiln_tensor *g = n->edges[i].node ? fit(n, i, result[i]) : NULL;
    if (!g && n->edges[i].node)
      status = kiln_error_code();
    result[i] = g ? kiln_tensor_retain(g) : NULL;
  }
  if (p)
    kiln__pool_close(p);
  for (int32_t i = 0; i < n->n_in; i++) {
    if (n->edges[i].node && status >= 0) {
      int64_t e = kiln__pass_lookup(t, n->edges[i].node);
      entry *y = &t->entries[e];
      if (result[i] && (y->needed || y->captured)) {
        status = kiln__pass_arrive(t, e, n->edges[i].nr, result[i]);
      }
      if (--y->waits == 0)
        kiln__pass_push(t, e);
    }
    kiln_tensor_release(result[i]);
  }
  return status;
}

static int32_t run_op(kiln_task *t, int64_t current) {
  entry *x = &t->entries[current];
  kiln_node *n = x->node;
  int64_t start = KILN_UNLIKELY(kiln__profiling) ? kiln__now_ns() : 0;
  kiln_tensor *few[3 * KILN_MAX_IN + KILN_MAX_OUT] = {0}, **many = NULL;
  kiln_tensor **in = few, **result = few + KILN_MAX_IN, **unpacked = few + 2 * KILN_MAX_IN;
  kiln_tensor *out[KILN_MAX_OUT] = {0};
  int32_t n_unpacked = 0, status = KILN_OK;
  if (n->n_in > KILN_MAX_IN) {
    many = calloc((size_t)n->n_in * 3 + KILN_MAX_OUT, sizeof *many);
    if (!many)
      return kiln_fail(KILN_ENOMEM, "backward: out of memory");
    in = many;
    result = many + n->n_in;
    unpacked = many + 2 * n->n_in;
  }
  if (n->consumed) {
    status =
        kiln_fail(KILN_EGRAD,
                  "backward: the saved values of %s are gone: backward ran through it a second "
                  "time; give retain_graph = true to the first one",
                  kiln__node_title(n));
  }
  for (int32_t k = 0; k < n->n_saved && status >= 0; k++) {
    kiln_tensor *v = kiln__node_unpack(n, k, t->create);
    if (!v) {
      status = kiln_error_code();
      break;
    }
    unpacked[n_unpacked++] = v;
    int32_t slot = n->saved[k].slot;
    if (slot < 16)
      in[slot] = v;
    else
      out[slot - 16] = v;
  }
  bool passed = false;
  if (status >= 0) {
    kiln_pool p;
    kiln__pool_open(&p);
    kiln_grad_call c = {.n_in = n->n_in,
                        .n_out = n->n_out,
                        .g = x->g,
                        .in = in,
                        .out = out,
                        .attr = n->attr,
                        .list = n->list,
                        .in_meta = n->in_meta,
                        .out_meta = n->out_meta,
                        .create = t->create,
                        .edges = n->edges,
                        .result = result};
    kiln__ops[n->op].grad(&c);
    status = kiln_error_code();
    if (status < 0) {
      kiln__pool_close(&p);
    } else {
      if (!t->retain)
        kiln__node_consume(n);
      status = distribute(t, current, result, &p);
      passed = true;
    }
  }
  for (int32_t k = 0; k < n_unpacked; k++)
    kiln_tensor_release(unpacked[k]);
  free(many);
  if (start && passed) {
    char title[64];
    snprintf(title, sizeof title, "%s.backward", kiln__node_title(n));
    kiln__profile(title, start, 0, n->sequence);
  }
  if (status < 0)
    kiln__fail_trace(0, n->trace);
  return status;
}

static int32_t ask(kiln_task *t, int64_t key, int32_t n, int32_t what) {
  t->given = calloc((size_t)n + 1, sizeof *t->given);
  if (!t->given)
    return kiln_fail(KILN_ENOMEM, "backward: out of memory");
  t->n_given = n;
  t->key = key;
  return what;
}

/* The next hook from h on whose gradient is there. */
static kiln_hook *next_hook(kiln_hook *h, const entry *x) {
  while (h && !x->g[h->nr])
    h = h->next;
  return h;
}

/* What is left to do with the current node once its hooks ran. */
static int32_t finish_start(kiln_task *t) {
  entry *x = &t->entries[t->current];
  int32_t status = deliver(t, x);
  if (status < 0 || x->node->kind == KILN_NODE_LEAF || !x->needed)
    return status;
  if (x->node->kind == KILN_NODE_LUA) {
    if (x->node->owner != kiln_lua_owner()) {
      return kiln_fail(KILN_EGRAD, "backward: the Function %s belongs to another Lua state",
                       x->node->name);
    }
    t->stage = AT_CALL;
    return ask(t, x->node->key, x->node->n_in, KILN_TASK_CALL);
  }
  return run_op(t, t->current);
}

/* A node without a gradient still has to tell its inputs that none comes from here. */
static int32_t pass_nothing(kiln_task *t) {
  kiln_node *n = t->entries[t->current].node;
  for (int32_t i = 0; i < n->n_in; i++) {
    if (!n->edges[i].node)
      continue;
    int64_t e = kiln__pass_lookup(t, n->edges[i].node);
    if (--t->entries[e].waits == 0)
      kiln__pass_push(t, e);
  }
  return KILN_OK;
}

static bool is_empty(const entry *x) {
  for (int32_t i = 0; x->g && i < x->node->n_out; i++) {
    if (x->g[i])
      return false;
  }
  return true;
}

/* Runs until Lua is needed (positive), all is done (0) or something failed. */
static int32_t run(kiln_task *t) {
  int32_t status = KILN_OK;
  for (;;) {
    if (t->current < 0) {
      if (t->n_heap == 0)
        return KILN_TASK_DONE;
      if (kiln__interrupted())
        return KILN_EINTR;
      t->current = kiln__pass_pop(t);
      t->stage = AT_START;
      entry *x = &t->entries[t->current];
      if (is_empty(x) || !(x->needed || x->captured)) {
        pass_nothing(t);
        kiln__pass_clear(x);
        t->current = -1;
        continue;
      }
      t->hook = next_hook(x->node->hooks, x);
    }
    if (t->stage == AT_HOOK) { /* the answer replaces the gradient, none leaves it */
      entry *x = &t->entries[t->current];
      if (t->given[0]) {
        kiln_tensor_release(x->g[t->hook->nr]);
        x->g[t->hook->nr] = t->given[0];
        t->given[0] = NULL;
      }
      kiln__pass_drop_given(t);
      t->hook = next_hook(t->hook->next, x);
      t->stage = AT_START;
    }
    if (t->stage == AT_START && t->hook) {
      if (t->entries[t->current].node->owner != kiln_lua_owner()) {
        return kiln_fail(KILN_EGRAD, "backward: a hook belongs to another Lua state");
      }
      t->stage = AT_HOOK;
      return ask(t, t->hook->key, 1, KILN_TASK_HOOK);
    }
    if (t->stage == AT_START) {
      status = finish_start(t);
    } else { /* AT_CALL: the answers of a Lua node */
      kiln_node *n = t->entries[t->current].node;
      kiln_pool p;
      if (!t->retain)
        kiln__node_consume(n);
      kiln__pool_open(&p);
      for (int32_t i = 0; i < t->n_given; i++) {
        if (t->given[i])
          kiln__pool_add(t->given[i]); /* distribute() takes its own references */
      }
      status = distribute(t, t->current, t->given, &p);
      for (int32_t i = 0; i < t->n_given; i++)
        t->given[i] = NULL;
      kiln__pass_drop_given(t);
    }
    if (status != KILN_OK)
      return status;
    entry *x = &t->entries[t->current];
    if (!x->needed && x->node->kind != KILN_NODE_LEAF)
      pass_nothing(t);
    kiln__pass_clear(x);
    t->current = -1;
  }
}

int32_t kiln_task_run(kiln_task *t) {
  bool was = kiln_set_grad_enabled(t->create);
  kiln_pool *outer =
      kiln__pool_swap(NULL); /* temporaries of an enclosing formula are none of ours */
  kiln_error_clear();
  int32_t status = run(t);
  kiln__pool_swap(outer);
  kiln_set_grad_enabled(was);
  return status;
}
