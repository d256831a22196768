import Synchronization
import Testing
import WaymarkSystem

@Suite struct MonitorTests {
  /// A waiting thread checks its condition only after a change; the limit allows for a few spurious wake-ups.
  @Test func onlyASignalWakes() {
    struct State: Sendable {
      var asked = 0
      var isDone = false
    }
    let state = Monitor(State())
    let seen = Monitor<Int?>(nil)
    let thread = WorkerThread(name: "wm-test")
    thread.start { _ in
      let asked = state.wait { state -> Int? in
        state.asked += 1
        return state.isDone ? state.asked : nil
      }
      seen.update { $0 = asked }
    }
    for _ in 0..<1000 { state.signal { _ in false } }
    state.signal { state in
      state.isDone = true
      return true
    }
    let asked = seen.wait { $0 }
    #expect((1...20).contains(asked ?? 0))
    thread.stop()
  }
}

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

@Suite struct WorkQueueTests {
  @Test func jobsRunInTheOrderInWhichTheyCame() async {
    let queue = WorkQueue(name: "test")
    let done = Mutex<[Int]>([])
    for number in 0..<100 { queue.add { done.withLock { $0.append(number) } } }
    #expect(await queue.run { done.withLock { $0 } } == Array(0..<100))
  }

  @Test func anErrorReachesTheWaitingThread() async {
    struct Broken: Error {}
    let queue = WorkQueue(name: "test")
    await #expect(throws: Broken.self) { try await queue.run { () throws(Broken) -> Int in throw Broken() } }
    #expect(await queue.run { 5 } == 5)
  }
}
