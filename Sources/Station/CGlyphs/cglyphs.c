#include "cglyphs.h"

// `#embed` is part of C23; Clang also accepts it in older C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char zone_glyphs[] = {
#embed "zone-glyphs.model"
};

static const unsigned char signature_font[] = {
#embed "signature-font.bin"
};

const void *waymark_zone_glyphs(size_t *count) {
  *count = sizeof zone_glyphs;
  return zone_glyphs;
}

const void *waymark_signature_font(size_t *count) {
  *count = sizeof signature_font;
  return signature_font;
}
