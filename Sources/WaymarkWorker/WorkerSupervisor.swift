/// When a worker is started, used, or left alone for a while. A value without clock and processes.
struct WorkerSupervisor: Equatable {
  /// What happened.
  enum Input: Equatable {
    /// There is something to do.
    case wanted
    /// It answered.
    case answered
    /// It could not be started, crashed, hung or sent a malformed answer; it is gone.
    case failed
    /// It was ended because nothing more is wanted of it.
    case ended
  }

  /// What is to be done about something to do.
  enum Decision: Equatable {
    case start
    case use
    /// Too soon after too many failures: what there was to do is lost.
    case rest
  }

  private(set) var isRunning = false
  /// Failures in a row.
  private var failures = 0
  private var failedAt = 0.0
  private var restsUntil = 0.0

  /// The first failure costs no rest, the following ones more and more: 0.1 s, 0.2 s … 2 s. Whoever shows a picture that ends workers
  /// does not get the processor for it, and nobody waits long after it is gone.
  private static let shortest = 0.1
  private static let longest = 2.0
  /// After that long without a failure all is forgotten, in seconds.
  private static let memory = 10.0

  /// - Parameter now: in seconds.
  mutating func handle(_ input: Input, at now: Double) -> Decision? {
    switch input {
    case .wanted:
      if isRunning { return .use }
      if now < restsUntil { return .rest }
      isRunning = true
      return .start
    case .answered:
      if now - failedAt > Self.memory { failures = 0 }
      return nil
    case .ended:
      isRunning = false
      return nil
    case .failed:
      isRunning = false
      failures = now - failedAt > Self.memory ? 1 : failures + 1
      failedAt = now
      let doublings = min(failures - 2, 10)
      restsUntil = doublings < 0 ? now : now + min(Self.longest, Self.shortest * Double(1 << doublings))
      return nil
    }
  }
}
