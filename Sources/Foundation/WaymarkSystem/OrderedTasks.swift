/// Works on a list on several threads and hands the results over in the list's order, on the caller's thread.
package enum OrderedTasks {
  /// The state that the threads share.
  private struct Board<Result: Sendable>: Sendable {
    var next = 0
    /// How many were handed over.
    var delivered = 0
    var results: [Int: Result] = [:]
    var isCancelled = false

    /// The index of the next item to work on, nil within when there is none; nil as long as too many results wait for an earlier one, which
    /// is what keeps the memory of ten thousand items that of ten.
    mutating func take(of count: Int, ahead: Int) -> Int?? {
      guard !isCancelled, next < count else { return .some(nil) }
      guard next < delivered + ahead else { return nil }
      defer { next += 1 }
      return next
    }
  }

  /// - Parameters:
  ///   - worker: called once on each thread; what it returns works on items there.
  ///   - deliver: gets each result in order; returns whether to go on.
  package static func run<Item: Sendable, Result: Sendable>(
    _ items: [Item], jobs: Int, worker: @escaping @Sendable () -> (Item) -> Result,
    deliver: (Result) throws -> Bool
  ) rethrows {
    let board = Monitor(Board<Result>())
    let ahead = 4 * max(1, jobs)
    // Leaving the scope waits for their items at hand.
    let threads = (0..<max(1, min(jobs, items.count))).map { WorkerThread(name: "wm-task-\($0)") }
    defer {
      board.update { $0.isCancelled = true }
      for thread in threads { thread.stop() }
    }
    for thread in threads {
      thread.start { _ in
        let work = worker()
        while case .some(.some(let index)) = board.wait(for: { $0.take(of: items.count, ahead: ahead) }) {
          let result = work(items[index])
          board.update { $0.results[index] = result }
        }
      }
    }
    for index in items.indices {
      guard let result = board.wait(for: { $0.results.removeValue(forKey: index) }) else { return }
      board.update { $0.delivered = index + 1 }
      guard try deliver(result) else { return }
    }
  }
}
