#pragma once
// A wrapper of libpng, which reports errors by longjmp; Swift cannot express this. No function declared here longjmps,
// prints or exits.

#include <stddef.h>
#include <stdint.h>

/// The number of channels of a pixel, one byte each.
enum { WM_PNG_GRAY = 1, WM_PNG_RGB = 3 };

/// The results of the functions that return an `int`.
enum {
  WM_PNG_OK = 0,
  WM_PNG_DAMAGED = 1,  ///< not a PNG, damaged or truncated
  WM_PNG_MEMORY = 2,   ///< no memory
  WM_PNG_SIZE = 3,     ///< its size is not the one the caller made room for
};

enum { WM_PNG_MESSAGE = 200 };

/// Decodes a PNG of `width` x `height` (from its IHDR, which the caller has checked) into rows of `channels * width` bytes
/// without gaps. Colour is converted to gray by 0.299 R + 0.587 G + 0.114 B, 16 bits to 8; transparent pixels are blended
/// with the gray level `background`, and `*transparent` is set if it is visible. `message` has room for WM_PNG_MESSAGE
/// bytes.
int wm_png_decode(const uint8_t *data, size_t size, int channels, uint32_t width, uint32_t height, uint8_t background,
                  int *transparent, uint8_t *out, char *message);

/// Encodes `height` rows of `channels * width` bytes. `*out` is allocated with malloc; the caller frees it with
/// wm_png_free. `level`: zlib's, 0...9.
int wm_png_encode(const uint8_t *pixels, uint32_t width, uint32_t height, size_t stride, int channels, int level,
                  uint8_t **out, size_t *size, char *message);
void wm_png_free(uint8_t *bytes);
