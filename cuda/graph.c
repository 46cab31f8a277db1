/* graph.c: graphs: the work of a thread on one device, captured once and launched again and again.
** A capture runs on a stream that nothing else uses, so work of other threads cannot get into it.
** It refuses whatever makes the host wait, and work on streams that are not part of the capture.
**
** Captures are relaxed: CUDA does not watch for calls that are unsafe meanwhile.  What would be is
** refused here, or put off in memory.c.
*/
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

typedef struct hold {
  int32_t device;
  void *block;
} hold;

typedef struct graph {
  int32_t device;
  int32_t before; /* the thread's stream outside of the capture */
  int64_t number;
  kiln_private *memory;
  cudaGraphExec_t exec;
  cudaEvent_t done; /* the last launch */
  bool launched;
  uint64_t *random; /* on the device: the seed and the first counter of a launch */
  hold *held;
  int32_t n_held, room;
} graph;

static _Thread_local graph *capturing, *paused;
static bool under_way[KILN_CUDA_MAX_DEVICES + 1];

bool kiln__cuda_is_capturing(void) { return capturing != NULL; }

int32_t kiln__cuda_may_wait(const char *what) {
  return capturing ? kiln__capture_refuse(what, "the host cannot wait for a device") : KILN_OK;
}

static bool is_captured(int32_t device) {
  enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return device == capturing->device &&
         cudaStreamIsCapturing(kiln__cuda_stream(device), &status) == cudaSuccess &&
         status == cudaStreamCaptureStatusActive;
}

int32_t kiln__cuda_graph_admits(int32_t device, const char *what, const kiln_private **memory) {
  *memory = capturing ? capturing->memory : NULL;
  if (!capturing || is_captured(device))
    return KILN_OK;
  return kiln__capture_refuse(what,
                              device == capturing->device
                                  ? "a stream that does not wait for the captured one is not used"
                                  : "another device is not used");
}

int32_t kiln__cuda_graph_use(int32_t device, const void *data) {
  graph *g = capturing;
  void *block = g ? kiln__cuda_hold(device, data, g->memory, g->number) : NULL;
  if (!block)
    return KILN_OK;
  if (g->n_held == g->room) {
    int32_t room = g->room ? 2 * g->room : 64;
    hold *held = realloc(g->held, (size_t)room * sizeof *held);
    if (!held) {
      kiln__cuda_let_go(device, block);
      return kiln_fail(KILN_ENOMEM, "capture: out of memory");
    }
    g->held = held;
    g->room = room;
  }
  g->held[g->n_held++] = (hold){device, block};
  return KILN_OK;
}

const uint64_t *kiln__cuda_graph_random(int32_t device) {
  return capturing && capturing->device == device ? capturing->random : NULL;
}

/* -- Capturing ----------------------------------------------------------------------------------
 */

int32_t kiln__cuda_graph_begin(int32_t device, void *share, void **made) {
  static int64_t numbers;
  const graph *other = share;
  if (__atomic_exchange_n(&under_way[device], true, __ATOMIC_ACQ_REL))
    return kiln_fail(KILN_EARG, "capture: a graph is being captured on cuda:%d already", device);
  graph *g = calloc(1, sizeof *g);
  void *random = NULL, *done = NULL;
  int32_t status = KILN_ENOMEM;
  if (g &&
      (g->memory = other ? kiln__cuda_private_retain(other->memory) : kiln__cuda_private_new()))
    status = kiln__cuda_alloc(device, 2 * sizeof *g->random, &random);
  if (status >= 0)
    status = kiln__cuda_mark_new(device, false, &done);
  if (status >= 0)
    status = kiln__cuda_check(
        cudaStreamBeginCapture(kiln__cuda_stream_handle(device, KILN_CUDA_CAPTURES),
                               cudaStreamCaptureModeRelaxed),
        "capture");
  if (status < 0) {
    if (done)
      kiln__cuda_mark_free(device, done);
    if (random)
      kiln__cuda_free(device, random, 2 * sizeof *g->random);
    if (g)
      kiln__cuda_private_release(device, g->memory);
    free(g);
    __atomic_store_n(&under_way[device], false, __ATOMIC_RELEASE);
    return status == KILN_ENOMEM ? kiln_fail(status, "capture: out of memory") : status;
  }
  g->device = device;
  g->number = __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED);
  g->random = random;
  g->done = done;
  g->before = kiln__cuda_stream_use(device, KILN_CUDA_CAPTURES);
  kiln__cuda_freeze(device, true);
  capturing = g;
  *made = g;
  return KILN_OK;
}

int32_t kiln__cuda_graph_end(void *ended) {
  graph *g = ended;
  cudaGraph_t captured = NULL;
  cudaStream_t stream = kiln__cuda_stream_handle(g->device, KILN_CUDA_CAPTURES);
  capturing = NULL;
  (void)kiln__cuda_stream_use(g->device, g->before);
  int32_t status = kiln__cuda_check(cudaStreamEndCapture(stream, &captured), "capture");
  kiln__cuda_freeze(g->device, false);
  __atomic_store_n(&under_way[g->device], false, __ATOMIC_RELEASE);
  if (status >= 0)
    status = kiln__cuda_check(cudaGraphInstantiate(&g->exec, captured, 0), "capture");
  if (captured)
    (void)cudaGraphDestroy(captured);
  return status;
}

void kiln__cuda_graph_pause(bool on) {
  graph *g = on ? capturing : paused;
  int32_t other = g->before;
  g->before = kiln__cuda_stream_use(g->device, other);
  paused = on ? g : NULL;
  capturing = on ? NULL : g;
}

/* -- Launching ----------------------------------------------------------------------------------
 */

int32_t kiln__cuda_graph_replay(void *launched, uint64_t seed, uint64_t first) {
  graph *g = launched;
  const uint64_t random[2] = {seed, first};
  cudaStream_t stream = kiln__cuda_stream(g->device);
  int32_t status = KILN_OK;
  if (g->launched) /* elsewhere, it may be; launches of a graph come one after the other */
    status = kiln__cuda_check(cudaStreamWaitEvent(stream, g->done, 0), "replay");
  if (status >= 0) /* pageable memory is read before the call returns */
    status = kiln__cuda_check(
        cudaMemcpyAsync(g->random, random, sizeof random, cudaMemcpyHostToDevice, stream),
        "replay");
  if (status >= 0)
    status = kiln__cuda_check(cudaGraphLaunch(g->exec, stream), "replay");
  if (status >= 0)
    status = kiln__cuda_check(cudaEventRecord(g->done, stream), "replay");
  g->launched |= status >= 0;
  return status < 0 ? status : kiln__cuda_launched("replay");
}

void kiln__cuda_graph_free(void *freed) {
  graph *g = freed;
  if (g->launched)
    (void)cudaEventSynchronize(g->done);
  if (g->exec)
    (void)cudaGraphExecDestroy(g->exec);
  for (int32_t i = 0; i < g->n_held; i++)
    kiln__cuda_let_go(g->held[i].device, g->held[i].block);
  kiln__cuda_private_release(g->device, g->memory);
  kiln__cuda_mark_free(g->device, g->done);
  kiln__cuda_free(g->device, g->random, 2 * sizeof *g->random);
  free(g->held);
  free(g);
}
