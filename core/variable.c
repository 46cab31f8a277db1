/* variable.c: what a tensor is to autograd, as Lua asks and sets it: requires_grad, volatile, its
** .grad, its history and its hooks.  It refuses to record ops (record.c).
*/
#include "fuse.h"

/* -- What Lua asks and sets ------------------------------------------------------------------ */

bool kiln_requires_grad(kiln_tensor *x) { return kiln__edge(x).node != NULL; }

bool kiln_is_leaf(kiln_tensor *x) {
  kiln_edge e = kiln__edge(x);
  return !e.node || (e.nr >= 0 && e.node->kind == KILN_NODE_LEAF);
}

int32_t kiln_set_requires_grad(kiln_tensor *x, bool on) {
  if (!x)
    return KILN_EARG;
  kiln_edge e = kiln__edge(x);
  if (on == (e.node != NULL))
    return KILN_OK;
  if (!on) {
    if (!kiln_is_leaf(x)) {
      return kiln_fail(KILN_EGRAD,
                       "requires_grad: only a leaf can stop requiring grad; this one was "
                       "made by %s, use detach()",
                       kiln__node_title(e.node));
    }
    kiln__tensor_park(x);
    return KILN_OK;
  }
  if (kiln__is_rows(x))
    return kiln_fail(KILN_EGRAD, "requires_grad: a row-sparse gradient has none of its own");
  if (!kiln__is_float(x->dtype)) {
    return kiln_fail(KILN_EGRAD, "requires_grad: only floating tensors can require grad, not %s",
                     kiln_dtype_name(x->dtype));
  }
  if (x->parked) {
    kiln__tensor_unpark(x);
  } else {
    kiln_node *n = kiln__node_new(KILN_NODE_LEAF, 0, 1, 0, 0, 0);
    if (!n)
      return KILN_ENOMEM;
    n->sequence = INT64_MAX;
    kiln__meta_of(x, &n->out_meta[0]);
    n->leaf = x;
    kiln__tensor_set_edge(x, n, 0);
    kiln__node_release(n);
  }
  if (x->base)
    x->base->flags |= KILN_T_LEAF_VIEWS;
  x->flags &= (uint8_t)~KILN_T_VOLATILE;
  return KILN_OK;
}

bool kiln_is_volatile(const kiln_tensor *x) { return x->flags & KILN_T_VOLATILE; }
void kiln_set_volatile(kiln_tensor *x, bool on) {
  if (on) {
    kiln__tensor_park(x);
    x->flags |= KILN_T_VOLATILE;
  } else {
    x->flags &= (uint8_t)~KILN_T_VOLATILE;
  }
}

kiln_tensor *kiln_grad(kiln_tensor *x) {
  kiln_node *n = x->node;
  if (kiln__is_rows(x))
    return NULL;
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
    return kiln_fail(KILN_EARG, "grad: a %s tensor of shape %s on %s is needed, got %s %s on %s%s",
                     kiln_dtype_name(x->dtype), kiln__shape_text(x->shape, x->ndim),
                     kiln__device_text(x->device), kiln_dtype_name(g->dtype),
                     kiln__shape_text(g->shape, g->ndim), kiln__device_text(g->device),
                     g == x ? " (the tensor itself)" : "");
  }
  if (kiln__is_rows(x))
    return kiln_fail(KILN_EGRAD, "grad: a row-sparse gradient has none of its own");
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
  kiln_edge e;
  if (kiln__edge_of(x, &e) < 0)
    return KILN_ENOMEM;
  if (!e.node) {
    return kiln_fail(KILN_EGRAD, "retain_grad: the tensor does not require grad");
  }
  if (e.node->kind == KILN_NODE_LEAF)
    return KILN_OK;
  if (kiln__fused_visible(x, "retain_grad") < 0)
    return KILN_EGRAD;
  kiln__tensor_keep_grad(x);
  if (!e.node->retained)
    return kiln_fail(KILN_ENOMEM, "retain_grad: out of memory");
  x->flags |= KILN_T_RETAIN_GRAD;
  return KILN_OK;
}

int32_t kiln_detach_(kiln_tensor *x) {
  if (!x)
    return KILN_EARG;
  if (x->base && kiln__edge(x).node) {
    return kiln_fail(KILN_EGRAD, "detach_: a view cannot be detached in place; use detach()");
  }
  kiln__tensor_park(x);
  return KILN_OK;
}

kiln_node *kiln_peek_node(kiln_tensor *x) {
  kiln__settle(NULL); /* who looks at a node sees its inputs */
  kiln_edge e = kiln__edge(x);
  return e.node && e.nr >= 0 && e.node->kind != KILN_NODE_LEAF ? e.node : NULL;
}

/* -- Hooks --------------------------------------------------------------------------------- */

int32_t kiln_hook_add(kiln_tensor *x, int64_t key) {
  kiln_edge e;
  if (kiln__edge_of(x, &e) < 0)
    return KILN_ENOMEM;
  if (!e.node)
    return kiln_fail(KILN_EGRAD, "register_hook: the tensor does not require grad");
  if (kiln__fused_visible(x, "register_hook") < 0)
    return KILN_EGRAD;
  kiln_hook *h = malloc(sizeof *h);
  if (!h)
    return kiln_fail(KILN_ENOMEM, "out of memory");
  *h = (kiln_hook){.key = key, .nr = e.nr};
  kiln__node_lock(e.node);
  kiln_hook **at = &e.node->hooks; /* in order of registration */
  while (*at) {
    h->order = (*at)->order + 1;
    at = &(*at)->next;
  }
  __atomic_store_n(at, h, __ATOMIC_RELAXED);
  kiln__node_unlock(e.node);
  return KILN_OK;
}

int32_t kiln_hook_remove(kiln_tensor *x, int64_t key) {
  kiln_node *n = kiln__edge(x).node;
  n = n ? n : x->parked;
  if (!n)
    return KILN_OK;
  kiln__node_lock(n);
  for (kiln_hook **at = &n->hooks; *at; at = &(*at)->next) {
    if ((*at)->key != key)
      continue;
    kiln_hook *h = *at;
    __atomic_store_n(at, h->next, __ATOMIC_RELAXED);
    kiln__dead_key(h->key);
    free(h);
    break;
  }
  kiln__node_unlock(n);
  return KILN_OK;
}
