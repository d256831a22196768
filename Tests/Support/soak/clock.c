// A wall clock that jumps, for one program: LD_PRELOAD it and name a file of eight bytes, the offset in nanoseconds, in
// CLOCK_OFFSET_FILE. What reads the time of day gets it shifted; CLOCK_MONOTONIC, CLOCK_BOOTTIME and timers run on, as they
// do when the clock of a machine is set.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile const int64_t *shared;
static int (*real_clock)(clockid_t, struct timespec *);

__attribute__((constructor)) static void start(void) {
  real_clock = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  const char *path = getenv("CLOCK_OFFSET_FILE");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *memory = mmap(NULL, 8, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (memory != MAP_FAILED) shared = memory;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  if (!real_clock) start();
  int result = real_clock(clock, time);
  if (result == 0 && shared && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    int64_t now = time->tv_sec * INT64_C(1000000000) + time->tv_nsec + *shared;
    if (now < 0) now = 0;
    time->tv_sec = now / 1000000000;
    time->tv_nsec = now % 1000000000;
  }
  return result;
}

int gettimeofday(struct timeval *time, void *zone) {
  (void)zone;
  struct timespec now;
  int result = clock_gettime(CLOCK_REALTIME, &now);
  if (result == 0) *time = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
  return result;
}

time_t time(time_t *result) {
  struct timespec now = {0};
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}
