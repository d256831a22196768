#include "czlib.h"

#include <zlib.h>

// The largest window, 32 KiB; 16 more asks for the frame of gzip.
enum { WINDOW = 15 + 16 };

// The frame of gzip without a name, which is larger than that of zlib, for which `compressBound` speaks.
enum { GZIP_FRAME = 18 };

size_t wm_gzip_bound(size_t size) { return compressBound((uLong)size) + GZIP_FRAME; }

size_t wm_gzip(const uint8_t *bytes, size_t size, uint8_t *out, size_t capacity) {
  z_stream stream = {0};
  if (size > UINT32_MAX || capacity > UINT32_MAX) return 0;
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, WINDOW, 9, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
  stream.next_in = (Bytef *)bytes;
  stream.avail_in = (uInt)size;
  stream.next_out = out;
  stream.avail_out = (uInt)capacity;
  int result = deflate(&stream, Z_FINISH);
  size_t written = stream.total_out;
  deflateEnd(&stream);
  return result == Z_STREAM_END ? written : 0;
}
