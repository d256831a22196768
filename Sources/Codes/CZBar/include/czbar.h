#pragma once
#include <zbar.h>

/// Replaces the C stream `stderr` by one that drops the assertion messages that libzbar prints while it looks for
/// DataBar, and forwards all other output to file descriptor 2. Installs the stream once per process; safe on any
/// thread.
void czbar_quiet_assertions(void);
