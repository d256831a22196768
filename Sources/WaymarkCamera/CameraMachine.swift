package import WaymarkImage

/// The life of a camera between `start` and `stop`: what to do next after every frame, fault and silence. A value: it
/// knows neither the clock nor the driver, it is told the time and says what is to be done.
package struct CameraMachine: Sendable, Equatable {
  /// What it is waiting for.
  package enum Phase: Sendable, Equatable {
    /// Not started, or stopped.
    case closed
    /// The camera is to be opened now.
    case opening
    /// Open; no frame yet.
    case opened
    /// Frames arrive.
    case streaming
    /// Open, but silent.
    case stalled
    /// Not to be had; to be tried again at `deadline`.
    case waiting
  }

  /// What happened.
  package enum Input: Sendable, Equatable {
    case start
    case stop
    /// The camera was opened and streams in this form.
    case opened(device: String, layout: PixelLayout, rate: Double?)
    /// It could not be opened, or failed while it was open.
    case fault(CameraFault)
    /// A buffer came; damaged or not, the camera lives.
    case frame
    /// Time has passed.
    case time
  }

  /// What to do.
  package enum Effect: Sendable, Equatable {
    /// Open the camera and tell how it went.
    case open
    /// Give everything back.
    case close
    /// Tell the sink.
    case report(SourceStatus)
  }

  package private(set) var phase = Phase.closed
  /// When to be called with `.time`, in seconds; nil: never.
  package private(set) var deadline: Double?
  /// How often the camera was lost.
  package private(set) var losses: UInt64 = 0

  private let stallFrames: Int
  private var device: String
  private var layout: PixelLayout?
  private var rate: Double?
  /// Why it is not to be had, as told last: nothing is told twice.
  private var problem: CameraFault?
  private var attempts = 0

  /// A closed camera.
  ///
  /// - Parameters:
  ///   - device: what it is called until it is known better.
  ///   - stallFrames: after how many frame times without a frame it counts as stalled.
  package init(device: String, stallFrames: Int = 15) {
    self.device = device
    self.stallFrames = max(2, stallFrames)
  }

  /// How long without a frame is too long, in seconds: a camera needs time to wake up, and slow rates need more.
  private var patience: Double {
    let interval = 1 / max(rate ?? 30, 0.2)
    return max(phase == .opened ? 3 : 0.5, Double(stallFrames) * interval)
  }

  /// How long a silent camera is left alone before it is reopened, in seconds.
  private static let stallRecovery = 2.0

  /// Takes in what happened at `now` (seconds).
  package mutating func handle(_ input: Input, at now: Double) -> [Effect] {
    switch input {
    case .start: start()
    case .stop: stop()
    case .opened(let device, let layout, let rate): opened(device, layout, rate, now)
    case .fault(let fault): fail(fault, now)
    case .frame: frame(now)
    case .time: time(now)
    }
  }

  private mutating func start() -> [Effect] {
    guard phase == .closed else { return [] }
    phase = .opening
    attempts = 0
    return [.open]
  }

  private mutating func stop() -> [Effect] {
    guard phase != .closed else { return [] }
    let holds = phase != .waiting
    phase = .closed
    deadline = nil
    problem = nil
    layout = nil
    rate = nil
    return (holds ? [.close] : []) + [.report(status(.closed))]
  }

  private mutating func opened(_ device: String, _ layout: PixelLayout, _ rate: Double?, _ now: Double) -> [Effect] {
    guard phase == .opening else { return [] }
    self.device = device
    self.layout = layout
    self.rate = rate
    phase = .opened
    deadline = now + patience
    // After a loss only a frame proves that it is back.
    return problem == nil ? [.report(status(.opened))] : []
  }

  private mutating func frame(_ now: Double) -> [Effect] {
    switch phase {
    case .streaming:
      deadline = now + patience
      return []
    case .opened, .stalled:
      let wasLost = problem != nil && phase == .opened
      phase = .streaming
      problem = nil
      attempts = 0
      deadline = now + patience
      return (wasLost ? [.report(status(.back))] : []) + [.report(status(.streaming))]
    case .closed, .opening, .waiting: return []
    }
  }

  private mutating func time(_ now: Double) -> [Effect] {
    guard let deadline, now >= deadline else { return [] }
    switch phase {
    case .waiting:
      phase = .opening
      self.deadline = nil
      return [.open]
    case .opened, .streaming:
      phase = .stalled
      self.deadline = now + Self.stallRecovery
      guard problem != .stalled else { return [] }
      problem = .stalled
      return [.report(status(.stalled))]
    case .stalled:
      // Still silent: only opening it anew may help. What was told still holds.
      phase = .waiting
      attempts += 1
      self.deadline = now + pause(after: .stalled)
      return [.close]
    case .closed, .opening:
      self.deadline = nil
      return []
    }
  }

  private mutating func fail(_ fault: CameraFault, _ now: Double) -> [Effect] {
    guard phase != .closed, phase != .waiting else { return [] }
    var effects: [Effect] = [.close]
    // What was unplugged is absent when it is looked for again: that is no news.
    let told = problem.map { $0 == fault || ($0 == .gone && fault == .absent) } ?? false
    if !told {
      if phase != .opening { losses += 1 }
      problem = fault
      layout = nil
      rate = nil
      effects.append(.report(status(.lost)))
    }
    phase = .waiting
    deadline = now + pause(after: fault)
    attempts += 1
    return effects
  }

  /// How long to wait before the next attempt, in seconds: at once after a device went (udev may have made its node
  /// already), then ever longer, as long as the fault allows. To look for an absent camera costs next to nothing and must
  /// find it within a second; to open one that fails costs the driver a reset.
  private func pause(after fault: CameraFault) -> Double {
    let longest =
      switch fault {
      case .absent, .gone: 0.25
      case .busy, .notPermitted: 1.0
      case .stalled, .broken, .unsupported, .locked: 5.0
      }
    return min(0.1 * Double(1 << min(attempts, 10)), longest)
  }

  private func status(_ state: SourceStatus.State) -> SourceStatus {
    SourceStatus(state, device: device, layout: layout, rate: rate, problem: problem?.error(device: device))
  }
}
