// The least that reading codes off a camera's frames costs: libjpeg to gray, libzbar for QR codes, nothing else. Decodes
// the given frames in turn, at a rate, and prints the processor time it took.
//   bare RATE FRAMES FRAME.jpg...
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <jpeglib.h>
#include <zbar.h>

typedef struct {
  unsigned char *bytes;
  unsigned long size;
} file;

static file load(const char *path) {
  FILE *in = fopen(path, "rb");
  if (!in) exit(66);
  fseek(in, 0, SEEK_END);
  file it = {.size = (unsigned long)ftell(in)};
  rewind(in);
  it.bytes = malloc(it.size);
  if (fread(it.bytes, 1, it.size, in) != it.size) exit(66);
  fclose(in);
  return it;
}

static void decode(struct jpeg_decompress_struct *jpeg, const file *frame, unsigned char *gray) {
  jpeg_mem_src(jpeg, frame->bytes, frame->size);
  jpeg_read_header(jpeg, TRUE);
  jpeg->out_color_space = JCS_GRAYSCALE;
  jpeg_start_decompress(jpeg);
  while (jpeg->output_scanline < jpeg->output_height) {
    unsigned char *row = gray + (size_t)jpeg->output_scanline * jpeg->output_width;
    jpeg_read_scanlines(jpeg, &row, 1);
  }
  jpeg_finish_decompress(jpeg);
}

int main(int count, char **arguments) {
  if (count < 4) return 64;
  double rate = atof(arguments[1]);
  long frames = atol(arguments[2]);
  int files = count - 3;
  file *all = malloc(files * sizeof *all);
  for (int i = 0; i < files; i++) all[i] = load(arguments[i + 3]);

  struct jpeg_error_mgr errors;
  struct jpeg_decompress_struct jpeg;
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&jpeg);
  zbar_image_scanner_t *scanner = zbar_image_scanner_create();
  zbar_image_scanner_set_config(scanner, 0, ZBAR_CFG_ENABLE, 0);
  zbar_image_scanner_set_config(scanner, ZBAR_QRCODE, ZBAR_CFG_ENABLE, 1);
  zbar_image_t *image = zbar_image_create();
  zbar_image_set_format(image, zbar_fourcc('Y', '8', '0', '0'));
  unsigned char *gray = malloc(4096 * 4096);

  struct timespec due;
  clock_gettime(CLOCK_MONOTONIC, &due);
  long read = 0;
  for (long i = 0; i < frames; i++) {
    decode(&jpeg, &all[i % files], gray);
    zbar_image_set_size(image, jpeg.output_width, jpeg.output_height);
    zbar_image_set_data(image, gray, (size_t)jpeg.output_width * jpeg.output_height, NULL);
    if (zbar_scan_image(scanner, image) > 0) read++;
    due.tv_nsec += (long)(1e9 / rate);
    if (due.tv_nsec >= 1000000000) due.tv_sec++, due.tv_nsec -= 1000000000;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
  }
  struct timespec used;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  printf("{\"frames\":%ld,\"read\":%ld,\"processorTime\":%.4f}\n", frames, read, used.tv_sec + used.tv_nsec * 1e-9);
  return 0;
}
