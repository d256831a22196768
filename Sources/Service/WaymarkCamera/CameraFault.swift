import Glibc
package import WaymarkFrames
import WaymarkSystem

/// A reason why a camera cannot be opened, or has stopped delivering frames.
package enum CameraFault: Error, Sendable, Hashable {
  /// No attached camera is the selected one, or the node of the selected camera is missing (ENOENT).
  case absent
  /// The camera was unplugged, or its driver released it (ENODEV, ENXIO, ESHUTDOWN, POLLHUP).
  case gone
  /// Another program uses the camera (EBUSY).
  case busy
  /// The service has no permission to open the node (EACCES, EPERM).
  case notPermitted
  /// No frame arrived for many frame intervals.
  case stalled
  /// The driver reported an error, with its errno, that only reopening can resolve: EIO, or any errno that has no other fault.
  case broken(Int32)
  /// The camera offers no readable format, makes contradictory statements about a format, or has too few buffers; with the reason
  /// for people.
  case unsupported(String)
  /// The camera's pictures could only be decoded in this process, which the configuration does not allow; with the reason for people.
  case locked(String)

  /// Creates the fault for the result of a failed system call, a negative errno.
  package init(result: CInt) {
    switch -result {
    case ENODEV, ENXIO, ESHUTDOWN: self = .gone
    case ENOENT: self = .absent
    case EBUSY: self = .busy
    case EACCES, EPERM: self = .notPermitted
    default: self = .broken(-result)
    }
  }

  /// Returns the fault for a `SourceMachine`. Its longest pause between attempts is short for a missing camera, because the search is
  /// cheap and should find it within a second, and longer for a camera that fails, because opening it resets the driver.
  package func fault(device: String) -> SourceFault {
    let longestPause =
      switch self {
      case .absent, .gone: 0.25
      case .busy, .notPermitted: 1.0
      case .stalled, .broken, .unsupported, .locked: 5.0
      }
    // A camera that was reported as unplugged is absent at the next attempt; its absence is not reported again.
    return SourceFault(
      error(device: device), longestPause: longestPause, follows: self == .absent ? .problem("cameraGone") : .itself)
  }

  /// Returns the error that status events and commands show.
  package func error(device: String) -> SourceError {
    switch self {
    case .absent:
      SourceError(
        code: "cameraNotFound", message: "\(device) is not there",
        hint: "plug the camera in; `waymark cameras` lists what is there")
    case .gone:
      SourceError(
        code: "cameraGone", message: "\(device) was unplugged or reset",
        hint: "plug it in again; it is then opened automatically. If it was not unplugged: check cable, hub and power")
    case .busy:
      SourceError(
        code: "cameraBusy", message: "\(device) is used by another program",
        hint: "`waymark doctor` shows which; it is tried again until it is free")
    case .notPermitted:
      SourceError(
        code: "cameraNotPermitted", message: "\(device) may not be opened by this user",
        hint: "add the user to the group of the device (usually `video`) or install the udev rules: `waymark doctor`")
    case .stalled:
      SourceError(
        code: "cameraStalled", message: "\(device) stopped delivering frames",
        hint: "it is reopened automatically; if that does not help, unplug it or check the hub's power")
    case .broken(let number):
      SourceError(
        code: "cameraFailed", message: "\(device) failed: \(systemMessage(number))",
        hint: "it is reopened automatically; if this repeats, see `dmesg`")
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
