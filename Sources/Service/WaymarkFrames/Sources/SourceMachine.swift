import WaymarkSystem

/// The life of a source between `start` and `stop`, the same for a camera, a stream and a folder: what to do next after every frame, fault
/// and silence. A value: it knows neither the clock nor what is opened, it is told the time and says what is to be done.
///
/// | phase | `start` | `opened` | `frame` | `alive` | `unreadable` | `fault` | `time` at the deadline | `ended` | `stop` |
/// |---|---|---|---|---|---|---|---|---|---|
/// | closed | opening | | | | | | | | |
/// | opening | | opened | | | | waiting | | closed | closed |
/// | opened | | | streaming | opened | stalled | waiting | stalled | closed | closed |
/// | streaming | | | streaming | streaming | stalled | waiting | stalled | closed | closed |
/// | stalled | | | streaming | streaming | stalled | waiting | waiting | closed | closed |
/// | waiting | | | | | | | opening | closed | closed |
///
/// An empty cell: nothing happens. A fault that is final leads to `closed` from everywhere. A frame whose form is not known yet leaves a
/// source `opened`, and so does a sign of life.
package struct SourceMachine: Sendable {
  /// The event that it waits for.
  package enum Phase: Sendable, CaseIterable {
    /// Not started, stopped, or at its end.
    case closed
    /// To be opened now.
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

  /// An input of the machine.
  package enum Input: Sendable {
    case start
    case stop
    /// It was opened.
    case opened(Opening)
    /// It could not be opened, or failed while it was open.
    case fault(SourceFault)
    /// A frame came, of that form and rate where they were not agreed on when it was opened, or are others now.
    case frame(PixelLayout? = nil, rate: Double? = nil)
    /// Something came of which no frame could be made: it lives, and no more than that.
    case alive
    /// It is open, and nothing in it can be read.
    case unreadable(SourceError)
    /// It has come to an end that was meant.
    case ended
    /// Time has passed.
    case time
  }

  /// An order of the machine.
  package enum Effect: Sendable, Equatable {
    /// Open it and tell how it went.
    case open
    /// Give everything back.
    case close
    /// Tell the sink.
    case report(SourceStatus)
  }

  /// The result of opening.
  package struct Opening: Sendable, Equatable {
    /// The name; nil: as before.
    package var device: String?
    /// The form that was agreed on; nil: the first frame tells it.
    package var layout: PixelLayout?
    /// Frames a second, where they are known.
    package var rate: Double?
    /// How long no frame may come; nil: as long as it takes.
    package var frameTimeout: FrameTimeout?

    /// The source was opened.
    package init(
      device: String? = nil, layout: PixelLayout? = nil, rate: Double? = nil, frameTimeout: FrameTimeout? = nil
    ) {
      self.device = device
      self.layout = layout
      self.rate = rate
      self.frameTimeout = frameTimeout
    }
  }

  /// How long without a frame is too long, in seconds.
  package struct FrameTimeout: Sendable, Equatable {
    /// For the first frame: sources need time to wake up.
    package var first: Double
    /// For the next one.
    package var next: Double

    /// Patience in seconds.
    package init(first: Double, next: Double) {
      self.first = first
      self.next = next
    }
  }

  /// The differences between kinds of sources.
  package struct Policy: Sendable {
    /// How long to wait before it is opened again the first time, in seconds; ever longer after that, as long as the fault allows.
    var firstPause: Double
    /// How long a silent one is left alone before it is reopened, in seconds; nil: for ever, it speaks when it does.
    package var reopensAfter: Double?
    /// True if one that can be opened is there. A pipe can be opened before anybody writes into it: one that was lost and is silent
    /// is as lost as before.
    var openImpliesPresent: Bool
    /// Why it is silent.
    package var silence: @Sendable (_ device: String) -> SourceFault

    /// Habits of a kind of source.
    package init(
      firstPause: Double = 0.1, reopensAfter: Double?, openImpliesPresent: Bool = true,
      silence: @escaping @Sendable (_ device: String) -> SourceFault
    ) {
      self.firstPause = firstPause
      self.reopensAfter = reopensAfter
      self.openImpliesPresent = openImpliesPresent
      self.silence = silence
    }
  }

  package private(set) var phase = Phase.closed
  /// When to be called with `.time`, in seconds; nil: never.
  package private(set) var deadline: Double?
  /// How often it was lost.
  package private(set) var losses: UInt64 = 0
  /// The name.
  package private(set) var device: String
  /// True if something is wrong with it that was told.
  var isTroubled: Bool { problem != nil }

  private let policy: Policy
  private var opening = Opening()
  /// True if something is open, or was left open for those who come back to it.
  private var holds = false
  /// The problem, as reported last: nothing is reported twice.
  private var problem: SourceError?
  /// True if the problem is no more than silence.
  private var isSilenceAlone = false
  private var backoff: Backoff

  /// A closed source.
  ///
  /// - Parameter device: what it is called until it is known better.
  package init(device: String, policy: Policy) {
    self.device = device
    self.policy = policy
    backoff = Backoff(first: policy.firstPause)
  }

  /// Takes in what happened at `now` (seconds).
  package mutating func handle(_ input: Input, at now: Double) -> [Effect] {
    switch input {
    case .start: start()
    case .stop: end(ended: false)
    case .ended: end(ended: true)
    case .opened(let opening): opened(opening, now)
    case .fault(let fault): fail(fault, now)
    case .frame(let layout, let rate): frame(layout, rate, now)
    case .alive: alive(now)
    case .unreadable(let problem): stall(problem, now)
    case .time: time(now)
    }
  }

  private mutating func start() -> [Effect] {
    guard phase == .closed else { return [] }
    phase = .opening
    holds = true
    backoff.reset()
    return [.open]
  }

  private mutating func end(ended: Bool) -> [Effect] {
    guard phase != .closed else { return [] }
    let held = holds
    close()
    return (held ? [.close] : []) + [.report(status(.closed, ended: ended))]
  }

  private mutating func close() {
    phase = .closed
    deadline = nil
    holds = false
    opening = Opening()
    clear()
  }

  /// Nothing is wrong any more.
  private mutating func clear() {
    problem = nil
    isSilenceAlone = false
  }

  private mutating func opened(_ opening: Opening, _ now: Double) -> [Effect] {
    guard phase == .opening else { return [] }
    device = opening.device ?? device
    self.opening = opening
    phase = .opened
    expectFrame(now)
    // After a loss only a frame proves that it is back.
    return problem == nil ? [.report(status(.opened))] : []
  }

  /// Sets how long the next frame is waited for.
  private mutating func expectFrame(_ now: Double) {
    let isAwaited = policy.openImpliesPresent || problem == nil
    let frameTimeout = isAwaited ? opening.frameTimeout : nil
    deadline = frameTimeout.map { now + (phase == .opened ? $0.first : $0.next) }
  }

  private mutating func frame(_ layout: PixelLayout?, _ rate: Double?, _ now: Double) -> [Effect] {
    guard [.opened, .streaming, .stalled].contains(phase) else { return [] }
    backoff.reset()
    let isNew = layout != nil && layout != opening.layout
    if let layout {
      opening.layout = layout
      opening.rate = rate ?? opening.rate
    }
    // Nobody knows what it looks like: nobody wanted it.
    guard opening.layout != nil else { return alive(now) }
    let isBack = problem != nil && phase == .opened
    let isTold = phase == .streaming && !isNew
    phase = .streaming
    clear()
    expectFrame(now)
    guard !isTold else { return [] }
    return (isBack ? [.report(status(.back))] : []) + [.report(status(.streaming))]
  }

  private mutating func alive(_ now: Double) -> [Effect] {
    guard [.opened, .streaming, .stalled].contains(phase) else { return [] }
    let wasStalled = phase == .stalled
    if wasStalled {
      phase = opening.layout == nil ? .opened : .streaming
      if isSilenceAlone { clear() }
    }
    expectFrame(now)
    return wasStalled && phase == .streaming ? [.report(status(.streaming))] : []
  }

  private mutating func stall(_ problem: SourceError, _ now: Double) -> [Effect] {
    guard [.opened, .streaming, .stalled].contains(phase) else { return [] }
    phase = .stalled
    deadline = policy.reopensAfter.map { now + $0 }
    guard self.problem != problem else { return [] }
    isSilenceAlone = self.problem == nil
    self.problem = problem
    return [.report(status(.stalled))]
  }

  private mutating func time(_ now: Double) -> [Effect] {
    guard let deadline, now >= deadline else { return [] }
    switch phase {
    case .waiting:
      phase = .opening
      holds = true
      self.deadline = nil
      return [.open]
    case .opened, .streaming: return stall(policy.silence(device).problem, now)
    case .stalled:
      // Still silent: only reopening it may help. What was told still holds.
      wait(policy.silence(device), now)
      return [.close]
    case .closed, .opening:
      self.deadline = nil
      return []
    }
  }

  private mutating func fail(_ fault: SourceFault, _ now: Double) -> [Effect] {
    guard phase != .closed, phase != .waiting else { return [] }
    let isNews = fault.isNews(after: problem)
    if isNews {
      if phase != .opening { losses += 1 }
      problem = fault.problem
      isSilenceAlone = false
    }
    opening = Opening()
    guard !fault.isFinal else {
      let told = problem
      close()
      problem = told
      defer { clear() }
      return [.close] + (isNews ? [.report(status(.lost, ended: true))] : [.report(status(.closed, ended: true))])
    }
    wait(fault, now)
    return (holds ? [] : [.close]) + (isNews ? [.report(status(.lost))] : [])
  }

  private mutating func wait(_ fault: SourceFault, _ now: Double) {
    phase = .waiting
    holds = fault.leavesOpen
    backoff.longest = max(fault.longestPause, 0)
    // One source, one device: there is no crowd to be spread.
    deadline = now + backoff.next(chance: 1)
  }

  private func status(_ state: SourceStatus.State, ended: Bool = false) -> SourceStatus {
    SourceStatus(
      state, device: device, layout: opening.layout, rate: opening.rate, problem: problem, ended: ended)
  }
}
