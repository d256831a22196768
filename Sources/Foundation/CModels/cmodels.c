#include "cmodels.h"

// #embed is part of C23; clang supports it in older C as
// well.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char anchor_descriptor[] = {
#embed "anchor-descriptor.model"
};

const void *waymark_anchor_descriptor(size_t *count) {
  *count = sizeof anchor_descriptor;
  return anchor_descriptor;
}
