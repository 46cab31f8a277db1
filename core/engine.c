/* engine.c: the backward pass: order, accumulation, un-broadcasting, and the pull of nodes that are
** written in Lua.  Iterative, so depth costs no C stack.  It refuses to call Lua: kiln_task_run()
** returns what is to be called, and is called again with the answers.
**
** Nodes run in reverse order of recording, each once all gradients that reach it have arrived.
*/
#include "internal.h"

#include <stdlib.h>

/* -- Temporaries --------------------------------------------------------------------------- */

static KILN_HOT_TLS kiln_pool *pool;

bool kiln__pool_is_open(void) { return pool != NULL; }

void kiln__pool_open(kiln_pool *p) {
  p->outer = pool;
  p->items = p->inline_items;
  p->n = 0;
  p->capacity = KILN_COUNT(p->inline_items);
  pool = p;
}

void kiln__pool_add(kiln_tensor *x) {
  kiln_pool *p = pool;
  if (!p)
    return;
  if (p->n == p->capacity) {
    bool first = p->items == p->inline_items;
    size_t size = (size_t)p->capacity * 2 * sizeof *p->items;
    kiln_tensor **items = first ? malloc(size) : realloc(p->items, size);
    KILN_ASSERT(items != NULL);
    if (first)
      memcpy(items, p->inline_items, sizeof p->inline_items);
    p->items = items;
    p->capacity *= 2;
  }
  p->items[p->n++] = x;
}

void kiln__pool_close(kiln_pool *p) {
  KILN_ASSERT(pool == p);
  pool = p->outer;
  for (int32_t i = 0; i < p->n; i++)
    kiln_tensor_release(p->items[i]);
  if (p->items != p->inline_items)
    free(p->items);
}

/* -- The task ------------------------------------------------------------------------------ */

typedef struct entry {
  kiln_node *node;
  int32_t waits; /* gradients still to come */
  bool needed, captured;
  kiln_tensor **g; /* n_out slots; NULL until the first gradient arrives */
} entry;

typedef struct capture {
  kiln_node *node;
  int32_t nr;
  kiln_tensor *result;
} capture;

struct kiln_task {
  bool retain, create, accumulate, restricted, was_recording;
  entry *entries;
  int64_t n_entries, room;
  int64_t *table; /* open addressing: entry index + 1 */
  int64_t table_size;
  int64_t *heap;
  int64_t n_heap;
  capture *captures;
  int32_t n_captures;
  /* The node at work and what Lua is to do for it. */
  int64_t current; /* -1: none */
  enum { AT_START, AT_HOOK, AT_CALL } stage;
  kiln_hook *hook;
  int64_t key;
  kiln_tensor **given; /* answers: one a node input, or one for a hook */
  int32_t n_given;
};

static int64_t *find_slot(const kiln_task *t, const kiln_node *n) {
  uint64_t h = (uint64_t)(uintptr_t)n * 0x9e3779b97f4a7c15u;
  int64_t i = (int64_t)(h >> 20) & (t->table_size - 1);
  while (t->table[i] && t->entries[t->table[i] - 1].node != n)
    i = (i + 1) & (t->table_size - 1);
  return &t->table[i];
}

static int32_t grow(kiln_task *t) {
  int64_t room = t->room ? 2 * t->room : 64;
  entry *entries = realloc(t->entries, (size_t)room * sizeof *entries);
  if (!entries)
    return kiln_fail(KILN_ENOMEM, "backward: out of memory");
  t->entries = entries;
  int64_t *heap = realloc(t->heap, (size_t)room * sizeof *heap);
  if (!heap)
    return kiln_fail(KILN_ENOMEM, "backward: out of memory");
  t->heap = heap;
  int64_t *table = calloc((size_t)(2 * room), sizeof *table);
  if (!table)
    return kiln_fail(KILN_ENOMEM, "backward: out of memory");
  free(t->table);
  t->table = table;
  t->table_size = 2 * room;
  t->room = room;
  for (int64_t i = 0; i < t->n_entries; i++)
    *find_slot(t, t->entries[i].node) = i + 1;
  return KILN_OK;
}

/* The entry of a node, made if need be; -1 when out of memory. */
static int64_t entry_of(kiln_task *t, kiln_node *n, bool *is_new) {
  *is_new = false;
  if (t->table_size) {
    int64_t *slot = find_slot(t, n);
    if (*slot)
      return *slot - 1;
  }
  if (t->n_entries == t->room && grow(t) < 0)
    return -1;
  *is_new = true;
  kiln__node_retain(n);
  t->entries[t->n_entries] = (entry){.node = n, .needed = true};
  *find_slot(t, n) = t->n_entries + 1;
  return t->n_entries++;
}

static int64_t lookup(const kiln_task *t, const kiln_node *n) { return *find_slot(t, n) - 1; }

static bool before(const kiln_task *t, int64_t a, int64_t b) {
  return t->entries[a].node->sequence > t->entries[b].node->sequence;
}

static void push(kiln_task *t, int64_t e) {
  int64_t i = t->n_heap++;
  while (i > 0 && before(t, e, t->heap[(i - 1) / 2])) {
    t->heap[i] = t->heap[(i - 1) / 2];
    i = (i - 1) / 2;
  }
  t->heap[i] = e;
}

static int64_t pop(kiln_task *t) {
  int64_t top = t->heap[0], last = t->heap[--t->n_heap], i = 0;
  while (2 * i + 1 < t->n_heap) {
    int64_t k = 2 * i + 1;
    if (k + 1 < t->n_heap && before(t, t->heap[k + 1], t->heap[k]))
      k++;
    if (!before(t, t->heap[k], last))
      break;
    t->heap[i] = t->heap[k];
    i = k;
  }
  t->heap[i] = last;
  return top;
}

/* Adds g to a slot; takes over nothing of g. */
static int32_t add_to(kiln_task *t, kiln_tensor **slot, kiln_tensor *g) {
  if (!*slot) {
    *slot = kiln_tensor_retain(g);
    return KILN_OK;
  }
  kiln_tensor *a = *slot;
  if (!t->create && a->refs == 1 && a->storage->refs == 1 && kiln__is_contiguous(a)) {
    return kiln_add_(a, g, 1);
  }
  kiln_tensor *sum = kiln_add(a, g, 1);
  if (!sum)
    return kiln_error_code();
  kiln_tensor_release(a);
  *slot = sum;
  return KILN_OK;
}

static int32_t arrive(kiln_task *t, int64_t e, int32_t nr, kiln_tensor *g) {
  entry *x = &t->entries[e];
  if (!x->g) {
    x->g = calloc((size_t)x->node->n_out, sizeof *x->g);
    if (!x->g)
      return kiln_fail(KILN_ENOMEM, "backward: out of memory");
  }
  return add_to(t, &x->g[nr], g);
}

/* -- Preparing ----------------------------------------------------------------------------- */

/* Finds every node that can be reached and counts the gradients each one waits for. */
static int32_t explore(kiln_task *t) {
  for (int64_t i = 0; i < t->n_entries; i++) { /* entries are appended while we walk */
    kiln_node *n = t->entries[i].node;
    for (int32_t k = 0; k < n->n_in; k++) {
      if (!n->edges[k].node)
        continue;
      bool is_new;
      int64_t e = entry_of(t, n->edges[k].node, &is_new);
      if (e < 0)
        return KILN_ENOMEM;
      t->entries[e].waits++;
    }
  }
  return KILN_OK;
}

/* With captures: only what lies between the roots and them is run. */
static int32_t prune(kiln_task *t) {
  int64_t *order = malloc((size_t)(t->n_entries + 1) * sizeof *order), n = 0;
  int32_t *waits = malloc((size_t)(t->n_entries + 1) * sizeof *waits);
  if (!order || !waits) {
    free(order);
    free(waits);
    return kiln_fail(KILN_ENOMEM, "backward: out of memory");
  }
  for (int64_t i = 0; i < t->n_entries; i++) {
    t->entries[i].needed = false;
    waits[i] = t->entries[i].waits;
    if (waits[i] == 0)
      order[n++] = i;
  }
  for (int64_t i = 0; i < n; i++) {
    kiln_node *node = t->entries[order[i]].node;
    for (int32_t k = 0; k < node->n_in; k++) {
      if (!node->edges[k].node)
        continue;
      int64_t e = lookup(t, node->edges[k].node);
      if (--waits[e] == 0)
        order[n++] = e;
    }
  }
  for (int32_t i = 0; i < t->n_captures; i++) {
    kiln_node *node = t->captures[i].node;
    int64_t e = node ? lookup(t, node) : -1;
    if (e >= 0)
      t->entries[e].captured = true;
  }
  for (int64_t i = n - 1; i >= 0; i--) { /* inputs come before what they feed */
    entry *x = &t->entries[order[i]];
    for (int32_t k = 0; k < x->node->n_in && !x->needed; k++) {
      if (!x->node->edges[k].node)
        continue;
      entry *y = &t->entries[lookup(t, x->node->edges[k].node)];
      x->needed = y->needed || y->captured;
    }
  }
  free(order);
  free(waits);
  return KILN_OK;
}

static int32_t seed_root(kiln_task *t, kiln_tensor *root, kiln_tensor *seed, int32_t i) {
  kiln_edge e = root ? kiln__edge(root) : (kiln_edge){0};
  if (!root)
    return kiln_fail(KILN_EARG, "backward: tensor %d is missing", i + 1);
  if (!e.node) {
    return kiln_fail(KILN_EGRAD, "backward: tensor %d %s", i + 1,
                     root->flags & KILN_T_VOLATILE ? "is volatile: it has no history"
                                                   : "does not require grad and has no history");
  }
  if (seed && !kiln__same_shape(root, seed)) {
    return kiln_fail(KILN_EARG, "backward: the gradient has shape %s, tensor %d has %s",
                     kiln__shape_text(seed->shape, seed->ndim), i + 1,
                     kiln__shape_text(root->shape, root->ndim));
  }
  if (!seed && root->numel != 1) {
    return kiln_fail(
        KILN_EARG, "backward: tensor %d has shape %s; without a gradient it must have one element",
        i + 1, kiln__shape_text(root->shape, root->ndim));
  }
  bool is_new;
  int64_t at = entry_of(t, e.node, &is_new);
  if (at < 0)
    return KILN_ENOMEM;
  kiln_tensor *g =
      seed ? seed->dtype == root->dtype ? kiln_tensor_retain(seed) : kiln_cast(seed, root->dtype)
           : kiln_full(root->shape, root->ndim, 1, root->dtype, root->device);
  if (!g)
    return kiln_error_code();
  int32_t status = arrive(t, at, e.nr, g);
  kiln_tensor_release(g);
  return status;
}

kiln_task *kiln_backward(kiln_tensor *const *roots, kiln_tensor *const *seeds, int32_t n,
                         kiln_tensor *const *inputs, int32_t n_inputs, bool retain_graph,
                         bool create_graph, bool accumulate) {
  kiln_task *t = calloc(1, sizeof *t);
  if (!t) {
    kiln_fail(KILN_ENOMEM, "backward: out of memory");
    return NULL;
  }
  t->retain = retain_graph || create_graph;
  t->create = create_graph;
  t->restricted = n_inputs > 0;
  t->accumulate = accumulate || !t->restricted;
  t->current = -1;
  for (int32_t i = 0; i < n; i++) {
    if (seed_root(t, roots[i], seeds ? seeds[i] : NULL, i) < 0)
      goto fail;
  }
  if (explore(t) < 0)
    goto fail;
  if (n_inputs > 0) {
    t->captures = calloc((size_t)n_inputs, sizeof *t->captures);
    if (!t->captures)
      goto fail;
    t->n_captures = n_inputs;
    for (int32_t i = 0; i < n_inputs; i++) {
      kiln_edge e = inputs[i] ? kiln__edge(inputs[i]) : (kiln_edge){0};
      if (!e.node) {
        kiln_fail(KILN_EGRAD, "backward: input %d does not require grad", i + 1);
        goto fail;
      }
      kiln__node_retain(e.node);
      t->captures[i].node = e.node;
      t->captures[i].nr = e.nr;
    }
    if (prune(t) < 0)
      goto fail;
  }
  for (int64_t i = 0; i < t->n_entries; i++) {
    if (t->entries[i].waits == 0)
      push(t, i);
  }
  return t;
fail:
  kiln_task_free(t);
  return NULL;
}

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
        status = add_to(t, &c->result, x->g[c->nr]);
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

/* A gradient in the dtype and shape of the input it is for: summed down where that was broadcast.
 */
static kiln_tensor *fit(const kiln_node *n, int32_t i, kiln_tensor *g) {
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
      int64_t e = lookup(t, n->edges[i].node);
      entry *y = &t->entries[e];
      if (result[i] && (y->needed || y->captured)) {
        status = arrive(t, e, n->edges[i].nr, result[i]);
      }
      if (--y->waits == 0)
        push(t, e);
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

static void drop_given(kiln_task *t) {
  for (int32_t i = 0; i < t->n_given; i++)
    kiln_tensor_release(t->given[i]);
  free(t->given);
  t->given = NULL;
  t->n_given = 0;
}

static int32_t ask(kiln_task *t, int64_t key, int32_t n, int32_t what) {
  t->given = calloc((size_t)n + 1, sizeof *t->given);
  if (!t->given)
    return kiln_fail(KILN_ENOMEM, "backward: out of memory");
  t->n_given = n;
  t->key = key;
  return what;
}

static void clear_entry(entry *x) {
  if (!x->g)
    return;
  for (int32_t i = 0; i < x->node->n_out; i++)
    kiln_tensor_release(x->g[i]);
  free(x->g);
  x->g = NULL;
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
    int64_t e = lookup(t, n->edges[i].node);
    if (--t->entries[e].waits == 0)
      push(t, e);
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
      t->current = pop(t);
      t->stage = AT_START;
      entry *x = &t->entries[t->current];
      if (is_empty(x) || !(x->needed || x->captured)) {
        pass_nothing(t);
        clear_entry(x);
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
      drop_given(t);
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
      drop_given(t);
    }
    if (status != KILN_OK)
      return status;
    entry *x = &t->entries[t->current];
    if (!x->needed && x->node->kind != KILN_NODE_LEAF)
      pass_nothing(t);
    clear_entry(x);
    t->current = -1;
  }
}

int32_t kiln_task_run(kiln_task *t) {
  bool was = kiln_set_grad_enabled(t->create);
  kiln_pool *outer = pool; /* temporaries of an enclosing formula are none of ours */
  pool = NULL;
  kiln_error_clear();
  int32_t status = run(t);
  pool = outer;
  kiln_set_grad_enabled(was);
  return status;
}

void kiln_task_free(kiln_task *t) {
  if (!t)
    return;
  for (int64_t i = 0; i < t->n_entries; i++) {
    clear_entry(&t->entries[i]);
    kiln__node_release(t->entries[i].node);
  }
  for (int32_t i = 0; i < t->n_captures; i++) {
    kiln_tensor_release(t->captures[i].result);
    if (t->captures[i].node)
      kiln__node_release(t->captures[i].node);
  }
  drop_given(t);
  free(t->captures);
  free(t->entries);
  free(t->table);
  free(t->heap);
  free(t);
}

/* -- What Lua asks ------------------------------------------------------------------------- */

kiln_tensor *kiln_task_result(kiln_task *t, int32_t i) {
  kiln_tensor *g = i >= 0 && i < t->n_captures ? t->captures[i].result : NULL;
  return g ? kiln_tensor_retain(g) : NULL;
}

int64_t kiln_task_key(const kiln_task *t) { return t->key; }

int32_t kiln_task_count(const kiln_task *t) {
  return t->stage == AT_HOOK ? 1 : t->entries[t->current].node->n_out;
}

kiln_tensor *kiln_peek_task_grad(const kiln_task *t, int32_t i) {
  const entry *x = &t->entries[t->current];
  return t->stage == AT_HOOK ? x->g[t->hook->nr] : x->g[i];
}

int32_t kiln_task_wanted(const kiln_task *t, int32_t i) {
  const kiln_node *n = t->entries[t->current].node;
  return t->stage == AT_CALL && i >= 0 && i < n->n_in && n->edges[i].node != NULL;
}

kiln_node *kiln_peek_task_node(const kiln_task *t) { return t->entries[t->current].node; }

int32_t kiln_task_give(kiln_task *t, int32_t i, kiln_tensor *g) {
  if (i < 0 || i >= t->n_given) {
    return kiln_fail(KILN_EARG, "backward: gradient %d given, there are %d inputs", i + 1,
                     t->n_given);
  }
  if (t->stage == AT_HOOK && g && !kiln__same_shape(g, t->entries[t->current].g[t->hook->nr])) {
    const kiln_tensor *old = t->entries[t->current].g[t->hook->nr];
    return kiln_fail(KILN_EGRAD, "hook: returned a gradient of shape %s for one of shape %s",
                     kiln__shape_text(g->shape, g->ndim), kiln__shape_text(old->shape, old->ndim));
  }
  if (g)
    kiln_tensor_retain(g);
  kiln_tensor_release(t->given[i]);
  t->given[i] = g;
  return KILN_OK;
}
