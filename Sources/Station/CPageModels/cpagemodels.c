#include "cpagemodels.h"

// `#embed` is part of C23; Clang also accepts it in older C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char page_network[] = {
#embed "page-network.model"
};

static const unsigned char page_scorers[] = {
#embed "page-scorers.model"
};

const void *waymark_page_network(size_t *count) {
  *count = sizeof page_network;
  return page_network;
}

const void *waymark_page_scorers(size_t *count) {
  *count = sizeof page_scorers;
  return page_scorers;
}
