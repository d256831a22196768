// Clocks, times of the week, and values that decide by time: the pace of reports, waits between attempts, presence.
import Glibc

/// The clock of frames and timeouts: it is never set, and stops while the device sleeps.
package enum MonotonicClock {
  /// Seconds of `CLOCK_MONOTONIC`.
  package static var now: Double { seconds(CLOCK_MONOTONIC) }
}

/// A limit of the time that work may take.
package enum TimeLimit {
  /// Returns the value of `work`, which is cancelled after `limit`; nil if it takes longer, or throws.
  package static func value<Value: Sendable>(
    within limit: Duration, of work: @escaping @Sendable () async throws -> Value
  ) async -> Value? {
    await withTaskGroup(of: Value?.self) { group in
      group.addTask { try? await work() }
      group.addTask {
        try? await Task.sleep(for: limit)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
  }
}

/// The clock that includes the time in which the device sleeps.
package enum BootClock {
  /// Seconds since boot, sleep included.
  package static var now: Double { seconds(CLOCK_BOOTTIME) }
}

/// The clock of used processor time, for measurements on a busy machine.
package enum ProcessorClock {
  /// Seconds that all threads of this process have run.
  package static var process: Double { seconds(CLOCK_PROCESS_CPUTIME_ID) }
  /// Seconds that this thread has run.
  package static var thread: Double { seconds(CLOCK_THREAD_CPUTIME_ID) }
}

/// The clock of messages and the log, which jumps when it is set.
package enum WallClock {
  /// Seconds since 1970.
  package static var now: Double { seconds(CLOCK_REALTIME) }

  /// The current time by RFC 3339, in UTC with milliseconds.
  package static var timestamp: String {
    let now = reading(CLOCK_REALTIME)
    return timestamp(seconds: now.tv_sec, milliseconds: now.tv_nsec / 1_000_000)
  }

  /// Returns a moment by RFC 3339 in UTC; milliseconds only if given.
  package static func timestamp(seconds: Int, milliseconds: Int? = nil) -> String {
    var time = time_t(seconds)
    var parts = tm()
    gmtime_r(&time, &parts)
    let date = "\((parts.tm_year + 1900).digits(4))-\((parts.tm_mon + 1).digits(2))-\(parts.tm_mday.digits(2))"
    let clock = "\(parts.tm_hour.digits(2)):\(parts.tm_min.digits(2)):\(parts.tm_sec.digits(2))"
    return "\(date)T\(clock)\(milliseconds.map { "." + $0.digits(3) } ?? "")Z"
  }
}

private func reading(_ clock: clockid_t) -> timespec {
  var time = timespec()
  clock_gettime(clock, &time)
  return time
}

private func seconds(_ clock: clockid_t) -> Double {
  let time = reading(clock)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

// MARK: - Trust in the wall clock

/// Decides whether the wall clock can be trusted: after it has run in step with the boot clock for some time.
///
/// A device without a battery starts in 1970, and time servers and people set the clock. Irreversible work waits until the clock has been
/// steady.
package struct ClockWatch: Sendable {
  /// Seconds for which both clocks must have run in step.
  private let wanted: Double
  /// Seconds by which the clocks may drift apart during this time.
  private let tolerance: Double
  private var wallStart: Double
  private var bootStart: Double

  /// Creates a watch that begins at the given times.
  ///
  /// - Parameters:
  ///   - wall: seconds of the wall clock.
  ///   - boot: seconds since boot, sleep included.
  package init(wall: Double, boot: Double, steadyFor wanted: Double = 3600, tolerance: Double = 60) {
    (wallStart, bootStart) = (wall, boot)
    self.wanted = wanted
    self.tolerance = tolerance
  }

  /// Compares the clocks, and returns true if they have run in step for long enough; a jump restarts the wait.
  package mutating func isSteady(wall: Double, boot: Double) -> Bool {
    if abs((wall - wallStart) - (boot - bootStart)) > tolerance { (wallStart, bootStart) = (wall, boot) }
    return boot - bootStart >= wanted
  }
}

// MARK: - Times of the week

/// A day of the week, as the configuration writes it.
package enum Weekday: String, CaseIterable, Sendable {
  case sun, mon, tue, wed, thu, fri, sat
}

/// A moment of a week in the device's time zone.
package struct LocalMoment: Hashable, Sendable {
  package var day: Weekday
  /// Minutes since midnight.
  package var minute: Int
  /// Seconds since the minute began.
  package var second: Int

  package init(day: Weekday, minute: Int, second: Int = 0) {
    self.day = day
    self.minute = minute
    self.second = second
  }

  /// Creates the local moment of a time in seconds since 1970 (UTC).
  package init(seconds: Double) {
    var time = time_t(seconds)
    var parts = tm()
    localtime_r(&time, &parts)
    self.init(
      day: Weekday.allCases[Int(parts.tm_wday) % 7], minute: Int(parts.tm_hour) * 60 + Int(parts.tm_min),
      second: Int(parts.tm_sec))
  }

  var dayBefore: Weekday {
    let days = Weekday.allCases
    return days[((days.firstIndex(of: day) ?? 0) + days.count - 1) % days.count]
  }
}

/// A part of a day from one minute to another; it spans midnight if the end is not after the start.
package struct DayTime: Hashable, Sendable {
  /// Minutes since midnight.
  package let start: Int
  /// The first minute after the part, in minutes since midnight.
  package let end: Int

  package init(start: Int, end: Int) {
    self.start = start
    self.end = end
  }

  /// Parses `08:00-17:30`; returns nil for other texts.
  package init?(_ text: String) {
    guard let match = text.wholeMatch(of: #/(\d\d):(\d\d)-(\d\d):(\d\d)/#) else { return nil }
    func minutes(_ hours: Substring, _ rest: Substring) -> Int? {
      guard let hours = Int(hours), let rest = Int(rest), rest < 60, hours * 60 + rest <= 24 * 60 else { return nil }
      return hours * 60 + rest
    }
    guard let start = minutes(match.1, match.2), let end = minutes(match.3, match.4), start != end, start < 24 * 60
    else { return nil }
    self.init(start: start, end: end)
  }

  /// The part as text: `08:00-17:30`.
  package var text: String { "\(Self.clock(start))-\(Self.clock(end))" }

  private static func clock(_ minutes: Int) -> String { "\((minutes / 60).digits(2)):\((minutes % 60).digits(2))" }

  /// Returns the day on which the part that contains `moment` began; `nil` if `moment` is outside the part.
  package func beginning(_ moment: LocalMoment) -> Weekday? {
    if start < end { return start <= moment.minute && moment.minute < end ? moment.day : nil }
    if moment.minute >= start { return moment.day }
    return moment.minute < end ? moment.dayBefore : nil
  }
}

// MARK: - Paces, waits and presence

/// Limits how often changes are reported: immediately after a pause, else when the interval has passed. The type uses no clock.
package struct UpdatePace: Sendable {
  /// The least number of seconds between two reports.
  package let interval: Double
  private var last = -Double.infinity
  private var isWaiting = false

  package init(interval: Double) { self.interval = interval }

  /// Notes a change.
  ///
  /// - Returns: the seconds after which to report the change; `nil` if a report is scheduled already.
  package mutating func change(at now: Double) -> Double? {
    guard !isWaiting else { return nil }
    isWaiting = true
    return max(0, last + interval - now)
  }

  /// Notes that the state was reported.
  package mutating func report(at now: Double) {
    isWaiting = false
    last = now
  }
}

/// The waits between attempts, which grow exponentially and are randomised.
public struct Backoff: Hashable, Sendable {
  /// The first wait, in seconds.
  public var first: Double
  /// The longest wait, in seconds.
  public var longest: Double
  private var attempt = 0

  /// Creates waits from `first` to `longest` seconds, each twice the one before.
  public init(first: Double = 0.1, longest: Double = 5) {
    self.first = first
    self.longest = longest
  }

  /// Returns the next wait, in seconds.
  ///
  /// - Parameter chance: a random number, 0 to 1; spreads clients that lost the service at the same moment over half of the wait.
  public mutating func next(chance: Double = .random(in: 0...1)) -> Double {
    defer { attempt = min(attempt + 1, 30) }
    var wait = first
    for _ in 0..<attempt where wait < longest { wait *= 2 }
    return min(wait, longest) * (0.5 + 0.5 * chance)
  }

  /// Starts over after a success.
  public mutating func reset() { attempt = 0 }
}

/// Decides when an object is found or lost, with hysteresis in time. The type uses no clock: every step is passed
/// with its time.
package struct Presence: Hashable, Sendable {
  /// The durations, in seconds.
  package struct Options: Hashable, Sendable {
    /// Seconds for which the object must be seen before it is found.
    package var foundAfter: Double
    /// Seconds out of sight after which `foundAfter` starts over; nil if a single miss suffices.
    package var gap: Double?
    /// Seconds for which the object must be out of sight before it is lost.
    package var lostAfter: Double

    package init(foundAfter: Double = 0.05, gap: Double? = nil, lostAfter: Double = 0.5) {
      self.foundAfter = foundAfter
      self.gap = gap
      self.lostAfter = lostAfter
    }
  }

  package enum Change: Hashable, Sendable { case found, lost }

  private enum State: Hashable, Sendable {
    case absent
    case appearing(since: Double)
    case present
  }

  private var state = State.absent
  /// The time at which the object was last seen, in seconds; −∞ before the first time.
  package private(set) var lastSeen = -Double.infinity

  package init() {}

  /// True if the object is found and not lost.
  package var isPresent: Bool { state == .present }

  /// Handles an observation at `time`, in seconds; returns the change, or `nil` without a change.
  package mutating func handle(seen: Bool, at time: Double, _ options: Options) -> Change? {
    defer { if seen { lastSeen = time } }
    switch state {
    case .absent:
      guard seen else { return nil }
      return appear(since: time, time, options)
    case .appearing(let since):
      let isOver = options.gap.map { time - lastSeen > $0 } ?? !seen
      if seen { return appear(since: isOver ? time : since, time, options) }
      if isOver { state = .absent }
      return nil
    case .present:
      guard !seen, time - lastSeen >= options.lostAfter else { return nil }
      state = .absent
      return .lost
    }
  }

  /// Returns the time in seconds at which the object is lost unless it is seen again before then; `nil` if it is not present.
  package func deadline(_ options: Options) -> Double? { isPresent ? lastSeen + options.lostAfter : nil }

  private mutating func appear(since: Double, _ time: Double, _ options: Options) -> Change? {
    guard time - since >= options.foundAfter else {
      state = .appearing(since: since)
      return nil
    }
    state = .present
    return .found
  }
}
