import CV4L2
import Glibc
import WaymarkImage
package import WaymarkSystem

/// An open video node, which `deinit` closes. The file also has the system calls (`VideoSyscalls`, `LibV4L2`), and
/// `CaptureStream`, the frames of the device.
package struct VideoDevice: ~Copyable {
  package let descriptor: CInt
  let calls: any VideoSyscalls

  /// Opens a node.
  ///
  /// - Parameter converting: true to offer the formats into which libv4l2 can convert the camera's formats.
  /// - Throws: the fault of open(2).
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
  ///
  /// - Throws: the fault if the driver refuses, for example because the node is not of V4L2.
  func capability() throws(CameraFault) -> Capability {
    var raw = v4l2_capability()
    try call(wm_vidioc_querycap, &raw)
    // A device may have several nodes, such as the metadata node of uvcvideo; only device_caps describes this node.
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
  /// Waits until a frame is available, `stop` is raised, or `seconds` have passed. With the descriptor -1, does not wait for a
  /// frame.
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

/// A stream of frames in memory shared with the driver. `deinit` stops the stream, and unmaps and releases the buffers.
package struct CaptureStream: ~Copyable {
  private let descriptor: CInt
  private let calls: any VideoSyscalls
  private let buffers: [Buffer]
  private var queued: [Bool]

  private struct Buffer {
    let memory: UnsafeMutableRawPointer
    let length: Int
  }

  private init(descriptor: CInt, calls: any VideoSyscalls, buffers: [Buffer]) {
    self.descriptor = descriptor
    self.calls = calls
    self.buffers = buffers
    queued = Array(repeating: false, count: buffers.count)
  }

  /// Requests buffers from the driver, queues them and starts the stream.
  ///
  /// - Parameter count: the number of buffers to request. The driver may provide fewer or more; at least two are
  ///   needed.
  /// - Throws: `unsupported` if the driver provides fewer than two buffers, otherwise the fault of the failed system
  ///   call, or `broken` if the driver refuses every buffer.
  package static func start(device: borrowing VideoDevice, count: Int) throws(CameraFault) -> CaptureStream {
    var request = v4l2_requestbuffers()
    request.count = UInt32(count)
    request.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
    request.memory = V4L2_MEMORY_MMAP.rawValue
    try device.call(wm_vidioc_reqbufs, &request)

    var mapped: [Buffer] = []
    let fault = map(device: device, count: request.count, into: &mapped)
    var stream = CaptureStream(descriptor: device.descriptor, calls: device.calls, buffers: mapped)
    // From here on, `deinit` releases the buffers.
    if let fault { throw fault }
    // A buffer that the driver refuses is queued again after the first frame.
    let refused = try stream.requeue()
    guard refused < mapped.count else { throw .broken(EINVAL) }
    var type = CInt(V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue)
    try device.call(wm_vidioc_streamon, &type)
    return stream
  }

  /// Maps `count` buffers, but at most 32, and appends them to `mapped`; returns the fault, or nil.
  private static func map(
    device: borrowing VideoDevice, count: UInt32, into mapped: inout [Buffer]
  ) -> CameraFault? {
    guard count >= 2 else { return .unsupported("its driver provides fewer than two buffers") }
    do throws(CameraFault) {
      for index in 0..<min(count, 32) {
        var raw = empty(index)
        try device.call(wm_vidioc_querybuf, &raw)
        let length = Int(raw.length)
        guard let memory = device.calls.map(device.descriptor, length: length, offset: Int64(raw.m.offset)) else {
          return .broken(ENOMEM)
        }
        mapped.append(Buffer(memory: memory, length: length))
      }
      return nil
    } catch {
      return error
    }
  }

  deinit {
    var type = CInt(V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue)
    // Errors are ignored: the device may be unplugged, and the kernel releases its resources with the descriptor.
    _ = calls.control(descriptor, wm_vidioc_streamoff, &type)
    for buffer in buffers { calls.unmap(buffer.memory, length: buffer.length) }
    var request = v4l2_requestbuffers()
    request.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
    request.memory = V4L2_MEMORY_MMAP.rawValue
    _ = calls.control(descriptor, wm_vidioc_reqbufs, &request)
  }

  /// A filled buffer in memory of the driver, to be returned soon by `requeue()`.
  package struct FilledBuffer: Sendable {
    let index: Int
    /// The number of valid bytes that the driver reports.
    package let count: Int
    /// True if the driver reports that the picture is damaged.
    package let isDamaged: Bool
    /// The driver's sequence number, which also counts the frames that it dropped.
    package let sequence: UInt32
    /// The time of the capture in seconds of CLOCK_MONOTONIC; nil if the driver uses another clock.
    package let captured: Double?
  }

  /// Takes the next filled buffer; nil if no frame is ready.
  ///
  /// - Throws: the fault if the driver reports an error other than EAGAIN, or `broken` if it names a buffer that does
  ///   not exist.
  package mutating func take() throws(CameraFault) -> FilledBuffer? {
    var raw = Self.empty(0)
    let result = calls.control(descriptor, wm_vidioc_dqbuf, &raw)
    if result == -EAGAIN { return nil }
    guard result >= 0 else { throw CameraFault(result: result) }
    let index = Int(raw.index)
    guard index < buffers.count else { throw .broken(EPROTO) }
    queued[index] = false
    let monotonic = raw.flags & UInt32(V4L2_BUF_FLAG_TIMESTAMP_MASK) == UInt32(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC)
    return FilledBuffer(
      index: index, count: min(Int(raw.bytesused), buffers[index].length),
      isDamaged: raw.flags & UInt32(V4L2_BUF_FLAG_ERROR) != 0, sequence: raw.sequence,
      captured: monotonic ? Double(raw.timestamp.tv_sec) + Double(raw.timestamp.tv_usec) * 1e-6 : nil)
  }

  package func withBytes<R>(of filled: FilledBuffer, _ body: (UnsafeRawBufferPointer) -> R) -> R {
    body(UnsafeRawBufferPointer(start: buffers[filled.index].memory, count: filled.count))
  }

  /// Queues all buffers that are not with the driver. Refused buffers are queued again at the next call.
  ///
  /// - Returns: the number of buffers that the driver refused.
  /// - Throws: the fault for an error other than EINVAL, which is a refusal.
  mutating func requeue() throws(CameraFault) -> Int {
    var refused = 0
    for index in queued.indices where !queued[index] {
      var raw = Self.empty(UInt32(index))
      let result = calls.control(descriptor, wm_vidioc_qbuf, &raw)
      if result >= 0 {
        queued[index] = true
      } else if result == -EINVAL {
        refused += 1
      } else {
        throw CameraFault(result: result)
      }
    }
    return refused
  }

  private static func empty(_ index: UInt32) -> v4l2_buffer {
    var raw = v4l2_buffer()
    raw.index = index
    raw.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
    raw.memory = V4L2_MEMORY_MMAP.rawValue
    return raw
  }
}
