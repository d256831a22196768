import CV4L2
import Glibc
import WaymarkImage
package import WaymarkSystem

/// An open video node, which `deinit` closes.
package struct VideoDevice: ~Copyable {
  package let descriptor: CInt
  let calls: any VideoSyscalls

  /// Opens a node.
  ///
  /// - Parameter converting: true to offer the formats to which libv4l2 can convert those of the camera.
  package init(path: String, converting: Bool = false, calls: any VideoSyscalls) throws(CameraFault) {
    let result = calls.open(path, converting: converting)
    guard result >= 0 else { throw CameraFault(result: result) }
    descriptor = result
    self.calls = calls
  }

  deinit { calls.close(descriptor) }

  /// The identity and the capabilities that the driver reports (struct v4l2_capability).
  package struct Capability: Sendable, Equatable {
    package var driver: String
    package var card: String
    /// The bus and port of the camera, in the driver's notation, such as `usb-0000:00:14.0-2`.
    package var bus: String
    /// The flags V4L2_CAP_… of this node.
    package var flags: UInt32

    /// True if pictures can be captured from this node; false for nodes of outputs, metadata and radios.
    var isCamera: Bool {
      flags & UInt32(V4L2_CAP_VIDEO_CAPTURE) != 0 && flags & UInt32(V4L2_CAP_STREAMING) != 0
        && flags & UInt32(V4L2_CAP_VIDEO_M2M) == 0
    }
  }

  /// Queries the driver's identity and the node's capabilities (VIDIOC_QUERYCAP).
  func capability() throws(CameraFault) -> Capability {
    var raw = v4l2_capability()
    try call(wm_vidioc_querycap, &raw)
    // A device may have several nodes, such as one for metadata of uvcvideo; only device_caps describes this node.
    let own = raw.capabilities & deviceCapsFlag != 0
    return Capability(
      driver: text(of: &raw.driver), card: text(of: &raw.card), bus: text(of: &raw.bus_info),
      flags: own ? raw.device_caps : raw.capabilities)
  }

  /// Performs an ioctl request, with a pointer to `argument`; throws the fault if it fails.
  func call<T>(_ request: UInt, _ argument: inout T) throws(CameraFault) {
    let result = attempt(request, &argument)
    if result < 0 { throw CameraFault(result: result) }
  }

  /// Performs an ioctl request, with a pointer to `argument`; returns a negative errno if it fails.
  func attempt<T>(_ request: UInt, _ argument: inout T) -> CInt {
    withUnsafeMutablePointer(to: &argument) { calls.control(descriptor, request, UnsafeMutableRawPointer($0)) }
  }
}

// MARK: - Constants and texts of V4L2

/// V4L2_CAP_DEVICE_CAPS, which Swift does not import as an unsigned number.
let deviceCapsFlag: UInt32 = 0x8000_0000

/// Returns the text in a fixed array of a C struct, up to the NUL, which drivers may omit. Invalid UTF-8 is replaced.
func text<T>(of field: inout T) -> String {
  withUnsafeBytes(of: &field) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
}

// MARK: - System calls

/// The system calls for cameras: `LibV4L2` performs them, and tests replace them.
package protocol VideoSyscalls: Sendable {
  /// Opens a node for non-blocking reads and writes; returns a descriptor, or a negative errno.
  func open(_ path: String, converting: Bool) -> CInt
  func close(_ descriptor: CInt)
  /// Performs an ioctl request, with a pointer to its struct; returns 0 or more, or a negative errno.
  func control(_ descriptor: CInt, _ request: UInt, _ argument: UnsafeMutableRawPointer) -> CInt
  /// Maps a buffer into memory; nil if that fails.
  func map(_ descriptor: CInt, length: Int, offset: Int64) -> UnsafeMutableRawPointer?
  func unmap(_ memory: UnsafeMutableRawPointer, length: Int)
  /// Waits until a frame is available, `stop` is raised, or `seconds` have passed; with the descriptor -1, only for the
  /// other two.
  func wait(_ descriptor: CInt, stop: StopSignal, seconds: Double) -> StopSignal.Wake
  /// Returns the time in seconds of CLOCK_MONOTONIC.
  func now() -> Double
}

/// The system calls through libv4l2, which converts vendor-specific formats.
package struct LibV4L2: VideoSyscalls {
  package init() {}

  package func open(_ path: String, converting: Bool) -> CInt { wm_v4l2_open(path, converting ? 1 : 0) }

  package func close(_ descriptor: CInt) { _ = wm_v4l2_close(descriptor) }

  package func control(_ descriptor: CInt, _ request: UInt, _ argument: UnsafeMutableRawPointer) -> CInt {
    wm_v4l2_ioctl(descriptor, request, argument)
  }

  package func map(_ descriptor: CInt, length: Int, offset: Int64) -> UnsafeMutableRawPointer? {
    wm_v4l2_mmap(descriptor, length, offset)
  }

  package func unmap(_ memory: UnsafeMutableRawPointer, length: Int) { _ = wm_v4l2_munmap(memory, length) }

  package func wait(_ descriptor: CInt, stop: StopSignal, seconds: Double) -> StopSignal.Wake {
    stop.wait(for: descriptor, seconds: seconds)
  }

  package func now() -> Double { MonotonicClock.now }
}
