// Copies planes, and scales them by 1/2, 2/3 and 2.
#include "dispatch.h"
#include "include/ckernels.h"
#include <string.h>

void ck_copy(const uint8_t *src, size_t src_stride, uint8_t *dst, size_t dst_stride, int width, int height) {
  for (int y = 0; y < height; y++) memcpy(dst + y * dst_stride, src + y * src_stride, (size_t)width);
}

CK_CLONES
void ck_halve(const uint8_t *src, size_t src_stride, uint8_t *dst, size_t dst_stride, int width, int height) {
  for (int y = 0; y < height; y++) {
    const uint8_t *CK_RESTRICT a = src + 2 * (size_t)y * src_stride;
    const uint8_t *CK_RESTRICT b = a + src_stride;
    uint8_t *CK_RESTRICT d = dst + (size_t)y * dst_stride;
    for (int x = 0; x < width; x++)
      d[x] = (uint8_t)((a[2 * x] + a[2 * x + 1] + b[2 * x] + b[2 * x + 1] + 2) >> 2);
  }
}

typedef uint8_t vb16 __attribute__((vector_size(16)));
typedef uint16_t vh8 __attribute__((vector_size(16)));
typedef uint32_t vw8 __attribute__((vector_size(32)));

// The first, second and third elements of eight triples from p on.
static inline __attribute__((always_inline)) void ck_triples(const uint8_t *p, vh8 t[3]) {
  vb16 low, high;
  memcpy(&low, p, 16);
  memcpy(&high, p + 8, 16);
  t[0] = __builtin_convertvector(__builtin_shufflevector(low, high, 0, 3, 6, 9, 12, 15, 26, 29), vh8);
  t[1] = __builtin_convertvector(__builtin_shufflevector(low, high, 1, 4, 7, 10, 13, 24, 27, 30), vh8);
  t[2] = __builtin_convertvector(__builtin_shufflevector(low, high, 2, 5, 8, 11, 14, 25, 28, 31), vh8);
}

// n / 9 rounded: (n + 4) * 7282 >> 16 is exact for n <= 2295.
static inline __attribute__((always_inline)) vh8 ck_ninths(vh8 n) {
  return __builtin_convertvector((__builtin_convertvector(n + 4, vw8) * 7282) >> 16, vh8);
}

// Eight pairs of pixels from two rows: twice the near row plus the middle row.
static inline __attribute__((always_inline)) void ck_pairs(const vh8 near[3], const vh8 middle[3], uint8_t *out) {
  vh8 u0 = 2 * near[0] + middle[0], u1 = 2 * near[1] + middle[1], u2 = 2 * near[2] + middle[2];
  // The left pixel of each pair is the lower byte.
  vh8 left = ck_ninths(2 * u0 + u1), right = ck_ninths(2 * u2 + u1);
  vb16 pairs = __builtin_shufflevector((vb16)left, (vb16)right, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30);
  memcpy(out, &pairs, 16);
}

// Converts eight triples in each of three rows to eight pairs in each of two rows.
static inline __attribute__((always_inline)) void ck_block(const uint8_t *a, const uint8_t *b, const uint8_t *c, uint8_t *d0,
                                                           uint8_t *d1) {
  vh8 above[3], middle[3], below[3];
  ck_triples(a, above);
  ck_triples(b, middle);
  ck_triples(c, below);
  ck_pairs(above, middle, d0);
  ck_pairs(below, middle, d1);
}

// Three pixels become two along each axis, with the weights (2, 1) / 3 and (1, 2) / 3; together a division by 9.
CK_CLONES
void ck_two_thirds(const uint8_t *src, size_t src_stride, uint8_t *dst, size_t dst_stride, int width, int height) {
  const int pairs = (width + 1) / 2, whole = pairs / 8 * 8;
  const size_t rest = (size_t)(pairs - whole);
  uint8_t in[3][24] = {{0}}, out[2][16];
  for (int y = 0; y < height; y += 2) {
    const uint8_t *CK_RESTRICT a = src + 3 * (size_t)(y / 2) * src_stride;
    const uint8_t *CK_RESTRICT b = a + src_stride;
    const uint8_t *CK_RESTRICT c = b + src_stride;
    uint8_t *CK_RESTRICT d0 = dst + (size_t)y * dst_stride;
    uint8_t *CK_RESTRICT d1 = d0 + dst_stride;
    for (int i = 0; i < whole; i += 8) ck_block(a + 3 * i, b + 3 * i, c + 3 * i, d0 + 2 * i, d1 + 2 * i);
    // The rest of the rows, copied to a buffer for a whole block.
    memcpy(in[0], a + 3 * whole, 3 * rest);
    memcpy(in[1], b + 3 * whole, 3 * rest);
    memcpy(in[2], c + 3 * whole, 3 * rest);
    ck_block(in[0], in[1], in[2], out[0], out[1]);
    memcpy(d0 + 2 * whole, out[0], 2 * rest);
    memcpy(d1 + 2 * whole, out[1], 2 * rest);
  }
}

CK_CLONES
void ck_double(const uint8_t *src, size_t src_stride, uint8_t *dst, size_t dst_stride, int width, int height) {
  for (int y = 0; y < 2 * height; y++) {
    int near = y >> 1, far = (y & 1) ? near + 1 : near - 1;
    if (far < 0) far = 0;
    if (far >= height) far = height - 1;
    const uint8_t *CK_RESTRICT a = src + (size_t)near * src_stride;
    const uint8_t *CK_RESTRICT b = src + (size_t)far * src_stride;
    uint8_t *CK_RESTRICT d = dst + (size_t)y * dst_stride;
    int first = 3 * a[0] + b[0], last = 3 * a[width - 1] + b[width - 1];
    d[0] = (uint8_t)((4 * first + 8) >> 4);
    for (int x = 0; x + 1 < width; x++) {
      int p = 3 * a[x] + b[x], q = 3 * a[x + 1] + b[x + 1];
      d[2 * x + 1] = (uint8_t)((3 * p + q + 8) >> 4);
      d[2 * x + 2] = (uint8_t)((p + 3 * q + 8) >> 4);
    }
    d[2 * width - 1] = (uint8_t)((4 * last + 8) >> 4);
  }
}
