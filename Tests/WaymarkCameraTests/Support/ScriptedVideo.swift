import CV4L2
import Glibc
import WaymarkFrames
import WaymarkImage
import WaymarkSystem

@testable import WaymarkCamera

/// A driver that does what a test says: a table of calls without a device.
final class ScriptedVideo: VideoSyscalls {
  struct State: Sendable {
    /// Negative errno for the next calls of a request, in order; 0 lets one pass.
    var failures: [UInt: [CInt]] = [:]
    /// Requests that always fail on a node, by its path, and with what negative errno.
    var pathFailures: [String: [UInt: CInt]] = [:]
    /// The paths behind the descriptors.
    var paths: [CInt: String] = [:]
    /// The answers of `open`, in order; afterwards a descriptor.
    var openResults: [CInt] = []
    /// Frames that wait to be taken.
    var frames: [ScriptedFrame] = []
    /// The answers of `wait` when there is no frame, in order; afterwards it times out.
    var wakes: [Int16] = []
    /// Everything that was called, in order.
    var log: [String] = []
    var queued: [UInt32] = []
    var mapped = 0
    var openDescriptors = 0
    /// True if libv4l2's conversions were asked for, of each opening.
    var converting: [Bool] = []
    var time = 0.0
    var streaming = false
    /// True if the clock advances while a stream has no frame.
    var silencePasses = false
    var deviceCaps = UInt32(V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING)
    /// The format that S_FMT answers with; nil: the one asked for.
    var answer: (fourCC: UInt32, width: UInt32, height: UInt32)?
    var format = PixelFormat.grey.fourCC
    /// The distance between rows that S_FMT answers with.
    var bytesPerLine: UInt32 = 0
    /// The formats that libv4l2 lists beside the camera's own where its conversions were asked for.
    var emulated: [UInt32] = []
    var width: UInt32 = 8
    var height: UInt32 = 2
    var bufferCount: UInt32 = 4
    var controls: [UInt32: Int32] = [:]
    /// Frame intervals that are offered, in seconds as numerator and denominator.
    var intervals: [(numerator: UInt32, denominator: UInt32)] = []
    /// True if the first two of them are the ends of a range.
    var intervalsAreRange = false
    /// The interval that S_PARM was asked for last.
    var askedInterval: (numerator: UInt32, denominator: UInt32)?
    /// The type of all controls, and the smallest value.
    var controlType = V4L2_CTRL_TYPE_INTEGER.rawValue
    var controlMinimum: Int32 = 0
    /// True if the walk over the controls gives the first one over and over.
    var repeatsControl = false
    var controlQueries = 0
    /// True if S_CTRL hangs, until this is false again.
    var holdsControls = false
    var heldControls = 0
  }

  struct ScriptedFrame: Sendable {
    var bytes: [UInt8]
    var flags: UInt32 = 0
    var sequence: UInt32
    var captured = 1.0
  }

  let state = Monitor(State())
  /// Memory of the buffers, one page each. Written before a frame is taken, read while it is out.
  private let memory = PixelBuffer(capacity: 32 * 4096)

  init(_ prepare: (inout State) -> Void = { _ in }) { state.withLock { prepare(&$0) } }

  var log: [String] { state.withLock { $0.log } }

  func open(_ path: String, converting: Bool) -> CInt {
    state.withLock { state in
      state.log.append("open")
      if !state.openResults.isEmpty {
        let result = state.openResults.removeFirst()
        if result < 0 { return result }
      }
      state.openDescriptors += 1
      state.converting.append(converting)
      let descriptor = CInt(100 + state.converting.count)
      state.paths[descriptor] = path
      return descriptor
    }
  }

  func close(_ descriptor: CInt) {
    state.withLock { state in
      state.log.append("close")
      state.openDescriptors -= 1
    }
  }

  func map(_ descriptor: CInt, length: Int, offset: Int64) -> UnsafeMutableRawPointer? {
    state.withLock { $0.mapped += 1 }
    return UnsafeMutableRawPointer(memory.bytes + Int(offset))
  }

  func unmap(_ memory: UnsafeMutableRawPointer, length: Int) {
    state.withLock { state in
      state.mapped -= 1
      state.log.append("unmap")
    }
  }

  func now() -> Double { state.withLock { $0.time } }

  /// Time passes only here: at once while the camera is closed, and while it is silent only if the test wants that.
  func wait(_ descriptor: CInt, stop: StopSignal, seconds: Double) -> StopSignal.Wake {
    let wake = state.withLock { state -> StopSignal.Wake? in
      if stop.isRaised { return .stopped }
      if descriptor >= 0 {
        if !state.frames.isEmpty { return .ready(Int16(POLLIN)) }
        if !state.wakes.isEmpty { return .ready(state.wakes.removeFirst()) }
        if !state.silencePasses { return nil }
      }
      state.time += max(seconds, 0.001)
      return .timedOut
    }
    // The test may script more meanwhile.
    return wake ?? stop.wait(seconds: 0.001)
  }

  func control(_ descriptor: CInt, _ request: UInt, _ argument: UnsafeMutableRawPointer) -> CInt {
    if request == wm_vidioc_s_ctrl {
      state.update { if $0.holdsControls { $0.heldControls += 1 } }
      _ = state.wait { $0.holdsControls ? nil : true }
    }
    return state.withLock { state in
      if var script = state.failures[request], !script.isEmpty {
        let result = script.removeFirst()
        state.failures[request] = script
        if result < 0 {
          state.log.append("\(Self.name(request)) failed")
          return result
        }
      }
      let path = state.paths[descriptor] ?? ""
      if let result = state.pathFailures[path]?[request] { return result }
      return answer(request, argument, path, &state)
    }
  }

  private static func name(_ request: UInt) -> String {
    switch request {
    case wm_vidioc_qbuf: "queue"
    case wm_vidioc_dqbuf: "take"
    case wm_vidioc_streamon: "start"
    case wm_vidioc_streamoff: "stop"
    case wm_vidioc_reqbufs: "buffers"
    case wm_vidioc_s_fmt: "format"
    case wm_vidioc_s_ctrl: "set"
    default: "other"
    }
  }

  private func answer(
    _ request: UInt, _ argument: UnsafeMutableRawPointer, _ path: String, _ state: inout State
  ) -> CInt {
    switch request {
    case wm_vidioc_querycap:
      let capability = argument.assumingMemoryBound(to: v4l2_capability.self)
      capability.pointee.capabilities = state.deviceCaps | 0x8000_0000
      capability.pointee.device_caps = state.deviceCaps
      withUnsafeMutableBytes(of: &capability.pointee.bus_info) { $0.copyBytes(from: path.utf8.suffix(31)) }
      withUnsafeMutableBytes(of: &capability.pointee.card) { $0.copyBytes(from: "Scripted".utf8) }
      return 0
    case wm_vidioc_enum_fmt:
      let description = argument.assumingMemoryBound(to: v4l2_fmtdesc.self)
      let index = Int(description.pointee.index)
      guard index > 0 else {
        description.pointee.pixelformat = state.format
        return 0
      }
      guard state.converting.last == true, index <= state.emulated.count else { return -EINVAL }
      description.pointee.pixelformat = state.emulated[index - 1]
      description.pointee.flags = UInt32(V4L2_FMT_FLAG_EMULATED)
      return 0
    case wm_vidioc_enum_framesizes:
      let size = argument.assumingMemoryBound(to: v4l2_frmsizeenum.self)
      guard size.pointee.index == 0 else { return -EINVAL }
      size.pointee.type = V4L2_FRMSIZE_TYPE_DISCRETE.rawValue
      size.pointee.discrete = v4l2_frmsize_discrete(width: state.width, height: state.height)
      return 0
    case wm_vidioc_s_fmt:
      state.log.append("format")
      let format = argument.assumingMemoryBound(to: v4l2_format.self)
      format.pointee.fmt.pix.bytesperline = state.bytesPerLine
      if let answer = state.answer {
        format.pointee.fmt.pix.pixelformat = answer.fourCC
        format.pointee.fmt.pix.width = answer.width
        format.pointee.fmt.pix.height = answer.height
      }
      return 0
    case wm_vidioc_g_parm:
      let parameters = argument.assumingMemoryBound(to: v4l2_streamparm.self)
      parameters.pointee.parm.capture.timeperframe = v4l2_fract(numerator: 1, denominator: 30)
      return 0
    case wm_vidioc_s_parm:
      let interval = argument.assumingMemoryBound(to: v4l2_streamparm.self).pointee.parm.capture.timeperframe
      state.askedInterval = (interval.numerator, interval.denominator)
      return 0
    case wm_vidioc_enum_frameintervals:
      let interval = argument.assumingMemoryBound(to: v4l2_frmivalenum.self)
      let index = Int(interval.pointee.index)
      guard index < state.intervals.count else { return -EINVAL }
      let fractions = state.intervals.map { v4l2_fract(numerator: $0.numerator, denominator: $0.denominator) }
      if state.intervalsAreRange {
        interval.pointee.type = V4L2_FRMIVAL_TYPE_STEPWISE.rawValue
        interval.pointee.stepwise.min = fractions[0]
        interval.pointee.stepwise.max = fractions[1]
      } else {
        interval.pointee.type = V4L2_FRMIVAL_TYPE_DISCRETE.rawValue
        interval.pointee.discrete = fractions[index]
      }
      return 0
    case wm_vidioc_reqbufs:
      let buffers = argument.assumingMemoryBound(to: v4l2_requestbuffers.self)
      state.log.append(buffers.pointee.count == 0 ? "free" : "buffers")
      buffers.pointee.count = min(buffers.pointee.count, state.bufferCount)
      return 0
    case wm_vidioc_querybuf:
      let buffer = argument.assumingMemoryBound(to: v4l2_buffer.self)
      buffer.pointee.length = 4096
      buffer.pointee.m.offset = buffer.pointee.index * 4096
      return 0
    case wm_vidioc_qbuf:
      state.queued.append(argument.assumingMemoryBound(to: v4l2_buffer.self).pointee.index)
      return 0
    case wm_vidioc_streamon:
      state.log.append("start")
      state.streaming = true
      return 0
    case wm_vidioc_streamoff:
      state.log.append("stop")
      state.streaming = false
      state.queued = []
      return 0
    case wm_vidioc_dqbuf: return take(argument.assumingMemoryBound(to: v4l2_buffer.self), &state)
    case wm_vidioc_queryctrl:
      let query = argument.assumingMemoryBound(to: v4l2_queryctrl.self)
      state.controlQueries += 1
      // A test that fails must end.
      guard state.controlQueries < 10_000 else { return -EINVAL }
      let wanted = state.repeatsControl ? 0 : query.pointee.id & 0x7FFF_FFFF
      guard let id = state.controls.keys.sorted().first(where: { $0 > wanted }) else { return -EINVAL }
      query.pointee = v4l2_queryctrl()
      query.pointee.id = id
      query.pointee.type = state.controlType
      query.pointee.minimum = state.controlMinimum
      query.pointee.maximum = 100
      query.pointee.step = 1
      return 0
    case wm_vidioc_g_ctrl:
      let control = argument.assumingMemoryBound(to: v4l2_control.self)
      control.pointee.value = state.controls[control.pointee.id] ?? 0
      return 0
    case wm_vidioc_s_ctrl:
      let control = argument.assumingMemoryBound(to: v4l2_control.self).pointee
      state.log.append("set \(control.id == wm_cid_focus_auto ? "focusAuto" : "focus") \(control.value)")
      state.controls[control.id] = control.value
      return 0
    default: return -ENOTTY
    }
  }

  private func take(_ buffer: UnsafeMutablePointer<v4l2_buffer>, _ state: inout State) -> CInt {
    guard state.streaming, !state.frames.isEmpty, !state.queued.isEmpty else { return -EAGAIN }
    let frame = state.frames.removeFirst()
    let index = state.queued.removeFirst()
    (memory.bytes + Int(index) * 4096).update(from: frame.bytes, count: frame.bytes.count)
    buffer.pointee.index = index
    buffer.pointee.bytesused = UInt32(frame.bytes.count)
    buffer.pointee.flags = frame.flags | UInt32(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC)
    buffer.pointee.sequence = frame.sequence
    buffer.pointee.timestamp = timeval(tv_sec: Int(frame.captured), tv_usec: 0)
    return 0
  }
}
