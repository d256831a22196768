import Testing
import WaymarkSystem

@testable import WaymarkWorker

struct WorkerCheckTests {
  /// The time told is that of a worker's start and work, which lies within that of the whole check.
  @Test func nothingIsInTheWayHere() {
    let began = MonotonicClock.now
    let check = WorkerCheck(IsolationTests.launcher)
    let elapsed = MonotonicClock.now - began
    #expect(check.problem == nil)
    #expect(check.hint.isEmpty)
    #expect(check.seconds > 0 && check.seconds <= elapsed)
  }

  @Test func whatIsInTheWayIsSaid() {
    for program in ["/nonexistent", "/bin/true", "/bin/cat"] {
      let check = WorkerCheck(WorkerLauncher(executable: program))
      #expect(check.problem?.hasSuffix(".") == true, "\(program)")
      #expect(check.hint.contains("isolation: off"))
      #expect(check.seconds == 0)
    }
  }
}
