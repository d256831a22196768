// Shared by the two kinds of children: the workers of csandbox.c and the confined programs of confine.c.

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
#error "the filter has no list of this processor's system calls"
#endif

/// Sets a child's signals to their defaults and starts it in its own process group, so that Ctrl-C on the terminal reaches only the
/// daemon, which ends its children.
void csandbox_detach(posix_spawnattr_t *attributes);

/// Writes the first instructions of a filter of system calls: they load the number of the call, and end the process if the call is
/// one of another architecture or of x32, whose numbers mean other calls. Returns the number of these instructions, at most 6.
unsigned csandbox_begin_filter(struct sock_filter *filter);

#endif
