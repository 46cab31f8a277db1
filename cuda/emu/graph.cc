/* graph.cc: captures and graphs.  While a stream is captured, its work becomes nodes of a graph,
** with their arguments by value, ordered by streams and events as CUDA orders them.  A launch puts
** the graph into a stream as one piece of work; its nodes then run in an order that the setting
** `order` chooses among those that their dependencies allow.
**
** It refuses child graphs, updates of graphs, and copies of pageable memory: those that CUDA takes
** would read at each launch what the host has long used for something else.
*/
#include "queue.h"

#include <pthread.h>

using namespace kiln_emu;

namespace {

struct node {
  work what;
  std::vector<int> after;
  int device, lane; /* lane: which of the captured streams it is of */
  int waits;        /* for how many nodes, in the launch under way */
  char order;
};

} // namespace

struct kiln_emu_graph {
  int refs;
  std::vector<node *> nodes;
  std::vector<kiln_emu_stream *> lanes;
};

struct kiln_emu_exec {
  kiln_emu_graph *graph;
  int queued; /* launches that have not run */
  bool destroyed;
  std::vector<void *> tsan; /* an identity a lane */
  char order;
};

namespace kiln_emu {

struct capture {
  int64_t id;
  kiln_emu_stream *origin;
  cudaStreamCaptureMode mode;
  pthread_t by;
  bool broken;
  kiln_emu_graph *graph;
};

static std::vector<capture *> captures;

/* -- Capturing --------------------------------------------------------------------------------- */

static capture *find_capture(int64_t id) {
  for (capture *c : captures)
    if (c->id == id)
      return c;
  return NULL;
}

bool is_captured_on(int device) {
  for (const capture *c : captures)
    for (const kiln_emu_stream *s : c->graph->lanes)
      if (s->device == device && s->capturing == c)
        return true;
  return false;
}

cudaError_t capture_refuse(capture *c, cudaError_t e) {
  if (c)
    c->broken = true;
  return fail(e);
}

cudaError_t capture_unsafe(void) {
  bool refused = false;
  for (capture *c : captures) {
    bool mine = pthread_equal(c->by, pthread_self());
    if (c->mode == cudaStreamCaptureModeRelaxed ||
        (c->mode == cudaStreamCaptureModeThreadLocal && !mine))
      continue;
    c->broken = refused = true;
  }
  return refused ? fail(cudaErrorStreamCaptureUnsupported) : cudaSuccess;
}

cudaError_t capture_admits(const kiln_emu_stream *s) {
  if (s->capturing)
    return s->capturing->broken ? fail(cudaErrorStreamCaptureInvalidated) : cudaSuccess;
  if (s != stream_of(NULL))
    return cudaSuccess;
  for (capture *c : captures)
    for (const kiln_emu_stream *lane : c->graph->lanes)
      if (lane->device == s->device && !(lane->flags & cudaStreamNonBlocking))
        return capture_refuse(c, cudaErrorStreamCaptureImplicit);
  return cudaSuccess;
}

static int lane_of(capture *c, kiln_emu_stream *s) {
  std::vector<kiln_emu_stream *> &lanes = c->graph->lanes;
  for (size_t i = 0; i < lanes.size(); i++)
    if (lanes[i] == s)
      return (int)i;
  lanes.push_back(s);
  return (int)lanes.size() - 1;
}

work *capture_push(kiln_emu_stream *s, work_kind kind) {
  capture *c = s->capturing;
  node *n = new node();
  n->what.kind = kind;
  n->after = s->tips;
  n->device = s->device;
  n->lane = lane_of(c, s);
  c->graph->nodes.push_back(n);
  s->tips.assign(1, (int)c->graph->nodes.size() - 1);
  return &n->what;
}

cudaError_t capture_record(kiln_emu_stream *s, kiln_emu_event *e) {
  e->capture = s->capturing ? s->capturing->id : 0;
  e->tips = s->tips;
  return cudaSuccess;
}

cudaError_t capture_wait(kiln_emu_stream *s, kiln_emu_event *e) {
  if (!s->capturing && !e->capture)
    return cudaErrorNotReady;
  capture *c = find_capture(e->capture);
  if (e->capture && !c)
    return capture_refuse(s->capturing, cudaErrorCapturedEvent);
  if (!c)
    return e->recorded == 0 ? cudaSuccess
                            : capture_refuse(s->capturing, cudaErrorStreamCaptureIsolation);
  if (s->capturing && s->capturing != c) {
    s->capturing->broken = true;
    return capture_refuse(c, cudaErrorStreamCaptureMerge);
  }
  s->capturing = c;
  (void)lane_of(c, s);
  for (int tip : e->tips)
    s->tips.push_back(tip);
  return cudaSuccess;
}

cudaError_t capture_looks_at(kiln_emu_event *e) {
  return e->capture ? capture_refuse(find_capture(e->capture), cudaErrorCapturedEvent)
                    : capture_unsafe();
}

/* Marks `tip` and all that it comes after. */
static void mark_before(const kiln_emu_graph *g, int tip, std::vector<bool> *marked) {
  std::vector<int> left(1, tip);
  while (!left.empty()) {
    int i = left.back();
    left.pop_back();
    if ((*marked)[(size_t)i])
      continue;
    (*marked)[(size_t)i] = true;
    left.insert(left.end(), g->nodes[(size_t)i]->after.begin(), g->nodes[(size_t)i]->after.end());
  }
}

/* Whether all that forked off came back to the stream that was captured first. */
static bool is_joined(const capture *c) {
  std::vector<bool> marked(c->graph->nodes.size());
  for (int tip : c->origin->tips)
    mark_before(c->graph, tip, &marked);
  for (const kiln_emu_stream *s : c->graph->lanes)
    for (int tip : s->tips)
      if (!marked[(size_t)tip])
        return false;
  return true;
}

static void graph_release(kiln_emu_graph *g) {
  if (--g->refs > 0)
    return;
  for (node *n : g->nodes) {
    work_drop(n->what);
    delete n;
  }
  delete g;
}

/* -- Launching --------------------------------------------------------------------------------- */

static void exec_release(kiln_emu_exec *x) {
  if (x->queued > 0 || !x->destroyed)
    return;
  TSAN(for (void *lane : x->tsan) __tsan_destroy_fiber(lane);)
  graph_release(x->graph);
  delete x;
}

void graph_ran(kiln_emu_exec *x) {
  x->queued--;
  exec_release(x);
}

/* Which of the nodes that wait for nothing runs next. */
static size_t choose(size_t n) {
  return config.order == ORDER_FORWARD   ? 0
         : config.order == ORDER_REVERSE ? n - 1
                                         : random_below((unsigned)n);
}

void graph_run(kiln_emu_exec *x, kiln_emu_stream *s) {
  std::vector<node *> &nodes = x->graph->nodes;
  std::vector<size_t> ready;
  (void)s;
  TSAN(__tsan_release(&x->order);)
  for (size_t i = 0; i < nodes.size(); i++) {
    nodes[i]->waits = (int)nodes[i]->after.size();
    if (nodes[i]->waits == 0)
      ready.push_back(i);
  }
  while (!ready.empty()) {
    size_t at = choose(ready.size()), i = ready[at];
    node *n = nodes[i];
    ready.erase(ready.begin() + (ptrdiff_t)at);
    TSAN(__tsan_switch_to_fiber(x->tsan[(size_t)n->lane], NO_ORDER); __tsan_acquire(&x->order);
         for (int k
              : n->after) __tsan_acquire(&nodes[(size_t)k]->order);)
    work_do(n->what, n->device);
    TSAN(__tsan_release(&n->order); __tsan_switch_to_fiber(s->tsan, NO_ORDER);)
    for (size_t k = i + 1; k < nodes.size(); k++)
      for (int before : nodes[k]->after)
        if ((size_t)before == i && --nodes[k]->waits == 0)
          ready.push_back(k);
  }
  TSAN(for (node *n : nodes) __tsan_acquire(&n->order);)
}

} // namespace kiln_emu

/* -- The runtime's side --------------------------------------------------------------------------
 */

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
  static int64_t made;
  lock l;
  kiln_emu_stream *s = stream_of(stream);
  if (!stream || s->capturing)
    return fail(cudaErrorStreamCaptureUnsupported);
  capture *c = new capture();
  c->id = ++made;
  c->origin = s;
  c->mode = mode;
  c->by = pthread_self();
  c->graph = new kiln_emu_graph();
  c->graph->refs = 1;
  c->graph->lanes.push_back(s);
  captures.push_back(c);
  s->capturing = c;
  s->tips.clear();
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
  lock l;
  kiln_emu_stream *s = stream_of(stream);
  capture *c = s->capturing;
  *graph = NULL;
  if (!c || c->origin != s)
    return capture_refuse(c, cudaErrorStreamCaptureUnmatched);
  if (c->mode != cudaStreamCaptureModeRelaxed && !pthread_equal(c->by, pthread_self()))
    return capture_refuse(c, cudaErrorStreamCaptureWrongThread);
  cudaError_t status = c->broken      ? cudaErrorStreamCaptureInvalidated
                       : is_joined(c) ? cudaSuccess
                                      : cudaErrorStreamCaptureUnjoined;
  for (kiln_emu_stream *lane : c->graph->lanes) {
    lane->capturing = NULL;
    lane->tips.clear();
  }
  for (size_t i = 0; i < captures.size(); i++)
    if (captures[i] == c)
      captures.erase(captures.begin() + (ptrdiff_t)i);
  if (status == cudaSuccess)
    *graph = c->graph;
  else
    graph_release(c->graph);
  delete c;
  return fail(status);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
  lock l;
  const capture *c = stream_of(stream)->capturing;
  *status = !c          ? cudaStreamCaptureStatusNone
            : c->broken ? cudaStreamCaptureStatusInvalidated
                        : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long flags) {
  lock l;
  (void)flags;
  kiln_emu_exec *x = new kiln_emu_exec();
  x->graph = graph;
  graph->refs++;
  TSAN(for (size_t i = 0; i < graph->lanes.size(); i++) x->tsan.push_back(__tsan_create_fiber(0));)
  *exec = x;
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  lock l;
  graph_release(graph);
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  lock l;
  kiln_emu_stream *s = stream_of(stream);
  if (s->capturing)
    return capture_refuse(s->capturing, cudaErrorStreamCaptureUnsupported);
  cudaError_t status = capture_admits(s);
  if (status != cudaSuccess)
    return status;
  push(s, WORK_GRAPH)->exec = exec;
  exec->queued++;
  pushed(s);
  return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  lock l;
  exec->destroyed = true;
  exec_release(exec);
  return cudaSuccess;
}

} /* extern "C" */
