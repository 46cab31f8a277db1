/* backend.h: the seam between the core and whatever computes: tensor layout, kernel calls, the
** table of services a backend offers.
**
** Read by the core, the CPU backend and (as C++) the CUDA backend.  Everything a kernel receives
** has been checked above the seam: shapes, dtypes, devices, aliasing.  It refuses to know Lua,
** autograd, or any vendor's types.
*/
#ifndef KILN_BACKEND_H
#define KILN_BACKEND_H
#include "kiln.h"
#include "kiln_ops.h" /* generated: enum kiln_op */
#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KILN_MAX_DIMS 8
#define KILN_MAX_ATTRS 12
#define KILN_MAX_LISTS 4
#define KILN_MAX_LIST 16
#define KILN_MAX_OUT 6
#define KILN_MAX_IN 16 /* fixed inputs; a `list` op takes any number */
#define KILN_NONE INT64_MIN
#define KILN_INDEX_BASE 1 /* what position the first element has inside index tensors */

/* Memory with a reference count and a version that every write raises.  All tensors that share
** it share the version, so a saved value cannot be overwritten unseen. */
struct kiln_storage {
  int32_t refs;
  int16_t device;
  uint16_t holds; /* who goes through a pointer into it while other code runs; see kiln.h */
  char *data;
  int64_t bytes;    /* asked for */
  int64_t capacity; /* room for data; 0 when borrowed */
  int64_t version;
  int32_t block;             /* size of the block this header lies in */
  int16_t writer;            /* kiln_op that wrote last, for messages */
  uint8_t pinned;            /* host memory that accelerators reach */
  uint8_t holder;            /* the kind of the last hold, for messages */
  int32_t trace;             /* of that write, in anomaly mode */
  uint32_t birth;            /* region.c: in which run it was made */
  struct kiln_step *pending; /* fuse.c: what will fill it; only while a fused function runs */
};

enum {
  KILN_T_VOLATILE = 1,
  KILN_T_NUMBER = 2,      /* a Lua number: does not decide the dtype */
  KILN_T_RETAIN_GRAD = 4, /* its node keeps a weak pointer to it */
  KILN_T_ROWS = 8,        /* a row-sparse gradient (rows.c): base and grad hold its parts */
  KILN_T_LEAF_VIEWS = 16, /* a view of it was made a leaf that requires grad */
  KILN_T_SHARES = 32,     /* others, of whose histories it knows nothing, may look at its memory */
  KILN_T_DERIVED = 64,    /* made from a tensor that requires grad while that was only noted */
  KILN_T_LET_GO = 128     /* lost its history, and was not written since: its views have theirs */
};

/* Strides and offset count elements.  `base` is the root of a chain of views (never itself a
** view).  `node`/`nr` are the gradient edge; NULL when it does not require grad.  What every op and
** every release reads is one line of the cache. */
struct kiln_tensor {
  int32_t refs;
  uint8_t dtype, flags, ndim, device;
  int64_t offset, numel;
  kiln_storage *storage;
  kiln_tensor *base;
  kiln_node *node, *parked; /* parked: the node of a leaf while it does not require grad */
  kiln_tensor *grad;
  int64_t shape[KILN_MAX_DIMS], stride[KILN_MAX_DIMS];
  uint16_t nr;
  uint32_t generation; /* counts changes of a base's history; the one that a view's edge is of */
};

typedef union kiln_attr {
  int64_t i;
  double f;
} kiln_attr;

typedef struct kiln_list {
  int32_t n;
  int64_t v[KILN_MAX_LIST];
} kiln_list;

/* One op call.  Inputs are lent; outputs are set by kiln_apply (or given: in place). */
typedef struct kiln_call {
  int32_t op;
  int32_t n_in, n_out;
  bool inplace; /* out[0] was given and is in[0] */
  kiln_tensor **in;
  kiln_tensor *out[KILN_MAX_OUT];
  kiln_attr attr[KILN_MAX_ATTRS]; /* scalar arguments in the row's order */
  kiln_list list[KILN_MAX_LISTS]; /* list arguments in the row's order */
  uint64_t seed, sequence;        /* rows with `random`: Philox key and first counter */
} kiln_call;

/* Computes c->out from c->in.  0, or negative after kiln_fail (a bad index, a singular matrix). */
typedef int32_t (*kiln_kernel)(const kiln_call *c);

enum {
  KILN_K_CONTIGUOUS = 1,  /* wants contiguous inputs (outputs always are, unless in place) */
  KILN_K_STRIDED_OUT = 2, /* can write to any strides: in place without a temporary */
  KILN_K_IN_PLACE = 4,    /* changes parts of its first input: in place without a copy of it; it
                          ** checks everything before it writes */
  KILN_K_DENSE_ROWS = 8,  /* wants inputs whose rows along the last dim lie in one piece each and do
                          ** not overlap, however the dims before step */
  KILN_K_WIDENS = 16      /* of int64: takes an input of any integer dtype as it is */
};

typedef struct kiln_entry {
  int32_t op;
  uint32_t dtypes; /* a mask of 1 << dtype; of the first input, or of the output without one */
  uint32_t flags;
  kiln_kernel run;
} kiln_entry;

#define KILN_D(t) (1u << (t))
#define KILN_D_FLOAT (KILN_D(KILN_FLOAT32) | KILN_D(KILN_FLOAT64))
#define KILN_D_HALF (KILN_D(KILN_FLOAT16) | KILN_D(KILN_BFLOAT16))
#define KILN_D_INT                                                                                 \
  (KILN_D(KILN_INT8) | KILN_D(KILN_UINT8) | KILN_D(KILN_INT16) | KILN_D(KILN_INT32) |              \
   KILN_D(KILN_INT64))
#define KILN_D_BOOL KILN_D(KILN_BOOL)
#define KILN_D_REAL (KILN_D_FLOAT | KILN_D_INT)
#define KILN_D_SUMS                                                                                \
  (KILN_D_FLOAT | KILN_D_HALF | KILN_D(KILN_INT64)) /* of rows that sum as int64 */
#define KILN_D_ALL (KILN_D_REAL | KILN_D_HALF | KILN_D_BOOL)

typedef struct kiln_slot {
  kiln_kernel run;
  uint32_t flags;
} kiln_slot;

/* What accelerators offer beyond a backend.  Streams are numbered for each device: 0 is the one
** work goes to unless the thread says otherwise; the others are made once and never end.  A mark is
** a point in a stream's work.  Functions return negative after kiln_fail. */
typedef struct kiln_accelerator {
  int32_t (*facts)(int32_t device, kiln_device_facts *facts);
  kiln_reserved *(*reserved)(int32_t device);
  void (*trim)(int32_t device);
  int32_t (*host_alloc)(int64_t bytes, void **p); /* pinned */
  void (*host_free)(void *p, int64_t bytes);
  /* As `copy`, but pinned memory is read or written later, in stream order. */
  int32_t (*copy_async)(void *dst, int32_t dst_device, const void *src, int32_t src_device,
                        int64_t bytes);
  /* Work on `stream` uses the block that begins at p. */
  void (*used)(int32_t device, const void *p, int32_t stream);
  int32_t (*stream_new)(int32_t device, int32_t priority);
  int32_t (*stream_use)(int32_t device, int32_t stream);
  int32_t (*stream_current)(int32_t device);
  int32_t (*stream_query)(int32_t device, int32_t stream); /* 1: done, 0: not yet */
  int32_t (*stream_wait)(int32_t device, int32_t stream);
  int32_t (*mark_new)(int32_t device, bool timing, void **mark);
  void (*mark_free)(int32_t device, void *mark);
  int32_t (*mark_record)(int32_t device, void *mark, int32_t stream);
  int32_t (*mark_query)(void *mark);
  int32_t (*mark_wait)(int32_t device, void *mark);
  int32_t (*mark_before)(int32_t device, int32_t stream, void *mark); /* the stream waits */
  int32_t (*mark_elapsed)(void *from, void *to, double *ms);
  /* Graphs: between begin and end this thread's work on the device is captured, not run.  A graph
  ** may share the memory of another (NULL: none).  Freed, it waits for its last launch. */
  int32_t (*graph_begin)(int32_t device, void *share, void **graph);
  int32_t (*graph_end)(void *graph);
  int32_t (*graph_replay)(void *graph, uint64_t seed, uint64_t first);
  void (*graph_free)(void *graph);
  void (*graph_pause)(bool on); /* until off, this thread's work runs as if it captured nothing */
  int32_t (*graph_use)(int32_t device, const void *p); /* what is captured uses the block of p */
  int32_t (*range_push)(const char *name);
  int32_t (*range_pop)(void);
  void (*range_mark)(const char *name);
} kiln_accelerator;

/* A kind of device.  Where table[op][float16 or bfloat16] is empty and float32's is not, the core
** runs the op in float32 and rounds. */
typedef struct kiln_backend {
  uint32_t abi, struct_size;
  uint64_t ops; /* KILN_OPS_DIGEST where it was built: ops are numbers there and here */
  const char *name;
  int32_t (*device_count)(int32_t *n, const char **why);
  int32_t (*alloc)(int32_t device, int64_t bytes, void **p); /* KILN_ENOMEM without a message */
  void (*free)(int32_t device, void *p, int64_t bytes);
  /* Copies bytes between devices of this backend and the host; returns when dst may be read. */
  int32_t (*copy)(void *dst, int32_t dst_device, const void *src, int32_t src_device,
                  int64_t bytes);
  int32_t (*synchronize)(int32_t device); /* raises what kernels found wrong */
  const kiln_accelerator *accelerator;    /* NULL for the CPU */
  kiln_slot (*table)[KILN_DTYPE_COUNT];   /* [KILN_OP_COUNT] */
  void *(*get_proc)(const char *name);    /* whatever else it offers; NULL for unknown */
} kiln_backend;

#define KILN_BACKEND_ABI 3

/* A pass: ops of each element, one after the other, over memory once.  Values are numbered: the
** inputs first, then the results of the steps.  What a pass computes is what its steps give one by
** one, to the bit.  A backend that can run one offers a kiln_pass_fn as get_proc("pass"). */
enum { KILN_STEP_IN = 4, KILN_STEP_ATTRS = 4 };

typedef struct kiln_pass_step {
  int32_t op;               /* a pointwise row, where, cast or clone */
  int32_t dtype, out_dtype; /* computed in, and of the result */
  int32_t number_dtype;     /* what Lua numbers among the inputs are read as */
  int32_t n_in, in[KILN_STEP_IN];
  const kiln_attr *attr;
  kiln_tensor *out; /* contiguous, of the pass's shape; NULL: the result is not kept */
} kiln_pass_step;

typedef struct kiln_pass {
  int32_t ndim;
  int64_t shape[KILN_MAX_DIMS], numel; /* never 0 */
  int32_t n_in, n_steps;
  kiln_tensor *const *in; /* any strides; broadcast to the shape */
  const kiln_pass_step *step;
  int32_t reduction, reduced; /* sum or mean of that value over everything; or -1 */
  kiln_tensor *total;         /* one element, of the value's dtype */
} kiln_pass;

typedef int32_t (*kiln_pass_fn)(const kiln_pass *p);

/* a_b after macros in either were replaced. */
#define KILN_PASTE_(a, b) a##_##b
#define KILN_PASTE(a, b) KILN_PASTE_(a, b)

/* Fills table from a family's entries, as lmathlib.c's luaL_Reg does. */
void kiln__backend_fill(kiln_slot (*table)[KILN_DTYPE_COUNT], const kiln_entry *entries, int32_t n);
const kiln_backend *kiln__backend(int32_t device);

/* Sets this thread's error unless one is set.  Returns `code`, so `return kiln_fail(...)`. */
int32_t kiln_fail(int32_t code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* While this thread captures a graph: "OP: WHY while a graph is being captured", of the op that is
** under way or else `what`; the graph is good for nothing any more. */
int32_t kiln__capture_refuse(const char *what, const char *why);

/* Where optimizers' steps of this thread read their numbers (float64, in the row's order) when they
** run, and the float32 that has to be 0 for them to be taken; both of their device, or NULL. */
typedef struct kiln_step_source {
  const kiln_tensor *numbers, *unless;
} kiln_step_source;
kiln_step_source kiln__step_source(void);

/* Scratch memory for a kernel, from the caching allocator; NULL after kiln_fail. */
void *kiln__scratch(int32_t device, int64_t bytes);
void kiln__scratch_free(int32_t device, void *p, int64_t bytes);

/* Bytes of an element. */
static inline int64_t kiln__size_of(int32_t dtype) {
  static const uint8_t size[KILN_DTYPE_COUNT] = {4, 8, 2, 2, 1, 1, 2, 4, 8, 1};
  return size[dtype];
}

/* The largest number of an integer dtype; others have none. */
static inline double kiln__most_of(int32_t dtype) {
  switch (dtype) {
  case KILN_INT8:
    return INT8_MAX;
  case KILN_UINT8:
    return UINT8_MAX;
  case KILN_INT16:
    return INT16_MAX;
  case KILN_INT32:
    return INT32_MAX;
  case KILN_INT64:
    return 0x1.fffffffffffffp62; /* that float64 holds, too */
  default:
    return HUGE_VAL;
  }
}

/* Rows along the last dim without gaps in them, the next one not before the end of one. */
static inline bool kiln__has_dense_rows(const kiln_tensor *x) {
  int32_t last = x->ndim - 1;
  if (x->numel == 0 || last < 0)
    return true;
  return (x->stride[last] == 1 || x->shape[last] == 1) &&
         (last == 0 || x->shape[last - 1] == 1 || x->stride[last - 1] >= x->shape[last]);
}

/* Row-major without gaps. */
static inline bool kiln__is_contiguous(const kiln_tensor *x) {
  int64_t expected = 1;
  if (x->numel == 0)
    return true;
  for (int32_t i = x->ndim - 1; i >= 0; i--) {
    if (x->shape[i] == 1)
      continue;
    if (x->stride[i] != expected)
      return false;
    expected *= x->shape[i];
  }
  return true;
}

static inline void *kiln__data(const kiln_tensor *x) {
  return x->storage->data + x->offset * kiln__size_of(x->dtype);
}

#ifdef __cplusplus
}
#endif
#endif
