#include "cunicode.h"

const uint32_t *wm_compatibility_decomposition(uint32_t scalar, size_t *count) {
  size_t low = 0, high = wm_compatibility_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (wm_compatibility_sources[middle] < scalar) low = middle + 1;
    else high = middle;
  }
  if (low == wm_compatibility_count || wm_compatibility_sources[low] != scalar) return NULL;
  *count = wm_compatibility_starts[low + 1] - wm_compatibility_starts[low];
  return wm_compatibility_targets + wm_compatibility_starts[low];
}
