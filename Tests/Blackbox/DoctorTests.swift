import Foundation
import Testing

/// `waymark doctor` on workers, where the system gives what they need and where it does not.
struct DoctorTests {
  /// Refuses calls: Tests/Support/refusal, compiled once; nil where there is no C compiler.
  private static let library: String? = {
    let target = NSTemporaryDirectory() + "waymark-refuse-\(getpid()).so"
    let source = Executable.project.appendingPathComponent("Tests/Support/refusal/refuse.c").path
    let built = try? runProgram(["cc", "-shared", "-fPIC", "-O2", "-o", target, source, "-ldl"])
    return built?.status == 0 ? target : nil
  }()

  /// Returns the finding about workers.
  private func finding(_ environment: [String: String]) throws -> [String: Any] {
    let folder = try TemporaryFolder()
    let run = try Executable.run(["doctor", "--json", "--socket", folder.file("none")], environment: environment)
    let findings = run.objects.filter { $0["subject"] as? String == "isolation" }
    #expect(findings.count == 1, "\(run.text) \(run.diagnostics)")
    return try #require(findings.first)
  }

  @Test func workersAreTried() throws {
    let finding = try finding([:])
    #expect(finding["level"] as? String == "good", "\(finding)")
    #expect((finding["message"] as? String)?.contains("Workers start") == true)
  }

  @Test func theConfigurationAndWhatItAcceptsAreSaid() async throws {
    let folder = try TemporaryFolder()
    let (open, closed) = (folder.file("open.yaml"), folder.file("closed.yaml"))
    try "camera: { keepOpen: true }\n".write(toFile: open, atomically: true, encoding: .utf8)
    try "onboarding: { hosts: ['*.example.com'] }\n"
      .write(toFile: closed, atomically: true, encoding: .utf8)
    let service = try RunningService([
      "--config", open, "--source", "\(Executable.project.path)/Samples/frames", "--once",
    ])
    func messages(_ file: String) throws -> [String] {
      let run = try Executable.run(["doctor", "--json", "--config", file, "--socket", service.socket])
      return run.objects.compactMap { $0["message"] as? String }
    }
    let cautions: Set = ["Onboarding codes may name every host.", "Unsigned onboarding codes are accepted."]
    let own = try messages(open)
    #expect(own.contains("The configuration \(open) has no problems.") && cautions.isSubset(of: own), "\(own)")
    #expect(!own.contains { $0.contains("which is not the one that was checked") } && Set(own).count == own.count)
    let other = try messages(closed)
    #expect(other.contains(where: cautions.contains) && !cautions.isSubset(of: other), "\(other)")
    #expect(other.contains { $0.contains("The service runs with \(open), which is not") }, "\(other)")
    // The status is that of the service. Its frames are played once.
    let deadline = Date(timeIntervalSinceNow: 60)
    var status = ""
    while !status.contains("played to its end"), Date() < deadline {
      status = try Executable.run(["status", "--socket", service.socket]).text
    }
    #expect(status.contains("config    \(open)\n") && status.contains("caution   Unsigned"), "\(status)")
    #expect(status.contains("played to its end"), "\(status)")
  }

  @Test func whatIsSwitchedOffIsSaid() throws {
    #expect(try finding(["WAYMARK_ISOLATION": "off"])["level"] as? String == "remark")
  }

  @Test(
    .enabled(if: DoctorTests.library != nil, "needs a C compiler"),
    arguments: [("memfd", "memfd_create"), ("socketpair", "socketpair"), ("seccomp", "CONFIG_SECCOMP_FILTER")])
  func whatTheSystemRefusesIsNamed(refused: String, word: String) throws {
    let finding = try finding(["LD_PRELOAD": Self.library ?? "", "REFUSE": refused])
    #expect(finding["level"] as? String == "problem")
    let text = "\(finding["message"] ?? "") \(finding["hint"] ?? "")"
    #expect(text.contains(word), "\(text)")
    #expect(text.contains("isolation: off"))
  }
}
