/* index_choice.h: the part of index.c for several index tensors at once (index, index_put) and for
** positions in x as one line (put).  Included once, after what index.c shares.
*/
#ifndef KILN_CPU_INDEX_CHOICE_H
#define KILN_CPU_INDEX_CHOICE_H
#include "index_masks.h"

/* -- Several index tensors -------------------------------------------------------------- */

enum { MAX_INDEX = 8 };

/* What x[{i, j, ...}] means: count places (one for each position the broadcast indices name), rest
** elements at each.  `pre` blocks stand before indexed dims that are neighbours. */
typedef struct choice {
  int64_t pre, pre_step, count, rest;
  int64_t *place;      /* [count] */
  int64_t *rest_place; /* [rest], NULL when the rest is one block */
  int64_t bytes;       /* of the scratch behind both */
} choice;

/* index[d] chooses in dim d of x; NULL takes all of it.  Positions may count from the end. */
static int32_t choose(const char *op, const kiln_tensor *x, kiln_tensor *const *index,
                      choice *out) {
  int32_t first = -1, last = -1, used = 0;
  kiln_storage storage;
  kiln_tensor shape = {.dtype = KILN_UINT8, .numel = 1};
  for (int32_t d = 0; d < x->ndim; d++) {
    if (d >= MAX_INDEX || !index[d])
      continue;
    if (first < 0)
      first = d;
    last = d;
    used++;
    kiln_tensor merged = common_shape(&shape, index[d], &storage);
    shape = merged;
  }
  bool neighbours = last - first + 1 == used;
  int64_t step[KILN_MAX_DIMS], n = 1;
  for (int32_t d = x->ndim - 1; d >= 0; d--) {
    step[d] = n;
    n *= x->shape[d];
  }
  *out = (choice){.pre = 1, .count = shape.numel, .rest = 1};
  for (int32_t d = 0; d < x->ndim; d++) {
    if (d < MAX_INDEX && index[d])
      continue;
    if (neighbours && d < first)
      out->pre *= x->shape[d];
    else
      out->rest *= x->shape[d];
  }
  out->pre_step = neighbours && first > 0 ? step[first - 1] : 0;
  int64_t rest_table = neighbours ? 0 : out->rest;
  out->bytes = (out->count + rest_table) * 8;
  out->place = kiln__scratch(0, out->bytes);
  if (!out->place)
    return KILN_ENOMEM;
  memset(out->place, 0, (size_t)out->count * 8);
  for (int32_t d = first; d <= last && used > 0; d++) {
    const kiln_tensor *t = d < MAX_INDEX ? index[d] : NULL;
    if (!t)
      continue;
    int64_t limit = x->shape[d];
    for (int64_t i = 0; i < t->numel; i++) {
      int64_t v = positions(t)[i];
      if (v == 0 || v > limit || v < -limit) {
        kiln__scratch_free(0, out->place, out->bytes);
        char what[32];
        snprintf(what, sizeof what, "index of dim %d,", d + 1);
        return fail_position(op, t, i, limit, what);
      }
    }
    kiln_nd it = {0};
    kiln__nd_add(&it, &shape);
    kiln__nd_add(&it, t);
    if (it.ndim == 0)
      it.shape[it.ndim++] = 1;
    enum { STEP = 512 };
    int64_t v[STEP];
    for (int64_t i = 0; i < out->count; i += STEP) {
      int64_t m = out->count - i < STEP ? out->count - i : STEP;
      kiln__nd_gather(&it, 1, i, m, (char *)v, 8);
      for (int64_t k = 0; k < m; k++) {
        out->place[i + k] += (v[k] < 0 ? v[k] + limit : v[k] - KILN_INDEX_BASE) * step[d];
      }
    }
  }
  if (!neighbours) {
    out->rest_place = out->place + out->count;
    for (int64_t r = 0; r < out->rest; r++) {
      int64_t i = r, place = 0;
      for (int32_t d = x->ndim - 1; d >= 0; d--) {
        if (d < MAX_INDEX && index[d])
          continue;
        place += i % x->shape[d] * step[d];
        i /= x->shape[d];
      }
      out->rest_place[r] = place;
    }
  }
  return KILN_OK;
}

/* Units from..to - 1 of pre * count: one block of the rest each. */
static void choose_part(const choice *w, const void *x, void *out, int64_t size, int64_t from,
                        int64_t to) {
  for (int64_t u = from; u < to; u++) {
    int64_t base = u / w->count * w->pre_step + w->place[u % w->count];
    if (!w->rest_place) {
      kiln__run_copy((char *)out + u * w->rest * size, size, (const char *)x + base * size, size,
                     w->rest, size);
      continue;
    }
    BY_SIZE(size, {
      const type *s = (const type *)x + base;
      type *d = (type *)out + u * w->rest;
      for (int64_t r = 0; r < w->rest; r++)
        d[r] = s[w->rest_place[r]];
    });
  }
}

static int32_t index_by(const kiln_call *c) {
  const kiln_tensor *x = in(c, 0);
  choice w;
  int32_t status = choose("index", x, c->in + 1, &w);
  if (status < 0)
    return status;
  if (c->out[0]->numel > 0) {
    int64_t grain = KILN_GRAIN / 4 / (w.rest + 1) + 1, size = kiln__size_of(x->dtype);
    void *out = kiln__data(c->out[0]);
    const void *data = kiln__data(x);
    KILN_PARALLEL(w.pre * w.count, 1, grain, choose_part(&w, data, out, size, from, to));
  }
  kiln__scratch_free(0, w.place, w.bytes);
  return KILN_OK;
}

static void put_blocks(const blocks *p, int64_t size) {
  for (int64_t m = 0; m < p->count; m++) {
    BY_SIZE(size, {
      type *d = (type *)p->x + p->place[m];
      const type *s = (const type *)p->values + (p->one_value ? 0 : m * p->inner);
      for (int64_t b = 0; b < p->inner; b++) {
        d[p->inner_place ? p->inner_place[b] : b] = s[p->one_value ? 0 : b];
      }
    });
  }
}

/* in: x, value, indices.  value broadcasts to the shape that index() gives, which the shape rule
** has checked; its dims are rebuilt here from the output's by the same rule. */
static int32_t index_put(const kiln_call *c) {
  const kiln_tensor *y = c->out[0], *value = in(c, 1);
  choice w;
  int32_t status = choose("index_put", y, c->in + 2, &w);
  if (status < 0)
    return status;
  start_from_first(c);
  int64_t size = kiln__size_of(y->dtype), n = w.pre * w.count * w.rest;
  void *copy = NULL;
  const void *values = kiln__data(value);
  if (value->numel != 1 && value->numel != n) {
    /* Broadcast: the shape of the choice is what the stand-in needs. */
    kiln_storage storage = {.data = nothing};
    kiln_tensor like = {.dtype = KILN_UINT8, .storage = &storage, .numel = n};
    int32_t nd = 0, lead = -1, k = 0;
    kiln_storage unused;
    kiln_tensor shape = {.dtype = KILN_UINT8, .numel = 1};
    for (int32_t d = 0; d < y->ndim; d++) {
      if (d >= MAX_INDEX || !c->in[2 + d])
        continue;
      if (lead < 0)
        lead = d;
      kiln_tensor merged = common_shape(&shape, c->in[2 + d], &unused);
      shape = merged;
    }
    bool in_front = w.rest_place != NULL;
    for (int32_t d = 0; d <= y->ndim; d++) {
      if (d == (in_front ? 0 : lead)) {
        for (k = 0; k < shape.ndim; k++)
          like.shape[nd++] = shape.shape[k];
      }
      if (d < y->ndim && (d >= MAX_INDEX || !c->in[2 + d]))
        like.shape[nd++] = y->shape[d];
    }
    like.ndim = (uint8_t)nd;
    int64_t step = 1;
    for (int32_t d = nd - 1; d >= 0; d--) {
      like.stride[d] = step;
      step *= like.shape[d];
    }
    values = flattened(value, &like, &copy);
  }
  if (values && n > 0) {
    for (int64_t p = 0; p < w.pre; p++) {
      bool one = value->numel == 1;
      blocks b = {.count = w.count,
                  .inner = w.rest,
                  .place = w.place,
                  .inner_place = w.rest_place,
                  .x = (char *)kiln__data(y) + p * w.pre_step * size,
                  .values = (const char *)values + (one ? 0 : p * w.count * w.rest * size),
                  .one_value = one};
      if (c->attr[0].i)
        add_blocks[y->dtype](&b, 0, INT64_MAX);
      else
        put_blocks(&b, size);
    }
  }
  if (copy)
    kiln__scratch_free(0, copy, n * size);
  kiln__scratch_free(0, w.place, w.bytes);
  return values ? KILN_OK : KILN_ENOMEM;
}

/* x seen as one line; src has as many elements as index. */
static int32_t put(const kiln_call *c) {
  const kiln_tensor *y = c->out[0], *index = in(c, 1);
  int32_t status = check_positions("put", index, y->numel);
  if (status < 0)
    return status;
  start_from_first(c);
  if (index->numel == 0)
    return KILN_OK;
  int64_t bytes = index->numel * 8;
  int64_t *place = kiln__scratch(0, bytes);
  if (!place)
    return KILN_ENOMEM;
  for (int64_t i = 0; i < index->numel; i++)
    place[i] = positions(index)[i] - KILN_INDEX_BASE;
  blocks b = {.count = index->numel,
              .inner = 1,
              .place = place,
              .x = kiln__data(y),
              .values = kiln__data(in(c, 2)),
              .one_value = in(c, 2)->ndim == 0};
  if (c->attr[0].i)
    add_blocks[y->dtype](&b, 0, INT64_MAX);
  else
    put_blocks(&b, kiln__size_of(y->dtype));
  kiln__scratch_free(0, place, bytes);
  return KILN_OK;
}

#endif
