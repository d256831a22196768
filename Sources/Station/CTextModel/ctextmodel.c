#include "ctextmodel.h"

// `#embed` is part of C23; Clang also accepts it in older C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char text_network[] = {
#embed "text-network.model"
};

static const unsigned char word_network[] = {
#embed "word-network.model"
};

const void *waymark_text_network(size_t *count) {
  *count = sizeof text_network;
  return text_network;
}

const void *waymark_word_network(size_t *count) {
  *count = sizeof word_network;
  return word_network;
}
