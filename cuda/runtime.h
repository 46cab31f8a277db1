/* runtime.h: what the host side of libkiln_cuda shares: NVIDIA's runtime or its double, streams,
** the record of what a kernel found wrong, the list of kernel families.  Plain C; it refuses
** kernels, which see it through kernel.h.
*/
#ifndef KILN_CUDA_RUNTIME_H
#define KILN_CUDA_RUNTIME_H
#ifdef KILN_EMULATED
#include "emu/cudart.h"
#else
#include <cuda_runtime_api.h>
#endif
#include "../core/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { KILN_CUDA_MAX_DEVICES = 16 };

/* -- Memory: memory.c ------------------------------------------------------------------------- */

/* Of a device, ordered with this thread's stream there; of device 0, pinned memory of the host. */
int32_t kiln__cuda_alloc(int32_t device, int64_t bytes, void **data);
void kiln__cuda_free(int32_t device, void *data, int64_t bytes);
/* The block that holds `data` is used by work on this stream too: it is not handed out again before
** that is done. */
void kiln__cuda_used(int32_t device, const void *data, int32_t stream_device, void *stream);
bool kiln__cuda_is_pinned(const void *data);
void kiln__cuda_trim(int32_t device);
kiln_reserved *kiln__cuda_reserved(int32_t device);

/* Memory of graphs: what they allocate is theirs until the last of those that share it lets go. */
typedef struct kiln_private kiln_private;
kiln_private *kiln__cuda_private_new(void); /* NULL without memory */
kiln_private *kiln__cuda_private_retain(kiln_private *m);
void kiln__cuda_private_release(int32_t device, kiln_private *m); /* its work is done */
/* Keeps the block that holds `data` for a graph (a number above 0), even when it is freed: what to
** let go of later; NULL where the graph's own memory holds it, or this graph kept it already. */
void *kiln__cuda_hold(int32_t device, const void *data, const kiln_private *owner, int64_t graph);
void kiln__cuda_let_go(int32_t device, void *held);
/* While frozen, the device's memory is not given back to CUDA. */
void kiln__cuda_freeze(int32_t device, bool on);

/* -- Graphs: graph.c -------------------------------------------------------------------------- */

/* Whether this thread captures, and with which memory (lent, NULL: it does not); negative after
** kiln_fail where it captures, but not on its current stream of the device. */
int32_t kiln__cuda_graph_admits(int32_t device, const char *what, const kiln_private **memory);
/* What this thread's capture, if any, uses; `device` 0 is pinned memory of the host. */
int32_t kiln__cuda_graph_use(int32_t device, const void *data);
bool kiln__cuda_is_capturing(void); /* this thread */
/* Negative after kiln_fail, naming the op, where this thread captures: the host cannot wait. */
int32_t kiln__cuda_may_wait(const char *what);
/* Where a launch of this thread finds the seed and the first counter when it runs; NULL: in the
** call. */
const uint64_t *kiln__cuda_graph_random(int32_t device);
/* The services of kiln_accelerator that are about graphs. */
int32_t kiln__cuda_graph_begin(int32_t device, void *share, void **graph);
int32_t kiln__cuda_graph_end(void *graph);
int32_t kiln__cuda_graph_replay(void *graph, uint64_t seed, uint64_t first);
void kiln__cuda_graph_free(void *graph);
void kiln__cuda_graph_pause(bool on);

/* -- Streams: stream.c ------------------------------------------------------------------------ */

/* The stream that this thread's work on the device goes to.  The device becomes this thread's
** current one.  Lent: good for launches of this call. */
void *kiln__cuda_stream(int32_t device);
/* After a launch: 0, or kiln_fail with the reason.  With KILN_CUDA_SYNC=1 it waits, and reports
** what the kernel itself found wrong. */
int32_t kiln__cuda_launched(const char *op);
/* kiln_fail with what the runtime says, unless `status` is success. */
int32_t kiln__cuda_check(cudaError_t status, const char *what);
/* Waits for this thread's stream and raises what kernels found wrong. */
int32_t kiln__cuda_wait(int32_t device);
enum { KILN_CUDA_CAPTURES = 65 }; /* the stream of a device that captures run on */
/* The services of kiln_accelerator that are about streams. */
int32_t kiln__cuda_synchronize(int32_t device);
int32_t kiln__cuda_stream_new(int32_t device, int32_t priority);
int32_t kiln__cuda_stream_use(int32_t device, int32_t stream);
int32_t kiln__cuda_stream_current(int32_t device);
int32_t kiln__cuda_stream_query(int32_t device, int32_t stream);
int32_t kiln__cuda_stream_wait(int32_t device, int32_t stream);
void *kiln__cuda_stream_handle(int32_t device, int32_t stream);
int32_t kiln__cuda_mark_new(int32_t device, bool timing, void **mark);
void kiln__cuda_mark_free(int32_t device, void *mark);
int32_t kiln__cuda_mark_record(int32_t device, void *mark, int32_t stream);
int32_t kiln__cuda_mark_query(void *mark);
int32_t kiln__cuda_mark_wait(int32_t device, void *mark);
int32_t kiln__cuda_mark_before(int32_t device, int32_t stream, void *mark);
int32_t kiln__cuda_mark_elapsed(void *from, void *to, double *ms);

/* -- What a kernel found wrong ---------------------------------------------------------------- */

/* One a device, in host memory that kernels can write; `about` and what follows is kiln_blame's. */
typedef struct kiln_cuda_error {
  int32_t claimed;
  int32_t ndim;
  int64_t shape[KILN_MAX_DIMS];
  int64_t value, position, low, high; /* high: INT64_MAX where any finite number will do */
  const char *op, *what;
  bool real; /* value holds the bytes of a double */
} kiln_cuda_error;
kiln_cuda_error *kiln__cuda_error_slot(int32_t device);

/* What a launch says of an element of `index` (lent, for its shape) that is outside low..high:
** "OP: WHAT 7 at position [2, 3] is out of range 1..5".  Goes to the kernel by value, which calls
** kiln_complain(); the next synchronising point raises it.  op and what are string constants. */
typedef struct kiln_blame {
  kiln_cuda_error *slot;
  kiln_cuda_error about;
} kiln_blame;
kiln_blame kiln__cuda_blame(const char *op, const char *what, const kiln_tensor *index, int64_t low,
                            int64_t high);

/* -- Families --------------------------------------------------------------------------------- */

/* Each is cuda/NAME.cu, which ends in kiln__cuda_NAME and kiln__cuda_NAME_n. */
/* clang-format off */
#define KILN_CUDA_FAMILIES(X)                                                                      \
  X(elementwise) X(reduce) X(copy) X(create) X(shape) X(random)                                    \
  X(scan) X(index) X(sort) X(matmul) X(softmax) X(attention) X(conv)                               \
  X(pool) X(norm) X(optim) X(rnn) X(linalg) X(loss)
/* clang-format on */

#define KILN_CUDA_DECLARE(family)                                                                  \
  extern const kiln_entry kiln__cuda_##family[];                                                   \
  extern const int32_t kiln__cuda_##family##_n;
KILN_CUDA_FAMILIES(KILN_CUDA_DECLARE)
#undef KILN_CUDA_DECLARE

#ifdef __cplusplus
}
#endif
#endif
