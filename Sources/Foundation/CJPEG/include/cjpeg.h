#pragma once
// libjpeg behind plain calls: its way of reporting errors (a function that must not return, hence longjmp) cannot be
// expressed in Swift. No call here longjmps out, prints, or exits.

#include <stddef.h>
#include <stdint.h>

/// What a decoder hands out.
enum { WM_JPEG_GRAY = 1, WM_JPEG_RGB = 3 };

/// How a call ended.
enum {
  WM_JPEG_OK = 0,
  WM_JPEG_DAMAGED = 1,      ///< not a JPEG, or damaged so that nothing can be had of it
  WM_JPEG_UNSUPPORTED = 2,  ///< a kind of JPEG that libjpeg does not decode: 12 bit, lossless, two channels
  WM_JPEG_MEMORY = 3,       ///< no memory
  WM_JPEG_SCANS = 4,        ///< more progressive scans than any honest file has
  WM_JPEG_SIZE = 5,         ///< the destination is too small
};

/// A reusable decoder. One thread at a time.
typedef struct wm_jpeg_decoder wm_jpeg_decoder;

typedef struct {
  uint32_t width;         ///< of the file, before scaling
  uint32_t height;
  uint32_t scaled_width;  ///< of what decoding hands out
  uint32_t scaled_height;
  int components;
} wm_jpeg_header;

typedef struct {
  int truncated;      ///< the data ended before the picture did
  int warnings;       ///< how often libjpeg found something odd
  uint32_t rows;      ///< rows that came out of the data; the rest is mid-gray
} wm_jpeg_result;

/// A decoder, or NULL without memory. The caller frees it with wm_jpeg_decoder_free.
wm_jpeg_decoder *wm_jpeg_decoder_new(void);
void wm_jpeg_decoder_free(wm_jpeg_decoder *decoder);

/// Reads the header. `eighths`: size of the result, 1...8 eighths of the file's (DCT scaling). `data` must stay until
/// wm_jpeg_read has returned, or until the next call.
int wm_jpeg_read_header(wm_jpeg_decoder *decoder, const uint8_t *data, size_t size, int channels, int eighths,
                        wm_jpeg_header *header);

/// Decodes what wm_jpeg_read_header has announced: `scaled_height` rows of `channels * scaled_width` bytes, `stride`
/// bytes apart, `capacity` bytes in all.
int wm_jpeg_read(wm_jpeg_decoder *decoder, uint8_t *out, size_t stride, size_t capacity, wm_jpeg_result *result);

/// What libjpeg said of the last failure; valid until the next call.
const char *wm_jpeg_message(const wm_jpeg_decoder *decoder);

/// Encodes `height` rows of `channels * width` bytes. `*out` is malloc'ed and belongs to the caller, who frees it with
/// wm_jpeg_free. `subsample`: 4:2:0 for colour. `message` takes 200 bytes.
int wm_jpeg_encode(const uint8_t *pixels, uint32_t width, uint32_t height, size_t stride, int channels, int quality,
                   int subsample, uint8_t **out, size_t *size, char *message);
void wm_jpeg_free(uint8_t *bytes);
