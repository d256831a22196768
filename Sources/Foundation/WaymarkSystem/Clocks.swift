// The clocks of the system, and the decision when the wall clock can be trusted.
import Glibc

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
