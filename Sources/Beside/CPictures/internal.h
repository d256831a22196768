#pragma once
// Declarations that the files beside this one share: one file for each library.

#include "cpictures.h"

/// A function that is looked for in a library.
typedef struct {
  const char *name;
  void **place;
} cpictures_call;

/// The request to a library.
typedef struct {
  const uint8_t *data;
  size_t size;
  uint32_t number;
  uint64_t pixel_limit;
  uint32_t page_limit;
} cpictures_request;

/// Loads the first library of the names (`NULL` at the end) and finds all of the calls. 0, or an errno.
int cpictures_find(const char *const names[], const cpictures_call calls[], size_t count);

/// Takes the memory for a page of that size. CPICTURES_OK, or what is wrong with the size.
int cpictures_take(uint32_t width, uint32_t height, uint32_t channels, const cpictures_request *request,
                   cpictures_page *page);

/// Keeps what is read of fonts from now on, or no longer reads any but those.
void cpictures_keep_fonts(int keeps);

int cpictures_load_tiff(void);
int cpictures_load_heif(void);
int cpictures_load_jxl(void);
int cpictures_load_pdf(void);
int cpictures_tiff(const cpictures_request *, cpictures_page *);
int cpictures_heif(const cpictures_request *, cpictures_page *);
int cpictures_jxl(const cpictures_request *, cpictures_page *);
int cpictures_pdf(const cpictures_request *, cpictures_page *);
