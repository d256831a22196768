import WaymarkSystem

/// Works on a list on several threads and hands the results over in the list's order, on the caller's thread.
enum OrderedTasks {
  /// The state that the threads share.
  private struct Board<Result: Sendable>: Sendable {
    var next = 0
    var results: [Int: Result] = [:]
    var isCancelled = false

    /// The index of the next item to work on.
    mutating func take(of count: Int) -> Int? {
      guard !isCancelled, next < count else { return nil }
      defer { next += 1 }
      return next
    }
  }

  /// - Parameters:
  ///   - worker: called once on each thread; what it returns works on items there.
  ///   - deliver: gets each result in order; returns whether to go on.
  static func run<Item: Sendable, Result: Sendable>(
    _ items: [Item], jobs: Int, worker: @escaping @Sendable () -> (Item) -> Result,
    deliver: (Result) throws -> Bool
  ) rethrows {
    let board = Monitor(Board<Result>())
    // Leaving the scope waits for their items at hand.
    let threads = (0..<max(1, min(jobs, items.count))).map { WorkerThread(name: "wm-task-\($0)") }
    defer {
      board.withLock { $0.isCancelled = true }
      for thread in threads { thread.stop() }
    }
    for thread in threads {
      thread.start { _ in
        let work = worker()
        while let index = board.withLock({ $0.take(of: items.count) }) {
          let result = work(items[index])
          board.update { $0.results[index] = result }
        }
      }
    }
    for index in items.indices {
      guard let result = board.wait(for: { $0.results.removeValue(forKey: index) }), try deliver(result) else { return }
    }
  }
}
