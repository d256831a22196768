#ifndef WAYMARK_CSIGNALS_H
#define WAYMARK_CSIGNALS_H

/// A constructor runs before any other code. In every command it opens the standard descriptors that are closed; in `waymark serve` and
/// `waymark demo` it also handles signals: SIGTERM and SIGINT end the service, SIGHUP reloads its configuration.
///
/// Until `csignals_take_over`, SIGTERM and SIGINT end the process at once with exit status 0 and remove the socket's file if this process
/// made it; nothing else has to be undone during the start. Afterwards each signal writes a byte into a pipe, whose reader ends the service
/// or reloads its configuration.

/// Disables core files and, unless SWIFT_BACKTRACE is set, backtraces with registers and memory, which could contain secrets. A backtrace
/// would also hang under a filter of system calls. Call this function after the Swift runtime is set up, because the runtime installs
/// handlers for the same signals.
void csignals_leave_no_memory_behind(void);

/// The number of arguments of this process, its name included. Swift reads them from /proc, which may not be mounted.
int csignals_argument_count(void);

/// An argument; NULL beyond the last.
const char *csignals_argument(int index);

/// Defers SIGTERM and SIGINT until `csignals_release`. Call it before making a file that would be left behind if the process ended.
void csignals_hold(void);

/// Ends the deferral, and exits at once if a signal was deferred. The file at `path` (NULL: no file was made) is removed then, or at a
/// later signal before `csignals_take_over`.
void csignals_release(const char *path);

/// The bytes that the descriptor of `csignals_take_over` delivers: a signal that ends the service, and SIGHUP.
enum { CSIGNALS_END = 1, CSIGNALS_RELOAD = 2 };

/// Returns the descriptor from which signals are read, one byte for each, including a reload requested during the start; -1 if no pipe can
/// be made, or in a process that is neither `waymark serve` nor `waymark demo`.
int csignals_take_over(void);

#endif
