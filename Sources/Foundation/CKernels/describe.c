// Describes a patch of a picture by its moments, its histogram of gradients, and the signs of projections.
#include "dispatch.h"
#include "include/ckernels.h"
#include <math.h>

CK_ROUND_PRODUCTS

// Half the width of the disc of radius 15 in the row at each distance from its centre.
static const int half_width[16] = {15, 15, 15, 15, 14, 14, 14, 13, 13, 12, 11, 10, 9, 8, 6, 3};

CK_CLONES
void ck_moments(const uint8_t *centre, size_t stride, int32_t *mx, int32_t *my) {
  // Columns outside the disc have weight 0: each row is masked by its half width.
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

// The weight of a sample at index i of 16 for each of the four cells along an axis, in eighths: a tent function around the middle of each
// cell.
static const int16_t tents[4][16] = {
    {5, 7, 7, 5, 3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {0, 0, 1, 3, 5, 7, 7, 5, 3, 1, 0, 0, 0, 0, 0, 0},
    {0, 0, 0, 0, 0, 0, 1, 3, 5, 7, 7, 5, 3, 1, 0, 0},
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 5, 7, 7, 5},
};

CK_CLONES
void ck_gradient_shares(const uint8_t *centre, const int32_t *offsets, int16_t *shares) {
  int16_t samples[16][16];
  for (int y = 0; y < 16; y++)
    for (int x = 0; x < 16; x++) samples[y][x] = centre[offsets[16 * y + x]];
  // The sums over the rows of samples, indexed [row of cells][direction][column of samples].
  int16_t columns[4][4][16] = {{{0}}};
  for (int y = 0; y < 16; y++) {
    const int16_t *CK_RESTRICT row = samples[y];
    int16_t along[16] = {0}, down[16] = {0};
    for (int x = 1; x < 15; x++) along[x] = (int16_t)(row[x + 1] - row[x - 1]);
    if (y > 0 && y < 15)
      for (int x = 0; x < 16; x++) down[x] = (int16_t)(row[x + 16] - row[x - 16]);
    // A row of samples belongs to two rows of cells, near the border to one row.
    for (int cell = 0; cell < 4; cell++) {
      const int16_t weight = tents[cell][y];
      if (weight == 0) continue;
      int16_t(*CK_RESTRICT sums)[16] = columns[cell];
      for (int x = 0; x < 16; x++) {
        sums[0][x] = (int16_t)(sums[0][x] + weight * (along[x] > 0 ? along[x] : 0));
        sums[1][x] = (int16_t)(sums[1][x] + weight * (down[x] > 0 ? down[x] : 0));
        sums[2][x] = (int16_t)(sums[2][x] + weight * (along[x] < 0 ? -along[x] : 0));
        sums[3][x] = (int16_t)(sums[3][x] + weight * (down[x] < 0 ? -down[x] : 0));
      }
    }
  }
  int32_t cells[64], all = 0;
  for (int i = 0; i < 16; i++)
    for (int cell = 0; cell < 4; cell++) {
      const int16_t *sums = columns[i / 4][i % 4];
      int32_t sum = 0;
      for (int x = 0; x < 16; x++) sum += sums[x] * tents[cell][x];
      cells[16 * (i / 4) + 4 * cell + i % 4] = sum;
      all += sum;
    }
  // 512 times the square root of the share; all 0 for a flat patch.
  const float factor = 262144.0f / (float)(all > 0 ? all : 1);
  for (int i = 0; i < 64; i++) shares[i] = (int16_t)(sqrtf((float)cells[i] * factor) + 0.5f);
}

void ck_signs(const int32_t *sums, uint64_t *bits, int16_t *margins, int count) {
  for (int w = 0; w < 4; w++) {
    uint64_t v = 0;
    for (int i = 0; i < 64; i++) v |= (uint64_t)(sums[64 * w + i] > 0) << i;
    bits[w] = v;
  }
  for (int i = 0; i < count; i++) margins[i] = (int16_t)(sums[i] >> CK_MARGIN_BITS);
}
