/* engine.c: running a backward pass: node after node, delivery to leaves, un-broadcasting, and the
** pull of nodes that are written in Lua.  It refuses to call Lua: kiln_task_run() returns what is
** to be called, and is called again with the answers.
*/
#include "pass.h"

/* -- Delivery ------------------------------------------------------------------------------ */

/* Whether nobody else can see or write g's memory (nobody writes a row-sparse one's). */
static bool is_ours(const kiln_tensor *g) {
  return kiln__is_rows(g) ||
         (g->refs == 1 && kiln_storage_refs(g->storage) == 1 && kiln__is_contiguous(g));
}

/* Adds g to x.grad; the lock of x's node is held.  keep: g itself may become x.grad.  *old is what
** the caller releases once it has let go of the lock. */
static int32_t accumulate(kiln_task *t, kiln_tensor *x, kiln_tensor *g, bool keep,
                          kiln_tensor **old) {
  if (!kiln__same_shape(x, g) || x->dtype != g->dtype) {
    return kiln_fail(
        KILN_EGRAD,
        "backward: a gradient of %s %s reaches a tensor that was given other data since "
        "(%s %s)",
        kiln_dtype_name(g->dtype), kiln__shape_text(g->shape, g->ndim), kiln_dtype_name(x->dtype),
        kiln__shape_text(x->shape, x->ndim));
  }
  if (x->grad && (!kiln__same_shape(x->grad, g) || x->grad->dtype != g->dtype)) {
    return kiln_fail(
        KILN_EGRAD,
        "backward: a gradient of %s %s cannot be added to a .grad of %s %s, which is that of the "
        "data that the tensor had before; set it to nil first",
        kiln_dtype_name(g->dtype), kiln__shape_text(g->shape, g->ndim),
        kiln_dtype_name(x->grad->dtype), kiln__shape_text(x->grad->shape, x->grad->ndim));
  }
  if (kiln__is_rows(g) || (x->grad && kiln__is_rows(x->grad)))
    return kiln__pass_add(t, &x->grad, g);
  if (!x->grad) {
    x->grad = keep && is_ours(g) ? kiln_tensor_retain(g) : kiln_clone(g);
    return x->grad ? KILN_OK : kiln_error_code();
  }
  if (!t->create && !kiln__overlaps_itself(x->grad)) /* its own history stays */
    return kiln_add_(x->grad, g, 1);
  kiln_tensor *sum = kiln_add(x->grad, g, 1);
  if (!sum)
    return kiln_error_code();
  *old = x->grad;
  x->grad = sum;
  return KILN_OK;
}

static int32_t add_to_grad(kiln_task *t, kiln_node *n, kiln_tensor *const *x, kiln_tensor *g,
                           bool keep) {
  kiln_tensor *old = NULL;
  kiln__node_lock(n);
  int32_t status = *x ? accumulate(t, *x, g, keep, &old) : KILN_OK;
  kiln__node_unlock(n);
  kiln_tensor_release(old);
  return status;
}

/* Gives each tensor that asked for it its gradient: captures, the leaf, retain_grad.  t->step
** counts what is done, so that nothing is given twice when memory ran out on the way. */
static int32_t deliver(kiln_task *t, entry *x) {
  kiln_node *n = x->node;
  int32_t status = KILN_OK, at_leaf = t->n_captures, last = at_leaf + 1 + n->n_out;
  bool leaf = n->kind == KILN_NODE_LEAF && (!t->restricted || (t->accumulate && x->captured));
  bool captured = x->captured && !(leaf && t->accumulate);
  if (KILN_LIKELY(!leaf && !captured && !n->retained))
    return KILN_OK;
  for (; t->step < last; t->step++) {
    int32_t i = t->step;
    if (i < at_leaf) {
      capture *c = &t->captures[i];
      if (!captured || c->node != n || !x->g[c->nr])
        continue;
      if (!t->accumulate)
        status = kiln__pass_add(t, &c->result, x->g[c->nr]);
      else if (c->target)
        status = add_to_grad(t, n, &c->target, x->g[c->nr], false);
    } else if (i == at_leaf) {
      int64_t begin = kiln_profile_begin();
      if (leaf && x->g[0])
        status = add_to_grad(t, n, &n->leaf, x->g[0], true);
      if (leaf && x->g[0] && status >= 0)
        kiln_profile_end("accumulate", begin);
    } else if (n->retained && x->g[i - at_leaf - 1]) { /* which also goes on to the formula */
      status = add_to_grad(t, n, &n->retained[i - at_leaf - 1], x->g[i - at_leaf - 1], false);
    }
    if (status < 0)
      return status;
  }
  return KILN_OK;
}

/* The results of the pass are the caller's alone: what something else can see is copied. */
static int32_t finish(kiln_task *t) {
  for (; t->step < t->n_captures; t->step++) {
    capture *c = &t->captures[t->step];
    if (!c->result || is_ours(c->result))
      continue;
    kiln_tensor *copy = kiln_clone(c->result);
    if (!copy)
      return kiln_error_code();
    kiln_tensor_release(c->result);
    c->result = copy;
  }
  return KILN_TASK_DONE;
}

/* -- Running one node ---------------------------------------------------------------------- */

bool kiln__wants(const kiln_grad_call *c, int32_t i) { return c->edges[i].node != NULL; }

void kiln__give(kiln_grad_call *c, int32_t i, kiln_tensor *g) {
  KILN_ASSERT(i >= 0 && i < c->n_in);
  if (!g || !kiln__wants(c, i))
    return;
  c->result[i] = c->result[i] ? kiln_add(c->result[i], g, 1) : g;
}

void kiln__give_region(kiln_grad_call *c, int32_t i, kiln_tensor *g, const int64_t *size,
                       const int64_t *stride, int32_t n, int64_t offset) {
  const kiln_meta *m = &c->in_meta[i];
  if (!g || !kiln__wants(c, i))
    return;
  kiln_tensor *sum = c->task ? kiln__pass_sum(c->task, c->edges[i]) : NULL;
  if (!sum || !is_ours(sum) || kiln__is_rows(sum)) {
    kiln__give(c, i, kiln_as_strided_add(g, m->shape, m->ndim, size, n, stride, n, offset));
    return;
  }
  kiln_tensor *region =
      kiln_as_strided(sum, size, n, stride, n, sum->offset + offset, NULL, 0, NULL, 0, 0);
  if (region && kiln_add_(region, g, 1) >= 0)
    kiln__pass_wrote(c->task, c->edges[i]);
}

kiln_tensor *kiln__in(kiln_grad_call *c, int32_t i) {
  kiln_tensor *x = c->in[i], *g = c->g[0];
  bool as_it_is = !x || !g || x->flags & KILN_T_NUMBER || kiln__is_float(x->dtype);
  return as_it_is ? x : kiln_cast(x, g->dtype);
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
  if (kiln__pool_add(&y, 1) < 0)
    return NULL;
  return kiln_copy_(y, g, false) < 0 ? NULL : y;
}

kiln_tensor *kiln__fit(const kiln_node *n, int32_t i, const kiln_meta *m, kiln_tensor *g) {
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

/* What input i of the node gets, on its device. */
static kiln_tensor *fit(const kiln_node *n, int32_t i, kiln_tensor *g) {
  const kiln_meta *m = &n->in_meta[i];
  return to_device(kiln__fit(n, i, m, g), m->device);
}

/* Is an element of g NaN?  Negative on error. */
static int32_t has_nan(kiln_tensor *g) {
  double v = 0;
  int64_t yes = 0;
  kiln_tensor *any = kiln_any(kiln_isnan(kiln__is_rows(g) ? g->grad : g), NULL, 0, false);
  return any && kiln_tensor_item(any, &v, &yes) >= 0 ? yes != 0 : kiln_error_code();
}

/* Makes gradients of the node's inputs, lent, the pass's own (t->given) in dtype and shape.  To be
** called with a pool open. */
static int32_t keep_results(kiln_task *t, kiln_node *n, kiln_tensor *const *result) {
  for (int32_t i = 0; i < n->n_in; i++) {
    kiln_tensor *g = result[i] && n->edges[i].node ? fit(n, i, result[i]) : NULL;
    if (!g && result[i] && n->edges[i].node)
      return kiln_error_code();
    int32_t nan = g && t->check_nan ? has_nan(g) : 0;
    if (nan < 0)
      return nan;
    if (nan) {
      return kiln_fail(KILN_EGRAD,
                       "backward: the gradient of %s for its input %d, of shape %s, has NaN in it",
                       kiln__node_title(n), i + 1, kiln__shape_text(g->shape, g->ndim));
    }
    if (g)
      kiln_tensor_retain(g);
    kiln_tensor_release(t->given[i]);
    t->given[i] = g;
  }
  return KILN_OK;
}

/* Passes the results on; t->step counts the inputs that are served. */
static int32_t distribute(kiln_task *t) {
  kiln_node *n = t->entries[t->current].node;
  for (; t->step < n->n_in; t->step++) {
    int32_t i = t->step;
    if (!n->edges[i].node)
      continue;
    int64_t e = kiln__pass_lookup(t, n->edges[i].node);
    entry *y = &t->entries[e];
    kiln_tensor *g = t->n_given > 0 ? t->given[i] : NULL; /* none: nothing comes from here */
    if (g && (y->needed || y->captured)) {
      int32_t status = kiln__pass_arrive(t, e, n->edges[i].nr, g);
      if (status < 0)
        return status;
    }
    if (g) {
      t->given[i] = NULL;
      kiln_tensor_release(g);
    }
    if (--y->waits == 0)
      kiln__pass_push(t, e);
  }
  return KILN_OK;
}

static int32_t fail_consumed(const kiln_node *n) {
  return kiln_fail(KILN_EGRAD,
                   "backward: the saved values of %s are gone: backward ran through it a second "
                   "time; give retain_graph = true to the first one",
                   kiln__node_title(n));
}

static void profile_backward(const kiln_node *n, int64_t begin) {
  char title[64];
  if (!begin)
    return;
  snprintf(title, sizeof title, "%s.backward", kiln__node_title(n));
  kiln__profile(title, begin, 0, n->sequence);
}

/* A node that has run lets go of what it saved, and runs once.  One that saved nothing and has no
** hooks can run again: what two losses share, and only passes gradients on, serves both. */
static void use_up(const kiln_task *t, kiln_node *n) {
  if (!t->retain && (n->n_saved > 0 || __atomic_load_n(&n->hooks, __ATOMIC_RELAXED)))
    kiln__node_consume(n);
}

/* Runs the gradient formula of an op; its results are in t->given. */
static int32_t run_op(kiln_task *t) {
  entry *x = &t->entries[t->current];
  kiln_node *n = x->node;
  int64_t start = kiln_profile_begin(), outer_trace = kiln__trace();
  kiln_tensor *few[3 * KILN_MAX_IN + KILN_MAX_OUT] = {0}, **many = NULL;
  kiln_tensor **in = few, **result = few + KILN_MAX_IN, **unpacked = few + 2 * KILN_MAX_IN;
  kiln_tensor *out[KILN_MAX_OUT] = {0};
  int32_t n_unpacked = 0, status = kiln__pass_expect(t, n->n_in);
  if (status >= 0 && n->n_in > KILN_MAX_IN) {
    many = calloc((size_t)n->n_in * 3 + KILN_MAX_OUT, sizeof *many);
    if (!many)
      return kiln_fail(KILN_ENOMEM, "backward: out of memory");
    in = many;
    result = many + n->n_in;
    unpacked = many + 2 * n->n_in;
  }
  if (status >= 0 && n->consumed)
    status = fail_consumed(n);
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
                        .result = result,
                        .task = t};
    if (outer_trace)
      kiln_set_trace(n->trace); /* what is recorded here is of that call */
    kiln__ops[n->op].grad(&c);
    status = kiln_error_code();
    if (status >= 0)
      status = keep_results(t, n, result);
    if (status >= 0)
      use_up(t, n);
    kiln__pool_close(&p);
    if (outer_trace)
      kiln_set_trace(outer_trace);
  }
  for (int32_t k = 0; k < n_unpacked; k++)
    kiln_tensor_release(unpacked[k]);
  free(many);
  if (status >= 0)
    profile_backward(n, start);
  return status;
}

/* The same for a node of a fused function, whose steps have a formula each. */
static int32_t run_fused(kiln_task *t) {
  entry *x = &t->entries[t->current];
  kiln_node *n = x->node;
  int64_t start = kiln_profile_begin(), outer_trace = kiln__trace();
  int32_t status = n->consumed ? fail_consumed(n) : kiln__pass_expect(t, n->n_in);
  if (status < 0)
    return status;
  kiln_tensor **result = calloc((size_t)n->n_in + 1, sizeof *result);
  if (!result)
    return kiln_fail(KILN_ENOMEM, "backward: out of memory");
  kiln_pool p;
  kiln__pool_open(&p);
  if (outer_trace)
    kiln_set_trace(n->trace);
  status = kiln__fused_gradient(n, x->g, t->create, result);
  int32_t added = kiln__pool_add(result, n->n_in);
  if (status >= 0)
    status = added;
  if (status >= 0)
    status = keep_results(t, n, result);
  if (status >= 0)
    use_up(t, n);
  kiln__pool_close(&p);
  kiln_set_trace(outer_trace);
  free(result);
  if (status >= 0)
    profile_backward(n, start);
  return status;
}

/* The answers of a Lua node, in dtype and shape. */
static int32_t take_answers(kiln_task *t) {
  kiln_node *n = t->entries[t->current].node;
  kiln_pool p;
  kiln__pool_open(&p);
  int32_t status = keep_results(t, n, t->given);
  kiln__pool_close(&p);
  if (status >= 0 && !t->retain)
    kiln__node_consume(n);
  return status;
}

/* -- Hooks --------------------------------------------------------------------------------- */

/* Hooks come and go while others run, so they are found by their order.  Those that are added
** meanwhile wait for the next pass. */
static bool find_hook(kiln_task *t, const entry *x) {
  bool found = false;
  if (KILN_LIKELY(!__atomic_load_n(&x->node->hooks, __ATOMIC_RELAXED)))
    return false;
  kiln__node_lock(x->node);
  for (const kiln_hook *h = x->node->hooks; h && !found; h = h->next) {
    if (h->order < t->hook || h->order > t->last_hook || !x->g[h->nr])
      continue;
    found = true;
    t->hook = h->order;
    t->hook_nr = h->nr;
    t->key = h->key;
  }
  kiln__node_unlock(x->node);
  return found;
}

static void begin_hooks(kiln_task *t, const entry *x) {
  t->hook = 0;
  t->last_hook = -1;
  if (KILN_LIKELY(!__atomic_load_n(&x->node->hooks, __ATOMIC_RELAXED)))
    return;
  kiln__node_lock(x->node);
  for (const kiln_hook *h = x->node->hooks; h; h = h->next)
    t->last_hook = h->order;
  kiln__node_unlock(x->node);
}

/* A hook may write into what it gets: that must be nobody else's. */
static int32_t ask_hook(kiln_task *t, entry *x) {
  if (!is_ours(x->g[t->hook_nr])) {
    kiln_tensor *copy = kiln_clone(x->g[t->hook_nr]);
    if (!copy)
      return kiln_error_code();
    kiln__pass_replace(x, t->hook_nr, copy);
  }
  int32_t status = kiln__pass_expect(t, 1);
  if (status < 0)
    return status;
  t->stage = AT_HOOK;
  t->asked = kiln_profile_begin();
  return KILN_TASK_HOOK;
}

/* The answer replaces the gradient, none leaves it. */
static void take_hook_answer(kiln_task *t, entry *x) {
  kiln_profile_end("hook", t->asked);
  kiln_tensor *g = t->given[0] ? t->given[0] : kiln_tensor_retain(x->g[t->hook_nr]);
  t->given[0] = NULL;
  kiln__pass_replace(x, t->hook_nr, g);
  kiln__pass_drop_given(t);
  t->hook++;
}

/* -- What is computed again ----------------------------------------------------------------------
 */

static int32_t ask_region(kiln_task *t, kiln_node *r) {
  int32_t status = kiln__pass_keep_region(t, r);
  if (status < 0)
    return status;
  t->key = r->key;
  t->region = r;
  return KILN_TASK_AGAIN;
}

/* The node has run: what filled its holes goes, if it did not go with the node's saved values. */
static void end_holes(kiln_task *t, kiln_node *n) {
  kiln__node_empty(n);
  kiln__pass_drop_regions(t);
}

/* -- The loop ------------------------------------------------------------------------------ */

static void enter(kiln_task *t, int32_t stage) {
  t->stage = stage;
  t->step = 0;
}

/* Takes the next node; false when there is none. */
static bool begin(kiln_task *t) {
  if (t->n_heap == 0)
    return false;
  t->current = kiln__pass_pop(t);
  entry *x = &t->entries[t->current];
  bool runs = kiln__pass_has_gradient(x) && (x->needed || x->captured);
  enter(t, runs ? AT_START : AT_PASS);
  if (runs)
    begin_hooks(t, x);
  return true;
}

/* One step of the current node.  KILN_OK, or what Lua is asked for, or negative; a step that failed
** for want of memory can be taken again. */
static int32_t advance(kiln_task *t) {
  entry *x = &t->entries[t->current];
  kiln_node *n = x->node;
  int32_t status;
  switch (t->stage) {
  case AT_START:
    if ((status = kiln__pass_check(x)) < 0)
      return status;
    if (find_hook(t, x))
      return ask_hook(t, x);
    enter(t, AT_DELIVERY);
    return KILN_OK;
  case AT_HOOK:
    take_hook_answer(t, x);
    enter(t, AT_START);
    return KILN_OK;
  case AT_DELIVERY:
    if ((status = deliver(t, x)) < 0)
      return status;
    enter(t, n->kind == KILN_NODE_LEAF || !x->needed ? AT_PASS : AT_RUN);
    return KILN_OK;
  case AT_RUN:
    if (KILN_UNLIKELY(n->has_holes)) {
      kiln_node *r = kiln__region_wanted(n);
      if (r)
        return ask_region(t, r);
    }
    if (n->kind == KILN_NODE_LUA) {
      if ((status = kiln__pass_expect(t, n->n_in)) < 0)
        return status;
      t->key = n->key;
      t->asked = kiln_profile_begin();
      t->stage = AT_CALL;
      return KILN_TASK_CALL;
    }
    if ((status = n->kind == KILN_NODE_FUSED ? run_fused(t) : run_op(t)) < 0)
      return status;
    if (KILN_UNLIKELY(n->has_holes))
      end_holes(t, n);
    enter(t, AT_PASS);
    return KILN_OK;
  case AT_CALL:
    if ((status = kiln__pass_check(x)) < 0 || (status = take_answers(t)) < 0)
      return status;
    profile_backward(n, t->asked);
    if (n->has_holes)
      end_holes(t, n);
    enter(t, AT_PASS);
    return KILN_OK;
  case AT_PASS:
    if ((status = distribute(t)) < 0)
      return status;
    kiln__pass_drop_given(t);
    kiln__pass_clear(x);
    t->current = -1;
    t->step = 0;
    t->n_done++;
    return KILN_OK;
  }
  return KILN_OK;
}

/* Runs until Lua is needed (positive), all is done (0) or something failed. */
static int32_t run(kiln_task *t) {
  for (;;) {
    if (t->current < 0) {
      if (kiln__interrupted())
        return KILN_EINTR;
      if (!begin(t))
        return finish(t);
    }
    int32_t status = advance(t);
    if (status < 0)
      kiln__fail_trace(0, t->entries[t->current].node->trace);
    if (status != KILN_OK)
      return status;
  }
}

int32_t kiln_task_run(kiln_task *t) {
  bool was = kiln_set_grad_enabled(t->create), autocasting = kiln__autocasting;
  kiln__autocasting = false; /* gradients have the dtypes of what they are gradients of */
  kiln_pool *outer =
      kiln__pool_swap(NULL); /* temporaries of an enclosing formula are none of ours */
  kiln_error_clear();
  int32_t status = run(t);
  kiln__pool_swap(outer);
  kiln_set_grad_enabled(was);
  kiln__autocasting = autocasting;
  return status;
}
