// What was fitted by a script and is read by the program: files of this folder that the linker takes in, so that a program finds
// them wherever it lies, in a process that may open nothing as well.
#ifndef CMODELS_H
#define CMODELS_H

#include <stddef.h>

/// The bytes of a file. They are there as long as the program runs.
struct waymark_model {
  const void *bytes;
  size_t count;
};

/// The directions whose signs describe the corners of anchors (Benchmarks/anchors/learn_descriptor.py).
struct waymark_model waymark_anchor_descriptor(void);

/// The network that tells where in a picture a page is (Benchmarks/documents/segment).
struct waymark_model waymark_page_network(void);

/// The networks that judge outlines of pages (Benchmarks/documents/train).
struct waymark_model waymark_page_scorers(void);

#endif
