#include <errno.h>
#include <string.h>

#include "internal.h"

// From libheif's heif.h, 1.x: opaque handles, and the numbers of its enumerations.
typedef struct context context;
typedef struct handle handle;
typedef struct image image;
typedef struct {
  int code, subcode;
  const char *message;
} heif_error;
enum { COLORSPACE_RGB = 1, CHROMA_RGB = 10, CHROMA_RGBA = 11, CHANNEL_INTERLEAVED = 10, OUT_OF_MEMORY = 6, UNSUPPORTED = 4 };

static struct {
  heif_error (*initialize)(void *);
  context *(*create)(void);
  void (*free)(context *);
  void (*limit)(context *, int);
  void (*set_threads)(context *, int);
  heif_error (*open)(context *, const void *, size_t, const void *);
  int (*count)(context *);
  int (*list)(context *, uint32_t *, int);
  heif_error (*primary)(context *, uint32_t *);
  heif_error (*get)(context *, uint32_t, handle **);
  void (*release)(const handle *);
  int (*width)(const handle *);
  int (*height)(const handle *);
  int (*has_alpha)(const handle *);
  heif_error (*decode)(const handle *, image **, int, int, const void *);
  void (*release_image)(const image *);
  int (*image_width)(const image *, int);
  int (*image_height)(const image *, int);
  const uint8_t *(*plane)(const image *, int, int *);
} calls;

// libheif makes libde265 start worker threads. The sandbox prevents that, and libde265 would wait for them forever. The program
// exports this function (Package.swift), so that it replaces the library's; without threads, libde265 decodes in the caller's
// thread.
__attribute__((visibility("default"))) int de265_start_worker_threads(void *decoder, int count);
int de265_start_worker_threads(void *decoder, int count) {
  (void)decoder, (void)count;
  return 0;
}

int cpictures_load_heif(void) {
  const cpictures_call wanted[] = {
      {"heif_init", (void **)&calls.initialize},
      {"heif_context_alloc", (void **)&calls.create},
      {"heif_context_free", (void **)&calls.free},
      {"heif_context_set_maximum_image_size_limit", (void **)&calls.limit},
      {"heif_context_set_max_decoding_threads", (void **)&calls.set_threads},
      {"heif_context_read_from_memory_without_copy", (void **)&calls.open},
      {"heif_context_get_number_of_top_level_images", (void **)&calls.count},
      {"heif_context_get_list_of_top_level_image_IDs", (void **)&calls.list},
      {"heif_context_get_primary_image_ID", (void **)&calls.primary},
      {"heif_context_get_image_handle", (void **)&calls.get},
      {"heif_image_handle_release", (void **)&calls.release},
      {"heif_image_handle_get_width", (void **)&calls.width},
      {"heif_image_handle_get_height", (void **)&calls.height},
      {"heif_image_handle_has_alpha_channel", (void **)&calls.has_alpha},
      {"heif_decode_image", (void **)&calls.decode},
      {"heif_image_release", (void **)&calls.release_image},
      {"heif_image_get_width", (void **)&calls.image_width},
      {"heif_image_get_height", (void **)&calls.image_height},
      {"heif_image_get_plane_readonly", (void **)&calls.plane},
  };
  int missing = cpictures_find((const char *const[]){"libheif.so.1", NULL}, wanted, sizeof wanted / sizeof *wanted);
  if (missing) return missing;
  // Since Debian 13 the decoders of libheif are separate files, which would otherwise be opened with the first picture, in the sandbox.
  return calls.initialize(NULL).code ? ELIBBAD : 0;
}

static int decode(const handle *from, const cpictures_request *request, cpictures_page *page) {
  int alpha = calls.has_alpha(from), width = calls.width(from), height = calls.height(from);
  if (width <= 0 || height <= 0) return CPICTURES_DAMAGED;
  int taken = cpictures_take((uint32_t)width, (uint32_t)height, alpha ? 4 : 3, request, page);
  if (taken) return taken;
  image *decoded = NULL;
  heif_error error = calls.decode(from, &decoded, COLORSPACE_RGB, alpha ? CHROMA_RGBA : CHROMA_RGB, NULL);
  if (error.code || !decoded) {
    return error.code == OUT_OF_MEMORY ? CPICTURES_MEMORY : error.code == UNSUPPORTED ? CPICTURES_UNSUPPORTED : CPICTURES_DAMAGED;
  }
  int stride = 0, result = CPICTURES_DAMAGED;
  const uint8_t *rows = calls.plane(decoded, CHANNEL_INTERLEAVED, &stride);
  size_t row = (size_t)width * page->channels;
  if (rows && stride > 0 && (size_t)stride >= row && calls.image_width(decoded, CHANNEL_INTERLEAVED) == width &&
      calls.image_height(decoded, CHANNEL_INTERLEAVED) == height) {
    for (int y = 0; y < height; y++) memcpy(page->pixels + (size_t)y * row, rows + (size_t)y * (size_t)stride, row);
    result = CPICTURES_OK;
  }
  calls.release_image(decoded);
  return result;
}

// The most pictures of a file that can be decoded; further ones are ignored.
enum { MOST_PAGES = 4096 };

int cpictures_heif(const cpictures_request *request, cpictures_page *page) {
  context *file = calls.create();
  if (!file) return CPICTURES_MEMORY;
  calls.limit(file, 32768);
  calls.set_threads(file, 0);
  int result = CPICTURES_DAMAGED;
  uint32_t list[MOST_PAGES], first = 0;
  if (calls.open(file, request->data, request->size, NULL).code == 0 && calls.primary(file, &first).code == 0) {
    int count = calls.count(file);
    int most = request->page_limit < MOST_PAGES ? (int)request->page_limit : MOST_PAGES;
    count = calls.list(file, list, count < most ? count : most);
    // The main picture is the first page.
    for (int i = 1; i < count; i++) {
      if (list[i] != first) continue;
      list[i] = list[0];
      list[0] = first;
    }
    page->pages = count > 0 ? (uint32_t)count : 0;
    result = request->number < page->pages ? CPICTURES_OK : CPICTURES_NO_PAGE;
    handle *picture = NULL;
    if (result == CPICTURES_OK) {
      result = calls.get(file, list[request->number], &picture).code == 0 && picture ? decode(picture, request, page) : CPICTURES_DAMAGED;
    }
    if (picture) calls.release(picture);
  }
  calls.free(file);
  return result;
}
