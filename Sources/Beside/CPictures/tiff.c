#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

// From libtiff's tiffio.h and tiff.h, 4.x: an opaque handle, and the numbers of its tags.
typedef struct TIFF TIFF;
typedef void (*silent)(const char *, const char *, void *);
enum {
  TAG_WIDTH = 256,
  TAG_HEIGHT = 257,
  TAG_PHOTOMETRIC = 262,
  TAG_ORIENTATION = 274,
  TAG_EXTRA_SAMPLES = 338,
  PHOTOMETRIC_WHITE_IS_ZERO = 0,
  PHOTOMETRIC_BLACK_IS_ZERO = 1,
};

static struct {
  TIFF *(*open)(const char *, const char *, void *, intptr_t (*)(void *, void *, intptr_t),
                intptr_t (*)(void *, void *, intptr_t), uint64_t (*)(void *, uint64_t, int), int (*)(void *),
                uint64_t (*)(void *), int (*)(void *, void **, uint64_t *), void (*)(void *, void *, uint64_t));
  void (*close)(TIFF *);
  int (*next)(TIFF *);
  int (*get)(TIFF *, uint32_t, ...);
  int (*get_default)(TIFF *, uint32_t, ...);
  int (*read)(TIFF *, uint32_t, uint32_t, uint32_t *, int, int);
  int (*can_read)(TIFF *, char *);
  silent (*on_error)(silent);
  silent (*on_warning)(silent);
} calls;

int cpictures_load_tiff(void) {
  const cpictures_call wanted[] = {
      {"TIFFClientOpen", (void **)&calls.open},
      {"TIFFClose", (void **)&calls.close},
      {"TIFFReadDirectory", (void **)&calls.next},
      {"TIFFGetField", (void **)&calls.get},
      {"TIFFGetFieldDefaulted", (void **)&calls.get_default},
      {"TIFFReadRGBAImageOriented", (void **)&calls.read},
      {"TIFFRGBAImageOK", (void **)&calls.can_read},
      {"TIFFSetErrorHandler", (void **)&calls.on_error},
      {"TIFFSetWarningHandler", (void **)&calls.on_warning},
  };
  int problem =
      cpictures_find((const char *const[]){"libtiff.so.6", "libtiff.so.5", NULL}, wanted, sizeof wanted / sizeof *wanted);
  if (problem) return problem;
  calls.on_error(NULL);
  calls.on_warning(NULL);
  return 0;
}

// MARK: The file in memory

typedef struct {
  const uint8_t *data;
  uint64_t size, at;
} source;

static intptr_t on_read(void *handle, void *out, intptr_t count) {
  source *s = handle;
  if (count < 0 || s->at >= s->size) return 0;
  uint64_t left = s->size - s->at;
  if ((uint64_t)count > left) count = (intptr_t)left;
  memcpy(out, s->data + s->at, (size_t)count);
  s->at += (uint64_t)count;
  return count;
}

static intptr_t on_write(void *handle, void *bytes, intptr_t count) {
  (void)handle, (void)bytes, (void)count;
  return -1;
}

static uint64_t on_seek(void *handle, uint64_t offset, int from) {
  source *s = handle;
  s->at = from == SEEK_CUR ? s->at + offset : from == SEEK_END ? s->size + offset : offset;
  return s->at;
}

static int on_close(void *handle) {
  (void)handle;
  return 0;
}

static uint64_t on_size(void *handle) { return ((source *)handle)->size; }

static int on_map(void *handle, void **base, uint64_t *size) {
  (void)handle, (void)base, (void)size;
  return 0;
}

static void on_unmap(void *handle, void *base, uint64_t size) { (void)handle, (void)base, (void)size; }

// MARK: A page

// Copies a raster to upright rows by its orientation (TIFF 6.0, section 8). The raster has the rows as they are stored; a word
// is ABGR, with colours multiplied by their opacity.
static void turn(const uint32_t *raster, uint32_t width, uint32_t height, int orientation, uint32_t channels, uint8_t *out) {
  int swaps = orientation >= 5;
  uint32_t columns = swaps ? height : width, rows = swaps ? width : height;
  for (uint32_t y = 0; y < rows; y++) {
    for (uint32_t x = 0; x < columns; x++) {
      uint32_t sx = swaps ? y : x, sy = swaps ? x : y;
      if (orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8) sx = width - 1 - sx;
      if (orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7) sy = height - 1 - sy;
      uint32_t pixel = raster[(size_t)sy * width + sx], alpha = pixel >> 24;
      for (uint32_t c = 0; c < (channels == 4 ? 3 : channels); c++) {
        uint32_t value = pixel >> (8 * c) & 255;
        if (channels == 4 && alpha) value = (value * 255 + alpha / 2) / alpha;
        *out++ = (uint8_t)(value > 255 ? 255 : value);
      }
      if (channels == 4) *out++ = (uint8_t)alpha;
    }
  }
}

static int decode(TIFF *file, const cpictures_request *request, cpictures_page *page) {
  uint32_t width = 0, height = 0;
  uint16_t photometric = 0, orientation = 1, extra = 0, *kinds = NULL;
  char message[1024] = "";
  if (!calls.get(file, TAG_WIDTH, &width) || !calls.get(file, TAG_HEIGHT, &height)) return CPICTURES_DAMAGED;
  if (!calls.get(file, TAG_PHOTOMETRIC, &photometric)) photometric = PHOTOMETRIC_WHITE_IS_ZERO;
  calls.get_default(file, TAG_ORIENTATION, &orientation);
  if (orientation < 1 || orientation > 8) orientation = 1;
  calls.get_default(file, TAG_EXTRA_SAMPLES, &extra, &kinds);
  // The kind 0 does not specify the meaning of an extra sample, and occurs in opaque pictures too; 1 and 2 are opacity.
  int transparent = extra > 0 && kinds && (kinds[0] == 1 || kinds[0] == 2);
  int gray = photometric == PHOTOMETRIC_WHITE_IS_ZERO || photometric == PHOTOMETRIC_BLACK_IS_ZERO;
  int taken = cpictures_take(width, height, transparent ? 4 : gray ? 1 : 3, request, page);
  if (taken) return taken;
  if (!calls.can_read(file, message)) return CPICTURES_UNSUPPORTED;
  uint32_t *raster = malloc((size_t)width * height * 4);
  if (!raster) return CPICTURES_MEMORY;
  // As the requested orientation is the stored one, libtiff does not rotate the raster.
  int worked = calls.read(file, width, height, raster, orientation, 1);
  if (worked) {
    turn(raster, width, height, orientation, page->channels, page->pixels);
    if (orientation >= 5) {
      page->width = height;
      page->height = width;
    }
  }
  free(raster);
  return worked ? CPICTURES_OK : CPICTURES_DAMAGED;
}

int cpictures_tiff(const cpictures_request *request, cpictures_page *page) {
  source from = {request->data, request->size, 0};
  TIFF *file = calls.open("picture", "rm", &from, on_read, on_write, on_seek, on_close, on_size, on_map, on_unmap);
  if (!file) return CPICTURES_DAMAGED;
  int result = CPICTURES_NO_PAGE;
  uint32_t count = 0;
  do {
    if (count == request->number) result = decode(file, request, page);
    count++;
  } while (count < request->page_limit && calls.next(file));
  page->pages = count;
  calls.close(file);
  return result;
}
