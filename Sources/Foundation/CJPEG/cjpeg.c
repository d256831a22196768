#include "cjpeg.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

// The greatest number of scans: a progressive file may update the whole picture in every scan; ordinary encoders write
// about ten.
enum { MAX_SCANS = 100 };

typedef struct {
  struct jpeg_error_mgr base;
  jmp_buf escape;
  int status;
  int eof;
  char message[JMSG_LENGTH_MAX];
} error_manager;

struct wm_jpeg_decoder {
  struct jpeg_decompress_struct codec;
  error_manager errors;
  struct jpeg_progress_mgr progress;
  uint8_t *cmyk;  // one row, only for four-channel files
  int channels;
  int ready;
};

static void on_error(j_common_ptr codec) {
  error_manager *e = (error_manager *)codec->err;
  e->base.format_message(codec, e->message);
  switch (e->base.msg_code) {
    case JERR_OUT_OF_MEMORY: e->status = WM_JPEG_MEMORY; break;
    case JERR_BAD_PRECISION:
    case JERR_SOF_UNSUPPORTED:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_ARITH_NOTIMPL:
    case JERR_NOT_COMPILED: e->status = WM_JPEG_UNSUPPORTED; break;
    default: e->status = WM_JPEG_DAMAGED; break;
  }
  longjmp(e->escape, 1);
}

static void on_message(j_common_ptr codec, int level) {
  if (level >= 0) return;  // trace
  error_manager *e = (error_manager *)codec->err;
  e->base.num_warnings++;
  // JPEG_EOF: the source is at its end. HIT_MARKER: the entropy-coded data of a scan ends early.
  if (e->base.msg_code == JWRN_JPEG_EOF || e->base.msg_code == JWRN_HIT_MARKER) e->eof = 1;
}

static void on_output(j_common_ptr codec) { (void)codec; }

static void on_progress(j_common_ptr codec) {
  if (!codec->is_decompressor) return;
  j_decompress_ptr d = (j_decompress_ptr)codec;
  if (d->input_scan_number > MAX_SCANS) {
    error_manager *e = (error_manager *)codec->err;
    e->status = WM_JPEG_SCANS;
    snprintf(e->message, sizeof e->message, "more than %d scans", MAX_SCANS);
    longjmp(e->escape, 1);
  }
}

static void install(error_manager *e) {
  jpeg_std_error(&e->base);
  e->base.error_exit = on_error;
  e->base.emit_message = on_message;
  e->base.output_message = on_output;
}

// The typical Huffman tables of ITU-T T.81, Annex K.3, which Motion JPEG frames omit.
static const UINT8 dc_bits[2][17] = {{0, 0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0},
                                     {0, 0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0}};
static const UINT8 dc_values[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
static const UINT8 ac_bits[2][17] = {
    {0, 0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125},
    {0, 0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 119}};
static const UINT8 ac_values[2][162] = {{
    0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07, 0x22, 0x71, 0x14,
    0x32, 0x81, 0x91, 0xa1, 0x08, 0x23, 0x42, 0xb1, 0xc1, 0x15, 0x52, 0xd1, 0xf0, 0x24, 0x33, 0x62, 0x72, 0x82, 0x09,
    0x0a, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3a,
    0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5a, 0x63, 0x64, 0x65,
    0x66, 0x67, 0x68, 0x69, 0x6a, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88,
    0x89, 0x8a, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9,
    0xaa, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca,
    0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda, 0xe1, 0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea,
    0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa
}, {
    0x00, 0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12, 0x41, 0x51, 0x07, 0x61, 0x71, 0x13, 0x22, 0x32,
    0x81, 0x08, 0x14, 0x42, 0x91, 0xa1, 0xb1, 0xc1, 0x09, 0x23, 0x33, 0x52, 0xf0, 0x15, 0x62, 0x72, 0xd1, 0x0a, 0x16,
    0x24, 0x34, 0xe1, 0x25, 0xf1, 0x17, 0x18, 0x19, 0x1a, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x35, 0x36, 0x37, 0x38, 0x39,
    0x3a, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5a, 0x63, 0x64,
    0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x82, 0x83, 0x84, 0x85, 0x86,
    0x87, 0x88, 0x89, 0x8a, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7,
    0xa8, 0xa9, 0xaa, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8,
    0xc9, 0xca, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda, 0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9,
    0xea, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa
}};

static void set_table(j_decompress_ptr codec, JHUFF_TBL **slot, const UINT8 *bits, const UINT8 *values, size_t count) {
  if (*slot == NULL) *slot = jpeg_alloc_huff_table((j_common_ptr)codec);
  memcpy((*slot)->bits, bits, 17);
  memset((*slot)->huffval, 0, sizeof (*slot)->huffval);
  memcpy((*slot)->huffval, values, count);
}

// The tables of one frame must not be used for the next: every picture starts from the standard tables.
static void reset_tables(j_decompress_ptr codec) {
  for (int i = 0; i < 2; i++) {
    set_table(codec, &codec->dc_huff_tbl_ptrs[i], dc_bits[i], dc_values, sizeof dc_values);
    set_table(codec, &codec->ac_huff_tbl_ptrs[i], ac_bits[i], ac_values[i], 162);
  }
}

wm_jpeg_decoder *wm_jpeg_decoder_new(void) {
  wm_jpeg_decoder *d = calloc(1, sizeof *d);
  if (!d) return NULL;
  install(&d->errors);
  d->codec.err = &d->errors.base;
  if (setjmp(d->errors.escape)) {
    jpeg_destroy_decompress(&d->codec);
    free(d);
    return NULL;
  }
  jpeg_create_decompress(&d->codec);
  d->codec.err = &d->errors.base;
  d->progress.progress_monitor = on_progress;
  d->codec.progress = &d->progress;
  return d;
}

void wm_jpeg_decoder_free(wm_jpeg_decoder *d) {
  if (!d) return;
  if (!setjmp(d->errors.escape)) jpeg_destroy_decompress(&d->codec);
  free(d->cmyk);
  free(d);
}

const char *wm_jpeg_message(const wm_jpeg_decoder *d) { return d->errors.message; }

static int failed(wm_jpeg_decoder *d) {
  jpeg_abort_decompress(&d->codec);
  free(d->cmyk);
  d->cmyk = NULL;
  d->ready = 0;
  return d->errors.status;
}

static int fail(wm_jpeg_decoder *d, int status, const char *why) {
  d->errors.status = status;
  snprintf(d->errors.message, sizeof d->errors.message, "%s", why);
  return failed(d);
}

int wm_jpeg_read_header(wm_jpeg_decoder *d, const uint8_t *data, size_t size, int channels, int eighths,
                        wm_jpeg_header *header) {
  d->errors.status = WM_JPEG_OK;
  d->errors.eof = 0;
  d->errors.message[0] = 0;
  d->ready = 0;
  if (size == 0) return fail(d, WM_JPEG_DAMAGED, "no data");
  if (setjmp(d->errors.escape)) return failed(d);
  jpeg_abort_decompress(&d->codec);  // ends an earlier picture
  d->errors.base.num_warnings = 0;
  reset_tables(&d->codec);
  jpeg_mem_src(&d->codec, data, (unsigned long)size);
  if (jpeg_read_header(&d->codec, TRUE) != JPEG_HEADER_OK) return fail(d, WM_JPEG_DAMAGED, "no picture in it");

  int n = d->codec.num_components;
  if (n != 1 && n != 3 && n != 4) return fail(d, WM_JPEG_UNSUPPORTED, "an unusual number of channels");
  if (n == 4) d->codec.out_color_space = JCS_CMYK;
  else d->codec.out_color_space = channels == WM_JPEG_GRAY ? JCS_GRAYSCALE : JCS_RGB;
  d->codec.scale_num = (unsigned)eighths;
  d->codec.scale_denom = 8;
  d->codec.dct_method = JDCT_ISLOW;
  jpeg_calc_output_dimensions(&d->codec);
  d->channels = channels;
  header->width = d->codec.image_width;
  header->height = d->codec.image_height;
  header->scaled_width = d->codec.output_width;
  header->scaled_height = d->codec.output_height;
  header->components = n;
  d->ready = 1;
  return WM_JPEG_OK;
}

// Files with Adobe's marker have inverted inks (0 = full ink); other files have not.
static void convert_cmyk(const uint8_t *in, uint8_t *out, uint32_t width, int channels, int inverted) {
  for (uint32_t x = 0; x < width; x++, in += 4) {
    unsigned flip = inverted ? 0 : 255, k = in[3] ^ flip;
    unsigned r = (in[0] ^ flip) * k, g = (in[1] ^ flip) * k, b = (in[2] ^ flip) * k;
    r = (r + 127) / 255, g = (g + 127) / 255, b = (b + 127) / 255;
    if (channels == WM_JPEG_GRAY) {
      *out++ = (uint8_t)((r * 9798 + g * 19235 + b * 3735 + 16384) >> 15);  // ITU-R BT.601 in 15 bit
    } else {
      *out++ = (uint8_t)r, *out++ = (uint8_t)g, *out++ = (uint8_t)b;
    }
  }
}

int wm_jpeg_read(wm_jpeg_decoder *d, uint8_t *out, size_t stride, size_t capacity, wm_jpeg_result *result) {
  if (!d->ready) return fail(d, WM_JPEG_DAMAGED, "no header was read");
  size_t row = (size_t)d->codec.output_width * (size_t)d->channels;
  size_t rows = d->codec.output_height;
  if (rows == 0 || stride < row || capacity < row || (rows - 1) > (capacity - row) / stride)
    return fail(d, WM_JPEG_SIZE, "the destination is too small");

  volatile uint32_t done = 0;
  if (setjmp(d->errors.escape)) {
    // Rows that were written before the error are kept.
    if (done == 0 || d->errors.status == WM_JPEG_SCANS) return failed(d);
    d->errors.eof = 1;
    d->errors.base.num_warnings++;
  } else {
    d->ready = 0;
    if (d->codec.num_components == 4) {
      d->cmyk = malloc((size_t)d->codec.output_width * 4);
      if (!d->cmyk) return fail(d, WM_JPEG_MEMORY, "out of memory");
    }
    jpeg_start_decompress(&d->codec);
    if (d->codec.output_width * (size_t)d->channels != row || d->codec.output_height != rows)
      return fail(d, WM_JPEG_DAMAGED, "its size is not what the header says");
    while (d->codec.output_scanline < rows) {
      if (d->cmyk) {
        JSAMPROW line = d->cmyk;
        jpeg_read_scanlines(&d->codec, &line, 1);
        convert_cmyk(d->cmyk, out + (size_t)done * stride, d->codec.output_width, d->channels,
                     d->codec.saw_Adobe_marker);
        done = done + 1;
      } else {
        // Several rows at a time: libjpeg returns at most one row of blocks.
        JSAMPROW lines[16];
        uint32_t want = (uint32_t)(rows - done < 16 ? rows - done : 16);
        for (uint32_t i = 0; i < want; i++) lines[i] = out + ((size_t)done + i) * stride;
        done = done + jpeg_read_scanlines(&d->codec, lines, want);
      }
    }
    jpeg_finish_decompress(&d->codec);
  }
  for (uint32_t y = done; y < rows; y++) memset(out + (size_t)y * stride, 128, row);
  result->truncated = d->errors.eof;
  result->warnings = (int)d->errors.base.num_warnings;
  result->rows = done;
  failed(d);  // ends an open picture; the status is not used
  return WM_JPEG_OK;
}

int wm_jpeg_encode(const uint8_t *pixels, uint32_t width, uint32_t height, size_t stride, int channels, int quality,
                   int subsample, uint8_t **out, size_t *size, char *message) {
  struct jpeg_compress_struct codec;
  error_manager errors;
  memset(&errors, 0, sizeof errors);
  memset(&codec, 0, sizeof codec);
  if (width == 0 || height == 0 || width > JPEG_MAX_DIMENSION || height > JPEG_MAX_DIMENSION) {
    snprintf(message, 200, "a JPEG has 1 to %d pixels a side", (int)JPEG_MAX_DIMENSION);
    return WM_JPEG_UNSUPPORTED;
  }
  install(&errors);
  codec.err = &errors.base;
  unsigned char *buffer = NULL;
  unsigned long used = 0;
  if (setjmp(errors.escape)) {
    snprintf(message, 200, "%s", errors.message);
    // Out of memory. libjpeg sets the address of the buffer at the end only, so the buffer is not freed.
    jpeg_destroy_compress(&codec);
    return errors.status;
  }
  jpeg_create_compress(&codec);
  codec.err = &errors.base;
  jpeg_mem_dest(&codec, &buffer, &used);
  codec.image_width = width;
  codec.image_height = height;
  codec.input_components = channels;
  codec.in_color_space = channels == WM_JPEG_GRAY ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&codec);
  jpeg_set_quality(&codec, quality, TRUE);
  if (channels == WM_JPEG_RGB && !subsample) codec.comp_info[0].h_samp_factor = codec.comp_info[0].v_samp_factor = 1;
  jpeg_start_compress(&codec, TRUE);
  while (codec.next_scanline < height) {
    JSAMPROW line = (JSAMPROW)(pixels + (size_t)codec.next_scanline * stride);
    jpeg_write_scanlines(&codec, &line, 1);
  }
  jpeg_finish_compress(&codec);
  jpeg_destroy_compress(&codec);
  *out = buffer;
  *size = used;
  return WM_JPEG_OK;
}

void wm_jpeg_free(uint8_t *bytes) { free(bytes); }
