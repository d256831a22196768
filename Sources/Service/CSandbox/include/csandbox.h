#ifndef CSANDBOX_H
#define CSANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// The descriptors of a new worker, in addition to the standard three, which are /dev/null.
enum { CSANDBOX_CHANNEL = 3, CSANDBOX_ARENA = 4 };

/// A worker, as the daemon sees it: the process id, and the descriptors of the channel and the shared memory.
typedef struct {
  pid_t process;
  int channel;
  int arena;
} csandbox_worker;

/// Starts `path` with these arguments (`NULL` at the end), a fixed environment, a sealed arena of `arena_size` bytes and one end of a
/// channel that preserves message boundaries. Returns 0 and `worker`, or an errno. Any thread may call it. A thread that lives as long as
/// this process starts the worker, because the kernel ends a worker when the thread that started it ends.
int csandbox_spawn(const char *path, char *const arguments[], size_t arena_size, csandbox_worker *worker);

/// Features of the kernel that a worker needs.
enum { CSANDBOX_MEMORY = 0, CSANDBOX_CHANNEL_PAIR = 1, CSANDBOX_PROC = 2, CSANDBOX_FILTER = 3 };

/// Returns 0 if this process can use one of these features, or an errno. Changes nothing.
int csandbox_probe(int need);

/// Permanently restricts this process, which must have one thread, to its memory and its open descriptors; from then on the kernel ends the
/// process when its parent ends. Returns 0, or an errno (ESRCH: the parent has ended). On an error the process must not handle any input.
int csandbox_enter(void);

/// Tries each action that csandbox_enter forbids, and returns a bit for each that succeeds; 0 if all are refused. The bits are: 1 opening a
/// file, 2 creating a file, 4 a socket, 8 executing a program, 16 a new process, 32 executable memory, 64 a signal, 128 reading another
/// process's memory, 256 recvmsg(2), which receives descriptors, 512 ioctl(2), 1024 shared memory, to which no limit applies, 2048 memory
/// that grows automatically, 4096 unlimited address space, 8192 prctl(2), which could change the signal at the end of the parent.
uint32_t csandbox_try_forbidden(void);

/// Confines this process before it executes `program`, an untrusted program that uses the network or a camera. From then on the process ends
/// with the thread that started it, gets no new privileges, executes no other program, reads only files at or below the `readable` paths,
/// reads and writes the `devices` (both arrays end with `NULL`), writes no other file, opens only sockets of these `families` (bit number
/// AF_… for each), reaches no other process, and uses at most `memory` bytes; it may make shared memory only if `shares` is true. Returns 0,
/// or an errno (ENOSYS, EOPNOTSUPP: the kernel has no Landlock). On an error the program must not be executed.
int csandbox_confine(const char *program, const char *const readable[], const char *const devices[], uint64_t families, uint64_t memory,
                     bool shares);

/// Starts `path` with these arguments and this environment (`NULL` at the end of both), with one end of a stream socket as standard input,
/// /dev/null as output and errors, and no other descriptor. Returns 0 and sets `process` and, to the other end of the socket, `channel`; or
/// returns an errno.
int csandbox_start(const char *path, char *const arguments[], char *const environment[], pid_t *process, int *channel);

/// Ends this process after `seconds`. Another call replaces this deadline; 0 cancels it.
void csandbox_deadline(unsigned seconds);

/// Overwrites memory that held a secret; the compiler does not remove the call.
void csandbox_wipe(void *memory, size_t size);

/// Returns the memory of `size` bytes of an arena, from `offset` on, to the system. The bytes read as zero afterwards.
void csandbox_release(int arena, int64_t offset, int64_t size);

#endif
