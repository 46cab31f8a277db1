/* record.c: what a call records: the edges of tensors, and what in-place writes do to the history
** of views and their bases.  It decides what may be recorded and refuses what would give a wrong
** gradient.  It refuses to run anything backward (engine.c).
*/
#include "internal.h"

#include <pthread.h>

static KILN_HOT_TLS bool grad_mode = true;
static KILN_HOT_TLS bool noting;
static KILN_HOT_TLS int64_t trace;
static _Thread_local int64_t failed_trace[2];

bool kiln__recording(void) { return grad_mode; }
bool kiln_grad_enabled(void) { return grad_mode; }
bool kiln_set_grad_enabled(bool on) {
  bool was = grad_mode;
  grad_mode = on;
  return was;
}

bool kiln_set_noting(bool on) {
  bool was = noting;
  noting = on;
  return was;
}

/* Compared only: what they point to may have gone.  Where there are more, the Function itself finds
** the write, after the fact. */
enum { MAX_PROTECTED = 16 };
static _Thread_local const kiln_storage *protected[MAX_PROTECTED];
static _Thread_local int32_t n_protected;

int32_t kiln_protect(kiln_tensor *const *x, int32_t n) {
  int32_t before = n_protected;
  for (int32_t i = 0; i < n && n_protected < MAX_PROTECTED; i++) {
    if (x[i] && kiln__edge(x[i]).node && kiln__unwritable(x[i]))
    protected[n_protected++] = x[i]->storage;
  }
  return before;
}

void kiln_protect_only(int32_t first) { n_protected = first; }

static bool is_protected(const kiln_tensor *x) {
  for (int32_t i = 0; i < n_protected; i++) {
    if (x->storage == protected[i])
      return true;
  }
  return false;
}

void kiln_set_trace(int64_t t) { trace = t; }
int64_t kiln__trace(void) { return trace; }
void kiln__fail_trace(int32_t which, int64_t t) { failed_trace[which] = t; }
int64_t kiln_error_trace(int32_t which) { return failed_trace[which != 0]; }

/* -- Edges --------------------------------------------------------------------------------- */

/* x leaves node n, output nr: takes back the weak pointers that n has to x, and lets go of n. */
static void leave(kiln_tensor *x, kiln_node *n, int32_t nr) {
  if (!n)
    return;
  if (n->kind == KILN_NODE_LEAF || x->flags & KILN_T_RETAIN_GRAD) {
    kiln__node_lock(n);
    if (n->leaf == x)
      n->leaf = NULL;
    if (n->retained && nr < n->n_out && n->retained[nr] == x)
      n->retained[nr] = NULL;
    kiln__node_unlock(n);
  }
  kiln__node_release(n);
}

void kiln__tensor_drop_edge(kiln_tensor *x) {
  kiln_node *n = x->node;
  x->node = NULL;
  leave(x, n, x->nr);
}

void kiln__tensor_drop_parked(kiln_tensor *x) {
  kiln_node *n = x->parked;
  x->parked = NULL;
  leave(x, n, 0);
}

void kiln__tensor_park(kiln_tensor *x) {
  if (x->node && !x->base)
    x->flags |= KILN_T_LET_GO;
  if (!x->node || x->node->kind != KILN_NODE_LEAF) {
    kiln__tensor_drop_edge(x);
    return;
  }
  KILN_ASSERT(!x->parked);
  x->parked = x->node;
  x->node = NULL;
}

void kiln__tensor_unpark(kiln_tensor *x) {
  kiln__tensor_drop_edge(x);
  x->node = x->parked;
  x->parked = NULL;
  x->nr = 0;
  kiln__meta_of(x, &x->node->out_meta[0]);
}

void kiln__tensor_keep_grad(kiln_tensor *x) {
  kiln_node *n = x->node;
  kiln__node_lock(n);
  if (!n->retained)
    n->retained = calloc((size_t)n->n_out, sizeof *n->retained);
  if (n->retained)
    n->retained[x->nr] = x;
  kiln__node_unlock(n);
}

/* Gives x the edge (node, nr), node NULL for none; takes a reference. */
void kiln__tensor_set_edge(kiln_tensor *x, kiln_node *node, int32_t nr) {
  if (node)
    kiln__node_retain(node);
  kiln__tensor_drop_edge(x);
  x->node = node;
  x->nr = nr;
  if (node && x->flags & KILN_T_RETAIN_GRAD)
    kiln__tensor_keep_grad(x);
}

static void set_list(kiln_list *l, const int64_t *v, int32_t n) {
  l->n = n;
  memcpy(l->v, v, (size_t)n * sizeof *v);
}

static kiln_node *window(const kiln_tensor *x, const kiln_tensor *b) {
  kiln_node *n = kiln__node_new(KILN_NODE_OP, 1, 1, 0, 2, 4);
  if (!n)
    return NULL;
  n->op = KILN_OP_AS_STRIDED;
  kiln__edge_set(&n->edges[0], (kiln_edge){b->node, b->nr});
  kiln__meta_of(b, &n->in_meta[0]);
  kiln__meta_of(x, &n->out_meta[0]);
  set_list(&n->list[0], x->shape, x->ndim);
  set_list(&n->list[1], x->stride, x->ndim);
  set_list(&n->list[2], b->shape, b->ndim);
  set_list(&n->list[3], b->stride, b->ndim);
  n->attr[0].i = x->offset;
  n->attr[1].i = b->offset;
  return n;
}

static pthread_mutex_t refresh_lock = PTHREAD_MUTEX_INITIALIZER;

bool kiln__has_left(const kiln_tensor *x) {
  const kiln_tensor *b = x->base;
  return b && !kiln__is_rows(x) && (b->storage != x->storage || b->dtype != x->dtype || b->base);
}

/* A view of a base that was rewritten since: its history is now a window of the base's.  One whose
** base has gone is on its own; what else looks at its memory does not know.  Whoever asks first
** does it, so threads that share the view may ask at once.  False where there is no memory for the
** window: nothing has changed. */
static bool refresh(kiln_tensor *x) {
  kiln_node *old = NULL, *now = NULL;
  kiln_tensor *gone = NULL;
  int32_t nr = x->nr;
  pthread_mutex_lock(&refresh_lock);
  kiln_tensor *b = x->base;
  bool is_view = b && !kiln__is_rows(x), left = kiln__has_left(x);
  bool stale = is_view && !left && x->generation != b->generation;
  if (left) {
    gone = b;
    x->base = NULL;
    if (kiln_storage_refs(x->storage) > 1)
      x->flags |= KILN_T_SHARES;
  } else if (stale && !(x->node && x->node->kind == KILN_NODE_LEAF)) {
    now = b->node ? window(x, b) : NULL;
    if (b->node && !now) {
      pthread_mutex_unlock(&refresh_lock);
      return false;
    }
    old = x->node;
    x->node = now;
    x->nr = 0;
  }
  if (!gone && b)
    __atomic_store_n(&x->generation, b->generation, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&refresh_lock);
  leave(x, old, nr);
  kiln_tensor_release(gone);
  if (stale && x->node && x->flags & KILN_T_RETAIN_GRAD)
    kiln__tensor_keep_grad(x);
  return true;
}

void kiln__follow_base(kiln_tensor *x) {
  if (kiln__has_left(x))
    refresh(x);
}

static inline bool is_behind(const kiln_tensor *x) {
  return x->base && __atomic_load_n(&x->generation, __ATOMIC_ACQUIRE) !=
                        __atomic_load_n(&x->base->generation, __ATOMIC_RELAXED);
}

kiln_edge kiln__edge(kiln_tensor *x) {
  if (KILN_UNLIKELY(is_behind(x))) {
    bool clean = kiln_error_code() == 0;
    if (!refresh(x)) {
      if (clean) /* it is no failure yet */
        kiln_error_clear();
      return (kiln_edge){x->base->node, -1};
    }
  }
  return (kiln_edge){x->node, x->nr};
}

int32_t kiln__edge_of(kiln_tensor *x, kiln_edge *edge) {
  if (KILN_UNLIKELY(is_behind(x)) && !refresh(x))
    return KILN_ENOMEM;
  *edge = (kiln_edge){x->node, x->nr};
  return KILN_OK;
}

int32_t kiln__rewrite(kiln_tensor *x, kiln_node *node, int32_t nr) {
  kiln_tensor *b = x->base, *root = b ? b : x;
  root->flags &= (uint8_t)~KILN_T_LET_GO;
  if (!b || (!node && !b->node)) { /* or constants in constants */
    kiln__tensor_set_edge(x, node, nr);
    root->generation++;
    x->generation = root->generation;
    return KILN_OK;
  }
  kiln_node *s = kiln__node_new(KILN_NODE_OP, 2, 1, 0, 1, 4);
  if (!s)
    return KILN_ENOMEM;
  s->op = KILN_OP_SLICE_SET;
  kiln__edge_set(&s->edges[0], (kiln_edge){b->node, b->nr});
  kiln__edge_set(&s->edges[1], (kiln_edge){node, nr});
  kiln__meta_of(b, &s->in_meta[0]);
  kiln__meta_of(x, &s->in_meta[1]);
  kiln__meta_of(b, &s->out_meta[0]);
  set_list(&s->list[0], x->shape, x->ndim);
  set_list(&s->list[1], x->stride, x->ndim);
  set_list(&s->list[2], b->shape, b->ndim);
  set_list(&s->list[3], b->stride, b->ndim);
  s->attr[0].i = x->offset - b->offset;
  kiln__tensor_set_edge(b, s, 0);
  kiln__node_release(s);
  b->generation++;
  kiln__tensor_set_edge(x, node, nr);
  x->generation = b->generation - 1; /* who asks again gets a window: what x is used for is b's */
  return KILN_OK;
}

/* -- Planning and recording a call ------------------------------------------------------------ */

static int32_t bit_of(const kiln_op_info *op, int32_t i) { return i < op->n_in ? i : op->n_in - 1; }

const char *kiln__unwritable(kiln_tensor *x) {
  kiln__follow_base(x);
  kiln_edge mine = kiln__edge(x), base = {0};
  const kiln_tensor *root = x->base ? x->base : x;
  if (x->base)
    base = kiln__edge(x->base);
  if (mine.node && mine.nr >= 0 && mine.node->kind == KILN_NODE_LEAF)
    return "a leaf that requires grad cannot be written in place; do it inside kiln.no_grad, or "
           "write to x.data";
  if (base.node && base.node->kind == KILN_NODE_LEAF)
    return "a view of a leaf that requires grad cannot be written in place; do it inside "
           "kiln.no_grad, or write to x.data";
  if (root->flags & KILN_T_LEAF_VIEWS)
    return "this write cannot be recorded: a view of the tensor is a leaf that requires grad";
  if (root->flags & KILN_T_SHARES)
    return "this write cannot be recorded: the tensor was a view of one that looks at other memory "
           "since, and others may look at its own; clone it first";
  if (base.node && !mine.node)
    return "the tensor is a view that was made without recording, of one that has a history; make "
           "the view again";
  return NULL;
}

/* How many places a tensor with these sizes spreads over. */
static int64_t reach(const kiln_tensor *x) {
  int64_t n = 1;
  for (int32_t d = 0; d < x->ndim; d++)
    n += (x->shape[d] - 1) * x->stride[d];
  return x->numel > 0 ? n : 0;
}

/* Whether a view lies between the first and the last element of its base, as all but those of
** as_strided do. */
static bool lies_within(const kiln_tensor *x, const kiln_tensor *b) {
  return x->numel == 0 || (x->offset >= b->offset && x->offset + reach(x) <= b->offset + reach(b));
}

static int32_t check_write(const kiln_call *c, kiln_plan *p) {
  kiln_tensor *x = c->in[0];
  const char *why = kiln__unwritable(x);
  p->rewrites = p->records || x->node || (x->base && x->base->node);
  if (why && p->rewrites)
    return kiln__fail_op(c->op, KILN_EGRAD, "%s", why);
  if (KILN_UNLIKELY(kiln__region != NULL) && p->rewrites && kiln__region_is_outside(x) &&
      !(kiln__ops[c->op].flags & KILN_F_OVERWRITES)) {
    return kiln__fail_op(c->op, KILN_EGRAD,
                         "a checkpointed function, which runs again in backward, cannot change a "
                         "tensor that was made outside it; give it a clone");
  }
  if (!p->rewrites && (x->base ? x->base : x)->flags & KILN_T_LET_GO) {
    p->rewrites = true;
    return KILN_OK;
  }
  if (p->rewrites && x->base && kiln__overlaps_itself(x->base)) {
    return kiln__fail_op(
        c->op, KILN_EGRAD,
        "cannot record this write: the tensor is a view of one whose elements share "
        "memory; clone that first");
  }
  if (p->rewrites && x->base && !lies_within(x, x->base)) {
    return kiln__fail_op(c->op, KILN_EGRAD,
                         "cannot record this write: the tensor looks at memory beside the one that "
                         "it is a view of");
  }
  return KILN_OK;
}

/* Whether a result of the call, which is not recorded, depends on a tensor that requires grad. */
static bool derives(const kiln_call *c) {
  const kiln_op_info *op = &kiln__ops[c->op];
  bool any = false;
  for (int32_t i = c->inplace && op->flags & KILN_F_OVERWRITES; i < c->n_in; i++) {
    kiln_tensor *x = c->in[i];
    any |= x && kiln__is_float(x->dtype) &&
           (kiln__edge(x).node || kiln_is_derived(x) || (x->base && kiln_is_derived(x->base)));
  }
  return any && !(op->flags & KILN_F_CUTS);
}

void kiln__mark_derived(const kiln_call *c) {
  for (int32_t i = 0; i < c->n_out; i++) {
    c->out[i]->flags |= KILN_T_DERIVED;
    if (c->inplace && c->out[i]->base)
      c->out[i]->base->flags |= KILN_T_DERIVED;
  }
}

bool kiln_is_derived(const kiln_tensor *x) { return x->flags & KILN_T_DERIVED && !x->node; }

void kiln_forget_derived(kiln_tensor *x) {
  if (x->flags & KILN_T_DERIVED)
    x->flags &= (uint8_t)~KILN_T_DERIVED;
}

int32_t kiln__plan(const kiln_call *c, kiln_plan *p) {
  const kiln_op_info *op = &kiln__ops[c->op];
  p->records = p->rewrites = p->is_volatile = p->keep_self = false;
  p->is_derived = false;
  if (KILN_UNLIKELY(noting) && !grad_mode) {
    if (c->inplace && is_protected(c->in[0])) {
      return kiln__fail_op(c->op, KILN_EGRAD,
                           "the tensor is, or shares memory with, an argument of the Function that "
                           "runs, and a leaf that requires grad cannot be written in place; write "
                           "to a clone");
    }
    p->is_derived = derives(c);
  }
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
  int32_t first = -1, constant = -1, status = KILN_OK;
  for (int32_t i = 0; i < c->n_in; i++) {
    kiln_tensor *x = c->in[i];
    p->edges[i] = (kiln_edge){0};
    if (!x)
      continue;
    if (x->flags & KILN_T_VOLATILE)
      p->is_volatile = true;
    if (!grad_mode || !(x->node || x->base) || (overwrites && i == 0))
      continue;
    status = kiln__edge_of(x, &p->edges[i]);
    if (status < 0)
      goto end;
    if (!p->edges[i].node)
      continue;
    any = true;
    if (first < 0)
      first = i;
    if (op->constant >> bit_of(op, i) & 1)
      constant = i;
    saves |= op->saves[bit_of(op, i)];
  }
  if (!grad_mode)
    return KILN_OK;
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
  if (constant >= 0) {
    status = kiln__fail_op(c->op, KILN_EGRAD, "the gradient of %s is not defined; detach it",
                           op->in_names[bit_of(op, constant)]);
    goto end;
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
    kiln__edge_set(&n->edges[i], p->edges[i]);
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
    if (kiln__node_save(n, keep, i, p->edges[i], keep->storage->version - (hit && !same)) < 0)
      goto fail;
  }
  for (int32_t i = 0; i < c->n_out; i++) {
    kiln__meta_of(c->out[i], &n->out_meta[i]);
    if (!(saves >> (16 + i) & 1))
      continue;
    if (kiln__node_save(n, c->out[i], 16 + i, (kiln_edge){0}, c->out[i]->storage->version) < 0)
      goto fail;
  }
  if (KILN_UNLIKELY(kiln__region != NULL) && kiln__region_note(n, 0) < 0)
    goto fail;
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
      status = kiln__rewrite(c->in[0], n, 0);
  } else if (n) {
    for (int32_t i = 0; i < c->n_out; i++) {
      if (op->diff_outs >> i & 1 && kiln__is_float(c->out[i]->dtype))
        kiln__tensor_set_edge(c->out[i], n, i);
    }
  }
  if (n)
    kiln__node_release(n);
  return status;
}
