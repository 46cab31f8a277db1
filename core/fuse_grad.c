/* fuse_grad.c: the gradient of a fused function.  Its node keeps the steps, the leaves as inputs,
** and of the values no more than the leaves that backward needs and results that others hold
** anyway.  Backward puts the needed steps off once more, then what the gradient of each step, taken
** in reverse, computes: all that runs in passes over memory, in the order in which the engine
** would have run it op by op.  While a graph is created the same formulas run at once, recorded.
** It refuses to know any op.
*/
#include "fuse.h"

typedef struct fused_step {
  int32_t op, n_in, in[KILN_STEP_IN];
  kiln_attr attr[KILN_STEP_ATTRS];
  kiln_meta out;
  uint32_t wants;
  bool inner;    /* a gradient flows to it from another step */
  int32_t saved; /* position of its result among the saved values, or -1: computed again */
} fused_step;

typedef struct kiln_fused {
  int32_t n_steps, n_leaves;
  fused_step *step;
  int32_t *leaf_saved; /* position of each leaf among the saved values, or -1 */
} kiln_fused;

void kiln__fused_free(kiln_fused *f) {
  if (!f)
    return;
  free(f->step);
  free(f->leaf_saved);
  free(f);
}

/* -- Recording -------------------------------------------------------------------------------- */

/* Inputs (bits 0..15) and output (bit 16) that the gradients of a step read. */
static uint32_t reads_of(const fused_step *s) {
  const kiln_op_info *op = &kiln__ops[s->op];
  uint32_t reads = 0;
  for (int32_t i = 0; i < s->n_in; i++) {
    if (s->wants >> i & 1)
      reads |= op->saves[i];
  }
  return reads;
}

/* Marks the values that the gradients of the reached steps read. */
static void mark_read(const kiln_fused *f, const bool *reached, bool *step, bool *leaf) {
  for (int32_t k = 0; k < f->n_steps; k++) {
    const fused_step *s = &f->step[k];
    uint32_t reads = reached[k] ? reads_of(s) : 0;
    step[k] |= reads >> 16 & 1;
    for (int32_t i = 0; i < s->n_in; i++) {
      if (reads >> i & 1)
        *(s->in[i] < 0 ? &leaf[~s->in[i]] : &step[s->in[i]]) = true;
    }
  }
}

/* And what those that are not saved are computed again from. */
static void mark_needed(const kiln_fused *f, bool *step, bool *leaf) {
  for (int32_t k = f->n_steps - 1; k >= 0; k--) {
    const fused_step *s = &f->step[k];
    for (int32_t i = 0; i < s->n_in && step[k] && s->saved < 0; i++)
      *(s->in[i] < 0 ? &leaf[~s->in[i]] : &step[s->in[i]]) = true;
  }
}

/* Spreads marks from steps to those that a gradient flows to from there. */
static void mark_reached(const kiln_fused *f, bool *reached) {
  for (int32_t k = f->n_steps - 1; k >= 0; k--) {
    const fused_step *s = &f->step[k];
    for (int32_t i = 0; i < s->n_in && reached[k]; i++) {
      if (s->wants >> i & 1 && s->in[i] >= 0)
        reached[s->in[i]] = true;
    }
  }
}

/* Saves what gradients read: results that are in memory and leaves as they are; other results are
** computed again, from what they were computed from. */
static int32_t save_values(kiln_program *p, kiln_fused *f, const bool *reached) {
  kiln_node *n = p->node;
  int32_t status = KILN_OK;
  bool *leaf = calloc((size_t)f->n_leaves + 1, sizeof *leaf);
  bool *step = calloc((size_t)f->n_steps + 1, sizeof *step);
  if (!leaf || !step) {
    status = kiln_fail(KILN_ENOMEM, "out of memory");
    goto end;
  }
  mark_read(f, reached, step, leaf);
  for (int32_t k = 0; k < f->n_steps && status >= 0; k++) {
    if (step[k] && p->step[k]->differentiable && !kiln__region)
      status = f->step[k].saved = kiln__node_keep(n, p->step[k]->value, 16 + k, (kiln_edge){0});
  }
  mark_needed(f, step, leaf);
  for (int32_t i = 0; i < f->n_leaves && status >= 0; i++) {
    if (leaf[i])
      status = f->leaf_saved[i] = kiln__node_keep(n, p->leaf[i].x, 0, p->leaf[i].edge);
  }
end:
  free(leaf);
  free(step);
  return status;
}

int32_t kiln__program_record(kiln_program *p) {
  kiln_fused *f = calloc(1, sizeof *f);
  kiln_edge *edges = calloc((size_t)p->n_leaves + 1, sizeof *edges);
  kiln_tensor **leaves = calloc((size_t)p->n_leaves + 1, sizeof(kiln_tensor *));
  bool *reached = calloc((size_t)p->n_steps + 1, sizeof *reached), any = false;
  int32_t status = KILN_ENOMEM;
  if (!f || !edges || !leaves || !reached)
    goto end;
  f->n_steps = p->n_steps;
  f->n_leaves = p->n_leaves;
  f->step = calloc((size_t)p->n_steps + 1, sizeof *f->step);
  f->leaf_saved = calloc((size_t)p->n_leaves + 1, sizeof *f->leaf_saved);
  if (!f->step || !f->leaf_saved)
    goto end;
  for (int32_t k = 0; k < p->n_steps; k++) {
    const kiln_step *s = p->step[k];
    fused_step *to = &f->step[k];
    *to = (fused_step){.op = s->op, .n_in = s->n_in, .out = s->out, .wants = s->wants, .saved = -1};
    memcpy(to->in, s->in, sizeof to->in);
    memcpy(to->attr, s->attr, sizeof to->attr);
    /* In a region, which compares two runs, it must not matter what the collector has seen. */
    reached[k] = kiln__region ? s->wants != 0 : s->differentiable;
    any |= reached[k];
  }
  mark_reached(f, reached);
  for (int32_t k = 0; k < p->n_steps; k++) {
    const kiln_step *s = p->step[k];
    for (int32_t i = 0; i < s->n_in && reached[k]; i++) {
      if (s->wants >> i & 1 && s->in[i] >= 0)
        f->step[s->in[i]].inner = true;
      if (s->wants >> i & 1 && s->in[i] < 0)
        edges[~s->in[i]] = p->leaf[~s->in[i]].edge;
    }
  }
  for (int32_t i = 0; i < p->n_leaves; i++) {
    leaves[i] = p->leaf[i].x;
    f->leaf_saved[i] = -1;
  }
  status = KILN_OK;
  if (any)
    status = kiln__node_set_inputs(p->node, edges, leaves, p->n_leaves);
  if (any && status >= 0)
    status = save_values(p, f, reached);
  if (any && status >= 0 && kiln__region)
    status = kiln__region_note(p->node, 0);
  if (status >= 0) {
    p->node->fused = f;
    f = NULL;
    status = KILN_OK;
  }
end:
  if (status == KILN_ENOMEM && !kiln_error_code())
    kiln_fail(KILN_ENOMEM, "out of memory");
  kiln__fused_free(f);
  free(edges);
  free(leaves);
  free(reached);
  return status;
}

/* -- Backward --------------------------------------------------------------------------------- */

/* The values and gradients of a backward pass through one node.  All are lent by pools. */
typedef struct walk {
  kiln_node *node;
  const kiln_fused *f;
  bool create;
  kiln_tensor **leaf, **value; /* NULL where no gradient reads it */
  kiln_tensor **g, **leaf_g;   /* of each step's result, of each leaf */
  bool *needs, *leaf_needs;    /* whose value */
} walk;

static kiln_tensor *unpack(walk *w, int32_t saved) {
  kiln_tensor *x = kiln__node_unpack(w->node, saved, w->create);
  kiln__pool_add(&x, 1);
  return x;
}

/* Computes the needed values again, or puts that off. */
static int32_t replay(walk *w) {
  const kiln_fused *f = w->f;
  for (int32_t i = 0; i < f->n_leaves; i++) {
    if (w->leaf_needs[i] && !(w->leaf[i] = unpack(w, f->leaf_saved[i])))
      return kiln_error_code();
  }
  for (int32_t k = 0; k < f->n_steps; k++) {
    const fused_step *s = &f->step[k];
    if (!w->needs[k])
      continue;
    if (s->saved >= 0) {
      if (!(w->value[k] = unpack(w, s->saved)))
        return kiln_error_code();
      continue;
    }
    kiln_tensor *in[KILN_STEP_IN];
    kiln_call c = {.op = s->op, .n_in = s->n_in, .in = in};
    for (int32_t i = 0; i < s->n_in; i++)
      in[i] = s->in[i] < 0 ? w->leaf[~s->in[i]] : w->value[s->in[i]];
    memcpy(c.attr, s->attr, sizeof s->attr);
    int32_t status = kiln_apply(&c);
    if (status < 0)
      return status;
    w->value[k] = c.out[0];
  }
  return KILN_OK;
}

static int32_t arrive(walk *w, int32_t from, const kiln_meta *m, int32_t i, kiln_tensor *g) {
  kiln_tensor **slot = from < 0 ? &w->leaf_g[~from] : &w->g[from];
  g = kiln__fit(w->node, i, m, g);
  *slot = *slot ? kiln_add(*slot, g, 1) : g;
  return *slot ? KILN_OK : kiln_error_code();
}

/* The gradients of one step's inputs, added to what has arrived there. */
static int32_t step_back(walk *w, int32_t k) {
  static const kiln_list everything[KILN_MAX_LISTS];
  const fused_step *s = &w->f->step[k];
  kiln_tensor *in[KILN_STEP_IN] = {0}, *result[KILN_STEP_IN] = {0};
  kiln_meta in_meta[KILN_STEP_IN];
  kiln_edge edges[KILN_STEP_IN] = {0};
  for (int32_t i = 0; i < s->n_in; i++) {
    int32_t from = s->in[i];
    in[i] = from < 0 ? w->leaf[~from] : w->value[from];
    in_meta[i] = from < 0 ? w->node->in_meta[~from] : w->f->step[from].out;
    if (s->wants >> i & 1)
      edges[i].node = w->node;
  }
  kiln_grad_call c = {.n_in = s->n_in,
                      .n_out = 1,
                      .g = &w->g[k],
                      .in = in,
                      .out = &w->value[k],
                      .attr = s->attr,
                      .list = everything,
                      .in_meta = in_meta,
                      .out_meta = &s->out,
                      .create = w->create,
                      .edges = edges,
                      .result = result};
  kiln__ops[s->op].grad(&c);
  int32_t status = kiln_error_code();
  for (int32_t i = 0; i < s->n_in && status >= 0; i++) {
    if (result[i])
      status = arrive(w, s->in[i], &in_meta[i], i, result[i]);
  }
  return status;
}

static int32_t differentiate(walk *w, kiln_tensor **g, bool *reached, kiln_tensor **result) {
  const kiln_fused *f = w->f;
  kiln_pool pool;
  for (int32_t k = 0; k < f->n_steps; k++)
    reached[k] = g[k] != NULL;
  mark_reached(f, reached);
  mark_read(f, reached, w->needs, w->leaf_needs);
  mark_needed(f, w->needs, w->leaf_needs);
  kiln__pool_open(&pool);
  int32_t status = replay(w);
  memcpy(w->g, g,
         (size_t)f->n_steps * sizeof *g); /* from outside, where what used them came later */
  for (int32_t k = f->n_steps - 1; k >= 0 && status >= 0; k--) {
    if (w->g[k] && f->step[k].wants)
      status = step_back(w, k);
  }
  for (int32_t i = 0; i < f->n_leaves && status >= 0; i++) {
    if (w->leaf_g[i] && w->node->edges[i].node)
      result[i] = kiln_tensor_retain(w->leaf_g[i]);
  }
  kiln__pool_close(&pool);
  return status;
}

int32_t kiln__fused_gradient(kiln_node *n, kiln_tensor **g, bool create, kiln_tensor **result) {
  const kiln_fused *f = n->fused;
  size_t slots = 2 * ((size_t)f->n_steps + (size_t)f->n_leaves) + 1;
  kiln_tensor **room = calloc(slots, sizeof *room);
  bool *marks = calloc(slots, sizeof *marks);
  if (!room || !marks) {
    free(room);
    free(marks);
    return kiln_fail(KILN_ENOMEM, "backward: out of memory");
  }
  walk w = {.node = n,
            .f = f,
            .create = create,
            .leaf = room,
            .leaf_g = room + f->n_leaves,
            .value = room + 2 * f->n_leaves,
            .g = room + 2 * f->n_leaves + f->n_steps,
            .needs = marks,
            .leaf_needs = marks + f->n_steps};
  kiln_program *outer = kiln__fusing, mine = {0};
  int32_t status = kiln__settle(NULL);
  if (!create)
    kiln__fusing = &mine;
  if (status >= 0)
    status = differentiate(&w, g, marks + f->n_steps + f->n_leaves, result);
  if (!create) {
    if (status >= 0)
      status = kiln__program_flush(&mine);
    kiln__fusing = outer;
    kiln__program_clear(&mine);
    free(mine.step);
    free(mine.leaf);
  }
  free(room);
  free(marks);
  return status;
}

int32_t kiln__fused_visible(kiln_tensor *x, const char *who) {
  if (kiln__settle(NULL) < 0)
    return kiln_error_code();
  kiln_edge e;
  if (kiln__edge_of(x, &e) < 0)
    return KILN_ENOMEM;
  if (!e.node || !e.node->fused || !e.node->fused->step[e.nr].inner)
    return KILN_OK;
  return kiln_fail(
      KILN_EGRAD,
      "%s: a fused function uses this result of its own, so not all of the gradient can be "
      "seen here; make it in another function",
      who);
}
