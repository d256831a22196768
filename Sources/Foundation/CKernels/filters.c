// Filters planes, extends their edges, and resamples them bilinearly.
#include "dispatch.h"
#include "include/ckernels.h"
#include <string.h>

CK_CLONES
void ck_binomial(const uint8_t *src, uint8_t *dst, size_t stride, int width, int height) {
  for (int y = 0; y < height; y++) {
    const uint8_t *CK_RESTRICT b = src + (size_t)y * stride;
    const uint8_t *CK_RESTRICT a = b - stride;
    const uint8_t *CK_RESTRICT c = b + stride;
    uint8_t *CK_RESTRICT d = dst + (size_t)y * stride;
    for (int x = 0; x < width; x++) {
      uint16_t l = (uint16_t)(a[x - 1] + 2 * b[x - 1] + c[x - 1]);
      uint16_t m = (uint16_t)(a[x] + 2 * b[x] + c[x]);
      uint16_t r = (uint16_t)(a[x + 1] + 2 * b[x + 1] + c[x + 1]);
      d[x] = (uint8_t)((uint16_t)(l + 2 * m + r + 8) >> 4);
    }
  }
}

void ck_extend(uint8_t *plane, size_t stride, int width, int height, int by) {
  if (width <= 0 || height <= 0) return;
  for (int y = 0; y < height; y++) {
    uint8_t *row = plane + (size_t)y * stride;
    memset(row - by, row[0], (size_t)by);
    memset(row + width, row[width - 1], (size_t)by);
  }
  uint8_t *top = plane - by, *bottom = plane + (size_t)(height - 1) * stride - by;
  for (int y = 1; y <= by; y++) {
    memcpy(top - (size_t)y * stride, top, (size_t)(width + 2 * by));
    memcpy(bottom + (size_t)y * stride, bottom, (size_t)(width + 2 * by));
  }
}

// The column sums are updated from row to row, then each row is summed horizontally.
CK_CLONES
void ck_means(const uint8_t *src, uint8_t *dst, size_t stride, int width, int height, uint16_t *scratch) {
  uint16_t *CK_RESTRICT sums = scratch;
  for (int y = 0; y < height; y++) {
    const uint8_t *CK_RESTRICT p = src + (size_t)y * stride - 2;
    const uint8_t *CK_RESTRICT m2 = p - 2 * stride, *CK_RESTRICT m1 = p - stride;
    const uint8_t *CK_RESTRICT p1 = p + stride, *CK_RESTRICT p2 = p + 2 * stride;
    for (int x = 0; x < width + 4; x++) sums[x] = (uint16_t)(m2[x] + m1[x] + p[x] + p1[x] + p2[x]);
    uint8_t *CK_RESTRICT d = dst + (size_t)y * stride;
    for (int x = 0; x < width; x++) {
      uint16_t s = (uint16_t)(sums[x] + sums[x + 1] + sums[x + 2] + sums[x + 3] + sums[x + 4] + 12);
      d[x] = (uint8_t)(((uint32_t)s * 2622u) >> 16);
    }
  }
}

// One sample of src at (u, v) in 1/256 pixels, edges repeated.
static inline uint8_t sample(const uint8_t *src, size_t stride, int width, int height, int64_t u, int64_t v) {
  const int64_t right = (int64_t)(width - 1) << 8, low = (int64_t)(height - 1) << 8;
  u = u < 0 ? 0 : u > right ? right : u;
  v = v < 0 ? 0 : v > low ? low : v;
  const int iu = (int)(u >> 8), iv = (int)(v >> 8), fu = (int)(u & 255), fv = (int)(v & 255);
  const size_t nu = iu + 1 < width, nv = iv + 1 < height ? stride : 0;
  const uint8_t *p = src + (size_t)iv * stride + (size_t)iu;
  const int a = (p[0] << 8) + fu * (p[nu] - p[0]);
  const int b = (p[nv] << 8) + fu * (p[nv + nu] - p[nv]);
  return (uint8_t)(((a << 8) + fv * (b - a) + 32768) >> 16);
}

enum { STEP = 16 };

// STEP samples along a line at least one pixel inside the picture: u and v in 1/65536 pixels. First the positions, then
// the bytes in pairs, then the arithmetic, so that everything but the loads uses whole vectors.
CK_CLONES
static void sample_inside(const uint8_t *src, int32_t stride, int32_t u, int32_t v, int32_t du, int32_t dv,
                          uint8_t *CK_RESTRICT d) {
  int32_t at[STEP], fu[STEP], fv[STEP];
  uint16_t top[STEP], low[STEP];
  for (int x = 0; x < STEP; x++) {
    const int32_t pu = u + x * du, pv = v + x * dv;
    at[x] = (pv >> 16) * stride + (pu >> 16);
    fu[x] = (pu >> 8) & 255;
    fv[x] = (pv >> 8) & 255;
  }
  for (int x = 0; x < STEP; x++) {
    const uint8_t *p = src + at[x];
    top[x] = (uint16_t)(p[0] | p[1] << 8);
    low[x] = (uint16_t)(p[stride] | p[stride + 1] << 8);
  }
  for (int x = 0; x < STEP; x++) {
    const int32_t p = top[x] & 255, q = low[x] & 255;
    const int32_t a = (p << 8) + fu[x] * ((top[x] >> 8) - p);
    const int32_t b = (q << 8) + fu[x] * ((low[x] >> 8) - q);
    d[x] = (uint8_t)(((a << 8) + fv[x] * (b - a) + 32768) >> 16);
  }
}

// `count` samples along a line, edges repeated; all 0 if all samples are more than `reach` pixels outside.
static void sample_line(const uint8_t *src, size_t stride, int width, int height, int64_t u, int64_t v, int64_t du,
                        int64_t dv, int64_t reach, uint8_t *d, int count) {
  const int64_t right = ((int64_t)(width - 1) << 16) - 1, low = ((int64_t)(height - 1) << 16) - 1;
  const int64_t last_u = u + du * (count - 1), last_v = v + dv * (count - 1);
  if (u >= 0 && v >= 0 && u < right && v < low && last_u >= 0 && last_v >= 0 && last_u < right && last_v < low) {
    if (count == STEP && width < 32768 && height < 32768) {
      sample_inside(src, (int32_t)stride, (int32_t)u, (int32_t)v, (int32_t)du, (int32_t)dv, d);
      return;
    }
    for (int x = 0; x < count; x++, u += du, v += dv) {
      const uint8_t *p = src + (size_t)(v >> 16) * stride + (size_t)(u >> 16);
      const int fu = (int)(u >> 8) & 255, fv = (int)(v >> 8) & 255;
      const int a = (p[0] << 8) + fu * (p[1] - p[0]);
      const int b = (p[stride] << 8) + fu * (p[stride + 1] - p[stride]);
      d[x] = (uint8_t)(((a << 8) + fv * (b - a) + 32768) >> 16);
    }
    return;
  }
  if (reach >= 0) {
    const int64_t r = reach << 16;
    if ((u < -r && last_u < -r) || (v < -r && last_v < -r) || (u > right + r && last_u > right + r) ||
        (v > low + r && last_v > low + r)) {
      memset(d, 0, (size_t)count);
      return;
    }
  }
  for (int x = 0; x < count; x++, u += du, v += dv) d[x] = sample(src, stride, width, height, u >> 8, v >> 8);
}

static int64_t fixed(double v) { return (int64_t)((v > -1e6 ? (v < 1e6 ? v : 1e6) : -1e6) * 65536.0 + 0.5 * 256); }

// The map is exact at every sixteenth pixel and linear between: for the maps of a camera the error is far below 1/256
// pixel.
void ck_warp(const uint8_t *src, size_t src_stride, int src_width, int src_height, const double *m, int reach,
             uint8_t *dst, size_t dst_stride, int width, int height) {
  for (int y = 0; y < height; y++) {
    uint8_t *d = dst + (size_t)y * dst_stride;
    double u = m[1] * y + m[2], v = m[4] * y + m[5], w = m[7] * y + m[8];
    int64_t fu = fixed(u / w), fv = fixed(v / w);
    for (int x = 0; x < width; x += STEP) {
      const int count = width - x < STEP ? width - x : STEP;
      u += m[0] * STEP;
      v += m[3] * STEP;
      w += m[6] * STEP;
      const int64_t nu = fixed(u / w), nv = fixed(v / w);
      sample_line(src, src_stride, src_width, src_height, fu, fv, (nu - fu) / STEP, (nv - fv) / STEP, reach,
                  d + x, count);
      fu = nu;
      fv = nv;
    }
  }
}
