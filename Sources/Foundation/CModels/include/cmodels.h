// Weights fitted by a script: files of this folder, embedded in the program so that it needs no path, and works in a process that must not open
// files.
#ifndef CMODELS_H
#define CMODELS_H

#include <stddef.h>

/// Returns the file of the projections whose signs are the descriptors of anchors' features (Benchmarks/anchors/learn_descriptor.py), and stores
/// its size in bytes. The memory is never freed.
const void *waymark_anchor_descriptor(size_t *count);

#endif
