/* internal.h: what the files of core/ share and nobody else sees: op descriptions, shape rules,
** gradients, nodes.  It refuses to know kernels; those see backend.h only.
*/
#ifndef KILN_INTERNAL_H
#define KILN_INTERNAL_H
#include "backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* For impossible states; stays on in release builds. */
#define KILN_ASSERT(c)                                                                             \
  do {                                                                                             \
    if (__builtin_expect(!(c), 0))                                                                 \
      kiln__assert_failed(#c, __FILE__, __LINE__);                                                 \
  } while (0)
_Noreturn void kiln__assert_failed(const char *what, const char *file, int line);

#define KILN_LIKELY(c) __builtin_expect(!!(c), 1)
#define KILN_UNLIKELY(c) __builtin_expect(!!(c), 0)
/* For the few thread-local words on the way of every op; larger ones must not use it. */
#define KILN_HOT_TLS _Thread_local __attribute__((tls_model("initial-exec")))
#define KILN_COUNT(a) ((int32_t)(sizeof(a) / sizeof *(a)))

/* -- error.c ------------------------------------------------------------------------------- */

/* kiln_fail for code inside an op call: the message is prefixed with the op's name, as the caller
** spelled it (add_ while kiln__writes_in_place). */
extern KILN_HOT_TLS bool kiln__writes_in_place;
int32_t kiln__fail_op(int32_t op, int32_t code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Spells the op in a failure inside its call: puts its name before one that names nobody, and gives
** a name without it the _ of a call that writes in place. */
void kiln__name_error(int32_t op);
/* "[2, 3]" in a per-thread ring of 8 buffers. */
const char *kiln__shape_text(const int64_t *shape, int32_t ndim);
const char *kiln__device_text(int32_t device); /* "cpu" or "cuda:1", in the same ring */
extern volatile int32_t kiln__interrupt_flag;
bool kiln__take_interrupt(void);   /* true: it lowered the flag and set the error */
void kiln__leave_interrupts(void); /* from now on this thread leaves them to the others */
static inline bool kiln__interrupted(void) {
  return KILN_UNLIKELY(kiln__interrupt_flag) && kiln__take_interrupt();
}

/* -- dtype.c ------------------------------------------------------------------------------- */

static inline bool kiln__is_float(int32_t dtype) { return dtype <= KILN_BFLOAT16; }
static inline bool kiln__is_half(int32_t d) { return d == KILN_FLOAT16 || d == KILN_BFLOAT16; }
/* The dtype that the call's promoting inputs agree on; numbers count weakly, 0-dim tensors count
** less than others of their kind. */
int32_t kiln__common_dtype(const kiln_call *c, uint32_t which);
bool kiln__can_store(int32_t from, int32_t to);
/* Whether a number, without its fraction, is one of the dtype: what is written must be. */
bool kiln__number_fits(const kiln_tensor *number, int32_t dtype);
bool kiln__value_fits(double v, int32_t dtype); /* in place: float never goes into int */

/* -- shape.c: infers outputs before they exist ---------------------------------------------- */

/* What an output will look like.  offset and stride are read for views only. */
typedef struct kiln_meta {
  uint8_t dtype, ndim, device;
  int64_t shape[KILN_MAX_DIMS];
} kiln_meta;

typedef struct kiln_geometry {
  int32_t ndim;
  int64_t shape[KILN_MAX_DIMS], stride[KILN_MAX_DIMS];
  int64_t offset;
} kiln_geometry;

/* A shape rule fills out[i].ndim and .shape (and .dtype where it differs from the row's dtype
** rule, already set) for i < c->n_out.  Negative after kiln__fail_op. */
typedef int32_t (*kiln_shape_rule)(const kiln_call *c, kiln_meta *out);
/* A view rule fills *g from c->in[0] and the attributes; it may complete attributes that only the
** gradient reads. */
typedef int32_t (*kiln_view_rule)(kiln_call *c, kiln_geometry *g);

int32_t kiln__broadcast(int32_t op, kiln_meta *out, const int64_t *shape, int32_t ndim);
int64_t kiln__numel(const int64_t *shape, int32_t ndim); /* -1 on overflow */
/* The same for a size and a stride list: what a fresh tensor would have. */
bool kiln__is_plain(const kiln_list *size, const kiln_list *stride);
/* True when two elements of one view share memory (an expanded tensor). */
bool kiln__overlaps_itself(const kiln_tensor *x);
bool kiln__same_view(const kiln_tensor *a, const kiln_tensor *b);
bool kiln__same_shape(const kiln_tensor *a, const kiln_tensor *b);
void kiln__meta_of(const kiln_tensor *x, kiln_meta *m);

/* -- alloc.c, storage.c, tensor.c ----------------------------------------------------------- */

/* What a storage's `writer` is where no op wrote last; below are those of kiln_writer(). */
enum { KILN_WRITER_POINTER = -1, KILN_WRITER_RESIZE = -2, KILN_WRITER_NAMED = -3 };
/* Who that is, for messages: good until the next call of this thread. */
const char *kiln__writer_text(const kiln_storage *s);

kiln_memory *kiln__memory(int32_t device);
/* Adds a block to what is live, or takes it away: `bytes` is negative then. */
void kiln__count_live(int32_t device, int64_t bytes);
void *kiln__alloc(int32_t device, int64_t bytes, int64_t *capacity);
void kiln__free(int32_t device, void *p, int64_t capacity);
/* Copies bytes from where to where ever; dst may be read when it returns. */
int32_t kiln__copy_bytes(void *dst, int32_t dst_device, const void *src, int32_t src_device,
                         int64_t bytes);

/* Memory that accelerators reach, of a fixed size; there must be an accelerator. */
kiln_storage *kiln__storage_pinned(int64_t bytes);
/* A contiguous tensor of x's shape and dtype over a storage that has room for it. */
kiln_tensor *kiln__tensor_over(kiln_storage *s, const kiln_tensor *x);
kiln_tensor *kiln__tensor_like(const kiln_meta *m);
/* The same without memory, which step s will ask for (kiln__storage_fill). */
struct kiln_step;
kiln_tensor *kiln__tensor_pending(const kiln_meta *m, struct kiln_step *s);
kiln_storage *kiln__storage_pending(int64_t bytes, struct kiln_step *s);
int32_t kiln__storage_fill(kiln_storage *s);
/* The same shape as x, whatever its strides, in another dtype. */
kiln_tensor *kiln__tensor_as(const kiln_tensor *x, int32_t dtype);
/* Whether the base of x has gone: it looks at other memory, or has a base itself. */
bool kiln__has_left(const kiln_tensor *x);
void kiln__follow_base(kiln_tensor *x); /* then x is no view any more */
/* An alias of x with another geometry; no gradient edge, base set. */
kiln_tensor *kiln__tensor_view(kiln_tensor *x, const kiln_geometry *g);
kiln_tensor *kiln__tensor_alias(kiln_tensor *x); /* same geometry, no base, no edge: for saving */

static inline int32_t kiln__retain(int32_t *refs) {
  return __atomic_add_fetch(refs, 1, __ATOMIC_RELAXED);
}
/* True when this was the last reference. */
static inline bool kiln__drop(int32_t *refs) {
  int32_t left = __atomic_sub_fetch(refs, 1, __ATOMIC_ACQ_REL);
  KILN_ASSERT(left >= 0);
  return left == 0;
}

/* -- op.c ---------------------------------------------------------------------------------- */

enum { /* flags of an op */
       KILN_F_VIEW = 1,
       KILN_F_RANDOM = 2,
       KILN_F_VARIADIC = 4, /* inputs are a list of any length */
       KILN_F_POINTWISE = 8,
       KILN_F_OVERWRITES = 32, /* in place, it does not read what was there (fill, copy) */
       KILN_F_WRITES = 64,     /* only exists in place; a variadic one writes into its inputs */
       KILN_F_CUTS = 128,      /* its outputs have no history (detach) */
       KILN_F_FRACTIONS = 256, /* a fraction among its numbers makes integers floating */
       KILN_F_LOW = 512,       /* autocast runs it in half precision */
       KILN_F_WIDE = 1024,     /* autocast runs it in float32 */
       KILN_F_STORES = 2048,   /* a number among its inputs becomes an element of in[0] */
       KILN_F_EXACT = 4096     /* a number among its inputs is not rounded to a half beside it */
};

enum {                         /* dtype rules */
       KILN_RULE_SAME,         /* inputs promote; the output is the common dtype */
       KILN_RULE_NUMBER,       /* the same, bool becomes int64 */
       KILN_RULE_FLOAT,        /* the same, integers become the default float dtype */
       KILN_RULE_BOOL,         /* inputs promote, the output is bool */
       KILN_RULE_INDEX,        /* inputs promote, the output is int64 */
       KILN_RULE_SUM,          /* integers and bool sum as int64 */
       KILN_RULE_ARG,          /* the attribute named dtype says it */
       KILN_RULE_VALUES_INDEX, /* first output the common dtype, second int64 */
       KILN_RULE_STATISTICS /* first output the common dtype, the others float32 if it is a half */
};

typedef struct kiln_edge {
  kiln_node *node; /* NULL: no gradient wanted */
  int32_t nr;
} kiln_edge;

typedef struct kiln_grad_call kiln_grad_call;
typedef void (*kiln_grad_rule)(kiln_grad_call *c);

typedef struct kiln_op_info {
  const char *name;
  uint32_t flags;
  int8_t n_in, n_out, n_attr, n_list;
  int8_t dtype_rule, dtype_attr;
  uint16_t optional; /* inputs that may be NULL */
  uint16_t promotes; /* inputs that decide and take the common dtype */
  uint16_t integers; /* inputs that must be int64 */
  uint16_t hosts;    /* inputs that stay on the CPU */
  uint16_t masks;    /* inputs that must be bool */
  uint16_t constant; /* inputs whose gradient is not defined, where that of others is */
  uint16_t axes;     /* attributes that are axes, normalised by the core */
  uint16_t axis_lists;
  uint16_t scales;             /* numbers that are computed with in the common dtype */
  int8_t axis_extra;           /* 1: axes count in the output, which has one more dim */
  uint16_t diff_outs;          /* outputs that carry a gradient */
  uint32_t saves[KILN_MAX_IN]; /* for the gradient of input i: bits 0..15 inputs, 16.. outputs */
  const char *const *in_names;
  const char *const *attr_names;
  const char *const *list_names;
  kiln_shape_rule shape;
  kiln_view_rule view;
  kiln_grad_rule grad;
} kiln_op_info;

/* Input i is read on the CPU, wherever the op runs. */
static inline bool kiln__stays(const kiln_op_info *op, int32_t i) {
  return i < KILN_MAX_IN && op->hosts >> i & 1;
}

extern const kiln_op_info kiln__ops[KILN_OP_COUNT]; /* generated */
#include "kiln_rules.h" /* generated: kiln__shape_*, kiln__view_*, kiln__grad_* */

/* The only road into a kernel.  Reads c->op, in, attr, list (and out[0] when c->inplace); sets
** c->out to new references.  On error nothing was written and out is all NULL. */
int32_t kiln_apply(kiln_call *c);

/* -- check.c: each is negative when the call is refused --------------------------------------- */

/* Each input is there, of the kind that the row names, and on one device with the others. */
int32_t kiln__check_inputs(const kiln_call *c);
/* Of an op that has axes: brings them into 0..ndim - 1. */
int32_t kiln__check_axes(kiln_call *c);
/* A number that is written must be one that the dtype has, but for its fraction. */
int32_t kiln__check_stored(const kiln_call *c);
/* An op in place: c->in[0] can be written and the result, out, fits. */
int32_t kiln__check_target(const kiln_call *c, const kiln_meta *out);

/* -- promote.c ------------------------------------------------------------------------------- */

/* The dtype the promoting inputs are computed in, and what each output gets. */
int32_t kiln__decide_dtypes(const kiln_call *c, const kiln_op_info *op, int32_t *out);
/* Inside a gradient formula, what is computed from Lua numbers alone stays a number: exact, and
** without a say in the dtype. */
bool kiln__is_number_only(const kiln_call *c, const kiln_op_info *op);
/* What a Lua number among the inputs is read as where the call computes in dtype. */
int32_t kiln__number_dtype(const kiln_op_info *op, int32_t dtype);
/* The first number of the call that an integer dtype cannot hold, or -1.  Where fractions promote,
** -infinity as the lower bound, or infinity as the upper one, is none. */
int32_t kiln__find_fraction(const kiln_call *c, const kiln_op_info *op);

/* -- autocast.c ------------------------------------------------------------------------------ */

extern KILN_HOT_TLS bool kiln__autocasting; /* autocast is on for some device */
int32_t kiln__apply_autocast(kiln_call *c); /* kiln_apply of an op that autocast knows */

/* -- graph.c ------------------------------------------------------------------------------- */

extern KILN_HOT_TLS kiln_graph *kiln__capturing; /* NULL: everything runs at once */
/* The outermost op is the one that refusals name: true for that one, which leaves at its end. */
bool kiln__capture_enter(int32_t op);
void kiln__capture_leave(void);
int32_t kiln__capture_use(kiln_tensor *const *x, int32_t n); /* the graph keeps their memory */
uint64_t kiln__capture_draw(uint64_t n); /* n random counters of each launch: the first */

/* -- Gradients: core/ops/FAMILY.c ------------------------------------------------------------ */

/* What a gradient formula sees.  Ops it calls return temporaries that the engine releases;
** `give` keeps what it is given.  NULL gradients are legal: ops with NULL in give NULL out. */
struct kiln_grad_call {
  int32_t n_in, n_out;
  kiln_tensor **g;   /* gradients of the outputs, NULL where none arrived */
  kiln_tensor **in;  /* saved inputs, NULL where not saved */
  kiln_tensor **out; /* saved outputs */
  const kiln_attr *attr;
  const kiln_list *list;
  const kiln_meta *in_meta, *out_meta;
  bool create;            /* a graph is being created: compose recorded ops only */
  const kiln_edge *edges; /* of the inputs */
  kiln_tensor **result;
  kiln_task *task; /* the pass; NULL inside a fused function */
};
bool kiln__wants(const kiln_grad_call *c, int32_t i);
/* Sets the gradient of input i.  The engine casts it to the input's dtype and sums it down to
** the input's shape if that was broadcast. */
void kiln__give(kiln_grad_call *c, int32_t i, kiln_tensor *g);
/* Likewise zeros of the input's shape with g at a region of it, as if it lay without gaps; the
** region does not overlap itself.  Where the input has a gradient from elsewhere already, g is
** added there: slices of one tensor then cost what they cover, not each the whole. */
void kiln__give_region(kiln_grad_call *c, int32_t i, kiln_tensor *g, const int64_t *size,
                       const int64_t *stride, int32_t n, int64_t offset);
/* Input i for a formula: integers in the dtype of the gradient, so that 1 / x is as precise as
** it. */
kiln_tensor *kiln__in(kiln_grad_call *c, int32_t i);
/* g[i], or zeros shaped like output i. */
kiln_tensor *kiln__g(kiln_grad_call *c, int32_t i);

/* g in the dtype and shape of m, as a gradient of input i of n: summed down where that was
** broadcast. */
kiln_tensor *kiln__fit(const kiln_node *n, int32_t i, const kiln_meta *m, kiln_tensor *g);

/* Temporaries: between open and close, every new tensor that kiln_apply returns belongs to the
** innermost pool of this thread. */
typedef struct kiln_pool {
  struct kiln_pool *outer;
  kiln_tensor **items;
  int32_t n, capacity;
  kiln_tensor *inline_items[16];
} kiln_pool;
void kiln__pool_open(kiln_pool *p);
void kiln__pool_close(kiln_pool *p);
/* Takes the references (NULL: none), if a pool is open.  Without memory for them it releases them,
** and they become NULL. */
int32_t kiln__pool_add(kiln_tensor **x, int32_t n);
bool kiln__pool_is_open(void);
/* Makes p (or none) the innermost pool; returns the one before. */
kiln_pool *kiln__pool_swap(kiln_pool *p);

/* -- node.c ---------------------------------------------------------------------------------- */

/* A value that a gradient needs: an alias of the memory, the version it had, where it came from.
** An output's edge is the node itself and is not counted. */
typedef struct kiln_saved {
  kiln_tensor *alias; /* NULL: a hole of `region`, which is retained */
  int64_t version;    /* of a hole: its number there */
  kiln_edge edge;
  kiln_node *region;
  int32_t slot; /* input i, or 16 + output i */
  bool is_lent; /* a hole that a later run made: what fills it is not the node's to let go of */
} kiln_saved;

typedef struct kiln_hook {
  struct kiln_hook *next;
  int64_t key;
  int32_t nr, order; /* order: grows along a node's list */
} kiln_hook;

enum { KILN_NODE_OP, KILN_NODE_LEAF, KILN_NODE_LUA, KILN_NODE_FUSED, KILN_NODE_REGION };

struct kiln_node {
  int32_t refs;
  int32_t op;
  uint8_t kind;
  bool consumed;                      /* its saved values are gone */
  bool has_holes;                     /* some are to be computed again: region.c */
  int32_t n_in, n_out, n_saved, room; /* room: saved values there is space for */
  int64_t sequence, trace, key;
  size_t size;
  kiln_edge *edges;              /* n_in */
  kiln_meta *in_meta, *out_meta; /* n_in, n_out */
  kiln_saved *saved;
  kiln_attr *attr;
  kiln_list *list;
  kiln_hook *hooks;
  kiln_tensor **retained;     /* n_out weak pointers of retain_grad, NULL when nobody asked */
  kiln_tensor *leaf;          /* weak */
  const char *name;           /* of a Lua node: owned */
  struct kiln_fused *fused;   /* of a fused node: its steps; owned, as are edges and saved */
  struct kiln_region *region; /* of a region: owned, as is saved */
  kiln_node *next;            /* while it waits to be buried */
};

kiln_node *kiln__node_new(int32_t kind, int32_t n_in, int32_t n_out, int32_t n_saved,
                          int32_t n_attr, int32_t n_list);
void kiln__node_retain(kiln_node *n);
void kiln__node_release(kiln_node *n);
void kiln__node_consume(kiln_node *n); /* lets go of the saved values and the hooks */
void kiln__node_empty(kiln_node *n);   /* lets go of what fills its holes */
int64_t kiln__sequence(void);          /* of the last node of this thread */
/* Saved value k as a tensor: a new reference, with its edge if `graph`; NULL after an error. */
kiln_tensor *kiln__node_unpack(kiln_node *n, int32_t k, bool graph);
/* Keeps a value for n's gradient.  slot: input i, whose edge it has, or 16 + output i. */
int32_t kiln__node_save(kiln_node *n, kiln_tensor *x, int32_t slot, kiln_edge edge,
                        int64_t version);
/* The same for nodes whose list of saved values grows; returns its position there. */
int32_t kiln__node_keep(kiln_node *n, kiln_tensor *x, int32_t slot, kiln_edge edge);
/* A node for n_out results of a fused function; its inputs come later. */
kiln_node *kiln__node_fused(int32_t n_out);
int32_t kiln__node_set_inputs(kiln_node *n, const kiln_edge *edges, kiln_tensor *const *x,
                              int32_t n_in);
void kiln__node_lock(const kiln_node *n);
void kiln__node_unlock(const kiln_node *n);
void kiln__dead_key(int64_t key); /* for the Lua state it is of */
const char *kiln__node_title(const kiln_node *n);
static inline void kiln__edge_set(kiln_edge *at, kiln_edge e) { /* takes a reference */
  *at = e;
  if (e.node)
    kiln__node_retain(e.node);
}

/* -- region.c: functions that run again in backward -------------------------------------------- */

typedef struct kiln_region kiln_region;
extern KILN_HOT_TLS kiln_node *kiln__region; /* the one that runs; NULL: none */
extern uint32_t kiln__births; /* how many runs there were: what a storage is born in */
/* Tells the regions that run of n's saved values from `from` on. */
int32_t kiln__region_note(kiln_node *n, int32_t from);
/* The region to run first before n can: of its empty holes, or of what those need. */
kiln_node *kiln__region_wanted(const kiln_node *n);
kiln_tensor *kiln__region_value(const kiln_saved *s, int64_t *version); /* what fills a hole: new */
void kiln__region_drop(const kiln_saved *s);                            /* lets go of it */
void kiln__region_empty(const kiln_node *r);                            /* of all */
bool kiln__region_is_outside(const kiln_tensor *x); /* a region runs that x is older than */
void kiln__region_free(kiln_region *g);

/* -- record.c: edges, in-place rules, what a call records ------------------------------------- */

/* The gradient edge of x as of now (a view of a rewritten base gets a fresh one): lent.  Where
** there is no memory for that one, a node of its base's and -1: x has a history, which cannot be
** used. */
kiln_edge kiln__edge(kiln_tensor *x);
/* The same for what is recorded or followed; KILN_ENOMEM where it cannot be used. */
int32_t kiln__edge_of(kiln_tensor *x, kiln_edge *edge);
/* Gives x the edge (node, nr), node NULL for none; takes a reference. */
void kiln__tensor_set_edge(kiln_tensor *x, kiln_node *node, int32_t nr);
void kiln__tensor_drop_edge(kiln_tensor *x); /* also takes back weak pointers to x */
void kiln__tensor_keep_grad(kiln_tensor *x); /* its node puts the gradient into x->grad */
/* x requires no grad any more.  A leaf keeps its node aside: graphs that were made with it still
** deliver to it, and unpark makes it the same leaf again, hooks and all. */
void kiln__tensor_park(kiln_tensor *x);
void kiln__tensor_unpark(kiln_tensor *x); /* x->parked is there */
void kiln__tensor_drop_parked(kiln_tensor *x);
/* Why no write into x can be recorded, NULL when it can. */
const char *kiln__unwritable(kiln_tensor *x);
/* In place: x's values now come from (node, nr), node NULL for constants. */
int32_t kiln__rewrite(kiln_tensor *x, kiln_node *node, int32_t nr);
bool kiln__recording(void); /* grad mode is on */
void kiln__mark_derived(const kiln_call *c);
int64_t kiln__trace(void);
void kiln__fail_trace(int32_t which, int64_t trace);

/* What kiln_apply has to know before it runs a kernel. */
typedef struct kiln_plan {
  bool records;     /* a node is made */
  bool rewrites;    /* an in-place write changes the history of in[0] */
  bool is_volatile; /* some input is: so are the outputs */
  bool is_derived;  /* noted, not recorded: see kiln_set_noting */
  bool keep_self;   /* the write destroys a value that a gradient needs: copy it first */
  kiln_edge *edges; /* of the inputs; lent */
  kiln_edge few_edges[8];
} kiln_plan;
/* Fills *p; negative where the write or the missing gradient must be refused. */
int32_t kiln__plan(const kiln_call *c, kiln_plan *p);
void kiln__plan_end(const kiln_call *c, kiln_plan *p);
/* After the kernel.  in: the inputs as the caller gave them; self: the copy asked for by keep_self.
 */
int32_t kiln__record(kiln_call *c, kiln_plan *p, kiln_tensor *self);

/* -- rows.c: row-sparse gradients ---------------------------------------------------------------
 */

static inline bool kiln__is_rows(const kiln_tensor *x) { return x->flags & KILN_T_ROWS; }
/* The gradient m of a look-up: rows [index..., width] at positions, those at `skip` (0-based, or
** KILN_NONE) left out.  Both return a new reference and may be called while a pool is open. */
kiln_tensor *kiln__rows_new(kiln_tensor *index, kiln_tensor *rows, int64_t skip,
                            const kiln_meta *m);
/* The sum of two gradients of which at least one is row-sparse: row-sparse if both are. */
kiln_tensor *kiln__rows_add(kiln_tensor *a, kiln_tensor *b);

/* -- fuse.c: ops that are put off while a fused function runs ---------------------------------- */

typedef struct kiln_program kiln_program;
struct kiln_step;
extern KILN_HOT_TLS kiln_program *kiln__fusing; /* NULL: everything runs at once */
/* 1: the call is to be put off.  0: it runs, and what it reads or writes is in memory now. */
int32_t kiln__fuse_admit(const kiln_call *c);
/* Sets c->out[0] to a tensor without memory, of a call that would compute in `dtype`. */
int32_t kiln__fuse_put_off(kiln_call *c, int32_t dtype, const kiln_meta *out);
/* What kiln__record is to a call that ran. */
int32_t kiln__fuse_record(kiln_call *c, const kiln_plan *p);
void kiln__fuse_forget(struct kiln_step *s); /* nobody holds the result any more */
/* Brings x to memory, or everything (NULL): before its memory is shown or shared. */
int32_t kiln__settle(const kiln_tensor *x);

/* fuse_grad.c: the gradients of the inputs of a fused node: new references in result, NULL where
** none is wanted. */
int32_t kiln__fused_gradient(kiln_node *n, kiln_tensor **g, bool create, kiln_tensor **result);
void kiln__fused_free(struct kiln_fused *f);

/* -- profile.c -------------------------------------------------------------------------------- */

extern bool kiln__profiling;
int64_t kiln__now_ns(void);
void kiln__profile(const char *name, int64_t start_ns, int64_t bytes, int64_t sequence);

/* -- random.c --------------------------------------------------------------------------------- */

/* Reserves `n` counters of the device's generator. */
void kiln__rng_take(int32_t device, uint64_t n, uint64_t *seed, uint64_t *sequence);

#endif
