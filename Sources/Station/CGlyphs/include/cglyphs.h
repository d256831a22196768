// Drawings of characters, embedded in the program from files of this folder.
#ifndef CGLYPHS_H
#define CGLYPHS_H

#include <stddef.h>

/// Returns the drawings of the characters of machine-readable zones in three typefaces (Benchmarks/text/make_glyphs.py), and
/// their size in bytes. The memory is valid for the whole run of the program.
const void *waymark_zone_glyphs(size_t *count);

/// Returns the rows of the letters of `SignatureFont`, thirteen bytes per letter, and their size in bytes. The memory is
/// valid for the whole run of the program.
const void *waymark_signature_font(size_t *count);

#endif
