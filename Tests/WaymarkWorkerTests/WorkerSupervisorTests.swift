import Testing
import WaymarkFrames
import WaymarkSystem

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

struct WorkerCheckTests {
  /// The reported time is that of a worker's start and work, which lies within that of the whole check.
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

/// The errors for which an address is not played.
struct CameraProgramTests {
  /// The problem with which an address cannot be opened. No socket of the system is asked.
  private func problem(
    _ text: String, missing: [String] = [], environment: [String: String] = [:]
  ) throws -> SourceError? {
    let address = try #require(StreamAddress(text))
    do throws(SourceError) {
      _ = try CameraProgram.open(
        address, executable: "/bin/true", socket: "/nonexistent", environment: environment,
        missingPackages: { _ in missing })
      return nil
    } catch {
      return error
    }
  }

  @Test func missingPackagesAreNamed() throws {
    let one = try #require(try problem("libcamera:", missing: ["gstreamer1.0-libcamera"]))
    #expect(one.code == "cameraProgramMissing" && one.hint == "apt install gstreamer1.0-libcamera")
    #expect(one.message == "libcamera: cannot be opened: the package gstreamer1.0-libcamera is not installed")
    let two = try #require(try problem("pipewire:desk", missing: ["gstreamer1.0-tools", "gstreamer1.0-pipewire"]))
    #expect(two.hint == "apt install gstreamer1.0-tools gstreamer1.0-pipewire")
    #expect(two.message.hasSuffix("the packages gstreamer1.0-tools, gstreamer1.0-pipewire are not installed"))
  }

  @Test func withoutPipeWireThereIsNoCameraOfIt() throws {
    let problem = try #require(try problem("pipewire:", environment: ["PIPEWIRE_REMOTE": "/nonexistent/pipewire-0"]))
    #expect(problem.code == "cannotOpen" && problem.message.contains("/nonexistent/pipewire-0"))
  }
}
