#pragma once
// Compression by zlib, whose streams are initialised by macros that Swift cannot import.

#include <stddef.h>
#include <stdint.h>

/// The frame of compressed bytes: zlib (RFC 1950) or gzip (RFC 1952).
enum wm_frame { WM_ZLIB, WM_GZIP };

/// Returns the greatest size of the result of `wm_compress` for `size` bytes.
size_t wm_compress_bound(size_t size);

/// Compresses bytes at zlib's highest level and without a time stamp, so that equal bytes give equal results. Returns the compressed size, or 0
/// if `capacity` is too small or memory is missing.
size_t wm_compress(const uint8_t *bytes, size_t size, enum wm_frame frame, uint8_t *out, size_t capacity);
