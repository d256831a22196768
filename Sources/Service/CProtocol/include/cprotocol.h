// The document of the protocol, which Scripts/generate writes. It is part of the executable, so that no file is needed at run
// time.
#ifndef CPROTOCOL_H
#define CPROTOCOL_H

#include <stddef.h>

/// The bytes of the document, valid as long as the program runs.
struct waymark_document {
  const void *bytes;
  size_t count;
};

/// The protocol as JSON Schema.
struct waymark_document waymark_protocol(void);

#endif
