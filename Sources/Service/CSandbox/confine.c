// Starts untrusted programs that use the network or a camera, and confines them by Landlock, a filter of system calls and limits.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "child.h"
#include "csandbox.h"

#define ARRAY_COUNT(a) (sizeof(a) / sizeof((a)[0]))

// Every right of the first version of Landlock: to execute, read, write, make and remove files.
static const __u64 all_access = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE |
                                LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                                LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                                LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
                                LANDLOCK_ACCESS_FS_MAKE_SYM;

// Allows `access` to the files at or below `path`; a missing path needs no rule. Returns 0 or an errno.
static int allow(int rules, const char *path, __u64 access) {
  struct stat kind;
  int place = open(path, O_PATH | O_CLOEXEC);
  if (place < 0) return 0;
  int result = fstat(place, &kind) ? errno : 0;
  // The kernel accepts only these rights for a file.
  if (!S_ISDIR(kind.st_mode)) {
    access &= LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE;
  }
  const struct landlock_path_beneath_attr rule = {.allowed_access = access, .parent_fd = place};
  if (!result && syscall(__NR_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0)) result = errno;
  close(place);
  return result;
}

// Allows `access` for each path; the array ends with NULL.
static int allow_each(int rules, const char *const paths[], __u64 access) {
  int result = 0;
  for (size_t i = 0; paths[i] && !result; i++) result = allow(rules, paths[i], access);
  return result;
}

static int confine_files(const char *program, const char *const readable[], const char *const devices[]) {
  const struct landlock_ruleset_attr all = {.handled_access_fs = all_access};
  int rules = (int)syscall(__NR_landlock_create_ruleset, &all, sizeof all, 0);
  if (rules < 0) return errno;
  const __u64 execute = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE;
  const __u64 change = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE;
  static const char *const loaders[] = {"/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1", NULL};
  static const char *const common[] = {"/dev/null", "/dev/zero", "/dev/urandom", NULL};
  int result = allow(rules, program, execute);
  if (!result) result = allow_each(rules, loaders, execute);
  if (!result) result = allow_each(rules, common, change);
  if (!result) result = allow_each(rules, devices, change);
  if (!result) result = allow_each(rules, readable, LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR);
  if (!result && syscall(__NR_landlock_restrict_self, rules, 0)) result = errno;
  close(rules);
  return result;
}

// The refused system calls: those that reach other processes or configure the kernel. All others are allowed, because a program that
// decodes and uses the network may need any of them.
static const unsigned refused[] = {
    __NR_ptrace, __NR_process_vm_readv, __NR_process_vm_writev, __NR_kill, __NR_tkill, __NR_pidfd_open, __NR_pidfd_getfd,
    __NR_pidfd_send_signal, __NR_mount, __NR_umount2, __NR_pivot_root, __NR_chroot, __NR_unshare, __NR_setns, __NR_keyctl,
    __NR_add_key, __NR_request_key, __NR_bpf, __NR_perf_event_open, __NR_userfaultfd, __NR_kexec_load, __NR_init_module,
    __NR_finit_module, __NR_delete_module, __NR_swapon, __NR_reboot, __NR_io_uring_setup, __NR_io_uring_enter,
    __NR_io_uring_register, __NR_open_by_handle_at,
};

// The number of bits of `families`; the numbers of address families are smaller.
enum { MOST_FAMILIES = 64 };

static int confine_calls(uint64_t families) {
  struct sock_filter filter[12 + 2 * MOST_FAMILIES + 2 * ARRAY_COUNT(refused)];
  unsigned n = csandbox_begin_filter(filter);
#define EMIT(...) filter[n++] = (struct sock_filter)__VA_ARGS__
  // socket(2) is allowed only for these families, which are its first argument. socketpair(2) is allowed, since it reaches no other
  // process.
  unsigned char count = (unsigned char)__builtin_popcountll(families);
  EMIT(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_socket, 0, (unsigned char)(2 + 2 * count)));
  EMIT(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])));
  for (unsigned family = 0; family < MOST_FAMILIES; family++) {
    if (!(families >> family & 1)) continue;
    EMIT(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, family, 0, 1));
    EMIT(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  }
  EMIT(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
  for (size_t i = 0; i < ARRAY_COUNT(refused); i++) {
    EMIT(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refused[i], 0, 1));
    EMIT(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
  }
  EMIT(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
#undef EMIT
  struct sock_fprog program = {.len = (unsigned short)n, .filter = filter};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) ? errno : 0;
}

static void at_most(int resource, rlim_t most) {
  struct rlimit limit;
  if (getrlimit(resource, &limit)) return;
  if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < most) most = limit.rlim_max;
  limit.rlim_cur = limit.rlim_max = most;
  setrlimit(resource, &limit);
}

int csandbox_confine(const char *program, const char *const readable[], const char *const devices[], uint64_t families, uint64_t memory,
                     bool shares) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL)) return errno;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return errno;
  at_most(RLIMIT_CORE, 0);
  at_most(RLIMIT_NOFILE, 128);
  // RLIMIT_FSIZE also limits shared memory, which is the only regular file that the process may write.
  at_most(RLIMIT_FSIZE, shares ? (rlim_t)memory : 0);
  at_most(RLIMIT_DATA, (rlim_t)memory);
  int result = confine_files(program, readable, devices);
  return result ? result : confine_calls(families);
}

int csandbox_start(const char *path, char *const arguments[], char *const environment[], pid_t *process, int *channel) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return errno;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int result = posix_spawn_file_actions_init(&actions);
  if (!result && (result = posix_spawnattr_init(&attributes))) posix_spawn_file_actions_destroy(&actions);
  if (!result) {
    posix_spawn_file_actions_adddup2(&actions, ends[1], 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    csandbox_detach(&attributes);
    result = posix_spawn(process, path, &actions, &attributes, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  close(ends[1]);
  if (result) {
    close(ends[0]);
  } else {
    *channel = ends[0];
  }
  return result;
}
