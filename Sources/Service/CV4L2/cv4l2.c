#include "cv4l2.h"

#include <errno.h>
#include <fcntl.h>
#include <libv4l2.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

const unsigned long wm_vidioc_querycap = VIDIOC_QUERYCAP, wm_vidioc_enum_fmt = VIDIOC_ENUM_FMT,
                    wm_vidioc_g_fmt = VIDIOC_G_FMT, wm_vidioc_s_fmt = VIDIOC_S_FMT,
                    wm_vidioc_enum_framesizes = VIDIOC_ENUM_FRAMESIZES,
                    wm_vidioc_enum_frameintervals = VIDIOC_ENUM_FRAMEINTERVALS, wm_vidioc_g_parm = VIDIOC_G_PARM,
                    wm_vidioc_s_parm = VIDIOC_S_PARM, wm_vidioc_reqbufs = VIDIOC_REQBUFS,
                    wm_vidioc_querybuf = VIDIOC_QUERYBUF, wm_vidioc_qbuf = VIDIOC_QBUF,
                    wm_vidioc_dqbuf = VIDIOC_DQBUF, wm_vidioc_streamon = VIDIOC_STREAMON,
                    wm_vidioc_streamoff = VIDIOC_STREAMOFF, wm_vidioc_queryctrl = VIDIOC_QUERYCTRL,
                    wm_vidioc_querymenu = VIDIOC_QUERYMENU, wm_vidioc_g_ctrl = VIDIOC_G_CTRL,
                    wm_vidioc_s_ctrl = VIDIOC_S_CTRL;

const uint32_t wm_cid_brightness = V4L2_CID_BRIGHTNESS, wm_cid_contrast = V4L2_CID_CONTRAST,
               wm_cid_saturation = V4L2_CID_SATURATION, wm_cid_hue = V4L2_CID_HUE,
               wm_cid_white_balance_auto = V4L2_CID_AUTO_WHITE_BALANCE, wm_cid_gamma = V4L2_CID_GAMMA,
               wm_cid_gain = V4L2_CID_GAIN, wm_cid_gain_auto = V4L2_CID_AUTOGAIN,
               wm_cid_power_line_frequency = V4L2_CID_POWER_LINE_FREQUENCY,
               wm_cid_white_balance_temperature = V4L2_CID_WHITE_BALANCE_TEMPERATURE,
               wm_cid_sharpness = V4L2_CID_SHARPNESS, wm_cid_backlight_compensation = V4L2_CID_BACKLIGHT_COMPENSATION,
               wm_cid_exposure = V4L2_CID_EXPOSURE, wm_cid_exposure_auto = V4L2_CID_EXPOSURE_AUTO,
               wm_cid_exposure_absolute = V4L2_CID_EXPOSURE_ABSOLUTE,
               wm_cid_exposure_auto_priority = V4L2_CID_EXPOSURE_AUTO_PRIORITY,
               wm_cid_pan_absolute = V4L2_CID_PAN_ABSOLUTE, wm_cid_tilt_absolute = V4L2_CID_TILT_ABSOLUTE,
               wm_cid_zoom_absolute = V4L2_CID_ZOOM_ABSOLUTE, wm_cid_focus_absolute = V4L2_CID_FOCUS_ABSOLUTE,
               wm_cid_focus_auto = V4L2_CID_FOCUS_AUTO, wm_cid_flash_led_mode = V4L2_CID_FLASH_LED_MODE,
               wm_cid_flash_torch_intensity = V4L2_CID_FLASH_TORCH_INTENSITY;

// libv4l2 writes every failed call to standard error, and a missing camera fails once a second.
static void keep_quiet(void) {
  if (!v4l2_log_file && !getenv("LIBV4L2_LOG_FILENAME")) v4l2_log_file = fopen("/dev/null", "we");
}

int wm_v4l2_open(const char *path, int convert) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, keep_quiet);
  int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return -errno;
  // If libv4l2 rejects the device, it stays open, and its calls go to the kernel.
  v4l2_fd_open(fd, convert ? 0 : V4L2_DISABLE_CONVERSION);
  return fd;
}

int wm_v4l2_close(int fd) { return v4l2_close(fd) < 0 ? -errno : 0; }

int wm_v4l2_ioctl(int fd, unsigned long request, void *argument) {
  int result;
  do result = v4l2_ioctl(fd, request, argument);
  while (result < 0 && errno == EINTR);
  return result < 0 ? -errno : result;
}

void *wm_v4l2_mmap(int fd, size_t length, int64_t offset) {
  void *memory = v4l2_mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
  return memory == MAP_FAILED ? NULL : memory;
}

int wm_v4l2_munmap(void *memory, size_t length) { return v4l2_munmap(memory, length) < 0 ? -errno : 0; }
