// The network that reads lines of text, embedded from a file of this folder. It is large, so only programs that depend on this module contain it.
#ifndef CTEXTMODEL_H
#define CTEXTMODEL_H

#include <stddef.h>

/// Returns the network and its size in bytes. The memory is valid for the whole run of the program.
const void *waymark_text_network(size_t *count);

#endif
