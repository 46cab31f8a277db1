/* pass.c: a backward pass: which nodes it reaches, what each waits for, the order they run in, and
** the gradients under way.  Iterative, so depth costs no C stack.  It refuses to run a node
** (engine.c).
**
** Nodes run in reverse order of recording, each once all gradients that reach it have arrived.
*/
#include "pass.h"
#include "fuse.h"

/* -- Entries and their order ------------------------------------------------------------------ */

static int32_t grow(kiln_task *t) {
  int64_t room = t->room ? 2 * t->room : 64;
  entry *entries = realloc(t->entries, (size_t)room * sizeof *entries);
  if (!entries)
    return KILN_ENOMEM;
  t->entries = entries;
  int64_t *heap = realloc(t->heap, (size_t)room * sizeof *heap);
  if (!heap)
    return KILN_ENOMEM;
  t->heap = heap;
  t->room = room;
  return KILN_OK;
}

/* The entry of a node, made if need be; -1 when out of memory. */
static int64_t entry_of(kiln_task *t, kiln_node *n, bool *is_new) {
  int64_t e = kiln__pass_lookup(t, n);
  *is_new = e < 0;
  if (e >= 0)
    return e;
  e = t->places.n;
  if ((e == t->room && grow(t) < 0) || kiln__places_add(&t->places, n) < 0) {
    kiln_fail(KILN_ENOMEM, "backward: out of memory");
    return -1;
  }
  kiln__node_retain(n);
  t->entries[e] = (entry){.node = n, .needed = true};
  return e;
}

int64_t kiln__pass_lookup(const kiln_task *t, const kiln_node *n) {
  return kiln__place_of(&t->places, n);
}

static bool before(const kiln_task *t, int64_t a, int64_t b) {
  return t->entries[a].node->sequence > t->entries[b].node->sequence;
}

void kiln__pass_push(kiln_task *t, int64_t e) {
  int64_t i = t->n_heap++;
  while (i > 0 && before(t, e, t->heap[(i - 1) / 2])) {
    t->heap[i] = t->heap[(i - 1) / 2];
    i = (i - 1) / 2;
  }
  t->heap[i] = e;
}

int64_t kiln__pass_pop(kiln_task *t) {
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

int32_t kiln__pass_add(kiln_task *t, kiln_tensor **slot, kiln_tensor *g) {
  if (!*slot) {
    *slot = kiln_tensor_retain(g);
    return KILN_OK;
  }
  kiln_tensor *a = *slot;
  if (kiln__is_rows(a) || kiln__is_rows(g)) {
    kiln_tensor *rows = kiln__rows_add(a, g);
    if (!rows)
      return kiln_error_code();
    *slot = rows;
    kiln_tensor_release(a);
    return KILN_OK;
  }
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

static int64_t *versions(const entry *x) { return (int64_t *)(x->g + x->node->n_out); }

int32_t kiln__pass_arrive(kiln_task *t, int64_t e, int32_t nr, kiln_tensor *g) {
  entry *x = &t->entries[e];
  if (!x->g) {
    x->g = calloc((size_t)x->node->n_out, sizeof *x->g + sizeof(int64_t));
    if (!x->g)
      return kiln_fail(KILN_ENOMEM, "backward: out of memory");
  }
  int32_t status = kiln__pass_add(t, &x->g[nr], g);
  if (status >= 0)
    versions(x)[nr] = x->g[nr]->storage->version;
  return status;
}

kiln_tensor *kiln__pass_sum(const kiln_task *t, kiln_edge to) {
  int64_t e = t->create ? -1 : kiln__pass_lookup(t, to.node);
  return e < 0 || !t->entries[e].g ? NULL : t->entries[e].g[to.nr];
}

void kiln__pass_wrote(kiln_task *t, kiln_edge to) {
  entry *x = &t->entries[kiln__pass_lookup(t, to.node)];
  versions(x)[to.nr] = x->g[to.nr]->storage->version;
}

void kiln__pass_replace(entry *x, int32_t nr, kiln_tensor *g) {
  kiln_tensor_release(x->g[nr]);
  x->g[nr] = g;
  versions(x)[nr] = g->storage->version;
}

bool kiln__pass_has_gradient(const entry *x) {
  for (int32_t i = 0; x->g && i < x->node->n_out; i++) {
    if (x->g[i])
      return true;
  }
  return false;
}

int32_t kiln__pass_check(const entry *x) {
  for (int32_t i = 0; i < x->node->n_out; i++) {
    if (x->g[i] && x->g[i]->storage->version != versions(x)[i]) {
      return kiln_fail(KILN_EVERSION,
                       "backward: the gradient that reaches %s was written in place by Lua code "
                       "that had seen it (%s); write to a clone",
                       kiln__node_title(x->node), kiln__writer_text(x->g[i]->storage));
    }
  }
  return KILN_OK;
}

void kiln__pass_clear(entry *x) {
  if (!x->g)
    return;
  for (int32_t i = 0; i < x->node->n_out; i++)
    kiln_tensor_release(x->g[i]);
  free(x->g);
  x->g = NULL;
}

int32_t kiln__pass_expect(kiln_task *t, int32_t n) {
  if (t->n_given > 0)
    kiln__pass_drop_given(t);
  bool few = n <= KILN_COUNT(t->few_given);
  for (int32_t i = 0; few && i < n; i++)
    t->few_given[i] = NULL;
  t->given = few ? t->few_given : calloc((size_t)n, sizeof *t->given);
  if (!t->given)
    return kiln_fail(KILN_ENOMEM, "backward: out of memory");
  t->n_given = n;
  return KILN_OK;
}

void kiln__pass_drop_given(kiln_task *t) {
  for (int32_t i = 0; i < t->n_given; i++)
    kiln_tensor_release(t->given[i]);
  if (t->given != t->few_given)
    free(t->given);
  t->given = NULL;
  t->n_given = 0;
}

/* -- Preparing ----------------------------------------------------------------------------- */

/* Finds every node that can be reached and counts the gradients each one waits for. */
static int32_t explore(kiln_task *t) {
  for (int64_t i = 0; i < t->places.n; i++) { /* entries are appended while we walk */
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
  int64_t *order = malloc((size_t)(t->places.n + 1) * sizeof *order), n = 0;
  int32_t *waits = malloc((size_t)(t->places.n + 1) * sizeof *waits);
  if (!order || !waits) {
    free(order);
    free(waits);
    return kiln_fail(KILN_ENOMEM, "backward: out of memory");
  }
  for (int64_t i = 0; i < t->places.n; i++) {
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
      int64_t e = kiln__pass_lookup(t, node->edges[k].node);
      if (--waits[e] == 0)
        order[n++] = e;
    }
  }
  for (int32_t i = 0; i < t->n_captures; i++) {
    kiln_node *node = t->captures[i].node;
    int64_t e = node ? kiln__pass_lookup(t, node) : -1;
    if (e >= 0)
      t->entries[e].captured = true;
  }
  for (int64_t i = n - 1; i >= 0; i--) { /* inputs come before what they feed */
    entry *x = &t->entries[order[i]];
    for (int32_t k = 0; k < x->node->n_in && !x->needed; k++) {
      if (!x->node->edges[k].node)
        continue;
      entry *y = &t->entries[kiln__pass_lookup(t, x->node->edges[k].node)];
      x->needed = y->needed || y->captured;
    }
  }
  free(order);
  free(waits);
  return KILN_OK;
}

/* What Lua sees of a gradient, and what a pass keeps of one that Lua has: the same memory and
** history, but whoever reshapes one of the two leaves the other as it is. */
static kiln_tensor *alias_of(kiln_tensor *g) {
  if (kiln__is_rows(g))
    return kiln_tensor_retain(g);
  kiln_edge e;
  if (kiln__edge_of(g, &e) < 0)
    return NULL;
  kiln_tensor *y = kiln__tensor_alias(g);
  if (y && e.node)
    kiln__tensor_set_edge(y, e.node, e.nr);
  return y;
}

static int32_t seed_root(kiln_task *t, kiln_tensor *root, kiln_tensor *seed, int32_t i) {
  kiln_edge e;
  if (!root)
    return kiln_fail(KILN_EARG, "backward: tensor %d is missing", i + 1);
  if (kiln__edge_of(root, &e) < 0)
    return KILN_ENOMEM;
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
  kiln_tensor *g = seed ? seed->dtype == root->dtype ? alias_of(seed) : kiln_cast(seed, root->dtype)
                        : kiln_full(root->shape, root->ndim, 1, root->dtype, root->device);
  if (!g)
    return kiln_error_code();
  int32_t status = kiln__pass_arrive(t, at, e.nr, g);
  kiln_tensor_release(g);
  return status;
}

kiln_task *kiln_backward(kiln_tensor *const *roots, kiln_tensor *const *seeds, int32_t n,
                         kiln_tensor *const *inputs, int32_t n_inputs, bool retain_graph,
                         bool create_graph, bool accumulate, bool check_nan) {
  if (kiln__settle(NULL) < 0)
    return NULL;
  kiln_task *t = calloc(1, sizeof *t);
  if (!t) {
    kiln_fail(KILN_ENOMEM, "backward: out of memory");
    return NULL;
  }
  t->retain = retain_graph || create_graph;
  t->create = create_graph;
  t->restricted = n_inputs > 0;
  t->accumulate = accumulate || !t->restricted;
  t->check_nan = check_nan;
  t->current = -1;
  for (int32_t i = 0; i < n; i++) {
    if (seed_root(t, roots[i], seeds ? seeds[i] : NULL, i) < 0)
      goto fail;
  }
  if (explore(t) < 0)
    goto fail;
  if (n_inputs > 0) {
    t->captures = calloc((size_t)n_inputs, sizeof *t->captures);
    if (!t->captures) {
      kiln_fail(KILN_ENOMEM, "backward: out of memory");
      goto fail;
    }
    t->n_captures = n_inputs;
    for (int32_t i = 0; i < n_inputs; i++) {
      kiln_edge e = {0};
      if (inputs[i] && kiln__edge_of(inputs[i], &e) < 0)
        goto fail;
      if (!e.node) {
        kiln_fail(KILN_EGRAD, "backward: input %d does not require grad", i + 1);
        goto fail;
      }
      if (kiln__fused_visible(inputs[i], "backward") < 0)
        goto fail;
      kiln__node_retain(e.node);
      t->captures[i].node = e.node;
      t->captures[i].nr = e.nr;
      bool again = false;
      for (int32_t k = 0; k < i; k++)
        again |= t->captures[k].node == e.node && t->captures[k].nr == e.nr;
      if (t->accumulate && e.node->kind != KILN_NODE_LEAF && !again)
        t->captures[i].target = kiln_tensor_retain(inputs[i]);
    }
    if (prune(t) < 0)
      goto fail;
  }
  for (int64_t i = 0; i < t->places.n; i++) {
    if (t->entries[i].waits == 0)
      kiln__pass_push(t, i);
  }
  return t;
fail:
  kiln_task_free(t);
  return NULL;
}

int32_t kiln__pass_keep_region(kiln_task *t, kiln_node *r) {
  for (int32_t i = t->n_regions - 1; i >= 0; i--) {
    if (t->regions[i] == r)
      return KILN_OK;
  }
  if (t->n_regions == t->region_room) {
    int32_t room = t->region_room ? 2 * t->region_room : 4;
    kiln_node **regions = realloc(t->regions, (size_t)room * sizeof(kiln_node *));
    if (!regions)
      return kiln_fail(KILN_ENOMEM, "backward: out of memory");
    t->regions = regions;
    t->region_room = room;
  }
  kiln__node_retain(r);
  t->regions[t->n_regions++] = r;
  return KILN_OK;
}

void kiln__pass_drop_regions(kiln_task *t) {
  while (t->n_regions > 0) {
    kiln_node *r = t->regions[t->n_regions - 1];
    if (__atomic_load_n(&r->refs, __ATOMIC_ACQUIRE) > 1)
      return;
    t->n_regions--;
    kiln__node_release(r);
  }
}

void kiln_task_free(kiln_task *t) {
  if (!t)
    return;
  for (int64_t i = 0; i < t->places.n; i++) {
    kiln__pass_clear(&t->entries[i]);
    kiln__node_release(t->entries[i].node);
  }
  for (int32_t i = 0; i < t->n_captures; i++) {
    kiln_tensor_release(t->captures[i].result);
    kiln_tensor_release(t->captures[i].target);
    if (t->captures[i].node)
      kiln__node_release(t->captures[i].node);
  }
  kiln__pass_drop_given(t);
  for (int32_t i = 0; i < t->n_regions; i++) {
    kiln__region_empty(t->regions[i]);
    kiln__node_release(t->regions[i]);
  }
  free(t->regions);
  free(t->captures);
  free(t->entries);
  kiln__places_free(&t->places);
  free(t->heap);
  free(t);
}

/* -- What Lua asks ------------------------------------------------------------------------- */

kiln_tensor *kiln_task_result(kiln_task *t, int32_t i) {
  kiln_tensor *g = i >= 0 && i < t->n_captures ? t->captures[i].result : NULL;
  return g ? kiln_tensor_retain(g) : NULL;
}

int64_t kiln_task_progress(const kiln_task *t) { return t->n_done; }

kiln_node *kiln_peek_task_region(const kiln_task *t) { return t->region; }

int64_t kiln_task_key(const kiln_task *t) { return t->key; }

static kiln_tensor *grad_at(const kiln_task *t, int32_t i) {
  const entry *x = &t->entries[t->current];
  return t->stage == AT_HOOK ? x->g[t->hook_nr] : x->g[i];
}

int32_t kiln_task_count(const kiln_task *t) {
  return t->stage == AT_HOOK ? 1 : t->entries[t->current].node->n_out;
}

bool kiln_task_has_grad(const kiln_task *t, int32_t i) { return grad_at(t, i) != NULL; }

kiln_tensor *kiln_task_grad(const kiln_task *t, int32_t i) {
  kiln_tensor *g = grad_at(t, i);
  return g ? alias_of(g) : NULL;
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
  if (t->stage == AT_HOOK && g) {
    const kiln_tensor *old = t->entries[t->current].g[t->hook_nr];
    if (!kiln__same_shape(g, old)) {
      return kiln_fail(KILN_EGRAD, "hook: returned a gradient of shape %s for one of shape %s",
                       kiln__shape_text(g->shape, g->ndim),
                       kiln__shape_text(old->shape, old->ndim));
    }
    if (g->dtype != old->dtype || g->device != old->device) {
      return kiln_fail(KILN_EGRAD, "hook: returned a %s gradient on %s for a %s one on %s",
                       kiln_dtype_name(g->dtype), kiln__device_text(g->device),
                       kiln_dtype_name(old->dtype), kiln__device_text(old->device));
    }
  }
  kiln_tensor *kept = g ? alias_of(g) : NULL;
  if (g && !kept)
    return kiln_error_code();
  kiln_tensor_release(t->given[i]);
  t->given[i] = kept;
  return KILN_OK;
}
