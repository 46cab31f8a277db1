/* region.c: a region is what a function that will run again records.  When it has run, its nodes
** let go of the saved values that were born in it and keep holes; before backward runs such a node,
** the binding runs the function again, and what is saved then, value after value, fills the holes.
** The graph stays that of the first run.  A region is a node without inputs or outputs, which saves
** the function's arguments; each hole holds a reference.
** It refuses to call Lua, and a second run that does not save the same.
*/
#include "internal.h"

#include <pthread.h>

/* A value that the function had saved: by what, and how it looked. */
typedef struct entry {
  int32_t op, slot; /* op: of the node, or -1 - kind */
  kiln_meta meta;
  bool is_hole;
  kiln_tensor *value; /* of a hole: what fills it, or NULL */
  int64_t version;
} entry;

/* Where a run put it. */
typedef struct place {
  kiln_node *node; /* retained */
  int32_t k;
} place;

struct kiln_region {
  entry *entries;
  place *places; /* of the run that is under way */
  int32_t n, n_places, room;
  uint32_t birth;    /* what was born from then on is of this run */
  int64_t sequence;  /* and so are nodes after this one */
  bool runs, again;  /* it is under way; it is not the first one */
  bool differs;      /* it saved something else than the first one */
  kiln_node *before; /* the region that this thread was in */
};

KILN_HOT_TLS kiln_node *kiln__region;
uint32_t kiln__births;

static bool is_born_in(const kiln_storage *s, const kiln_region *g) {
  return (int32_t)(s->birth - g->birth) >= 0;
}

/* -- Values, which threads may share ------------------------------------------------------------
 */

static pthread_mutex_t values_lock = PTHREAD_MUTEX_INITIALIZER;

/* Takes over x, NULL for none. */
static void set_value(entry *e, kiln_tensor *x, int64_t version) {
  pthread_mutex_lock(&values_lock);
  kiln_tensor *old = e->value;
  e->value = x;
  e->version = version;
  pthread_mutex_unlock(&values_lock);
  kiln_tensor_release(old);
}

static entry *entry_of(const kiln_saved *s) { return &s->region->region->entries[s->version]; }

kiln_tensor *kiln__region_value(const kiln_saved *s, int64_t *version) {
  const entry *e = entry_of(s);
  pthread_mutex_lock(&values_lock);
  kiln_tensor *x = e->value ? kiln_tensor_retain(e->value) : NULL;
  *version = e->version;
  pthread_mutex_unlock(&values_lock);
  if (!x)
    kiln_fail(KILN_EGRAD, "a value that a checkpointed function computed can be read in backward "
                          "only");
  return x;
}

void kiln__region_drop(const kiln_saved *s) {
  if (!s->is_lent)
    set_value(entry_of(s), NULL, 0);
}

void kiln__region_empty(const kiln_node *r) {
  for (int32_t i = 0; i < r->region->n; i++) {
    if (r->region->entries[i].is_hole)
      set_value(&r->region->entries[i], NULL, 0);
  }
}

static bool is_filled(const kiln_saved *s) {
  pthread_mutex_lock(&values_lock);
  bool filled = entry_of(s)->value != NULL;
  pthread_mutex_unlock(&values_lock);
  return filled;
}

kiln_node *kiln__region_wanted(const kiln_node *n) {
  for (int32_t k = 0; k < n->n_saved; k++) {
    const kiln_saved *s = &n->saved[k];
    if (!s->region || is_filled(s))
      continue;
    kiln_node *first = kiln__region_wanted(s->region); /* of its arguments */
    return first ? first : s->region;
  }
  return NULL;
}

/* -- Noting what is saved -----------------------------------------------------------------------
 */

static const char *text_of(const entry *e, char *text, size_t size) {
  snprintf(text, size, "a %s tensor of shape %s for %s", kiln_dtype_name(e->meta.dtype),
           kiln__shape_text(e->meta.shape, e->meta.ndim),
           e->op >= 0                       ? kiln__ops[e->op].name
           : e->op == -1 - KILN_NODE_FUSED  ? "a fused function"
           : e->op == -1 - KILN_NODE_REGION ? "a checkpoint"
                                            : "a Function");
  return text;
}

static bool is_same(const entry *a, const entry *b) {
  return a->op == b->op && a->slot == b->slot && a->meta.dtype == b->meta.dtype &&
         a->meta.device == b->meta.device && a->meta.ndim == b->meta.ndim &&
         memcmp(a->meta.shape, b->meta.shape, a->meta.ndim * sizeof *a->meta.shape) == 0;
}

static int32_t fail_count(const kiln_region *g) {
  return kiln_fail(KILN_EGRAD,
                   "a checkpointed function did not run the same ops again: they saved %d "
                   "values, and %s%d now; what it reads beside its arguments has changed since",
                   g->n, g->n_places >= g->n ? "more than " : "", g->n_places);
}

static int32_t make_room(kiln_region *g) {
  int32_t room = g->room ? 2 * g->room : 16;
  entry *entries = realloc(g->entries, (size_t)room * sizeof *entries);
  if (entries)
    g->entries = entries;
  place *places = realloc(g->places, (size_t)room * sizeof *places);
  if (places)
    g->places = places;
  if (!entries || !places)
    return kiln_fail(KILN_ENOMEM, "checkpoint: out of memory");
  g->room = room;
  return KILN_OK;
}

static int32_t note(kiln_region *g, kiln_node *n, int32_t k) {
  const kiln_saved *s = &n->saved[k];
  int32_t i = g->n_places, status;
  entry now = {.op = n->kind == KILN_NODE_OP ? n->op : -1 - n->kind, .slot = s->slot};
  kiln__meta_of(s->alias, &now.meta);
  if (g->again && i >= g->n) {
    g->differs = true;
    return fail_count(g);
  }
  if (g->again && !is_same(&g->entries[i], &now)) {
    char before[128], after[128];
    g->differs = true;
    return kiln_fail(KILN_EGRAD,
                     "a checkpointed function did not run the same ops again: the %d. value that "
                     "they saved was %s, and is %s; what it reads beside its arguments has changed "
                     "since",
                     i + 1, text_of(&g->entries[i], before, sizeof before),
                     text_of(&now, after, sizeof after));
  }
  if (i == g->room && (status = make_room(g)) < 0)
    return status;
  if (!g->again) {
    g->entries[i] = now;
    g->n = i + 1;
  } else if (g->entries[i].is_hole) {
    set_value(&g->entries[i], kiln_tensor_retain(s->alias), s->version);
  }
  kiln__node_retain(n);
  g->places[g->n_places++] = (place){n, k};
  return KILN_OK;
}

int32_t kiln__region_note(kiln_node *n, int32_t from) {
  for (kiln_node *r = kiln__region; r; r = r->region->again ? NULL : r->region->before) {
    for (int32_t k = from; k < n->n_saved; k++) {
      int32_t status = note(r->region, n, k);
      if (status < 0)
        return status;
    }
  }
  return KILN_OK;
}

bool kiln__region_is_outside(const kiln_tensor *x) {
  return kiln__region && !is_born_in(x->storage, kiln__region->region);
}

/* -- Runs ------------------------------------------------------------------------------------ */

kiln_node *kiln_region_new(int64_t key, kiln_tensor *const *x, int32_t n) {
  kiln_node *r = kiln__node_new(KILN_NODE_REGION, 0, 0, 0, 0, 0);
  if (!r)
    return NULL;
  r->saved = NULL;
  r->region = calloc(1, sizeof *r->region);
  int32_t status = r->region ? KILN_OK : kiln_fail(KILN_ENOMEM, "checkpoint: out of memory");
  for (int32_t i = 0; i < n && status >= 0; i++)
    status = kiln_node_save(r, x[i], false);
  if (status < 0) {
    kiln__node_release(r);
    return NULL;
  }
  r->key = key;
  return r;
}

static void forget_places(kiln_region *g) {
  for (int32_t i = 0; i < g->n_places; i++)
    kiln__node_release(g->places[i].node);
  g->n_places = 0;
}

void kiln__region_free(kiln_region *g) {
  if (!g)
    return;
  forget_places(g);
  for (int32_t i = 0; i < g->n; i++)
    kiln_tensor_release(g->entries[i].value);
  free(g->entries);
  free(g->places);
  free(g);
}

int32_t kiln_region_begin(kiln_node *r, bool again) {
  kiln_region *g = r->region;
  if (g->runs) {
    return kiln_fail(KILN_EGRAD, "checkpoint: a backward pass inside fn needs what this very run "
                                 "of fn computes");
  }
  g->runs = true;
  g->again = again;
  g->differs = false;
  g->birth = __atomic_add_fetch(&kiln__births, 1, __ATOMIC_RELAXED);
  g->sequence = kiln__sequence();
  return KILN_OK;
}

int32_t kiln_region_enter(kiln_node *r) {
  int32_t status = kiln__settle(NULL);
  r->region->before = kiln__region;
  kiln__region = r;
  return status;
}

int32_t kiln_region_exit(kiln_node *r) {
  int32_t status = kiln__settle(NULL);
  kiln_node **at = &kiln__region;
  while (*at && *at != r)
    at = &(*at)->region->before;
  if (*at)
    *at = r->region->before;
  return status;
}

/* The nodes let go of what was born in this run. */
static int32_t make_holes(kiln_node *r) {
  kiln_region *g = r->region;
  int32_t holes = 0;
  for (int32_t i = 0; i < g->n_places; i++) {
    kiln_node *n = g->places[i].node;
    kiln_saved *s = &n->saved[g->places[i].k];
    if (g->places[i].k >= n->n_saved || !s->alias || !is_born_in(s->alias->storage, g) ||
        (g->again && !g->entries[i].is_hole))
      continue;
    kiln_tensor_release(s->alias);
    s->alias = NULL;
    s->region = r;
    s->version = i;
    s->is_lent = g->again;
    kiln__node_retain(r);
    n->has_holes = g->entries[i].is_hole = true;
    holes++;
  }
  return holes;
}

int32_t kiln_region_end(kiln_node *r, bool ok) {
  kiln_region *g = r->region;
  int32_t status = KILN_OK;
  g->runs = false;
  if (ok && g->again && (g->differs || g->n_places != g->n))
    status = fail_count(g);
  if (ok && status >= 0)
    status = make_holes(r);
  else
    kiln__region_empty(r);
  if (g->again)
    kiln__node_empty(r); /* its arguments */
  forget_places(g);
  return status;
}

bool kiln_region_is_new(kiln_tensor *x) {
  const kiln_node *n = kiln_peek_node(x);
  return n && kiln__region && n->sequence > kiln__region->region->sequence;
}
