// Finds corners by the FAST-9 score.
#include "dispatch.h"
#include "include/ckernels.h"
#include <string.h>

static inline uint8_t min8(uint8_t a, uint8_t b) { return a < b ? a : b; }
static inline uint8_t max8(uint8_t a, uint8_t b) { return a > b ? a : b; }
static inline uint8_t over(uint8_t a, uint8_t b) { return (uint8_t)(max8(a, b) - b); }

// The greatest of the sixteen minima over nine contiguous values: eight minima over eight values starting at odd
// indices, each extended by one value to either side.
#define ARC(s)                                                                                                       \
  {                                                                                                                  \
    uint8_t m1 = min8(s##1, s##2), m3 = min8(s##3, s##4), m5 = min8(s##5, s##6), m7 = min8(s##7, s##8);              \
    uint8_t m9 = min8(s##9, s##10), m11 = min8(s##11, s##12), m13 = min8(s##13, s##14), m15 = min8(s##15, s##0);     \
    uint8_t q1 = min8(m1, m3), q3 = min8(m3, m5), q5 = min8(m5, m7), q7 = min8(m7, m9);                              \
    uint8_t q9 = min8(m9, m11), q11 = min8(m11, m13), q13 = min8(m13, m15), q15 = min8(m15, m1);                     \
    best = max8(best, min8(min8(q1, q5), max8(s##0, s##9)));                                                         \
    best = max8(best, min8(min8(q3, q7), max8(s##2, s##11)));                                                        \
    best = max8(best, min8(min8(q5, q9), max8(s##4, s##13)));                                                        \
    best = max8(best, min8(min8(q7, q11), max8(s##6, s##15)));                                                       \
    best = max8(best, min8(min8(q9, q13), max8(s##8, s##1)));                                                        \
    best = max8(best, min8(min8(q11, q15), max8(s##10, s##3)));                                                      \
    best = max8(best, min8(min8(q13, q1), max8(s##12, s##5)));                                                       \
    best = max8(best, min8(min8(q15, q3), max8(s##14, s##7)));                                                       \
  }
#define EACH(X)                                                                                                      \
  X(0, 3, 0) X(1, 3, 1) X(2, 2, 2) X(3, 1, 3) X(4, 0, 3) X(5, -1, 3) X(6, -2, 2) X(7, -3, 1) X(8, -3, 0)             \
  X(9, -3, -1) X(10, -2, -2) X(11, -1, -3) X(12, 0, -3) X(13, 1, -3) X(14, 2, -2) X(15, 3, -1)

CK_CLONES
void ck_fast_scores(const uint8_t *src, uint8_t *scores, size_t stride, int width, int height) {
  for (int y = 0; y < height; y++) {
    const uint8_t *CK_RESTRICT p = src + (size_t)y * stride;
    uint8_t *CK_RESTRICT out = scores + (size_t)y * stride;
#define ROW(i, dx, dy) const uint8_t *CK_RESTRICT r##i = p + (dx) + (ptrdiff_t)(dy) * (ptrdiff_t)stride;
    EACH(ROW)
    for (int x = 0; x < width; x++) {
      uint8_t c = p[x], best = 0;
#define LOAD(i, dx, dy) uint8_t v##i = r##i[x], b##i = over(v##i, c), d##i = over(c, v##i);
      EACH(LOAD)
      ARC(b)
      ARC(d)
      out[x] = best;
    }
  }
}

CK_CLONES
static void maxima_row(const uint8_t *CK_RESTRICT s, size_t stride, int width, uint8_t threshold,
                       uint8_t *CK_RESTRICT row) {
  const uint8_t *CK_RESTRICT u = s - stride, *CK_RESTRICT l = s + stride;
  for (int x = 0; x < width; x++) {
    uint8_t before = max8(max8(u[x - 1], u[x]), max8(u[x + 1], s[x - 1]));
    uint8_t after = max8(max8(l[x - 1], l[x]), max8(l[x + 1], s[x + 1]));
    uint8_t v = s[x];
    row[x] = ((v > before) & (v >= after) & (v >= threshold)) ? v : 0;
  }
}

int ck_fast_maxima(const uint8_t *scores, size_t stride, int width, int height, int threshold, uint32_t *out,
                   int capacity, uint8_t *row) {
  int n = 0;
  if (width <= 0) return 0;
  memset(row + width, 0, 64);
  for (int y = 0; y < height; y++) {
    maxima_row(scores + (size_t)y * stride, stride, width, (uint8_t)(threshold < 1 ? 1 : threshold), row);
    for (int x = 0; x < width; x += 32) {
      uint64_t w[4];
      memcpy(w, row + x, sizeof w);
      if (!(w[0] | w[1] | w[2] | w[3])) continue;
      for (int k = 0; k < 4; k++) {
        while (w[k]) {
          int byte = __builtin_ctzll(w[k]) >> 3, i = x + 8 * k + byte;
          if (n == capacity) return n;
          out[n++] = (uint32_t)y << 20 | (uint32_t)i << 8 | row[i];
          w[k] &= ~(0xffull << (8 * byte));
        }
      }
    }
  }
  return n;
}
