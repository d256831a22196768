// Stands in for ffmpeg where none is installed: gray frames in Y4M, 15 a second, until the reader closes the pipe.
#include <stdio.h>
#include <unistd.h>

int main(void) {
  printf("YUV4MPEG2 W64 H48 F15:1 Cmono\n");
  for (;;) {
    printf("FRAME\n");
    for (int pixel = 0; pixel < 64 * 48; pixel++) putchar(pixel & 0xFF);
    if (fflush(stdout)) return 0;
    usleep(66000);
  }
}
