import Synchronization

/// Bounds how many long answers are under way at once.
package final class StreamLimiter: Sendable {
  /// A place in the count, given back once: by `release`, or when nobody holds it any more.
  ///
  /// An answer whose head cannot be written is dropped, and its body never asked for.
  package final class Place: Sendable {
    private let counter: StreamLimiter
    private let isTaken = Atomic(true)

    fileprivate init(_ counter: StreamLimiter) { self.counter = counter }

    deinit { release() }

    /// Gives the place back.
    package func release() {
      guard isTaken.exchange(false, ordering: .relaxed) else { return }
      counter.count.withLock { $0 -= 1 }
    }
  }

  private let limit: Int
  private let count = Mutex(0)

  /// So many places, all free.
  package init(limit: Int) { self.limit = limit }

  /// Takes a place; `nil` when all are taken.
  package func reserve() -> Place? {
    let entered = count.withLock { count -> Bool in
      guard count < limit else { return false }
      count += 1
      return true
    }
    return entered ? Place(self) : nil
  }
}
