/* pass.h: a backward pass under way: what pass.c, which finds the nodes and keeps their order and
** their gradients, shares with engine.c, which runs them.  It refuses to be read by anyone else.
*/
#ifndef KILN_PASS_H
#define KILN_PASS_H
#include "internal.h"
#include "places.h"

typedef struct entry {
  kiln_node *node;
  int32_t waits; /* gradients still to come */
  bool needed, captured;
  kiln_tensor **g; /* n_out slots; NULL until the first gradient arrives.  Their versions follow */
} entry;

typedef struct capture {
  kiln_node *node;
  int32_t nr;
  kiln_tensor *target; /* no leaf, and the gradient goes into its .grad */
  kiln_tensor *result;
} capture;

struct kiln_task {
  bool retain, create, accumulate, restricted, check_nan;
  kiln_places places; /* of nodes */
  entry *entries;     /* at the places */
  int64_t room;
  int64_t *heap;
  int64_t n_heap;
  capture *captures;
  int32_t n_captures;
  /* The node at work and what Lua is to do for it. */
  int64_t current; /* -1: none */
  enum { AT_START, AT_HOOK, AT_DELIVERY, AT_RUN, AT_CALL, AT_PASS } stage;
  int32_t step;                     /* what the stage has done */
  int64_t n_done;                   /* nodes */
  int64_t asked;                    /* when Lua was, for the profiler; 0: it does not run */
  int32_t hook, last_hook, hook_nr; /* order of the next one to run and of the last; its output */
  int64_t key;
  kiln_node *region;   /* that is to be run again; lent */
  kiln_tensor **given; /* one a node input, or one for a hook */
  int32_t n_given;
  kiln_tensor *few_given[8];
  kiln_node **regions; /* that ran again: retained, emptied at the end */
  int32_t n_regions, region_room;
};

/* The entry of a node that the pass knows; -1 for others. */
int64_t kiln__pass_lookup(const kiln_task *t, const kiln_node *n);
/* The entries that wait for nothing any more, the one recorded last first. */
void kiln__pass_push(kiln_task *t, int64_t e);
int64_t kiln__pass_pop(kiln_task *t);
/* Adds g to a slot; takes over nothing of g. */
int32_t kiln__pass_add(kiln_task *t, kiln_tensor **slot, kiln_tensor *g);
/* A gradient of output nr of entry e. */
int32_t kiln__pass_arrive(kiln_task *t, int64_t e, int32_t nr, kiln_tensor *g);
/* What has arrived at an edge, where no graph of gradients is being created; NULL if nothing.  Who
** writes it says so. */
kiln_tensor *kiln__pass_sum(const kiln_task *t, kiln_edge to);
void kiln__pass_wrote(kiln_task *t, kiln_edge to);
void kiln__pass_replace(entry *x, int32_t nr, kiln_tensor *g); /* takes over g */
bool kiln__pass_has_gradient(const entry *x);
/* Fails where Lua code wrote into a gradient that it had been shown. */
int32_t kiln__pass_check(const entry *x);
void kiln__pass_clear(entry *x); /* drops its gradients */
/* Room for n results of the current node, in t->given. */
int32_t kiln__pass_expect(kiln_task *t, int32_t n);
void kiln__pass_drop_given(kiln_task *t);
int32_t kiln__pass_keep_region(kiln_task *t, kiln_node *r);
/* Lets go of those whose last hole is gone. */
void kiln__pass_drop_regions(kiln_task *t);

#endif
