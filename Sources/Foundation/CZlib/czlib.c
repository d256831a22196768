#include "czlib.h"

#include <zlib.h>

// The window bits of zlib: 15 for the largest window, 32 KiB; adding 16 selects gzip's frame.
enum { WINDOW = 15, GZIP_WINDOW = WINDOW + 16 };

// The size of gzip's frame without a name, in bytes; `compressBound` includes only zlib's smaller frame.
enum { GZIP_FRAME = 18 };

size_t wm_compress_bound(size_t size) { return compressBound((uLong)size) + GZIP_FRAME; }

size_t wm_compress(const uint8_t *bytes, size_t size, enum wm_frame frame, uint8_t *out, size_t capacity) {
  z_stream stream = {0};
  if (size > UINT32_MAX || capacity > UINT32_MAX) return 0;
  const int window = frame == WM_GZIP ? GZIP_WINDOW : WINDOW;
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, window, 9, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
  stream.next_in = (Bytef *)bytes;
  stream.avail_in = (uInt)size;
  stream.next_out = out;
  stream.avail_out = (uInt)capacity;
  int result = deflate(&stream, Z_FINISH);
  size_t written = stream.total_out;
  deflateEnd(&stream);
  return result == Z_STREAM_END ? written : 0;
}
