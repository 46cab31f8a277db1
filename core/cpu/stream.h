/* stream.h: writing past the caches what is too large to stay in them, which saves reading every
** line before it is overwritten.
*/
#ifndef KILN_STREAM_H
#define KILN_STREAM_H
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

/* Results from here on are streamed: where half a core's own cache ends.  Measured on a Xeon
** with 2 MiB of it: 4 MB written and read again take less time, 400 KB take more. */
enum { KILN_STREAM_BYTES = 1 << 20 };

/* A store of the widest vectors, STEP bytes, past the caches; `to` is aligned to them. */
#if defined(__AVX512F__)
enum { KILN_STREAM_STEP = 64 };
static inline void kiln__stream_step(void *to, const void *from) {
  _mm512_stream_si512(to, _mm512_loadu_si512(from));
}
#elif defined(__AVX__)
enum { KILN_STREAM_STEP = 32 };
static inline void kiln__stream_step(void *to, const void *from) {
  _mm256_stream_si256(to, _mm256_loadu_si256(from));
}
#elif defined(__SSE2__)
enum { KILN_STREAM_STEP = 16 };
static inline void kiln__stream_step(void *to, const void *from) {
  _mm_stream_si128(to, _mm_loadu_si128(from));
}
#else
enum { KILN_STREAM_STEP = 64 };
static inline void kiln__stream_step(void *to, const void *from) { memcpy(to, from, 64); }
#endif

/* 64 bytes, dst aligned to as many. */
static inline void kiln__stream_line(char *dst, const void *src) {
  for (int64_t i = 0; i < 64; i += KILN_STREAM_STEP)
    kiln__stream_step(dst + i, (const char *)src + i);
}

/* Any alignment. */
static inline void kiln__stream(void *dst, const void *src, int64_t bytes) {
  char *d = dst;
  const char *s = src;
  int64_t head = (int64_t)(-(uintptr_t)d & (KILN_STREAM_STEP - 1));
  if (head > bytes)
    head = bytes;
  memcpy(d, s, (size_t)head);
  d += head, s += head, bytes -= head;
  for (; bytes >= KILN_STREAM_STEP; bytes -= KILN_STREAM_STEP) {
    kiln__stream_step(d, s);
    d += KILN_STREAM_STEP, s += KILN_STREAM_STEP;
  }
  memcpy(d, s, (size_t)bytes);
}

/* A copy that is part of writing `total` bytes. */
static inline void kiln__move(void *dst, const void *src, int64_t bytes, int64_t total) {
  enum { SHORT = 256 }; /* what fills few lines is not worth it */
  if (total >= KILN_STREAM_BYTES && bytes >= SHORT)
    kiln__stream(dst, src, bytes);
  else
    memcpy(dst, src, (size_t)bytes);
}

/* Before another thread may read what was streamed. */
static inline void kiln__stream_end(void) {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

#endif
