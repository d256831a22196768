#pragma once
// Decodes picture files whose formats need large libraries. The libraries are not linked, but loaded when they are needed.
// No function prints or exits.

#include <stddef.h>
#include <stdint.h>

/// The file formats, the values of `kind`.
enum { CPICTURES_TIFF = 0, CPICTURES_HEIF = 1, CPICTURES_JXL = 2, CPICTURES_PDF = 3 };

/// The results of `cpictures_decode`.
enum {
  CPICTURES_OK = 0,
  CPICTURES_DAMAGED = 1,      ///< not a file of this format, damaged or truncated
  CPICTURES_LARGE = 2,        ///< more pixels than the limit
  CPICTURES_NO_PAGE = 3,      ///< no page of this number
  CPICTURES_UNSUPPORTED = 4,  ///< a variant that the library does not decode
  CPICTURES_LOCKED = 5,       ///< encrypted with a password
  CPICTURES_MEMORY = 6,       ///< not enough memory
};

/// A decoded page; its rows have no padding.
typedef struct {
  /// The number of pages of the file, at most `page_limit`.
  uint32_t pages;
  uint32_t width, height;
  /// 1 for gray, 3 for RGB, 4 for RGBA.
  uint32_t channels;
  /// `width * height * channels` bytes, to be freed by the caller; NULL unless the call worked.
  uint8_t *pixels;
} cpictures_page;

/// Loads the library of a format, and makes it read its own files, such as fonts, as a sandbox prevents that later.
/// Returns 0, ELIBACC without the library, ELIBBAD if it lacks a function, or EINVAL for an unknown kind.
int cpictures_load(int kind);

/// Decodes page `number`, from 0, upright.
///
/// Pages of more than `pixel_limit` pixels are refused, and pages are counted up to `page_limit`.
int cpictures_decode(int kind, const uint8_t *data, size_t size, uint32_t number, uint64_t pixel_limit,
                     uint32_t page_limit, cpictures_page *page);
