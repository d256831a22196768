#ifndef WAYMARK_CKEYBOARD_H
#define WAYMARK_CKEYBOARD_H

#include <stdint.h>
#include <xkbcommon/xkbcommon-compose.h>
#include <xkbcommon/xkbcommon.h>

/// An event of a virtual keyboard: type, code and value (linux/input.h).
struct ckeyboard_event {
  uint16_t type;
  uint16_t code;
  int32_t value;
};

/// Makes a keyboard of `/dev/uinput` (or `path`) with the keys 1 to `last_key` and the usual three lamps.
/// Returns a non-blocking descriptor, or minus errno. Closing it removes the keyboard, and the kernel releases its keys.
int ckeyboard_open(const char *path, const char *name, uint16_t last_key);

/// Writes one event. Returns 0 or minus errno.
int ckeyboard_emit(int descriptor, uint16_t type, uint16_t code, int32_t value);

/// Reads one event that the system sent to the keyboard, such as a change of a lamp. Returns 1, 0 without an event, or
/// minus errno.
int ckeyboard_read(int descriptor, struct ckeyboard_event *event);

/// Writes the name of the device's folder in /sys/devices/virtual/input, such as `input7`, to `name`. Returns 0 or minus
/// errno.
int ckeyboard_name(int descriptor, char *name, int size);

#endif
