import WaymarkSystem

/// The state machine of a source, the same for cameras, streams and folders. It decides when the source is opened, reported as
/// stalled or lost, and opened again. It uses neither a clock nor I/O: the caller passes the time, and performs the effects.
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
/// An empty cell means no effect. A final fault leads to `closed` instead of `waiting`. While no layout is known, `frame` and `alive`
/// lead to `opened` instead of `streaming`.
package struct SourceMachine: Sendable {
  /// The phases of the table above.
  package enum Phase: Sendable, CaseIterable {
    /// Not started, stopped, or ended.
    case closed
    /// Being opened.
    case opening
    /// Open, without a frame yet.
    case opened
    case streaming
    /// Open, but no frames arrive.
    case stalled
    /// Unavailable; opened again at `deadline`.
    case waiting
  }

  package enum Input: Sendable {
    case start
    case stop
    case opened(Opening)
    /// The source could not be opened, or failed while it was open.
    case fault(SourceFault)
    /// A frame arrived. Layout and rate are set if they were not known when the source was opened, or have changed.
    case frame(PixelLayout? = nil, rate: Double? = nil)
    /// Data arrived, but no complete frame.
    case alive
    /// The source is open, but none of its pictures can be read.
    case unreadable(SourceError)
    /// The source has ended as intended.
    case ended
    case time
  }

  package enum Effect: Sendable, Equatable {
    /// Open the source, then pass `opened` or `fault`.
    case open
    case close
    /// Pass a status to the sink.
    case report(SourceStatus)
  }

  package struct Opening: Sendable, Equatable {
    /// The name of the source; nil if unchanged.
    package var device: String?
    /// The layout agreed with the device; nil if the first frame determines it.
    package var layout: PixelLayout?
    /// The frames per second; nil if unknown.
    package var rate: Double?
    /// The maximum time without a frame; nil for no limit.
    package var frameTimeout: FrameTimeout?

    package init(
      device: String? = nil, layout: PixelLayout? = nil, rate: Double? = nil, frameTimeout: FrameTimeout? = nil
    ) {
      self.device = device
      self.layout = layout
      self.rate = rate
      self.frameTimeout = frameTimeout
    }
  }

  /// The time without a frame after which a source is stalled, in seconds.
  package struct FrameTimeout: Sendable, Equatable {
    /// The time for the first frame, since sources need a while to start.
    package var first: Double
    /// The time for each further frame.
    package var next: Double

    package init(first: Double, next: Double) {
      self.first = first
      self.next = next
    }
  }

  /// The differences between kinds of sources.
  package struct Policy: Sendable {
    /// The pause, in seconds, before a failed source is opened for the first time again. Further pauses grow up to the limit of the
    /// fault.
    var firstPause: Double
    /// The seconds after which a stalled source is closed and opened again; nil for never.
    package var reopensAfter: Double?
    /// True if a source that can be opened is present. False for pipes, which can be opened without a writer: a lost pipe stays
    /// lost until a frame arrives.
    var openImpliesPresent: Bool
    /// Returns the fault of a source that delivers no frames although it is open.
    package var silence: @Sendable (_ device: String) -> SourceFault

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
  /// The time at which the input `time` is due, in seconds; nil if it is not due.
  package var deadline: Double? { layoutDue.map { min($0, phaseDeadline ?? $0) } ?? phaseDeadline }
  package private(set) var losses: UInt64 = 0
  package private(set) var device: String
  /// True while there is a reported problem.
  var isTroubled: Bool { problem != nil }

  private let policy: Policy
  /// The time at which the phase ends, in seconds; nil if it has no limit.
  private var phaseDeadline: Double?
  /// The time at which a changed layout is reported, in seconds; nil if the last report has the layout.
  private var layoutDue: Double?
  /// The times of the last two reports that the source streams, in seconds.
  private var streamingReports = (last: -Double.infinity, before: -Double.infinity)
  /// At most two changes of the layout are reported in this many seconds, because the size of a stream's pictures may change with
  /// every frame.
  private static let layoutPause = 0.5
  private var opening = Opening()
  /// True if the source is open or being opened, or was left open for the next writer.
  private var holds = false
  /// The last reported problem, or `nil`; it is not reported again.
  private var problem: SourceError?
  /// True if the problem was reported when the source stalled, and no problem before. The next data that arrive then clear it.
  private var isSilenceAlone = false
  private var backoff: Backoff

  /// Creates a closed source.
  ///
  /// - Parameter device: the name of the source until it is opened.
  package init(device: String, policy: Policy) {
    self.device = device
    self.policy = policy
    backoff = Backoff(first: policy.firstPause)
  }

  /// Processes an input at the time `now`, in seconds.
  ///
  /// - Returns: the effects, to be performed in order.
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

  /// Returns the report that the source streams, which has the last layout.
  private mutating func streaming(_ now: Double) -> Effect {
    layoutDue = nil
    streamingReports = (now, streamingReports.last)
    return .report(status(.streaming))
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
    (phaseDeadline, layoutDue) = (nil, nil)
    holds = false
    opening = Opening()
    clear()
  }

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
    // After a loss, the source is only reported as back when a frame arrives.
    return problem == nil ? [.report(status(.opened))] : []
  }

  /// Sets the deadline for the next frame.
  private mutating func expectFrame(_ now: Double) {
    let isAwaited = policy.openImpliesPresent || problem == nil
    let frameTimeout = isAwaited ? opening.frameTimeout : nil
    phaseDeadline = frameTimeout.map { now + (phase == .opened ? $0.first : $0.next) }
  }

  private mutating func frame(_ layout: PixelLayout?, _ rate: Double?, _ now: Double) -> [Effect] {
    guard [.opened, .streaming, .stalled].contains(phase) else { return [] }
    backoff.reset()
    let isNew = layout != nil && layout != opening.layout
    if let layout {
      opening.layout = layout
      opening.rate = rate ?? opening.rate
    }
    // The layout of a frame that was not decoded is unknown.
    guard opening.layout != nil else { return alive(now) }
    let isBack = problem != nil && phase == .opened
    let wasStreaming = phase == .streaming
    let isReported = wasStreaming && !isNew
    phase = .streaming
    clear()
    expectFrame(now)
    guard !isReported else { return [] }
    let wait = streamingReports.before + Self.layoutPause
    if wasStreaming, now < wait {
      layoutDue = layoutDue ?? wait
      return []
    }
    return (isBack ? [.report(status(.back))] : []) + [streaming(now)]
  }

  private mutating func alive(_ now: Double) -> [Effect] {
    guard [.opened, .streaming, .stalled].contains(phase) else { return [] }
    let wasStalled = phase == .stalled
    if wasStalled {
      phase = opening.layout == nil ? .opened : .streaming
      if isSilenceAlone { clear() }
    }
    expectFrame(now)
    return wasStalled && phase == .streaming ? [streaming(now)] : []
  }

  private mutating func stall(_ problem: SourceError, _ now: Double) -> [Effect] {
    guard [.opened, .streaming, .stalled].contains(phase) else { return [] }
    phase = .stalled
    layoutDue = nil
    phaseDeadline = policy.reopensAfter.map { now + $0 }
    guard self.problem != problem else { return [] }
    isSilenceAlone = self.problem == nil
    self.problem = problem
    return [.report(status(.stalled))]
  }

  private mutating func time(_ now: Double) -> [Effect] {
    if let layoutDue, now >= layoutDue { return [streaming(now)] }
    guard let due = phaseDeadline, now >= due else { return [] }
    switch phase {
    case .waiting:
      phase = .opening
      holds = true
      phaseDeadline = nil
      return [.open]
    case .opened, .streaming: return stall(policy.silence(device).problem, now)
    case .stalled:
      // Still no frames arrive, so the source is opened again. The reported problem stays.
      wait(policy.silence(device), now)
      return [.close]
    case .closed, .opening:
      phaseDeadline = nil
      return []
    }
  }

  private mutating func fail(_ fault: SourceFault, _ now: Double) -> [Effect] {
    guard phase != .closed, phase != .waiting else { return [] }
    let isNew = fault.isNew(after: problem)
    if isNew {
      if phase != .opening { losses += 1 }
      problem = fault.problem
      isSilenceAlone = false
    }
    opening = Opening()
    guard !fault.isFinal else {
      let reported = problem
      close()
      problem = reported
      defer { clear() }
      return [.close] + (isNew ? [.report(status(.lost, ended: true))] : [.report(status(.closed, ended: true))])
    }
    wait(fault, now)
    return (holds ? [] : [.close]) + (isNew ? [.report(status(.lost))] : [])
  }

  private mutating func wait(_ fault: SourceFault, _ now: Double) {
    phase = .waiting
    layoutDue = nil
    holds = fault.leavesOpen
    backoff.longest = max(fault.longestPause, 0)
    // A single source needs no jitter.
    phaseDeadline = now + backoff.next(chance: 1)
  }

  private func status(_ state: SourceStatus.State, ended: Bool = false) -> SourceStatus {
    SourceStatus(
      state, device: device, layout: opening.layout, rate: opening.rate, problem: problem, ended: ended)
  }
}
