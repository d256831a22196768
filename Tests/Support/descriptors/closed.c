// Loaded before the tests (LD_PRELOAD), it notes each descriptor that is closed though it is not open: who closes one twice may close
// what another thread was given in between. The notes go into the file named by CLOSED_TWICE, with the addresses of the callers.
#define _GNU_SOURCE
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// Other programs that tests start (shells, Python) are not ours to judge: some close every number there is.
static int is_ours(void) {
  const char *name = program_invocation_short_name;
  const char *end = strrchr(name, '.');
  return !strncmp(name, "waymark", 7) || (end && !strcmp(end, ".xctest"));
}

int close(int descriptor) {
  if (syscall(SYS_close, descriptor) == 0) return 0;
  int number = errno;
  const char *path = getenv("CLOSED_TWICE");
  if (number == EBADF && descriptor >= 0 && path && is_ours()) {
    // A worker in its sandbox may open nothing.
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file >= 0) {
      void *callers[24];
      dprintf(file, "%s (process %d) closed the descriptor %d, which was not open:\n", program_invocation_short_name, getpid(), descriptor);
      backtrace_symbols_fd(callers, backtrace(callers, 24), file);
      syscall(SYS_close, file);
    }
  }
  errno = number;
  return -1;
}
