#pragma once
// The parts of V4L2 and libv4l2 that Swift cannot import: ioctl numbers (macros with types) and variadic calls. Structs, unions and
// flags come from the kernel's header.

#include <linux/videodev2.h>
#include <stddef.h>
#include <stdint.h>

/// The numbers of ioctl requests, which the kernel's header defines as macros with types.
extern const unsigned long wm_vidioc_querycap, wm_vidioc_enum_fmt, wm_vidioc_g_fmt, wm_vidioc_s_fmt,
    wm_vidioc_enum_framesizes, wm_vidioc_enum_frameintervals, wm_vidioc_g_parm, wm_vidioc_s_parm, wm_vidioc_reqbufs,
    wm_vidioc_querybuf, wm_vidioc_qbuf, wm_vidioc_dqbuf, wm_vidioc_streamon, wm_vidioc_streamoff, wm_vidioc_queryctrl,
    wm_vidioc_querymenu, wm_vidioc_g_ctrl, wm_vidioc_s_ctrl;

/// The ids of controls, which the kernel's header defines as sums of macros.
extern const uint32_t wm_cid_brightness, wm_cid_contrast, wm_cid_saturation, wm_cid_hue, wm_cid_white_balance_auto,
    wm_cid_gamma, wm_cid_gain, wm_cid_gain_auto, wm_cid_power_line_frequency, wm_cid_white_balance_temperature,
    wm_cid_sharpness, wm_cid_backlight_compensation, wm_cid_exposure, wm_cid_exposure_auto, wm_cid_exposure_absolute,
    wm_cid_exposure_auto_priority, wm_cid_pan_absolute, wm_cid_tilt_absolute, wm_cid_zoom_absolute,
    wm_cid_focus_absolute, wm_cid_focus_auto, wm_cid_flash_led_mode, wm_cid_flash_torch_intensity;

/// Opens a device node for reading and writing, nonblocking and closed on exec. Returns a descriptor, or -errno.
/// With `convert`, libv4l2 adds the formats to which it can convert, but hides convertible formats of the camera itself (observed with
/// a camera that has only Motion JPEG), so use it only if it is needed.
int wm_v4l2_open(const char *path, int convert);
/// Closes a device. Returns 0, or -errno.
int wm_v4l2_close(int fd);
/// Performs an ioctl request, and repeats it if a signal interrupts it. Returns its result, or -errno.
int wm_v4l2_ioctl(int fd, unsigned long request, void *argument);
/// Maps the memory of a buffer. Returns NULL if that fails.
void *wm_v4l2_mmap(int fd, size_t length, int64_t offset);
/// Unmaps the memory of a buffer. Returns 0, or -errno.
int wm_v4l2_munmap(void *memory, size_t length);
