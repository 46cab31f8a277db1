/* places.h: which place each of many pointers has, in the order in which they were met: a hash
** table with open addressing.  What stands at the places is the caller's, in arrays of its own.
*/
#ifndef KILN_PLACES_H
#define KILN_PLACES_H
#include <stdint.h>

/* Zeros are an empty one. */
typedef struct kiln_places {
  struct kiln_place {
    const void *p;
    int64_t at;
  } * slots;
  int64_t n, size;
} kiln_places;

/* Gives p, which has none, the place n; the caller's arrays have room.  Negative, without a
** message, when out of memory. */
int32_t kiln__places_add(kiln_places *s, const void *p);
void kiln__places_free(kiln_places *s);

/* The slot of p, or the one that p would get (its p is NULL); there is at least one free. */
static inline struct kiln_place *kiln__places_slot(const kiln_places *s, const void *p) {
  uint64_t h = (uint64_t)(uintptr_t)p * 0x9e3779b97f4a7c15u;
  int64_t i = (int64_t)(h >> 20) & (s->size - 1);
  while (s->slots[i].p && s->slots[i].p != p)
    i = (i + 1) & (s->size - 1);
  return &s->slots[i];
}

/* -1 where p, which is not NULL, has no place. */
static inline int64_t kiln__place_of(const kiln_places *s, const void *p) {
  if (s->size == 0)
    return -1;
  const struct kiln_place *slot = kiln__places_slot(s, p);
  return slot->p ? slot->at : -1;
}

#endif
