// The document of the protocol, which Scripts/generate writes: the linker takes it in, so that a program finds it wherever it lies.
#ifndef CPROTOCOL_H
#define CPROTOCOL_H

#include <stddef.h>

/// The bytes of the document. They are there as long as the program runs.
struct waymark_document {
  const void *bytes;
  size_t count;
};

/// The protocol as JSON Schema.
struct waymark_document waymark_protocol(void);

#endif
