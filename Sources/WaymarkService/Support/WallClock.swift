import Glibc

/// The clocks of the wire.
package enum WallClock {
  /// Now as RFC 3339 in UTC with milliseconds.
  package static var timestamp: String {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return timestamp(seconds: now.tv_sec, milliseconds: now.tv_nsec / 1_000_000)
  }

  /// A moment as RFC 3339 in UTC; milliseconds only where given.
  package static func timestamp(seconds: Int, milliseconds: Int? = nil) -> String {
    var time = time_t(seconds)
    var parts = tm()
    gmtime_r(&time, &parts)
    func digits(_ value: Int, _ width: Int) -> String {
      let text = String(value)
      return String(repeating: "0", count: max(0, width - text.count)) + text
    }
    let date =
      "\(digits(Int(parts.tm_year) + 1900, 4))-\(digits(Int(parts.tm_mon) + 1, 2))-\(digits(Int(parts.tm_mday), 2))"
    let clock = "\(digits(Int(parts.tm_hour), 2)):\(digits(Int(parts.tm_min), 2)):\(digits(Int(parts.tm_sec), 2))"
    return "\(date)T\(clock)\(milliseconds.map { "." + digits($0, 3) } ?? "")Z"
  }

  /// `CLOCK_MONOTONIC` in seconds.
  package static var monotonic: Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
  }

  /// Seconds since boot, sleep included.
  package static var boot: Double {
    var now = timespec()
    clock_gettime(CLOCK_BOOTTIME, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
  }
}
