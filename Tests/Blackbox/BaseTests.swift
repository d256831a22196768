import Foundation
import Testing

/// The program of the base, which has less than the station.
@Suite("The base")
struct BaseTests {
  @Test(
    "A command of the station says which package has it",
    arguments: ["count", "documents", "kiosk", "signature", "text", "type", "users"])
  func commands(_ command: String) throws {
    let run = try Executable.run([command, "--help"], program: Executable.base)
    #expect(run.status == 69)
    #expect(run.diagnostics.contains("waymark \(command) comes with the package waymark-station."))
    #expect(try Executable.run([command, "--help"]).status == 0)
  }

  @Test("It reads codes and judges them as the station does") func verdicts() throws {
    let arguments = ["scan", "--onboarding", Executable.project.path + "/Samples/pictures"]
    let (base, station) = (try Executable.run(arguments, program: Executable.base), try Executable.run(arguments))
    #expect(base.status == station.status && base.text.contains("successful"))
    #expect(base.text == station.text)
  }

  @Test("Its service names the package of a method that it has not") func methods() throws {
    let service = try RunningService(
      ["--source", Executable.project.path + "/Samples/frames"], program: Executable.base)
    for method in ["count.begin", "document.begin", "text.begin", "form.pending", "signature.list", "account.state"] {
      let run = try Executable.run(["send", method, "--socket", service.socket], program: Executable.base)
      #expect(run.status == 2)
      #expect(run.diagnostics.contains("\(method) comes with the package waymark-station."), "\(run.diagnostics)")
    }
    #expect(try Executable.run(["send", "ping", "--socket", service.socket], program: Executable.base).status == 0)
  }

  @Test("A section of the station is refused with the package's name") func sections() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("waymark.yaml")
    try "text:\n  rate: 3\n".write(toFile: file, atomically: true, encoding: .utf8)
    let run = try Executable.run(["config", "check", file], program: Executable.base)
    #expect(run.status == 65)
    #expect(run.text.contains("it belongs to the package waymark-station"))
    #expect(try Executable.run(["config", "check", file]).status == 0)
  }
}
