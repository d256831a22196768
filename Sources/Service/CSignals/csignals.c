#define _GNU_SOURCE
#include "csignals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ALONE, STARTING, HOLDING, RUNNING };

static atomic_int phase = ALONE;
static atomic_int asked = 0;
static atomic_int reload_asked = 0;
static int pipe_ends[2] = {-1, -1};
static char made[256];
static dev_t made_device;
static ino_t made_inode;

// Uses only calls that are safe in a handler (signal-safety(7)).
static void end_now(void) {
  struct stat now;
  // Another service may have replaced the file: only the file made here is removed.
  if (made[0] && lstat(made, &now) == 0 && now.st_dev == made_device && now.st_ino == made_inode) unlink(made);
  _exit(0);
}

static void on_signal(int number) {
  (void)number;
  int saved = errno;
  switch (atomic_load(&phase)) {
    case STARTING: end_now(); break;
    case HOLDING: atomic_store(&asked, 1); break;
    case RUNNING: {
      char byte = CSIGNALS_END;
      if (write(pipe_ends[1], &byte, 1) < 0) { /* Full: a byte is there already. */ }
      break;
    }
    default: break;
  }
  errno = saved;
}

static void on_reload(int number) {
  (void)number;
  int saved = errno;
  char byte = CSIGNALS_RELOAD;
  if (atomic_load(&phase) != RUNNING) {
    atomic_store(&reload_asked, 1);
  } else if (write(pipe_ends[1], &byte, 1) < 0) { /* Full: a byte is there already. */ }
  errno = saved;
}

// Opens closed standard descriptors, so that a socket or a camera does not get their numbers and receive printed messages. Reading from or
// writing to the replacement fails, as it did before.
static void fill_standard_descriptors(void) {
  for (int descriptor = 0; descriptor < 3; descriptor++) {
    // open(2) returns the lowest free number, which is this one.
    if (fcntl(descriptor, F_GETFD) < 0 && open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

// Does not use setenv(3), which moves `environ`: the Swift runtime looks for the program's arguments in the memory before it.
void csignals_leave_no_memory_behind(void) {
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  if (getenv("SWIFT_BACKTRACE")) return;
  static const int fatal[] = {SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};
  for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) {
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    if (fatal[i] != SIGQUIT) continue;
#endif
    signal(fatal[i], SIG_DFL);
  }
}

static int argument_count;
static char **argument_texts;

int csignals_argument_count(void) { return argument_count; }

const char *csignals_argument(int index) {
  return index >= 0 && index < argument_count ? argument_texts[index] : NULL;
}

// glibc passes constructors the arguments of main; this one runs before any Swift code.
__attribute__((constructor(101))) static void begin(int count, char **arguments) {
  argument_count = arguments ? count : 0;
  argument_texts = arguments;
  fill_standard_descriptors();
  if (count < 2 || !arguments || (strcmp(arguments[1], "serve") != 0 && strcmp(arguments[1], "demo") != 0)) return;
  atomic_store(&phase, STARTING);
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaddset(&action.sa_mask, SIGTERM);
  sigaddset(&action.sa_mask, SIGINT);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGHUP, &(struct sigaction){.sa_handler = on_reload, .sa_flags = SA_RESTART}, NULL);
}

void csignals_hold(void) {
  int expected = STARTING;
  atomic_compare_exchange_strong(&phase, &expected, HOLDING);
}

void csignals_release(const char *path) {
  if (atomic_load(&phase) != HOLDING) return;
  struct stat now;
  if (path && strlen(path) < sizeof made && lstat(path, &now) == 0) {
    made_device = now.st_dev;
    made_inode = now.st_ino;
    strcpy(made, path);
  }
  atomic_store(&phase, STARTING);
  if (atomic_load(&asked)) end_now();
}

int csignals_take_over(void) {
  if (atomic_load(&phase) != STARTING || pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK)) return -1;
  atomic_store(&phase, RUNNING);
  // A reload was requested during the start, when the service may already have read the previous file.
  if (atomic_exchange(&reload_asked, 0)) on_reload(SIGHUP);
  return pipe_ends[0];
}
