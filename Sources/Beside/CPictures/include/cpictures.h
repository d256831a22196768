#pragma once
// Decodes picture files whose formats need large libraries. The libraries are not linked, but loaded when they are needed.
// No function prints or exits.

#include <stddef.h>
#include <stdint.h>

/// The kinds of files.
enum { CPICTURES_TIFF = 0, CPICTURES_HEIF = 1, CPICTURES_JXL = 2, CPICTURES_PDF = 3 };

/// The results of `cpictures_decode`.
enum {
  CPICTURES_OK = 0,
  CPICTURES_DAMAGED = 1,      ///< not such a file, damaged, or cut short
  CPICTURES_LARGE = 2,        ///< more pixels than the limit
  CPICTURES_NO_PAGE = 3,      ///< fewer pages than that
  CPICTURES_UNSUPPORTED = 4,  ///< a variant that the library does not decode
  CPICTURES_LOCKED = 5,       ///< it needs a password
  CPICTURES_MEMORY = 6,       ///< more memory than there is
};

/// A decoded page; its rows have no padding.
typedef struct {
  /// The number of pages of the file, at most `page_limit`.
  uint32_t pages;
  uint32_t width, height;
  /// 1: gray, 3: red, green, blue, 4: with opacity.
  uint32_t channels;
  /// `width * height * channels` bytes, to be freed by the caller; NULL unless the call worked.
  uint8_t *pixels;
} cpictures_page;

/// Loads the library for a kind of files, and has it open its own files, as a sandbox prevents that later. Returns 0 or an
/// errno.
int cpictures_load(int kind);

/// Decodes page `number`, from 0, upright.
///
/// Pages of more than `pixel_limit` pixels are refused, and pages are counted up to `page_limit`.
int cpictures_decode(int kind, const uint8_t *data, size_t size, uint32_t number, uint64_t pixel_limit,
                     uint32_t page_limit, cpictures_page *page);
