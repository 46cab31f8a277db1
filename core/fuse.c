/* fuse.c: ops put off.  While a fused function runs, ops of each element are noted instead of run,
** and their results are tensors whose memory is not there yet.  What is needed runs later in as few
** passes over memory as shapes and sums allow; what nobody holds by then never gets memory.
**
** Everything else that reads or writes a tensor settles first: such a tensor never reaches a
*kernel,
** a view, or the caller of a function that hands out memory, and none is left when the outermost
** fused function has returned.  It refuses to know how a pass runs (backend.h) and what gradients
** are (fuse_grad.c).
*/
#include "fuse.h"
#include "stop.h"

enum { MOST_STEPS = 64 }; /* of a fused function before they run */

KILN_HOT_TLS kiln_program *kiln__fusing;

/* -- Programs -------------------------------------------------------------------------------- */

static void *grown(void *p, int32_t *room, size_t size) {
  int32_t wanted = *room ? 2 * *room : 16;
  void *q = realloc(p, (size_t)wanted * size);
  if (q)
    *room = wanted;
  else
    kiln_fail(KILN_ENOMEM, "out of memory");
  return q;
}

static kiln_step *new_step(kiln_program *p) {
  int64_t capacity;
  if (p->n_steps == p->step_room) {
    kiln_step **steps = grown(p->step, &p->step_room, sizeof(kiln_step *));
    if (!steps)
      return NULL;
    p->step = steps;
  }
  kiln_step *s = kiln__alloc(0, sizeof *s, &capacity);
  if (!s)
    return NULL;
  memset(s, 0, sizeof *s);
  s->number = p->n_steps;
  p->step[p->n_steps++] = s;
  return s;
}

/* The number of a leaf for x as it is now; negative on error. */
static int32_t leaf_of(kiln_program *p, kiln_tensor *x) {
  kiln_edge edge = {0};
  if (kiln__recording() && kiln__edge_of(x, &edge) < 0)
    return KILN_ENOMEM;
  for (int32_t i = 0; i < p->n_leaves; i++) {
    const kiln_leaf *l = &p->leaf[i];
    if (l->x == x && l->edge.node == edge.node && l->edge.nr == edge.nr)
      return i;
  }
  if (p->n_leaves == p->leaf_room) {
    kiln_leaf *leaves = grown(p->leaf, &p->leaf_room, sizeof *leaves);
    if (!leaves)
      return KILN_ENOMEM;
    p->leaf = leaves;
  }
  /* A number is lent from a ring: an alias keeps its value. */
  kiln_tensor *mine = x->flags & KILN_T_NUMBER ? kiln__tensor_alias(x) : kiln_tensor_retain(x);
  if (!mine)
    return KILN_ENOMEM;
  if (edge.node)
    kiln__node_retain(edge.node);
  p->leaf[p->n_leaves] = (kiln_leaf){.x = mine, .edge = edge};
  return p->n_leaves++;
}

void kiln__program_clear(kiln_program *p) {
  for (int32_t k = 0; k < p->n_steps; k++) {
    kiln_step *s = p->step[k];
    if (s->tensor) {
      s->tensor->storage->pending = NULL;
      if (!s->value) {
        s->tensor->ndim = 1;
        s->tensor->shape[0] = s->tensor->numel = 0;
      }
    }
    kiln_tensor_release(s->value);
    kiln__scratch_free(0, s, sizeof *s);
  }
  for (int32_t i = 0; i < p->n_leaves; i++) {
    kiln_tensor_release(p->leaf[i].x);
    if (p->leaf[i].edge.node)
      kiln__node_release(p->leaf[i].edge.node);
  }
  if (p->node)
    kiln__node_release(p->node);
  p->n_steps = p->n_leaves = 0;
  p->node = NULL;
}

void kiln__fuse_forget(kiln_step *s) { s->tensor = NULL; }

/* -- Passes ---------------------------------------------------------------------------------- */

static bool same_extent(kiln_meta a, kiln_meta b) {
  return a.ndim == b.ndim && memcmp(a.shape, b.shape, a.ndim * sizeof *a.shape) == 0;
}

/* The step that makes input k of s, if that still has to run. */
static kiln_step *maker(const kiln_program *p, const kiln_step *s, int32_t k) {
  kiln_step *in = s->in[k] >= 0 ? p->step[s->in[k]] : NULL;
  return in && !in->value ? in : NULL;
}

/* The shape a step runs over. */
static kiln_meta extent(const kiln_program *p, const kiln_step *s) {
  kiln_meta m = s->out;
  if (!kiln__is_reduction(s->op))
    return m;
  if (s->in[0] >= 0)
    return p->step[s->in[0]]->out;
  kiln__meta_of(p->leaf[~s->in[0]].x, &m);
  return m;
}

/* Which steps run, which of their results are kept, and in what order: steps of one level and one
** extent can share a pass.  Returns the number of levels.  only: the one result that is wanted;
** NULL: all that somebody holds. */
static int32_t plan(kiln_program *p, kiln_step *only) {
  int32_t levels = 0;
  for (int32_t k = 0; k < p->n_steps; k++) {
    kiln_step *s = p->step[k];
    s->needed = s->kept = !s->value && (only ? s == only : s->tensor != NULL);
    s->ran = false;
  }
  for (int32_t k = p->n_steps - 1; k >= 0; k--) {
    kiln_step *s = p->step[k];
    for (int32_t i = 0; i < s->n_in && s->needed; i++) {
      kiln_step *in = maker(p, s, i);
      if (in)
        in->needed = true;
    }
  }
  for (int32_t k = 0; k < p->n_steps; k++) {
    kiln_step *s = p->step[k];
    if (!s->needed)
      continue;
    if (++s->runs > 1 && s->tensor)
      s->kept = true; /* once is cheaper than memory, again and again is not */
    s->kept |= kiln__is_reduction(s->op);
    s->level = 0;
    for (int32_t i = 0; i < s->n_in; i++) {
      const kiln_step *in = maker(p, s, i);
      if (!in)
        continue;
      bool joins = !kiln__is_reduction(in->op) && same_extent(in->out, extent(p, s));
      int32_t level = in->level + !joins;
      if (s->level < level)
        s->level = level;
    }
    for (int32_t i = 0; i < s->n_in; i++) {
      kiln_step *in = maker(p, s, i);
      if (in && in->level < s->level)
        in->kept = true;
    }
    if (levels < s->level + 1)
      levels = s->level + 1;
  }
  return levels;
}

/* Memory for a result: in the tensor that others see, or in one of our own. */
static int32_t make_room(kiln_step *s) {
  kiln_tensor *t = s->tensor;
  if (s->value)
    return KILN_OK;
  if (!t) {
    s->value = kiln__tensor_like(&s->out);
  } else if (kiln__storage_fill(t->storage) >= 0) {
    s->value = kiln_tensor_from_storage(t->storage, t->dtype, 0, t->shape, t->stride, t->ndim);
  }
  return s->value ? KILN_OK : KILN_ENOMEM;
}

/* The number of an input of the pass at work: of a leaf, or of a result in memory; NULL: a step of
** this pass makes it. */
static int32_t *input_number(kiln_program *p, int32_t from, kiln_tensor **x) {
  if (from < 0) {
    *x = p->leaf[~from].x;
    return &p->leaf[~from].input;
  }
  if (p->step[from]->joins)
    return NULL;
  *x = p->step[from]->value;
  KILN_ASSERT(*x);
  return &p->step[from]->input;
}

/* Numbers what the pass reads; in has room for all of it. */
static void number_inputs(kiln_program *p, const kiln_step *reduction, kiln_pass *pass,
                          kiln_tensor **in) {
  for (int32_t i = 0; i < p->n_leaves; i++)
    p->leaf[i].input = -1;
  for (int32_t k = 0; k < p->n_steps; k++)
    p->step[k]->input = -1;
  for (int32_t k = 0; k < p->n_steps; k++) {
    const kiln_step *s = p->step[k];
    for (int32_t i = 0; i < s->n_in && (s->joins || s == reduction); i++) {
      kiln_tensor *x;
      int32_t *number = input_number(p, s->in[i], &x);
      if (!number || *number >= 0)
        continue;
      *number = pass->n_in;
      in[pass->n_in++] = x;
    }
  }
}

static int32_t value_number(kiln_program *p, int32_t from) {
  kiln_tensor *x;
  const int32_t *input = input_number(p, from, &x);
  return input ? *input : p->step[from]->place;
}

/* Fills in the steps of the pass, and memory for what is kept. */
static int32_t fill_steps(kiln_program *p, const kiln_step *reduction, kiln_pass *pass,
                          kiln_pass_step *steps) {
  for (int32_t k = 0; k < p->n_steps; k++) {
    kiln_step *s = p->step[k];
    if (!s->joins)
      continue;
    s->place = pass->n_in + pass->n_steps;
    kiln_pass_step *to = &steps[pass->n_steps++];
    *to = (kiln_pass_step){.op = s->op,
                           .dtype = s->dtype,
                           .out_dtype = s->out.dtype,
                           .number_dtype = kiln__number_dtype(&kiln__ops[s->op], s->dtype),
                           .n_in = s->n_in,
                           .attr = s->attr};
    for (int32_t i = 0; i < s->n_in; i++)
      to->in[i] = value_number(p, s->in[i]);
    if (!s->kept)
      continue;
    if (make_room(s) < 0)
      return KILN_ENOMEM;
    to->out = s->value;
  }
  if (!reduction)
    return KILN_OK;
  pass->reduced = value_number(p, reduction->in[0]);
  if (pass->reduced < pass->n_in) { /* it is in memory: a step brings it in */
    int32_t dtype = pass->in[pass->reduced]->dtype;
    steps[pass->n_steps] = (kiln_pass_step){
        .op = KILN_OP_CLONE, .dtype = dtype, .out_dtype = dtype, .n_in = 1, .in = {pass->reduced}};
    pass->reduced = pass->n_in + pass->n_steps++;
  }
  return KILN_OK;
}

/* A result that was just written is a tensor like others. */
static void publish(kiln_program *p, kiln_step *s) {
  if (!s->tensor)
    return;
  s->differentiable = p->node && s->tensor->node == p->node;
  s->tensor->storage->pending = NULL;
  s->tensor = NULL;
}

/* After a failure: what was not written is no value. */
static void take_back(kiln_program *p, const kiln_step *reduction) {
  for (int32_t k = 0; k < p->n_steps; k++) {
    kiln_step *s = p->step[k];
    if (!s->joins && s != reduction)
      continue;
    kiln_tensor_release(s->value);
    s->value = NULL;
  }
}

/* Runs the steps that join, all of one extent, and the reduction if there is one. */
static int32_t run_pass(kiln_program *p, const kiln_meta *shape, kiln_step *reduction) {
  int64_t start = KILN_UNLIKELY(kiln__profiling) ? kiln__now_ns() : 0, bytes = 0;
  kiln_pass_fn run = (kiln_pass_fn)kiln__backend(0)->get_proc("pass");
  int32_t status = KILN_ENOMEM, members = 1; /* one more, for what is reduced */
  for (int32_t k = 0; k < p->n_steps; k++)
    members += p->step[k]->joins;
  kiln_tensor **in = malloc((size_t)(members * KILN_STEP_IN) * sizeof *in);
  kiln_pass_step *steps = malloc((size_t)members * sizeof *steps);
  if (!in || !steps) {
    kiln_fail(KILN_ENOMEM, "out of memory");
    goto end;
  }
  kiln_pass pass = {.ndim = shape->ndim,
                    .numel = kiln__numel(shape->shape, shape->ndim),
                    .in = in,
                    .step = steps,
                    .reduction = reduction ? reduction->op : -1,
                    .reduced = -1};
  memcpy(pass.shape, shape->shape, sizeof shape->shape);
  number_inputs(p, reduction, &pass, in);
  if ((status = fill_steps(p, reduction, &pass, steps)) < 0)
    goto end;
  if (reduction) {
    if ((status = make_room(reduction)) < 0)
      goto end;
    pass.total = reduction->value;
  }
  kiln__stop_open();
  if ((status = kiln__stop_close(run(&pass))) < 0)
    goto end;
  for (int32_t k = 0; k < p->n_steps; k++) {
    kiln_step *s = p->step[k];
    if (!s->joins && s != reduction)
      continue;
    s->ran = true;
    if (!s->value)
      continue;
    bytes += s->value->numel * kiln_dtype_size(s->value->dtype);
    publish(p, s);
  }
  if (KILN_UNLIKELY(start))
    kiln__profile("fused", start, bytes, p->node ? kiln_node_sequence(p->node) : -1);
end:
  if (status < 0)
    take_back(p, reduction);
  free(in);
  free(steps);
  return status;
}

/* Chooses the steps without which the reduction has no input. */
static void choose_for(kiln_program *p, const kiln_step *reduction) {
  for (int32_t k = 0; k < p->n_steps; k++)
    p->step[k]->joins = false;
  for (int32_t k = reduction->number; k >= 0; k--) {
    const kiln_step *s = p->step[k];
    for (int32_t i = 0; i < s->n_in && (s->joins || s == reduction); i++) {
      kiln_step *in = maker(p, s, i);
      if (in)
        in->joins = true;
    }
  }
}

/* Runs all steps of the leader's level and extent: a pass, and one more for each further sum. */
static int32_t run_group(kiln_program *p, const kiln_step *leader) {
  const kiln_meta shape = extent(p, leader);
  kiln_step *reduction = NULL;
  for (int32_t k = 0; k < p->n_steps; k++) {
    kiln_step *s = p->step[k];
    s->joins =
        s->needed && !s->ran && s->level == leader->level && same_extent(extent(p, s), shape);
    if (s->joins && kiln__is_reduction(s->op)) {
      s->joins = false;
      if (!reduction)
        reduction = s;
    }
  }
  int32_t status = run_pass(p, &shape, reduction);
  for (int32_t k = 0; k < p->n_steps && status >= 0; k++) {
    kiln_step *s = p->step[k];
    if (!kiln__is_reduction(s->op) || !s->needed || s->ran || s->level != leader->level ||
        !same_extent(extent(p, s), shape))
      continue;
    choose_for(p, s);
    status = run_pass(p, &shape, s);
  }
  return status;
}

static int32_t evaluate(kiln_program *p, kiln_step *only) {
  int32_t levels = plan(p, only), status = KILN_OK;
  for (int32_t level = 0; level < levels; level++) {
    for (int32_t k = 0; k < p->n_steps && status >= 0; k++) {
      const kiln_step *s = p->step[k];
      if (s->needed && !s->ran && s->level == level)
        status = run_group(p, s);
    }
  }
  return status;
}

int32_t kiln__program_flush(kiln_program *p) {
  int32_t status = evaluate(p, NULL);
  if (status >= 0 && p->node)
    status = kiln__program_record(p);
  if (status >= 0)
    kiln__program_clear(p);
  return status;
}

/* -- Putting off ------------------------------------------------------------------------------ */

static bool is_pending(const kiln_tensor *x) { return x->storage->pending != NULL; }

static bool is_whole_sum(const kiln_call *c) {
  const kiln_tensor *x = c->in[0];
  int32_t n = c->list[0].n;
  return kiln__is_reduction(c->op) && x && kiln__is_float(x->dtype) && (n <= 0 || n == x->ndim);
}

static bool is_step(const kiln_call *c) {
  const kiln_op_info *op = &kiln__ops[c->op];
  bool any = false;
  if (c->inplace || c->n_in < 1 || c->n_in > KILN_STEP_IN)
    return false;
  if (!(op->flags & KILN_F_POINTWISE) && c->op != KILN_OP_WHERE && c->op != KILN_OP_CAST &&
      c->op != KILN_OP_CLONE && !is_whole_sum(c))
    return false;
  for (int32_t i = 0; i < c->n_in; i++) {
    const kiln_tensor *x = c->in[i];
    if (!x || x->device != 0 || x->numel == 0)
      return false;
    any |= !(x->flags & KILN_T_NUMBER);
  }
  return any && op->n_attr <= KILN_STEP_ATTRS;
}

int32_t kiln__settle(const kiln_tensor *x) {
  kiln_program *p = kiln__fusing;
  if (!p || (x && !is_pending(x)))
    return KILN_OK;
  if (x && !p->node)
    return evaluate(p, x->storage->pending);
  return kiln__program_flush(p);
}

int32_t kiln__fuse_admit(const kiln_call *c) {
  kiln_program *p = kiln__fusing;
  int32_t status = KILN_OK;
  bool step = is_step(c);
  if (c->inplace || kiln__ops[c->op].flags & KILN_F_WRITES)
    return kiln__settle(NULL);
  if (step && p->depth > 0 && p->n_steps >= MOST_STEPS)
    status = kiln__program_flush(p);
  for (int32_t i = 0; i < c->n_in && status >= 0; i++) {
    const kiln_tensor *x = c->in[i];
    /* A result that became a leaf of the graph meanwhile is one for us as well. */
    bool own = x && (!x->node || x->node == p->node);
    if (x && is_pending(x) && !(step && own))
      status = kiln__settle(x);
  }
  return status < 0 ? status : step;
}

int32_t kiln__fuse_put_off(kiln_call *c, int32_t dtype, const kiln_meta *out) {
  kiln_program *p = kiln__fusing;
  kiln_step *s = new_step(p);
  if (!s)
    return KILN_ENOMEM;
  p->n_steps--; /* until it is whole */
  s->op = c->op;
  s->dtype = dtype;
  s->out = *out;
  s->n_in = c->n_in;
  memcpy(s->attr, c->attr, sizeof s->attr);
  for (int32_t i = 0; i < c->n_in; i++) {
    kiln_tensor *x = c->in[i];
    if (is_pending(x)) {
      s->in[i] = x->storage->pending->number;
      continue;
    }
    int32_t leaf = leaf_of(p, x);
    if (leaf < 0) {
      kiln__scratch_free(0, s, sizeof *s);
      return leaf;
    }
    s->in[i] = ~leaf;
  }
  c->out[0] = kiln__tensor_pending(out, s);
  if (!c->out[0]) {
    kiln__scratch_free(0, s, sizeof *s);
    return KILN_ENOMEM;
  }
  s->tensor = c->out[0];
  p->n_steps++;
  return KILN_OK;
}

int32_t kiln__fuse_record(kiln_call *c, const kiln_plan *plan) {
  kiln_program *p = kiln__fusing;
  kiln_tensor *x = c->out[0];
  kiln_step *s = x->storage->pending;
  if (plan->is_volatile)
    x->flags |= KILN_T_VOLATILE;
  if (plan->is_volatile || !plan->records || !kiln__is_float(x->dtype))
    return KILN_OK;
  if (!p->node && !(p->node = kiln__node_fused(MOST_STEPS)))
    return KILN_ENOMEM;
  for (int32_t i = 0; i < c->n_in; i++)
    s->wants |= (uint32_t)(plan->edges[i].node != NULL) << i;
  kiln__meta_of(x, &p->node->out_meta[s->number]);
  kiln__tensor_set_edge(x, p->node, s->number);
  return KILN_OK;
}

/* -- Fused functions --------------------------------------------------------------------------- */

int32_t kiln_fuse_begin(void) {
  if (!kiln__fusing)
    kiln__fusing = calloc(1, sizeof *kiln__fusing);
  if (!kiln__fusing)
    return kiln_fail(KILN_ENOMEM, "fuse: out of memory");
  return ++kiln__fusing->depth;
}

int32_t kiln_fuse_flush(void) {
  kiln_program *p = kiln__fusing;
  return p && p->depth == 1 ? kiln__program_flush(p) : KILN_OK;
}

bool kiln_fuse_is_pending(const kiln_tensor *x) { return is_pending(x); }

void kiln_fuse_end(void) {
  kiln_program *p = kiln__fusing;
  if (!p || --p->depth > 0)
    return;
  kiln__fusing = NULL;
  kiln__program_clear(p);
  free(p->step);
  free(p->leaf);
  free(p);
}
