// Loaded into programs for arm64 that qemu-user runs, which knows no filter of system calls and no limit of memory: stands in for those of
// a worker (Sources/Service/CSandbox) at the C library's functions, so that it is taken for locked in. What calls the kernel past them is not
// refused; the real filter is seen in a booted system alone.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static int is_filtered;

static long result(long value) {
  if (value > -4096 && value < 0) {
    errno = (int)-value;
    return -1;
  }
  return value;
}

static long call(long number, long a, long b, long c, long d, long e, long f) {
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return result(x0);
}

static long refuse(int error) {
  errno = error;
  return -1;
}

// Where the filter lets nothing through.
static long unless_filtered(long number, long a, long b, long c, long d) {
  return is_filtered ? refuse(EPERM) : call(number, a, b, c, d, 0, 0);
}

int open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
  va_end(list);
  return (int)unless_filtered(SYS_openat, AT_FDCWD, (long)path, flags, mode);
}

int socket(int domain, int type, int protocol) { return (int)unless_filtered(SYS_socket, domain, type, protocol, 0); }

int execve(const char *path, char *const arguments[], char *const environment[]) {
  return (int)unless_filtered(SYS_execve, (long)path, (long)arguments, (long)environment, 0);
}

ssize_t recvmsg(int descriptor, struct msghdr *message, int flags) {
  return unless_filtered(SYS_recvmsg, descriptor, (long)message, flags, 0);
}

int ioctl(int descriptor, unsigned long request, ...) {
  va_list list;
  va_start(list, request);
  void *argument = va_arg(list, void *);
  va_end(list);
  return (int)unless_filtered(SYS_ioctl, descriptor, (long)request, (long)argument, 0);
}

int mprotect(void *place, size_t length, int protection) {
  return is_filtered && protection & PROT_EXEC ? (int)refuse(EPERM) : (int)call(SYS_mprotect, (long)place, (long)length, protection, 0, 0, 0);
}

void *mmap(void *place, size_t length, int protection, int flags, int descriptor, off_t offset) {
  long mapped;
  if (is_filtered && (protection & PROT_EXEC || flags & (MAP_SHARED | MAP_GROWSDOWN))) {
    mapped = refuse(EPERM);
  } else if (is_filtered && length > (1u << 30)) {
    mapped = refuse(ENOMEM);
  } else {
    mapped = call(SYS_mmap, (long)place, (long)length, protection, flags, descriptor, offset);
  }
  return mapped == -1 ? MAP_FAILED : (void *)mapped;
}

long syscall(long number, ...) {
  long a[6];
  va_list list;
  va_start(list, number);
  for (int i = 0; i < 6; i++) a[i] = va_arg(list, long);
  va_end(list);
  if (is_filtered && (number == SYS_clone || number == SYS_kill || number == SYS_tgkill || number == SYS_process_vm_readv)) return refuse(EPERM);
  return call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int prctl(int option, ...) {
  long a[4];
  va_list list;
  va_start(list, option);
  for (int i = 0; i < 4; i++) a[i] = va_arg(list, long);
  va_end(list);
  if (option == PR_SET_SECCOMP && a[0] == SECCOMP_MODE_FILTER) {
    if (!a[1]) return (int)refuse(EFAULT);
    is_filtered = 1;
    return 0;
  }
  return (int)unless_filtered(SYS_prctl, option, a[0], a[1], a[2]);
}

// The emulator adds a thread of its own to those of the program: a worker that is about to be filtered counts threads by the links
// of this folder.
int stat(const char *restrict path, struct stat *restrict facts) {
  int found = fstatat(AT_FDCWD, path, facts, 0);
  if (found == 0 && strcmp(path, "/proc/self/task") == 0) facts->st_nlink--;
  return found;
}
