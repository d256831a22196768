package import WaymarkFrames
package import WaymarkImage
package import WaymarkProtocol
import WaymarkSystem

/// The interface of a lane to the pipeline. `Lane` below implements the interface for any work on frames.
package protocol FrameLane: AnyObject, Sendable {
  /// A short name for statistics and the thread, such as `barcode`.
  var name: String { get }
  var isEnabled: Bool { get }
  /// The maximum number of frames that the lane takes per second; nil for all.
  var maximumRate: Double? { get }
  /// True if the lane uses pictures as they were captured.
  var wantsEncoded: Bool { get }
  var wantsLuma: Bool { get }
  /// The counts and times since the lane was created.
  var statistics: LaneStatistics { get }

  /// Puts a frame into the slot. It replaces a frame that the lane has not taken yet. Does not wait for the lane's work.
  func offer(_ frame: Frame)
  /// Returns the seconds that the lane has been busy with the current frame; 0 while the lane waits for a frame.
  func busy(at now: Double) -> Double
  /// Sets the handler of changes of `isEnabled` or `maximumRate`.
  func onDemandChange(_ handler: (@Sendable () -> Void)?)
  /// Asks the lane's thread to end, without waiting for it.
  func askToStop()
  /// Stops the lane's thread; returns after it has ended.
  func stop()
}

/// A thread that computes a value from each frame. It always takes the newest frame from a slot; the source replaces the frame in
/// the slot without waiting.
///
/// The work depends only on the frame and the settings, and neither on the camera nor on the socket.
package final class Lane<Settings: Sendable, Output: Sendable>: FrameLane {
  /// The lane's work on a frame. It is created and called only on the lane's thread, so it may own scanners, decoders and buffers
  /// that are not thread-safe.
  package typealias Work = (Frame, Settings) -> Output?

  private struct State: Sendable {
    var settings: Settings
    var enabled = false
    var maximumRate: Double?
    var slot: Frame?
    var pacer = FramePacer()
    var processed = 0
    var skipped = 0
    var times = RecentTimes()
    var busySince: Double?
    var stopping = false
    /// True if the lane's thread is to release the work and its frames.
    var isForgotten = false
    var demandChanged: (@Sendable () -> Void)?
  }

  private enum Next: Sendable {
    case frame(Frame, Settings)
    case forget, stop
  }

  package let name: String
  package let wantsEncoded: Bool
  package let wantsLuma: Bool
  private let state: Monitor<State>
  private let stages: StageTimes
  private let thread: WorkerThread

  /// Creates a lane that is off until `setEnabled`.
  ///
  /// - Parameters:
  ///   - settings: the settings that the work receives with each frame; can be changed at any time.
  ///   - maximumRate: the maximum number of frames per second; nil for all.
  ///   - wantsEncoded: whether the work uses pictures as they were captured.
  ///   - wantsLuma: whether the work reads luma; by default the opposite of `wantsEncoded`.
  ///   - makeWork: creates the work, on the lane's thread, before the first frame.
  ///   - deliver: receives the output for a frame, on the lane's thread; not called if the output is nil or the lane was switched off
  ///   meanwhile.
  package init(
    name: String, settings: Settings, maximumRate: Double? = nil, wantsEncoded: Bool = false,
    wantsLuma: Bool? = nil,
    stages: StageTimes = StageTimes(), makeWork: @escaping @Sendable () -> Work,
    deliver: @escaping @Sendable (Output, Frame) -> Void
  ) {
    self.name = name
    self.wantsEncoded = wantsEncoded
    self.wantsLuma = wantsLuma ?? !wantsEncoded
    let state = Monitor(State(settings: settings, maximumRate: maximumRate))
    self.state = state
    self.stages = stages
    thread = WorkerThread(name: "wm-\(name)")
    thread.start { _ in Self.run(state, stages, makeWork, deliver) }
  }

  deinit { stop() }

  private static func run(
    _ state: Monitor<State>, _ stages: StageTimes, _ makeWork: @Sendable () -> Work,
    _ deliver: @Sendable (Output, Frame) -> Void
  ) {
    var work: Work?
    while true {
      let task = state.wait { state -> Next? in
        if state.stopping { return .stop }
        if state.isForgotten {
          state.isForgotten = false
          return .forget
        }
        guard let frame = state.slot else { return nil }
        state.slot = nil
        state.busySince = MonotonicClock.now
        return .frame(frame, state.settings)
      }
      let next: (frame: Frame, settings: Settings)
      switch task {
      case .frame(let frame, let settings): next = (frame, settings)
      case .forget:
        work = nil
        continue
      case .stop, nil: return
      }
      let began = MonotonicClock.now
      stages.record("wait", began - next.frame.captured)
      if work == nil { work = makeWork() }
      let output = work?(next.frame, next.settings)
      let ended = MonotonicClock.now
      let wanted = state.withLock { state in
        state.processed += 1
        state.times.record(ended - began)
        return state.enabled && !state.stopping
      }
      if wanted, let output {
        deliver(output, next.frame)
        let delivered = MonotonicClock.now
        stages.record("deliver", delivered - ended)
        stages.record("total", delivered - next.frame.captured)
      }
      state.withLock { $0.busySince = nil }
    }
  }

  package func offer(_ frame: Frame) {
    // If the lane does not take the frame, its thread is not woken: most lanes are off most of the time.
    state.signal { state in
      guard state.enabled, !state.stopping,
        !wantsLuma || frame.hasLuma, state.pacer.takes(frame.captured, rate: state.maximumRate)
      else { return false }
      if state.slot != nil { state.skipped += 1 }
      state.slot = frame
      return true
    }
  }

  package func busy(at now: Double) -> Double {
    state.withLock { state in state.busySince.map { max(0, now - $0) } ?? 0 }
  }

  package var isEnabled: Bool { state.withLock { $0.enabled } }
  package var maximumRate: Double? { state.withLock { $0.maximumRate } }

  /// The settings that the work receives from the next frame on.
  package var settings: Settings {
    get { state.withLock { $0.settings } }
    set { state.withLock { $0.settings = newValue } }
  }

  /// Switches the lane on or off. Switching it off releases a waiting frame.
  package func setEnabled(_ enabled: Bool) {
    let changed = state.withLock { state -> (@Sendable () -> Void)? in
      guard state.enabled != enabled else { return nil }
      state.enabled = enabled
      if !enabled { state.slot = nil }
      return state.demandChanged
    }
    changed?()
  }

  /// Releases the work and its frames; new work is created for the next frame.
  package func forget() { state.update { $0.isForgotten = true } }

  /// Sets the maximum number of frames per second; nil for all.
  package func setMaximumRate(_ rate: Double?) {
    let changed = state.withLock { state -> (@Sendable () -> Void)? in
      guard state.maximumRate != rate else { return nil }
      state.maximumRate = rate
      return state.demandChanged
    }
    changed?()
  }

  package func onDemandChange(_ handler: (@Sendable () -> Void)?) {
    state.withLock { $0.demandChanged = handler }
  }

  package var statistics: LaneStatistics {
    // The percentiles are computed within the lock. If the times were copied instead, the lane's next frame would have to allocate
    // a new buffer.
    var statistics = state.withLock { state in
      let shares = state.times.percentiles([0.5, 0.99]) ?? [0, 0]
      return LaneStatistics(
        name: name, frames: state.processed, skipped: state.skipped, p50: shares[0], p99: shares[1])
    }
    statistics.stages = stages.statistics
    return statistics
  }

  package func askToStop() {
    state.update { state in
      state.stopping = true
      state.slot = nil
    }
  }

  package func stop() {
    askToStop()
    thread.stop()
  }
}

extension StageTimes {
  /// The times of the stages as in the protocol; nil before the first time is recorded.
  package var statistics: [StageStatistics]? {
    let summary = summary
    guard !summary.isEmpty else { return nil }
    return summary.map {
      StageStatistics(name: $0.name, frames: Int($0.count), p50: $0.median, p99: $0.percentile99)
    }
  }
}
