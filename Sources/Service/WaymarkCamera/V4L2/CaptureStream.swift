import CV4L2
import Glibc

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
