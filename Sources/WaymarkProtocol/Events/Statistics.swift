/// Figures of the running service; once a second to who asked for them by name.
public struct Statistics: EventPayload {
  /// Seconds since the start.
  public var uptime: Double
  /// Frames since the start.
  public var frames: FrameStatistics
  /// The lanes.
  public var lanes: [LaneStatistics]
  /// Connections that are open.
  public var clients: Int
  /// Events published since the start.
  public var events: Int
  /// Events that slow clients lost since the start.
  public var dropped: Int
  /// Resident memory in bytes.
  public var memory: Int
  /// Processor seconds used since the start.
  public var cpu: Double
  /// The processes that read codes and pictures; nil when the service reads them itself.
  public var workers: WorkerStatistics?
  /// Frames and lanes of each camera, where there are several; `frames` and `lanes` are of the first.
  public var cameras: [CameraStatistics]?

  /// The name on the wire.
  public static let event = "statistics"

  /// Nothing in it is a secret.
  public var forObservers: Self { self }

  /// A value from its parts.
  public init(
    uptime: Double, frames: FrameStatistics, lanes: [LaneStatistics], clients: Int, events: Int, dropped: Int,
    memory: Int, cpu: Double, workers: WorkerStatistics? = nil, cameras: [CameraStatistics]? = nil
  ) {
    self.uptime = uptime
    self.frames = frames
    self.lanes = lanes
    self.clients = clients
    self.events = events
    self.dropped = dropped
    self.memory = memory
    self.cpu = cpu
    self.workers = workers
    self.cameras = cameras
  }
}

/// The frames and lanes of one of several cameras.
public struct CameraStatistics: Codable, Hashable, Sendable {
  /// Its name.
  public var name: String
  /// Frames since the start.
  public var frames: FrameStatistics
  /// The lanes.
  public var lanes: [LaneStatistics]

  /// A value from its parts.
  public init(name: String, frames: FrameStatistics, lanes: [LaneStatistics]) {
    self.name = name
    self.frames = frames
    self.lanes = lanes
  }
}

/// Frames since the start.
public struct FrameStatistics: Codable, Hashable, Sendable {
  /// Frames that arrived.
  public var captured: Int
  /// Damaged frames that were skipped.
  public var bad: Int
  /// Frames lost between driver and slot.
  public var lost: Int
  /// Where their time went before the lanes: `driver` (from the capture to our hands), `luma`.
  public var stages: [StageStatistics]?

  /// A value from its parts.
  public init(
    captured: Int, bad: Int, lost: Int, stages: [StageStatistics]? = nil
  ) {
    self.stages = stages
    self.captured = captured
    self.bad = bad
    self.lost = lost
  }
}

/// A lane of the pipeline.
public struct LaneStatistics: Codable, Hashable, Sendable {
  /// Its name.
  public var name: String
  /// Frames it looked at since the start.
  public var frames: Int
  /// Frames it had no time for since the start.
  public var skipped: Int
  /// Median time a frame took lately, in seconds.
  public var p50: Double
  /// 99th percentile of it, in seconds.
  public var p99: Double
  /// Where the time went: `wait` (from the capture to the lane), the lane's own stages, `deliver`, and `total` (from the
  /// capture until it was handed on).
  public var stages: [StageStatistics]?

  /// A value from its parts.
  public init(
    name: String, frames: Int, skipped: Int, p50: Double, p99: Double, stages: [StageStatistics]? = nil
  ) {
    self.stages = stages
    self.name = name
    self.frames = frames
    self.skipped = skipped
    self.p50 = p50
    self.p99 = p99
  }
}

/// A stage on the way of a frame.
public struct StageStatistics: Codable, Hashable, Sendable {
  /// Its name.
  public var name: String
  /// Frames that went through it since the start.
  public var frames: Int
  /// Median of the recent times, in seconds.
  public var p50: Double
  /// 99th percentile of them, in seconds.
  public var p99: Double

  /// A value from its parts.
  public init(name: String, frames: Int, p50: Double, p99: Double) {
    self.name = name
    self.frames = frames
    self.p50 = p50
    self.p99 = p99
  }
}

/// The processes that read codes and pictures, since the start.
public struct WorkerStatistics: Codable, Hashable, Sendable {
  /// How many were started.
  public var starts: Int
  /// How many ended by themselves.
  public var crashes: Int
  /// How many were ended because they did not answer.
  public var hangs: Int
  /// Frames and pictures that were lost with one, or while none was to be had.
  public var lost: Int
  /// How often which failure lost one, by its code: `workerCrashed`, `workerHung`, …; nil when there was none.
  public var failures: [String: Int]?

  /// A value from its parts.
  public init(starts: Int, crashes: Int, hangs: Int, lost: Int, failures: [String: Int]? = nil) {
    self.failures = failures
    self.starts = starts
    self.crashes = crashes
    self.hangs = hangs
    self.lost = lost
  }
}
