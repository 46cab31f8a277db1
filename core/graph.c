/* graph.c: graphs of an accelerator's work: what this thread captures, and what it cannot.  While
** it captures, ops on the device are recorded, not run: their results have memory, but no values.
** A refusal spoils the capture: a graph that lacks an op must not be launched.
**
** It refuses to know vendors: the backend captures and launches.
*/
#include "internal.h"

struct kiln_graph {
  int32_t device;
  int32_t op;     /* the outermost op that runs; -1: none */
  uint64_t drawn; /* random counters that a launch takes */
  bool open, spoilt;
  void *work; /* the backend's */
};

KILN_HOT_TLS kiln_graph *kiln__capturing;
static _Thread_local kiln_graph *paused;

static const kiln_accelerator *accelerator(const kiln_graph *g) {
  return kiln__backend(g->device)->accelerator;
}

int32_t kiln__capture_refuse(const char *what, const char *why) {
  kiln_graph *g = kiln__capturing;
  g->spoilt = true;
  if (g->op >= 0)
    return kiln__fail_op(g->op, KILN_EARG, "%s while a graph is being captured", why);
  return kiln_fail(KILN_EARG, "%s: %s while a graph is being captured", what, why);
}

bool kiln__capture_enter(int32_t op) {
  if (kiln__capturing->op >= 0)
    return false;
  kiln__capturing->op = op;
  return true;
}

void kiln__capture_leave(void) {
  if (kiln__capturing)
    kiln__capturing->op = -1;
}

int32_t kiln__capture_use(kiln_tensor *const *x, int32_t n) {
  const kiln_graph *g = kiln__capturing;
  int32_t status = KILN_OK;
  for (int32_t i = 0; i < n && status >= 0; i++) {
    if (x[i] && x[i]->device > 0 && x[i]->storage->data)
      status = accelerator(g)->graph_use(x[i]->device, x[i]->storage->data);
  }
  return status;
}

uint64_t kiln__capture_draw(uint64_t n) {
  uint64_t first = kiln__capturing->drawn;
  kiln__capturing->drawn += n;
  return first;
}

/* -- What others call ------------------------------------------------------------------------- */

kiln_graph *kiln_graph_begin(int32_t device, kiln_graph *share) {
  const kiln_backend *b = device > 0 ? kiln__backend(device) : NULL;
  if (!b) {
    kiln_fail(KILN_EARG, "capture: %s is no CUDA device of this machine; there are %d",
              kiln__device_text(device), kiln_device_count());
    return NULL;
  }
  if (kiln__capturing || paused) {
    kiln_fail(KILN_EARG, "capture: this thread is capturing a graph already");
    return NULL;
  }
  if (share && share->device != device) {
    kiln_fail(KILN_EARG, "capture: the memory to share is on %s, the graph on %s",
              kiln__device_text(share->device), kiln__device_text(device));
    return NULL;
  }
  kiln_graph *g = calloc(1, sizeof *g);
  if (!g) {
    kiln_fail(KILN_ENOMEM, "capture: out of memory");
    return NULL;
  }
  g->device = device;
  g->op = -1;
  kiln_autocast_forget(); /* casts made outside would not follow the weights, nor those made inside
                           */
  if (b->accelerator->graph_begin(device, share ? share->work : NULL, &g->work) < 0) {
    free(g);
    return NULL;
  }
  g->open = true;
  kiln__capturing = g;
  return g;
}

/* Ends the capture, whatever became of it. */
static int32_t end(kiln_graph *g) {
  if (paused == g)
    kiln_graph_pause(false);
  KILN_ASSERT(kiln__capturing == g);
  kiln_autocast_forget();
  g->open = false;
  kiln__capturing = NULL;
  return accelerator(g)->graph_end(g->work);
}

int32_t kiln_graph_end(kiln_graph *g) {
  if (!g->open || (kiln__capturing != g && paused != g))
    return kiln_fail(KILN_EARG, "capture: this thread is not capturing the graph");
  int32_t status = end(g);
  if (status < 0 || g->spoilt) {
    g->spoilt = true;
    return status < 0 ? status : kiln_fail(KILN_EARG, "capture: an error inside has ended it");
  }
  return KILN_OK;
}

int32_t kiln_graph_replay(kiln_graph *g) {
  uint64_t seed, first;
  if (kiln__capturing)
    return kiln__capture_refuse("replay", "graphs are not launched");
  if (g->open || g->spoilt)
    return kiln_fail(KILN_EARG, "replay: the graph %s",
                     g->open ? "is still being captured" : "could not be captured");
  kiln__rng_take(g->device, g->drawn, &seed, &first);
  return accelerator(g)->graph_replay(g->work, seed, first);
}

void kiln_graph_free(kiln_graph *g) {
  if (!g)
    return;
  bool failing = kiln_error_code() != 0;
  if (g->open && end(g) < 0 && !failing)
    kiln_error_clear();
  accelerator(g)->graph_free(g->work);
  free(g);
}

bool kiln_graph_pause(bool on) {
  kiln_graph *g = on ? kiln__capturing : paused;
  if (!g)
    return false;
  accelerator(g)->graph_pause(on);
  paused = on ? g : NULL;
  kiln__capturing = on ? NULL : g;
  return true;
}

bool kiln_graph_is_capturing(void) { return kiln__capturing != NULL; }
