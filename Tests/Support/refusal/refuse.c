// Loaded before the C library (LD_PRELOAD): refuses what a worker needs of the kernel, as a container's profile may.
//   REFUSE=memfd | socketpair | seccomp
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>

static int refuses(const char *what) {
  const char *named = getenv("REFUSE");
  return named && strcmp(named, what) == 0;
}

int memfd_create(const char *name, unsigned flags) {
  int (*real)(const char *, unsigned) = (int (*)(const char *, unsigned))dlsym(RTLD_NEXT, "memfd_create");
  if (!refuses("memfd")) return real(name, flags);
  errno = EPERM;
  return -1;
}

int socketpair(int domain, int type, int protocol, int ends[2]) {
  int (*real)(int, int, int, int[2]) = (int (*)(int, int, int, int[2]))dlsym(RTLD_NEXT, "socketpair");
  if (!refuses("socketpair") || (type & 0xF) != SOCK_SEQPACKET) return real(domain, type, protocol, ends);
  errno = EAFNOSUPPORT;
  return -1;
}

int prctl(int option, ...) {
  unsigned long a[4];
  va_list list;
  va_start(list, option);
  for (int i = 0; i < 4; i++) a[i] = va_arg(list, unsigned long);
  va_end(list);
  int (*real)(int, ...) = (int (*)(int, ...))dlsym(RTLD_NEXT, "prctl");
  if (!refuses("seccomp") || option != PR_SET_SECCOMP) return real(option, a[0], a[1], a[2], a[3]);
  errno = EINVAL;
  return -1;
}
