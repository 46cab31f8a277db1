/* plans.h: what a library worked out for a call of certain sizes, kept for the next one: a table of
** plans by key.  It refuses to know libraries.
*/
#ifndef KILN_CUDA_PLANS_H
#define KILN_CUDA_PLANS_H
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Every plan begins with this; its key follows at once. */
typedef struct kiln_plan {
  struct kiln_plan *next;
  bool kept; /* graphs may use what the library loaded for it: it stays */
} kiln_plan;

enum { KILN_PLAN_BUCKETS = 256, KILN_MOST_PLANS = 4096 };

typedef struct kiln_plans {
  size_t key_bytes, plan_bytes;
  void (*make)(void *plan); /* completes a plan that is all zeros but for its key */
  void (*end)(void *plan);  /* gives back what make asked the library for */
  pthread_mutex_t lock;     /* held by who looks plans up and uses them */
  kiln_plan *bucket[KILN_PLAN_BUCKETS];
  int32_t n;
} kiln_plans;

/* The plan of a key, which is compared as bytes; made if need be.  NULL without memory.  The caller
** holds the lock.  keep: it must outlive the table's forgetting. */
void *kiln__plans_find(kiln_plans *plans, const void *key, bool keep);

#endif
