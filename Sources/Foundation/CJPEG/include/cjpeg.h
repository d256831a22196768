#pragma once
// A wrapper of libjpeg, which reports errors by a function that must not return; the longjmp this needs cannot be
// expressed in Swift. No function declared here longjmps, prints or exits.

#include <stddef.h>
#include <stdint.h>

/// The number of channels of a pixel, one byte each.
enum { WM_JPEG_GRAY = 1, WM_JPEG_RGB = 3 };

/// The results of the functions that return an `int`.
enum {
  WM_JPEG_OK = 0,
  WM_JPEG_DAMAGED = 1,      ///< not a JPEG, or damaged before the first row
  WM_JPEG_UNSUPPORTED = 2,  ///< a kind of JPEG that libjpeg does not decode: 12 bit, lossless, two channels
  WM_JPEG_MEMORY = 3,       ///< no memory
  WM_JPEG_SCANS = 4,        ///< more progressive scans than the limit
  WM_JPEG_SIZE = 5,         ///< the destination is too small
};

/// A reusable decoder. One thread at a time.
typedef struct wm_jpeg_decoder wm_jpeg_decoder;

typedef struct {
  uint32_t width;         ///< the width in the file, before scaling
  uint32_t height;
  uint32_t scaled_width;  ///< of the decoded picture
  uint32_t scaled_height;
  int components;
} wm_jpeg_header;

typedef struct {
  int truncated;      ///< the data ended before the picture did
  int warnings;       ///< the number of libjpeg's warnings
  uint32_t rows;      ///< decoded rows; the rest is mid-gray
} wm_jpeg_result;

/// Creates a decoder; NULL if there is no memory. The caller frees it with wm_jpeg_decoder_free.
wm_jpeg_decoder *wm_jpeg_decoder_new(void);
void wm_jpeg_decoder_free(wm_jpeg_decoder *decoder);

/// Reads the header. `eighths`: size of the result, 1...8 eighths of the file's (DCT scaling). `data` must stay valid
/// until wm_jpeg_read returns, or until the next call.
int wm_jpeg_read_header(wm_jpeg_decoder *decoder, const uint8_t *data, size_t size, int channels, int eighths,
                        wm_jpeg_header *header);

/// Decodes the picture of wm_jpeg_read_header: `scaled_height` rows of `channels * scaled_width` bytes, `stride`
/// bytes apart, `capacity` bytes in all.
int wm_jpeg_read(wm_jpeg_decoder *decoder, uint8_t *out, size_t stride, size_t capacity, wm_jpeg_result *result);

/// libjpeg's message about the last failure; valid until the next call.
const char *wm_jpeg_message(const wm_jpeg_decoder *decoder);

/// Encodes `height` rows of `channels * width` bytes. `*out` is allocated with malloc; the caller frees it with
/// wm_jpeg_free. `subsample`: 1 for 4:2:0 in colour. `message` has room for 200 bytes.
int wm_jpeg_encode(const uint8_t *pixels, uint32_t width, uint32_t height, size_t stride, int channels, int quality,
                   int subsample, uint8_t **out, size_t *size, char *message);
void wm_jpeg_free(uint8_t *bytes);
