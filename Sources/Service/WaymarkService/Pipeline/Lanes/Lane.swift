package import WaymarkFrames
package import WaymarkImage
import WaymarkSystem

/// A thread that makes values of frames: one slot, the newest frame wins, nobody waits for it.
///
/// The work sees luma and settings and gives values; it knows neither the camera nor the socket.
package final class Lane<Settings: Sendable, Output: Sendable>: FrameLane {
  /// The lane's work on a frame. Made on the lane's thread and used only there, so it may own scanners, decoders and
  /// scratch memory that no other thread may touch.
  package typealias Work = (Frame, Settings) -> Output?

  private struct State: Sendable {
    var settings: Settings
    var enabled: Bool
    var maximumRate: Double?
    var slot: Frame?
    var pacer = FramePacer()
    var processed: UInt64 = 0
    var skipped: UInt64 = 0
    var times = RecentTimes()
    var busySince: Double?
    var stopping = false
    /// True if the work is to be released, with all that it keeps of frames.
    var isForgotten = false
    var demandChanged: (@Sendable () -> Void)?
  }

  /// The next step of the thread.
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

  /// A lane that waits for frames at once.
  ///
  /// - Parameters:
  ///   - name: for statistics and the thread.
  ///   - settings: what the work gets beside the frame; may be changed at any time.
  ///   - enabled: whether frames are wanted from the start.
  ///   - maximumRate: at most so many frames a second; nil: all.
  ///   - wantsEncoded: whether it uses pictures as they were captured.
  ///   - wantsLuma: whether it reads their luma; a lane that shows pictures as they were captured does not, unless told otherwise.
  ///   - stages: where the work tells its own stages, if it has some.
  ///   - makeWork: makes the work, on the lane's thread, before the first frame.
  ///   - deliver: receives what the work made of a frame, on the lane's thread; not called when the work gave nil or the
  ///     lane was switched off meanwhile.
  package init(
    name: String, settings: Settings, enabled: Bool = false, maximumRate: Double? = nil, wantsEncoded: Bool = false,
    wantsLuma: Bool? = nil,
    stages: StageTimes = StageTimes(), makeWork: @escaping @Sendable () -> Work,
    deliver: @escaping @Sendable (Output, Frame) -> Void
  ) {
    self.name = name
    self.wantsEncoded = wantsEncoded
    self.wantsLuma = wantsLuma ?? !wantsEncoded
    let state = Monitor(State(settings: settings, enabled: enabled, maximumRate: maximumRate))
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
    // The thread of a lane that does not take the frame sleeps on: most lanes are off most of the time.
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

  /// The settings that the work gets beside the frame, from the next frame on.
  package var settings: Settings {
    get { state.withLock { $0.settings } }
    set { state.withLock { $0.settings = newValue } }
  }

  /// Wants frames or not. Switched off, a waiting frame is let go.
  package func setEnabled(_ enabled: Bool) {
    let changed = state.withLock { state -> (@Sendable () -> Void)? in
      guard state.enabled != enabled else { return nil }
      state.enabled = enabled
      if !enabled { state.slot = nil }
      return state.demandChanged
    }
    changed?()
  }

  /// Releases the work, and so of all that it keeps of frames; the next frame gets a new one.
  package func forget() { state.update { $0.isForgotten = true } }

  /// Limits the rate; nil: all frames.
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

  package var statistics: LaneTimes {
    // Sorted within the lock: a copy of the times would make the lane's next frame allocate others.
    var statistics = state.withLock { state in
      var statistics = LaneTimes()
      statistics.processed = state.processed
      statistics.skipped = state.skipped
      if let shares = state.times.percentiles([0.5, 0.99]) {
        statistics.median = shares[0]
        statistics.percentile99 = shares[1]
      }
      return statistics
    }
    statistics.stages = stages.summary
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
