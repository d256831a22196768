#include "cmodels.h"

// #embed is of C23; the compiler knows it in older C as well.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char anchor_descriptor[] = {
#embed "anchor-descriptor.model"
};

static const unsigned char page_network[] = {
#embed "page-network.model"
};

static const unsigned char page_scorers[] = {
#embed "page-scorers.model"
};

struct waymark_model waymark_anchor_descriptor(void) {
  return (struct waymark_model){anchor_descriptor, sizeof anchor_descriptor};
}

struct waymark_model waymark_page_network(void) {
  return (struct waymark_model){page_network, sizeof page_network};
}

struct waymark_model waymark_page_scorers(void) {
  return (struct waymark_model){page_scorers, sizeof page_scorers};
}
