/* temporary.c: the results of ops inside a gradient formula: they go into the innermost pool of
** their thread, and away with it.  It refuses to know what they are for.
*/
#include "internal.h"

static KILN_HOT_TLS kiln_pool *pool;

bool kiln__pool_is_open(void) { return pool != NULL; }

void kiln__pool_open(kiln_pool *p) {
  p->outer = pool;
  p->items = p->inline_items;
  p->n = 0;
  p->capacity = KILN_COUNT(p->inline_items);
  pool = p;
}

void kiln__pool_add(kiln_tensor *x) {
  kiln_pool *p = pool;
  if (!p)
    return;
  if (p->n == p->capacity) {
    bool first = p->items == p->inline_items;
    size_t size = (size_t)p->capacity * 2 * sizeof *p->items;
    kiln_tensor **items = first ? malloc(size) : realloc(p->items, size);
    KILN_ASSERT(items != NULL);
    if (first)
      memcpy(items, p->inline_items, sizeof p->inline_items);
    p->items = items;
    p->capacity *= 2;
  }
  p->items[p->n++] = x;
}

void kiln__pool_close(kiln_pool *p) {
  KILN_ASSERT(pool == p);
  pool = p->outer;
  for (int32_t i = 0; i < p->n; i++)
    kiln_tensor_release(p->items[i]);
  if (p->items != p->inline_items)
    free(p->items);
}

kiln_pool *kiln__pool_swap(kiln_pool *p) {
  kiln_pool *was = pool;
  pool = p;
  return was;
}
