import Testing

@testable import WaymarkWorker

struct WorkerSupervisorTests {
  @Test func aWorkerIsStartedOnceAndUsed() {
    var supervisor = WorkerSupervisor()
    #expect(supervisor.handle(.wanted, at: 1) == .start)
    #expect(supervisor.handle(.answered, at: 1) == nil)
    #expect(supervisor.handle(.wanted, at: 2) == .use)
  }

  @Test func theFirstFailureCostsNoRest() {
    var supervisor = WorkerSupervisor()
    _ = supervisor.handle(.wanted, at: 1)
    _ = supervisor.handle(.failed, at: 1.5)
    #expect(supervisor.handle(.wanted, at: 1.5) == .start)
  }

  @Test func failuresInARowCostMoreAndMoreUpToALimit() {
    var supervisor = WorkerSupervisor()
    var now = 100.0
    var rests: [Double] = []
    for _ in 0..<12 {
      let asked = now
      var decision = supervisor.handle(.wanted, at: now)
      while decision == .rest {
        now += 0.05
        decision = supervisor.handle(.wanted, at: now)
      }
      #expect(decision == .start)
      rests.append(now - asked)
      _ = supervisor.handle(.failed, at: now)
    }
    #expect(rests[0] == 0)
    #expect(rests[1] == 0)
    #expect(rests[2] > 0)
    #expect(zip(rests.dropFirst(2), rests.dropFirst(3)).allSatisfy { $0 <= $1 + 0.051 })
    #expect((1.9...2.1).contains(rests[11]))
  }

  @Test func whatWasEndedOnPurposeIsNoFailure() {
    var supervisor = WorkerSupervisor()
    for _ in 0..<6 {
      #expect(supervisor.handle(.wanted, at: 1) == .start)
      _ = supervisor.handle(.ended, at: 1)
    }
    #expect(supervisor.handle(.wanted, at: 1) == .start)
  }

  @Test func aLongGoodTimeForgetsFailures() {
    var supervisor = WorkerSupervisor()
    for _ in 0..<6 {
      _ = supervisor.handle(.wanted, at: 1)
      _ = supervisor.handle(.failed, at: 1)
    }
    #expect(supervisor.handle(.wanted, at: 1.5) == .rest)
    #expect(supervisor.handle(.wanted, at: 5) == .start)
    _ = supervisor.handle(.answered, at: 20)
    _ = supervisor.handle(.failed, at: 20)
    #expect(supervisor.handle(.wanted, at: 20) == .start)
  }
}
