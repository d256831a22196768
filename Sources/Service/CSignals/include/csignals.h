#ifndef WAYMARK_CSIGNALS_H
#define WAYMARK_CSIGNALS_H

/// Every command, before anything else runs: standard descriptors that were closed are filled.
///
/// What `waymark serve` does when it is told to end (SIGTERM, SIGINT) or to reload (SIGHUP), from its first instruction on. Other commands are left alone.
///
/// Until `csignals_take_over` it ends at once, with 0, and takes the socket's file away that it has made: nothing else that it does
/// while it starts has to be undone. Afterwards a byte comes out of a pipe, and whoever reads that ends it in order.

/// What runs for months holds secrets: from here on this process leaves no core file, and, unless SWIFT_BACKTRACE asks for one, no
/// backtrace with registers and the memory that they point to. A backtrace that cannot be made under a filter of system calls hangs,
/// besides. To be called when the Swift runtime has been set up, since it takes the same signals.
void csignals_leave_no_memory_behind(void);

/// How many arguments this process was started with, its own name included. Swift reads them from /proc, which may not be mounted.
int csignals_argument_count(void);

/// One of the arguments; NULL beyond the last.
const char *csignals_argument(int index);

/// From here to `csignals_release` nothing ends this process: a file is made that would be left behind.
void csignals_hold(void);

/// The file `path` was made (NULL: none was), to be removed if this process is told to end before `csignals_take_over`. Ends it now, if
/// that was asked for meanwhile.
void csignals_release(const char *path);

/// What a byte from `csignals_take_over` says.
enum { CSIGNALS_END = 1, CSIGNALS_RELOAD = 2 };

/// From now on signals come out of the descriptor that this returns, a byte each, those included that came to reload while the service
/// started; -1 in a process that is not `waymark serve`.
int csignals_take_over(void);

#endif
