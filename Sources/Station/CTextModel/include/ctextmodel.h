// The network that reads lines of text: a file of this folder that the linker takes into the program that depends on it, and into no other
// one, as it is large.
#ifndef CTEXTMODEL_H
#define CTEXTMODEL_H

#include <stddef.h>

/// The bytes of the file. They are there as long as the program runs.
const void *waymark_text_network(size_t *count);

#endif
