// Layers of networks, in integers and below in floating point. Integers: activations of 16 bits, sums of 32 bits. A picture is stored as rows of
// positions with adjacent channels. The weights must keep every sum within 32 bits. The results are the same on every processor.
#ifndef CKNETWORKS_H
#define CKNETWORKS_H

#include <stddef.h>
#include <stdint.h>

// The number of outputs in a block of weights.
#define CK_OUTPUTS 16
// The number of fractional bits of a factor of ck_add.
#define CK_SHARE_BITS 14
// The number of values after the end of src that may be read, and are not used.
#define CK_SLACK 32

// The sums of a convolution for `count` positions of a row: for each position and output the offset plus all products. A position reads `rows`
// runs of 2 * `pairs` values of src that are src_row apart; the next position begins src_step further. Weights: [block of CK_OUTPUTS
// outputs][run][pair][output of the block][0, 1]. sums: blocks * CK_OUTPUTS for each position.
void ck_convolve(const int16_t *src, size_t src_row, size_t src_step, int rows, int pairs, int count,
                 const int16_t *weights, int blocks, const int32_t *offsets, int32_t *sums);

// Like ck_convolve, for each channel separately: over rows x columns positions of src with `channels` values each. Weights: blocks * CK_OUTPUTS
// for each of these positions; blocks * CK_OUTPUTS is at least `channels`.
void ck_convolve_channels(const int16_t *src, size_t src_row, size_t src_step, int rows, int columns, int channels,
                          int count, const int16_t *weights, int blocks, const int32_t *offsets, int32_t *sums);

// dst = sums times the factor of their output, clamped to `low` ... `high`, rounded to the nearest integer (ties to even). Each position has
// `channels` values in dst and blocks * CK_OUTPUTS in sums.
void ck_settle(const int32_t *sums, int blocks, int count, const float *factors, float low, float high, int channels,
               int16_t *dst);

// Like ck_settle, with scale * x * clamp(x * slope + 1/2, 0 ... 1) + shift of each product x, clamped to -high ... high.
void ck_settle_swish(const int32_t *sums, int blocks, int count, const float *factors, float slope, float scale,
                     float shift, float high, int channels, int16_t *dst);

// dst = (a * a_factor + b * b_factor) / 2 to the power of CK_SHARE_BITS, rounded to the nearest integer (ties upwards), clamped to `low` ...
// `high`.
void ck_add(const int16_t *a, int32_t a_factor, const int16_t *b, int32_t b_factor, int16_t low, int16_t high,
            size_t count, int16_t *dst);

// Layers in floating point: products are added in the order of rows, columns and channels. CK_FLOATS is the number of outputs in a block of
// weights.
#define CK_FLOATS 8

// Like ck_convolve, with runs of `run` values. Weights: [block of CK_FLOATS outputs][run][value of the run][output of the block].
void ck_convolve_floats(const float *src, size_t src_row, size_t src_step, int rows, int run, int count,
                        const float *weights, int blocks, const float *offsets, float *sums);

// Like ck_convolve_channels, with blocks * CK_FLOATS channels.
void ck_convolve_float_channels(const float *src, size_t src_row, size_t src_step, int rows, int columns, int count,
                                const float *weights, int blocks, const float *offsets, float *sums);

#endif
