import Glibc

/// The clock that frames are stamped with.
package enum MonotonicClock {
  /// Seconds of CLOCK_MONOTONIC.
  package static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}
