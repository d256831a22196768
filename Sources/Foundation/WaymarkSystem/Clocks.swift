import Glibc

/// The clock that frames are stamped with and all waiting goes by: it runs evenly, and stands still while the device sleeps.
package enum MonotonicClock {
  /// Seconds of `CLOCK_MONOTONIC`.
  package static var now: Double { seconds(CLOCK_MONOTONIC) }
}

/// The clock that includes the time in which the device sleeps.
package enum BootClock {
  /// Seconds since boot, sleep included.
  package static var now: Double { seconds(CLOCK_BOOTTIME) }
}

/// The processor time used: measurements compare it on a busy machine.
package enum ProcessorClock {
  /// Seconds that all threads of this process have run.
  package static var process: Double { seconds(CLOCK_PROCESS_CPUTIME_ID) }
  /// Seconds that this thread has run.
  package static var thread: Double { seconds(CLOCK_THREAD_CPUTIME_ID) }
}

/// The clock of the wire and the log. It may jump: somebody sets it.
package enum WallClock {
  /// Seconds since 1970.
  package static var now: Double { seconds(CLOCK_REALTIME) }

  /// Now as RFC 3339 in UTC with milliseconds.
  package static var timestamp: String {
    let now = reading(CLOCK_REALTIME)
    return timestamp(seconds: now.tv_sec, milliseconds: now.tv_nsec / 1_000_000)
  }

  /// A moment as RFC 3339 in UTC; milliseconds only where given.
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
