import Synchronization
import Testing
import WaymarkSystem

@Suite struct WorkQueueTests {
  @Test func jobsRunInTheOrderInWhichTheyCame() async {
    let queue = WorkQueue(name: "test")
    let done = Mutex<[Int]>([])
    for number in 0..<100 { queue.add { done.withLock { $0.append(number) } } }
    #expect(await queue.run { done.withLock { $0 } } == Array(0..<100))
  }

  @Test func anErrorReachesWhoeverWaits() async {
    struct Broken: Error {}
    let queue = WorkQueue(name: "test")
    await #expect(throws: Broken.self) { try await queue.run { () throws(Broken) -> Int in throw Broken() } }
    #expect(await queue.run { 5 } == 5)
  }
}
