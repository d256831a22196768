package import WaymarkFrames
import WaymarkImage
package import WaymarkProtocol
import WaymarkSystem

/// Passes the frames of one source to any number of lanes. A lane is a thread for one kind of work on frames, such as reading
/// codes. Each lane has a slot for the newest frame, and lanes do not wait for each other.
///
/// The source is open while a lane needs frames, and for some time after that; `SourceNeed` below decides this. The pipeline's own
/// thread opens and closes the source, so that callers do not wait for a device.
package final class FramePipeline: FrameSink {
  private struct Control: Sendable {
    var source: any FrameSource
    var replacement: (any FrameSource)?
    var need: SourceNeed
    var demandChanged = true
    var stopping = false
  }

  private struct Flow: Sendable {
    var lanes: [any FrameLane] = []
    var sequence: UInt64 = 0
    var status: SourceStatus
    var onStatus: (@Sendable (SourceStatus) -> Void)?
  }

  private let control: Monitor<Control>
  private let flow: Monitor<Flow>
  private let thread = WorkerThread(name: "wm-pipeline")

  /// Creates a pipeline without lanes; its source stays closed until `start()`.
  package init(source: any FrameSource, need: SourceNeed = SourceNeed()) {
    control = Monitor(Control(source: source, need: need))
    flow = Monitor(Flow(status: SourceStatus(.closed, device: source.device)))
  }

  deinit { control.update { $0.stopping = true } }

  /// Adds a lane. It receives frames from now on while it is enabled.
  package func add(_ lane: any FrameLane) {
    flow.withLock { $0.lanes.append(lane) }
    lane.onDemandChange { [weak self] in self?.reviewDemand() }
    reviewDemand()
  }

  /// Sets the handler of the source's states. It is called on the source's thread and must return quickly.
  package func onStatus(_ handler: @escaping @Sendable (SourceStatus) -> Void) {
    flow.withLock { $0.onStatus = handler }
  }

  /// Starts the pipeline's thread, which opens the source when a lane needs frames.
  package func start() {
    thread.start { [weak self] _ in
      // The thread retains the pipeline only while it works, not while it waits.
      guard let control = self?.control else { return }
      while true {
        let deadline = control.withLock { $0.need.deadline }
        let stopping = control.wait(until: deadline) { state -> Bool? in
          if state.stopping { return true }
          guard state.demandChanged || state.replacement != nil || state.need.deadline != deadline else { return nil }
          state.demandChanged = false
          return false
        }
        guard stopping != true, let self else { return }
        self.serveSource()
      }
    }
  }

  /// Stops the source and every lane; returns after all their threads have ended.
  package func stop() {
    control.update { $0.stopping = true }
    let lanes = flow.withLock { $0.lanes }
    // All lanes are first asked to stop, so that the waits for their frames and for the source's device overlap.
    for lane in lanes { lane.askToStop() }
    thread.stop()
    control.withLock { $0.source }.stop()
    for lane in lanes { lane.stop() }
  }

  /// Takes frames from another source from now on. Sequence numbers continue.
  package func select(_ source: any FrameSource) {
    control.update { $0.replacement = source }
  }

  package var source: any FrameSource { control.withLock { $0.replacement ?? $0.source } }
  package var status: SourceStatus { flow.withLock { $0.status } }

  private func reviewDemand() {
    control.update { $0.demandChanged = true }
  }

  /// Opens, closes and replaces the source as needed. Called on the pipeline's thread.
  private func serveSource() {
    let lanes = flow.withLock { $0.lanes }
    let wanting = lanes.filter(\.isEnabled)
    var demand = FrameDemand(luma: false)
    for lane in wanting {
      if lane.wantsEncoded { demand.encoded = true }
      if lane.wantsLuma { demand.luma = true }
    }
    let rates = wanting.map(\.maximumRate)
    if !rates.contains(where: { $0 == nil }) { demand.maximumRate = rates.compactMap { $0 }.max() }

    let (old, source, effect) = control.withLock { state -> (any FrameSource, any FrameSource, SourceNeed.Effect?) in
      let old = state.source
      if let replacement = state.replacement {
        state.source = replacement
        state.replacement = nil
      }
      let needed = !wanting.isEmpty || state.source.staysOpen
      return (old, state.source, state.need.update(needed, at: MonotonicClock.now))
    }
    source.demand(demand)
    let isOpen = control.withLock { $0.need.isOpen }
    if old !== source {
      old.stop()
      if isOpen {
        source.start(self)
      } else {
        receive(SourceStatus(.closed, device: source.device))
      }
      return
    }
    switch effect {
    case .open: source.start(self)
    case .close: source.stop()
    case nil: break
    }
  }

  package func receive(_ frame: Frame) {
    var frame = frame
    let lanes = flow.withLock { flow in
      flow.sequence += 1
      frame.sequence = flow.sequence
      return flow.lanes
    }
    for lane in lanes { lane.offer(frame) }
  }

  package func receive(_ status: SourceStatus) {
    let onStatus = flow.withLock { flow in
      flow.status = status
      return flow.onStatus
    }
    onStatus?(status)
  }
}

extension FramePipeline {
  /// The counts and times of the source, and of the lanes in the order in which they were added.
  package var statistics: (frames: FrameStatistics, lanes: [LaneStatistics]) {
    let (frames, lanes) = flow.withLock { ($0.sequence, $0.lanes) }
    let source = source
    let counts = source.statistics
    return (
      FrameStatistics(
        captured: Int(frames), bad: Int(counts.damaged), lost: Int(counts.droppedByDriver),
        stages: source.stages?.statistics), lanes.map(\.statistics)
    )
  }

  /// Returns the names of the lanes that have been busy with one frame for longer than `limit` seconds.
  package func hungLanes(limit: Double) -> [String] {
    let now = MonotonicClock.now
    return flow.withLock { $0.lanes }.filter { $0.busy(at: now) > limit }.map(\.name)
  }
}

// MARK: - The need for a source

/// Decides when the source is open: from the moment a lane needs frames until some time after the last need.
///
/// A state machine without a clock: the caller passes the time, and calls `update` again at `deadline`.
package struct SourceNeed: Sendable, Equatable {
  package enum Effect: Sendable, Equatable {
    case open
    case close
  }

  /// True if the source is opened at the start and never closed.
  private let keepsOpen: Bool
  /// The seconds that the source stays open while no lane needs frames.
  private let idleTime: Double
  /// True if the source should be open now.
  package private(set) var isOpen = false
  /// The time at which the source is to be closed unless a lane needs frames by then, in seconds of the caller's clock; nil without
  /// such a time.
  package private(set) var deadline: Double?
  private var needed = false

  package init(keepsOpen: Bool = false, idleTime: Double = ServiceSettings().camera.closeAfter) {
    self.keepsOpen = keepsOpen
    self.idleTime = max(0, idleTime)
  }

  /// Sets whether frames are needed. Also called at the deadline.
  ///
  /// - Parameter now: the time in seconds of a monotonic clock.
  /// - Returns: whether to open or close the source; nil to do neither.
  package mutating func update(_ needed: Bool, at now: Double) -> Effect? {
    if needed {
      deadline = nil
    } else if self.needed && isOpen && !keepsOpen {
      deadline = now + idleTime
    }
    self.needed = needed
    if (needed || keepsOpen) && !isOpen {
      isOpen = true
      return .open
    }
    if let deadline, now >= deadline {
      self.deadline = nil
      isOpen = false
      return .close
    }
    return nil
  }
}
