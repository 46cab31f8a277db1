/* strided.h: several tensors of any strides walked together: dims sorted by the first operand's
** strides, neighbours that step alike merged, so that what can be one long loop is one.  Shared by
** the CPU and CUDA backends.
** Operand 0 is what is written; the others are broadcast to it.  It refuses to know types: strides
** count bytes.
*/
#ifndef KILN_STRIDED_H
#define KILN_STRIDED_H
#include "backend.h"

#include <string.h>

/* The same for sizes and strides alone. */
static inline bool kiln__is_row_major(const kiln_list *size, const kiln_list *stride) {
  int64_t expected = 1;
  for (int32_t d = size->n - 1; d >= 0; d--) {
    if (size->v[d] != 1 && stride->v[d] != expected)
      return false;
    expected *= size->v[d];
  }
  return true;
}

/* x's memory from element `origin` on, seen with another geometry. */
static inline kiln_tensor kiln__region_of(const kiln_tensor *x, const kiln_list *size,
                                          const kiln_list *stride, int64_t origin) {
  kiln_tensor r = *x;
  r.ndim = (uint8_t)size->n;
  r.numel = 1;
  for (int32_t d = 0; d < r.ndim; d++) {
    r.shape[d] = size->v[d];
    r.stride[d] = stride->v[d];
    r.numel *= r.shape[d];
  }
  r.offset = origin;
  return r;
}

/* False only when no two elements share memory. */
static inline bool kiln__may_overlap(const kiln_tensor *x) {
  for (int32_t d = 0; d < x->ndim; d++) {
    if (x->shape[d] < 2)
      continue;
    int64_t reach = 0; /* of the dims with smaller strides */
    for (int32_t e = 0; e < x->ndim; e++) {
      if (e == d || x->shape[e] < 2)
        continue;
      if (x->stride[e] < x->stride[d] || (x->stride[e] == x->stride[d] && e < d)) {
        reach += x->stride[e] * (x->shape[e] - 1);
      }
    }
    if (x->stride[d] <= reach)
      return true;
  }
  return false;
}

enum { KILN_ND_OPERANDS = 6 };

typedef struct kiln_nd {
  int32_t ndim, operands; /* ndim >= 1 */
  int64_t numel;
  int64_t shape[KILN_MAX_DIMS]; /* innermost last */
  int64_t stride[KILN_ND_OPERANDS][KILN_MAX_DIMS];
  char *data[KILN_ND_OPERANDS];
} kiln_nd;

/* Adds x; the first call decides the shape, later ones broadcast to it. */
static inline void kiln__nd_add(kiln_nd *it, const kiln_tensor *x) {
  int64_t size = kiln__size_of(x->dtype);
  if (it->operands == 0) {
    it->ndim = x->ndim;
    it->numel = x->numel;
    memcpy(it->shape, x->shape, sizeof it->shape);
  }
  int64_t *stride = it->stride[it->operands];
  int32_t lead = it->ndim - x->ndim;
  for (int32_t d = 0; d < it->ndim; d++) {
    int32_t k = d - lead;
    stride[d] = k < 0 || (x->shape[k] == 1 && it->shape[d] != 1) ? 0 : x->stride[k] * size;
  }
  it->data[it->operands++] = (char *)kiln__data(x);
}

static inline void kiln__nd_move(kiln_nd *it, int32_t from, int32_t to) {
  it->shape[to] = it->shape[from];
  for (int32_t k = 0; k < it->operands; k++)
    it->stride[k][to] = it->stride[k][from];
}

static inline bool kiln__nd_merges(const kiln_nd *it, int32_t outer, int32_t inner) {
  for (int32_t k = 0; k < it->operands; k++) {
    if (it->stride[k][outer] != it->stride[k][inner] * it->shape[inner])
      return false;
  }
  return true;
}

/* Drops dims of size 1, sorts by operand 0's strides, merges. */
static inline void kiln__nd_simplify(kiln_nd *it) {
  int32_t n = 0;
  for (int32_t d = 0; d < it->ndim; d++) {
    if (it->shape[d] == 1)
      continue;
    kiln__nd_move(it, d, n++);
  }
  for (int32_t i = 1; i < n; i++) {
    for (int32_t j = i; j > 0; j--) {
      int64_t a = it->stride[0][j - 1], b = it->stride[0][j];
      if ((a < 0 ? -a : a) >= (b < 0 ? -b : b))
        break;
      int64_t shape = it->shape[j];
      it->shape[j] = it->shape[j - 1];
      it->shape[j - 1] = shape;
      for (int32_t k = 0; k < it->operands; k++) {
        int64_t s = it->stride[k][j];
        it->stride[k][j] = it->stride[k][j - 1];
        it->stride[k][j - 1] = s;
      }
    }
  }
  int32_t last = 0;
  for (int32_t d = 1; d < n; d++) {
    if (kiln__nd_merges(it, last, d)) {
      int64_t merged = it->shape[last] * it->shape[d];
      kiln__nd_move(it, d, last);
      it->shape[last] = merged;
    } else {
      kiln__nd_move(it, d, ++last);
    }
  }
  it->ndim = last + 1;
  if (n == 0) {
    it->shape[0] = 1;
    for (int32_t k = 0; k < it->operands; k++)
      it->stride[k][0] = 0;
  }
}

/* Coordinates of the index-th position in walking order. */
static inline void kiln__nd_seek(const kiln_nd *it, int64_t index, int64_t *at) {
  for (int32_t d = it->ndim - 1; d > 0; d--) {
    at[d] = index % it->shape[d];
    index /= it->shape[d];
  }
  at[0] = index;
}

static inline char *kiln__nd_at(const kiln_nd *it, int32_t operand, const int64_t *at) {
  char *p = it->data[operand];
  for (int32_t d = 0; d < it->ndim; d++)
    p += at[d] * it->stride[operand][d];
  return p;
}

/* Moves to the next row (innermost coordinate 0). */
static inline void kiln__nd_next_row(const kiln_nd *it, int64_t *at) {
  at[it->ndim - 1] = 0;
  for (int32_t d = it->ndim - 2; d >= 0; d--) {
    if (++at[d] < it->shape[d] || d == 0)
      break;
    at[d] = 0;
  }
}

/* True when the operand's elements lie one after the other in walking order. */
static inline bool kiln__nd_is_linear(const kiln_nd *it, int32_t operand, int64_t size) {
  for (int32_t d = it->ndim - 1; d >= 0; d--) {
    if (it->stride[operand][d] != size && it->shape[d] != 1)
      return false;
    size *= it->shape[d];
  }
  return true;
}

#endif
