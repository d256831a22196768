// A V4L2 camera without a kernel module: a FUSE file `video0` that answers the requests of a streaming capture device
// (FUSE_IOCTL), wakes pollers (FUSE_POLL), and whose shared mappings show the frames (the page cache of the file, filled by
// notify_store). Unmodified libv4l2 streams from it. Needs root and /dev/fuse.
//
// One file, so that tests compile it with one line of cc; its parts (file system, requests of the device,
// sensor, commands) share one state under one lock.
//
//   fusecam [-r RATE] [-s WIDTHxHEIGHT] [-b BUS] [-y FRAMES.yuyv] MOUNTPOINT FRAME.jpg...
//
// BUS is the bus that it reports, `fuse-0` by default: it identifies the camera.
//
// It says "ready" on standard output when it is mounted, and takes commands on standard input, one a line, each answered
// by a line "ok":
//   unplug        the node goes; programs that have it open get ENODEV and POLLERR|POLLHUP
//   plug          it is back, as a new node
//   freeze, go    frames stop silently, and come again
//   error         the next frame carries V4L2_BUF_FLAG_ERROR
//   truncate N    the next N frames end after a third
//   stale         every frame is followed by bytes of an older one
//   refuse-queue  the next QBUF fails with EINVAL
//   fatal         the stream fails: EIO until the node is reopened
//   rate N        frames a second
//   burst N       N frames as fast as buffers are queued, none left out (for counting)
//   busy, free    another program holds the device: S_FMT and REQBUFS give EBUSY
//   lie, honest   S_FMT silently gives YUYV in place of any other format, and the requested one again
//   load N FILE   frame N is this picture from now on
//   controls      answers "controls 128 1 3 0 0" in place of "ok": brightness, power line frequency, exposure, light, focus
//   stats         answers "frames N dropped N opens N" in place of "ok"
//   quit
#define FUSE_USE_VERSION 35
#include <errno.h>
#include <fuse_lowlevel.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <time.h>
#include <unistd.h>

enum { MAX_BUFFERS = 8, MAX_PICTURES = 256, ROOT_INODE = 1, CONTROLS = 5, RETIRED = 16 };

typedef struct {
  char *bytes;
  size_t size;
} picture;

/// A control as the camera keeps it.
typedef struct {
  uint32_t id;
  uint32_t type;
  const char *name;
  int minimum, maximum, step, initial, value;
} control;

/// A program that has the node open. Its number is the FUSE file handle; the camera streams for one at a time.
typedef struct opener {
  fuse_ino_t inode;  // the node it opened: unplugged nodes stay dead
  bool failed;       // after a fatal error, until it opens again
} opener;

static struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  struct fuse_session *session;
  const char *mountpoint, *bus;
  int width, height;
  size_t buffer_size;
  picture jpeg[MAX_PICTURES];
  int jpegs;
  char *retired[RETIRED];  // bytes of replaced pictures, which the sensor may still be looking at
  unsigned replaced;
  picture raw;
  double rate;

  // The device.
  bool plugged;
  fuse_ino_t inode;  // of the node now; a new one each time it is plugged in
  opener *owner;     // who has buffers
  uint32_t format;
  bool streaming;
  struct v4l2_buffer buffers[MAX_BUFFERS];
  int buffer_count;
  int queue[MAX_BUFFERS], queued;  // filled next, in order
  int done[MAX_BUFFERS], ready;    // filled, to be taken
  uint32_t sequence;
  struct fuse_pollhandle *poller;
  control controls[CONTROLS];

  // Faults.
  bool frozen, flag_error, stale, refuse_queue, busy, lie;
  int truncate;
  long burst;

  unsigned long frames, dropped, opens;
} cam = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .changed = PTHREAD_COND_INITIALIZER,
    .width = 640,
    .height = 480,
    .rate = 30,
    .bus = "fuse-0",
    .plugged = true,
    .inode = ROOT_INODE + 1,
    .format = V4L2_PIX_FMT_MJPEG,
    .controls = {{V4L2_CID_BRIGHTNESS, V4L2_CTRL_TYPE_INTEGER, "Brightness", 0, 255, 1, 128, 128},
                 {V4L2_CID_POWER_LINE_FREQUENCY, V4L2_CTRL_TYPE_MENU, "Power Line Frequency", 0, 2, 1, 1, 1},
                 {V4L2_CID_EXPOSURE_AUTO, V4L2_CTRL_TYPE_MENU, "Auto Exposure", 0, 3, 1, 3, 3},
                 {V4L2_CID_FLASH_LED_MODE, V4L2_CTRL_TYPE_MENU, "LED Mode", 0, 2, 1, 0, 0},
                 {V4L2_CID_FOCUS_ABSOLUTE, V4L2_CTRL_TYPE_INTEGER, "Focus, Absolute", 0, 250, 5, 0, 0}},
};

// ---- The file system: a folder with one file, as long as the camera is plugged in.

static void describe(fuse_ino_t inode, struct stat *info) {
  memset(info, 0, sizeof *info);
  info->st_ino = inode;
  if (inode == ROOT_INODE) {
    info->st_mode = S_IFDIR | 0755;
    info->st_nlink = 2;
  } else {
    info->st_mode = S_IFREG | 0666;
    info->st_nlink = 1;
    info->st_size = (off_t)(MAX_BUFFERS * cam.buffer_size);
  }
}

static void on_getattr(fuse_req_t request, fuse_ino_t inode, struct fuse_file_info *file) {
  (void)file;
  struct stat info;
  describe(inode, &info);
  fuse_reply_attr(request, &info, 0);
}

static void on_setattr(fuse_req_t request, fuse_ino_t inode, struct stat *info, int what, struct fuse_file_info *file) {
  (void)info, (void)what;
  on_getattr(request, inode, file);
}

static void on_lookup(fuse_req_t request, fuse_ino_t parent, const char *name) {
  pthread_mutex_lock(&cam.lock);
  bool there = cam.plugged && parent == ROOT_INODE && strcmp(name, "video0") == 0;
  fuse_ino_t inode = cam.inode;
  pthread_mutex_unlock(&cam.lock);
  if (!there) {
    fuse_reply_err(request, ENOENT);
    return;
  }
  struct fuse_entry_param entry = {.ino = inode};
  describe(inode, &entry.attr);
  fuse_reply_entry(request, &entry);
}

static void on_readdir(fuse_req_t request, fuse_ino_t inode, size_t size, off_t offset, struct fuse_file_info *file) {
  (void)inode, (void)file;
  char entry[256];
  size_t used = 0;
  pthread_mutex_lock(&cam.lock);
  if (offset == 0 && cam.plugged) {
    struct stat info;
    describe(cam.inode, &info);
    used = fuse_add_direntry(request, entry, sizeof entry, "video0", &info, 1);
  }
  pthread_mutex_unlock(&cam.lock);
  fuse_reply_buf(request, entry, used < size ? used : size);
}

static void on_open(fuse_req_t request, fuse_ino_t inode, struct fuse_file_info *file) {
  pthread_mutex_lock(&cam.lock);
  bool there = cam.plugged && inode == cam.inode;
  if (there) cam.opens++;
  pthread_mutex_unlock(&cam.lock);
  opener *me = there ? calloc(1, sizeof *me) : NULL;
  if (!me) {
    fuse_reply_err(request, ENODEV);
    return;
  }
  me->inode = inode;
  file->fh = (uintptr_t)me;
  file->keep_cache = 1;
  fuse_reply_open(request, file);
}

static void stop_stream(void) {
  cam.streaming = false;
  cam.queued = cam.ready = 0;
  for (int i = 0; i < MAX_BUFFERS; i++) cam.buffers[i].flags &= ~(V4L2_BUF_FLAG_QUEUED | V4L2_BUF_FLAG_DONE);
}

static void free_buffers(void) {
  stop_stream();
  cam.buffer_count = 0;
  cam.owner = NULL;
}

static void on_release(fuse_req_t request, fuse_ino_t inode, struct fuse_file_info *file) {
  (void)inode;
  opener *me = (opener *)(uintptr_t)file->fh;
  pthread_mutex_lock(&cam.lock);
  if (cam.owner == me) free_buffers();
  pthread_mutex_unlock(&cam.lock);
  free(me);
  fuse_reply_err(request, 0);
}

// The kernel reads pages that no frame has filled yet, and writes back what a program scribbled on.
static void on_read(fuse_req_t request, fuse_ino_t inode, size_t size, off_t offset, struct fuse_file_info *file) {
  (void)inode, (void)offset, (void)file;
  char *zeros = calloc(1, size);
  if (zeros) fuse_reply_buf(request, zeros, size);
  else fuse_reply_err(request, ENOMEM);
  free(zeros);
}

static void on_write(fuse_req_t request, fuse_ino_t inode, const char *bytes, size_t size, off_t offset,
                     struct fuse_file_info *file) {
  (void)inode, (void)bytes, (void)offset, (void)file;
  fuse_reply_write(request, size);
}

static void on_flush(fuse_req_t request, fuse_ino_t inode, struct fuse_file_info *file) {
  (void)inode, (void)file;
  fuse_reply_err(request, 0);
}

static void on_fsync(fuse_req_t request, fuse_ino_t inode, int data_only, struct fuse_file_info *file) {
  (void)inode, (void)data_only, (void)file;
  fuse_reply_err(request, 0);
}

static void on_poll(fuse_req_t request, fuse_ino_t inode, struct fuse_file_info *file, struct fuse_pollhandle *handle) {
  (void)inode;
  opener *me = (opener *)(uintptr_t)file->fh;
  pthread_mutex_lock(&cam.lock);
  if (handle) {
    if (cam.poller) fuse_pollhandle_destroy(cam.poller);
    cam.poller = handle;
  }
  unsigned events;
  if (!cam.plugged || me->inode != cam.inode) events = POLLERR | POLLHUP;
  else if (me->failed || cam.owner != me || !cam.streaming) events = POLLERR;
  else events = cam.ready > 0 ? POLLIN | POLLRDNORM : 0;
  pthread_mutex_unlock(&cam.lock);
  fuse_reply_poll(request, events);
}

/// Wakes the program that polls. Without the lock: the kernel asks on_poll before this returns.
static void wake_poller(void) {
  pthread_mutex_lock(&cam.lock);
  struct fuse_pollhandle *handle = cam.poller;
  cam.poller = NULL;
  pthread_mutex_unlock(&cam.lock);
  if (!handle) return;
  fuse_lowlevel_notify_poll(handle);
  fuse_pollhandle_destroy(handle);
}

// ---- The requests of a capture device. Each gets the request's struct and answers 0 or an errno; called with the lock.

typedef union {
  struct v4l2_capability capability;
  struct v4l2_fmtdesc description;
  struct v4l2_format format;
  struct v4l2_frmsizeenum size;
  struct v4l2_frmivalenum interval;
  struct v4l2_streamparm parameters;
  struct v4l2_input input;
  struct v4l2_requestbuffers request;
  struct v4l2_buffer buffer;
  struct v4l2_queryctrl query;
  struct v4l2_querymenu menu;
  struct v4l2_control control;
  int number;
  char bytes[4096];
} argument;

static void put(void *field, const char *text) { strcpy(field, text); }

static int querycap(struct v4l2_capability *answer) {
  put(answer->driver, "fusecam");
  put(answer->card, "FUSE camera");
  snprintf((char *)answer->bus_info, sizeof answer->bus_info, "%s", cam.bus);
  answer->version = 0x60100;
  answer->device_caps = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING | V4L2_CAP_EXT_PIX_FORMAT;
  answer->capabilities = answer->device_caps | V4L2_CAP_DEVICE_CAPS;
  return 0;
}

static int enumerate_format(struct v4l2_fmtdesc *it) {
  uint32_t count = cam.raw.bytes ? 2 : 1;
  if (it->type != V4L2_BUF_TYPE_VIDEO_CAPTURE || it->index >= count) return EINVAL;
  it->pixelformat = it->index ? V4L2_PIX_FMT_YUYV : V4L2_PIX_FMT_MJPEG;
  it->flags = it->index ? 0 : V4L2_FMT_FLAG_COMPRESSED;
  put(it->description, it->index ? "YUYV 4:2:2" : "Motion-JPEG");
  return 0;
}

static int enumerate_size(struct v4l2_frmsizeenum *it) {
  if (it->index) return EINVAL;
  it->type = V4L2_FRMSIZE_TYPE_DISCRETE;
  it->discrete.width = cam.width;
  it->discrete.height = cam.height;
  return 0;
}

static int enumerate_interval(struct v4l2_frmivalenum *it) {
  if (it->index || (int)it->width != cam.width || (int)it->height != cam.height) return EINVAL;
  it->type = V4L2_FRMIVAL_TYPE_DISCRETE;
  it->discrete = (struct v4l2_fract){100, (uint32_t)(cam.rate * 100)};
  return 0;
}

/// Makes of a wanted format the nearest that there is, as drivers do.
static void settle(struct v4l2_format *it) {
  uint32_t wanted = it->fmt.pix.pixelformat;
  bool raw = cam.raw.bytes && (wanted == V4L2_PIX_FMT_YUYV || cam.lie);
  it->fmt.pix = (struct v4l2_pix_format){
      .width = cam.width,
      .height = cam.height,
      .pixelformat = raw ? V4L2_PIX_FMT_YUYV : V4L2_PIX_FMT_MJPEG,
      .field = V4L2_FIELD_NONE,
      .bytesperline = raw ? 2 * cam.width : 0,
      .sizeimage = cam.buffer_size,
      .colorspace = V4L2_COLORSPACE_SRGB,
  };
}

static int format(unsigned command, struct v4l2_format *it) {
  if (it->type != V4L2_BUF_TYPE_VIDEO_CAPTURE) return EINVAL;
  if (command == VIDIOC_S_FMT && (cam.busy || cam.buffer_count)) return EBUSY;
  if (command == VIDIOC_G_FMT) it->fmt.pix.pixelformat = cam.format;
  settle(it);
  if (command == VIDIOC_S_FMT) cam.format = it->fmt.pix.pixelformat;
  return 0;
}

static int parameters(struct v4l2_streamparm *it) {
  it->parm.capture.capability = V4L2_CAP_TIMEPERFRAME;
  it->parm.capture.timeperframe = (struct v4l2_fract){100, (uint32_t)(cam.rate * 100)};
  return 0;
}

static int input(unsigned command, argument *it) {
  if (command == VIDIOC_G_INPUT) it->number = 0;
  if (command == VIDIOC_S_INPUT) return it->number ? EINVAL : 0;
  if (command != VIDIOC_ENUMINPUT) return 0;
  if (it->input.index) return EINVAL;
  put(it->input.name, "Camera 1");
  it->input.type = V4L2_INPUT_TYPE_CAMERA;
  return 0;
}

static int request_buffers(struct v4l2_requestbuffers *it, opener *me) {
  if (cam.busy || (cam.owner && cam.owner != me)) return EBUSY;
  if (it->memory != V4L2_MEMORY_MMAP || it->type != V4L2_BUF_TYPE_VIDEO_CAPTURE) return EINVAL;
  stop_stream();
  cam.buffer_count = it->count = it->count > MAX_BUFFERS ? MAX_BUFFERS : it->count;
  cam.owner = cam.buffer_count ? me : NULL;
  for (int i = 0; i < cam.buffer_count; i++)
    cam.buffers[i] = (struct v4l2_buffer){
        .index = i,
        .type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
        .memory = V4L2_MEMORY_MMAP,
        .length = cam.buffer_size,
        .m.offset = i * cam.buffer_size,
        .field = V4L2_FIELD_NONE,
        .flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC,
    };
  return 0;
}

static int queue_buffer(struct v4l2_buffer *it) {
  if (cam.refuse_queue) {
    cam.refuse_queue = false;
    return EINVAL;
  }
  if (it->index >= (unsigned)cam.buffer_count || cam.buffers[it->index].flags & V4L2_BUF_FLAG_QUEUED) return EINVAL;
  cam.buffers[it->index].flags |= V4L2_BUF_FLAG_QUEUED;
  cam.queue[cam.queued++] = it->index;
  *it = cam.buffers[it->index];
  pthread_cond_signal(&cam.changed);
  return 0;
}

// Always as if opened without blocking: FUSE does not pass the flag on with a request.
static int take_buffer(struct v4l2_buffer *it) {
  if (!cam.streaming) return EINVAL;
  if (!cam.ready) return EAGAIN;
  struct v4l2_buffer *buffer = &cam.buffers[cam.done[0]];
  memmove(cam.done, cam.done + 1, --cam.ready * sizeof *cam.done);
  buffer->flags &= ~V4L2_BUF_FLAG_DONE;
  *it = *buffer;
  buffer->flags &= ~V4L2_BUF_FLAG_ERROR;
  return 0;
}

static control *find_control(uint32_t id) {
  for (int i = 0; i < CONTROLS; i++)
    if (cam.controls[i].id == id) return &cam.controls[i];
  return NULL;
}

static int query_control(struct v4l2_queryctrl *it) {
  control *found = NULL;
  if (it->id & V4L2_CTRL_FLAG_NEXT_CTRL) {
    uint32_t after = it->id & ~V4L2_CTRL_FLAG_NEXT_CTRL;
    for (int i = 0; i < CONTROLS; i++)
      if (cam.controls[i].id > after && (!found || cam.controls[i].id < found->id)) found = &cam.controls[i];
  } else {
    found = find_control(it->id);
  }
  if (!found) return EINVAL;
  *it = (struct v4l2_queryctrl){.id = found->id,
                                .type = found->type,
                                .minimum = found->minimum,
                                .maximum = found->maximum,
                                .step = found->step,
                                .default_value = found->initial};
  put(it->name, found->name);
  return 0;
}

static int query_menu(struct v4l2_querymenu *it) {
  static const char *const lines[] = {"Disabled", "50 Hz", "60 Hz"}, *const modes[] = {"None", "Flash", "Torch"};
  if (it->id == V4L2_CID_EXPOSURE_AUTO) {
    // As USB cameras have it: with gaps.
    if (it->index != 1 && it->index != 3) return EINVAL;
    put(it->name, it->index == 1 ? "Manual Mode" : "Aperture Priority Mode");
    return 0;
  }
  if (it->index > 2) return EINVAL;
  if (it->id == V4L2_CID_POWER_LINE_FREQUENCY) put(it->name, lines[it->index]);
  else if (it->id == V4L2_CID_FLASH_LED_MODE) put(it->name, modes[it->index]);
  else return EINVAL;
  return 0;
}

static int set_control(struct v4l2_control *it, bool set) {
  control *found = find_control(it->id);
  if (!found) return EINVAL;
  if (set && (it->value < found->minimum || it->value > found->maximum)) return ERANGE;
  if (set) found->value = it->value;
  it->value = found->value;
  return 0;
}

static int answer(unsigned command, argument *it, opener *me) {
  if (!cam.plugged || me->inode != cam.inode) return ENODEV;
  // Stream requests of one who does not stream, and of one whose stream has failed.
  bool streams = command == VIDIOC_QUERYBUF || command == VIDIOC_QBUF || command == VIDIOC_DQBUF;
  if (streams && me->failed) return EIO;
  if (streams && cam.owner != me) return EINVAL;
  switch (command) {
    case VIDIOC_QUERYCAP: return querycap(&it->capability);
    case VIDIOC_ENUM_FMT: return enumerate_format(&it->description);
    case VIDIOC_ENUM_FRAMESIZES: return enumerate_size(&it->size);
    case VIDIOC_ENUM_FRAMEINTERVALS: return enumerate_interval(&it->interval);
    case VIDIOC_G_FMT:
    case VIDIOC_S_FMT:
    case VIDIOC_TRY_FMT: return format(command, &it->format);
    case VIDIOC_G_PARM:
    case VIDIOC_S_PARM: return parameters(&it->parameters);
    case VIDIOC_ENUMINPUT:
    case VIDIOC_G_INPUT:
    case VIDIOC_S_INPUT: return input(command, it);
    case VIDIOC_REQBUFS: return request_buffers(&it->request, me);
    case VIDIOC_QUERYBUF:
      if (it->buffer.index >= (unsigned)cam.buffer_count) return EINVAL;
      it->buffer = cam.buffers[it->buffer.index];
      return 0;
    case VIDIOC_QBUF: return queue_buffer(&it->buffer);
    case VIDIOC_DQBUF: return take_buffer(&it->buffer);
    case VIDIOC_STREAMON:
      if (me->failed) return EIO;
      if (cam.owner != me) return EINVAL;
      cam.streaming = true;
      cam.sequence = 0;
      pthread_cond_signal(&cam.changed);
      return 0;
    case VIDIOC_STREAMOFF:
      if (cam.owner == me) stop_stream();
      return 0;
    case VIDIOC_QUERYCTRL: return query_control(&it->query);
    case VIDIOC_QUERYMENU: return query_menu(&it->menu);
    case VIDIOC_G_CTRL: return set_control(&it->control, false);
    case VIDIOC_S_CTRL: return set_control(&it->control, true);
    default: return ENOTTY;
  }
}

static void on_ioctl(fuse_req_t request, fuse_ino_t inode, unsigned command, void *pointer,
                     struct fuse_file_info *file, unsigned flags, const void *in, size_t in_size, size_t out_size) {
  (void)inode, (void)pointer, (void)flags;
  argument it;
  memset(&it, 0, sizeof it);
  if (in_size > sizeof it || out_size > sizeof it) {
    fuse_reply_err(request, EINVAL);
    return;
  }
  if (in_size) memcpy(&it, in, in_size);
  pthread_mutex_lock(&cam.lock);
  int error = answer(command, &it, (opener *)(uintptr_t)file->fh);
  pthread_mutex_unlock(&cam.lock);
  if (error) fuse_reply_err(request, error);
  else fuse_reply_ioctl(request, 0, out_size ? &it : NULL, out_size);
}

// ---- The sensor: a frame each interval, into the next queued buffer.

/// Puts a frame into the memory that programs have mapped.
static void store(int index, const char *bytes, size_t size, size_t offset) {
  struct fuse_bufvec vector = FUSE_BUFVEC_INIT(size);
  vector.buf[0].mem = (void *)bytes;
  fuse_lowlevel_notify_store(cam.session, cam.inode, (off_t)(index * cam.buffer_size + offset), &vector, 0);
}

static size_t expose(int index, unsigned long number, picture jpeg, uint32_t pixel_format, bool cut, bool stale) {
  if (pixel_format != V4L2_PIX_FMT_MJPEG) {
    store(index, cam.raw.bytes + number % (cam.raw.size / cam.buffer_size) * cam.buffer_size, cam.buffer_size, 0);
    return cut ? cam.buffer_size / 3 : cam.buffer_size;
  }
  picture *it = &jpeg;
  // Whole pages: the kernel would have to read the rest of a page that is filled in part. The memory is padded.
  store(index, it->bytes, (it->size + 4095) & ~4095ul, 0);
  if (cut) return it->size / 3;
  if (!stale) return it->size;
  size_t tail = it->size / 4, room = cam.buffer_size - it->size;
  if (tail > room) tail = room;
  store(index, it->bytes + it->size - tail, tail, it->size);
  return it->size + tail;
}

static void *run_sensor(void *unused) {
  (void)unused;
  struct timespec due;
  clock_gettime(CLOCK_MONOTONIC, &due);
  for (unsigned long number = 0;; number++) {
    pthread_mutex_lock(&cam.lock);
    bool bursting = cam.burst > 0;
    if (bursting) {
      while (cam.plugged && !(cam.streaming && cam.queued)) pthread_cond_wait(&cam.changed, &cam.lock);
      cam.burst--;
    }
    double rate = cam.rate;
    pthread_mutex_unlock(&cam.lock);
    if (!bursting) {
      long step = (long)(1e9 / rate);
      due.tv_nsec += step % 1000000000;
      due.tv_sec += step / 1000000000;
      if (due.tv_nsec >= 1000000000) due.tv_sec++, due.tv_nsec -= 1000000000;
      struct timespec now;
      clock_gettime(CLOCK_MONOTONIC, &now);
      // After a burst, or a pause of the machine: from now on again.
      if (now.tv_sec > due.tv_sec + 1) due = now;
      clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
    }

    pthread_mutex_lock(&cam.lock);
    int index = -1;
    if (cam.plugged && !cam.frozen && cam.streaming) {
      cam.sequence++;
      if (cam.queued) {
        index = cam.queue[0];
        memmove(cam.queue, cam.queue + 1, --cam.queued * sizeof *cam.queue);
      } else {
        cam.dropped++;
      }
    }
    uint32_t pixel_format = cam.format;
    bool cut = cam.truncate > 0;
    if (index >= 0 && cut) cam.truncate--;
    bool stale = cam.stale;
    picture jpeg = cam.jpeg[number % cam.jpegs];
    pthread_mutex_unlock(&cam.lock);
    if (index < 0) continue;

    // Without the lock: the kernel may have to ask us for a page while it stores.
    size_t used = expose(index, number, jpeg, pixel_format, cut, stale);

    pthread_mutex_lock(&cam.lock);
    if (cam.streaming) {
      struct timespec now;
      clock_gettime(CLOCK_MONOTONIC, &now);
      struct v4l2_buffer *buffer = &cam.buffers[index];
      buffer->bytesused = used;
      buffer->sequence = cam.sequence - 1;
      buffer->timestamp.tv_sec = now.tv_sec;
      buffer->timestamp.tv_usec = now.tv_nsec / 1000;
      buffer->flags = (buffer->flags & ~V4L2_BUF_FLAG_QUEUED) | V4L2_BUF_FLAG_DONE;
      if (cam.flag_error) buffer->flags |= V4L2_BUF_FLAG_ERROR;
      cam.flag_error = false;
      cam.done[cam.ready++] = index;
      cam.frames++;
    }
    pthread_mutex_unlock(&cam.lock);
    wake_poller();
  }
  return NULL;
}

// ---- Commands.

static picture load(const char *path);

/// Puts another picture in the place of one. With the lock.
static void replace(int number, picture new) {
  char **slot = &cam.retired[cam.replaced++ % RETIRED];
  free(*slot);
  *slot = cam.jpeg[number].bytes;
  cam.jpeg[number] = new;
}

static void obey(const char *line) {
  char word[32] = "", path[200] = "";
  double number = 0;
  sscanf(line, "%31s %lf %199s", word, &number, path);
  char reply[128] = "ok";
  bool loads = !strcmp(word, "load");
  picture new = {0};
  if (loads) new = load(path);
  pthread_mutex_lock(&cam.lock);
  bool known = true;
  if (!strcmp(word, "unplug")) {
    cam.plugged = false;
    free_buffers();
    pthread_cond_signal(&cam.changed);
  } else if (!strcmp(word, "plug")) {
    if (!cam.plugged) cam.inode++;
    cam.plugged = true;
    cam.frozen = false;
  } else if (!strcmp(word, "freeze")) cam.frozen = true;
  else if (!strcmp(word, "go")) cam.frozen = false;
  else if (!strcmp(word, "error")) cam.flag_error = true;
  else if (!strcmp(word, "truncate")) cam.truncate = (int)number;
  else if (!strcmp(word, "stale")) cam.stale = true;
  else if (!strcmp(word, "refuse-queue")) cam.refuse_queue = true;
  else if (!strcmp(word, "fatal")) {
    if (cam.owner) cam.owner->failed = true;
    stop_stream();
  } else if (!strcmp(word, "rate") && number > 0) cam.rate = number;
  else if (!strcmp(word, "burst")) cam.burst = (long)number;
  else if (!strcmp(word, "busy")) cam.busy = true;
  else if (!strcmp(word, "free")) cam.busy = false;
  else if (!strcmp(word, "lie")) cam.lie = true;
  else if (!strcmp(word, "honest")) cam.lie = false;
  else if (loads && number >= 0 && number < cam.jpegs && new.size <= cam.buffer_size - 8192) replace((int)number, new);
  else if (!strcmp(word, "controls"))
    snprintf(reply, sizeof reply, "controls %d %d %d %d %d", cam.controls[0].value, cam.controls[1].value,
             cam.controls[2].value, cam.controls[3].value, cam.controls[4].value);
  else if (!strcmp(word, "stats"))
    snprintf(reply, sizeof reply, "frames %lu dropped %lu opens %lu", cam.frames, cam.dropped, cam.opens);
  else known = false;
  bool gone = !cam.plugged;
  pthread_mutex_unlock(&cam.lock);
  wake_poller();
  // The kernel caches names: this one has to be invalidated.
  if (gone) fuse_lowlevel_notify_inval_entry(cam.session, ROOT_INODE, "video0", 6);
  printf("%s\n", known ? reply : "unknown command");
  fflush(stdout);
}

static void *run_commands(void *unused) {
  (void)unused;
  char line[256];
  while (fgets(line, sizeof line, stdin) && strncmp(line, "quit", 4) != 0) obey(line);
  // The program that started the camera has closed it or died. Ended at once: the loop would wait for ever where a copy of the
  // mount lives on in another mount namespace, and the end of this process ends those too.
  umount2(cam.mountpoint, MNT_DETACH);
  _exit(0);
}

// ---- Start.

static picture load(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) {
    perror(path);
    exit(66);
  }
  fseek(file, 0, SEEK_END);
  picture it = {.size = (size_t)ftell(file)};
  rewind(file);
  // Padded: frames are stored in whole pages.
  it.bytes = calloc(1, it.size + 8192);
  if (!it.bytes || fread(it.bytes, 1, it.size, file) != it.size) exit(66);
  fclose(file);
  return it;
}

int main(int count, char **arguments) {
  const char *raw = NULL;
  int option;
  while ((option = getopt(count, arguments, "r:s:b:y:")) != -1) {
    if (option == 'r') cam.rate = atof(optarg);
    else if (option == 's') sscanf(optarg, "%dx%d", &cam.width, &cam.height);
    else if (option == 'b') cam.bus = optarg;
    else if (option == 'y') raw = optarg;
    else return 64;
  }
  if (count - optind < 2) {
    fprintf(stderr, "usage: fusecam [-r RATE] [-s WIDTHxHEIGHT] [-b BUS] [-y FRAMES.yuyv] MOUNTPOINT FRAME.jpg...\n");
    return 64;
  }
  // Offsets of mappings are whole pages.
  cam.buffer_size = ((size_t)cam.width * cam.height * 2 + 4095) & ~4095ul;
  cam.mountpoint = arguments[optind];
  for (int i = optind + 1; i < count && cam.jpegs < MAX_PICTURES; i++) {
    cam.jpeg[cam.jpegs] = load(arguments[i]);
    if (cam.jpeg[cam.jpegs++].size > cam.buffer_size - 8192) return 65;
  }
  if (raw) {
    cam.raw = load(raw);
    if (cam.raw.size < cam.buffer_size) return 65;
  }

  struct fuse_lowlevel_ops operations = {.lookup = on_lookup,
                                         .getattr = on_getattr,
                                         .setattr = on_setattr,
                                         .readdir = on_readdir,
                                         .open = on_open,
                                         .release = on_release,
                                         .read = on_read,
                                         .write = on_write,
                                         .flush = on_flush,
                                         .fsync = on_fsync,
                                         .poll = on_poll,
                                         .ioctl = on_ioctl};
  char *options[] = {arguments[0], "-ofsname=fusecam,allow_other", NULL};
  struct fuse_args fuse_arguments = FUSE_ARGS_INIT(2, options);
  cam.session = fuse_session_new(&fuse_arguments, &operations, sizeof operations, NULL);
  if (!cam.session || fuse_session_mount(cam.session, cam.mountpoint) != 0) return 69;
  fuse_set_signal_handlers(cam.session);
  pthread_t thread;
  pthread_create(&thread, NULL, run_sensor, NULL);
  pthread_create(&thread, NULL, run_commands, NULL);
  printf("ready\n");
  fflush(stdout);
  int result = fuse_session_loop(cam.session);
  fuse_session_unmount(cam.session);
  return result < 0 ? 1 : 0;
}
