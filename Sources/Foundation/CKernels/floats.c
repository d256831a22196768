#include "dispatch.h"
#include "include/cknetworks.h"
#include <string.h>

CK_ROUND_PRODUCTS

typedef float floats __attribute__((vector_size(4 * CK_FLOATS)));
typedef int32_t bits __attribute__((vector_size(4 * CK_FLOATS)));

#define LOAD(value, from) memcpy(&(value), from, sizeof(value))
#define STORE_ABOVE_0(to, value) \
  { \
    const floats above = (floats)((bits)(value) & ((value) > 0)); \
    memcpy(to, &above, sizeof above); \
  }

// Of 3 places from `first` on, those that lie within `side`.
#define FIRST_WITHIN(first) ((first) < 0 ? -(first) : 0)
#define LAST_WITHIN(first, side) ((first) + 3 > (side) ? (side) - (first) : 3)

// Goes over all places of dst and their outputs from `o` on; the rest of the arguments adds one row of the places around to `sum`: in row `dy` those
// from `first` to `last`.
#define EACH_PLACE(outputs, ...) \
  for (int y = 0; y < dst_side; y++) { \
    const int top = step * y - 1, first_row = FIRST_WITHIN(top), last_row = LAST_WITHIN(top, side); \
    for (int x = 0; x < dst_side; x++, dst += (outputs)) { \
      const int left = step * x - 1, first = FIRST_WITHIN(left), last = LAST_WITHIN(left, side); \
      for (int o = 0; o < (outputs); o += CK_FLOATS) { \
        floats sum, weight; \
        LOAD(sum, offsets + o); \
        for (int dy = first_row; dy < last_row; dy++) { __VA_ARGS__ } \
        STORE_ABOVE_0(dst + o, sum) \
      } \
    } \
  }

CK_CLONES
void ck_convolve_floats(const float *src, int side, int inputs, int step, const float *weights, int outputs,
                        const float *offsets, float *dst, int dst_side) {
  EACH_PLACE(outputs, {
    const float *value = src + ((ptrdiff_t)(top + dy) * side + left + first) * inputs;
    const float *w = weights + (ptrdiff_t)(dy * 3 + first) * inputs * outputs + o;
    for (int i = (last - first) * inputs; i > 0; i--, value++, w += outputs) {
      LOAD(weight, w);
      sum += *value * weight;
    }
  })
}

CK_CLONES
void ck_convolve_float_channels(const float *src, int side, int channels, int step, const float *weights,
                                const float *offsets, float *dst, int dst_side) {
  EACH_PLACE(channels, {
    const float *values = src + ((ptrdiff_t)(top + dy) * side + left) * channels + o;
    for (int dx = first; dx < last; dx++) {
      floats value;
      LOAD(value, values + (ptrdiff_t)dx * channels);
      LOAD(weight, weights + (ptrdiff_t)(dy * 3 + dx) * channels + o);
      sum += value * weight;
    }
  })
}

// All outputs of PLACES places.
#define MIX(PLACES) \
  for (int o = 0; o < outputs; o += CK_FLOATS) { \
    const float *w = weights + (ptrdiff_t)o * inputs; \
    floats sum[PLACES], weight; \
    for (int p = 0; p < PLACES; p++) LOAD(sum[p], offsets + o); \
    for (int i = 0; i < inputs; i++, w += CK_FLOATS) { \
      LOAD(weight, w); \
      for (int p = 0; p < PLACES; p++) sum[p] += src[(ptrdiff_t)p * inputs + i] * weight; \
    } \
    for (int p = 0; p < PLACES; p++) { \
      float *result = dst + (ptrdiff_t)p * outputs + o; \
      if (rectified) STORE_ABOVE_0(result, sum[p]) \
      else memcpy(result, &sum[p], sizeof sum[p]); \
    } \
  }

CK_CLONES
void ck_mix_floats(const float *src, int count, int inputs, const float *weights, int outputs, const float *offsets,
                   int rectified, float *dst) {
  for (; count >= 8; count -= 8, src += 8 * inputs, dst += 8 * outputs) MIX(8)
  for (; count > 0; count--, src += inputs, dst += outputs) MIX(1)
}
