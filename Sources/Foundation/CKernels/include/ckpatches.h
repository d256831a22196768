// Patches of 8 x 8 pixels: drawing a reference as the frame should show it, and comparing it with the frame.
#ifndef CKPATCHES_H
#define CKPATCHES_H

#include <stddef.h>
#include <stdint.h>

#define CK_PATCH 8
#define CK_PATCH_PIXELS 64
// A drawn patch has one more pixel on each side, for its gradients; CK_DRAWN_CAPACITY rounds its 100 pixels up to whole
// vectors.
#define CK_DRAWN 10
#define CK_DRAWN_CAPACITY 104
// The number of floats that ck_patch_prepare writes: the pattern and its two gradients, 64 each.
#define CK_PREPARED 192

// Draws 10 x 10 pixels of src as seen through map (row-major, patch pixels -> src pixels; patch pixel (0, 0) is the second
// of the ten in both directions). Each pixel is the mean of count bilinear samples at the offsets (x, y pairs, in patch
// pixels). Coordinates outside src (width x height) are moved to its edge. One byte after each row and one row after the
// last must be readable. out has room for CK_DRAWN_CAPACITY floats.
void ck_patch_draw(const uint8_t *src, size_t stride, int width, int height, const float map[9], const float *offsets,
                   int count, float *out);

// Prepares a drawn patch: the pattern minus its mean, scaled to unit length, and the two gradients by central differences,
// scaled alike and made orthogonal to the constant and to the pattern. tensor: the sums of gx gx, gx gy, gy gy. Returns the
// original length; 0 for a flat patch, for which nothing is written.
float ck_patch_prepare(const float *drawn, float *prepared, float tensor[3]);

// Measures the frame's 8 x 8 pixels from img on, shifted by (fx, fy) in 0 ... 1; reads nine rows of nine bytes from img on.
// out = the mean; the length of the pattern after subtracting the mean; the scalar products of this pattern, scaled to unit
// length, with the prepared pattern and its two gradients. All zero for a flat patch.
void ck_patch_measure(const uint8_t *img, size_t stride, float fx, float fy, const float *prepared, float out[5]);

// Converts a prepared pattern to integers for ck_patch_search.
void ck_patch_quantize(const float *prepared, int16_t *pattern);

// Adds weight times the correlation coefficient of the pattern and the frame at each shift to map, which has (2 radius + 1)
// squared elements, row by row; img is the first pixel of the patch at shift 0.
void ck_patch_search(const uint8_t *img, size_t stride, const int16_t *pattern, int radius, float weight, float *map);

// The gradient structure of a drawn patch (10 x 10 pixels) and of the frame's 8 x 8 pixels from img on, both smoothed by 1
// 2 1: the means over the 8 x 8 pixels of the products of Sobel gradients a (drawn) and b (frame), in gray levels per
// pixel: ax ax, ax ay, ay ay, bx bx, bx by, by by, ax bx, ax by, ay bx, ay by. Two pixels around those of the frame are
// read.
void ck_patch_structure(const float *drawn, const uint8_t *img, size_t stride, float out[10]);

// The sums of gx gx, gx gy, gy gy (twice the central differences) over each whole cell of 4 x 4 pixels of src: three
// numbers per cell, width/4 cells per row. The gradients of the outermost pixels of src are 0.
void ck_texture_cells(const uint8_t *src, size_t stride, int width, int height, int32_t *cells);

#endif
