/* places.c: the table of places.h, at most half full. */
#include "places.h"
#include "internal.h"

static int32_t grow(kiln_places *s) {
  kiln_places wider = {.n = s->n, .size = s->size ? 2 * s->size : 128};
  wider.slots = calloc((size_t)wider.size, sizeof *wider.slots);
  if (!wider.slots)
    return KILN_ENOMEM;
  for (int64_t i = 0; i < s->size; i++) {
    if (s->slots[i].p)
      *kiln__places_slot(&wider, s->slots[i].p) = s->slots[i];
  }
  free(s->slots);
  *s = wider;
  return KILN_OK;
}

int32_t kiln__places_add(kiln_places *s, const void *p) {
  if (2 * s->n >= s->size && grow(s) < 0)
    return KILN_ENOMEM;
  *kiln__places_slot(s, p) = (struct kiln_place){p, s->n++};
  return KILN_OK;
}

void kiln__places_free(kiln_places *s) { free(s->slots); }
