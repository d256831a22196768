import Glibc

// The clocks of the system, the decision when the wall clock can be trusted (`ClockWatch`), and moments and parts of days (`LocalMoment`,
// `DayTime`).

/// The clock of frames and timeouts: it is never set, and stops while the device sleeps.
package enum MonotonicClock {
  /// Seconds of `CLOCK_MONOTONIC`.
  package static var now: Double { seconds(CLOCK_MONOTONIC) }
}

/// The clock that includes the time in which the device sleeps.
package enum BootClock {
  /// Seconds since boot, sleep included.
  package static var now: Double { seconds(CLOCK_BOOTTIME) }
}

/// The clock of used processor time, for measurements on a busy machine.
package enum ProcessorClock {
  /// The seconds of processor time that all threads of this process have used.
  package static var process: Double { seconds(CLOCK_PROCESS_CPUTIME_ID) }
  /// The seconds of processor time that this thread has used.
  package static var thread: Double { seconds(CLOCK_THREAD_CPUTIME_ID) }
}

/// The clock of messages and the log. It jumps when it is set.
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

/// Decides whether the wall clock can be trusted, which is the case after it has run in step with the boot clock for some time.
///
/// A device without a battery starts in 1970, and time servers and people set the clock. Irreversible work waits until the clock
/// has been steady.
package struct ClockWatch: Sendable {
  /// The seconds for which both clocks must have run in step.
  private let wanted: Double
  /// The seconds by which the clocks may drift apart during this time.
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

// MARK: - Times of the week, by which the configuration schedules work

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

/// A part of a day from one minute to another. It spans midnight if the end is not after the start.
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
