/* index_choice.h: the part of index.cu for several index tensors at once: index, index_put.
** Included once, after what index.cu shares.
*/
#ifndef KILN_CUDA_INDEX_CHOICE_H
#define KILN_CUDA_INDEX_CHOICE_H

enum { MAX_INDEX = 8 };

/* One index tensor: where the choice's places find their position in it, which positions there are,
** how far apart they lie. */
typedef struct chooser {
  const int64_t *index;
  kiln_walk at;
  int64_t limit, step;
  kiln_blame blame;
} chooser;

/* What x[{i, j, ...}] means: `count` places (one for each position that the broadcast indices
** name), `rest` elements at each.  `pre` blocks stand before indexed dims that are neighbours. */
typedef struct choice {
  int32_t n;
  int64_t pre, pre_step, count, rest;
  kiln_walk rest_at;
  int32_t ndim; /* of the result */
  int64_t shape[2 * KILN_MAX_DIMS];
  chooser by[MAX_INDEX];
} choice;

/* The shape that index tensors broadcast to. */
static void join_shapes(kiln_walk *to, const kiln_tensor *x) {
  int32_t n = to->ndim > x->ndim ? to->ndim : x->ndim;
  int64_t shape[KILN_MAX_DIMS];
  for (int32_t d = 0; d < n; d++) {
    int32_t a = d - (n - to->ndim), b = d - (n - x->ndim);
    shape[d] = a < 0 ? x->shape[b] : b < 0 || x->shape[b] == 1 ? to->shape[a] : x->shape[b];
  }
  to->ndim = n;
  memcpy(to->shape, shape, (size_t)n * sizeof *shape);
}

/* index[d] chooses in dim d of x; NULL takes all of it. */
static choice choose(const char *op, const kiln_tensor *x, kiln_tensor *const *index) {
  static const char *const what[MAX_INDEX] = {
      "index of dim 1,", "index of dim 2,", "index of dim 3,", "index of dim 4,",
      "index of dim 5,", "index of dim 6,", "index of dim 7,", "index of dim 8,"};
  choice w = {};
  int32_t first = -1, last = -1;
  kiln_walk joint = {};
  int64_t step[KILN_MAX_DIMS], n = 1;
  for (int32_t d = x->ndim - 1; d >= 0; d--) {
    step[d] = n;
    n *= x->shape[d];
  }
  w.pre = w.count = w.rest = 1;
  for (int32_t d = 0; d < x->ndim && d < MAX_INDEX; d++) {
    if (!index[d])
      continue;
    first = first < 0 ? d : first;
    last = d;
    w.n++;
    join_shapes(&joint, index[d]);
  }
  for (int32_t d = 0, k = 0; w.n > 0 && d <= last; d++) {
    if (!index[d])
      continue;
    chooser by = {positions(index[d]), kiln__walk_over(index[d], joint.shape, joint.ndim),
                  x->shape[d], step[d],
                  kiln__cuda_blame(op, what[d], index[d], KILN_INDEX_BASE, x->shape[d])};
    w.by[k++] = by;
  }
  bool neighbours = last - first + 1 == w.n;
  for (int32_t d = 0; d < joint.ndim; d++)
    w.count *= joint.shape[d];
  for (int32_t d = 0; d <= x->ndim; d++) {
    if (d == (neighbours ? first : 0)) {
      for (int32_t k = 0; k < joint.ndim; k++)
        w.shape[w.ndim++] = joint.shape[k];
    }
    if (d == x->ndim || (d < MAX_INDEX && index[d]))
      continue;
    w.shape[w.ndim++] = x->shape[d];
    if (neighbours && d < first) {
      w.pre *= x->shape[d];
      continue;
    }
    w.rest *= x->shape[d];
    w.rest_at.shape[w.rest_at.ndim] = x->shape[d];
    w.rest_at.stride[w.rest_at.ndim++] = step[d];
  }
  w.pre_step = neighbours && first > 0 ? step[first - 1] : 0;
  return w;
}

/* The place of each choice in x; positions may count from the end. */
static __global__ void choice_places(choice w, kiln_entries e, int32_t *refused) {
  KILN_EACH(i, w.count) {
    int64_t place = 0;
    for (int32_t k = 0; k < w.n; k++) {
      const chooser &by = w.by[k];
      int64_t at = kiln__walk(by.at, i), v = by.index[at];
      if (v == 0 || v > by.limit || v < -by.limit) {
        kiln_complain(by.blame, v, at);
        atomicExch(refused, 1);
        v = KILN_INDEX_BASE;
      }
      place += (v < 0 ? v + by.limit : v - KILN_INDEX_BASE) * by.step;
    }
    e.key[i] = (uint64_t)place;
    e.place[i] = i;
  }
}

template <typename B>
static __global__ void choose_kernel(choice w, const uint64_t *place, const int32_t *refused,
                                     const B *x, B *y) {
  if (*refused)
    return;
  KILN_EACH(u, w.pre * w.count * w.rest) {
    int64_t unit = u / w.rest;
    y[u] = x[unit / w.count * w.pre_step + (int64_t)place[unit % w.count] +
             kiln__walk(w.rest_at, u % w.rest)];
  }
}

static placing choice_placing(const choice &w, int64_t limit) {
  placing p = {};
  p.outer = w.pre;
  p.outer_step = w.pre_step;
  p.count = w.count;
  p.inner = w.rest;
  p.unit = 1;
  p.inner_at = w.rest_at;
  p.limit = limit;
  return p;
}

static int32_t index_by(const kiln_call *c) {
  kiln_job j = begin(c, "index");
  const kiln_tensor *x = in(c, 0), *y = c->out[0];
  if (y->numel == 0 && x->numel == 0)
    return KILN_OK;
  choice w = choose(j.op, x, c->in + 1);
  placing p = choice_placing(w, x->numel);
  int32_t *refused = begin_placing(&j, &p);
  KILN_RUN(&j, choice_places, w.count, w, p.e, refused);
  KILN_BY_SIZE(kiln__bytes_of(x->dtype),
               KILN_RUN(&j, choose_kernel<type>, y->numel, w, p.e.key, refused,
                        (const type *)kiln__data(x), (type *)kiln__data(y)));
  return kiln__job_end(&j);
}

/* in: x, value, indices; value broadcasts to the shape that index() gives. */
static int32_t index_put(const kiln_call *c) {
  kiln_job j = begin(c, "index_put");
  const kiln_tensor *y = c->out[0], *value = in(c, 1);
  choice w = choose(j.op, y, c->in + 2);
  placing p = choice_placing(w, y->numel);
  int32_t *refused = begin_placing(&j, &p);
  p.value = kiln__walk_over(value, w.shape, w.ndim);
  start_from_first(&j, c);
  KILN_RUN(&j, choice_places, w.count, w, p.e, refused);
  sort_placing(&j, &p);
  if (c->attr[0].i)
    add_units(&j, p, y, kiln__data(value), 1);
  else
    write_units(&j, p, y, kiln__data(value));
  return kiln__job_end(&j);
}

#endif
