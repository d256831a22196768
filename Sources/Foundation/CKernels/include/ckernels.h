// The inner loops that benefit from the widest vectors of the processor. Each is tested against a reference in Swift; none allocates, keeps
// state or reads outside the rectangle named in its comment. Patches are compared in ckpatches.h, the layers of networks computed in
// cknetworks.h.
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

// The means over squares of 5 x 5 pixels, rounded, written to a plane of the same stride; reads two pixels around the rectangle. `scratch`
// has room for width + 4 numbers.
void ck_means(const uint8_t *src, uint8_t *dst, size_t stride, int width, int height, uint16_t *scratch);

// The FAST-9 score of every pixel: the greatest t for which nine contiguous pixels of the circle of radius 3 are all
// brighter (or all darker) than the centre by at least t. Reads three pixels around the rectangle.
void ck_fast_scores(const uint8_t *src, uint8_t *scores, size_t stride, int width, int height);

// The local maxima of 3 x 3 pixels (of equal ones the first in reading order) of at least `threshold` in the rectangle, as y << 20 | x << 8 |
// score, at most `capacity`; returns their number. Reads one pixel around the rectangle. `row` is scratch memory of `width` + 64 bytes. x <
// 4096, y < 4096.
int ck_fast_maxima(const uint8_t *scores, size_t stride, int width, int height, int threshold, uint32_t *out,
                   int capacity, uint8_t *row);

// The first moments of the disc of radius 15 around a pixel: the sums of x * I and y * I, with x and y relative to the centre.
void ck_moments(const uint8_t *centre, size_t stride, int32_t *mx, int32_t *my);

// The histogram of the gradients of 16 x 16 samples centre[offsets[16y + x]], over four directions (right, down, left, up) and, with tent
// weights, 4 x 4 cells: 64 numbers indexed [cell, row by row][direction], each 512 times the square root of its share of the total.
void ck_gradient_shares(const uint8_t *centre, const int32_t *offsets, int16_t *shares);

// Sets in four words a bit for each of 256 sums that is greater than 0, and writes the first `count` sums, divided by 2 to the power of
// CK_MARGIN_BITS, to `margins`.
#define CK_MARGIN_BITS 10
void ck_signs(const int32_t *sums, uint64_t *bits, int16_t *margins, int count);

// Compares a 256-bit query with `count` contiguous descriptors. Writes the indices of those at a Hamming distance of at most `limit` to
// `place`, and their distances to `distance`. Returns their number.
int ck_near(const uint64_t *query, const uint64_t *descriptors, int count, int limit, uint32_t *place,
            uint16_t *distance);

// Prefetches `bytes` bytes that will soon be read.
void ck_prefetch(const void *start, size_t bytes);

// The Hamming distance of two 256-bit descriptors.
int ck_hamming(const uint64_t *a, const uint64_t *b);

// dst (width x height) = src seen through a map: pixel (x, y) of dst is the bilinear sample of src at the image of (x, y) under the row-major
// matrix m, edges repeated. If `reach` is at least 0, runs of pixels that are all more than `reach` pixels outside src may be black.
void ck_warp(const uint8_t *src, size_t src_stride, int src_width, int src_height, const double *m, int reach,
             uint8_t *dst, size_t dst_stride, int width, int height);

// out = the bilinear samples of src at the images of `count` points (xs, ys) under the row-major matrix m; `outside` if more than half a
// pixel beyond the edge. src is at least 2 pixels wide and high. The results are bit-identical on every processor.
void ck_samples(const uint8_t *src, size_t src_stride, int src_width, int src_height, const double *m, const double *xs,
                const double *ys, int count, double outside, double *out);

// The number of patterns compared together.
enum { CK_GROUP = 8 };

// Returns `sum` plus, for each of `places` windows of `length` samples that start `step` apart in `samples`, the squared distance to the
// nearest pattern. Patterns are stored in groups of CK_GROUP: their first samples, then their second samples and so on; `powers` are their
// sums of squares, infinite for a missing pattern. A result above `bound` need not be exact. The results are bit-identical on every
// processor.
float ck_nearest(const float *samples, int step, int places, const float *patterns, const float *powers, int length,
                 int groups, float sum, float bound);

#endif
