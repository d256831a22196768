#ifndef CSANDBOX_H
#define CSANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// What a worker is handed at its start: these descriptors and no other but the standard three, which are /dev/null.
enum { CSANDBOX_CHANNEL = 3, CSANDBOX_ARENA = 4 };

/// A worker's ends of its daemon.
typedef struct {
  pid_t process;
  int channel;
  int arena;
} csandbox_worker;

/// Starts `path` with these arguments (`NULL` at the end) and an environment of its own, a sealed arena of `arena_size` bytes and
/// one end of a channel that keeps messages apart. 0 and `worker`, or an errno. Any thread may call it: a thread of its own, which lives
/// as long as this process, does the work, since the kernel ends a worker when the thread that started it ends.
int csandbox_spawn(const char *path, char *const arguments[], size_t arena_size, csandbox_worker *worker);

/// What a worker needs of the kernel.
enum { CSANDBOX_MEMORY = 0, CSANDBOX_CHANNEL_PAIR = 1, CSANDBOX_PROC = 2, CSANDBOX_FILTER = 3 };

/// Whether the kernel, and what confines this process, give one of these. 0, or an errno. Changes nothing.
int csandbox_probe(int need);

/// Gives up for good, in this process which must have one thread, everything but computing in the memory it can have and speaking over the
/// descriptors it holds; from then on the kernel ends it with the process that started it. 0, or an errno (ESRCH: that process is gone):
/// then nothing may be computed.
int csandbox_enter(void);

/// What csandbox_enter should have made impossible and is possible anyway, one bit each; 0 is the right answer.
/// 1 open, 2 create, 4 socket, 8 exec, 16 new process, 32 executable memory, 64 signal to others, 128 the parent's memory,
/// 256 descriptors to others, 512 ioctl, 1024 memory that no limit counts, 2048 memory that grows by itself, 4096 address space without
/// end, 8192 asking the kernel to let it outlive its parent.
uint32_t csandbox_try_forbidden(void);

/// Confines this process before it becomes `program`, an untrusted one that has to speak over the network or with a camera: it ends with the thread
/// that started it, gets no new privileges, starts no other program, reads nothing but what lies at or below the `readable` paths, reads and writes
/// the `devices` (`NULL` at the end of both), writes no other file, opens sockets of these `families` alone (the bit 1 << AF_… for each), reaches
/// no other process, and takes at most `memory` bytes, which it shares with none through memory of its own making unless it `shares`. 0, or
/// an errno, with which nothing may be started (ENOSYS, EOPNOTSUPP: the kernel has no Landlock).
int csandbox_confine(const char *program, const char *const readable[], const char *const devices[], uint64_t families, uint64_t memory,
                     bool shares);

/// Starts `path` with these arguments and this environment (`NULL` at the end of both), with one end of a stream of bytes as its standard input,
/// /dev/null for output and errors, and nothing else. 0, its number and the other end, or an errno.
int csandbox_start(const char *path, char *const arguments[], char *const environment[], pid_t *process, int *channel);

/// Ends this process if the call is not taken back (0) within `seconds`, whatever it is doing.
void csandbox_deadline(unsigned seconds);

/// Overwrites memory that held a secret; not left out by the compiler.
void csandbox_wipe(void *memory, size_t size);

/// Gives the pages of an arena from `offset` on back to the system; they read as zero afterwards.
void csandbox_release(int arena, int64_t offset, int64_t size);

#endif
