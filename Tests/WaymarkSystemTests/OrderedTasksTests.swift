import Synchronization
import Testing
import WaymarkSystem

@Suite("Work on several threads, results in order") struct OrderedTasksTests {
  /// Results come in the list's order, each once, whichever is ready first.
  @Test(arguments: [1, 3, 40]) func resultsComeInOrder(jobs: Int) {
    let threads = Mutex(0)
    var results: [Int] = []
    OrderedTasks.run(
      Array(0..<25), jobs: jobs,
      worker: {
        threads.withLock { $0 += 1 }
        return { item in
          // The later ones are done first.
          for _ in 0..<(25 - item) * 200 { _ = threads.withLock { $0 } }
          return item * item
        }
      },
      deliver: {
        results.append($0)
        return true
      })
    #expect(results == (0..<25).map { $0 * $0 })
    #expect((1...min(jobs, 25)).contains(threads.withLock { $0 }))
  }

  @Test func nothingIsDeliveredAfterTheEnd() {
    var results: [Int] = []
    OrderedTasks.run(
      Array(0..<100), jobs: 2, worker: { { $0 } },
      deliver: {
        results.append($0)
        return $0 < 4
      })
    #expect(results == [0, 1, 2, 3, 4])
    OrderedTasks.run(
      [Int](), jobs: 2, worker: { { $0 } },
      deliver: {
        results.append($0)
        return true
      })
    #expect(results.count == 5)
  }
}
