import Glibc

/// A value shared by threads, which can wait until it changes.
///
/// `@unchecked` because the value is accessed only with the mutex locked, and both pthread objects have a fixed
/// address from `init` to `deinit`.
package final class Monitor<Value: Sendable>: @unchecked Sendable {
  private var value: Value
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  /// Guards `value`.
  package init(_ value: Value) {
    self.value = value
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    // Deadlines do not depend on the wall clock, which may be set.
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Calls `body` with the lock held; wakes no thread.
  package func withLock<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }

  /// Calls `body` with the lock held, and wakes all waiting threads.
  package func update<R>(_ body: (inout Value) -> R) -> R {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(condition)
      pthread_mutex_unlock(mutex)
    }
    return body(&value)
  }

  /// Calls `body` with the lock held, and wakes all waiting threads if it returns true.
  package func signal(_ body: (inout Value) -> Bool) {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    if body(&value) { pthread_cond_broadcast(condition) }
  }

  /// Waits until `body` returns a value; returns nil once `deadline` (seconds of CLOCK_MONOTONIC) has passed.
  package func wait<R>(until deadline: Double? = nil, for body: (inout Value) -> R?) -> R? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&value) { return result }
      guard let deadline else {
        pthread_cond_wait(condition, mutex)
        continue
      }
      if MonotonicClock.now >= deadline { return nil }
      var time = timespec(
        tv_sec: Int(deadline), tv_nsec: Int((deadline - deadline.rounded(.down)) * 1e9))
      pthread_cond_timedwait(condition, mutex, &time)
    }
  }
}
