// Loads libraries at run time, and calls the decoder of a format.
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

int cpictures_find(const char *const names[], const cpictures_call calls[], size_t count) {
  void *library = NULL;
  for (size_t i = 0; names[i] && !library; i++) library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  if (!library) return ELIBACC;
  for (size_t i = 0; i < count; i++) {
    *calls[i].place = dlsym(library, calls[i].name);
    if (!*calls[i].place) return ELIBBAD;
  }
  return 0;
}

int cpictures_take(uint32_t width, uint32_t height, uint32_t channels, const cpictures_request *request,
                   cpictures_page *page) {
  if (!width || !height) return CPICTURES_DAMAGED;
  page->width = width;
  page->height = height;
  page->channels = channels;
  if ((uint64_t)width * height > request->pixel_limit) return CPICTURES_LARGE;
  page->pixels = calloc((size_t)width * height, channels);
  return page->pixels ? CPICTURES_OK : CPICTURES_MEMORY;
}

int cpictures_load(int kind) {
  switch (kind) {
    case CPICTURES_TIFF: return cpictures_load_tiff();
    case CPICTURES_HEIF: return cpictures_load_heif();
    case CPICTURES_JXL: return cpictures_load_jxl();
    case CPICTURES_PDF: return cpictures_load_pdf();
    default: return EINVAL;
  }
}

int cpictures_decode(int kind, const uint8_t *data, size_t size, uint32_t number, uint64_t pixel_limit,
                     uint32_t page_limit, cpictures_page *page) {
  const cpictures_request request = {data, size, number, pixel_limit, page_limit};
  int result = CPICTURES_UNSUPPORTED;
  memset(page, 0, sizeof *page);
  switch (kind) {
    case CPICTURES_TIFF: result = cpictures_tiff(&request, page); break;
    case CPICTURES_HEIF: result = cpictures_heif(&request, page); break;
    case CPICTURES_JXL: result = cpictures_jxl(&request, page); break;
    case CPICTURES_PDF: result = cpictures_pdf(&request, page); break;
    default: break;
  }
  if (result != CPICTURES_OK) {
    free(page->pixels);
    page->pixels = NULL;
  }
  return result;
}
