#pragma once
// One call of zlib, whose streams are set up by macros that Swift cannot see.

#include <stddef.h>
#include <stdint.h>

/// The size that `wm_gzip` needs at most for `size` bytes.
size_t wm_gzip_bound(size_t size);

/// Compresses bytes into a gzip file (RFC 1952), as small as zlib makes it and without a time, so that equal bytes give equal files. Returns its
/// size, or 0 where `capacity` does not hold it or memory is missing.
size_t wm_gzip(const uint8_t *bytes, size_t size, uint8_t *out, size_t capacity);
