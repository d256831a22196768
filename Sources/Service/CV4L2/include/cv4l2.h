#pragma once
// What Swift cannot import of V4L2 and libv4l2: ioctl numbers (macros with types in them) and variadic calls. Structs,
// unions and flags come from the kernel's own header.

#include <linux/videodev2.h>
#include <stddef.h>
#include <stdint.h>

/// ioctl numbers.
extern const unsigned long wm_vidioc_querycap, wm_vidioc_enum_fmt, wm_vidioc_g_fmt, wm_vidioc_s_fmt,
    wm_vidioc_enum_framesizes, wm_vidioc_enum_frameintervals, wm_vidioc_g_parm, wm_vidioc_s_parm, wm_vidioc_reqbufs,
    wm_vidioc_querybuf, wm_vidioc_qbuf, wm_vidioc_dqbuf, wm_vidioc_streamon, wm_vidioc_streamoff, wm_vidioc_queryctrl,
    wm_vidioc_querymenu, wm_vidioc_g_ctrl, wm_vidioc_s_ctrl;

/// Control ids; the kernel builds them from sums of macros.
extern const uint32_t wm_cid_brightness, wm_cid_contrast, wm_cid_saturation, wm_cid_hue, wm_cid_white_balance_auto,
    wm_cid_gamma, wm_cid_gain, wm_cid_gain_auto, wm_cid_power_line_frequency, wm_cid_white_balance_temperature,
    wm_cid_sharpness, wm_cid_backlight_compensation, wm_cid_exposure, wm_cid_exposure_auto, wm_cid_exposure_absolute,
    wm_cid_exposure_auto_priority, wm_cid_pan_absolute, wm_cid_tilt_absolute, wm_cid_zoom_absolute,
    wm_cid_focus_absolute, wm_cid_focus_auto, wm_cid_flash_led_mode, wm_cid_flash_torch_intensity;

/// Opens a device node for reading and writing, without blocking and closed on exec. A descriptor, or -errno.
/// `convert`: libv4l2 offers formats of its own making. For a camera that has only formats of which libv4l2 could make others,
/// it then hides the camera's own ones (seen with one that has Motion JPEG alone), so ask for it only where it is needed.
int wm_v4l2_open(const char *path, int convert);
/// 0, or -errno.
int wm_v4l2_close(int fd);
/// The call's result, or -errno; repeated when a signal interrupts it.
int wm_v4l2_ioctl(int fd, unsigned long request, void *argument);
/// Shared memory of a buffer, or NULL.
void *wm_v4l2_mmap(int fd, size_t length, int64_t offset);
/// 0, or -errno.
int wm_v4l2_munmap(void *memory, size_t length);
