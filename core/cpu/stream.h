/* stream.h: writing past the caches what is too large to stay in them, which saves reading every
** line before it is overwritten.
*/
#ifndef KILN_STREAM_H
#define KILN_STREAM_H
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { KILN_STREAM_BYTES = 16 << 20 }; /* results from here on are streamed */

/* dst and src are aligned to 16 bytes, or this is a memcpy. */
static inline void kiln__stream(void *dst, const void *src, int64_t bytes) {
  int64_t i = 0;
#ifdef __SSE2__
  if ((((uintptr_t)dst | (uintptr_t)src) & 15) == 0) {
    for (; i + 16 <= bytes; i += 16) {
      _mm_stream_si128((__m128i *)((char *)dst + i),
                       _mm_load_si128((const __m128i *)((const char *)src + i)));
    }
  }
#endif
  memcpy((char *)dst + i, (const char *)src + i, (size_t)(bytes - i));
}

/* Before another thread may read what was streamed. */
static inline void kiln__stream_end(void) {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

#endif
