/* elementwise.cu: every pointwise op: one kernel an op and type to compute in, made from the
** generated list of rows (pointwise.h).  Kernels see operands that are contiguous, constant, or one
** run of elements repeated (any common broadcast); what is not is copied into that form.  It
** refuses to know what the ops compute.
*/
#include "copy.h"
#include "typed.h"

#include <math.h>

/* One expression serves every type: x < 0 of an unsigned one, x != x of an integer are meant. */
#ifdef __CUDACC__
#pragma nv_diag_suppress 186
#else
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wtautological-compare"
#pragma GCC diagnostic ignored "-Wint-in-bool-context"
#pragma GCC diagnostic ignored "-Wbool-operation"
#endif

/* Elements of a launch in which some operand repeats itself: positions are divided in 32 bits. */
#ifndef KILN_NARROW_NUMEL
#define KILN_NARROW_NUMEL (1 << 30)
#endif

enum { INPUTS = 4, PARAMETERS = 4 };

typedef enum operand_kind {
  NUMBER,  /* `value` */
  ALIGNED, /* element i is data[i], and packs of a thread's elements may be loaded at once */
  REPEATED /* element i is data[i / inner % size * step]; inner and size by multiplication */
} operand_kind;

typedef struct operand {
  operand_kind kind;
  const char *data;
  uint64_t value; /* the bytes of one element, of a half as a float */
  kiln_divisor inner, size;
  int64_t step;
} operand;

typedef struct pointwise_call {
  int64_t numel;
  int32_t dtype; /* of the elements in memory: a half where float is computed in */
  bool aligned;  /* the output may be stored in packs */
  operand in[INPUTS];
  char *out;
  kiln_attr par[PARAMETERS];
} pointwise_call;

/* Elements of a thread, of a block. */
enum { SHARE = 4, BLOCK = SHARE * KILN_BLOCK };

/* What the address of a pack of elements of `size` bytes is a multiple of: one instruction loads 16
** bytes at most. */
static constexpr size_t pack_alignment(size_t size) {
  return size * SHARE < 16 ? size * SHARE : 16;
}

template <class T> struct alignas(pack_alignment(sizeof(T))) pack { T v[SHARE]; };

/* -- Kernels --------------------------------------------------------------------------------------
 */

/* v[j]: element first + j of an input, for j < SHARE; beyond the last it is anything. */
template <class T>
KILN_BULK void load(const pointwise_call &c, const operand &x, int64_t first,
                    KILN_V(T) (&v)[SHARE]) {
  typedef kiln_type<T> type;
  const T *data = (const T *)x.data;
  if (x.kind == ALIGNED && first + SHARE <= c.numel) {
    const pack<T> p = ((const pack<T> *)data)[first / SHARE];
    KILN_UNROLL
    for (int j = 0; j < SHARE; j++)
      v[j] = type::load(p.v[j]);
  } else if (x.kind == NUMBER) {
    KILN_V(T) number;
    memcpy(&number, &x.value, sizeof number);
    KILN_UNROLL
    for (int j = 0; j < SHARE; j++)
      v[j] = number;
  } else {
    KILN_UNROLL
    for (int j = 0; j < SHARE; j++) {
      const int64_t e = first + j < c.numel ? first + j : first;
      int64_t at = e;
      if (x.kind == REPEATED) {
        const uint32_t q = kiln_divide((uint32_t)e, x.inner);
        at = (int64_t)(q - kiln_divide(q, x.size) * x.size.by) * x.step;
      }
      v[j] = type::load(data[at]);
    }
  }
}

template <class T, int N>
KILN_BULK void load_inputs(const pointwise_call &c, int64_t first, KILN_V(T) (&a)[N][SHARE]) {
  KILN_UNROLL
  for (int k = 0; k < N; k++)
    load<T>(c, c.in[k], first, a[k]);
}

template <class T>
KILN_BULK void store(const pointwise_call &c, int64_t first, const KILN_V(T) (&y)[SHARE]) {
  pack<T> p;
  KILN_UNROLL
  for (int j = 0; j < SHARE; j++)
    p.v[j] = kiln_type<T>::store(y[j]);
  if (c.aligned && first + SHARE <= c.numel) {
    ((pack<T> *)c.out)[first / SHARE] = p;
    return;
  }
  KILN_UNROLL
  for (int j = 0; j < SHARE; j++) {
    if (first + j < c.numel)
      ((T *)c.out)[first + j] = p.v[j];
  }
}

/* Memory of the type that is computed in, or of a half where that is float. */
template <class V> struct memory {
  template <int N> KILN_INLINE void get(const pointwise_call &c, int64_t first, V (&a)[N][SHARE]) {
    load_inputs<V, N>(c, first, a);
  }
  KILN_INLINE void put(const pointwise_call &c, int64_t first, const V (&y)[SHARE]) {
    store<V>(c, first, y);
  }
};
template <> struct memory<float> {
  template <int N>
  KILN_INLINE void get(const pointwise_call &c, int64_t first, float (&a)[N][SHARE]) {
    if (c.dtype == KILN_FLOAT32)
      load_inputs<float, N>(c, first, a);
    else if (c.dtype == KILN_FLOAT16)
      load_inputs<kiln_f16, N>(c, first, a);
    else
      load_inputs<kiln_bf16, N>(c, first, a);
  }
  KILN_INLINE void put(const pointwise_call &c, int64_t first, const float (&y)[SHARE]) {
    if (c.dtype == KILN_FLOAT32)
      store<float>(c, first, y);
    else if (c.dtype == KILN_FLOAT16)
      store<kiln_f16>(c, first, y);
    else
      store<kiln_bf16>(c, first, y);
  }
};

/* V: what is computed in; R: what comes of it, V or bool. */
template <class Op, class V, class R>
static __global__ void __launch_bounds__(KILN_BLOCK) pointwise_kernel(const pointwise_call c) {
  enum { N = Op::inputs };
  const int64_t first = kiln_thread() * SHARE;
  V a[N][SHARE];
  R y[SHARE];
  if (first >= c.numel)
    return;
  memory<V>::get(c, first, a);
  const V p0 = Op::parameter(c.par[0]), p1 = Op::parameter(c.par[1]);
  const V p2 = Op::parameter(c.par[2]), p3 = Op::parameter(c.par[3]);
  KILN_UNROLL
  for (int j = 0; j < SHARE; j++) {
    y[j] = Op::at(a[0][j], a[N > 1 ? 1 : 0][j], a[N > 2 ? 2 : 0][j], a[N > 3 ? 3 : 0][j], p0, p1,
                  p2, p3);
  }
  memory<R>::put(c, first, y);
}

/* -- The kernels of all rows ----------------------------------------------------------------------
 */

#define KILN_PASS_FUNCTIONS
#define EACH "../../cuda/pointwise.h"
#include "../core/cpu/each.h"
#undef KILN_PASS_FUNCTIONS

typedef void (*pointwise_fn)(pointwise_call c);

/* at[op][dtype that is computed in]. */
static struct kernel_table {
  pointwise_fn at[KILN_OP_COUNT][KILN_DTYPE_COUNT];
  kernel_table() : at() {
#define EACH "../../cuda/pointwise.h"
#include "../core/cpu/each.h"
  }
} kernels;

/* -- The host's part ------------------------------------------------------------------------------
 */

/* x^2 and the like with one exponent for all: the op that computes the same faster. */
static int32_t cheaper_power(const kiln_call *c) {
  const kiln_tensor *y = c->in[1];
  double v;
  if (y->numel != 1 || y->device != 0 || y->dtype > KILN_BFLOAT16)
    return c->op;
  kiln_convert(&v, KILN_FLOAT64, kiln__data(y), y->dtype, 1);
  return v == 2 ? KILN_OP_SQUARE : v == 0.5 ? KILN_OP_SQRT : v == -1 ? KILN_OP_RECIPROCAL : c->op;
}

static bool is_half(int32_t dtype) { return dtype == KILN_FLOAT16 || dtype == KILN_BFLOAT16; }

static bool is_aligned(const void *p, int64_t size) {
  return (uintptr_t)p % pack_alignment((size_t)size) == 0;
}

/* Input k of the walk, whose output lies one element after the other, as the kernels want it;
** false where it has to be copied first. */
static bool describe(const kiln_nd *it, int32_t k, const kiln_tensor *x, operand *o) {
  const int64_t size = kiln__size_of(x->dtype), *stride = it->stride[k];
  int64_t inner = 1, run = 1;
  o->data = it->data[k];
  if (x->device == 0) {
    o->kind = NUMBER;
    if (is_half(x->dtype))
      kiln_convert(&o->value, KILN_FLOAT32, o->data, x->dtype, 1);
    else
      memcpy(&o->value, o->data, (size_t)size);
    return true;
  }
  if (kiln__nd_is_linear(it, k, size)) {
    o->kind = ALIGNED;
    if (is_aligned(o->data, size))
      return true;
  }
  if (it->numel > KILN_NARROW_NUMEL)
    return false;
  int32_t d = it->ndim - 1;
  for (; d >= 0 && stride[d] == 0; d--)
    inner *= it->shape[d];
  o->step = d >= 0 ? stride[d] / size : 0;
  for (; d >= 0 && stride[d] == o->step * size * run; d--)
    run *= it->shape[d];
  for (; d >= 0; d--) {
    if (stride[d] != 0)
      return false;
  }
  o->kind = REPEATED;
  o->inner = kiln_divisor_of(inner);
  o->size = kiln_divisor_of(run);
  return true;
}

/* Memory that stands in for a tensor's, with its shape and strides; NULL after an error. */
typedef struct stand_in {
  kiln_tensor x;
  kiln_storage storage;
} stand_in;

static kiln_tensor *stand_in_for(stand_in *s, const kiln_tensor *like, int32_t dtype, bool plain) {
  int64_t step = 1;
  s->x = *like;
  s->x.dtype = (uint8_t)dtype;
  s->x.storage = &s->storage;
  s->x.offset = 0;
  for (int32_t d = like->ndim - 1; d >= 0 && plain; d--) {
    s->x.stride[d] = step;
    step *= like->shape[d];
  }
  s->storage = kiln_storage{};
  s->storage.device = like->device;
  s->storage.bytes = like->numel * kiln__size_of(dtype);
  s->storage.data = (char *)kiln__scratch(like->device, s->storage.bytes);
  return s->storage.data ? &s->x : NULL;
}

static void stand_in_free(stand_in *s) {
  if (s->storage.data)
    kiln__scratch_free(s->storage.device, s->storage.data, s->storage.bytes);
}

/* The call with an output that is dense, in whatever order of its dims. */
static int32_t run(const kiln_call *c, int32_t op, int32_t inputs, const kiln_tensor *out) {
  pointwise_call p = {};
  stand_in copies[INPUTS] = {};
  kiln_nd it = {};
  int32_t status = KILN_OK;
  kiln__nd_add(&it, out);
  for (int32_t k = 0; k < inputs; k++)
    kiln__nd_add(&it, c->in[k]);
  kiln__nd_simplify(&it);
  for (int32_t k = 0; k < inputs && status == KILN_OK; k++) {
    const kiln_tensor *x = c->in[k];
    if (describe(&it, k + 1, x, &p.in[k]))
      continue;
    const kiln_tensor *y = stand_in_for(&copies[k], out, x->dtype, false);
    status = y ? kiln__cuda_write(y, x) : KILN_ENOMEM;
    p.in[k].kind = ALIGNED;
    p.in[k].data = copies[k].storage.data;
  }
  p.numel = out->numel;
  p.dtype = c->in[0]->dtype;
  for (int32_t k = 1; k < inputs && !is_half(p.dtype); k++) /* beside a half a number is a float */
    p.dtype = is_half(c->in[k]->dtype) ? c->in[k]->dtype : p.dtype;
  p.out = (char *)kiln__data(out);
  p.aligned = is_aligned(p.out, kiln__size_of(out->dtype));
  memcpy(p.par, c->attr, sizeof p.par);
  if (status == KILN_OK) {
    const pointwise_fn kernel = kernels.at[op][is_half(p.dtype) ? KILN_FLOAT32 : p.dtype];
    KILN_LAUNCH(kernel, (unsigned)((p.numel + BLOCK - 1) / BLOCK), KILN_BLOCK, 0,
                kiln__cuda_stream(out->device), p);
    status = kiln__cuda_launched("pointwise");
  }
  for (int32_t k = 0; k < inputs; k++)
    stand_in_free(&copies[k]);
  return status;
}

static int32_t pointwise(const kiln_call *c) {
  const kiln_tensor *out = c->out[0];
  int32_t op = c->op, inputs = c->n_in;
  if (out->numel == 0)
    return KILN_OK;
  if (op == KILN_OP_POW) {
    op = cheaper_power(c);
    inputs = op == c->op ? inputs : 1;
  }
  kiln_nd it = {};
  kiln__nd_add(&it, out);
  kiln__nd_simplify(&it);
  if (kiln__nd_is_linear(&it, 0, kiln__size_of(out->dtype)))
    return run(c, op, inputs, out);
  stand_in result = {};
  const kiln_tensor *y = stand_in_for(&result, out, out->dtype, true);
  int32_t status = y ? run(c, op, inputs, y) : KILN_ENOMEM;
  if (status == KILN_OK)
    status = kiln__cuda_write(out, y);
  stand_in_free(&result);
  return status;
}

/* The types that a row has kernels for. */
#define FLOAT_TYPES (KILN_D_FLOAT | KILN_D_HALF)
#define INT_TYPES KILN_D_INT
#define WHOLE_TYPES (KILN_D_INT | KILN_D_BOOL)
#define REAL_TYPES (KILN_D_REAL | KILN_D_HALF)
#define ALL_TYPES KILN_D_ALL
#define ENTRY(E, TYPES) {KILN_OP_##E, TYPES##_TYPES, KILN_K_STRIDED_OUT, pointwise},
#define KILN_PW1(E, name, TYPES, OUT, EXPR) ENTRY(E, TYPES)
#define KILN_PW2(E, name, TYPES, OUT, EXPR) ENTRY(E, TYPES)
#define KILN_PW3(E, name, TYPES, OUT, EXPR) ENTRY(E, TYPES)
#define KILN_PW4(E, name, TYPES, OUT, EXPR) ENTRY(E, TYPES)

const kiln_entry kiln__cuda_elementwise[] = {
#include "kiln_pointwise.h"
};
const int32_t kiln__cuda_elementwise_n =
    sizeof kiln__cuda_elementwise / sizeof *kiln__cuda_elementwise;
