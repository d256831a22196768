#pragma once
#include <zbar.h>

/// Makes the C stream `stderr` swallow the assertion messages that libzbar prints while it looks for DataBar; whatever
/// else is written to the stream still reaches file descriptor 2. Does its work once in a process; safe from any thread.
void czbar_quiet_assertions(void);
