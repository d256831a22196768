// Layers of networks. First in whole numbers: activations of 16 bits, sums of 32. A picture lies as rows of places, the channels of a place side by
// side. No sum may leave 32 bits: who makes the weights sees to that. The results are the same on every processor.
#ifndef CKNETWORKS_H
#define CKNETWORKS_H

#include <stddef.h>
#include <stdint.h>

// Outputs whose weights lie together.
#define CK_OUTPUTS 16
// The parts into which a factor of ck_add is divided, as a power of two.
#define CK_SHARE_BITS 14
// Numbers behind the last one of src that may be read, and do not matter.
#define CK_SLACK 32

// Sums of a convolution for `count` places of a row: for each place and output its offset plus all products. A place takes
// `rows` runs of 2 * `pairs` numbers of src, which are src_row apart; the next place begins src_step further. Weights: of each block of
// CK_OUTPUTS outputs, of each run, of each pair of numbers, the two weights of each output. sums: blocks * CK_OUTPUTS a place.
void ck_convolve(const int16_t *src, size_t src_row, size_t src_step, int rows, int pairs, int count,
                 const int16_t *weights, int blocks, const int32_t *offsets, int32_t *sums);

// The same of each channel by itself: of rows x columns places of src, `channels` numbers each. Weights: of each of those places
// blocks * CK_OUTPUTS; blocks * CK_OUTPUTS is not less than `channels`.
void ck_convolve_channels(const int16_t *src, size_t src_row, size_t src_step, int rows, int columns, int channels,
                          int count, const int16_t *weights, int blocks, const int32_t *offsets, int32_t *sums);

// dst = sums times the factor of their output, not below `low` or above `high`, to the nearest whole number (of two, the even one). `channels`
// numbers a place are written, sums are blocks * CK_OUTPUTS.
void ck_settle(const int32_t *sums, int blocks, int count, const float *factors, float low, float high, int channels,
               int16_t *dst);

// dst = (a * a_factor + b * b_factor) / 2 to the power of CK_SHARE_BITS, to the nearest whole number (of two, the greater one), not below `low`
// or above `high`.
void ck_add(const int16_t *a, int32_t a_factor, const int16_t *b, int32_t b_factor, int16_t low, int16_t high,
            size_t count, int16_t *dst);

// Layers of a network in floating point, of squares of `side` x `side` places. Numbers whose weights lie together; outputs and channels are a multiple of it.
#define CK_FLOATS 8

// A convolution of 3 x 3 places, `step` apart, those beyond the border being 0; what is below 0 becomes 0. Weights: of each of the nine places, of
// each input, all outputs. dst has dst_side x dst_side places.
void ck_convolve_floats(const float *src, int side, int inputs, int step, const float *weights, int outputs,
                        const float *offsets, float *dst, int dst_side);

// The same of each channel by itself. Weights: of each of the nine places all channels.
void ck_convolve_float_channels(const float *src, int side, int channels, int step, const float *weights,
                                const float *offsets, float *dst, int dst_side);

// A convolution of single places: `count` of them. Weights: of each CK_FLOATS outputs, of each input, theirs. rectified: what is below 0 becomes 0.
void ck_mix_floats(const float *src, int count, int inputs, const float *weights, int outputs, const float *offsets,
                   int rectified, float *dst);

#endif
