// The networks that read lines of text, embedded from files of this folder. They are large, so only programs that depend on this module contain them.
#ifndef CTEXTMODEL_H
#define CTEXTMODEL_H

#include <stddef.h>

/// Returns the network of lines and its size in bytes. The memory is valid for the whole run of the program.
const void *waymark_text_network(size_t *count);

/// Returns the network of words likewise: PP-OCRv4, converted; see NOTICE.
const void *waymark_word_network(size_t *count);

#endif
