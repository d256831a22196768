// The inner loops where the widest vectors of the processor at hand pay. Each has a reference in Swift that it is
// tested against; none allocates, keeps state or reads outside the rectangles named in its comment.
// Comparisons of patches are in ckpatches.h, layers of networks in cknetworks.h.
#ifndef CKERNELS_H
#define CKERNELS_H

#include <stddef.h>
#include <stdint.h>

// Copies width x height bytes between planes of different strides.
void ck_copy(const uint8_t *src, size_t src_stride, uint8_t *dst, size_t dst_stride, int width, int height);

// dst (width x height) = the mean of each 2 x 2 square of src, rounded: src must hold 2*width x 2*height.
void ck_halve(const uint8_t *src, size_t src_stride, uint8_t *dst, size_t dst_stride, int width, int height);

// dst (width x height) = src resized to two thirds by area: src must hold 3*ceil(width/2) x 3*ceil(height/2) readable
// bytes; dst must hold an even width and height (the last column and row may be scratch).
void ck_two_thirds(const uint8_t *src, size_t src_stride, uint8_t *dst, size_t dst_stride, int width, int height);

// dst (2*width x 2*height) = src doubled bilinearly, pixel centres at whole numbers (weights 3:1), edges repeated.
void ck_double(const uint8_t *src, size_t src_stride, uint8_t *dst, size_t dst_stride, int width, int height);

// dst = the 3 x 3 binomial mean (1 2 1 by 1 2 1, over 16, rounded) of src; reads one pixel around the rectangle.
void ck_binomial(const uint8_t *src, uint8_t *dst, size_t stride, int width, int height);

// Repeats the edge pixels of a plane `by` pixels outwards on all four sides.
void ck_extend(uint8_t *plane, size_t stride, int width, int height, int by);

// The means over squares of 5 pixels, rounded, into a plane of the same stride; reads two pixels around the rectangle.
// `scratch` holds width + 4 numbers.
void ck_means(const uint8_t *src, uint8_t *dst, size_t stride, int width, int height, uint16_t *scratch);

// The FAST-9 score of every pixel: the greatest t for which nine contiguous pixels of the circle of radius 3 are all
// brighter (or all darker) than the centre by at least t. Reads three pixels around the rectangle.
void ck_fast_scores(const uint8_t *src, uint8_t *scores, size_t stride, int width, int height);

// The local maxima (of 3 x 3, ties go to the first in reading order) of at least `threshold` in the rectangle, as
// y << 20 | x << 8 | score, at most `capacity`; returns how many. Reads one pixel around the rectangle. `row` holds
// `width` + 64 bytes. x < 4096, y < 4096.
int ck_fast_maxima(const uint8_t *scores, size_t stride, int width, int height, int threshold, uint32_t *out,
                   int capacity, uint8_t *row);

// The first moments of the disc of radius 15 around a pixel: sum of x * I and of y * I, relative to the centre.
void ck_moments(const uint8_t *centre, size_t stride, int32_t *mx, int32_t *my);

// The gradients of 16 x 16 samples centre[offsets[16y + x]], each sorted into four directions (right, down, left, up) and, with tent weights,
// into 4 x 4 cells: of each cell, row by row, and each direction 512 times the square root of its share in the sum of all. 64 numbers.
void ck_gradient_shares(const uint8_t *centre, const int32_t *offsets, int16_t *shares);

// Of 256 sums which are greater than 0, as bits of four words, and the first `count` sums divided by 2 to the power of CK_MARGIN_BITS.
#define CK_MARGIN_BITS 10
void ck_signs(const int32_t *sums, uint64_t *bits, int16_t *margins, int count);

// Compares a 256-bit query with `count` descriptors that lie one behind the other. Which of them are at a Hamming distance
// of at most `limit` goes to `place`, how far each is to `distance`. Returns how many they are.
int ck_near(const uint64_t *query, const uint64_t *descriptors, int count, int limit, uint32_t *place,
            uint16_t *distance);

// Asks the memory for `bytes` bytes that will soon be read.
void ck_prefetch(const void *start, size_t bytes);

// The Hamming distance of two 256-bit descriptors.
int ck_hamming(const uint64_t *a, const uint64_t *b);

// dst (width x height) = src seen through a map: pixel (x, y) of dst shows src at the image of (x, y) under the
// row-major matrix m, bilinear, edges repeated. With a `reach` of at least 0, stretches of pixels that show nothing nearer
// to src than `reach` of its pixels may be left black.
void ck_warp(const uint8_t *src, size_t src_stride, int src_width, int src_height, const double *m, int reach,
             uint8_t *dst, size_t dst_stride, int width, int height);

// out = the brightness of src at `count` places (xs, ys), which lie in src at their images under the row-major matrix m,
// bilinear; farther than half a pixel beyond the edge it is `outside`. src is at least 2 pixels wide and high. The same to the
// last bit on every processor.
void ck_samples(const uint8_t *src, size_t src_stride, int src_width, int src_height, const double *m, const double *xs,
                const double *ys, int count, double outside, double *out);

// So many patterns are compared together.
enum { CK_GROUP = 8 };

// `sum` and, for each of `places` that follow each other in `samples` by `step`, the square of the distance of its `length` samples
// to the nearest pattern. Patterns lie in groups of CK_GROUP: their first samples, their second ones and so on; `powers` are their
// sums of squares, infinite where there is none. What is above `bound` need not be exact. The same to the last bit on every processor.
float ck_nearest(const float *samples, int step, int places, const float *patterns, const float *powers, int length,
                 int groups, float sum, float bound);

#endif
