package import WaymarkImage
import WaymarkSystem

/// A source of frames: a camera, a folder of pictures, or a stream.
///
/// The file also has the requests to a source and its reports: `FrameDemand`, `SourceStatus`, `SourceStatistics` and
/// `SourceControl`; and `FramePacer`, which enforces a maximum rate.
///
/// A source has its own thread from `start` to `stop`, on which it calls its sink. Faults are reported as statuses: a started
/// source keeps trying until it is stopped.
package protocol FrameSource: AnyObject, Sendable {
  /// The name in `camera.status`: the identity of a camera, a path, an address, or `-`.
  var device: String { get }
  var origin: FrameOrigin { get }
  /// The counts of frames since the source was created.
  var statistics: SourceStatistics { get }
  /// The times of the stages from the capture of a frame to its delivery; nil if they are not measured.
  var stages: StageTimes? { get }
  /// The controls of the device; empty while it is closed.
  var controls: [SourceControl] { get }

  /// True if the source should stay open while no consumer needs frames, because the program that writes into it would otherwise
  /// fail.
  var staysOpen: Bool { get }

  /// Starts to deliver frames; does nothing if the source is already started.
  func start(_ sink: any FrameSink)
  /// Stops the source, releases the device, and returns after the source's thread has ended. A call from the sink
  /// returns at once, and the thread ends after the sink returns.
  func stop()
  /// Sets the demand for the following frames. Can be called at any time.
  func demand(_ demand: FrameDemand)
  /// Sets a control by its name. The value is set again whenever the device is reopened.
  func setControl(_ name: String, to value: Int) throws(SourceError)
}

extension FrameSource {
  package var stages: StageTimes? { nil }
  package var controls: [SourceControl] { [] }
  package var staysOpen: Bool { false }

  package func setControl(_ name: String, to value: Int) throws(SourceError) {
    throw .unknownControl(name, device: device)
  }
}

/// Receives the frames and statuses of a source, on the source's thread. Implementations have to return quickly.
package protocol FrameSink: Sendable {
  func receive(_ frame: Frame)
  func receive(_ status: SourceStatus)
}

/// The parts of frames that are needed, and their rate.
package struct FrameDemand: Sendable, Equatable {
  /// True if luma is needed. Otherwise an open source only returns the buffers to the driver, at almost no cost.
  package var luma: Bool
  /// True if the captured bytes are needed; a source without them delivers luma instead.
  package var encoded: Bool
  /// The maximum number of frames per second; nil for all.
  package var maximumRate: Double?

  package init(luma: Bool = true, encoded: Bool = false, maximumRate: Double? = nil) {
    self.luma = luma
    self.encoded = encoded
    self.maximumRate = maximumRate
  }

  package var isEmpty: Bool { !luma && !encoded }
}

/// The counts of a source since it was created.
package struct SourceStatistics: Sendable, Equatable, Codable {
  package var delivered: UInt64 = 0
  /// The frames that were dropped unread, because no consumer needed them or they exceeded the maximum rate.
  package var unwanted: UInt64 = 0
  /// The damaged frames: flagged by the driver, truncated, or undecodable.
  package var damaged: UInt64 = 0
  /// The frames that the driver dropped, from the gaps in its sequence numbers.
  package var droppedByDriver: UInt64 = 0
  package var opened: UInt64 = 0
  package var lost: UInt64 = 0

  package init() {}
}

/// The state of a source, which `camera.status` reports after each change.
package struct SourceStatus: Sendable, Equatable {
  package enum State: String, Sendable, Codable {
    /// The device is closed: its light is off, and other programs can use it.
    case closed
    /// The device is open and configured; no frame has arrived yet.
    case opened
    case streaming
    /// The device is open, but no frames arrive.
    case stalled
    /// The device is missing or cannot be used; it is opened again at intervals.
    case lost
    /// The device delivers frames again after it was lost.
    case back
  }

  package var state: State
  /// The name of the source: the identity of a camera, a path, an address, or `-`.
  package var device: String
  /// The format and size of the frames as captured; nil while closed or lost.
  package var layout: PixelLayout?
  /// The frames per second agreed with the device; nil while closed or lost.
  package var rate: Double?
  /// The problem that prevents frames, or `nil`.
  package var problem: SourceError?
  /// True if the source has ended and will deliver no more frames.
  package var ended: Bool

  package init(
    _ state: State, device: String, layout: PixelLayout? = nil, rate: Double? = nil, problem: SourceError? = nil,
    ended: Bool = false
  ) {
    self.state = state
    self.device = device
    self.layout = layout
    self.rate = rate
    self.problem = problem
    self.ended = ended
  }
}

/// A control of a source, such as focus, exposure, gain or torch.
package struct SourceControl: Sendable, Equatable, Codable {
  package enum Kind: String, Sendable, Codable {
    case integer
    case boolean
    case menu
    case button
  }

  /// A stable name such as `focus`, `exposureTime` or `torch`; for other controls, the driver's name in camelCase.
  package var name: String
  package var kind: Kind
  package var minimum: Int
  package var maximum: Int
  /// The step between two values.
  package var step: Int
  package var defaultValue: Int
  package var value: Int
  /// The names of a menu's entries, by their values.
  package var menu: [Int: String]
  /// True if the control can be set now; an automatic mode disables the manual control.
  package var isActive: Bool

  package init(
    name: String, kind: Kind, minimum: Int, maximum: Int, step: Int, defaultValue: Int, value: Int,
    menu: [Int: String] = [:], isActive: Bool = true
  ) {
    self.name = name
    self.kind = kind
    self.minimum = minimum
    self.maximum = maximum
    self.step = step
    self.defaultValue = defaultValue
    self.value = value
    self.menu = menu
    self.isActive = isActive
  }
}

/// Decides which frames to take so that they do not exceed a maximum rate. It uses no clock.
package struct FramePacer: Sendable {
  private var due: Double?

  /// Creates a pacer, which takes the first frame.
  package init() {}

  /// Returns whether to take the frame captured at `time`, in seconds, so that at most `rate` frames per second are taken; with a
  /// nil rate, takes all frames.
  ///
  /// The average rate is exact even if it does not divide the camera's rate: the delay of a frame shortens the wait
  /// for the next.
  package mutating func takes(_ time: Double, rate: Double?) -> Bool {
    guard let rate, rate > 0 else {
      due = nil
      return true
    }
    let interval = 1 / rate
    guard let due, time >= due - 2 * interval else {
      // This is the first frame, or its time is so far back that it comes from another clock.
      self.due = time + interval
      return true
    }
    // A frame may be early by a tenth of the interval, because the frames of a camera with exactly this rate jitter around it.
    guard time >= due - interval / 10 else { return false }
    self.due = max(due + interval, time)
    return true
  }
}
