/* order.cu: radix sort, 8 bits a pass from the least significant on; short lines by a bitonic
** network in shared memory.  No block waits for another: counts, their running sum and the move are
** kernels of their own.
*/
#include "order.h"

#include "block.h"

enum {
  DIGIT_BITS = 8,
  DIGITS = 1 << DIGIT_BITS,
  ROUNDS = 16,       /* a block moves so many times its threads */
  SHORT_LINE = 1024, /* sorted by one block */
  SCAN_EACH = 8      /* numbers a thread adds up */
};

/* -- Running sums --------------------------------------------------------------------------------
 */

/* Each block turns its tile into running sums and leaves the tile's sum in sums[block]. */
static __global__ void scan_tiles(int64_t *v, int64_t n, int64_t *sums) {
  KILN_SHARED(int64_t, room, [KILN_MOST_WARPS]);
  int64_t first = (blockIdx.x * (int64_t)blockDim.x + threadIdx.x) * SCAN_EACH, sum = 0, total;
  for (int64_t i = first; i < first + SCAN_EACH && i < n; i++)
    sum += v[i];
  int64_t before = kiln__block_scan(sum, room, &total);
  for (int64_t i = first; i < first + SCAN_EACH && i < n; i++) {
    int64_t value = v[i];
    v[i] = before;
    before += value;
  }
  if (threadIdx.x == 0)
    sums[blockIdx.x] = total;
}

static __global__ void scan_add(int64_t *v, int64_t n, int64_t tile, const int64_t *sums) {
  KILN_EACH(i, n) { v[i] += sums[i / tile]; }
}

void kiln__cuda_running_sums(kiln_job *j, int64_t *v, int64_t n) {
  int64_t tile = (int64_t)KILN_BLOCK * SCAN_EACH, tiles = (n + tile - 1) / tile;
  int64_t *sums = NULL;
  if (j->status < 0 || n == 0)
    return;
  if (!(sums = (int64_t *)kiln__scratch(j->device, tiles * 8))) {
    j->status = KILN_ENOMEM;
    return;
  }
  KILN_LAUNCH(scan_tiles, (unsigned)tiles, KILN_BLOCK, 0, j->stream, v, n, sums);
  j->status = kiln__cuda_launched(j->op);
  if (tiles > 1) {
    kiln__cuda_running_sums(j, sums, tiles);
    KILN_RUN(j, scan_add, n, v, n, tile, sums);
  }
  kiln__scratch_free(j->device, sums, tiles * 8); /* reused in the order of the stream */
}

/* -- Long lines ----------------------------------------------------------------------------------
 */

/* What one pass sorts by: 8 bits of the key, or of the line. */
typedef struct radix_pass {
  int64_t total, n; /* entries; of a line */
  int32_t shift;
  bool by_line;
} radix_pass;

static __device__ inline int digit_of(const radix_pass &p, kiln_entries e, int64_t i) {
  uint64_t v = p.by_line ? (uint64_t)(e.place[i] / p.n) : e.key[i];
  return (int)(v >> p.shift & (DIGITS - 1));
}

static __device__ inline int64_t tile_start(int64_t block) { return block * blockDim.x * ROUNDS; }
static __device__ inline int64_t tile_end(int64_t block, int64_t total) {
  int64_t end = tile_start(block + 1);
  return end < total ? end : total;
}

/* counts [digit][block]: how often each digit stands in the tile. */
static __global__ void radix_count(radix_pass p, kiln_entries e, int64_t *counts) {
  KILN_SHARED(int32_t, count, [DIGITS]);
  for (int d = threadIdx.x; d < DIGITS; d += blockDim.x)
    count[d] = 0;
  __syncthreads();
  int64_t end = tile_end(blockIdx.x, p.total);
  for (int64_t i = tile_start(blockIdx.x) + threadIdx.x; i < end; i += blockDim.x)
    atomicAdd(&count[digit_of(p, e, i)], 1);
  __syncthreads();
  for (int d = threadIdx.x; d < DIGITS; d += blockDim.x)
    counts[d * (int64_t)gridDim.x + blockIdx.x] = count[d];
}

/* first [digit][block]: where the tile's entries of each digit go.  A round takes one entry a
** thread; inside it entries rank by warp, then by lane, so that order is kept. */
static __global__ void radix_move(radix_pass p, kiln_entries from, kiln_entries to,
                                  const int64_t *first) {
  KILN_SHARED(int64_t, start, [DIGITS]);
  KILN_SHARED(int32_t, round_sum, [DIGITS]);
  KILN_SHARED(int32_t, count, [KILN_BLOCK / KILN_WARP][DIGITS]);
  int lane = threadIdx.x % KILN_WARP, warp = threadIdx.x / KILN_WARP;
  int warps = blockDim.x / KILN_WARP;
  for (int d = threadIdx.x; d < DIGITS; d += blockDim.x) {
    start[d] = first[d * (int64_t)gridDim.x + blockIdx.x];
    round_sum[d] = 0;
  }
  int64_t end = tile_end(blockIdx.x, p.total);
  for (int64_t at = tile_start(blockIdx.x); at < end; at += blockDim.x) {
    int64_t i = at + threadIdx.x;
    int digit = i < end ? digit_of(p, from, i) : DIGITS;
    for (int d = threadIdx.x; d < DIGITS; d += blockDim.x) {
      start[d] += round_sum[d];
      for (int w = 0; w < warps; w++)
        count[w][d] = 0;
    }
    __syncthreads();
    unsigned same = __match_any_sync(KILN_ALL_LANES, digit);
    int rank = __popc(same & ((1u << lane) - 1));
    if (i < end && rank == 0)
      count[warp][digit] = __popc(same);
    __syncthreads();
    for (int d = threadIdx.x; d < DIGITS; d += blockDim.x) {
      int sum = 0;
      for (int w = 0; w < warps; w++) {
        int c = count[w][d];
        count[w][d] = sum;
        sum += c;
      }
      round_sum[d] = sum;
    }
    __syncthreads();
    if (i < end) {
      int64_t k = start[digit] + count[warp][digit] + rank;
      to.key[k] = from.key[i];
      to.place[k] = from.place[i];
    }
    __syncthreads();
  }
}

/* -- Short lines ---------------------------------------------------------------------------------
 */

/* One block a line; `size` is a power of two, not below n. */
static __global__ void bitonic(kiln_entries e, int64_t lines, int n, int size) {
  KILN_SHARED(uint64_t, key, [SHORT_LINE]);
  KILN_SHARED(int32_t, place, [SHORT_LINE]);
  KILN_EACH_BLOCK(line, lines) {
    for (int i = threadIdx.x; i < size; i += blockDim.x) {
      key[i] = i < n ? e.key[line * n + i] : ~(uint64_t)0;
      place[i] = i;
    }
    for (int width = 2; width <= size; width *= 2) {
      for (int step = width / 2; step > 0; step /= 2) {
        __syncthreads();
        for (int t = threadIdx.x; t < size / 2; t += blockDim.x) {
          int a = 2 * t - (t & (step - 1)), b = a + step;
          bool above = key[a] > key[b] || (key[a] == key[b] && place[a] > place[b]);
          if (above == ((a & width) == 0)) {
            uint64_t k = key[a];
            int32_t p = place[a];
            key[a] = key[b];
            place[a] = place[b];
            key[b] = k;
            place[b] = p;
          }
        }
      }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
      e.key[line * n + i] = key[i];
      e.place[line * n + i] = line * n + place[i];
    }
    __syncthreads();
  }
}

/* -- The interface -------------------------------------------------------------------------------
 */

kiln_entries kiln__cuda_entries(kiln_job *j, int64_t n) {
  kiln_entries e = {(uint64_t *)kiln__job_take(j, n * 8), (int64_t *)kiln__job_take(j, n * 8)};
  return e;
}

kiln_entries kiln__cuda_order(kiln_job *j, kiln_entries e, int64_t lines, int64_t n, int32_t bits) {
  if (n < 2 || lines == 0)
    return e;
  if (n <= SHORT_LINE) {
    int size = 2;
    while (size < n)
      size *= 2;
    int threads = size / 2 < KILN_BLOCK ? size / 2 : KILN_BLOCK;
    threads = threads < KILN_WARP ? KILN_WARP : threads;
    KILN_RUN_BLOCKS(j, bitonic, lines, threads, e, lines, (int)n, size);
    return e;
  }
  radix_pass p = {lines * n, n, 0, false};
  int64_t tile = (int64_t)KILN_BLOCK * ROUNDS, tiles = (p.total + tile - 1) / tile;
  int32_t line_bits = kiln__bits_below(lines);
  kiln_entries other = kiln__cuda_entries(j, p.total);
  int64_t *counts = (int64_t *)kiln__job_take(j, tiles * DIGITS * 8);
  for (int32_t done = 0; done < bits + line_bits && j->status == KILN_OK;) {
    p.by_line = done >= bits;
    p.shift = p.by_line ? done - bits : done;
    KILN_LAUNCH(radix_count, (unsigned)tiles, KILN_BLOCK, 0, j->stream, p, e, counts);
    j->status = kiln__cuda_launched(j->op);
    kiln__cuda_running_sums(j, counts, tiles * DIGITS);
    if (j->status < 0)
      break;
    KILN_LAUNCH(radix_move, (unsigned)tiles, KILN_BLOCK, 0, j->stream, p, e, other, counts);
    j->status = kiln__cuda_launched(j->op);
    kiln_entries moved = other;
    other = e;
    e = moved;
    done += DIGIT_BITS;
    if (!p.by_line && done > bits)
      done = bits;
  }
  return e;
}
