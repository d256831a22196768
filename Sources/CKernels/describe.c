#include "dispatch.h"
#include "include/ckernels.h"

// Half the width of the disc of radius 15 at each distance from its centre.
static const int half_width[16] = {15, 15, 15, 15, 14, 14, 14, 13, 13, 12, 11, 10, 9, 8, 6, 3};

CK_CLONES
void ck_moments(const uint8_t *centre, size_t stride, int32_t *mx, int32_t *my) {
  // Columns beyond the disc weigh nothing: the row is masked by its distance from the centre.
  int32_t sx = 0, sy = 0;
  for (int y = -15; y <= 15; y++) {
    const uint8_t *CK_RESTRICT r = centre + (ptrdiff_t)y * (ptrdiff_t)stride - 16;
    int h = half_width[y < 0 ? -y : y];
    int32_t s = 0, m = 0;
    for (int i = 0; i < 32; i++) {
      int16_t x = (int16_t)(i - 16);
      int16_t v = (int16_t)(((x >= -h) & (x <= h)) ? r[i] : 0);
      s += v;
      m += (int32_t)x * v;
    }
    sx += m;
    sy += y * s;
  }
  *mx = sx;
  *my = sy;
}

void ck_describe(const uint8_t *centre, const int32_t *offsets, uint64_t *bits, int16_t *differences, int count) {
  for (int w = 0; w < 4; w++) {
    const int32_t *o = offsets + 128 * w;
    uint64_t v = 0;
    for (int i = 0; i < 64; i++) v |= (uint64_t)(centre[o[2 * i]] > centre[o[2 * i + 1]]) << i;
    bits[w] = v;
  }
  for (int i = 0; i < count; i++)
    differences[i] = (int16_t)(centre[offsets[2 * i]] - centre[offsets[2 * i + 1]]);
}

