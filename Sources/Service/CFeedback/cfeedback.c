#include "cfeedback.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/input.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

// The values of <alsa/asoundlib.h> that are used here; its types stay opaque pointers.
enum { PLAYBACK = 0, INTERLEAVED = 3, S16_NATIVE = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 2 : 3, SILENT = 1 };

static struct {
  int (*open)(void **, const char *, int, int);
  int (*set_params)(void *, int, int, unsigned, unsigned, int, unsigned);
  long (*write)(void *, const void *, unsigned long);
  int (*recover)(void *, int, int);
  int (*drain)(void *);
  int (*close)(void *);
} alsa;

// Called on one thread only.
static int load(void) {
  static void *library;
  if (library) return 0;
  void *found = dlopen("libasound.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!found) return -ENOSYS;
  *(void **)&alsa.open = dlsym(found, "snd_pcm_open");
  *(void **)&alsa.set_params = dlsym(found, "snd_pcm_set_params");
  *(void **)&alsa.write = dlsym(found, "snd_pcm_writei");
  *(void **)&alsa.recover = dlsym(found, "snd_pcm_recover");
  *(void **)&alsa.drain = dlsym(found, "snd_pcm_drain");
  *(void **)&alsa.close = dlsym(found, "snd_pcm_close");
  if (!alsa.open || !alsa.set_params || !alsa.write || !alsa.recover || !alsa.drain || !alsa.close) {
    dlclose(found);
    return -ENOSYS;
  }
  library = found;
  return 0;
}

int cfeedback_play(const char *device, const int16_t *samples, int count, int rate) {
  int result = load();
  if (result < 0) return result;
  void *pcm = NULL;
  result = alsa.open(&pcm, device, PLAYBACK, 0);
  if (result < 0) return result;
  result = alsa.set_params(pcm, S16_NATIVE, INTERLEAVED, 1, (unsigned)rate, 1, 50000);
  int done = 0;
  while (result >= 0 && done < count) {
    long written = alsa.write(pcm, samples + done, (unsigned long)(count - done));
    if (written < 0) result = alsa.recover(pcm, (int)written, SILENT);
    else done += (int)written;
  }
  if (result >= 0) result = alsa.drain(pcm);
  alsa.close(pcm);
  return result < 0 ? result : 0;
}

int cfeedback_open_vibrator(const char *path) {
  int descriptor = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return -errno;
  unsigned char effects[FF_CNT / 8] = {0};
  if (ioctl(descriptor, EVIOCGBIT(EV_FF, sizeof effects), effects) < 0 || !(effects[FF_RUMBLE / 8] & (1 << FF_RUMBLE % 8))) {
    close(descriptor);
    return -ENOTSUP;
  }
  return descriptor;
}

int cfeedback_vibrate(int descriptor, int milliseconds) {
  struct ff_effect effect;
  memset(&effect, 0, sizeof effect);
  effect.type = FF_RUMBLE;
  effect.id = -1;
  effect.u.rumble.strong_magnitude = 0x6000;
  effect.u.rumble.weak_magnitude = 0x9000;
  effect.replay.length = (uint16_t)milliseconds;
  if (ioctl(descriptor, EVIOCSFF, &effect) < 0) return -errno;
  struct input_event play;
  memset(&play, 0, sizeof play);
  play.type = EV_FF;
  play.code = (uint16_t)effect.id;
  play.value = 1;
  int result = write(descriptor, &play, sizeof play) == (ssize_t)sizeof play ? 0 : -errno;
  // The device can store only a few effects, so this one is removed after it has ended.
  usleep((useconds_t)milliseconds * 1000);
  ioctl(descriptor, EVIOCRMFF, (long)effect.id);
  return result;
}
