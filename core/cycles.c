/* cycles.c: which tensors are kept alive by nothing but each other, where the way round leads
** through Lua values: a hook, the ctx of a Function or a checkpointed function that holds the
** tensor whose node holds it.  The binding says which value holds which tensor; what else holds one
** shows in the reference counts.  It refuses to release anything.
*/
#include "internal.h"
#include "places.h"

typedef struct object {
  void *p;
  bool is_node, live;
  int32_t inside;    /* references from objects that are known, from values, and of this search */
  kiln_tensor *grad; /* of a tensor when it was met: retained, as other threads may replace it */
} object;

typedef struct search {
  kiln_places places;
  object *items; /* at the places */
  int64_t room;
  const int64_t *pairs; /* key, tensor; by key */
  bool *met;            /* a pair's key belongs to a node that is known */
  int32_t n_pairs;
  int64_t *todo, n_todo;
} search;

static int32_t out_of_memory(void) { return kiln_fail(KILN_ENOMEM, "collect: out of memory"); }

/* The place of p, made if need be; -1 when out of memory. */
static int64_t place_of(search *s, void *p, bool is_node) {
  int64_t at = kiln__place_of(&s->places, p);
  if (at >= 0)
    return at;
  if (s->places.n == s->room) {
    int64_t room = s->room ? 2 * s->room : 256;
    object *items = realloc(s->items, (size_t)room * sizeof *items);
    if (!items)
      return -1;
    s->items = items;
    s->room = room;
  }
  at = s->places.n;
  if (kiln__places_add(&s->places, p) < 0)
    return -1;
  s->items[at] = (object){.p = p, .is_node = is_node};
  return at;
}

/* Notes a reference to p. */
static int32_t refer(search *s, void *p, bool is_node) {
  if (!p)
    return KILN_OK;
  int64_t at = place_of(s, p, is_node);
  if (at < 0)
    return out_of_memory();
  s->items[at].inside++;
  return KILN_OK;
}

static int32_t mark(search *s, void *p, bool is_node) {
  (void)is_node;
  int64_t at = p ? kiln__place_of(&s->places, p) : -1;
  if (at >= 0 && !s->items[at].live) {
    s->items[at].live = true;
    s->todo[s->n_todo++] = at;
  }
  return KILN_OK;
}

/* Does something with each object that x refers to. */
static int32_t each_reference(search *s, object x, int32_t (*f)(search *, void *, bool)) {
  int32_t status = KILN_OK;
  if (!x.is_node) {
    const kiln_tensor *t = x.p;
    void *held[] = {t->node, t->parked, t->base, x.grad};
    for (int32_t i = 0; i < KILN_COUNT(held) && status >= 0; i++)
      status = f(s, held[i], i < 2);
    return status;
  }
  const kiln_node *n = x.p;
  for (int32_t i = 0; i < n->n_in && status >= 0; i++)
    status = f(s, n->edges[i].node, true);
  for (int32_t i = 0; i < n->n_saved && status >= 0; i++) {
    const kiln_saved *v = &n->saved[i];
    if ((status = f(s, v->alias, false)) >= 0 && v->slot < 16)
      status = f(s, v->edge.node, true);
    if (status >= 0)
      status = f(s, v->region, true);
  }
  return status;
}

/* The first pair of a key, or of a later one. */
static int32_t first_pair(const search *s, int64_t key) {
  int32_t from = 0, to = s->n_pairs;
  while (from < to) {
    int32_t mid = from + (to - from) / 2;
    if (s->pairs[2 * mid] < key)
      from = mid + 1;
    else
      to = mid;
  }
  return from;
}

/* The pairs with this key: notes that they were met, or marks their tensors. */
static void meet(search *s, int64_t key, bool marks) {
  for (int32_t i = first_pair(s, key); i < s->n_pairs && s->pairs[2 * i] == key; i++) {
    s->met[i] = true;
    if (marks)
      mark(s, (void *)(uintptr_t)s->pairs[2 * i + 1], false); /* NOLINT */
  }
}

/* The pairs whose key the node has. */
static void each_key(search *s, const kiln_node *n, bool marks) {
  kiln__node_lock(n);
  for (const kiln_hook *h = n->hooks; h; h = h->next)
    meet(s, h->key, marks);
  kiln__node_unlock(n);
  if (n->kind == KILN_NODE_LUA || n->kind == KILN_NODE_REGION)
    meet(s, n->key, marks);
}

static int32_t refs_of(const object *x) {
  const int32_t *refs =
      x->is_node ? &((const kiln_node *)x->p)->refs : &((const kiln_tensor *)x->p)->refs;
  return __atomic_load_n(refs, __ATOMIC_RELAXED);
}

/* Keeps the gradient that tensor i has now until the search ends. */
static int32_t hold_grad(search *s, int64_t i) {
  if (s->items[i].is_node)
    return KILN_OK;
  kiln_tensor *t = s->items[i].p;
  kiln_tensor *g = kiln_grad(t);
  if (kiln__is_rows(t) && t->grad)
    g = kiln_tensor_retain(t->grad);
  s->items[i].grad = g;
  return refer(s, g, false);
}

static int32_t explore(search *s, kiln_tensor *const *x, int32_t n) {
  for (int32_t i = 0; i < n; i++) {
    if (refer(s, x[i], false) < 0)
      return KILN_ENOMEM;
  }
  for (int64_t i = 0; i < s->places.n; i++) { /* objects are appended while we walk */
    if (hold_grad(s, i) < 0)
      return KILN_ENOMEM;
    object at = s->items[i];
    if (each_reference(s, at, refer) < 0)
      return KILN_ENOMEM;
    if (at.is_node)
      each_key(s, at.p, false);
  }
  return KILN_OK;
}

int32_t kiln_find_cycles(kiln_tensor *const *x, int32_t n, const int64_t *pairs, int32_t n_pairs,
                         bool *dead) {
  search s = {.pairs = pairs, .n_pairs = n_pairs};
  if (n == 0)
    return KILN_OK;
  s.met = calloc((size_t)n_pairs + 1, sizeof *s.met);
  int32_t status = s.met ? explore(&s, x, n) : out_of_memory();
  s.todo = status < 0 ? NULL : malloc((size_t)(s.places.n + 1) * sizeof *s.todo);
  if (status >= 0 && !s.todo)
    status = out_of_memory();
  if (status >= 0) {
    for (int64_t i = 0; i < s.places.n; i++) {
      if (refs_of(&s.items[i]) > s.items[i].inside)
        mark(&s, s.items[i].p, false);
    }
    for (int32_t i = 0; i < n_pairs; i++) {
      if (!s.met[i])
        mark(&s, (void *)(uintptr_t)pairs[2 * i + 1], false); /* NOLINT */
    }
    while (s.n_todo > 0) {
      object at = s.items[s.todo[--s.n_todo]];
      each_reference(&s, at, mark);
      if (at.is_node)
        each_key(&s, at.p, true);
    }
    for (int32_t i = 0; i < n; i++)
      dead[i] = !s.items[kiln__place_of(&s.places, x[i])].live;
  }
  for (int64_t i = 0; i < s.places.n; i++)
    kiln_tensor_release(s.items[i].grad);
  free(s.met);
  free(s.todo);
  free(s.items);
  kiln__places_free(&s.places);
  return status;
}
