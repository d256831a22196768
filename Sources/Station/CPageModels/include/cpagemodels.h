// The networks that find pages, embedded in the programs of the station from files of this folder.
#ifndef CPAGEMODELS_H
#define CPAGEMODELS_H

#include <stddef.h>

/// Returns the network that segments pages (Benchmarks/documents/segment), and its size in bytes. The memory is valid for the
/// whole run of the program.
const void *waymark_page_network(size_t *count);

/// Returns the networks that rate the outlines of pages (Benchmarks/documents/train), and their size in bytes. The memory is
/// valid for the whole run of the program.
const void *waymark_page_scorers(size_t *count);

#endif
