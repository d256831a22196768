// Computes convolutions of networks in integers, and rounds and adds their results.
#include "dispatch.h"
#include "include/cknetworks.h"
#include <string.h>

CK_ROUND_PRODUCTS

// Compilers do not generate the multiply-add of pairs in every clone: it is written with intrinsics for each vector width.
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

// The sums of one block of outputs for PLACES positions, in VECTORS vectors each.
#define PLACES_OF_A_BLOCK(PLACES, VECTORS, LANES, VECTOR, LOAD, STORE, REPEAT, ADD_PRODUCTS) \
  { \
    VECTOR sum[PLACES][VECTORS]; \
    for (int p = 0; p < PLACES; p++) \
      for (int v = 0; v < VECTORS; v++) sum[p][v] = LOAD(offset + LANES * v); \
    const int16_t *w = weight; \
    for (int row = 0; row < rows; row++) { \
      const int16_t *run = place + (size_t)row * src_row; \
      for (int k = 0; k < pairs; k++, run += 2, w += 2 * CK_OUTPUTS) { \
        for (int p = 0; p < PLACES; p++) { \
          int32_t pair; \
          memcpy(&pair, run + (size_t)p * src_step, sizeof pair); \
          const VECTOR both = REPEAT(pair); \
          for (int v = 0; v < VECTORS; v++) sum[p][v] = \
              ADD_PRODUCTS(sum[p][v], both, LOAD(w + 2 * LANES * v)); \
        } \
      } \
    } \
    for (int p = 0; p < PLACES; p++) \
      for (int v = 0; v < VECTORS; v++) STORE(result + (size_t)p * width + LANES * v, sum[p][v]); \
  }

// Computes all blocks and positions: MANY positions together, then the remaining ones singly.
#define CONVOLVE(MANY, ...) \
  const size_t width = (size_t)blocks * CK_OUTPUTS, block_weights = (size_t)rows * (size_t)pairs * 2 * CK_OUTPUTS; \
  for (int block = 0; block < blocks; block++) { \
    const int16_t *weight = weights + (size_t)block * block_weights; \
    const int32_t *offset = offsets + (size_t)block * CK_OUTPUTS; \
    int at = 0; \
    for (; at + MANY <= count; at += MANY) { \
      const int16_t *place = src + (size_t)at * src_step; \
      int32_t *result = sums + (size_t)at * width + (size_t)block * CK_OUTPUTS; \
      PLACES_OF_A_BLOCK(MANY, __VA_ARGS__) \
    } \
    for (; at < count; at++) { \
      const int16_t *place = src + (size_t)at * src_step; \
      int32_t *result = sums + (size_t)at * width + (size_t)block * CK_OUTPUTS; \
      PLACES_OF_A_BLOCK(1, __VA_ARGS__) \
    } \
  }

#if defined(__x86_64__)

#define LOAD_4(p) _mm_loadu_si128((const __m128i *)(const void *)(p))
#define STORE_4(p, x) _mm_storeu_si128((__m128i *)(void *)(p), x)
#define PRODUCTS_4(sum, a, b) _mm_add_epi32(sum, _mm_madd_epi16(a, b))
#define LOAD_8(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define STORE_8(p, x) _mm256_storeu_si256((__m256i *)(void *)(p), x)
#define PRODUCTS_8(sum, a, b) _mm256_add_epi32(sum, _mm256_madd_epi16(a, b))
#define LOAD_16(p) _mm512_loadu_si512((const void *)(p))
#define STORE_16(p, x) _mm512_storeu_si512((void *)(p), x)
#define PRODUCTS_16(sum, a, b) _mm512_add_epi32(sum, _mm512_madd_epi16(a, b))

#if defined(__linux__) && !defined(CK_UNTIMELY)
__attribute__((target("avx512bw"))) void ck_convolve(const int16_t *src, size_t src_row, size_t src_step,
                                                           int rows, int pairs, int count, const int16_t *weights,
                                                           int blocks, const int32_t *offsets, int32_t *sums) {
  CONVOLVE(8, 1, 16, __m512i, LOAD_16, STORE_16, _mm512_set1_epi32, PRODUCTS_16)
}

__attribute__((target("avx2"))) void ck_convolve(const int16_t *src, size_t src_row, size_t src_step,
                                                           int rows, int pairs, int count, const int16_t *weights,
                                                           int blocks, const int32_t *offsets, int32_t *sums) {
  CONVOLVE(4, 2, 8, __m256i, LOAD_8, STORE_8, _mm256_set1_epi32, PRODUCTS_8)
}

__attribute__((target("default")))
#endif
void ck_convolve(const int16_t *src, size_t src_row, size_t src_step, int rows, int pairs, int count,
                 const int16_t *weights, int blocks, const int32_t *offsets, int32_t *sums) {
  CONVOLVE(2, 4, 4, __m128i, LOAD_4, STORE_4, _mm_set1_epi32, PRODUCTS_4)
}

#elif defined(__ARM_NEON)

void ck_convolve(const int16_t *src, size_t src_row, size_t src_step, int rows, int pairs, int count,
                 const int16_t *weights, int blocks, const int32_t *offsets, int32_t *sums) {
#define LOAD_4(p) vreinterpretq_s32_s16(vld1q_s16((const int16_t *)(const void *)(p)))
#define REPEAT_4(pair) vdupq_n_s32(pair)
  // Adds the products of adjacent elements.
#define PRODUCTS_4(sum, a, b) \
  vaddq_s32(sum, vpaddq_s32(vmull_s16(vget_low_s16(vreinterpretq_s16_s32(a)), vget_low_s16(vreinterpretq_s16_s32(b))), \
                            vmull_high_s16(vreinterpretq_s16_s32(a), vreinterpretq_s16_s32(b))))
  CONVOLVE(4, 4, 4, int32x4_t, LOAD_4, vst1q_s32, REPEAT_4, PRODUCTS_4)
}

#else

void ck_convolve(const int16_t *src, size_t src_row, size_t src_step, int rows, int pairs, int count,
                 const int16_t *weights, int blocks, const int32_t *offsets, int32_t *sums) {
  const size_t width = (size_t)blocks * CK_OUTPUTS;
  for (int at = 0; at < count; at++) {
    const int16_t *w = weights;
    for (int block = 0; block < blocks; block++) {
      int32_t *sum = sums + (size_t)at * width + (size_t)block * CK_OUTPUTS;
      memcpy(sum, offsets + (size_t)block * CK_OUTPUTS, CK_OUTPUTS * sizeof *sum);
      for (int row = 0; row < rows; row++) {
        const int16_t *run = src + (size_t)at * src_step + (size_t)row * src_row;
        for (int k = 0; k < pairs; k++, run += 2, w += 2 * CK_OUTPUTS)
          for (int o = 0; o < CK_OUTPUTS; o++) sum[o] += run[0] * w[2 * o] + run[1] * w[2 * o + 1];
      }
    }
  }
}

#endif

typedef int16_t halves __attribute__((vector_size(2 * CK_OUTPUTS)));
typedef int32_t words __attribute__((vector_size(4 * CK_OUTPUTS)));

CK_CLONES
void ck_convolve_channels(const int16_t *src, size_t src_row, size_t src_step, int rows, int columns, int channels,
                          int count, const int16_t *weights, int blocks, const int32_t *offsets, int32_t *sums) {
  const size_t width = (size_t)blocks * CK_OUTPUTS;
  for (int at = 0; at < count; at++) {
    for (int block = 0; block < blocks; block++) {
      const size_t first = (size_t)block * CK_OUTPUTS;
      const int16_t *place = src + (size_t)at * src_step + first;
      words sum;
      memcpy(&sum, offsets + first, sizeof sum);
      for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
          halves a, w;
          memcpy(&a, place + (size_t)row * src_row + (size_t)column * (size_t)channels, sizeof a);
          memcpy(&w, weights + (size_t)(row * columns + column) * width + first, sizeof w);
          sum += __builtin_convertvector(a, words) * __builtin_convertvector(w, words);
        }
      }
      memcpy(sums + (size_t)at * width + first, &sum, sizeof sum);
    }
  }
}

// 1.5 * 2^23: adding it rounds a float to an integer.
static const float whole = 12582912.0f;

CK_CLONES
void ck_settle(const int32_t *sums, int blocks, int count, const float *factors, float low, float high, int channels,
               int16_t *dst) {
  const size_t width = (size_t)blocks * CK_OUTPUTS;
  for (int at = 0; at < count; at++) {
    const int32_t *CK_RESTRICT sum = sums + (size_t)at * width;
    int16_t *CK_RESTRICT d = dst + (size_t)at * (size_t)channels;
    for (int c = 0; c < channels; c++) {
      float value = (float)sum[c] * factors[c];
      value = value > low ? value : low;
      value = value < high ? value : high;
      d[c] = (int16_t)((value + whole) - whole);
    }
  }
}

CK_CLONES
void ck_settle_swish(const int32_t *sums, int blocks, int count, const float *factors, float slope, float scale,
                     float shift, float high, int channels, int16_t *dst) {
  const size_t width = (size_t)blocks * CK_OUTPUTS;
  for (int at = 0; at < count; at++) {
    const int32_t *CK_RESTRICT sum = sums + (size_t)at * width;
    int16_t *CK_RESTRICT d = dst + (size_t)at * (size_t)channels;
    for (int c = 0; c < channels; c++) {
      float value = (float)sum[c] * factors[c], share = value * slope + 0.5f;
      share = share > 0 ? share : 0;
      share = share < 1 ? share : 1;
      value = scale * (value * share) + shift;
      value = value > -high ? value : -high;
      value = value < high ? value : high;
      d[c] = (int16_t)((value + whole) - whole);
    }
  }
}

CK_CLONES
void ck_add(const int16_t *a, int32_t a_factor, const int16_t *b, int32_t b_factor, int16_t low, int16_t high,
            size_t count, int16_t *dst) {
  for (size_t i = 0; i < count; i++) {
    int32_t value = (a[i] * a_factor + b[i] * b_factor + (1 << (CK_SHARE_BITS - 1))) >> CK_SHARE_BITS;
    value = value > low ? value : low;
    dst[i] = (int16_t)(value < high ? value : high);
  }
}
