#include <stdlib.h>
#include <string.h>

#include "internal.h"

// From libjxl's decode.h and codestream_header.h, 0.7 to 0.11: an opaque handle, and the beginning of `JxlBasicInfo`.
typedef struct decoder decoder;
typedef struct {
  int have_container;
  uint32_t width, height, bits, exponent_bits;
  float intensity_target, least_nits;
  int relative;
  float linear_below;
  int uses_original_profile, has_preview, has_animation, orientation;
  uint32_t colours, extra, alpha_bits;
  // Enough room for the remaining members, which are not used.
  uint8_t rest[512];
} description;
// The memory manager of the decoder: functions that allocate and free memory.
typedef struct {
  void *opaque;
  void *(*take)(void *, size_t);
  void (*give)(void *, void *);
} memory;
typedef struct {
  uint32_t channels;
  int type, order;
  size_t align;
} format;
enum { BASIC_INFO = 0x40, FULL_IMAGE = 0x1000, NEED_BUFFER = 5, TYPE_BYTES = 2 };

static struct {
  decoder *(*create)(const memory *);
  void (*destroy)(decoder *);
  int (*subscribe)(decoder *, int);
  int (*input)(decoder *, const uint8_t *, size_t);
  void (*close_input)(decoder *);
  int (*process)(decoder *);
  int (*describe)(const decoder *, description *);
  int (*buffer)(decoder *, const format *, void *, size_t);
} calls;

int cpictures_load_jxl(void) {
  const cpictures_call wanted[] = {
      {"JxlDecoderCreate", (void **)&calls.create},
      {"JxlDecoderDestroy", (void **)&calls.destroy},
      {"JxlDecoderSubscribeEvents", (void **)&calls.subscribe},
      {"JxlDecoderSetInput", (void **)&calls.input},
      {"JxlDecoderCloseInput", (void **)&calls.close_input},
      {"JxlDecoderProcessInput", (void **)&calls.process},
      {"JxlDecoderGetBasicInfo", (void **)&calls.describe},
      {"JxlDecoderSetImageOutBuffer", (void **)&calls.buffer},
  };
  const char *const names[] = {"libjxl.so.0.11", "libjxl.so.0.10", "libjxl.so.0.9", "libjxl.so.0.8", "libjxl.so.0.7", NULL};
  return cpictures_find(names, wanted, sizeof wanted / sizeof *wanted);
}

// Allocates memory, and notes a failure, which the library does not distinguish from other errors.
static void *take(void *was_refused, size_t size) {
  void *taken = malloc(size);
  if (!taken) *(int *)was_refused = 1;
  return taken;
}

static void give(void *was_refused, void *taken) {
  (void)was_refused;
  free(taken);
}

// Without a parallel runner the library uses one thread.
static int decode(decoder *file, const cpictures_request *request, cpictures_page *page) {
  format wanted = {0, TYPE_BYTES, 0, 0};
  for (;;) {
    switch (calls.process(file)) {
      case BASIC_INFO: {
        description picture;
        memset(&picture, 0, sizeof picture);
        if (calls.describe(file, &picture)) return CPICTURES_DAMAGED;
        wanted.channels = picture.alpha_bits ? 4 : picture.colours == 1 ? 1 : 3;
        if (page->pixels) return CPICTURES_DAMAGED;
        int taken = cpictures_take(picture.width, picture.height, wanted.channels, request, page);
        if (taken) return taken;
        break;
      }
      case NEED_BUFFER:
        if (!page->pixels) return CPICTURES_DAMAGED;
        if (calls.buffer(file, &wanted, page->pixels, (size_t)page->width * page->height * page->channels)) return CPICTURES_DAMAGED;
        break;
      // Of an animation, only the first picture is decoded.
      case FULL_IMAGE: return CPICTURES_OK;
      default: return CPICTURES_DAMAGED;
    }
  }
}

int cpictures_jxl(const cpictures_request *request, cpictures_page *page) {
  page->pages = 1;
  if (request->number > 0) return CPICTURES_NO_PAGE;
  int was_refused = 0;
  const memory counted = {&was_refused, take, give};
  decoder *file = calls.create(&counted);
  if (!file) return CPICTURES_MEMORY;
  int result = CPICTURES_DAMAGED;
  if (calls.subscribe(file, BASIC_INFO | FULL_IMAGE) == 0 && calls.input(file, request->data, request->size) == 0) {
    calls.close_input(file);
    result = decode(file, request, page);
  }
  calls.destroy(file);
  return result == CPICTURES_DAMAGED && was_refused ? CPICTURES_MEMORY : result;
}
