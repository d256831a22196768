#include "dispatch.h"
#include "include/ckernels.h"

#define DISTANCE(a, b)                                                                                               \
  (__builtin_popcountll((a)[0] ^ (b)[0]) + __builtin_popcountll((a)[1] ^ (b)[1]) +                                   \
   __builtin_popcountll((a)[2] ^ (b)[2]) + __builtin_popcountll((a)[3] ^ (b)[3]))

CK_CLONES
int ck_hamming(const uint64_t *a, const uint64_t *b) { return DISTANCE(a, b); }

CK_CLONES
int ck_probe(const uint64_t *query, const int32_t *keys, int count, const uint32_t *starts, const uint64_t *descriptors,
             int limit, uint32_t *place, uint16_t *distance, int capacity) {
  int n = 0;
  for (int k = 0; k < count; k++) {
    const uint32_t end = starts[keys[k] + 1];
    for (uint32_t i = starts[keys[k]]; i < end; i++) {
      const int h = DISTANCE(query, descriptors + 4 * (size_t)i);
      if (h <= limit) {
        if (n == capacity) return n;
        place[n] = i;
        distance[n] = (uint16_t)h;
        n++;
      }
    }
  }
  return n;
}

void ck_prefetch(const int32_t *keys, int count, const uint32_t *starts, const uint64_t *descriptors) {
  for (int k = 0; k < count; k++) {
    const uint32_t first = starts[keys[k]], end = starts[keys[k] + 1];
    for (uint32_t i = first; i < end && i < first + 8; i += 2) __builtin_prefetch(descriptors + 4 * (size_t)i);
  }
}
