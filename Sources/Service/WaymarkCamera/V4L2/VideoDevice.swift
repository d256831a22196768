import CV4L2
import Glibc

/// An open video node; closed when the value ends.
package struct VideoDevice: ~Copyable {
  package let descriptor: CInt
  let calls: any VideoSyscalls

  /// Opens `path`.
  ///
  /// - Parameter converting: whether to offer what libv4l2 can make of the camera's own formats.
  package init(path: String, converting: Bool = false, calls: any VideoSyscalls) throws(CameraFault) {
    let result = calls.open(path, converting: converting)
    guard result >= 0 else { throw CameraFault(result: result) }
    descriptor = result
    self.calls = calls
  }

  deinit { calls.close(descriptor) }

  /// The identity that the driver reports.
  package struct Capability: Sendable, Equatable {
    /// The driver's name.
    package var driver: String
    /// The camera's name.
    package var card: String
    /// Where it is plugged in, as the driver names it.
    package var bus: String
    /// V4L2_CAP_… of this very node.
    package var flags: UInt32

    /// True if pictures can be streamed from this node: no output, no metadata, no radio.
    var isCamera: Bool {
      flags & UInt32(V4L2_CAP_VIDEO_CAPTURE) != 0 && flags & UInt32(V4L2_CAP_STREAMING) != 0
        && flags & UInt32(V4L2_CAP_VIDEO_M2M) == 0
    }
  }

  /// Asks who it is.
  func capability() throws(CameraFault) -> Capability {
    var raw = v4l2_capability()
    try call(wm_vidioc_querycap, &raw)
    // A driver makes several nodes (uvcvideo: one for metadata); only device_caps speaks of this one.
    let own = raw.capabilities & deviceCapsFlag != 0
    return Capability(
      driver: text(of: &raw.driver), card: text(of: &raw.card), bus: text(of: &raw.bus_info),
      flags: own ? raw.device_caps : raw.capabilities)
  }

  /// One request whose failure is a fault.
  func call<T>(_ request: UInt, _ argument: inout T) throws(CameraFault) {
    let result = attempt(request, &argument)
    if result < 0 { throw CameraFault(result: result) }
  }

  /// One request; a negative errno when it fails.
  func attempt<T>(_ request: UInt, _ argument: inout T) -> CInt {
    withUnsafeMutablePointer(to: &argument) { calls.control(descriptor, request, UnsafeMutableRawPointer($0)) }
  }
}

/// V4L2_CAP_DEVICE_CAPS, which does not import as an unsigned number.
let deviceCapsFlag: UInt32 = 0x8000_0000

/// The text in a fixed array of a C struct, up to its NUL; drivers may forget the NUL, and what is not UTF-8 is repaired.
func text<T>(of field: inout T) -> String {
  withUnsafeBytes(of: &field) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
}
