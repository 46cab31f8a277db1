/* plans.c: the table of plans; see plans.h. */
#include "plans.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_of(const uint8_t *bytes, size_t n) {
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < n; i++)
    hash = (hash ^ bytes[i]) * 1099511628211u;
  return hash;
}

/* A program of ever new sizes starts over. */
static void forget(kiln_plans *plans) {
  for (int32_t i = 0; i < KILN_PLAN_BUCKETS; i++) {
    kiln_plan **at = &plans->bucket[i];
    while (*at) {
      kiln_plan *p = *at;
      if (p->kept) {
        at = &p->next;
        continue;
      }
      *at = p->next;
      plans->end(p);
      free(p);
      plans->n--;
    }
  }
}

void *kiln__plans_find(kiln_plans *plans, const void *key, bool keep) {
  kiln_plan **bucket = &plans->bucket[hash_of(key, plans->key_bytes) % KILN_PLAN_BUCKETS];
  kiln_plan *p = *bucket;
  while (p && memcmp(p + 1, key, plans->key_bytes) != 0)
    p = p->next;
  if (!p) {
    if (plans->n >= KILN_MOST_PLANS)
      forget(plans);
    p = calloc(1, plans->plan_bytes);
    if (!p)
      return NULL;
    memcpy(p + 1, key, plans->key_bytes);
    plans->make(p);
    p->next = *bucket;
    *bucket = p;
    plans->n++;
  }
  p->kept |= keep;
  return p;
}
