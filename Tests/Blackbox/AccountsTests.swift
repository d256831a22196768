import Foundation
import Testing

/// Users through the real service, with the sample provider as the integrator's program.
@Suite struct AccountsTests {
  @Test(.enabled(if: isInstalled("python3"), "needs python3"))
  func theSampleProviderPlaysEveryFault() throws {
    let script = Executable.project.appendingPathComponent("Samples/provider/test_provider.py").path
    let run = try runProgram(["python3", "-B", script, "--waymark", Executable.path], seconds: 300)
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.contains(" passed, 0 failed"), "\(run.output)")
  }

  @Test func theSampleConfigurationIsSound() throws {
    let file = Executable.project.appendingPathComponent("Samples/provider/accounts.yaml").path
    let run = try Executable.run(["config", "check", file])
    #expect(run.status == 0, "\(run.text)")
  }

  @Test func whatIsWrongIsNamedWithItsLine() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("waymark.yaml")
    try Data("accounts:\n  mode: shared\n  modules: [passcode]\n".utf8).write(to: URL(fileURLWithPath: file))
    let run = try Executable.run(["config", "check", file])
    #expect(run.status != 0)
    #expect(run.text.contains("accounts.modules"), "\(run.text)")
  }
}
