// Starts the worker processes and, in the worker, sets up the sandbox: the filter of system calls and the limits.

#define _GNU_SOURCE
#include "csandbox.h"
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

// MARK: Starting

static void close_quietly(int descriptor) {
  if (descriptor >= 0) close(descriptor);
}

// Returns a duplicate above the worker's descriptors, so that dup2 in the child does not overwrite one that is still needed.
static int lift(int descriptor) {
  if (descriptor < 0) return -1;
  int lifted = fcntl(descriptor, F_DUPFD_CLOEXEC, 16);
  close(descriptor);
  return lifted;
}

void csandbox_detach(posix_spawnattr_t *attributes) {
  sigset_t none, defaults;
  sigemptyset(&none);
  sigfillset(&defaults);
  posix_spawnattr_setsigmask(attributes, &none);
  posix_spawnattr_setsigdefault(attributes, &defaults);
  posix_spawnattr_setpgroup(attributes, 0);
  posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

static int spawn_here(const char *path, char *const arguments[], size_t arena_size, csandbox_worker *worker) {
  int ends[2] = {-1, -1}, arena = -1, result = 0;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  if (posix_spawn_file_actions_init(&actions)) return ENOMEM;
  if (posix_spawnattr_init(&attributes)) {
    posix_spawn_file_actions_destroy(&actions);
    return ENOMEM;
  }

  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) { result = errno; goto end; }
  ends[0] = lift(ends[0]);
  ends[1] = lift(ends[1]);
  arena = lift(memfd_create("waymark-worker", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (ends[0] < 0 || ends[1] < 0 || arena < 0) { result = errno; goto end; }
  // Sealed: a compromised worker cannot shrink the memory, which would end the daemon with SIGBUS.
  if (ftruncate(arena, (off_t)arena_size) || fcntl(arena, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)) {
    result = errno;
    goto end;
  }

  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  // The worker's messages could quote the content of a code, which must not be logged.
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], CSANDBOX_CHANNEL);
  posix_spawn_file_actions_adddup2(&actions, arena, CSANDBOX_ARENA);
  posix_spawn_file_actions_addclosefrom_np(&actions, CSANDBOX_ARENA + 1);
  csandbox_detach(&attributes);
  char *environment[] = {"SWIFT_BACKTRACE=enable=no", "MALLOC_ARENA_MAX=1", "LC_ALL=C.UTF-8", NULL};
  result = posix_spawn(&worker->process, path, &actions, &attributes, arguments, environment);

end:
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close_quietly(ends[1]);
  if (result) {
    close_quietly(ends[0]);
    close_quietly(arena);
    return result;
  }
  worker->channel = ends[0];
  worker->arena = arena;
  return 0;
}

// The kernel ends a worker when the *thread* that started it ends (PR_SET_PDEATHSIG), so one thread starts all workers and lives as long
// as the process. The first call of csandbox_spawn creates this thread.
static struct {
  pthread_mutex_t callers;  // held by the thread that requests a worker
  pthread_mutex_t lock;     // guards the members below
  pthread_cond_t asked, answered;
  int is_running, is_waiting;
  const char *path;
  char *const *arguments;
  size_t arena_size;
  csandbox_worker *worker;
  int result;
} nursery = {
    .callers = PTHREAD_MUTEX_INITIALIZER,
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .asked = PTHREAD_COND_INITIALIZER,
    .answered = PTHREAD_COND_INITIALIZER,
};

static void *run_nursery(void *unused) {
  (void)unused;
  pthread_setname_np(pthread_self(), "worker-nursery");
  pthread_mutex_lock(&nursery.lock);
  for (;;) {
    while (!nursery.is_waiting) pthread_cond_wait(&nursery.asked, &nursery.lock);
    nursery.result = spawn_here(nursery.path, nursery.arguments, nursery.arena_size, nursery.worker);
    nursery.is_waiting = 0;
    pthread_cond_signal(&nursery.answered);
  }
  return NULL;
}

// Starts the thread that starts workers. It blocks all signals, which other threads handle, and needs little stack.
static int start_nursery(void) {
  pthread_attr_t attributes;
  pthread_t thread;
  sigset_t all, before;
  int result = pthread_attr_init(&attributes);
  if (result) return result;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, 256 * 1024);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  result = pthread_create(&thread, &attributes, run_nursery, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  return result;
}

int csandbox_spawn(const char *path, char *const arguments[], size_t arena_size, csandbox_worker *worker) {
  int result = 0;
  pthread_mutex_lock(&nursery.callers);
  pthread_mutex_lock(&nursery.lock);
  if (!nursery.is_running) {
    result = start_nursery();
    nursery.is_running = result == 0;
  }
  if (nursery.is_running) {
    nursery.path = path;
    nursery.arguments = arguments;
    nursery.arena_size = arena_size;
    nursery.worker = worker;
    nursery.is_waiting = 1;
    pthread_cond_signal(&nursery.asked);
    while (nursery.is_waiting) pthread_cond_wait(&nursery.answered, &nursery.lock);
    result = nursery.result;
  }
  pthread_mutex_unlock(&nursery.lock);
  pthread_mutex_unlock(&nursery.callers);
  return result;
}

// MARK: The filter

#define ARRAY_COUNT(a) (sizeof(a) / sizeof((a)[0]))

// The system calls that decoding needs: for open descriptors, memory, locks, clocks, random numbers, and exit.
static const unsigned allowed[] = {
    __NR_read, __NR_write, __NR_close, __NR_futex, __NR_munmap, __NR_mremap, __NR_madvise, __NR_brk, __NR_exit,
    __NR_exit_group, __NR_rt_sigreturn, __NR_rt_sigprocmask, __NR_clock_gettime, __NR_gettimeofday, __NR_getrandom,
    __NR_sched_yield, __NR_restart_syscall, __NR_gettid, __NR_getpid, __NR_setitimer,
};

static int install(const struct sock_fprog *program) {
  struct stat tasks;
  // The link count of /proc/self/task is 2 plus the number of threads. This process must have one thread: others would stay outside of
  // the filter, or repeat calls that it refuses without end.
  if (stat("/proc/self/task", &tasks)) return errno;
  if (tasks.st_nlink != 3) return EDEADLK;
  // Uses prctl(2), because the filters of service managers often refuse seccomp(2).
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program) ? errno : 0;
}

int csandbox_probe(int need) {
  switch (need) {
    case CSANDBOX_MEMORY: {
      int memory = memfd_create("waymark-probe", MFD_CLOEXEC | MFD_ALLOW_SEALING), result = 0;
      if (memory < 0) return errno;
      if (fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)) result = errno;
      close(memory);
      return result;
    }
    case CSANDBOX_CHANNEL_PAIR: {
      int ends[2];
      if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) return errno;
      close(ends[0]);
      close(ends[1]);
      return 0;
    }
    case CSANDBOX_PROC: return access("/proc/self/exe", X_OK) || access("/proc/self/task", R_OK) ? errno : 0;
    case CSANDBOX_FILTER:
      // A kernel with filters fails to read the filter at NULL (EFAULT); a kernel without filters rejects the mode (EINVAL).
      if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) == 0 || errno == EFAULT) return 0;
      return errno;
    default: return EINVAL;
  }
}

// MARK: Limits

// The most memory of a worker in bytes, without the arena. It is more than the largest picture needs (a progressive JPEG of 100
// megapixels with three full components has 600 MB of coefficients), and within the memory limit of the service's unit.
static const rlim_t most_memory = 1ULL << 30;

// The limit of a stack, in bytes.
static const rlim_t most_stack = 8ULL << 20;

// The address space in use, in bytes; 0 if it cannot be read.
static rlim_t address_space(void) {
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "re");
  if (!file) return 0;
  if (fscanf(file, "%lu", &pages) != 1) pages = 0;
  fclose(file);
  return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

// Lowers a limit permanently.
static void lower(int resource, rlim_t most) {
  struct rlimit limit;
  if (getrlimit(resource, &limit)) return;
  if (limit.rlim_cur > most) limit.rlim_cur = most;
  limit.rlim_max = limit.rlim_cur;
  setrlimit(resource, &limit);
}

// Errors are ignored, since the service's own filter may refuse the calls; the filter of this process does not depend on these limits.
static void limit(void) {
  lower(RLIMIT_DATA, most_memory);
  lower(RLIMIT_STACK, most_stack);
  // Address space costs page tables even if no page is touched. The mappings so far (program, arena) are added to the limit.
  rlim_t mapped = address_space();
  if (mapped) lower(RLIMIT_AS, mapped + most_memory);
  lower(RLIMIT_CORE, 0);
  lower(RLIMIT_NOFILE, 0);
  prctl(PR_SET_DUMPABLE, 0);
}

// Makes the kernel end this process when its parent ends, even if this process blocks all signals.
static int end_with_parent(void) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL)) return errno;
  // The parent may have ended before this call. SO_PEERCRED returns the process that made the channel, which must still be the parent.
  struct ucred maker;
  socklen_t size = sizeof(maker);
  if (getsockopt(CSANDBOX_CHANNEL, SOL_SOCKET, SO_PEERCRED, &maker, &size)) return errno;
  return getppid() == maker.pid ? 0 : ESRCH;
}

// Makes the kernel end this worker first when memory runs out, since a worker can be restarted at once.
static void volunteer(void) {
  int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (score < 0) return;
  if (write(score, "1000", 4) < 0) { /* Best effort. */ }
  close(score);
}

unsigned csandbox_begin_filter(struct sock_filter *filter) {
  unsigned n = 0;
#define EMIT(...) filter[n++] = (struct sock_filter)__VA_ARGS__
  EMIT(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)));
  EMIT(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCH, 1, 0));
  EMIT(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
  EMIT(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
#if defined(__x86_64__)
  EMIT(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1));
  EMIT(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
#endif
#undef EMIT
  return n;
}

int csandbox_enter(void) {
  struct sock_filter filter[80];
  unsigned n = csandbox_begin_filter(filter);
#define EMIT(...) filter[n++] = (struct sock_filter)__VA_ARGS__
  for (unsigned i = 0; i < ARRAY_COUNT(allowed); i++) {
    EMIT(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed[i], 0, 1));
    EMIT(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  }
  // mprotect(2) and mmap(2) must not make memory executable; the protection is the third argument of both. New memory must be private
  // and must not grow automatically, since RLIMIT_DATA limits neither shared memory nor stacks. The arena is already mapped.
  EMIT(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_mprotect, 0, 4));
  EMIT(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])));
  EMIT(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0));
  EMIT(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  EMIT(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
  EMIT(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_mmap, 0, 6));
  EMIT(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])));
  EMIT(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 3, 0));
  EMIT(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[3])));
  EMIT(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_SHARED | MAP_GROWSDOWN, 1, 0));
  EMIT(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  EMIT(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
  // Other calls return an error instead of ending the process: libraries continue without an optional file.
  EMIT(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
#undef EMIT
  struct sock_fprog program = {.len = (unsigned short)n, .filter = filter};

  int orphaned = end_with_parent();
  if (orphaned) return orphaned;
  volunteer();
  limit();
  // Files cannot be written from here on; `volunteer` had to write one before.
  lower(RLIMIT_FSIZE, 0);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return errno;
  return install(&program);
}

uint32_t csandbox_try_forbidden(void) {
  uint32_t open_ways = 0;
  int descriptor = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
  if (descriptor >= 0) { open_ways |= 1; close(descriptor); }
  descriptor = open("/tmp", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (descriptor >= 0) { open_ways |= 2; close(descriptor); }
  int families[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK};
  for (unsigned i = 0; i < ARRAY_COUNT(families); i++) {
    descriptor = socket(families[i], SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor >= 0) { open_ways |= 4; close(descriptor); }
  }
  char *const arguments[] = {"true", NULL}, *const environment[] = {NULL};
  // An existing program would replace this process; a missing one shows by its error whether the call is refused.
  if (execve("/nonexistent", arguments, environment) && errno != EPERM) open_ways |= 8;
  long child = syscall(__NR_clone, SIGCHLD, 0, 0, 0, 0);
  if (child == 0) _exit(0);
  if (child > 0) open_ways |= 16;
  void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED) { open_ways |= 32; munmap(memory, 4096); }
  memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED && mprotect(memory, 4096, PROT_READ | PROT_EXEC) == 0) open_ways |= 32;
  memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED) { open_ways |= 1024; munmap(memory, 4096); }
  memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, -1, 0);
  if (memory != MAP_FAILED) { open_ways |= 2048; munmap(memory, 4096); }
  size_t vast = (size_t)most_memory + (16u << 20);
  memory = mmap(NULL, vast, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory != MAP_FAILED) { open_ways |= 4096; munmap(memory, vast); }
  int signal_at_end = 0;
  // The filter refuses prctl(2) entirely, since the call could change the signal.
  if (prctl(PR_GET_PDEATHSIG, &signal_at_end) == 0 || errno != EPERM) open_ways |= 8192;
  if (syscall(__NR_kill, 1, 0) == 0 || errno != EPERM) open_ways |= 64;
  if (syscall(__NR_tgkill, getpid(), syscall(__NR_gettid), 0) == 0) open_ways |= 64;
  if (syscall(__NR_process_vm_readv, getpid(), NULL, 0, NULL, 0, 0) == 0 || errno != EPERM) open_ways |= 128;
  // ptrace(2) is not tried: a filter around the service may end the process for it.
  struct msghdr message = {0};
  if (recvmsg(CSANDBOX_CHANNEL, &message, MSG_DONTWAIT | MSG_PEEK) >= 0 || errno != EPERM) open_ways |= 256;
  int waiting;
  if (ioctl(CSANDBOX_CHANNEL, FIONREAD, &waiting) == 0 || errno != EPERM) open_ways |= 512;
  return open_ways;
}

// MARK: Deadline and memory

void csandbox_deadline(unsigned seconds) {
  // SIGALRM keeps its default action, which ends the process.
  setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {.tv_sec = seconds}}, NULL);
}

void csandbox_wipe(void *memory, size_t size) { explicit_bzero(memory, size); }

void csandbox_release(int arena, int64_t offset, int64_t size) {
  fallocate(arena, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, size);
}
