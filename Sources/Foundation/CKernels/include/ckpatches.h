// Patches of 8 x 8 pixels: drawing a reference as the frame should show it, and comparing it with the frame.
#ifndef CKPATCHES_H
#define CKPATCHES_H

#include <stddef.h>
#include <stdint.h>

#define CK_PATCH 8
#define CK_PATCH_PIXELS 64
// A drawn patch has one more pixel on each side, for its gradients; the memory holds whole vectors.
#define CK_DRAWN 10
#define CK_DRAWN_CAPACITY 104
// What ck_patch_prepare writes: the pattern and its two gradients, 64 floats each.
#define CK_PREPARED 192

// Draws 10 x 10 pixels of src as seen through map (row-major, patch pixels -> src pixels, patch pixel (0, 0) being the
// second of the ten in both directions): the mean of count bilinear samples at the offsets (x, y pairs, patch pixels).
// Coordinates outside src (width x height) are moved to its edge. One byte behind each row and one row behind the last
// must be readable. out holds CK_DRAWN_CAPACITY floats.
void ck_patch_draw(const uint8_t *src, size_t stride, int width, int height, const float map[9], const float *offsets,
                   int count, float *out);

// From a drawn patch: the pattern without its mean and of unit length, and the two gradients by central differences, in
// units of that length, without their parts along the constant and the pattern. tensor: sums of gx gx, gx gy, gy gy.
// Returns the length that was divided by (0: flat, nothing is written).
float ck_patch_prepare(const float *drawn, float *prepared, float tensor[3]);

// The frame's 8 x 8 pixels from img on, shifted by (fx, fy) in 0 ... 1; nine rows from img on are read, in each nine bytes.
// out = mean; length without the mean; the products of that unit pattern with the prepared pattern and its two gradients. A
// flat patch gives zeros.
void ck_patch_measure(const uint8_t *img, size_t stride, float fx, float fy, const float *prepared, float out[5]);

// The prepared pattern as whole numbers, for ck_patch_search.
void ck_patch_quantize(const float *prepared, int16_t *pattern);

// Adds weight times the correlation coefficient of the pattern with the frame to every place of map: (2 radius + 1)
// squared, row after row; img is the patch's first pixel at no shift.
void ck_patch_search(const uint8_t *img, size_t stride, const int16_t *pattern, int radius, float weight, float *map);

// The structure of a drawn patch (10 x 10 pixels) and of the 8 x 8 pixels of the frame from img on, both smoothed by 1 2 1:
// means over the 8 x 8 pixels of products of Sobel gradients a (drawn) and b (frame), in gray levels a pixel: ax ax, ax ay,
// ay ay, bx bx, bx by, by by, ax bx, ax by, ay bx, ay by. Two pixels around those of the frame are read.
void ck_patch_structure(const float *drawn, const uint8_t *img, size_t stride, float out[10]);

// Sums of gx gx, gx gy, gy gy (central differences, doubled) over every whole cell of 4 x 4 pixels of src, whose outer
// pixels count as flat: three numbers a cell, width/4 cells a row.
void ck_texture_cells(const uint8_t *src, size_t stride, int width, int height, int32_t *cells);

#endif
