import Synchronization

/// Bounds how many long answers are under way at once.
final class StreamCounter: Sendable {
  /// A place in the count, given back once: by `leave`, or when nobody holds it any more.
  ///
  /// An answer whose head cannot be written is dropped, and its body never asked for.
  final class Place: Sendable {
    private let counter: StreamCounter
    private let isTaken = Atomic(true)

    fileprivate init(_ counter: StreamCounter) { self.counter = counter }

    deinit { leave() }

    /// Gives the place back.
    func leave() {
      guard isTaken.exchange(false, ordering: .relaxed) else { return }
      counter.count.withLock { $0 -= 1 }
    }
  }

  private let limit: Int
  private let count = Mutex(0)

  init(limit: Int) { self.limit = limit }

  /// Takes a place; `nil` when all are taken.
  func enter() -> Place? {
    let entered = count.withLock { count -> Bool in
      guard count < limit else { return false }
      count += 1
      return true
    }
    return entered ? Place(self) : nil
  }
}
