/* node.c: one recorded op: its edges, the values its gradient needs and the versions they had, its
** place in a graph that is freed without recursion, and the nodes whose backward is Lua.  It
** refuses to decide what is recorded (record.c) and to run anything (engine.c).
*/
#include "internal.h"

#include <pthread.h>

/* -- Locks: a node's weak pointers may be reached from several threads ------------------------ */

enum { STRIPES = 64 };
static pthread_mutex_t stripes[STRIPES];
static pthread_once_t stripes_once = PTHREAD_ONCE_INIT;

static void make_stripes(void) {
  pthread_mutexattr_t attr;
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
  for (int i = 0; i < STRIPES; i++)
    pthread_mutex_init(&stripes[i], &attr);
}

static pthread_mutex_t *lock_of(const kiln_node *n) {
  pthread_once(&stripes_once, make_stripes);
  return &stripes[((uintptr_t)n >> 7) % STRIPES];
}
void kiln__node_lock(const kiln_node *n) { pthread_mutex_lock(lock_of(n)); }
void kiln__node_unlock(const kiln_node *n) { pthread_mutex_unlock(lock_of(n)); }

/* -- Nodes --------------------------------------------------------------------------------- */

static KILN_HOT_TLS int64_t sequence; /* of the last node of this thread */
int64_t kiln__sequence(void) { return sequence; }

kiln_node *kiln__node_new(int32_t kind, int32_t n_in, int32_t n_out, int32_t n_saved,
                          int32_t n_attr, int32_t n_list) {
  size_t at_edges = (sizeof(kiln_node) + 15) & ~(size_t)15;
  size_t at_meta = at_edges + (size_t)n_in * sizeof(kiln_edge);
  size_t at_saved = at_meta + (size_t)(n_in + n_out) * sizeof(kiln_meta);
  size_t at_attr = at_saved + (size_t)n_saved * sizeof(kiln_saved);
  size_t at_list = at_attr + (size_t)n_attr * sizeof(kiln_attr);
  size_t size = at_list + (size_t)n_list * sizeof(kiln_list);
  int64_t capacity;
  char *p = kiln__alloc(0, (int64_t)size, &capacity);
  if (!p)
    return NULL;
  kiln_node *n = (kiln_node *)p;
  *n = (kiln_node){.refs = 1,
                   .op = -1,
                   .kind = (uint8_t)kind,
                   .n_in = n_in,
                   .n_out = n_out,
                   .room = n_saved,
                   .sequence = ++sequence,
                   .trace = kiln__trace(),
                   .size = size};
  n->edges = (kiln_edge *)(p + at_edges);
  n->in_meta = (kiln_meta *)(p + at_meta);
  n->out_meta = n->in_meta + n_in;
  n->saved = (kiln_saved *)(p + at_saved);
  n->attr = (kiln_attr *)(p + at_attr);
  n->list = (kiln_list *)(p + at_list);
  memset(n->edges, 0, (size_t)n_in * sizeof *n->edges);
  __atomic_add_fetch(&kiln__memory(0)->live_nodes, 1, __ATOMIC_RELAXED);
  return n;
}

void kiln__node_retain(kiln_node *n) { KILN_ASSERT(kiln__retain(&n->refs) > 1); }

static KILN_HOT_TLS kiln_node *dying;
static KILN_HOT_TLS bool burying;

/* Its hooks go too: they may hold the very tensor whose node this is. */
static void drop_hooks(kiln_node *n) {
  kiln_hook *h = n->hooks;
  __atomic_store_n(&n->hooks, NULL, __ATOMIC_RELAXED);
  while (h) {
    kiln_hook *next = h->next;
    kiln__dead_key(h->key);
    free(h);
    h = next;
  }
}

static void drop_saved(kiln_node *n) {
  for (int32_t i = 0; i < n->n_saved; i++) {
    kiln_saved *s = &n->saved[i];
    kiln_tensor_release(s->alias);
    if (s->region) {
      kiln__region_drop(s);
      kiln__node_release(s->region);
    }
    if (s->slot < 16 && s->edge.node)
      kiln__node_release(s->edge.node);
  }
  n->n_saved = 0;
}

static void drop_inputs(kiln_node *n) {
  for (int32_t i = 0; i < n->n_in; i++) {
    if (n->edges[i].node)
      kiln__node_release(n->edges[i].node);
  }
  n->n_in = 0;
}

void kiln__node_empty(kiln_node *n) {
  for (int32_t i = 0; i < n->n_saved; i++) {
    if (n->saved[i].region)
      kiln__region_drop(&n->saved[i]);
  }
}

void kiln__node_consume(kiln_node *n) {
  n->consumed = true;
  drop_saved(n);
  drop_hooks(n);
}

static void bury(kiln_node *n) {
  kiln__node_consume(n);
  drop_inputs(n);
  if (n->kind == KILN_NODE_LUA || n->kind == KILN_NODE_REGION) {
    kiln__dead_key(n->key);
    kiln__region_free(n->region);
    free((char *)n->name);
    free(n->saved);
  } else if (n->kind == KILN_NODE_FUSED) {
    kiln__fused_free(n->fused);
    free(n->edges);
    free(n->in_meta);
    free(n->saved);
  }
  free(n->retained);
  __atomic_sub_fetch(&kiln__memory(0)->live_nodes, 1, __ATOMIC_RELAXED);
  kiln__scratch_free(0, n, (int64_t)n->size);
}

void kiln__node_release(kiln_node *n) {
  if (!kiln__drop(&n->refs))
    return;
  n->next = dying;
  dying = n;
  if (burying)
    return;
  burying = true;
  while (dying) {
    n = dying;
    dying = n->next;
    bury(n);
  }
  burying = false;
}

const char *kiln__node_title(const kiln_node *n) {
  static const char *const titles[] = {[KILN_NODE_LEAF] = "accumulate",
                                       [KILN_NODE_FUSED] = "fused",
                                       [KILN_NODE_REGION] = "checkpoint"};
  return n->kind == KILN_NODE_OP    ? kiln__ops[n->op].name
         : n->kind == KILN_NODE_LUA ? n->name
                                    : titles[n->kind];
}

/* -- Saved values -------------------------------------------------------------------------- */

int32_t kiln__node_save(kiln_node *n, kiln_tensor *x, int32_t slot, kiln_edge edge,
                        int64_t version) {
  KILN_ASSERT(n->n_saved < n->room);
  kiln_saved *s = &n->saved[n->n_saved];
  s->alias = kiln__tensor_alias(x);
  if (!s->alias)
    return KILN_ENOMEM;
  s->version = version;
  s->region = NULL;
  s->is_lent = false;
  s->slot = slot;
  s->edge = edge;
  if (slot < 16 && edge.node)
    kiln__node_retain(edge.node);
  n->n_saved++;
  return KILN_OK;
}

kiln_tensor *kiln__node_unpack(kiln_node *n, int32_t k, bool graph) {
  kiln_saved *s = &n->saved[k];
  int64_t version = s->version;
  kiln_tensor *x =
      KILN_LIKELY(s->alias) ? kiln_tensor_retain(s->alias) : kiln__region_value(s, &version);
  if (!x)
    return NULL;
  if (x->storage->version != version) {
    kiln__fail_trace(0, n->trace);
    kiln__fail_trace(1, x->storage->trace);
    kiln_fail(
        KILN_EVERSION,
        "backward: %s%s of shape %s, which the gradient of %s needs, was overwritten in place "
        "by %s (it is at version %lld, saved at %lld); write to a clone, or move the write after "
        "backward",
        s->slot >= 16             ? "the output"
        : n->kind == KILN_NODE_OP ? "the input "
                                  : "an input",
        n->kind == KILN_NODE_OP && s->slot < 16
            ? kiln__ops[n->op]
                  .in_names[s->slot < kiln__ops[n->op].n_in ? s->slot : kiln__ops[n->op].n_in - 1]
            : "",
        kiln__shape_text(x->shape, x->ndim), kiln__node_title(n), kiln__writer_text(x->storage),
        (long long)x->storage->version, (long long)version);
    kiln_tensor_release(x);
    return NULL;
  }
  if (!graph)
    return x;
  kiln_tensor *y = kiln__tensor_alias(x);
  kiln_tensor_release(x);
  if (!y)
    return NULL;
  if (s->slot >= 16) {
    y->node = n;
    y->nr = s->slot - 16;
  } else {
    y->node = s->edge.node;
    y->nr = s->edge.nr;
  }
  if (y->node)
    kiln__node_retain(y->node);
  return y;
}

/* -- Questions ------------------------------------------------------------------------------- */

const char *kiln_node_name(const kiln_node *n) { return kiln__node_title(n); }
int64_t kiln_node_sequence(const kiln_node *n) { return n->sequence; }
int64_t kiln_node_trace(const kiln_node *n) { return n->trace; }
int32_t kiln_node_inputs(const kiln_node *n) { return n->n_in; }
kiln_node *kiln_peek_input(const kiln_node *n, int32_t i) {
  return i >= 0 && i < n->n_in ? n->edges[i].node : NULL;
}
kiln_tensor *kiln_peek_leaf(const kiln_node *n) {
  return n->kind == KILN_NODE_LEAF ? n->leaf : NULL;
}

/* -- Nodes whose backward is Lua ------------------------------------------------------------- */

/* What died of each Lua state's, until that state asks; nothing is kept for one that has closed. */
typedef struct owner {
  int64_t *dead;
  int32_t n, room;
  bool closed;
} owner;
static pthread_mutex_t owners_lock = PTHREAD_MUTEX_INITIALIZER;
static owner *owners; /* number 1 is the first */
static int32_t n_owners;

int32_t kiln_lua_open(void) {
  pthread_mutex_lock(&owners_lock);
  owner *more = realloc(owners, (size_t)(n_owners + 1) * sizeof *more);
  int32_t number = more ? n_owners + 1 : KILN_ENOMEM;
  if (more) {
    owners = more;
    owners[n_owners++] = (owner){0};
  }
  pthread_mutex_unlock(&owners_lock);
  return more ? number : kiln_fail(KILN_ENOMEM, "kiln: out of memory");
}

void kiln_lua_close(int32_t number) {
  pthread_mutex_lock(&owners_lock);
  if (number >= 1 && number <= n_owners) {
    free(owners[number - 1].dead);
    owners[number - 1] = (owner){.closed = true};
  }
  pthread_mutex_unlock(&owners_lock);
}

void kiln__dead_key(int64_t key) {
  int64_t number = key >> 32;
  pthread_mutex_lock(&owners_lock);
  owner *o = number >= 1 && number <= n_owners ? &owners[number - 1] : NULL;
  if (o && !o->closed) {
    int32_t room = o->n < o->room ? o->room : o->room ? 2 * o->room : 64;
    int64_t *dead = room == o->room ? o->dead : realloc(o->dead, (size_t)room * sizeof *dead);
    if (dead) { /* else the function stays until the state closes */
      o->dead = dead;
      o->room = room;
      o->dead[o->n++] = key;
    }
  }
  pthread_mutex_unlock(&owners_lock);
}

int64_t kiln_dead_key(int32_t number) {
  int64_t key = 0;
  pthread_mutex_lock(&owners_lock);
  owner *o = number >= 1 && number <= n_owners ? &owners[number - 1] : NULL;
  if (o && o->n > 0)
    key = o->dead[--o->n];
  pthread_mutex_unlock(&owners_lock);
  return key;
}

kiln_node *kiln_node_lua(int64_t key, const char *name, kiln_tensor *const *inputs,
                         int32_t n_inputs, kiln_tensor *const *outputs, int32_t n_outputs,
                         const bool *dirty) {
  if (kiln__settle(NULL) < 0)
    return NULL;
  for (int32_t i = 0; i < n_outputs; i++) {
    const char *why = dirty && dirty[i] && outputs[i] ? kiln__unwritable(outputs[i]) : NULL;
    if (why) {
      kiln_fail(KILN_EGRAD, "%s: %s", name, why);
      return NULL;
    }
  }
  if (n_outputs > UINT16_MAX) {
    kiln_fail(KILN_EARG, "%s: %d outputs are too many", name, n_outputs);
    return NULL;
  }
  kiln_node *n = kiln__node_new(KILN_NODE_LUA, n_inputs, n_outputs, 0, 0, 0);
  if (!n)
    return NULL;
  n->key = key;
  n->name = strdup(name);
  n->saved = NULL;
  for (int32_t i = 0; i < n_inputs; i++) {
    kiln_edge e;
    kiln__meta_of(inputs[i], &n->in_meta[i]);
    if (kiln__edge_of(inputs[i], &e) < 0) {
      kiln__node_release(n);
      return NULL;
    }
    kiln__edge_set(&n->edges[i], e);
  }
  for (int32_t i = 0; i < n_outputs; i++) {
    if (!outputs[i]) { /* marked as not differentiable */
      n->out_meta[i].ndim = 0;
      n->out_meta[i].dtype = KILN_BOOL;
      continue;
    }
    kiln__meta_of(outputs[i], &n->out_meta[i]);
    if (!kiln__is_float(outputs[i]->dtype))
      continue;
    if (dirty && dirty[i]) {
      if (kiln__rewrite(outputs[i], n, i) < 0) {
        kiln__node_release(n);
        return NULL;
      }
    } else {
      kiln__tensor_set_edge(outputs[i], n, i);
    }
  }
  return n;
}

void kiln_node_release(kiln_node *n) { kiln__node_release(n); }

int32_t kiln__node_keep(kiln_node *n, kiln_tensor *x, int32_t slot, kiln_edge edge) {
  if (n->n_saved == n->room) {
    int32_t room = n->room ? 2 * n->room : 4;
    kiln_saved *p = realloc(n->saved, (size_t)room * sizeof *p);
    if (!p)
      return kiln_fail(KILN_ENOMEM, "out of memory");
    n->saved = p;
    n->room = room;
  }
  int32_t status = kiln__node_save(n, x, slot, edge, x->storage->version);
  return status < 0 ? status : n->n_saved - 1;
}

int32_t kiln_node_save(kiln_node *n, kiln_tensor *x, bool is_output) {
  if (kiln__is_rows(x))
    return kiln_fail(KILN_EGRAD,
                     "%s: a row-sparse gradient cannot be saved; save its indices and "
                     "values",
                     kiln__node_title(n));
  kiln_edge e = {0};
  if (!is_output && kiln__edge_of(x, &e) < 0)
    return KILN_ENOMEM;
  int32_t at = kiln__node_keep(n, x, is_output ? 16 + x->nr : 0, e);
  int32_t status = KILN_UNLIKELY(kiln__region != NULL) && at >= 0 ? kiln__region_note(n, at) : at;
  return status < 0 ? status : at;
}

kiln_tensor *kiln_node_saved(kiln_node *n, int32_t i) {
  if (n->consumed || i < 0 || i >= n->n_saved) {
    kiln_fail(KILN_EGRAD,
              "%s: its saved tensors are gone: backward ran a second time; give "
              "retain_graph = true to the first one",
              kiln__node_title(n));
    return NULL;
  }
  return kiln__node_unpack(n, i, true);
}

kiln_tensor *kiln_node_input(kiln_node *n, int32_t i) {
  if (i < 0 || i >= n->n_in || !n->edges[i].node)
    return NULL;
  kiln_tensor *x = kiln_tensor_new(&(int64_t){0}, 1, n->in_meta[i].dtype, 0);
  if (x)
    kiln__tensor_set_edge(x, n->edges[i].node, n->edges[i].nr);
  return x;
}

/* -- Nodes of fused functions ------------------------------------------------------------------ */

kiln_node *kiln__node_fused(int32_t n_out) {
  kiln_node *n = kiln__node_new(KILN_NODE_FUSED, 0, n_out, 0, 0, 0);
  if (!n)
    return NULL;
  n->edges = NULL;
  n->in_meta = NULL;
  n->saved = NULL;
  return n;
}

int32_t kiln__node_set_inputs(kiln_node *n, const kiln_edge *edges, kiln_tensor *const *x,
                              int32_t n_in) {
  drop_saved(n); /* memory may have run out before this was done */
  drop_inputs(n);
  free(n->edges);
  free(n->in_meta);
  n->edges = calloc((size_t)n_in + 1, sizeof *n->edges);
  n->in_meta = calloc((size_t)n_in + 1, sizeof *n->in_meta);
  if (!n->edges || !n->in_meta)
    return kiln_fail(KILN_ENOMEM, "out of memory");
  n->n_in = n_in;
  for (int32_t i = 0; i < n_in; i++) {
    kiln__meta_of(x[i], &n->in_meta[i]);
    kiln__edge_set(&n->edges[i], edges[i]);
  }
  return KILN_OK;
}
