// Draws, prepares and compares patches of 8 x 8 pixels.
#include "dispatch.h"
#include "include/ckpatches.h"
#include <math.h>
#include <string.h>

typedef float vf8 __attribute__((vector_size(32)));
typedef int32_t vi8 __attribute__((vector_size(32)));
typedef uint8_t vb8 __attribute__((vector_size(8)));

static inline __attribute__((always_inline)) float ck_sum8(const float *v) {
  return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7]));
}

CK_CLONES
void ck_patch_draw(const uint8_t *src, size_t stride, int width, int height, const float map[9], const float *offsets,
                   int count, float *out) {
  const vf8 lane = {0, 1, 2, 3, 4, 5, 6, 7};
  const float right = (float)(width - 1), bottom = (float)(height - 1);
  const int last_x = width >= 2 ? width - 2 : 0, last_y = height >= 2 ? height - 2 : 0;
  const float share = 1.0f / (float)count;
  for (int chunk = 0; chunk < CK_DRAWN_CAPACITY / 8; chunk++) {
    // Pixel index -> column and row; (n + 0.5) / 10 is never close to an integer, so that truncation is exact.
    vf8 n = lane + (float)(8 * chunk);
    vi8 row = __builtin_convertvector((n + 0.5f) * 0.1f, vi8);
    vf8 py = __builtin_convertvector(row, vf8);
    vf8 px = n - py * 10.0f - 1.0f;
    py = py - 1.0f;
    vf8 sum = {0, 0, 0, 0, 0, 0, 0, 0};
    for (int k = 0; k < count; k++) {
      vf8 x = px + offsets[2 * k], y = py + offsets[2 * k + 1];
      vf8 w = 1.0f / (map[6] * x + map[7] * y + map[8]);
      vf8 u = (map[0] * x + map[1] * y + map[2]) * w;
      vf8 v = (map[3] * x + map[4] * y + map[5]) * w;
      float us[8], vs[8], a[8], b[8], c[8], d[8], fu[8], fv[8];
      memcpy(us, &u, sizeof us);
      memcpy(vs, &v, sizeof vs);
      for (int i = 0; i < 8; i++) {
        // Written so that NaN is moved to the edge as well.
        float s = us[i] > 0 ? us[i] : 0, t = vs[i] > 0 ? vs[i] : 0;
        s = s < right ? s : right;
        t = t < bottom ? t : bottom;
        int xi = (int)s, yi = (int)t;
        xi = xi < last_x ? xi : last_x;
        yi = yi < last_y ? yi : last_y;
        fu[i] = s - (float)xi;
        fv[i] = t - (float)yi;
        const uint8_t *p = src + (size_t)yi * stride + (size_t)xi;
        a[i] = p[0];
        b[i] = p[1];
        c[i] = p[stride];
        d[i] = p[stride + 1];
      }
      vf8 va, vb, vc, vd, wu, wv;
      memcpy(&va, a, sizeof va);
      memcpy(&vb, b, sizeof vb);
      memcpy(&vc, c, sizeof vc);
      memcpy(&vd, d, sizeof vd);
      memcpy(&wu, fu, sizeof wu);
      memcpy(&wv, fv, sizeof wv);
      vf8 upper = va + (vb - va) * wu, lower = vc + (vd - vc) * wu;
      sum += upper + (lower - upper) * wv;
    }
    sum *= share;
    memcpy(out + 8 * chunk, &sum, sizeof sum);
  }
}

CK_CLONES
float ck_patch_prepare(const float *drawn, float *prepared, float tensor[3]) {
  const vf8 zero = {0, 0, 0, 0, 0, 0, 0, 0};
  vf8 t[8], gx[8], gy[8], st = zero, sx = zero, sy = zero;
  float lanes[8];
  for (int r = 0; r < 8; r++) {
    const float *p = drawn + 10 * (r + 1) + 1;
    vf8 left, right, up, down;
    memcpy(&t[r], p, sizeof t[r]);
    memcpy(&left, p - 1, sizeof left);
    memcpy(&right, p + 1, sizeof right);
    memcpy(&up, p - 10, sizeof up);
    memcpy(&down, p + 10, sizeof down);
    gx[r] = (right - left) * 0.5f;
    gy[r] = (down - up) * 0.5f;
    st += t[r];
    sx += gx[r];
    sy += gy[r];
  }
  memcpy(lanes, &st, sizeof lanes);
  float mean = ck_sum8(lanes) / 64;
  memcpy(lanes, &sx, sizeof lanes);
  float mean_x = ck_sum8(lanes) / 64;
  memcpy(lanes, &sy, sizeof lanes);
  float mean_y = ck_sum8(lanes) / 64;
  vf8 tt = zero;
  for (int r = 0; r < 8; r++) {
    t[r] -= mean;
    tt += t[r] * t[r];
  }
  memcpy(lanes, &tt, sizeof lanes);
  float length = sqrtf(ck_sum8(lanes));
  if (!(length > 1e-3f)) return 0;
  float scale = 1 / length;
  vf8 tx = zero, ty = zero;
  for (int r = 0; r < 8; r++) {
    t[r] *= scale;
    gx[r] = (gx[r] - mean_x) * scale;
    gy[r] = (gy[r] - mean_y) * scale;
    tx += t[r] * gx[r];
    ty += t[r] * gy[r];
  }
  memcpy(lanes, &tx, sizeof lanes);
  float along_x = ck_sum8(lanes);
  memcpy(lanes, &ty, sizeof lanes);
  float along_y = ck_sum8(lanes);
  vf8 xx = zero, xy = zero, yy = zero;
  for (int r = 0; r < 8; r++) {
    vf8 a = gx[r] - t[r] * along_x, b = gy[r] - t[r] * along_y;
    memcpy(prepared + 8 * r, &t[r], sizeof a);
    memcpy(prepared + 64 + 8 * r, &a, sizeof a);
    memcpy(prepared + 128 + 8 * r, &b, sizeof b);
    xx += a * a;
    xy += a * b;
    yy += b * b;
  }
  memcpy(lanes, &xx, sizeof lanes);
  tensor[0] = ck_sum8(lanes);
  memcpy(lanes, &xy, sizeof lanes);
  tensor[1] = ck_sum8(lanes);
  memcpy(lanes, &yy, sizeof lanes);
  tensor[2] = ck_sum8(lanes);
  return length;
}

CK_CLONES
void ck_patch_measure(const uint8_t *img, size_t stride, float fx, float fy, const float *prepared, float out[5]) {
  const vf8 zero = {0, 0, 0, 0, 0, 0, 0, 0};
  vf8 s = zero, q = zero, t = zero, gx = zero, gy = zero, last_row = zero;
  for (int r = 0; r <= 8; r++) {
    const uint8_t *p = img + (ptrdiff_t)r * (ptrdiff_t)stride;
    vb8 b0, b1;
    memcpy(&b0, p, sizeof b0);
    memcpy(&b1, p + 1, sizeof b1);
    vf8 v0 = __builtin_convertvector(b0, vf8), v1 = __builtin_convertvector(b1, vf8);
    vf8 row = v0 + (v1 - v0) * fx;
    if (r >= 1) {
      // The interpolated row between the last row and this one.
      vf8 here = last_row + (row - last_row) * fy, pt, px, py;
      const float *m = prepared + 8 * (r - 1);
      memcpy(&pt, m, sizeof pt);
      memcpy(&px, m + 64, sizeof px);
      memcpy(&py, m + 128, sizeof py);
      s += here;
      q += here * here;
      t += here * pt;
      gx += here * px;
      gy += here * py;
    }
    last_row = row;
  }
  float lanes[8];
  memcpy(lanes, &s, sizeof lanes);
  float sum = ck_sum8(lanes);
  memcpy(lanes, &q, sizeof lanes);
  float variance = ck_sum8(lanes) - sum * sum / 64;
  out[0] = sum / 64;
  if (!(variance > 1)) {
    for (int i = 1; i < 5; i++) out[i] = 0;
    return;
  }
  float length = sqrtf(variance), scale = 1 / length;
  out[1] = length;
  memcpy(lanes, &t, sizeof lanes);
  out[2] = ck_sum8(lanes) * scale;
  memcpy(lanes, &gx, sizeof lanes);
  out[3] = ck_sum8(lanes) * scale;
  memcpy(lanes, &gy, sizeof lanes);
  out[4] = ck_sum8(lanes) * scale;
}

void ck_patch_quantize(const float *prepared, int16_t *pattern) {
  // The pattern has unit length over 64 pixels, about 1/8 each: times 1024, 64 products with bytes are far below 2^31.
  for (int i = 0; i < CK_PATCH_PIXELS; i++) pattern[i] = (int16_t)lrintf(prepared[i] * 1024);
}

CK_CLONES
void ck_patch_search(const uint8_t *img, size_t stride, const int16_t *pattern, int radius, float weight, float *map) {
  const int side = 2 * radius + 1;
  for (int dy = -radius; dy <= radius; dy++) {
    float *m = map + (size_t)(dy + radius) * (size_t)side;
    for (int dx = -radius; dx <= radius; dx++) {
      const uint8_t *p = img + (ptrdiff_t)dy * (ptrdiff_t)stride + dx;
      int32_t product = 0, sum = 0, squares = 0;
      for (int r = 0; r < 8; r++) {
        const uint8_t *CK_RESTRICT row = p + (size_t)r * stride;
        const int16_t *CK_RESTRICT t = pattern + 8 * r;
        for (int i = 0; i < 8; i++) {
          int16_t v = row[i];
          product += (int32_t)v * (int32_t)t[i];
          sum += v;
          squares += (int32_t)v * (int32_t)v;
        }
      }
      float variance = (float)(64 * squares - sum * sum) * (1.0f / 64);
      // A standard deviation below one gray level is noise.
      if (variance > 64) m[dx + radius] += weight * (float)product / (1024 * sqrtf(variance));
    }
  }
}

void ck_texture_cells(const uint8_t *src, size_t stride, int width, int height, int32_t *cells) {
  const int columns = width / 4, rows = height / 4;
  memset(cells, 0, (size_t)columns * (size_t)rows * 3 * sizeof *cells);
  for (int y = 1; y < 4 * rows && y < height - 1; y++) {
    const uint8_t *CK_RESTRICT p = src + (size_t)y * stride;
    int32_t *CK_RESTRICT row = cells + (size_t)(y / 4) * (size_t)columns * 3;
    for (int c = 0; c < columns; c++) {
      int32_t xx = 0, xy = 0, yy = 0;
      for (int x = 4 * c; x < 4 * c + 4; x++) {
        if (x == 0 || x + 1 >= width) continue;
        int32_t gx = p[x + 1] - p[x - 1], gy = p[(ptrdiff_t)x + (ptrdiff_t)stride] - p[(ptrdiff_t)x - (ptrdiff_t)stride];
        xx += gx * gx;
        xy += gx * gy;
        yy += gy * gy;
      }
      row[3 * c] += xx;
      row[3 * c + 1] += xy;
      row[3 * c + 2] += yy;
    }
  }
}

CK_CLONES
void ck_patch_structure(const float *drawn, const uint8_t *img, size_t stride, float out[10]) {
  // Both are smoothed by 1 2 1 first, because derivatives amplify the high frequencies of noise.
  float a[100], b[100], wide[120], across[120], sums[10] = {0};
  for (int y = 0; y < 12; y++) {
    const uint8_t *p = img + (ptrdiff_t)(y - 2) * (ptrdiff_t)stride;
    for (int x = 0; x < 10; x++) across[10 * y + x] = p[x - 2] + 2 * p[x - 1] + p[x];
  }
  for (int i = 0; i < 100; i++) b[i] = (across[i] + 2 * across[i + 10] + across[i + 20]) / 16;
  for (int y = 0; y < 10; y++) {
    const float *p = drawn + 10 * y;
    float *q = wide + 10 * (y + 1);
    q[0] = 3 * p[0] + p[1];
    for (int x = 1; x < 9; x++) q[x] = p[x - 1] + 2 * p[x] + p[x + 1];
    q[9] = p[8] + 3 * p[9];
  }
  memcpy(wide, wide + 10, 10 * sizeof *wide);
  memcpy(wide + 110, wide + 100, 10 * sizeof *wide);
  for (int i = 0; i < 100; i++) a[i] = (wide[i] + 2 * wide[i + 10] + wide[i + 20]) / 16;
  for (int y = 1; y < 9; y++) {
    for (int x = 1; x < 9; x++) {
      const float *p = a + 10 * y + x, *q = b + 10 * y + x;
      float ax = p[-9] - p[-11] + 2 * (p[1] - p[-1]) + p[11] - p[9];
      float ay = p[9] - p[-11] + 2 * (p[10] - p[-10]) + p[11] - p[-9];
      float bx = q[-9] - q[-11] + 2 * (q[1] - q[-1]) + q[11] - q[9];
      float by = q[9] - q[-11] + 2 * (q[10] - q[-10]) + q[11] - q[-9];
      sums[0] += ax * ax;
      sums[1] += ax * ay;
      sums[2] += ay * ay;
      sums[3] += bx * bx;
      sums[4] += bx * by;
      sums[5] += by * by;
      sums[6] += ax * bx;
      sums[7] += ax * by;
      sums[8] += ay * bx;
      sums[9] += ay * by;
    }
  }
  for (int i = 0; i < 10; i++) out[i] = sums[i] / (64 * 64);
}
