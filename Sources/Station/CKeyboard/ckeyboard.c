#include "ckeyboard.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/uinput.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int prepare(int descriptor, const char *name, uint16_t last_key) {
  static const int types[] = {EV_KEY, EV_LED};
  static const int lamps[] = {LED_NUML, LED_CAPSL, LED_SCROLLL};
  for (unsigned i = 0; i < sizeof types / sizeof *types; i++)
    if (ioctl(descriptor, UI_SET_EVBIT, types[i]) < 0) return -1;
  for (int key = 1; key <= last_key; key++)
    if (ioctl(descriptor, UI_SET_KEYBIT, key) < 0) return -1;
  for (unsigned i = 0; i < sizeof lamps / sizeof *lamps; i++)
    if (ioctl(descriptor, UI_SET_LEDBIT, lamps[i]) < 0) return -1;
  struct uinput_setup setup;
  memset(&setup, 0, sizeof setup);
  setup.id.bustype = BUS_VIRTUAL;
  // Waymark has no vendor number; programs recognise the keyboard by its name.
  setup.id.vendor = 0;
  setup.id.product = 1;
  setup.id.version = 1;
  strncpy(setup.name, name, sizeof setup.name - 1);
  if (ioctl(descriptor, UI_DEV_SETUP, &setup) < 0) return -1;
  return ioctl(descriptor, UI_DEV_CREATE);
}

int ckeyboard_open(const char *path, const char *name, uint16_t last_key) {
  int descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return -errno;
  if (prepare(descriptor, name, last_key) < 0) {
    int saved = errno;
    close(descriptor);
    return -saved;
  }
  return descriptor;
}

int ckeyboard_emit(int descriptor, uint16_t type, uint16_t code, int32_t value) {
  struct input_event event;
  memset(&event, 0, sizeof event);
  event.type = type;
  event.code = code;
  event.value = value;
  ssize_t count;
  do {
    count = write(descriptor, &event, sizeof event);
  } while (count < 0 && errno == EINTR);
  if (count == (ssize_t)sizeof event) return 0;
  return count < 0 ? -errno : -EIO;
}

int ckeyboard_read(int descriptor, struct ckeyboard_event *event) {
  struct input_event raw;
  ssize_t count;
  do {
    count = read(descriptor, &raw, sizeof raw);
  } while (count < 0 && errno == EINTR);
  if (count < 0) return errno == EAGAIN ? 0 : -errno;
  if (count != (ssize_t)sizeof raw) return -ENODEV;
  event->type = raw.type;
  event->code = raw.code;
  event->value = raw.value;
  return 1;
}

int ckeyboard_name(int descriptor, char *name, int size) {
  return ioctl(descriptor, UI_GET_SYSNAME(size), name) < 0 ? -errno : 0;
}
