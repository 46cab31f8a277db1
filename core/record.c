/* record.c: the recorded graph: nodes, edges, saved values, and what in-place writes do to it.
** It decides what may be recorded and refuses what would give a wrong gradient.  It refuses to run
** anything backward (engine.c).
*/
#include "internal.h"

#include <pthread.h>

static KILN_HOT_TLS bool grad_mode = true;
static KILN_HOT_TLS int64_t sequence;
static KILN_HOT_TLS int64_t trace;
static _Thread_local int64_t failed_trace[2];

bool kiln__recording(void) { return grad_mode; }
bool kiln_grad_enabled(void) { return grad_mode; }
bool kiln_set_grad_enabled(bool on) {
  bool was = grad_mode;
  grad_mode = on;
  return was;
}

void kiln_set_trace(int64_t t) { trace = t; }
int64_t kiln__trace(void) { return trace; }
void kiln__fail_trace(int32_t which, int64_t t) { failed_trace[which] = t; }
int64_t kiln_error_trace(int32_t which) { return failed_trace[which != 0]; }

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
                   .trace = trace,
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

static void set_edge_of(kiln_edge *at, kiln_edge e) {
  *at = e;
  if (e.node)
    kiln__node_retain(e.node);
}

void kiln__node_consume(kiln_node *n) {
  n->consumed = true;
  for (int32_t i = 0; i < n->n_saved; i++) {
    kiln_saved *s = &n->saved[i];
    kiln_tensor_release(s->alias);
    if (s->slot < 16 && s->edge.node)
      kiln__node_release(s->edge.node);
  }
  n->n_saved = 0;
}

static void bury(kiln_node *n) {
  kiln__node_consume(n);
  for (int32_t i = 0; i < n->n_in; i++) {
    if (n->edges[i].node)
      kiln__node_release(n->edges[i].node);
  }
  for (kiln_hook *h = n->hooks; h;) {
    kiln_hook *next = h->next;
    kiln__dead_key(n->owner, h->key);
    free(h);
    h = next;
  }
  if (n->kind == KILN_NODE_LUA) {
    kiln__dead_key(n->owner, n->key);
    free((char *)n->name);
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
  return n->kind == KILN_NODE_OP     ? kiln__ops[n->op].name
         : n->kind == KILN_NODE_LEAF ? "accumulate"
                                     : n->name;
}

/* -- Saved values -------------------------------------------------------------------------- */

/* slot: input i or 16 + output i.  Takes a reference to the edge's node for inputs. */
static int32_t save(kiln_node *n, kiln_tensor *x, int32_t slot, kiln_edge edge, int64_t version) {
  KILN_ASSERT(n->n_saved < n->room);
  kiln_saved *s = &n->saved[n->n_saved];
  s->alias = kiln__tensor_alias(x);
  if (!s->alias)
    return KILN_ENOMEM;
  s->version = version;
  s->slot = slot;
  s->edge = edge;
  if (slot < 16 && edge.node)
    kiln__node_retain(edge.node);
  n->n_saved++;
  return KILN_OK;
}

kiln_tensor *kiln__node_unpack(kiln_node *n, int32_t k, bool graph) {
  kiln_saved *s = &n->saved[k];
  kiln_tensor *x = s->alias;
  if (x->storage->version != s->version) {
    int32_t w = x->storage->writer;
    kiln__fail_trace(0, n->trace);
    kiln__fail_trace(1, x->storage->trace);
    kiln_fail(
        KILN_EVERSION,
        "backward: %s%s of shape %s, which the gradient of %s needs, was overwritten in place "
        "by %s (it is at version %lld, saved at %lld); write to a clone, or move the write after "
        "backward",
        s->slot < 16 ? "the input " : "the output",
        n->kind == KILN_NODE_OP && s->slot < 16
            ? kiln__ops[n->op]
                  .in_names[s->slot < kiln__ops[n->op].n_in ? s->slot : kiln__ops[n->op].n_in - 1]
            : "",
        kiln__shape_text(x->shape, x->ndim), kiln__node_title(n),
        w >= 0 ? kiln__ops[w].name : "a write through a pointer", (long long)x->storage->version,
        (long long)s->version);
    return NULL;
  }
  if (!graph)
    return kiln_tensor_retain(x);
  kiln_tensor *y = kiln__tensor_alias(x);
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

/* -- Edges --------------------------------------------------------------------------------- */

/* Takes back the weak pointers that x's node has to x, and lets go of the node. */
void kiln__tensor_drop_edge(kiln_tensor *x) {
  kiln_node *n = x->node;
  if (!n)
    return;
  if (n->kind == KILN_NODE_LEAF || x->flags & KILN_T_RETAIN_GRAD) {
    kiln__node_lock(n);
    if (n->leaf == x)
      n->leaf = NULL;
    if (n->retained && x->nr < n->n_out && n->retained[x->nr] == x)
      n->retained[x->nr] = NULL;
    kiln__node_unlock(n);
  }
  x->node = NULL;
  kiln__node_release(n);
}

static void retain_in(kiln_tensor *x) {
  kiln_node *n = x->node;
  kiln__node_lock(n);
  if (!n->retained)
    n->retained = calloc((size_t)n->n_out, sizeof *n->retained);
  if (n->retained)
    n->retained[x->nr] = x;
  kiln__node_unlock(n);
}

/* Gives x the edge (node, nr), node NULL for none; takes a reference. */
static void set_edge(kiln_tensor *x, kiln_node *node, int32_t nr) {
  if (node)
    kiln__node_retain(node);
  kiln__tensor_drop_edge(x);
  x->node = node;
  x->nr = nr;
  if (node && x->flags & KILN_T_RETAIN_GRAD)
    retain_in(x);
}

static void set_list(kiln_list *l, const int64_t *v, int32_t n) {
  l->n = n;
  memcpy(l->v, v, (size_t)n * sizeof *v);
}

/* A view of a base that was rewritten since: its history is now a window of the base's. */
static void refresh(kiln_tensor *x) {
  kiln_tensor *b = x->base;
  x->generation = b->generation;
  if (x->node && x->node->kind == KILN_NODE_LEAF)
    return;
  if (!b->node) {
    set_edge(x, NULL, 0);
    return;
  }
  kiln_node *n = kiln__node_new(KILN_NODE_OP, 1, 1, 0, 2, 4);
  KILN_ASSERT(n != NULL);
  n->op = KILN_OP_AS_STRIDED;
  set_edge_of(&n->edges[0], (kiln_edge){b->node, b->nr});
  kiln__meta_of(b, &n->in_meta[0]);
  kiln__meta_of(x, &n->out_meta[0]);
  set_list(&n->list[0], x->shape, x->ndim);
  set_list(&n->list[1], x->stride, x->ndim);
  set_list(&n->list[2], b->shape, b->ndim);
  set_list(&n->list[3], b->stride, b->ndim);
  n->attr[0].i = x->offset;
  n->attr[1].i = b->offset;
  set_edge(x, n, 0);
  kiln__node_release(n);
}

kiln_edge kiln__edge(kiln_tensor *x) {
  if (KILN_UNLIKELY(x->base && x->generation != x->base->generation))
    refresh(x);
  return (kiln_edge){x->node, x->nr};
}

/* In place: x's values now come from (node, nr), node NULL for constants. */
static int32_t rewrite(kiln_tensor *x, kiln_node *node, int32_t nr) {
  kiln_tensor *b = x->base;
  if (!b) {
    set_edge(x, node, nr);
    x->generation++;
    return KILN_OK;
  }
  kiln_node *s = kiln__node_new(KILN_NODE_OP, 2, 1, 0, 1, 4);
  if (!s)
    return KILN_ENOMEM;
  s->op = KILN_OP_SLICE_SET;
  set_edge_of(&s->edges[0], (kiln_edge){b->node, b->nr});
  set_edge_of(&s->edges[1], (kiln_edge){node, nr});
  kiln__meta_of(b, &s->in_meta[0]);
  kiln__meta_of(x, &s->in_meta[1]);
  kiln__meta_of(b, &s->out_meta[0]);
  set_list(&s->list[0], x->shape, x->ndim);
  set_list(&s->list[1], x->stride, x->ndim);
  set_list(&s->list[2], b->shape, b->ndim);
  set_list(&s->list[3], b->stride, b->ndim);
  s->attr[0].i = x->offset - b->offset;
  set_edge(b, s, 0);
  kiln__node_release(s);
  b->generation++;
  set_edge(x, node, nr);
  x->generation = b->generation;
  return KILN_OK;
}

/* -- Planning and recording a call ------------------------------------------------------------ */

static int32_t bit_of(const kiln_op_info *op, int32_t i) { return i < op->n_in ? i : op->n_in - 1; }

static int32_t check_write(const kiln_call *c, kiln_plan *p) {
  kiln_tensor *x = c->in[0];
  kiln_edge mine = kiln__edge(x), base = {0};
  if (x->base)
    base = kiln__edge(x->base);
  bool leaf = mine.node && mine.node->kind == KILN_NODE_LEAF;
  bool base_leaf = base.node && base.node->kind == KILN_NODE_LEAF;
  if (leaf || base_leaf) {
    return kiln__fail_op(c->op, KILN_EGRAD,
                         "%s a leaf that requires grad cannot be written in place; do it inside "
                         "kiln.no_grad, or write to x.data",
                         leaf ? "" : "a view of");
  }
  p->rewrites = p->records || mine.node || base.node;
  if (p->rewrites && x->base && kiln__overlaps_itself(x->base)) {
    return kiln__fail_op(
        c->op, KILN_EGRAD,
        "cannot record this write: the tensor is a view of one whose elements share "
        "memory; clone that first");
  }
  return KILN_OK;
}

int32_t kiln__plan(const kiln_call *c, kiln_plan *p) {
  const kiln_op_info *op = &kiln__ops[c->op];
  p->records = p->rewrites = p->is_volatile = p->keep_self = false;
  p->edges = p->few_edges;
  if (KILN_LIKELY(!c->inplace)) { /* the common case: nobody cares */
    bool care = false;
    for (int32_t i = 0; i < c->n_in; i++) {
      const kiln_tensor *x = c->in[i];
      care |= x && (x->flags & KILN_T_VOLATILE || x->node || x->base);
    }
    if (!care)
      return KILN_OK;
  }
  if (c->n_in > KILN_COUNT(p->few_edges)) {
    p->edges = malloc((size_t)c->n_in * sizeof *p->edges);
    if (!p->edges)
      return kiln__fail_op(c->op, KILN_ENOMEM, "out of memory");
  }
  bool overwrites = c->inplace && op->flags & KILN_F_OVERWRITES, any = false;
  uint32_t saves = 0;
  int32_t first = -1;
  for (int32_t i = 0; i < c->n_in; i++) {
    kiln_tensor *x = c->in[i];
    p->edges[i] = (kiln_edge){0};
    if (!x)
      continue;
    if (x->flags & KILN_T_VOLATILE)
      p->is_volatile = true;
    if (!grad_mode || !(x->node || x->base) || (overwrites && i == 0))
      continue;
    p->edges[i] = kiln__edge(x);
    if (!p->edges[i].node)
      continue;
    any = true;
    if (first < 0)
      first = i;
    saves |= op->saves[bit_of(op, i)];
  }
  if (!grad_mode)
    return KILN_OK;
  int32_t status = KILN_OK;
  if (p->is_volatile) {
    if (c->inplace && c->in[0]->node) {
      status = kiln__fail_op(c->op, KILN_EGRAD,
                             "a volatile argument would cut the history of the tensor written");
    }
    goto end;
  }
  if (any && !op->grad) {
    bool plain = op->flags & KILN_F_CUTS || op->dtype_rule == KILN_RULE_BOOL ||
                 op->dtype_rule == KILN_RULE_INDEX || (c->inplace && first == 0 && overwrites);
    if (!plain) {
      status =
          kiln__fail_op(c->op, KILN_EGRAD, "has no gradient, and %s requires grad; detach it first",
                        op->in_names[bit_of(op, first)]);
      goto end;
    }
    any = false;
  }
  p->records = any;
  if (c->inplace && kiln__is_float(c->in[0]->dtype))
    status = check_write(c, p);
  p->keep_self = p->records && c->inplace && !overwrites && saves & 1;
end:
  if (status < 0)
    kiln__plan_end(c, p);
  return status;
}

void kiln__plan_end(const kiln_call *c, kiln_plan *p) {
  (void)c;
  if (p->edges != p->few_edges)
    free(p->edges);
  p->edges = p->few_edges;
}

static kiln_node *make_node(kiln_call *c, kiln_plan *p, kiln_tensor *self) {
  const kiln_op_info *op = &kiln__ops[c->op];
  uint32_t saves = 0;
  for (int32_t i = 0; i < c->n_in; i++) {
    if (p->edges[i].node)
      saves |= op->saves[bit_of(op, i)];
  }
  int32_t room = 0;
  for (int32_t i = 0; i < c->n_in; i++)
    room += saves >> bit_of(op, i) & 1;
  for (int32_t i = 0; i < c->n_out; i++)
    room += saves >> (16 + i) & 1;
  kiln_node *n = kiln__node_new(KILN_NODE_OP, c->n_in, c->n_out, room, op->n_attr, op->n_list);
  if (!n)
    return NULL;
  n->op = c->op;
  memcpy(n->attr, c->attr, (size_t)op->n_attr * sizeof *n->attr);
  memcpy(n->list, c->list, (size_t)op->n_list * sizeof *n->list);
  for (int32_t i = 0; i < c->n_in; i++) {
    kiln_tensor *x = c->in[i];
    set_edge_of(&n->edges[i], p->edges[i]);
    if (!x) {
      n->in_meta[i].ndim = 0;
      continue;
    }
    kiln__meta_of(x, &n->in_meta[i]);
    if (!(saves >> bit_of(op, i) & 1))
      continue;
    bool hit = c->inplace && x->storage == c->in[0]->storage;
    bool same = hit && self && kiln__same_view(x, c->in[0]);
    kiln_tensor *keep = same ? self : x;
    if (save(n, keep, i, p->edges[i], keep->storage->version - (hit && !same)) < 0)
      goto fail;
  }
  for (int32_t i = 0; i < c->n_out; i++) {
    kiln__meta_of(c->out[i], &n->out_meta[i]);
    if (!(saves >> (16 + i) & 1))
      continue;
    if (save(n, c->out[i], 16 + i, (kiln_edge){0}, c->out[i]->storage->version) < 0)
      goto fail;
  }
  return n;
fail:
  kiln__node_release(n);
  return NULL;
}

int32_t kiln__record(kiln_call *c, kiln_plan *p, kiln_tensor *self) {
  const kiln_op_info *op = &kiln__ops[c->op];
  if (p->is_volatile) {
    for (int32_t i = 0; i < c->n_out; i++) {
      if (!c->inplace || (grad_mode && !c->out[i]->node))
        c->out[i]->flags |= KILN_T_VOLATILE;
    }
    return KILN_OK;
  }
  kiln_node *n = NULL;
  if (p->records) {
    bool any = false;
    for (int32_t i = 0; i < c->n_out; i++) {
      any |= op->diff_outs >> i & 1 && kiln__is_float(c->out[i]->dtype);
    }
    if (any) {
      n = make_node(c, p, self);
      if (!n)
        return KILN_ENOMEM;
    }
  }
  int32_t status = KILN_OK;
  if (c->inplace) {
    if (p->rewrites)
      status = rewrite(c->in[0], n, 0);
  } else if (n) {
    for (int32_t i = 0; i < c->n_out; i++) {
      if (op->diff_outs >> i & 1 && kiln__is_float(c->out[i]->dtype))
        set_edge(c->out[i], n, i);
    }
  }
  if (n)
    kiln__node_release(n);
  return status;
}

/* -- What Lua asks and sets ------------------------------------------------------------------ */

bool kiln_requires_grad(kiln_tensor *x) { return kiln__edge(x).node != NULL; }

bool kiln_is_leaf(kiln_tensor *x) {
  kiln_edge e = kiln__edge(x);
  return !e.node || e.node->kind == KILN_NODE_LEAF;
}

int32_t kiln_set_requires_grad(kiln_tensor *x, bool on) {
  if (!x)
    return KILN_EARG;
  kiln_edge e = kiln__edge(x);
  if (on == (e.node != NULL))
    return KILN_OK;
  if (!on) {
    if (e.node->kind != KILN_NODE_LEAF) {
      return kiln_fail(KILN_EGRAD,
                       "requires_grad: only a leaf can stop requiring grad; this one was "
                       "made by %s, use detach()",
                       kiln__node_title(e.node));
    }
    set_edge(x, NULL, 0);
    return KILN_OK;
  }
  if (!kiln__is_float(x->dtype)) {
    return kiln_fail(KILN_EGRAD, "requires_grad: only floating tensors can require grad, not %s",
                     kiln_dtype_name(x->dtype));
  }
  kiln_node *n = kiln__node_new(KILN_NODE_LEAF, 0, 1, 0, 0, 0);
  if (!n)
    return KILN_ENOMEM;
  n->sequence = INT64_MAX;
  kiln__meta_of(x, &n->out_meta[0]);
  n->leaf = x;
  set_edge(x, n, 0);
  kiln__node_release(n);
  x->flags &= (uint8_t)~KILN_T_VOLATILE;
  return KILN_OK;
}

bool kiln_is_volatile(const kiln_tensor *x) { return x->flags & KILN_T_VOLATILE; }
void kiln_set_volatile(kiln_tensor *x, bool on) {
  if (on) {
    set_edge(x, NULL, 0);
    x->flags |= KILN_T_VOLATILE;
  } else {
    x->flags &= (uint8_t)~KILN_T_VOLATILE;
  }
}

kiln_tensor *kiln_grad(kiln_tensor *x) {
  kiln_node *n = x->node;
  if (!n)
    return x->grad ? kiln_tensor_retain(x->grad) : NULL;
  kiln__node_lock(n);
  kiln_tensor *g = x->grad ? kiln_tensor_retain(x->grad) : NULL;
  kiln__node_unlock(n);
  return g;
}

int32_t kiln_set_grad(kiln_tensor *x, kiln_tensor *g) {
  if (!x)
    return KILN_EARG;
  if (g && (g == x || !kiln__same_shape(x, g) || g->dtype != x->dtype || g->device != x->device)) {
    return kiln_fail(KILN_EARG, "grad: a %s tensor of shape %s is needed, got %s %s%s",
                     kiln_dtype_name(x->dtype), kiln__shape_text(x->shape, x->ndim),
                     kiln_dtype_name(g->dtype), kiln__shape_text(g->shape, g->ndim),
                     g == x ? " (the tensor itself)" : "");
  }
  kiln_node *n = x->node;
  if (g)
    kiln_tensor_retain(g);
  if (n)
    kiln__node_lock(n);
  kiln_tensor *old = x->grad;
  x->grad = g;
  if (n)
    kiln__node_unlock(n);
  kiln_tensor_release(old);
  return KILN_OK;
}

int32_t kiln_retain_grad(kiln_tensor *x) {
  kiln_edge e = kiln__edge(x);
  if (!e.node) {
    return kiln_fail(KILN_EGRAD, "retain_grad: the tensor does not require grad");
  }
  if (e.node->kind == KILN_NODE_LEAF)
    return KILN_OK;
  x->flags |= KILN_T_RETAIN_GRAD;
  retain_in(x);
  return KILN_OK;
}

int32_t kiln_detach_(kiln_tensor *x) {
  if (!x)
    return KILN_EARG;
  if (x->base && kiln__edge(x).node) {
    return kiln_fail(KILN_EGRAD, "detach_: a view cannot be detached in place; use detach()");
  }
  set_edge(x, NULL, 0);
  return KILN_OK;
}

kiln_node *kiln_peek_node(kiln_tensor *x) {
  kiln_edge e = kiln__edge(x);
  return e.node && e.node->kind != KILN_NODE_LEAF ? e.node : NULL;
}
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

static pthread_mutex_t keys_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
  int32_t owner;
  int64_t key;
} * dead;
static int32_t n_dead, dead_room, n_owners;
static _Thread_local int32_t owner;

int32_t kiln_lua_owner(void) {
  if (!owner)
    owner = __atomic_add_fetch(&n_owners, 1, __ATOMIC_RELAXED);
  return owner;
}

void kiln__dead_key(int32_t of, int64_t key) {
  pthread_mutex_lock(&keys_lock);
  if (n_dead == dead_room) {
    int32_t room = dead_room ? 2 * dead_room : 64;
    void *p = realloc(dead, (size_t)room * sizeof *dead);
    KILN_ASSERT(p != NULL);
    dead = p;
    dead_room = room;
  }
  dead[n_dead].owner = of;
  dead[n_dead++].key = key;
  pthread_mutex_unlock(&keys_lock);
}

int64_t kiln_dead_key(void) {
  if (__atomic_load_n(&n_dead, __ATOMIC_RELAXED) == 0)
    return 0;
  int64_t key = 0;
  pthread_mutex_lock(&keys_lock);
  for (int32_t i = n_dead - 1; i >= 0; i--) {
    if (dead[i].owner != owner)
      continue;
    key = dead[i].key;
    dead[i] = dead[--n_dead];
    break;
  }
  pthread_mutex_unlock(&keys_lock);
  return key;
}

kiln_node *kiln_node_lua(int64_t key, const char *name, kiln_tensor *const *inputs,
                         int32_t n_inputs, kiln_tensor *const *outputs, int32_t n_outputs,
                         const bool *dirty) {
  for (int32_t i = 0; i < n_outputs; i++) {
    kiln_edge e = dirty && dirty[i] ? kiln__edge(outputs[i]) : (kiln_edge){0};
    if (e.node && e.node->kind == KILN_NODE_LEAF) {
      kiln_fail(KILN_EGRAD, "%s: a leaf that requires grad was written in place", name);
      return NULL;
    }
  }
  kiln_node *n = kiln__node_new(KILN_NODE_LUA, n_inputs, n_outputs, 0, 0, 0);
  if (!n)
    return NULL;
  n->key = key;
  n->owner = kiln_lua_owner();
  n->name = strdup(name);
  n->saved = NULL;
  for (int32_t i = 0; i < n_inputs; i++) {
    kiln__meta_of(inputs[i], &n->in_meta[i]);
    set_edge_of(&n->edges[i], kiln__edge(inputs[i]));
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
      if (rewrite(outputs[i], n, i) < 0) {
        kiln__node_release(n);
        return NULL;
      }
    } else {
      set_edge(outputs[i], n, i);
    }
  }
  return n;
}

void kiln_node_release(kiln_node *n) { kiln__node_release(n); }

int32_t kiln_node_save(kiln_node *n, kiln_tensor *x, bool is_output) {
  if (n->n_saved == n->room) {
    int32_t room = n->room ? 2 * n->room : 4;
    kiln_saved *p = realloc(n->saved, (size_t)room * sizeof *p);
    if (!p)
      return kiln_fail(KILN_ENOMEM, "out of memory");
    n->saved = p;
    n->room = room;
  }
  kiln_edge e = is_output ? (kiln_edge){0} : kiln__edge(x);
  int32_t slot = is_output ? 16 + x->nr : 0;
  int32_t status = save(n, x, slot, e, x->storage->version);
  return status < 0 ? status : n->n_saved - 1;
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

/* -- Hooks --------------------------------------------------------------------------------- */

int32_t kiln_hook_add(kiln_tensor *x, int64_t key) {
  kiln_edge e = kiln__edge(x);
  if (!e.node)
    return kiln_fail(KILN_EGRAD, "register_hook: the tensor does not require grad");
  kiln_hook *h = malloc(sizeof *h);
  if (!h)
    return kiln_fail(KILN_ENOMEM, "out of memory");
  *h = (kiln_hook){.key = key, .nr = e.nr};
  kiln__node_lock(e.node);
  if (e.node->kind != KILN_NODE_LUA)
    e.node->owner = kiln_lua_owner();
  kiln_hook **at = &e.node->hooks; /* in order of registration */
  while (*at)
    at = &(*at)->next;
  *at = h;
  kiln__node_unlock(e.node);
  return KILN_OK;
}

int32_t kiln_hook_remove(kiln_tensor *x, int64_t key) {
  kiln_node *n = kiln__edge(x).node;
  if (!n)
    return KILN_OK;
  kiln__node_lock(n);
  for (kiln_hook **at = &n->hooks; *at; at = &(*at)->next) {
    if ((*at)->key != key)
      continue;
    kiln_hook *h = *at;
    *at = h->next;
    kiln__dead_key(n->owner, h->key);
    free(h);
    break;
  }
  kiln__node_unlock(n);
  return KILN_OK;
}
