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

static int32_t reserve(kiln_pool *p, int32_t n) {
  int32_t capacity = p->capacity;
  while (capacity - p->n < n)
    capacity *= 2;
  if (capacity == p->capacity)
    return KILN_OK;
  bool first = p->items == p->inline_items;
  kiln_tensor **items = realloc(first ? NULL : p->items, (size_t)capacity * sizeof *items);
  if (!items)
    return kiln_fail(KILN_ENOMEM, "out of memory");
  if (first)
    memcpy(items, p->inline_items, sizeof p->inline_items);
  p->items = items;
  p->capacity = capacity;
  return KILN_OK;
}

int32_t kiln__pool_add(kiln_tensor **x, int32_t n) {
  kiln_pool *p = pool;
  if (!p)
    return KILN_OK;
  int32_t status = reserve(p, n);
  for (int32_t i = 0; i < n; i++) {
    if (x[i] && status >= 0) {
      p->items[p->n++] = x[i];
    } else {
      kiln_tensor_release(x[i]);
      x[i] = NULL;
    }
  }
  return status;
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
