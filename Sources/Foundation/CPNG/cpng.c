#include "cpng.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

typedef struct {
  const uint8_t *data;
  size_t size, at;
  char *message;
} source;

typedef struct {
  uint8_t *bytes;
  size_t used, capacity;
  char *message;
} sink;

static void on_read(png_structp png, png_bytep out, size_t count) {
  source *s = png_get_io_ptr(png);
  if (count > s->size - s->at) png_error(png, "the file ends early");
  memcpy(out, s->data + s->at, count);
  s->at += count;
}

static void on_write(png_structp png, png_bytep bytes, size_t count) {
  sink *s = png_get_io_ptr(png);
  if (count > s->capacity - s->used) {
    size_t capacity = s->capacity * 2 + count;
    uint8_t *grown = realloc(s->bytes, capacity);
    if (!grown) png_error(png, "out of memory");
    s->bytes = grown;
    s->capacity = capacity;
  }
  memcpy(s->bytes + s->used, bytes, count);
  s->used += count;
}

static void on_flush(png_structp png) { (void)png; }

static void on_error(png_structp png, png_const_charp message) {
  char *out = png_get_error_ptr(png);
  snprintf(out, WM_PNG_MESSAGE, "%s", message);
  png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message) { (void)png, (void)message; }

// Blends `in`, which has the colour channels and then alpha, over a background. Returns 1 if the background is visible.
static int over(uint8_t background, const uint8_t *in, uint8_t *out, uint32_t width, int channels) {
  unsigned least = 255;
  for (uint32_t x = 0; x < width; x++, in += channels + 1) {
    unsigned alpha = in[channels];
    if (alpha < least) least = alpha;
    for (int c = 0; c < channels; c++) *out++ = (uint8_t)((in[c] * alpha + background * (255 - alpha) + 127) / 255);
  }
  return least < 255;
}

int wm_png_decode(const uint8_t *data, size_t size, int channels, uint32_t width, uint32_t height, uint8_t background,
                  int *transparent, uint8_t *out, char *message) {
  message[0] = 0;
  *transparent = 0;
  source from = {data, size, 0, message};
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, message, on_error, on_warning);
  if (!png) return WM_PNG_MEMORY;
  png_infop info = png_create_info_struct(png);
  if (!info) {
    png_destroy_read_struct(&png, NULL, NULL);
    return WM_PNG_MEMORY;
  }
  uint8_t *volatile buffer = NULL;
  png_bytep *volatile lines = NULL;
  volatile int status = WM_PNG_DAMAGED;
  if (setjmp(png_jmpbuf(png))) {
    free(buffer);
    free((void *)lines);
    png_destroy_read_struct(&png, &info, NULL);
    return status;
  }
  png_set_read_fn(png, &from, on_read);
  // Compressed text and colour profiles may expand without bound and are not used. Without gAMA, libpng computes gray from the
  // stored values, as the decoders of the other formats do, not from linear light.
  static const png_byte unwanted[] = "iCCP\0zTXt\0tEXt\0iTXt\0sPLT\0eXIf\0sRGB\0gAMA\0cHRM";
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, unwanted, sizeof unwanted / 5);
  png_set_user_limits(png, 0x7fffffff, 0x7fffffff);  // the caller has its own limit
  png_read_info(png, info);
  if (png_get_image_width(png, info) != width || png_get_image_height(png, info) != height) {
    status = WM_PNG_SIZE;
    png_error(png, "its size is not what its header says");
  }
  int type = png_get_color_type(png, info);
  int alpha = (type & PNG_COLOR_MASK_ALPHA) || png_get_valid(png, info, PNG_INFO_tRNS);
  png_set_expand(png);  // palettes, less than 8 bits, transparent colours
  png_set_strip_16(png);
  if (channels == WM_PNG_GRAY && (type & PNG_COLOR_MASK_COLOR)) png_set_rgb_to_gray(png, PNG_ERROR_ACTION_NONE, 0.299, 0.587);
  if (channels == WM_PNG_RGB && !(type & PNG_COLOR_MASK_COLOR)) png_set_gray_to_rgb(png);
  int passes = png_set_interlace_handling(png);
  png_read_update_info(png, info);
  size_t row = (size_t)width * (size_t)channels;
  size_t raw = (size_t)width * (size_t)(channels + (alpha ? 1 : 0));
  if (png_get_rowbytes(png, info) != raw) png_error(png, "an unusual pixel format");

  if (!alpha) {
    for (int pass = 0; pass < passes; pass++)
      for (uint32_t y = 0; y < height; y++) png_read_row(png, out + (size_t)y * row, NULL);
  } else if (passes == 1) {
    buffer = malloc(raw);
    if (!buffer) status = WM_PNG_MEMORY, png_error(png, "out of memory");
    for (uint32_t y = 0; y < height; y++) {
      png_read_row(png, buffer, NULL);
      *transparent |= over(background, buffer, out + (size_t)y * row, width, channels);
    }
  } else {
    buffer = malloc(raw * height);
    if (!buffer) status = WM_PNG_MEMORY, png_error(png, "out of memory");
    for (int pass = 0; pass < passes; pass++)
      for (uint32_t y = 0; y < height; y++) png_read_row(png, buffer + (size_t)y * raw, NULL);
    for (uint32_t y = 0; y < height; y++)
      *transparent |= over(background, buffer + (size_t)y * raw, out + (size_t)y * row, width, channels);
  }
  // Chunks after the picture are not read: no png_read_end.
  free(buffer);
  png_destroy_read_struct(&png, &info, NULL);
  return WM_PNG_OK;
}

int wm_png_encode(const uint8_t *pixels, uint32_t width, uint32_t height, size_t stride, int channels, int level,
                  uint8_t **out, size_t *size, char *message) {
  message[0] = 0;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, message, on_error, on_warning);
  if (!png) return WM_PNG_MEMORY;
  png_infop info = png_create_info_struct(png);
  sink *to = calloc(1, sizeof *to);
  if (!info || !to) {
    free(to);
    png_destroy_write_struct(&png, &info);
    return WM_PNG_MEMORY;
  }
  if (setjmp(png_jmpbuf(png))) {
    free(to->bytes);
    free(to);
    png_destroy_write_struct(&png, &info);
    return WM_PNG_DAMAGED;
  }
  png_set_write_fn(png, to, on_write, on_flush);
  png_set_user_limits(png, 0x7fffffff, 0x7fffffff);
  png_set_compression_level(png, level);
  png_set_IHDR(png, info, width, height, 8, channels == WM_PNG_GRAY ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  for (uint32_t y = 0; y < height; y++) png_write_row(png, pixels + (size_t)y * stride);
  png_write_end(png, NULL);
  *out = to->bytes;
  *size = to->used;
  free(to);
  png_destroy_write_struct(&png, &info);
  return WM_PNG_OK;
}

void wm_png_free(uint8_t *bytes) { free(bytes); }
