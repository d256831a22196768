#include "cprotocol.h"

// #embed is part of C23; the compiler accepts it in older C, too.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char protocol[] = {
#embed "protocol.json"
};

struct waymark_document waymark_protocol(void) {
  return (struct waymark_document){protocol, sizeof protocol};
}
