import Dispatch
import Foundation
import Glibc
import Synchronization
import Testing
import WaymarkSystem

@testable import WaymarkCommands

/// The sounds, lights and vibrations for a person.
struct FeedbackTests {
  @Test func eventsHaveTheirCues() {
    #expect(Cue(event: "scan.successful", hasKind: false) == .read)
    #expect(Cue(event: "scan.successful", hasKind: true) == .accepted)
    #expect(Cue(event: "scan.invalid", hasKind: true) == .refused)
    #expect(Cue(event: "scan.unsuccessful", hasKind: false) == .refused)
    #expect(Cue(event: "scan.guide", hasKind: false) == nil)
    #expect(Cue.list("read,refused") == [.read, .refused])
    #expect(Cue.list("all") == Set(Cue.allCases))
    #expect(Cue.list("read,nothing") == nil && Cue.list("") == nil)
  }

  @Test(arguments: Cue.allCases) func soundsAreShortSoftAndDoNotClick(cue: Cue) {
    let samples = CueSound.samples(cue, volume: 0.3)
    #expect(Double(samples.count) / Double(CueSound.rate) < 0.3)
    let peak = samples.map { abs(Int($0)) }.max() ?? 0
    #expect((2000...8600).contains(peak))
    #expect(samples.first == 0 && samples.last == 0)
    // No step louder than a soft tone has itself.
    #expect(zip(samples, samples.dropFirst()).allSatisfy { abs(Int($0) - Int($1)) < 3500 })
    #expect(CueSound.samples(cue, volume: 0).allSatisfy { $0 == 0 })
    #expect(CueSound.samples(cue, volume: 99).contains { abs(Int($0)) > 12000 })
  }

  /// How often it crosses nothing upwards, a second: the pitch.
  private func pitch(_ samples: ArraySlice<Int16>) -> Double {
    let crossings = zip(samples, samples.dropFirst()).count { $0 < 0 && $1 >= 0 }
    return Double(crossings) / (Double(samples.count) / Double(CueSound.rate))
  }

  @Test func soundsDiffer() {
    let (read, accepted, refused) = (
      CueSound.samples(.read, volume: 0.5), CueSound.samples(.accepted, volume: 0.5),
      CueSound.samples(.refused, volume: 0.5)
    )
    #expect(abs(pitch(read[...]) - 1760) < 60)
    // Up for yes, down for no, and no is lower than anything else.
    #expect(pitch(accepted[..<3000]) < pitch(accepted[4000...]) - 200)
    #expect(pitch(refused[..<5000]) > pitch(refused[6000...]) + 40)
    #expect(pitch(refused[...]) < 500)
  }

  private func led(_ folder: TemporaryLamps, trigger: String = "[none] mmc0") throws -> LED {
    try folder.make("green", brightness: "7", full: "255", trigger: trigger)
    return try LED(name: "green", root: folder.path)
  }

  @Test func aLampBlinksAndIsLeftAsItWas() throws {
    let folder = try TemporaryLamps()
    let led = try led(folder, trigger: "none timer [mmc0]")
    for cue in Cue.allCases {
      var seen: [String] = []
      var passed: [Double] = []
      try led.blink(cue) { seconds in
        seen.append(folder.read("green/brightness"))
        passed.append(seconds)
        #expect(folder.read("green/trigger") == "none")
      }
      #expect(seen == cue.beats.indices.map { $0.isMultiple(of: 2) ? "255" : "0" })
      #expect(passed == cue.beats)
      #expect(folder.read("green/brightness") == "7")
      #expect(folder.read("green/trigger") == "mmc0")
      try folder.make("green", brightness: "7", full: "255", trigger: "none timer [mmc0]")
    }
  }

  @Test(arguments: ["", "nothing", "../../etc", "..", "a/b"]) func unknownLampsAreErrors(name: String) throws {
    let folder = try TemporaryLamps()
    let error = #expect(throws: FeedbackError.self) { try LED(name: name, root: folder.path) }
    #expect(error?.code == .noLED)
  }

  @Test func aLampThatGoesAwayIsAProblem() throws {
    let folder = try TemporaryLamps()
    let led = try led(folder)
    try FileManager.default.removeItem(atPath: folder.path)
    let error = #expect(throws: FeedbackError.self) { try led.blink(.read) { _ in } }
    #expect(error?.code == .ledRefused)
  }

  @Test func motorsBeatInTheRhythmOfTheCue() throws {
    let felt = Mutex<[Int]>([])
    let open = Mutex(0)
    let calls = FeedbackSyscalls(
      play: { _, _, _ in -ENODEV },
      openVibrator: { _ in
        open.withLock { $0 += 1 }
        return 9
      },
      vibrate: { _, milliseconds in
        felt.withLock { $0.append(milliseconds) }
        return 0
      }, close: { _ in open.withLock { $0 -= 1 } })
    try FeedbackOutput.vibrator(path: "x").signal(.refused, calls: calls) { _ in }
    #expect(felt.withLock { $0 } == [60, 60, 60])
    #expect(open.withLock { $0 } == 0)
    let error = #expect(throws: FeedbackError.self) {
      try FeedbackOutput.sound(device: "default", volume: 1).signal(.read, calls: calls) { _ in }
    }
    #expect(error?.code == .noSound)
  }

  @Test func missingDevicesAreReportedByTheSystem() {
    let error = #expect(throws: FeedbackError.self) {
      try FeedbackOutput.vibrator(path: "/dev/null").signal(.read) { _ in }
    }
    #expect(error?.code == .noVibrator)
  }

  /// A speaker that hangs blocks no caller; the newest cue follows.
  @Test func pushingNeverWaitsAndTheNewestFollows() {
    let (started, go, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let signalled = Mutex<[Cue]>([])
    let lane = FeedbackLane(
      cues: [.read, .accepted], label: "test",
      signal: { cue throws(FeedbackError) in
        signalled.withLock { $0.append(cue) }
        started.signal()
        go.wait()
        ended.signal()
      }, onProblem: { _ in })
    lane.push(.refused)
    lane.push(.accepted)
    started.wait()
    for _ in 0..<1000 { lane.push(.accepted) }
    lane.push(.read)
    go.signal()
    go.signal()
    ended.wait()
    ended.wait()
    #expect(signalled.withLock { $0 } == [.accepted, .read])
  }

  @Test func aProblemIsReportedOnceUntilItIsOver() {
    let done = DispatchSemaphore(value: 0)
    let fails = Mutex(true)
    let problems = Mutex(0)
    let lane = FeedbackLane(
      cues: Set(Cue.allCases), label: "test",
      signal: { _ throws(FeedbackError) in
        defer { done.signal() }
        if fails.withLock({ $0 }) { throw FeedbackError(.noSound, "none", hint: "") }
      }, onProblem: { _ in problems.withLock { $0 += 1 } })
    func push() {
      lane.push(.read)
      done.wait()
      // The work after the report is over when the next one begins; ask until it is.
      while lane.isBusy {}
    }
    push()
    push()
    #expect(problems.withLock { $0 } == 1)
    fails.withLock { $0 = false }
    push()
    fails.withLock { $0 = true }
    push()
    #expect(problems.withLock { $0 } == 2)
  }
}

/// A `/sys/class/leds` of the test's own.
private final class TemporaryLamps {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "lamps-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func make(_ name: String, brightness: String, full: String, trigger: String) throws {
    try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: true)
    for (file, text) in [("brightness", brightness), ("max_brightness", full), ("trigger", trigger)] {
      try text.write(toFile: "\(path)/\(name)/\(file)", atomically: false, encoding: .utf8)
    }
  }

  func read(_ name: String) -> String { (try? String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)) ?? "" }
}
