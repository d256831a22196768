import Glibc
package import WaymarkFrames
import WaymarkSystem

/// A fault of a camera, as reported by its driver.
package enum CameraFault: Error, Sendable, Hashable {
  /// No such camera is plugged in.
  case absent
  /// It was unplugged, or its driver released it (ENODEV, POLLHUP).
  case gone
  /// Another program streams from it (EBUSY).
  case busy
  /// The node may not be opened (EACCES, EPERM).
  case notPermitted
  /// No frame for many frame times.
  case stalled
  /// The driver reports an error from which only reopening helps (EIO and all others); the errno.
  case broken(Int32)
  /// It offers nothing that can be read: no format, no streaming.
  case unsupported(String)
  /// It could be read, but not in a way that keeps the service safe from it.
  case locked(String)

  /// Explains a negative result of a call.
  package init(result: CInt) {
    switch -result {
    case ENODEV, ENXIO, ESHUTDOWN: self = .gone
    case ENOENT: self = .absent
    case EBUSY: self = .busy
    case EACCES, EPERM: self = .notPermitted
    default: self = .broken(-result)
    }
  }

  /// A fault as the machine of a source takes it. To look for an absent camera costs next to nothing and must find it within a second; to
  /// open one that fails costs the driver a reset.
  package func fault(device: String) -> SourceFault {
    let longestPause =
      switch self {
      case .absent, .gone: 0.25
      case .busy, .notPermitted: 1.0
      case .stalled, .broken, .unsupported, .locked: 5.0
      }
    // A camera that was unplugged is absent when it is looked for again: that is not reported again.
    return SourceFault(
      error(device: device), longestPause: longestPause, follows: self == .absent ? .problem("cameraGone") : .itself)
  }

  /// A fault as the error that status events and commands show.
  package func error(device: String) -> SourceError {
    switch self {
    case .absent:
      SourceError(
        code: "cameraNotFound", message: "\(device) is not there",
        hint: "plug the camera in; `waymark cameras` lists what is there")
    case .gone:
      SourceError(
        code: "cameraGone", message: "\(device) was unplugged or reset",
        hint: "plug it in again; it is taken up by itself. If nobody pulled it: check cable, hub and power")
    case .busy:
      SourceError(
        code: "cameraBusy", message: "\(device) is used by another program",
        hint: "`waymark doctor` tells which; it is tried again until it is free")
    case .notPermitted:
      SourceError(
        code: "cameraNotPermitted", message: "\(device) may not be opened by this user",
        hint: "add the user to the group of the device (usually `video`) or install the udev rules: `waymark doctor`")
    case .stalled:
      SourceError(
        code: "cameraStalled", message: "\(device) stopped delivering frames",
        hint: "it is reopened by itself; if that does not help, unplug it or check the hub's power")
    case .broken(let number):
      SourceError(
        code: "cameraFailed", message: "\(device) failed: \(String(cString: strerror(number)))",
        hint: "it is reopened by itself; if it goes on, look into `dmesg`")
    case .unsupported(let reason):
      SourceError(
        code: "cameraUnsupported", message: "\(device) cannot be used: \(reason)",
        hint: "`waymark cameras` shows what it offers; CSI cameras need a driver that offers plain video capture")
    case .locked(let reason):
      SourceError(
        code: "cameraFormatLocked", message: "\(device) is not used: \(reason)",
        hint: "use another camera, or set camera.vendorFormats to true if you trust this one")
    }
  }
}
