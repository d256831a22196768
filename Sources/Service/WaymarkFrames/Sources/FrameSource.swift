package import WaymarkImage
import WaymarkSystem

/// A source of frames: a camera, a folder of pictures, a stream.
///
/// A source runs on a thread of its own from `start` to `stop` and hands everything to its sink on that thread. Faults
/// are statuses, not errors: a source that was started keeps trying until it is stopped.
package protocol FrameSource: AnyObject, Sendable {
  /// The name in `camera.status`: the identity of a camera, else a path or `-`.
  var device: String { get }
  /// The kind of its frames.
  var origin: FrameOrigin { get }
  /// The counts of frames that it delivered and that it could not, since it was made.
  var statistics: SourceStatistics { get }
  /// Where the time of a frame goes before it is handed over; nil where that is not measured.
  var stages: StageTimes? { get }
  /// The controls; empty while it is closed or when there are none.
  var controls: [SourceControl] { get }

  /// True if it should be kept open without need, because whoever feeds it would give up.
  var staysOpen: Bool { get }

  /// Starts to deliver; no effect when it runs already.
  func start(_ sink: any FrameSink)
  /// Ends and gives the device back; returns when its thread is over. May be called from the sink: then it returns at
  /// once, and the thread ends after the sink's call.
  func stop()
  /// Says what is wanted of the following frames; may be called at any time.
  func demand(_ demand: FrameDemand)
  /// Adjusts a control by its name; kept and set again whenever the device is reopened.
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

/// Receives the frames and the state of a source. Called on the source's thread, which waits: return quickly.
package protocol FrameSink: Sendable {
  /// A picture.
  func receive(_ frame: Frame)
  /// A change of state.
  func receive(_ status: SourceStatus)
}

/// The demand for the frames to come.
package struct FrameDemand: Sendable, Equatable {
  /// Luma, for a lane. Without it a source that is open only keeps its queue moving, which costs next to nothing.
  package var luma: Bool
  /// The bytes as captured, for a watcher; a source that has none gives luma in their place.
  package var encoded: Bool
  /// At most so many frames a second; nil: all.
  package var maximumRate: Double?

  /// A demand.
  package init(luma: Bool = true, encoded: Bool = false, maximumRate: Double? = nil) {
    self.luma = luma
    self.encoded = encoded
    self.maximumRate = maximumRate
  }

  /// True if anything is wanted at all.
  package var isEmpty: Bool { !luma && !encoded }
}

/// The counts of a source since it was made.
package struct SourceStatistics: Sendable, Equatable, Codable {
  /// Frames handed to the sink.
  package var delivered: UInt64 = 0
  /// Frames that were taken and given back unread, because nobody wanted them or they came faster than wanted.
  package var unwanted: UInt64 = 0
  /// Frames that were damaged: flagged by the driver, truncated, undecodable.
  package var damaged: UInt64 = 0
  /// Frames that the driver itself had to drop (gaps in its sequence).
  package var droppedByDriver: UInt64 = 0
  /// How often the device was opened.
  package var opened: UInt64 = 0
  /// How often it was lost.
  package var lost: UInt64 = 0

  /// Nothing done yet.
  package init() {}
}
