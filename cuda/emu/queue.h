/* queue.h: what waits in streams and what a capture makes of it, shared by the files that are about
** either.  It refuses to know what a kernel does: that is block.cc's.
*/
#ifndef KILN_EMU_QUEUE_H
#define KILN_EMU_QUEUE_H
#include "internal.h"

#include <time.h>
#include <vector>

namespace kiln_emu {

enum work_kind { WORK_KERNEL, WORK_COPY, WORK_SET, WORK_RECORD, WORK_WAIT, WORK_HOST, WORK_GRAPH };

struct work {
  work_kind kind;
  launch kernel;
  void *dst;
  const void *src;
  void *staged; /* a copy of pageable host memory, freed once done */
  size_t size;
  int value;
  kiln_emu_event *event;
  int64_t generation; /* of the event */
  void (*fn)(void *), (*drop)(void *);
  void *context;
  kiln_emu_exec *exec;
  work *next;
  char order; /* the thread sanitizer's: the host before this */
};

/* The action of a kernel, copy, memset or host function; it can be repeated until work_drop. */
void work_do(const work &w, int device);
void work_drop(work &w);

struct capture;

} // namespace kiln_emu

struct kiln_emu_stream {
  int device;
  unsigned flags;
  kiln_emu::work *head, *tail;
  void *tsan; /* identity that runs its work */
  char order;
  kiln_emu::capture *capturing; /* what takes its work instead; NULL: it runs */
  std::vector<int> tips;        /* the nodes that its next one comes after */
};

struct kiln_emu_event {
  int64_t recorded, done; /* how often */
  int64_t queued;         /* work that names it */
  bool destroyed;
  kiln_emu_stream *stream;
  struct timespec at;
  char order;
  int64_t capture; /* it was last recorded in, or 0 */
  std::vector<int> tips;
};

namespace kiln_emu {

/* -- stream.cc ------------------------------------------------------------------------------- */

void streams_start(void);
kiln_emu_stream *stream_of(cudaStream_t s); /* NULL is the default one of this thread's device */
/* Puts work behind all that is in a stream, or into its capture; the caller fills it in, and calls
** pushed(). */
work *push(kiln_emu_stream *s, work_kind kind);
void pushed(kiln_emu_stream *s);

/* -- graph.cc -------------------------------------------------------------------------------- */

bool is_captured_on(int device); /* some stream of it */
/* cudaSuccess where work may be put on a stream: its capture is intact, and the legacy stream would
** not have to wait for one that is captured. */
cudaError_t capture_admits(const kiln_emu_stream *s);
work *capture_push(kiln_emu_stream *s, work_kind kind);
/* A call that captures of this thread do not allow, unless they are relaxed: ends them. */
cudaError_t capture_unsafe(void);
/* What a captured stream or event cannot do: ends its capture, and answers `e`. */
cudaError_t capture_refuse(capture *c, cudaError_t e);
cudaError_t capture_record(kiln_emu_stream *s, kiln_emu_event *e);
/* cudaErrorNotReady where neither is captured. */
cudaError_t capture_wait(kiln_emu_stream *s, kiln_emu_event *e);
cudaError_t capture_looks_at(kiln_emu_event *e); /* the host wants to know of it */
void graph_run(kiln_emu_exec *exec, kiln_emu_stream *s);
void graph_ran(kiln_emu_exec *exec);

} // namespace kiln_emu
#endif
