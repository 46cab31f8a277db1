/* cudnn.c: convolutions by cuDNN's graph interface.
**
** An execution plan is made once for each convolution and kept: the first engine that the
** library's heuristics name which sums in a fixed order and, unless TF32 is allowed, keeps float32
** exact.  The library is opened when the first convolution comes.  It refuses everything else that
** cuDNN does: our own kernels do that.
*/
#include "conv.h"

#ifndef KILN_CUDNN /* emulated, or built without its headers */

int32_t kiln__cudnn_conv(const kiln_conv *g, int32_t which, int32_t device, int32_t dtype, void *a,
                         void *w, void *b) {
  (void)g, (void)which, (void)device, (void)dtype, (void)a, (void)w, (void)b;
  return 0;
}

#else
#include "library.h"
#include "plans.h"

#include <cudnn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS(X)                                                                               \
  X(cudnnBackendCreateDescriptor)                                                                  \
  X(cudnnBackendDestroyDescriptor)                                                                 \
  X(cudnnBackendExecute)                                                                           \
  X(cudnnBackendFinalize)                                                                          \
  X(cudnnBackendGetAttribute)                                                                      \
  X(cudnnBackendSetAttribute)                                                                      \
  X(cudnnCreate)                                                                                   \
  X(cudnnGetLastErrorString)                                                                       \
  X(cudnnSetStream)

enum { DEVICES = 17, MOST_ENGINES = 32, MADE = 16 };

typedef cudnnBackendDescriptor_t descriptor;

/* Compared as bytes, so it is zeroed before it is filled. */
typedef struct plan_key {
  kiln_conv g;
  int32_t which, device, dtype, alignment[3];
} plan_key;

typedef struct plan {
  kiln_plan head;
  plan_key key;
  descriptor engine; /* the execution plan; NULL: cuDNN has none */
  int64_t workspace;
} plan;
_Static_assert(offsetof(plan, key) == sizeof(kiln_plan), "the key follows at once");

static struct {
#define MEMBER(f) __typeof__(f) *f;
  FUNCTIONS(MEMBER)
#undef MEMBER
} dnn;

static struct {
  pthread_once_t once;
  bool open;
  cudnnHandle_t handle[DEVICES];
} state = {.once = PTHREAD_ONCE_INIT};

static void open_library(void) {
#define NAME(f) #f,
  static const char *const names[] = {FUNCTIONS(NAME)};
#undef NAME
  _Static_assert(sizeof dnn == sizeof names, "a pointer for each name");
  state.open = kiln__cuda_library("libcudnn.so.9", names, (void **)&dnn,
                                  (int)(sizeof names / sizeof *names));
}

/* -- Descriptors: a builder remembers what it made, and whether all went well
 * ---------------------- */

typedef struct builder {
  descriptor made[MADE + MOST_ENGINES];
  int n;
  bool ok;
} builder;

static descriptor make(builder *b, cudnnBackendDescriptorType_t type) {
  descriptor d = NULL;
  if (b->ok)
    b->ok = dnn.cudnnBackendCreateDescriptor(type, &d) == CUDNN_STATUS_SUCCESS;
  if (d)
    b->made[b->n++] = d;
  return d;
}

static void set(builder *b, descriptor d, cudnnBackendAttributeName_t name,
                cudnnBackendAttributeType_t type, int64_t n, const void *values) {
  if (b->ok)
    b->ok = dnn.cudnnBackendSetAttribute(d, name, type, n, values) == CUDNN_STATUS_SUCCESS;
}
static void set_numbers(builder *b, descriptor d, cudnnBackendAttributeName_t name, int64_t n,
                        const int64_t *values) {
  set(b, d, name, CUDNN_TYPE_INT64, n, values);
}
static void set_descriptor(builder *b, descriptor d, cudnnBackendAttributeName_t name,
                           descriptor value) {
  set(b, d, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &value);
}

static void finalize(builder *b, descriptor d) {
  if (b->ok)
    b->ok = dnn.cudnnBackendFinalize(d) == CUDNN_STATUS_SUCCESS;
}

/* Destroys what was made, but not `kept`. */
static void builder_end(builder *b, descriptor kept) {
  while (b->n > 0) {
    descriptor d = b->made[--b->n];
    if (d != kept)
      dnn.cudnnBackendDestroyDescriptor(d);
  }
}

static cudnnDataType_t type_of(int32_t dtype) {
  return dtype == KILN_FLOAT64    ? CUDNN_DATA_DOUBLE
         : dtype == KILN_FLOAT16  ? CUDNN_DATA_HALF
         : dtype == KILN_BFLOAT16 ? CUDNN_DATA_BFLOAT16
                                  : CUDNN_DATA_FLOAT;
}

/* Spatial dims that cuDNN needs to see: a leading dim of size 1 is left out. */
static int32_t spatial_dims(const kiln_conv *g) {
  bool flat = g->in[0] == 1 && g->out[0] == 1 && g->kernel[0] == 1 && g->padding[0] == 0;
  return flat ? 2 : 3;
}

/* Operand t of the convolution, row-major; its unique id is t + 1. */
static descriptor tensor(builder *b, const plan_key *key, int32_t t) {
  const kiln_conv *g = &key->g;
  const int64_t *const sizes[3] = {
      [KILN_CONV_A] = g->in, [KILN_CONV_W] = g->kernel, [KILN_CONV_B] = g->out};
  int32_t dims = spatial_dims(g), n = dims + 2;
  int64_t shape[5], stride[5], step = 1, id = t + 1, alignment = key->alignment[t];
  shape[0] = t == KILN_CONV_W ? g->cb : g->n;
  shape[1] = t == KILN_CONV_W ? g->ca / g->groups : t == KILN_CONV_A ? g->ca : g->cb;
  for (int32_t i = 0; i < dims; i++)
    shape[i + 2] = sizes[t][3 - dims + i];
  for (int32_t i = n - 1; i >= 0; i--) {
    stride[i] = step;
    step *= shape[i];
  }
  cudnnDataType_t type = type_of(key->dtype);
  descriptor d = make(b, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  set(b, d, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
  set_numbers(b, d, CUDNN_ATTR_TENSOR_DIMENSIONS, n, shape);
  set_numbers(b, d, CUDNN_ATTR_TENSOR_STRIDES, n, stride);
  set_numbers(b, d, CUDNN_ATTR_TENSOR_UNIQUE_ID, 1, &id);
  set_numbers(b, d, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, 1, &alignment);
  finalize(b, d);
  return d;
}

static descriptor window(builder *b, const plan_key *key) {
  const kiln_conv *g = &key->g;
  int64_t dims = spatial_dims(g), skip = 3 - dims;
  cudnnDataType_t compute = key->dtype == KILN_FLOAT64 ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
  cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
  descriptor d = make(b, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  set_numbers(b, d, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, 1, &dims);
  set(b, d, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &compute);
  set(b, d, CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, &mode);
  set_numbers(b, d, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, dims, g->padding + skip);
  set_numbers(b, d, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, dims, g->padding + skip);
  set_numbers(b, d, CUDNN_ATTR_CONVOLUTION_DILATIONS, dims, g->dilation + skip);
  set_numbers(b, d, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, dims, g->stride + skip);
  finalize(b, d);
  return d;
}

/* The operation that computes one operand from the other two, as a graph of one node. */
static descriptor graph(builder *b, const plan_key *key) {
  static const struct {
    cudnnBackendDescriptorType_t type;
    cudnnBackendAttributeName_t operand[3], window, alpha, beta;
  } rows[3] = {
      [KILN_CONV_A] = {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
                       {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
                        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
                        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY},
                       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
                       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
                       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA},
      [KILN_CONV_W] = {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
                       {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
                        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
                        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY},
                       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
                       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
                       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA},
      [KILN_CONV_B] = {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
                       {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
                        CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
                        CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y},
                       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
                       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
                       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA},
  };
  double alpha = 1, beta = 0;
  descriptor op = make(b, rows[key->which].type);
  for (int32_t t = 0; t < 3; t++)
    set_descriptor(b, op, rows[key->which].operand[t], tensor(b, key, t));
  set_descriptor(b, op, rows[key->which].window, window(b, key));
  set(b, op, rows[key->which].alpha, CUDNN_TYPE_DOUBLE, 1, &alpha);
  set(b, op, rows[key->which].beta, CUDNN_TYPE_DOUBLE, 1, &beta);
  finalize(b, op);
  descriptor g = make(b, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  set_descriptor(b, g, CUDNN_ATTR_OPERATIONGRAPH_OPS, op);
  finalize(b, g);
  return g;
}

/* -- Choosing an engine
 * ------------------------------------------------------------------------------- */

/* Sums in a fixed order, and multiplies float32 as float32 unless TF32 is allowed. */
static bool is_welcome(descriptor configuration, int32_t dtype) {
  enum { MOST_NOTES = 32 };
  cudnnBackendNumericalNote_t note[MOST_NOTES];
  int64_t n = 0;
  descriptor engine = NULL;
  bool exact = dtype == KILN_FLOAT32 && !kiln__cuda_tf32();
  bool ok = dnn.cudnnBackendCreateDescriptor(CUDNN_BACKEND_ENGINE_DESCRIPTOR, &engine) ==
                CUDNN_STATUS_SUCCESS &&
            dnn.cudnnBackendGetAttribute(configuration, CUDNN_ATTR_ENGINECFG_ENGINE,
                                         CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &n,
                                         &engine) == CUDNN_STATUS_SUCCESS &&
            dnn.cudnnBackendGetAttribute(engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
                                         CUDNN_TYPE_NUMERICAL_NOTE, MOST_NOTES, &n,
                                         note) == CUDNN_STATUS_SUCCESS;
  for (int64_t i = 0; i < n && ok; i++) {
    ok = note[i] != CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC &&
         !(exact && (note[i] == CUDNN_NUMERICAL_NOTE_TENSOR_CORE ||
                     note[i] == CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS));
  }
  if (engine)
    dnn.cudnnBackendDestroyDescriptor(engine);
  return ok;
}

/* What cuDNN has to know of the device: from its handle, or from a sheet. */
static descriptor properties(builder *b, cudnnHandle_t handle, const char *sheet) {
  descriptor d = make(b, CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
  if (sheet)
    set(b, d, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, (int64_t)strlen(sheet),
        sheet);
  else
    set(b, d, CUDNN_ATTR_DEVICEPROP_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
  finalize(b, d);
  return d;
}

/* The first welcome configuration that becomes a plan. */
static descriptor first_plan(builder *b, descriptor g, int32_t dtype, descriptor device,
                             cudnnBackendHeurMode_t mode) {
  descriptor heuristics = make(b, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR), found[MOST_ENGINES];
  descriptor chosen = NULL;
  int64_t n = 0;
  set_descriptor(b, heuristics, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, g);
  set(b, heuristics, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
  set_descriptor(b, heuristics, CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, device);
  finalize(b, heuristics);
  for (int i = 0; i < MOST_ENGINES; i++)
    found[i] = make(b, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  if (b->ok)
    b->ok = dnn.cudnnBackendGetAttribute(heuristics, CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                         CUDNN_TYPE_BACKEND_DESCRIPTOR, MOST_ENGINES, &n,
                                         found) == CUDNN_STATUS_SUCCESS;
  for (int64_t i = 0; i < n && b->ok && !chosen; i++) {
    builder one = {.ok = true};
    if (!is_welcome(found[i], dtype))
      continue;
    descriptor p = make(&one, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    set_descriptor(&one, p, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, found[i]);
    set_descriptor(&one, p, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, device);
    finalize(&one, p);
    chosen = one.ok ? p : NULL;
    builder_end(&one, chosen);
  }
  return chosen;
}

/* Fills in the plan of p->key, for a handle or for a sheet. */
static void plan_for(plan *p, cudnnHandle_t handle, const char *sheet) {
  static const cudnnBackendHeurMode_t modes[] = {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK};
  for (size_t i = 0; i < sizeof modes / sizeof *modes && !p->engine; i++) {
    builder b = {.ok = true};
    int64_t n;
    descriptor device = properties(&b, handle, sheet), g = graph(&b, &p->key);
    p->engine = first_plan(&b, g, p->key.dtype, device, modes[i]);
    if (p->engine &&
        dnn.cudnnBackendGetAttribute(p->engine, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
                                     CUDNN_TYPE_INT64, 1, &n, &p->workspace)) {
      dnn.cudnnBackendDestroyDescriptor(p->engine);
      p->engine = NULL;
    }
    builder_end(&b, NULL);
  }
}

static void make_plan(void *made) {
  plan *p = made;
  plan_for(p, state.handle[p->key.device], NULL);
}

static void end_plan(void *ended) {
  plan *p = ended;
  if (p->engine)
    dnn.cudnnBackendDestroyDescriptor(p->engine);
}

static kiln_plans plans = {.key_bytes = sizeof(plan_key),
                           .plan_bytes = sizeof(plan),
                           .make = make_plan,
                           .end = end_plan,
                           .lock = PTHREAD_MUTEX_INITIALIZER};

/* -- Running
 * -------------------------------------------------------------------------------------------- */

static plan_key key_of(const kiln_conv *g, int32_t which, int32_t device, int32_t dtype) {
  plan_key key;
  memset(&key, 0, sizeof key);
  key.g = *g; /* int64_t throughout: no padding to differ */
  key.which = which;
  key.device = device;
  key.dtype = dtype;
  for (int i = 0; i < 3; i++)
    key.alignment[i] = 16;
  return key;
}

static bool execute(const plan *p, void *const *operands, void *workspace) {
  static const int64_t ids[3] = {1, 2, 3};
  builder b = {.ok = true};
  descriptor pack = make(&b, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  set(&b, pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, 3, ids);
  set(&b, pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, 3, operands);
  set(&b, pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace);
  finalize(&b, pack);
  if (b.ok)
    b.ok = dnn.cudnnBackendExecute(state.handle[p->key.device], p->engine, pack) ==
           CUDNN_STATUS_SUCCESS;
  builder_end(&b, NULL);
  return b.ok;
}

int32_t kiln__cudnn_conv(const kiln_conv *g, int32_t which, int32_t device, int32_t dtype, void *a,
                         void *w, void *b) {
  pthread_once(&state.once, open_library);
  if (!state.open)
    return 0;
  cudaStream_t stream = kiln__cuda_stream(device);
  plan_key key = key_of(g, which, device, dtype);
  void *operands[3] = {[KILN_CONV_A] = a, [KILN_CONV_W] = w, [KILN_CONV_B] = b};
  for (int i = 0; i < 3; i++) {
    uintptr_t at = (uintptr_t)operands[i] | 16;
    key.alignment[i] = (int32_t)(at & -at);
  }
  int32_t done = 0;
  pthread_mutex_lock(&plans.lock);
  cudnnHandle_t *handle = &state.handle[device];
  plan *p = *handle || !dnn.cudnnCreate(handle)
                ? kiln__plans_find(&plans, &key, kiln__cuda_is_capturing())
                : NULL;
  if (p && p->engine) {
    void *workspace = NULL;
    done = 1;
    if (p->workspace > 0 && !(workspace = kiln__scratch(device, p->workspace)))
      done = KILN_ENOMEM;
    if (done > 0 && (dnn.cudnnSetStream(*handle, stream) || !execute(p, operands, workspace))) {
      char why[256] = "";
      dnn.cudnnGetLastErrorString(why, sizeof why);
      done = kiln_fail(KILN_EBACKEND, "convolution: cuDNN: %s", why);
    }
    kiln__scratch_free(device, workspace, p->workspace);
  }
  pthread_mutex_unlock(&plans.lock);
  return done;
}

bool kiln__cudnn_can_plan(const kiln_conv *g, int32_t which, int32_t dtype, const char *sheet,
                          int64_t *workspace, const char **why) {
  static char text[256];
  pthread_once(&state.once, open_library);
  *why = "libcudnn.so.9 cannot be opened";
  if (!state.open)
    return false;
  pthread_mutex_lock(&plans.lock);
  plan p = {.key = key_of(g, which, 0, dtype)};
  plan_for(&p, NULL, sheet);
  *workspace = p.workspace;
  text[0] = '\0';
  dnn.cudnnGetLastErrorString(text, sizeof text);
  *why = text;
  if (p.engine)
    dnn.cudnnBackendDestroyDescriptor(p.engine);
  pthread_mutex_unlock(&plans.lock);
  return p.engine != NULL;
}

#endif
