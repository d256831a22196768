// Compares binary descriptors by their Hamming distance.
#include "dispatch.h"
#include "include/ckernels.h"

#define DISTANCE(a, b)                                                                                               \
  (__builtin_popcountll((a)[0] ^ (b)[0]) + __builtin_popcountll((a)[1] ^ (b)[1]) +                                   \
   __builtin_popcountll((a)[2] ^ (b)[2]) + __builtin_popcountll((a)[3] ^ (b)[3]))

CK_CLONES
int ck_hamming(const uint64_t *a, const uint64_t *b) { return DISTANCE(a, b); }

CK_CLONES
int ck_near(const uint64_t *query, const uint64_t *descriptors, int count, int limit, uint32_t *place,
            uint16_t *distance) {
  int n = 0;
  for (int i = 0; i < count; i++) {
    const int h = DISTANCE(query, descriptors + 4 * (size_t)i);
    if (h <= limit) {
      place[n] = (uint32_t)i;
      distance[n] = (uint16_t)h;
      n++;
    }
  }
  return n;
}

void ck_prefetch(const void *start, size_t bytes) {
  for (size_t i = 0; i < bytes; i += 64) __builtin_prefetch((const char *)start + i);
}
