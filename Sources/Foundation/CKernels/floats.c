// Computes convolutions of networks in floating point.
#include "dispatch.h"
#include "include/cknetworks.h"
#include <string.h>

CK_ROUND_PRODUCTS

typedef float floats __attribute__((vector_size(4 * CK_FLOATS)));

#define LOAD(value, from) memcpy(&(value), from, sizeof(value))

// Computes all outputs of PLACES positions.
#define CONVOLVE(PLACES) \
  for (int block = 0; block < blocks; block++) { \
    const float *w = weights + (size_t)block * block_weights; \
    floats sum[PLACES], weight; \
    for (int p = 0; p < PLACES; p++) LOAD(sum[p], offsets + block * CK_FLOATS); \
    for (int row = 0; row < rows; row++) { \
      const float *values = src + (size_t)row * src_row; \
      for (int k = 0; k < run; k++, w += CK_FLOATS) { \
        LOAD(weight, w); \
        for (int p = 0; p < PLACES; p++) sum[p] += values[(size_t)p * src_step + (size_t)k] * weight; \
      } \
    } \
    for (int p = 0; p < PLACES; p++) memcpy(sums + (p * blocks + block) * CK_FLOATS, &sum[p], sizeof sum[p]); \
  } \
  src += (size_t)PLACES * src_step; \
  sums += PLACES * blocks * CK_FLOATS;

CK_CLONES
void ck_convolve_floats(const float *src, size_t src_row, size_t src_step, int rows, int run, int count,
                        const float *weights, int blocks, const float *offsets, float *sums) {
  const size_t block_weights = (size_t)rows * (size_t)run * CK_FLOATS;
  for (; count >= 8; count -= 8) { CONVOLVE(8) }
  for (; count > 0; count--) { CONVOLVE(1) }
}

CK_CLONES
void ck_convolve_float_channels(const float *src, size_t src_row, size_t src_step, int rows, int columns, int count,
                                const float *weights, int blocks, const float *offsets, float *sums) {
  const size_t channels = (size_t)blocks * CK_FLOATS;
  for (; count > 0; count--, src += src_step, sums += channels) {
    for (size_t c = 0; c < channels; c += CK_FLOATS) {
      floats sum, value, weight;
      LOAD(sum, offsets + c);
      for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
          LOAD(value, src + (size_t)row * src_row + (size_t)column * channels + c);
          LOAD(weight, weights + (size_t)(row * columns + column) * channels + c);
          sum += value * weight;
        }
      }
      memcpy(sums + c, &sum, sizeof sum);
    }
  }
}
