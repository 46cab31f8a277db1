/* cpu.h: what the files of the CPU backend share: names by instruction-set level, the list of
** kernel families, how work is divided among threads.
**
** A family file is compiled once a level (KILN_LEVEL: baseline, v3, v4) from the same plain loops;
** backend.c fills the table with the copy that suits the machine.  Everything a family file does
** not export is static.  It refuses to know any op.
*/
#ifndef KILN_CPU_H
#define KILN_CPU_H
#include "../stop.h"
#include "../strided.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#ifndef KILN_LEVEL
#define KILN_LEVEL baseline
#endif

/* The symbol of this level: FN(x) is x_v3 in the copy compiled for x86-64-v3. */
#define FN(name) KILN_PASTE(name, KILN_LEVEL)

/* The families that exist, each `core/cpu/NAME.c` exporting FN(kiln__cpu_NAME). */
/* clang-format off */
#define KILN_CPU_FAMILIES(X)                                                                       \
  X(elementwise) X(fused) X(reduce) X(copy) X(create) X(shape) X(random) X(multinomial)            \
  X(scan) X(index) X(sort) X(matmul) X(softmax) X(attention) X(conv)                                    \
  X(pool) X(norm) X(optim) X(rnn) X(linalg) X(loss)
/* clang-format on */

#define KILN_CPU_ENTRIES(table, entries)                                                           \
  kiln__backend_fill(table, entries, (int32_t)(sizeof(entries) / sizeof *(entries)))

/* -- Facts ---------------------------------------------------------------------------------- */

typedef enum kiln_cpu_level { KILN_CPU_BASELINE, KILN_CPU_V3, KILN_CPU_V4 } kiln_cpu_level;
/* The level in use: the best this machine has, or what KILN_CPU_LEVEL asks for if it has that. */
kiln_cpu_level kiln__cpu_detect(void);
/* A core type of OpenBLAS that fits this machine's features; NULL: let OpenBLAS choose. */
const char *kiln__cpu_blas_core(void);

const kiln_backend *kiln__cpu_backend(void);
/* Runs a pass; set by the fused.c of the level in use. */
extern kiln_pass_fn kiln__cpu_pass;
const char *kiln__cpu_level(void);

/* -- Threads -------------------------------------------------------------------------------- */

/* Elements that are worth a thread of their own when each costs about a nanosecond. */
#define KILN_GRAIN 32768

/* How many threads `n` units of work deserve at `grain` units a thread; 1 inside a parallel
** region. */
static inline int kiln__threads(int64_t n, int64_t grain) {
  if (n < 2 * grain)
    return 1;
  int most = omp_get_max_threads();
  if (most == 1 || omp_in_parallel())
    return 1;
  int64_t wanted = n / grain;
  return wanted < most ? (int)wanted : most;
}

/* Part i of t of [0, n): [*from, *to), cut at multiples of `unit`. */
static inline void kiln__part(int64_t n, int64_t unit, int i, int t, int64_t *from, int64_t *to) {
  int64_t units = (n + unit - 1) / unit, share = units / t, rest = units % t;
  int64_t first = i * share + (i < rest ? i : rest);
  *from = first * unit < n ? first * unit : n;
  int64_t last = (first + share + (i < rest)) * unit;
  *to = last < n ? last : n;
}

/* Units between two looks at Ctrl-C: some milliseconds, if `grain` is what a thread deserves. */
static inline int64_t kiln__piece(int64_t unit, int64_t grain) {
  enum { GRAINS = 16, LEAST = 64 }; /* LEAST: loops over columns walk several at once */
  int64_t n = grain < INT64_MAX / GRAINS ? grain * GRAINS : INT64_MAX;
  if (n < LEAST)
    n = LEAST;
  return n > unit ? n / unit * unit : unit;
}

/* Runs `body` (a statement that reads int64_t from, to) on parts of [0, n) in parallel.  A thread
** may run it several times: Ctrl-C is seen between two pieces. */
#define KILN_PARALLEL(n, unit, grain, ...)                                                         \
  KILN_PARALLEL_BY(kiln__piece(unit, grain), n, unit, grain, __VA_ARGS__)
/* The same where the length of a piece, a multiple of `unit`, is known better. */
#define KILN_PARALLEL_BY(piece, n, unit, grain, ...)                                               \
  do {                                                                                             \
    int64_t total_ = (n), piece_ = (piece);                                                        \
    int threads_ = kiln__threads(total_, grain);                                                   \
    kiln_stop *stop_ = &kiln__stop;                                                                \
    if (threads_ == 1) {                                                                           \
      KILN_PIECES(0, total_, __VA_ARGS__);                                                         \
    } else {                                                                                       \
      _Pragma("omp parallel num_threads(threads_)") {                                              \
        int64_t first_, last_;                                                                     \
        kiln__part(total_, unit, omp_get_thread_num(), omp_get_num_threads(), &first_, &last_);    \
        KILN_PIECES(first_, last_, __VA_ARGS__);                                                   \
      }                                                                                            \
    }                                                                                              \
  } while (0)
#define KILN_PIECES(first, last, ...)                                                              \
  for (int64_t at_ = first; at_ < last && !kiln__stops(stop_);) {                                  \
    int64_t from = at_, to = last - from > piece_ ? from + piece_ : last;                          \
    at_ = to;                                                                                      \
    __VA_ARGS__;                                                                                   \
  }

/* For a loop that takes a long line in order: is there a piece [from, *to) of [0, n) left to do?
** Not once Ctrl-C was seen: after such a loop kiln__stops(s) says that it did not reach its end. */
static inline bool kiln__next_piece(kiln_stop *s, int64_t from, int64_t n, int64_t *to) {
  enum { PIECE = 1 << 16 };
  if (from >= n || kiln__stops(s))
    return false;
  *to = n - from > PIECE ? from + PIECE : n;
  return true;
}

/* -- Tensors --------------------------------------------------------------------------------- */

/* copy.c: writes src, broadcast and cast, into dst; any strides, no overlap between the two. */
void FN(kiln__cpu_write)(const kiln_tensor *dst, const kiln_tensor *src);
/* copy.c: what kiln_convert does. */
void FN(kiln__cpu_convert)(void *dst, int32_t dst_dtype, const void *src, int32_t src_dtype,
                           int64_t n);

#endif
