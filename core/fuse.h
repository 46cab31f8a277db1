/* fuse.h: what fuse.c, which puts ops off and runs them in passes, and fuse_grad.c, which
** differentiates them, share.
*/
#ifndef KILN_FUSE_H
#define KILN_FUSE_H
#include "internal.h"

/* One op that was put off. */
typedef struct kiln_step {
  int32_t op, n_in, number;
  int32_t dtype;            /* it is computed in */
  int32_t in[KILN_STEP_IN]; /* numbers of steps, or ~ numbers of leaves */
  kiln_attr attr[KILN_STEP_ATTRS];
  kiln_meta out;
  uint32_t wants;         /* inputs that a gradient flows to; 0: the step is not recorded */
  kiln_tensor *tensor;    /* its result as others see it: lent; NULL once nobody does */
  kiln_tensor *value;     /* the result in memory; NULL: not there yet */
  bool differentiable;    /* somebody holds the result, and it has the program's node */
  int32_t runs, level;    /* how often it was planned to run; how many passes it waits for */
  bool needed, kept, ran; /* by the evaluation at work; kept: the result goes to memory */
  bool joins;             /* the pass at work */
  int32_t input, place;   /* its number there as an input, or -1; as a step */
} kiln_step;

/* A tensor in memory that steps read.  Nothing writes it before they ran. */
typedef struct kiln_leaf {
  kiln_tensor *x;
  kiln_edge edge; /* when it was read; the node is retained */
  int32_t input;  /* its number in the pass at work, or -1 */
} kiln_leaf;

typedef struct kiln_program {
  int32_t depth; /* of fused functions; 0: of a gradient */
  int32_t n_steps, step_room, n_leaves, leaf_room;
  kiln_step **step;
  kiln_leaf *leaf;
  kiln_node *node; /* of the recorded steps: output k is step k; NULL: none is recorded */
} kiln_program;

/* Brings every result that somebody holds to memory, completes the node, and forgets the steps. */
int32_t kiln__program_flush(kiln_program *p);
/* Forgets the steps; tensors that are not in memory become empty. */
void kiln__program_clear(kiln_program *p);

/* fuse_grad.c: makes p->node what backward needs: the steps, the leaves as inputs, saved values. */
int32_t kiln__program_record(kiln_program *p);

/* Refuses, in the name of `who`, where the gradient of x does not leave a fused node as a whole. */
int32_t kiln__fused_visible(kiln_tensor *x, const char *who);

static inline bool kiln__is_reduction(int32_t op) {
  return op == KILN_OP_SUM || op == KILN_OP_MEAN;
}

#endif
