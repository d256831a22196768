import Foundation
import Synchronization

/// Works on a list on several threads and hands the results over in the list's order, on the caller's thread.
enum OrderedTasks {
  /// The state that the threads share.
  private final class Board<Result: Sendable>: Sendable {
    struct State {
      var next = 0
      var results: [Int: Result] = [:]
    }

    let state = Mutex(State())
    let arrived = DispatchSemaphore(value: 0)
    let isCancelled = Atomic<Bool>(false)
  }

  /// - Parameters:
  ///   - worker: called once on each thread; what it returns works on items there.
  ///   - deliver: gets each result in order; returns whether to go on.
  static func run<Item: Sendable, Result: Sendable>(
    _ items: [Item], jobs: Int, worker: @escaping @Sendable () -> (Item) -> Result,
    deliver: (Result) throws -> Bool
  ) rethrows {
    let board = Board<Result>()
    for _ in 0..<max(1, min(jobs, items.count)) {
      Thread.detachNewThread {
        let work = worker()
        while !board.isCancelled.load(ordering: .relaxed) {
          let index = board.state.withLock { state in
            state.next += 1
            return state.next - 1
          }
          guard index < items.count else { return }
          let result = work(items[index])
          board.state.withLock { $0.results[index] = result }
          board.arrived.signal()
        }
      }
    }
    defer { board.isCancelled.store(true, ordering: .relaxed) }
    for index in items.indices {
      while true {
        if let result = board.state.withLock({ $0.results.removeValue(forKey: index) }) {
          guard try deliver(result) else { return }
          break
        }
        board.arrived.wait()
      }
    }
  }
}
