#pragma once
// Picture files of the kinds that take large libraries, as plain pixels. The libraries are looked for when they are needed:
// nothing links against them. No call here prints or exits.

#include <stddef.h>
#include <stdint.h>

/// The kinds of files.
enum { CPICTURES_TIFF = 0, CPICTURES_HEIF = 1, CPICTURES_JXL = 2, CPICTURES_PDF = 3 };

/// How a call ended.
enum {
  CPICTURES_OK = 0,
  CPICTURES_DAMAGED = 1,      ///< not such a file, damaged, or cut short
  CPICTURES_LARGE = 2,        ///< more pixels than the limit
  CPICTURES_NO_PAGE = 3,      ///< fewer pages than that
  CPICTURES_UNSUPPORTED = 4,  ///< a variant that the library does not decode
  CPICTURES_LOCKED = 5,       ///< it needs a password
  CPICTURES_MEMORY = 6,       ///< more memory than there is
};

/// A page, whose rows lie without gaps.
typedef struct {
  /// Pages of the file, counted up to the limit of the call.
  uint32_t pages;
  uint32_t width, height;
  /// 1: gray, 3: red, green, blue, 4: with opacity.
  uint32_t channels;
  /// `width * height * channels` bytes, to be freed by the caller; NULL unless the call worked.
  uint8_t *pixels;
} cpictures_page;

/// Loads the library for a kind of files, and makes it open what it opens with its first file. 0, or an errno.
int cpictures_load(int kind);

/// Decodes page `number`, from 0, upright.
///
/// `pixel_limit` is what no page has more pixels than, `page_limit` how far pages are counted.
int cpictures_decode(int kind, const uint8_t *data, size_t size, uint32_t number, uint64_t pixel_limit,
                     uint32_t page_limit, cpictures_page *page);
