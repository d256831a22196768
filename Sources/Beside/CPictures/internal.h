#pragma once
// Declarations that the C files in this folder share; each file uses one library.

#include "cpictures.h"

/// A function to find in a library by its name, and the pointer that receives its address.
typedef struct {
  const char *name;
  void **place;
} cpictures_call;

/// The arguments of `cpictures_decode`.
typedef struct {
  const uint8_t *data;
  size_t size;
  uint32_t number;
  uint64_t pixel_limit;
  uint32_t page_limit;
} cpictures_request;

/// Loads the first available library of `names`, which ends with NULL, and finds all `calls` in it. Returns 0
/// or an errno.
int cpictures_find(const char *const names[], const cpictures_call calls[], size_t count);

/// Sets the size of a page, and allocates its pixels. Returns CPICTURES_OK, or the reason to refuse the size:
/// CPICTURES_DAMAGED if it is empty, CPICTURES_LARGE or CPICTURES_MEMORY.
int cpictures_take(uint32_t width, uint32_t height, uint32_t channels, const cpictures_request *request,
                   cpictures_page *page);

/// With 1, font files that are read from now on are kept; with 0, only the kept ones can be read from now on.
void cpictures_keep_fonts(int keeps);

int cpictures_load_tiff(void);
int cpictures_load_heif(void);
int cpictures_load_jxl(void);
int cpictures_load_pdf(void);
int cpictures_tiff(const cpictures_request *, cpictures_page *);
int cpictures_heif(const cpictures_request *, cpictures_page *);
int cpictures_jxl(const cpictures_request *, cpictures_page *);
int cpictures_pdf(const cpictures_request *, cpictures_page *);
