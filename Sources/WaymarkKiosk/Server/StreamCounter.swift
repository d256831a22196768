import Synchronization

/// Bounds how many long answers are under way at once.
final class StreamCounter: Sendable {
  /// A place in the count, given back once.
  struct Place: Sendable {
    fileprivate let counter: StreamCounter

    /// Gives the place back.
    func leave() { counter.count.withLock { $0 -= 1 } }
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
    return entered ? Place(counter: self) : nil
  }
}
