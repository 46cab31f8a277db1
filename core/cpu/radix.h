/* radix.h: sorts and selects entries by their keys, for one kind of entry.  Included by sort.c with
**   ENTRY         the type
**   KEY(e)        its key as uint64_t
**   LOW_BIT       first bit of the key that matters; entries arrive in order of the bits below
**   BEFORE(a, b)  the order of two entries, their places included
**   NAME(x)       the name of a function for this kind
** Once `stop` says so the functions leave early, and what they return means nothing.
*/

/* In place; for short lines. */
static void NAME(insertion)(ENTRY *a, int64_t n) {
  for (int64_t i = 1; i < n; i++) {
    ENTRY e = a[i];
    int64_t k = i;
    for (; k > 0 && BEFORE(e, a[k - 1]); k--)
      a[k] = a[k - 1];
    a[k] = e;
  }
}

static void NAME(count_digits)(const ENTRY *a, int64_t n, int shift, int64_t *count,
                               kiln_stop *stop) {
  memset(count, 0, DIGITS * sizeof *count);
  for (int64_t i = 0, to; kiln__next_piece(stop, i, n, &to);) {
    for (; i < to; i++)
      count[KEY(a[i]) >> shift & (DIGITS - 1)]++;
  }
}

static void NAME(distribute)(const ENTRY *a, int64_t n, int shift, int64_t *place, ENTRY *b,
                             kiln_stop *stop) {
  for (int64_t i = 0, to; kiln__next_piece(stop, i, n, &to);) {
    for (; i < to; i++)
      b[place[KEY(a[i]) >> shift & (DIGITS - 1)]++] = a[i];
  }
}

/* Stable, least digit first; b is as large as a, count holds DIGITS numbers a thread.  Returns
** whichever of a and b holds the result. */
static ENTRY *NAME(radix)(ENTRY *a, ENTRY *b, int64_t n, int threads, int64_t *count,
                          kiln_stop *stop) {
  if (n <= SHORT) {
    NAME(insertion)(a, n);
    return a;
  }
  for (int shift = LOW_BIT; shift < 64; shift += DIGIT_BITS) {
    if (threads == 1) {
      NAME(count_digits)(a, n, shift, count, stop);
    } else {
#pragma omp parallel for num_threads(threads) schedule(static, 1)
      for (int t = 0; t < threads; t++) { /* there may be fewer of them than were asked for */
        int64_t from, to;
        kiln__part(n, 1, t, threads, &from, &to);
        NAME(count_digits)(a + from, to - from, shift, count + t * DIGITS, stop);
      }
    }
    if (kiln__stops(stop)) /* what was not counted has no place */
      return a;
    int64_t sum = 0;
    bool one_digit = false;
    for (int d = 0; d < DIGITS; d++) {
      int64_t before = sum;
      for (int t = 0; t < threads; t++) {
        int64_t k = count[t * DIGITS + d];
        count[t * DIGITS + d] = sum;
        sum += k;
      }
      one_digit |= sum - before == n;
    }
    if (one_digit)
      continue;
    if (threads == 1) {
      NAME(distribute)(a, n, shift, count, b, stop);
    } else {
#pragma omp parallel for num_threads(threads) schedule(static, 1)
      for (int t = 0; t < threads; t++) {
        int64_t from, to;
        kiln__part(n, 1, t, threads, &from, &to);
        NAME(distribute)(a + from, to - from, shift, count + t * DIGITS, b, stop);
      }
    }
    ENTRY *other = a;
    a = b;
    b = other;
  }
  return a;
}

/* The k-th (from 0) of n entries in order; `room` holds n entries.  Keeps what shares the digits
** found so far, most significant digit first. */
static ENTRY NAME(select)(const ENTRY *a, int64_t n, int64_t k, ENTRY *room, int64_t *count,
                          kiln_stop *stop) {
  for (int shift = 64 - DIGIT_BITS;; shift -= DIGIT_BITS) {
    if (n <= SHORT) {
      if (a != room)
        memcpy(room, a, (size_t)n * sizeof *a);
      NAME(insertion)(room, n);
      return room[k];
    }
    if (shift < LOW_BIT)
      return a[k]; /* equal keys stand in order of their places */
    NAME(count_digits)(a, n, shift, count, stop);
    if (kiln__stops(stop))
      return a[0];
    uint64_t digit = 0;
    while (k >= count[digit])
      k -= count[digit++];
    if (count[digit] == n)
      continue;
    int64_t kept = 0;
    for (int64_t i = 0, to; kiln__next_piece(stop, i, n, &to);) {
      for (; i < to; i++) {
        if ((KEY(a[i]) >> shift & (DIGITS - 1)) == digit)
          room[kept++] = a[i];
      }
    }
    if (kiln__stops(stop))
      return a[0];
    a = room;
    n = kept;
  }
}

/* The k first entries in order of place, those up to the k-th; then sorted if asked.  Returns where
** they are, in room or in a. */
static ENTRY *NAME(first)(ENTRY *a, int64_t n, int64_t k, bool sorted, ENTRY *room, int64_t *count,
                          kiln_stop *stop) {
  if (k == 0)
    return room;
  ENTRY last = NAME(select)(a, n, k - 1, room, count, stop);
  int64_t kept = 0;
  for (int64_t i = 0, to; kept < k && kiln__next_piece(stop, i, n, &to);) {
    for (; i < to && kept < k; i++) {
      if (!BEFORE(last, a[i]))
        room[kept++] = a[i];
    }
  }
  return sorted && !kiln__stops(stop) ? NAME(radix)(room, a, k, 1, count, stop) : room;
}

#undef ENTRY
#undef KEY
#undef LOW_BIT
#undef BEFORE
#undef NAME
