#include "ctextmodel.h"

// `#embed` is part of C23; Clang also accepts it in older C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char text_network[] = {
#embed "text-network.model"
};

const void *waymark_text_network(size_t *count) {
  *count = sizeof text_network;
  return text_network;
}
