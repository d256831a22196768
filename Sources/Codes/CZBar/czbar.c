#define _GNU_SOURCE
#include "czbar.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// libzbar 0.23 reports a failed internal check of its DataBar decoder by fprintf(stderr, "WARNING: <file>:<line>: ...
// Assertion ...") and continues. No option disables these messages, and some pictures cause hundreds. glibc allows a
// program to assign to `stderr`, so it is replaced by a stream that drops exactly these messages and forwards all
// others.
static ssize_t write_through(void *cookie, const char *text, size_t size) {
  (void)cookie;
  if (size > 9 && memcmp(text, "WARNING: ", 9) == 0 && memmem(text, size, "databar.c", 9)) return (ssize_t)size;
  return write(STDERR_FILENO, text, size);
}

static void install(void) {
  cookie_io_functions_t functions = {.write = write_through};
  FILE *stream = fopencookie(NULL, "w", functions);
  if (!stream) return;
  // Unbuffered: one formatted message arrives as one write.
  setvbuf(stream, NULL, _IONBF, 0);
  fflush(stderr);
  stderr = stream;
}

void czbar_quiet_assertions(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, install);
}
