package import WaymarkFrames
package import WaymarkImage
import WaymarkSystem

/// Carries frames from one source to any number of lanes, straight through: one slot a lane, the newest wins, nobody
/// waits for anybody.
///
/// The source is open only while a lane wants frames, and for `idleTime` after that; opening and closing happen on a
/// thread of the pipeline's own, so that no caller waits for a device.
package final class FramePipeline: FrameSink {
  /// How the pipeline treats its source.
  package struct Configuration: Sendable {
    /// Open from the start to the end, needed or not.
    package var keepsOpen: Bool
    /// How long the source stays open without need, in seconds.
    package var idleTime: Double

    /// A configuration.
    package init(keepsOpen: Bool = false, idleTime: Double = 10) {
      self.keepsOpen = keepsOpen
      self.idleTime = idleTime
    }
  }

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
  }

  private let control: Monitor<Control>
  private let flow: Monitor<Flow>
  private let thread = WorkerThread(name: "wm-pipeline")
  private let onStatus: @Sendable (SourceStatus) -> Void

  /// A pipeline without lanes; its source is closed until `start`.
  ///
  /// - Parameters:
  ///   - source: where frames come from.
  ///   - configuration: how it is treated.
  ///   - onStatus: receives every change of the source's state, on the source's thread; to return quickly.
  package init(
    source: any FrameSource, configuration: Configuration = Configuration(),
    onStatus: @escaping @Sendable (SourceStatus) -> Void = { _ in }
  ) {
    let need = SourceNeed(keepsOpen: configuration.keepsOpen, idleTime: configuration.idleTime)
    control = Monitor(Control(source: source, need: need))
    flow = Monitor(Flow(status: SourceStatus(.closed, device: source.device)))
    self.onStatus = onStatus
  }

  deinit { control.update { $0.stopping = true } }

  /// Adds a lane; frames come to it from now on, whenever it is enabled.
  package func add(_ lane: any FrameLane) {
    flow.withLock { $0.lanes.append(lane) }
    lane.onDemandChange { [weak self] in self?.reviewDemand() }
    reviewDemand()
  }

  /// Begins: from now on the source is opened when a lane wants frames.
  package func start() {
    thread.start { [weak self] _ in
      // Holds the pipeline only while there is something to do, not while it waits.
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

  /// Ends: closes the source and every lane; returns when all threads are over.
  package func stop() {
    control.update { $0.stopping = true }
    let lanes = flow.withLock { $0.lanes }
    // All at once: they are busy with a frame each, and the source with its device.
    for lane in lanes { lane.askToStop() }
    thread.stop()
    control.withLock { $0.source }.stop()
    for lane in lanes { lane.stop() }
  }

  /// Takes frames from another source from now on. Sequence numbers keep rising.
  package func select(_ source: any FrameSource) {
    control.update { $0.replacement = source }
  }

  /// The source in use.
  package var source: any FrameSource { control.withLock { $0.replacement ?? $0.source } }
  /// The last state that the source told.
  package var status: SourceStatus { flow.withLock { $0.status } }

  private func reviewDemand() {
    control.update { $0.demandChanged = true }
  }

  /// On the pipeline's thread: opens, closes and changes the source as needed.
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
      return (old, state.source, state.need.handle(.needed(needed), at: MonotonicClock.now))
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
    flow.withLock { $0.status = status }
    onStatus(status)
  }
}

extension FramePipeline {
  /// The counts of the pipeline and its lanes since they were made.
  package struct Counters: Sendable {
    /// Frames that came from the source.
    package var frames: UInt64
    /// The counts of the source.
    package var source: SourceStatistics
    /// Where the time of frames goes in the source.
    package var stages: [StageTimes.Summary]
    /// The counts and times of each lane, by its name, in the order they were added.
    package var lanes: [(name: String, statistics: LaneTimes)]
  }

  /// The counts so far.
  package var statistics: Counters {
    let (frames, lanes) = flow.withLock { ($0.sequence, $0.lanes) }
    let source = source
    return Counters(
      frames: frames, source: source.statistics, stages: source.stages?.summary ?? [],
      lanes: lanes.map { ($0.name, $0.statistics) })
  }

  /// The lanes that have been busy with one frame for longer than `limit` seconds: hung. Idle ones never are.
  package func hungLanes(limit: Double) -> [String] {
    let now = MonotonicClock.now
    return flow.withLock { $0.lanes }.filter { $0.busy(at: now) > limit }.map(\.name)
  }
}
