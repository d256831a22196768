// Times of the week, by which the configuration schedules work.
import Glibc

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
