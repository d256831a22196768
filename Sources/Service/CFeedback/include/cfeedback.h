#ifndef WAYMARK_CFEEDBACK_H
#define WAYMARK_CFEEDBACK_H

#include <stdint.h>

/// Plays mono samples of 16 bits on a device of ALSA, and returns when they were heard. libasound is loaded when it is wanted for the
/// first time: who wants no sound needs no library. Returns 0, minus errno, or -ENOSYS where the library is not installed.
int cfeedback_play(const char *device, const int16_t *samples, int count, int rate);

/// Opens an input device that can rumble (linux/input.h, force feedback). Returns a descriptor, minus errno, or -ENOTSUP where it
/// cannot.
int cfeedback_open_vibrator(const char *path);

/// Rumbles for so many milliseconds, and returns when that was felt. Returns 0 or minus errno.
int cfeedback_vibrate(int descriptor, int milliseconds);

#endif
