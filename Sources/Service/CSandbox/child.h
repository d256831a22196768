#ifndef CSANDBOX_CHILD_H
#define CSANDBOX_CHILD_H

#include <linux/audit.h>
#include <linux/filter.h>
#include <spawn.h>

#if defined(__x86_64__)
#define THIS_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCH AUDIT_ARCH_AARCH64
#else
#error "the filter does not know this processor's system calls"
#endif

/// Gives a child the usual signals and a group of its own: Ctrl-C on the terminal is for the daemon, which then ends its children.
void csandbox_detach(posix_spawnattr_t *attributes);

/// Writes the beginning of a filter of system calls: the number of the call is loaded, and another processor's numbers, which mean other calls as those of
/// x32 do, end the process. The number of instructions, 6 at most.
unsigned csandbox_begin_filter(struct sock_filter *filter);

#endif
