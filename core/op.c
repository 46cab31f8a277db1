/* op.c: kiln_apply, the only road into a kernel: check, promote, infer, allocate, run, record.
** Recording, profiling, interrupts and in-place safety live here once and nowhere else.  check.c
** says what is wrong with a call, promote.c what it is computed in.  It refuses to know any op:
** what it needs stands in kiln__ops.
*/
#include "internal.h"
#include "stop.h"

enum { FEW = 24, HELD = 3, NUMBERS = 4 }; /* HELD: temporaries an input may need */

/* What one call borrows and must give back. */
typedef struct frame {
  kiln_tensor **in, *few_in[FEW];     /* inputs as the kernel gets them */
  kiln_tensor **held, *few_held[FEW]; /* temporaries: from elsewhere, cast, laid out */
  kiln_tensor *target; /* the tensor an in-place call writes, when out[0] is not it */
  int32_t n_held;
  int32_t n_numbers;
  kiln_tensor number[NUMBERS];
  kiln_storage number_storage[NUMBERS];
  double number_data[NUMBERS];
} frame;

static int32_t hold(frame *f, kiln_tensor *x) {
  if (!x)
    return KILN_ENOMEM;
  f->held[f->n_held++] = x;
  return KILN_OK;
}

static int32_t apply(kiln_call *c);

/* Runs another op out of sight of recording and of the caller's pool. */
static kiln_tensor *quiet(int32_t op, kiln_tensor *x, int64_t attr) {
  kiln_tensor *in[] = {x};
  kiln_call c = {.op = op, .n_in = 1, .in = in, .attr = {{.i = attr}}};
  kiln_pool pool;
  kiln_program *fusing = kiln__fusing;
  bool was = kiln_set_grad_enabled(false), in_place = kiln__writes_in_place;
  kiln__writes_in_place = false;
  kiln__fusing = NULL;
  kiln__pool_open(&pool);
  int32_t status = apply(&c); /* what fails is named after the op that the user called */
  kiln_tensor *y = status < 0 ? NULL : kiln_tensor_retain(c.out[0]);
  kiln__pool_close(&pool);
  kiln__fusing = fusing;
  kiln__writes_in_place = in_place;
  kiln_set_grad_enabled(was);
  return y;
}

/* A copy between devices that moves bytes and nothing else. */
static bool is_transfer(const kiln_call *c) {
  if (c->op != KILN_OP_COPY)
    return false;
  const kiln_tensor *x = c->in[0], *src = c->in[1];
  return x->device != src->device && x->dtype == src->dtype && kiln__same_shape(x, src) &&
         kiln__is_contiguous(x) && kiln__is_contiguous(src);
}

/* `late`: pinned memory of the CPU may be read or written after this returns. */
static int32_t transfer(kiln_tensor *dst, const kiln_tensor *src, bool late) {
  const kiln_tensor *host = dst->device == 0 ? dst : src;
  int64_t bytes = src->numel * kiln_dtype_size(src->dtype);
  if (late && host->device == 0 && host->storage->pinned) {
    int32_t device = dst->device > 0 ? dst->device : src->device;
    return kiln__backend(device)->accelerator->copy_async(kiln__data(dst), dst->device,
                                                          kiln__data(src), src->device, bytes);
  }
  return kiln__copy_bytes(kiln__data(dst), dst->device, kiln__data(src), src->device, bytes);
}

/* x as a contiguous tensor on another device. */
static kiln_tensor *moved(kiln_tensor *x, int32_t device) {
  kiln_tensor *from = kiln__is_contiguous(x) ? kiln_tensor_retain(x) : quiet(KILN_OP_CLONE, x, 0);
  if (!from)
    return NULL;
  kiln_tensor *y = kiln_tensor_new(x->shape, x->ndim, x->dtype, device);
  if (y && transfer(y, from, false) < 0) {
    kiln_tensor_release(y);
    y = NULL;
  }
  kiln_tensor_release(from);
  return y;
}

static int32_t write_into(kiln_tensor *dst, kiln_tensor *src) {
  kiln_tensor *in[] = {dst, src};
  kiln_call c = {
      .op = KILN_OP_COPY, .n_in = 2, .n_out = 1, .inplace = true, .in = in, .out = {dst}};
  const kiln_slot *k = &kiln__backend(dst->device)->table[KILN_OP_COPY][dst->dtype];
  return k->run(&c);
}

/* -- Inputs -------------------------------------------------------------------------------- */

/* A number in the dtype of the computation, on the stack. */
static kiln_tensor *number_as(frame *f, const kiln_tensor *x, int32_t dtype) {
  int32_t k = f->n_numbers++;
  f->number_storage[k] = (kiln_storage){.refs = 1, .data = (char *)&f->number_data[k], .bytes = 8};
  kiln_tensor *y = &f->number[k];
  y->refs = 1;
  y->dtype = (uint8_t)dtype;
  y->flags = KILN_T_NUMBER;
  y->ndim = 0;
  y->device = 0;
  y->offset = 0;
  y->numel = 1;
  y->storage = &f->number_storage[k];
  y->base = NULL;
  y->node = NULL;
  y->grad = NULL;
  kiln_convert(&f->number_data[k], dtype, kiln__data(x), x->dtype, 1);
  return y;
}

static int32_t cast_inputs(const kiln_call *c, const kiln_op_info *op, frame *f, int32_t dtype,
                           bool widens) {
  bool variadic = op->flags & KILN_F_VARIADIC;
  for (int32_t i = 0; i < c->n_in; i++) {
    kiln_tensor *x = f->in[i];
    if (!x || x->dtype == dtype || !(variadic || op->promotes >> i & 1))
      continue;
    if (widens && dtype == KILN_INT64 && !kiln__is_float(x->dtype))
      continue;
    if (c->inplace && i == 0 && op->flags & KILN_F_OVERWRITES)
      continue;
    if (x->flags & KILN_T_NUMBER && f->n_numbers < NUMBERS) {
      f->in[i] = number_as(f, x, kiln__number_dtype(op, dtype));
    } else {
      kiln_tensor *y = quiet(KILN_OP_CAST, x, dtype);
      if (hold(f, y) < 0)
        return KILN_ENOMEM;
      f->in[i] = y;
    }
  }
  return KILN_OK;
}

/* The kernel for this dtype, or float32's where a half has none of its own. */
static const kiln_slot *find_kernel(const kiln_call *c, int32_t device, int32_t *dtype) {
  const kiln_slot *row = kiln__backend(device)->table[c->op];
  if (row[*dtype].run)
    return &row[*dtype];
  if (kiln__is_half(*dtype) && row[KILN_FLOAT32].run) {
    *dtype = KILN_FLOAT32;
    return &row[KILN_FLOAT32];
  }
  const char *name = kiln_dtype_name(*dtype);
  const kiln_slot *cpu = kiln__backend(0)->table[c->op];
  if (device > 0 && (cpu[*dtype].run || (kiln__is_half(*dtype) && cpu[KILN_FLOAT32].run)))
    kiln__fail_op(c->op, KILN_EARG, "%s has no kernel for %s", kiln__backend(device)->name, name);
  else
    kiln__fail_op(c->op, KILN_EARG, "does not take %s on %s", name, kiln__backend(device)->name);
  return NULL;
}

/* Brings inputs to the device that computes, or to the CPU if that is where the row wants them.
** Pointwise kernels and writes read single numbers of the CPU as they are. */
static int32_t move_inputs(const kiln_call *c, const kiln_op_info *op, frame *f, int32_t device) {
  bool reads_numbers = op->flags & (KILN_F_POINTWISE | KILN_F_OVERWRITES);
  for (int32_t i = 0; i < c->n_in; i++) {
    kiln_tensor *x = f->in[i];
    int32_t where = kiln__stays(op, i) ? 0 : device;
    if (!x || x->device == where || (reads_numbers && x->device == 0 && x->ndim == 0))
      continue;
    kiln_tensor *y = moved(x, where);
    if (hold(f, y) < 0)
      return KILN_ENOMEM;
    f->in[i] = y;
  }
  return KILN_OK;
}

/* Whether input i may see what is written to x while it is still being read. */
static bool may_alias(const kiln_tensor *x, const kiln_tensor *y, bool pointwise) {
  return y->storage == x->storage && !(pointwise && kiln__same_view(x, y));
}

/* -- The call ------------------------------------------------------------------------------ */

static int32_t run_view(kiln_call *c, const kiln_op_info *op) {
  kiln_geometry g;
  int32_t status = op->view(c, &g);
  if (status < 0)
    return status;
  c->out[0] = kiln__tensor_view(c->in[0], &g);
  if (!c->out[0])
    return KILN_ENOMEM;
  if (op->flags & KILN_F_CUTS) {
    kiln_tensor *base = c->out[0]->base;
    c->out[0]->base = NULL;
    kiln_tensor_release(base);
  }
  return KILN_OK;
}

static void mark_written(kiln_tensor *x, int32_t op) {
  x->storage->version++;
  x->storage->writer = op;
  x->storage->trace = (int32_t)kiln__trace();
}

/* Runs a kernel whose outputs nobody has seen. */
static int32_t run(const kiln_slot *k, kiln_call *c) {
  kiln__stop_open();
  return kiln__stop_close(k->run(c));
}

/* put_off: the call is to be noted instead, if the kernel needs no detour. */
static int32_t run_kernel(kiln_call *c, const kiln_op_info *op, frame *f, bool put_off) {
  int32_t out_dtype[KILN_MAX_OUT];
  kiln_meta out[KILN_MAX_OUT];
  int32_t common = kiln__decide_dtypes(c, op, out_dtype);
  int32_t device = 0;
  for (int32_t i = 0; i < (op->flags & KILN_F_OVERWRITES ? 1 : c->n_in); i++) {
    if (c->in[i] && c->in[i]->device > device && !kiln__stays(op, i))
      device = c->in[i]->device;
  }
  for (int32_t k = 0; c->n_in == 0 && k < op->n_attr; k++) {
    if (strcmp(op->attr_names[k], "device") == 0)
      device = (int32_t)c->attr[k].i;
  }
  if (device < 0 || !kiln__backend(device)) {
    return kiln__fail_op(c->op, KILN_EARG, "there is no %s", kiln__device_text(device));
  }
  for (int32_t i = 0; i < c->n_out; i++) {
    out[i].dtype = (uint8_t)out_dtype[i];
    out[i].device = (uint8_t)device;
  }

  bool writes_inputs = op->flags & KILN_F_WRITES && op->flags & KILN_F_VARIADIC;
  int32_t status = op->shape(c, out);
  if (status < 0 || (status = kiln__check_stored(c)) < 0)
    return status;
  if (c->inplace && !writes_inputs && (status = kiln__check_target(c, out)) < 0)
    return status;

  if (c->inplace && is_transfer(c)) {
    if ((status = transfer(c->in[0], c->in[1], c->attr[0].i)) < 0)
      return status;
    c->out[0] = c->in[0];
    mark_written(c->in[0], c->op);
    return KILN_OK;
  }
  int32_t run_dtype = common;
  const kiln_slot *k = find_kernel(c, device, &run_dtype);
  if (!k)
    return KILN_EARG;
  int32_t fraction = op->scales && !kiln__is_float(common) ? kiln__find_fraction(c, op) : -1;
  if (fraction >= 0) {
    return kiln__fail_op(c->op, KILN_EARG, "%s is %.14g, which %s cannot hold",
                         op->attr_names[fraction], c->attr[fraction].f, kiln_dtype_name(common));
  }
  bool detour = run_dtype != common; /* a half computed in float32 */
  if (KILN_UNLIKELY(put_off)) {
    if (!detour)
      return kiln__fuse_put_off(c, common, out);
    for (int32_t i = 0; i < c->n_in; i++) {
      if ((status = kiln__settle(c->in[i])) < 0)
        return status;
    }
  }
  if ((status = move_inputs(c, op, f, device)) < 0)
    return status;
  if ((status = cast_inputs(c, op, f, run_dtype, k->flags & KILN_K_WIDENS)) < 0)
    return status;

  bool pointwise = op->flags & KILN_F_POINTWISE;
  bool overwrites = c->inplace && op->flags & KILN_F_OVERWRITES;
  kiln_tensor *target = c->inplace && !writes_inputs ? c->in[0] : NULL;
  for (int32_t i = 0; i < c->n_in; i++) {
    kiln_tensor *x = f->in[i];
    if (!x || (overwrites && i == 0))
      continue;
    bool copy = (k->flags & KILN_K_CONTIGUOUS && !kiln__is_contiguous(x)) ||
                (k->flags & KILN_K_DENSE_ROWS && !kiln__has_dense_rows(x)) ||
                (target && i > 0 && x == c->in[i] && may_alias(target, x, pointwise));
    if (!copy)
      continue;
    kiln_tensor *y = quiet(KILN_OP_CLONE, x, 0);
    if (hold(f, y) < 0)
      return KILN_ENOMEM;
    f->in[i] = y;
  }

  /* Outputs: the target itself where the kernel can write it, else a fresh tensor. */
  bool direct = false;
  if (target) {
    direct = target->dtype == (detour && out[0].dtype == common ? run_dtype : out[0].dtype) &&
             (pointwise || overwrites || k->flags & KILN_K_IN_PLACE) &&
             (k->flags & KILN_K_STRIDED_OUT || kiln__is_contiguous(target));
    if (overwrites)
      out[0].dtype = target->dtype;
  }
  for (int32_t i = 0; i < c->n_out && !writes_inputs; i++) {
    if (i == 0 && direct) {
      c->out[0] = target;
      continue;
    }
    if (detour && out[i].dtype == common)
      out[i].dtype = (uint8_t)run_dtype;
    c->out[i] = kiln__tensor_like(&out[i]);
    if (!c->out[i])
      return KILN_ENOMEM;
  }
  if (target && !direct)
    f->target = target;
  if (op->flags & KILN_F_RANDOM) {
    int64_t n = 0;
    for (int32_t i = 0; i < c->n_out; i++)
      if (c->out[i]->numel > n)
        n = c->out[i]->numel;
    for (int32_t i = 0; i < c->n_in; i++)
      if (c->in[i] && c->in[i]->numel > n)
        n = c->in[i]->numel;
    kiln__rng_take(device, (uint64_t)n, &c->seed, &c->sequence);
  }

  if (KILN_UNLIKELY(kiln__capturing != NULL) && (status = kiln__capture_use(c->in, c->n_in)) < 0)
    return status;

  kiln_tensor **given = c->in;
  bool may_stop = !writes_inputs && (!c->inplace || f->target);
  c->in = f->in;
  status = may_stop ? run(k, c) : k->run(c);
  c->in = given;
  if (status >= 0 && !c->inplace && KILN_UNLIKELY(kiln__interrupted()))
    status = KILN_EINTR; /* a long one: nothing was written that anybody knows of */
  if (status < 0)
    return status;

  if (writes_inputs) {
    for (int32_t i = 0; i < c->n_in; i++) {
      if (!c->in[i])
        continue;
      if (f->in[i] != c->in[i] && (status = write_into(c->in[i], f->in[i])) < 0)
        return status;
      c->in[i]->storage->version++;
      c->in[i]->storage->writer = c->op;
      c->in[i]->storage->trace = (int32_t)kiln__trace();
    }
    return KILN_OK;
  }
  if (f->target) {
    if ((status = write_into(target, c->out[0])) < 0)
      return status;
    kiln_tensor_release(c->out[0]);
    c->out[0] = target;
    f->target = NULL;
  }
  for (int32_t i = target ? 1 : 0; i < c->n_out && detour; i++) {
    if (c->out[i]->dtype != run_dtype || out_dtype[i] != common)
      continue;
    kiln_tensor *y = quiet(KILN_OP_CAST, c->out[i], common);
    if (!y)
      return KILN_ENOMEM;
    kiln_tensor_release(c->out[i]);
    c->out[i] = y;
  }
  if (target)
    mark_written(target, c->op);
  return KILN_OK;
}

static int64_t bytes_of(const kiln_call *c) {
  int64_t bytes = 0;
  for (int32_t i = 0; i < c->n_out; i++) {
    if (c->out[i])
      bytes += c->out[i]->numel * kiln_dtype_size(c->out[i]->dtype);
  }
  return bytes;
}

/* The case that small ops are made of: pointwise, CPU, inputs of one dtype and shape, a kernel of
** their own.  1 when it is not that; else what run_kernel would have done. */
static int32_t run_plain(kiln_call *c, const kiln_op_info *op) {
  const kiln_tensor *x = c->in[0];
  for (int32_t i = 1; i < c->n_in; i++) {
    const kiln_tensor *y = c->in[i];
    if (y->dtype != x->dtype || y->flags & KILN_T_NUMBER || y->ndim != x->ndim || y->device)
      return 1;
    for (int32_t d = 0; d < x->ndim; d++) {
      if (x->shape[d] != y->shape[d])
        return 1;
    }
  }
  if (x->flags & KILN_T_NUMBER || x->device || (op->scales && !kiln__is_float(x->dtype)))
    return 1;
  bool is_bool = op->dtype_rule == KILN_RULE_BOOL;
  if (!is_bool && op->dtype_rule != KILN_RULE_SAME && !kiln__is_float(x->dtype))
    return 1;
  const kiln_slot *k = &kiln__backend(0)->table[c->op][x->dtype];
  if (!k->run || k->flags & KILN_K_CONTIGUOUS)
    return 1;
  c->out[0] = kiln__tensor_as(x, is_bool ? KILN_BOOL : x->dtype);
  return c->out[0] ? run(k, c) : KILN_ENOMEM;
}

static int32_t dispatch(kiln_call *c) {
  int32_t status;
  if (KILN_LIKELY(!c->inplace)) {
    if (KILN_UNLIKELY(kiln__autocasting) && kiln__ops[c->op].flags & (KILN_F_LOW | KILN_F_WIDE))
      status = kiln__apply_autocast(c);
    else
      status = apply(c);
    if (KILN_UNLIKELY(status < 0))
      kiln__name_error(c->op);
    return status;
  }
  bool was = kiln__writes_in_place;
  kiln__writes_in_place = true;
  status = apply(c);
  if (KILN_UNLIKELY(status < 0))
    kiln__name_error(c->op);
  kiln__writes_in_place = was;
  return status;
}

/* In a capture; the outermost op is the one that messages name. */
static int32_t apply_captured(kiln_call *c) {
  bool outermost = kiln__capture_enter(c->op);
  int32_t status = dispatch(c);
  if (outermost)
    kiln__capture_leave();
  return status;
}

int32_t kiln_apply(kiln_call *c) {
  if (KILN_UNLIKELY(kiln__capturing != NULL))
    return apply_captured(c);
  return dispatch(c);
}

static int32_t apply(kiln_call *c) {
  const kiln_op_info *op = &kiln__ops[c->op];
  int64_t start = KILN_UNLIKELY(kiln__profiling) ? kiln__now_ns() : 0;
  frame f;
  kiln_plan plan;
  kiln_tensor *self = NULL;
  bool planned = false;
  int32_t status;

  f.n_held = f.n_numbers = 0;
  f.target = NULL;
  f.in = f.few_in;
  f.held = f.few_held;
  c->n_out = op->flags & KILN_F_WRITES && op->flags & KILN_F_VARIADIC ? 0 : op->n_out;
  for (int32_t i = 0; i < KILN_MAX_OUT; i++)
    c->out[i] = NULL;
  if (KILN_UNLIKELY(kiln__interrupted()))
    return KILN_EINTR;
  if ((status = kiln__check_inputs(c)) < 0)
    return status;
  if ((op->axes || op->axis_lists) && (status = kiln__check_axes(c)) < 0)
    return status;
  if (op->dtype_attr >= 0 &&
      (c->attr[op->dtype_attr].i < 0 || c->attr[op->dtype_attr].i >= KILN_DTYPE_COUNT)) {
    return kiln__fail_op(c->op, KILN_EARG, "no dtype %lld", (long long)c->attr[op->dtype_attr].i);
  }
  int32_t put_off = KILN_UNLIKELY(kiln__fusing) ? kiln__fuse_admit(c) : 0;
  if (put_off < 0)
    return put_off;
  if (HELD * c->n_in > FEW) {
    f.in = malloc((size_t)c->n_in * sizeof *f.in);
    f.held = malloc((size_t)c->n_in * HELD * sizeof *f.held);
    if (!f.in || !f.held) {
      status = kiln__fail_op(c->op, KILN_ENOMEM, "out of memory for %d inputs", c->n_in);
      goto end;
    }
  }

  if ((status = kiln__plan(c, &plan)) < 0)
    goto end;
  planned = true;
  if (plan.keep_self) {
    self = quiet(KILN_OP_CLONE, c->in[0], 0);
    if (!self)
      status = KILN_ENOMEM;
  }
  if (status >= 0 && op->flags & KILN_F_VIEW) {
    status = run_view(c, op);
  } else if (status >= 0) {
    bool plain = op->flags & KILN_F_POINTWISE && !c->inplace && !put_off;
    status = plain ? run_plain(c, op) : 1;
    if (status > 0) {
      for (int32_t i = 0; i < c->n_in; i++)
        f.in[i] = c->in[i];
      status = run_kernel(c, op, &f, put_off);
    }
  }
  if (status >= 0 && kiln__is_number_only(c, op))
    c->out[0]->flags |= KILN_T_NUMBER;
  if (status >= 0) {
    bool noted = put_off && c->out[0]->storage->pending;
    status = noted ? kiln__fuse_record(c, &plan) : kiln__record(c, &plan, self);
    if (KILN_UNLIKELY(plan.is_derived))
      kiln__mark_derived(c);
  }
  if (status >= 0 && KILN_UNLIKELY(start)) {
    kiln_node *n = c->n_out > 0 ? c->out[0]->node : NULL;
    kiln__profile(op->name, start, bytes_of(c), n && plan.records ? n->sequence : -1);
  }

end:
  if (planned)
    kiln__plan_end(c, &plan);
  kiln_tensor_release(self);
  for (int32_t i = 0; i < f.n_held; i++)
    kiln_tensor_release(f.held[i]);
  if (f.in != f.few_in)
    free(f.in);
  if (f.held != f.few_held)
    free(f.held);
  if (status >= 0)
    return c->inplace ? status : kiln__pool_add(c->out, c->n_out);
  for (int32_t i = 0; i < c->n_out; i++) {
    if (c->out[i] && !(c->inplace && c->out[i] == c->in[0]))
      kiln_tensor_release(c->out[i]);
    c->out[i] = NULL;
  }
  return status;
}
