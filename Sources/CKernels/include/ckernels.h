// The inner loops where the widest vectors of the processor at hand pay. Each has a reference in Swift that it is
// tested against; none allocates, keeps state or reads outside the rectangles named in its comment.
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

#endif
