#ifndef WAYMARK_CFEEDBACK_H
#define WAYMARK_CFEEDBACK_H

#include <stdint.h>

/// Plays `count` mono samples of 16 bits, `rate` of them a second, on an ALSA device, and returns when they have been played. The
/// first call loads libasound, so that a process without sound does not need it. Returns 0, minus errno, or -ENOSYS if the library is
/// not installed.
int cfeedback_play(const char *device, const int16_t *samples, int count, int rate);

/// Opens an input device with force feedback (linux/input.h). Returns a descriptor, minus errno, or -ENOTSUP if it cannot rumble.
int cfeedback_open_vibrator(const char *path);

/// Rumbles for `milliseconds`, and returns at the end. Returns 0 or minus errno.
int cfeedback_vibrate(int descriptor, int milliseconds);

#endif
