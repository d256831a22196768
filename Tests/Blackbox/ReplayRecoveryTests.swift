import Foundation
import Testing

/// A confirmation stays, however the process ends, and a code that was not confirmed can still be.
@Suite("Recovery of confirmations", .serialized, .enabled(if: Interruption.isPossible, "needs a C compiler"))
struct ReplayRecoveryTests {
  /// A policy that remembers, a token, and two records that are long over, to be forgotten on the way.
  private struct Bench {
    let folder: TemporaryFolder
    let token: String
    var used: String { folder.file("used") }
    var confirmation: [String] { ["onboarding", "confirm", "--json", "--policy", folder.file("waymark.yaml"), token] }
    let old = ["a": 1000, "b": 2000]

    init() throws {
      folder = try TemporaryFolder()
      let key = folder.file("key.pem")
      let keys = try Executable.run(["onboarding", "keygen", "--key", key, "--kid", "k"])
      try keys.output.write(to: URL(fileURLWithPath: folder.file("keys.jwks")))
      try Data("onboarding: {keyFiles: keys.jwks, hosts: \"*.example.com\"}\nreplay: {folder: used}\n".utf8)
        .write(to: URL(fileURLWithPath: folder.file("waymark.yaml")))
      let signed = try Executable.run(
        ["onboarding", "sign", "--key", key, "--kid", "k", "--jti", "random", "--expires-in", "2d", "-"],
        input: Data(#"{"appID":"com.example.app","host":"mobile.example.com"}"#.utf8))
      token = signed.text.trimmingCharacters(in: .newlines)
    }

    func record(_ letter: String) -> String { used + "/" + String(repeating: letter, count: 64) }

    /// As before any confirmation.
    func reset() throws {
      try? FileManager.default.removeItem(atPath: used)
      try FileManager.default.createDirectory(atPath: used, withIntermediateDirectories: true)
      for (letter, expires) in old { try Data("\(expires)".utf8).write(to: URL(fileURLWithPath: record(letter))) }
    }

    /// The horizon is missing or whole, and covers every record that is gone.
    func checkForgotten(_ context: String) throws {
      let text = try? String(contentsOfFile: used + "/horizon", encoding: .utf8)
      #expect(text == nil || text == "2000\n", "\(context): \(text ?? "")")
      for (letter, _) in old where !FileManager.default.fileExists(atPath: record(letter)) {
        #expect(text != nil, "\(context): forgotten without a horizon")
      }
    }

    /// Confirming once more succeeds or says `replayed`; a third time it is always the latter.
    func confirmAgain(_ context: String, expecting wanted: Int32? = nil) throws {
      let second = try Executable.run(confirmation)
      #expect(
        wanted.map { second.status == $0 } ?? [0, 2].contains(second.status), "\(context): \(second.diagnostics)")
      if second.status == 2 { #expect(second.text.contains("replayed"), "\(context)") }
      let third = try Executable.run(confirmation)
      #expect(third.status == 2 && third.text.contains("replayed"), "\(context)")
    }
  }

  @Test("Killed before every step, and in the middle of every write", arguments: [Interruption.Kind.kill, .torn])
  fileprivate func killed(_ kind: Interruption.Kind) throws {
    let bench = try Bench()
    try bench.reset()
    let steps = try Interruption.steps(bench.confirmation, below: bench.used, hurry: 7200)
    // The horizon, two records that go, the new record: each opened, written, synchronised, closed, and the folder.
    #expect(steps >= 15)
    for step in 1...steps {
      try bench.reset()
      let run = try Interruption.run(bench.confirmation, below: bench.used, at: step, kind, hurry: 7200)
      #expect(run.status == -SIGKILL, "step \(step)")
      try bench.checkForgotten("step \(step)")
      try bench.confirmAgain("step \(step)")
    }
    try bench.reset()
    let whole = try Interruption.run(bench.confirmation, below: bench.used, at: steps + 1, kind, hurry: 7200)
    #expect(whole.status == 0)
    try bench.checkForgotten("whole")
    try bench.confirmAgain("whole", expecting: 2)
  }

  @Test(
    "If any step fails, it is confirmed, or the reason is reported and it can be repeated",
    arguments: [Interruption.Kind.diskFull, .ioError])
  fileprivate func failing(_ kind: Interruption.Kind) throws {
    let bench = try Bench()
    try bench.reset()
    let steps = try Interruption.steps(bench.confirmation, below: bench.used, hurry: 7200)
    for step in 1...steps {
      try bench.reset()
      let run = try Interruption.run(bench.confirmation, below: bench.used, at: step, kind, hurry: 7200)
      try bench.checkForgotten("step \(step)")
      if run.status == 0 {
        try bench.confirmAgain("step \(step)", expecting: 2)
      } else {
        #expect(run.status == 66, "step \(step)")
        #expect(run.diagnostics.contains("cannot be used"), "step \(step): \(run.diagnostics)")
        try bench.confirmAgain("step \(step)", expecting: 0)
      }
    }
  }

  @Test("Killed at moments of chance, sixty times")
  func killedByChance() throws {
    let bench = try Bench()
    for round in 0..<60 {
      try bench.reset()
      let process = Process()
      process.executableURL = URL(fileURLWithPath: Executable.path)
      process.arguments = bench.confirmation
      process.standardOutput = FileHandle(forWritingAtPath: "/dev/null")
      process.standardError = FileHandle(forWritingAtPath: "/dev/null")
      try process.run()
      usleep(UInt32.random(in: 0...30_000))
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      let done = process.terminationReason == .exit
      try bench.confirmAgain("round \(round)", expecting: done ? 2 : nil)
    }
  }

  @Test(
    "A full disk is reported, and nothing is lost", .enabled(if: geteuid() == 0, "needs root to mount a small disk"))
  func fullDisk() throws {
    let bench = try Bench()
    try bench.reset()
    // In a mount namespace of its own; the codes of three confirmations: full, with room again, once more.
    let script = """
      mount -t tmpfs -o size=64k,nr_inodes=16 small "$1" && cd "$1" || exit 99
      i=0; while true > "f$i"; do i=$((i + 1)); done 2>/dev/null
      shift; "$@" > /dev/null; a=$?; rm -f f*; "$@" > /dev/null; b=$?; "$@" > /dev/null; echo "codes $a $b $?"
      """
    let (_, output) = try runProgram(
      ["unshare", "-m", "sh", "-c", script, "sh", bench.used, Executable.path] + bench.confirmation)
    #expect(output.contains("codes 66 0 2"), "\(output)")
    #expect(output.contains("No space left on device"), "\(output)")
  }
}
