import Testing

@testable import WaymarkWorker

struct WorkerCheckTests {
  @Test func nothingIsInTheWayHere() {
    let check = WorkerCheck(IsolationTests.launcher)
    #expect(check.problem == nil)
    #expect(check.seconds > 0)
  }

  @Test func whatIsInTheWayIsSaid() {
    for program in ["/nonexistent", "/bin/true", "/bin/cat"] {
      let check = WorkerCheck(WorkerLauncher(executable: program))
      #expect(check.problem != nil)
      #expect(check.hint.contains("isolation: off"))
      #expect(check.seconds == 0)
    }
  }
}
