#include "ctextmodel.h"

// #embed is of C23; the compiler knows it in older C as well.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char text_network[] = {
#embed "text-network.model"
};

const void *waymark_text_network(size_t *count) {
  *count = sizeof text_network;
  return text_network;
}
