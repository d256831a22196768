#include "cmemory.h"

#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

void waymark_keep_heap_small(void) {
#ifdef __GLIBC__
  // Smaller than a picture of 640×480 (300 KiB), larger than what connections and lines need.
  enum { LARGE_BLOCK = 256 << 10 };
  mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK);
  mallopt(M_TRIM_THRESHOLD, LARGE_BLOCK);
  mallopt(M_ARENA_MAX, 2);
#endif
}
