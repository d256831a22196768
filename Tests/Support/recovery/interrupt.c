// Ends a program, or makes a system call fail, at a chosen step of what it does to files below one folder: LD_PRELOAD it.
//
//   INTERRUPT_BELOW   the folder; everything else is left alone
//   INTERRUPT_AT      the step that is interrupted, from 1; beyond the last one nothing happens
//   INTERRUPT_WITH    kill: dead before the step; torn: a write is cut in half and then it is dead; else an errno
//   INTERRUPT_COUNT   a file to which the steps are appended, one line each
//   INTERRUPT_HURRY   seconds that pass between the first look at the time since boot and everything after it
//
// Steps are calls that change something: opening to write, write, fsync, link, rename, unlink, mkdir, truncating, closing what was
// open to write.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { DESCRIPTORS = 1024 };
static bool watched[DESCRIPTORS];
static int step;

static bool below(const char *path) {
  const char *folder = getenv("INTERRUPT_BELOW");
  return folder && path && strncmp(path, folder, strlen(folder)) == 0;
}

static void note(const char *name, const char *what) {
  const char *path = getenv("INTERRUPT_COUNT");
  int file = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
  if (file < 0) return;
  char line[PATH_MAX + 32];
  int size = snprintf(line, sizeof line, "%s %s\n", name, what);
  syscall(SYS_write, file, line, size);
  syscall(SYS_close, file);
}

/// Whether this step is to fail, with errno set; does not return where it is to end the program.
static bool interrupted(const char *name, const char *what, int descriptor, const void *bytes, size_t size) {
  note(name, what);
  const char *at = getenv("INTERRUPT_AT"), *with = getenv("INTERRUPT_WITH");
  if (!at || ++step != atoi(at)) return false;
  if (!with) with = "kill";
  if (!strcmp(with, "torn") && bytes) syscall(SYS_write, descriptor, bytes, size / 2);
  if (!strcmp(with, "torn") || !strcmp(with, "kill")) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
  }
  errno = atoi(with);
  return true;
}

static int watch(int descriptor, bool writes) {
  if (descriptor >= 0 && descriptor < DESCRIPTORS) watched[descriptor] = writes;
  return descriptor;
}

static bool is_watched(int descriptor) { return descriptor >= 0 && descriptor < DESCRIPTORS && watched[descriptor]; }

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  // Folders are opened to be synchronised.
  bool counts = below(path) && ((flags & (O_WRONLY | O_RDWR | O_CREAT)) || (flags & O_DIRECTORY));
  if (counts && interrupted("open", path, -1, NULL, 0)) return -1;
  return watch((int)syscall(SYS_openat, AT_FDCWD, path, flags, mode), counts);
}

int open64(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open(path, flags, mode);
}

ssize_t write(int descriptor, const void *bytes, size_t size) {
  if (is_watched(descriptor) && interrupted("write", "", descriptor, bytes, size)) return -1;
  return syscall(SYS_write, descriptor, bytes, size);
}

int fsync(int descriptor) {
  if (is_watched(descriptor) && interrupted("fsync", "", descriptor, NULL, 0)) return -1;
  return (int)syscall(SYS_fsync, descriptor);
}

int fchmod(int descriptor, mode_t mode) {
  if (is_watched(descriptor) && interrupted("fchmod", "", descriptor, NULL, 0)) return -1;
  return (int)syscall(SYS_fchmod, descriptor, mode);
}

int ftruncate(int descriptor, off_t size) {
  if (is_watched(descriptor) && interrupted("ftruncate", "", descriptor, NULL, 0)) return -1;
  return (int)syscall(SYS_ftruncate, descriptor, size);
}

int close(int descriptor) {
  bool counts = is_watched(descriptor);
  watch(descriptor, false);
  bool fails = counts && interrupted("close", "", descriptor, NULL, 0);
  int code = errno;
  int result = (int)syscall(SYS_close, descriptor);
  if (!fails) return result;
  errno = code;
  return -1;
}

int rename(const char *from, const char *to) {
  if (below(to) && interrupted("rename", to, -1, NULL, 0)) return -1;
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
  if (below(to) && interrupted("linkat", to, -1, NULL, 0)) return -1;
  return (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
}

int unlink(const char *path) {
  if (below(path) && interrupted("unlink", path, -1, NULL, 0)) return -1;
  return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int mkdir(const char *path, mode_t mode) {
  if (below(path) && interrupted("mkdir", path, -1, NULL, 0)) return -1;
  return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  static int (*original)(clockid_t, struct timespec *);
  static int looked;
  if (!original) original = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  int result = original(clock, time);
  const char *hurry = getenv("INTERRUPT_HURRY");
  if (hurry && looked > 0 && (clock == CLOCK_REALTIME || clock == CLOCK_BOOTTIME)) time->tv_sec += atol(hurry);
  if (clock == CLOCK_BOOTTIME) looked++;
  return result;
}
