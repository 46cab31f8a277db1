/* kiln.h: the public C interface of libkiln, and the text that LuaJIT's ffi.cdef reads.
**
** Once '#' lines are dropped, this file is plain declarations: opaque structs, sized integers,
** no varargs, no struct by value, no callbacks.  One prototype an op is generated from the op
** table and appended (kiln_cdef() returns both).  It refuses to show how anything is stored.
**
** Ownership: a function that returns kiln_tensor * returns a new reference, which the caller
** releases; kiln_peek_* lends.  Failure: NULL or a negative status, and kiln_error() says why.
** A NULL tensor given to an op yields NULL and keeps the first error, so calls can be chained.
** Dims, positions and axes are 0-based here (negative counts from the end); index TENSORS hold
** 1-based positions.
*/
#ifndef KILN_H
#define KILN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_tensor kiln_tensor;
typedef struct kiln_storage kiln_storage;
typedef struct kiln_task kiln_task; /* a backward pass under way */
typedef struct kiln_node kiln_node; /* one op in the recorded graph */

/* -- What a tensor can hold, and where ----------------------------------------------------- */

typedef enum kiln_dtype {
  KILN_FLOAT32 = 0,
  KILN_FLOAT64 = 1,
  KILN_FLOAT16 = 2,
  KILN_BFLOAT16 = 3,
  KILN_INT8 = 4,
  KILN_UINT8 = 5,
  KILN_INT16 = 6,
  KILN_INT32 = 7,
  KILN_INT64 = 8,
  KILN_BOOL = 9,
  KILN_DTYPE_COUNT = 10
} kiln_dtype;

/* Device 0 is the CPU; device 1 + i is the i-th accelerator. */

typedef enum kiln_status {
  KILN_OK = 0,
  KILN_EARG = -1,     /* an argument the op cannot take */
  KILN_ENOMEM = -2,   /* no memory, also after the cache was emptied */
  KILN_EVERSION = -3, /* a saved value was overwritten */
  KILN_EINTR = -4,    /* Ctrl-C */
  KILN_EBACKEND = -5, /* a library or device failed */
  KILN_EGRAD = -6     /* the gradient asked for does not exist */
} kiln_status;

/* -- Library ------------------------------------------------------------------------------- */

const char *kiln_version(void);
int32_t kiln_abi(void);
const char *kiln_cdef(void);

/* Facts about the build and the machine by name ("cpu_level", "blas", "blas_core",
** "blas_threading", "onednn", "cuda"); NULL for a name it does not know. */
const char *kiln_fact(const char *name);

int32_t kiln_num_threads(void);
int32_t kiln_set_num_threads(int32_t n);

/* -- Errors: one slot a thread ------------------------------------------------------------- */

const char *kiln_error(void);
int32_t kiln_error_code(void);
void kiln_error_clear(void);

/* Ctrl-C: after kiln_interrupt_install() SIGINT raises a flag that every op polls before and after
** its kernel, and kernels that do not write in place between two parts of their work (it then
** fails with KILN_EINTR and lowers the flag), as does kiln_interrupt_poll() for loops elsewhere.
** Workers leave it to the other threads.  A second SIGINT before anybody polls ends the process. */
void kiln_interrupt_install(void);
void kiln_interrupt_raise(void);
bool kiln_interrupt_pending(void);
const volatile int32_t *kiln_peek_interrupt(void); /* the flag: not 0 when raised */
int32_t kiln_interrupt_poll(void);                 /* KILN_OK, or KILN_EINTR */

/* -- Memory -------------------------------------------------------------------------------- */

typedef struct kiln_memory {
  int64_t live_bytes;   /* held by storages */
  int64_t peak_bytes;   /* the most live_bytes has been */
  int64_t cached_bytes; /* freed, kept for reuse */
  int64_t live_tensors;
  int64_t live_storages;
  int64_t live_nodes;
  int64_t soft_limit; /* live_bytes above this raises `pressure` */
  int32_t pressure;   /* 1: the binding should collect, then call kiln_memory_collected() */
} kiln_memory;

const kiln_memory *kiln_peek_memory(int32_t device);
/* Called after a collection: the next soft limit is live_bytes + floor; an accelerator's 1.5 x
** live_bytes where that is more. */
void kiln_memory_collected(int32_t device);
void kiln_memory_set_floor(int32_t device, int64_t bytes);
void kiln_memory_trim(int32_t device); /* gives cached blocks back to the system */

/* -- Tensors ------------------------------------------------------------------------------- */

kiln_tensor *kiln_tensor_retain(kiln_tensor *x);
void kiln_tensor_release(kiln_tensor *x); /* NULL is allowed */
void kiln_tensors_release(kiln_tensor *const *list, int64_t n);

/* Uninitialised. */
kiln_tensor *kiln_tensor_new(const int64_t *shape, int32_t ndim, int32_t dtype, int32_t device);
/* Owns nothing of `data`, which must outlive the tensor (CPU only, contiguous). */
kiln_tensor *kiln_tensor_borrow(void *data, const int64_t *shape, int32_t ndim, int32_t dtype);
kiln_tensor *kiln_tensor_from_storage(kiln_storage *s, int32_t dtype, int64_t offset,
                                      const int64_t *shape, const int64_t *stride, int32_t ndim);

int32_t kiln_tensor_ndim(const kiln_tensor *x);
int64_t kiln_tensor_size(const kiln_tensor *x, int32_t dim); /* dim in 0..ndim-1, unchecked */
int64_t kiln_tensor_stride(const kiln_tensor *x, int32_t dim);
int64_t kiln_tensor_numel(const kiln_tensor *x);
int64_t kiln_tensor_offset(const kiln_tensor *x); /* in elements */
int32_t kiln_tensor_dtype(const kiln_tensor *x);
int32_t kiln_tensor_device(const kiln_tensor *x);
bool kiln_tensor_is_contiguous(const kiln_tensor *x);
int64_t kiln_tensor_version(const kiln_tensor *x);
/* Says that x's memory was written behind kiln's back. */
void kiln_tensor_bump(kiln_tensor *x);
/* Says who wrote last, when that is not the op that did: a number that kiln_writer() gives for a
** name, always the same.  Of a failed write (x NULL) nothing is said. */
void kiln_tensor_written(kiln_tensor *x, int32_t writer);
int32_t kiln_writer(const char *name);
void *kiln_tensor_data(const kiln_tensor *x); /* first element; NULL when empty */
kiln_storage *kiln_peek_storage(const kiln_tensor *x);
kiln_tensor *kiln_peek_base(const kiln_tensor *x); /* the tensor it is a view of, or NULL */

/* 0-dim CPU constants that do not decide a dtype (the `2` in x * 2).  Lent: good until this
** thread has asked for eight more. */
kiln_tensor *kiln_number(double v);
kiln_tensor *kiln_number_int(int64_t v);

/* Whether no NaN among the elements of a CPU tensor has bits that LuaJIT takes for a value of its
** own, as files and uninitialised memory may hold them; and gives those that have the usual bits.
** For code that reads through a pointer.  The processor's own NaN may count as one of them. */
bool kiln_tensor_is_tidy(kiln_tensor *x);
void kiln_tensor_tidy(kiln_tensor *x);

/* The element of a one-element tensor: 1 in *v (double), 2 in *i (int64), negative on error. */
int32_t kiln_tensor_item(kiln_tensor *x, double *v, int64_t *i);

/* Makes x an alias of y (same storage, dtype, shape, stride).  x must be a leaf, which it stays;
** y must not require grad.  as_view: what is recorded of either is from now on seen by both. */
int32_t kiln_tensor_set(kiln_tensor *x, kiln_tensor *y, bool as_view);
/* Gives x the shape, strides and history of y, which is a view of x. */
int32_t kiln_tensor_become(kiln_tensor *x, kiln_tensor *y);
/* Changes the shape in place, growing the storage if needed; new elements are not initialised. */
int32_t kiln_tensor_resize(kiln_tensor *x, const int64_t *shape, int32_t ndim);

kiln_storage *kiln_storage_new(int64_t bytes, int32_t device);
kiln_storage *kiln_storage_retain(kiln_storage *s);
void kiln_storage_release(kiln_storage *s);
int64_t kiln_storage_bytes(const kiln_storage *s);
void *kiln_storage_data(const kiln_storage *s);
int32_t kiln_storage_device(const kiln_storage *s);
int32_t kiln_storage_resize(kiln_storage *s, int64_t bytes);
int32_t kiln_storage_refs(const kiln_storage *s);

/* While a storage is held its memory stays where it is: what would move it fails and names the
** holder.  For code that goes through a pointer while a function of somebody else's runs.  A hold
** is a reference, too; NULL when there are too many. */
enum { KILN_HOLD_LOOP = 0, KILN_HOLD_GRADCHECK = 1 };
kiln_storage *kiln_storage_hold(kiln_storage *s, int32_t holder);
void kiln_storage_let_go(kiln_storage *s);

int32_t kiln_dtype_size(int32_t dtype);
const char *kiln_dtype_name(int32_t dtype);
int32_t kiln_promote(int32_t a, int32_t b);
/* What two operands are computed in: tensors with dims decide before others, numbers come last. */
int32_t kiln_result_type(kiln_tensor *x, kiln_tensor *y);
int32_t kiln_default_dtype(void);
void kiln_set_default_dtype(int32_t dtype); /* a floating dtype */
/* Converts n contiguous numbers; used between Lua tables, files and tensors. */
void kiln_convert(void *dst, int32_t dst_dtype, const void *src, int32_t src_dtype, int64_t n);

/* -- Workers and channels ------------------------------------------------------------------ */

typedef struct kiln_worker kiln_worker;
typedef struct kiln_channel kiln_channel;

/* Starts an OS thread that makes a Lua state with the standard libraries, runs `code` in it (Lua
** source, with `argument` as ...) and closes it.  The caller joins or abandons it, once.  It draws
** from a random generator of its own and leaves signals to the other threads. */
kiln_worker *kiln_worker_start(const char *code, size_t n_code, const char *argument,
                               size_t n_argument);
bool kiln_worker_is_done(const kiln_worker *t);
int32_t kiln_worker_join(kiln_worker *t); /* waits; negative when its code raised an error */
void kiln_worker_abandon(kiln_worker *t); /* it goes on alone */

/* A queue of byte strings for any number of threads, each of which holds a reference. */
kiln_channel *kiln_channel_new(void);
kiln_channel *kiln_channel_retain(kiln_channel *c);
void kiln_channel_release(kiln_channel *c);
int32_t kiln_channel_push(kiln_channel *c, const char *bytes, size_t n);
/* The first message, *n bytes, to be given to kiln_channel_done(); waits for one `seconds`, or for
** ever if they are negative.  NULL when time is over, when the channel is closed and empty, and at
** Ctrl-C in a wait without end (KILN_EINTR). */
const char *kiln_channel_pop(kiln_channel *c, double seconds, size_t *n);
void kiln_channel_done(const char *bytes);
void kiln_channel_close(kiln_channel *c); /* nobody waits on it any more */

/* -- Random numbers ------------------------------------------------------------------------ */

void kiln_seed(int32_t device, uint64_t seed);
uint64_t kiln_initial_seed(int32_t device);
/* From now on this thread draws from a generator of its own, which starts from the seed. */
int32_t kiln_rng_own(uint64_t seed);
void kiln_rng_get(int32_t device, uint64_t *seed, uint64_t *offset);
void kiln_rng_set(int32_t device, uint64_t seed, uint64_t offset);

/* -- Autograd ------------------------------------------------------------------------------ */

bool kiln_grad_enabled(void);
bool kiln_set_grad_enabled(bool on); /* returns what it was */

/* While it is on, what is computed without recording from tensors that require grad is noted: it
** is derived.  Returns what it was. */
bool kiln_set_noting(bool on);
bool kiln_is_derived(const kiln_tensor *x); /* and no history says how */
void kiln_forget_derived(kiln_tensor *x);   /* it is a constant from now on */

/* While this thread notes, the memory of those of n tensors whose writes cannot be recorded (leaves
** that require grad, and views of such) is not to be written without recording either.  Returns how
** many were protected before, which is what to go back to. */
int32_t kiln_protect(kiln_tensor *const *x, int32_t n);
void kiln_protect_only(int32_t first);

/* Autocast of this thread for one kind of device (0: the CPU, 1: accelerators): the half dtype that
** products run in, or -1. */
int32_t kiln_autocast(int32_t kind);
int32_t kiln_set_autocast(int32_t kind, int32_t dtype);
void kiln_autocast_forget(void); /* lets go of the casts of weights that were kept */

bool kiln_requires_grad(kiln_tensor *x);
int32_t kiln_set_requires_grad(kiln_tensor *x, bool on);
bool kiln_is_leaf(kiln_tensor *x);
bool kiln_is_volatile(const kiln_tensor *x);
void kiln_set_volatile(kiln_tensor *x, bool on);
kiln_tensor *kiln_grad(kiln_tensor *x); /* a new reference, NULL when there is none */
int32_t kiln_set_grad(kiln_tensor *x, kiln_tensor *g); /* g NULL clears */
int32_t kiln_retain_grad(kiln_tensor *x);
int32_t kiln_detach_(kiln_tensor *x);

/* Row-sparse gradients, which embedding gives with `sparse`: the rows of a tensor [n, ...] at some
** positions, sorted and distinct; all others are 0.  They are no operands: ops refuse them. */
bool kiln_is_rows(const kiln_tensor *x);
kiln_tensor *kiln_rows_index(kiln_tensor *x);  /* int64 [k], from 1 */
kiln_tensor *kiln_rows_values(kiln_tensor *x); /* [k, ...], the memory of x itself */
kiln_tensor *kiln_rows_dense(kiln_tensor *x);  /* an ordinary tensor */

/* The node that made x: lent, NULL for a leaf. */
kiln_node *kiln_peek_node(kiln_tensor *x);
const char *kiln_node_name(const kiln_node *n);
int64_t kiln_node_sequence(const kiln_node *n);
int32_t kiln_node_inputs(const kiln_node *n);
kiln_node *kiln_peek_input(const kiln_node *n, int32_t i); /* NULL where no gradient flows */
kiln_tensor *kiln_peek_leaf(const kiln_node *n);           /* the tensor of an accumulation node */

/* A backward pass.  kiln_backward() prepares one; the caller then calls kiln_task_run() until it
** returns KILN_TASK_DONE or fails, does what it asks for in between, and frees the task.
** roots: n tensors; seeds: their gradients, NULL for ones (scalars only).
** inputs: when n_inputs > 0, gradients are collected for these tensors only (kiln_task_result)
** unless `accumulate`, which adds them to .grad instead.  check_nan: a node whose gradient has NaN
** in it fails.  A run that failed with KILN_ENOMEM can be called again: nothing is done twice. */
enum { KILN_TASK_DONE = 0, KILN_TASK_CALL = 1, KILN_TASK_HOOK = 2, KILN_TASK_AGAIN = 3 };
kiln_task *kiln_backward(kiln_tensor *const *roots, kiln_tensor *const *seeds, int32_t n,
                         kiln_tensor *const *inputs, int32_t n_inputs, bool retain_graph,
                         bool create_graph, bool accumulate, bool check_nan);
int32_t kiln_task_run(kiln_task *t);
int64_t kiln_task_progress(const kiln_task *t); /* nodes that are done */
void kiln_task_free(kiln_task *t);
kiln_tensor *kiln_task_result(kiln_task *t, int32_t i); /* new reference or NULL */
/* While run() has returned another value than KILN_TASK_DONE: */
int64_t kiln_task_key(const kiln_task *t);   /* what to call */
int32_t kiln_task_count(const kiln_task *t); /* gradients in: outputs of the node, or 1 */
bool kiln_task_has_grad(const kiln_task *t, int32_t i);
kiln_tensor *kiln_task_grad(const kiln_task *t, int32_t i);      /* its shape is the caller's */
int32_t kiln_task_wanted(const kiln_task *t, int32_t i);         /* does input i need one */
int32_t kiln_task_give(kiln_task *t, int32_t i, kiln_tensor *g); /* answers; g NULL is none */
kiln_node *kiln_peek_task_node(const kiln_task *t);
kiln_node *kiln_peek_task_region(const kiln_task *t); /* KILN_TASK_AGAIN: which is to run again */

/* A node whose backward is written in Lua.  `key` names it on the Lua side and is reported by
** kiln_dead_key() once the node is gone.  outputs get the node as their grad_fn (NULL entries are
** not differentiable); dirty[i]: output i is an input that forward wrote in place.  The node is a
** reference of the caller's, given back with kiln_node_release(). */
kiln_node *kiln_node_lua(int64_t key, const char *name, kiln_tensor *const *inputs,
                         int32_t n_inputs, kiln_tensor *const *outputs, int32_t n_outputs,
                         const bool *dirty);
void kiln_node_release(kiln_node *n);
int32_t kiln_node_save(kiln_node *n, kiln_tensor *x, bool is_output); /* returns its position */
kiln_tensor *kiln_node_saved(kiln_node *n, int32_t i);                /* checks the version */
/* A tensor without elements that comes from where input i of n came from; NULL where that has no
** history, or memory is out. */
kiln_tensor *kiln_node_input(kiln_node *n, int32_t i);

/* A region: what a function records that will run again in backward, so that its values need not
** be kept.  It saves the function's arguments x (kiln_node_saved), has a key as nodes have that
** are written in Lua, and is given back with kiln_node_release().  A run lasts from begin() to
** end(); this thread's ops belong to it from enter() to exit(), as often as the function yields.
** After the first run, end() returns how many values were let go; a pass that needs them returns
** KILN_TASK_AGAIN with the key.  It fails when a second run did not save the same again.  ok: the
** function returned. */
kiln_node *kiln_region_new(int64_t key, kiln_tensor *const *x, int32_t n);
int32_t kiln_region_begin(kiln_node *r, bool again);
int32_t kiln_region_enter(kiln_node *r);
int32_t kiln_region_exit(kiln_node *r);
int32_t kiln_region_end(kiln_node *r, bool ok);
bool kiln_region_is_new(kiln_tensor *x); /* this thread's run recorded what x came from */

int32_t kiln_hook_add(kiln_tensor *x, int64_t key);
int32_t kiln_hook_remove(kiln_tensor *x, int64_t key);
/* Which of n tensors nothing holds but each other and Lua values: dead[i].  Each x[i] stands for
** one reference of a Lua value; pairs: n_pairs times a key and a tensor that the key's value holds,
** as numbers, in the order of the keys. */
int32_t kiln_find_cycles(kiln_tensor *const *x, int32_t n, const int64_t *pairs, int32_t n_pairs,
                         bool *dead);
/* A Lua state has a number; keys are number << 32 | anything, so that they find their way home.
** Negative on error. */
int32_t kiln_lua_open(void);
void kiln_lua_close(int32_t state);
int64_t kiln_dead_key(int32_t state); /* 0 when there is none; each key is reported once */

/* Anomaly mode: what this thread records or writes from now on is marked with `trace` (0: none),
** a number that the caller maps to a traceback. */
void kiln_set_trace(int64_t trace);
int64_t kiln_node_trace(const kiln_node *n);
/* After a failed backward: the trace of the op whose gradient failed (0), or of the op that
** overwrote a saved value (1). */
int64_t kiln_error_trace(int32_t which);

/* Profiler: one record an op while it runs. */
typedef struct kiln_event {
  char name[48];
  int64_t start_ns, end_ns, bytes;
  int32_t thread;
  int64_t sequence; /* the node recorded or run, -1 for none */
} kiln_event;
void kiln_profiler_start(void);
int64_t kiln_profiler_stop(void); /* returns the number of events */
const kiln_event *kiln_peek_event(int64_t i);
/* For what is no op: when it begins (0 while no profiler runs), and the record of it at its end. */
int64_t kiln_profile_begin(void);
void kiln_profile_end(const char *name, int64_t begin);

/* -- Fusion -------------------------------------------------------------------------------- */

/* Between begin and end (they nest), ops of each element are put off, and what is held at the
** outermost flush is computed in as few passes over memory as can be.  begin returns the depth or
** fails; a flush that failed may be tried again; end makes what is still not there empty. */
int32_t kiln_fuse_begin(void);
int32_t kiln_fuse_flush(void);
void kiln_fuse_end(void);
bool kiln_fuse_is_pending(const kiln_tensor *x); /* put off, and not in memory yet */

/* -- Accelerators -------------------------------------------------------------------------- */

int32_t kiln_device_count(void); /* accelerators only */
const char *kiln_cuda_why(void); /* why there are none, "" if there are */
/* Whether the op computes in this dtype on the device; halves may take the way over float32. */
bool kiln_has_kernel(const char *op, int32_t dtype, int32_t device);

typedef struct kiln_device_facts {
  char name[256];
  int64_t total_bytes, free_bytes;
  int32_t major, minor; /* compute capability */
  int32_t processors;
  int32_t runtime, driver; /* versions */
} kiln_device_facts;
int32_t kiln_device_describe(int32_t device, kiln_device_facts *facts);

/* What a device's cache holds of its memory, used or not. */
typedef struct kiln_reserved {
  int64_t bytes, peak_bytes;
} kiln_reserved;
const kiln_reserved *kiln_peek_reserved(int32_t device);
void kiln_memory_reset_peak(int32_t device);

/* Waits for all work of the device and raises what kernels found wrong. */
int32_t kiln_device_synchronize(int32_t device);

/* Streams are numbered for each device; 0 is the one that work goes to unless the thread says
** otherwise.  They are made once and kept. */
int32_t kiln_stream_new(int32_t device, int32_t priority); /* its number; priority < 0: urgent */
int32_t kiln_stream_use(int32_t device, int32_t stream);   /* for this thread; what it was */
int32_t kiln_stream_current(int32_t device);
int32_t kiln_stream_query(int32_t device, int32_t stream); /* 1 when all its work is done */
int32_t kiln_stream_wait(int32_t device, int32_t stream);
/* x is used by work on that stream: its memory is not given to others before that is done. */
int32_t kiln_stream_keep(kiln_tensor *x, int32_t stream);

/* A point in a stream's work. */
typedef struct kiln_mark kiln_mark;
kiln_mark *kiln_mark_new(int32_t device, bool timing);
void kiln_mark_free(kiln_mark *m);
int32_t kiln_mark_device(const kiln_mark *m);
int32_t kiln_mark_record(kiln_mark *m, int32_t stream);
int32_t kiln_mark_query(kiln_mark *m);
int32_t kiln_mark_wait(kiln_mark *m);
/* Work that is queued on the stream from now on comes after the mark. */
int32_t kiln_mark_before(kiln_mark *m, int32_t device, int32_t stream);
int32_t kiln_mark_elapsed(kiln_mark *from, kiln_mark *to, double *ms);

/* Graphs: the work of this thread on a device, captured once and launched again and again.  Between
** begin and end nothing runs there: ops have results whose values come with the first launch.  What
** the graph uses stays in memory until it is freed, which waits for its last launch.  `share`: a
** graph whose memory it may use too, or NULL; the two must not run beside each other.  After an
** error inside end fails; freeing ends a capture that is under way. */
typedef struct kiln_graph kiln_graph;
kiln_graph *kiln_graph_begin(int32_t device, kiln_graph *share);
int32_t kiln_graph_end(kiln_graph *g);
int32_t kiln_graph_replay(kiln_graph *g); /* on this thread's stream, with fresh random numbers */
void kiln_graph_free(kiln_graph *g);
bool kiln_graph_is_capturing(void); /* this thread */
/* Until resumed (false), work runs at once; false when there was nothing to pause or resume. */
bool kiln_graph_pause(bool on);
/* From now on optimizers' steps of this thread read their numbers from `numbers` (12 float64, in
** the row's order) when they run, and are not taken where `unless` (one float32) is not 0 then.
** Lent; NULL for each: as the call says, always.  On accelerators only. */
int32_t kiln_step_from(kiln_tensor *numbers, kiln_tensor *unless);

/* Ranges for profilers: what the vendor's library returns (levels, negative: nobody looks). */
int32_t kiln_range_push(const char *name);
int32_t kiln_range_pop(void);
void kiln_range_mark(const char *name);

/* A copy of a CPU tensor in memory that accelerators reach: copies from and to it need not wait.
** Without an accelerator x itself. */
kiln_tensor *kiln_tensor_pin(kiln_tensor *x);
bool kiln_tensor_is_pinned(const kiln_tensor *x);

#ifdef __cplusplus
}
#endif
#endif
