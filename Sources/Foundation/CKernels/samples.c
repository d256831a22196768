// Samples planes bilinearly under a map, and compares windows of samples with patterns.
#include "dispatch.h"
#include "include/ckernels.h"
#include <math.h>

CK_ROUND_PRODUCTS

enum { BLOCK = 64 };

CK_CLONES
void ck_samples(const uint8_t *src, size_t stride, int width, int height, const double *m, const double *xs,
                const double *ys, int count, double outside, double *out) {
  const double right = width - 1, bottom = height - 1;
  double x_share[BLOCK], y_share[BLOCK];
  int32_t x_low[BLOCK], y_low[BLOCK], inside[BLOCK];
  for (int from = 0; from < count; from += BLOCK) {
    const int n = count - from < BLOCK ? count - from : BLOCK;
    for (int i = 0; i < n; i++) {
      const double x = xs[from + i], y = ys[from + i];
      const double w = m[6] * x + m[7] * y + m[8];
      const double px = (m[0] * x + m[1] * y + m[2]) / w, py = (m[3] * x + m[4] * y + m[5]) / w;
      inside[i] = (px >= -0.5) & (py >= -0.5) & (px < right + 0.5) & (py < bottom + 0.5);
      // Written so that NaN is moved to the edge as well.
      double cx = px > 0 ? px : 0, cy = py > 0 ? py : 0;
      cx = cx < right ? cx : right;
      cy = cy < bottom ? cy : bottom;
      const double lx = cx < right - 1 ? cx : right - 1, ly = cy < bottom - 1 ? cy : bottom - 1;
      x_low[i] = (int32_t)lx;
      y_low[i] = (int32_t)ly;
      x_share[i] = cx - (double)x_low[i];
      y_share[i] = cy - (double)y_low[i];
    }
    for (int i = 0; i < n; i++) {
      const uint8_t *top = src + (size_t)y_low[i] * stride + x_low[i], *low = top + stride;
      const double fx = x_share[i], fy = y_share[i];
      const double a = top[0] * (1 - fx) + top[1] * fx, b = low[0] * (1 - fx) + low[1] * fx;
      out[from + i] = inside[i] ? a * (1 - fy) + b * fy : outside;
    }
  }
}

CK_CLONES
float ck_nearest(const float *samples, int step, int places, const float *patterns, const float *powers, int length,
                 int groups, float sum, float bound) {
  for (int place = 0; place < places && sum <= bound; place++, samples += step) {
    float power = 0, least = INFINITY;
    for (int k = 0; k < length; k++) power += samples[k] * samples[k];
    for (int g = 0; g < groups; g++) {
      float dots[CK_GROUP] = {0};
      for (int k = 0; k < length; k++) {
        const float *pattern = patterns + (size_t)(g * length + k) * CK_GROUP;
        const float sample = samples[k];
        for (int i = 0; i < CK_GROUP; i++) dots[i] += sample * pattern[i];
      }
      for (int i = 0; i < CK_GROUP; i++) {
        const float off = powers[g * CK_GROUP + i] - 2 * dots[i];
        least = off < least ? off : least;
      }
    }
    sum += least + power;
  }
  return sum;
}
