#include "cprotocol.h"

// #embed is of C23; the compiler knows it in older C as well.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char protocol[] = {
#embed "protocol.json"
};

struct waymark_document waymark_protocol(void) {
  return (struct waymark_document){protocol, sizeof protocol};
}
