import Foundation
import Testing

/// `waymark report`, with secrets wherever a secret could be.
@Suite struct ReportTests {
  private static let secret = "hunter2hunter2"
  private static let frames = Executable.project.appendingPathComponent("Samples/frames").path

  /// A configuration, an environment and a journal that hold a secret each.
  private struct Setting {
    let folder = try? TemporaryFolder()
    var configuration: String { folder?.file("waymark.yaml") ?? "" }

    var environment: [String: String] {
      [
        "PATH": "\(folder?.path ?? ""):/usr/bin:/bin", "WAYMARK_KEY": ReportTests.secret,
        "WAYMARK_GALLERY_FOLDERS": "https://me:\(ReportTests.secret)@host/",
      ]
    }

    init(yaml: String) throws {
      guard let folder else { throw CocoaError(.fileWriteUnknown) }
      try yaml.write(toFile: configuration, atomically: true, encoding: .utf8)
      try """
      #!/bin/sh
      echo "2026-01-02T03:04:05+0000 waymark[7]: waymark.scan: a code was refused reason=expired"
      echo "2026-01-02T03:04:06+0000 waymark[7]: token=\(ReportTests.secret)"
      """.write(toFile: folder.file("journalctl"), atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.file("journalctl"))
    }
  }

  @Test(arguments: [["--json"], []])
  func itHoldsWhatIsNeededAndNoSecret(_ form: [String]) throws {
    let setting = try Setting(
      yaml: """
        # \(Self.secret)
        camera: {width: 320, height: \(Self.secret)}
        onboarding: {hosts: [mobile.example.com], password: \(Self.secret)}
        """)
    let run = try Executable.run(
      ["report", "--config", setting.configuration, "--socket", "/nonexistent/s.sock"] + form,
      environment: setting.environment)
    #expect(run.status == 0, "\(run.diagnostics)")
    #expect(!run.text.contains(Self.secret))
    for word in ["width: 320", "mobile.example.com", "reason=expired", "/nonexistent/s.sock", "WAYMARK_KEY"] {
      #expect(run.text.contains(word), "\(word)")
    }
    guard form == ["--json"] else { return }
    let report = try #require(run.objects.first)
    #expect((report["program"] as? [String: Any])?["version"] as? String != nil)
    #expect(((report["configuration"] as? [String: Any])?["problems"] as? [String])?.count ?? 0 >= 2)
    #expect(((report["log"] as? [String: Any])?["lines"] as? [String])?.count == 2)
  }

  @Test func aVerdictThatWaitsStaysHere() throws {
    let service = try RunningService(["--source", Self.frames, "--source-onboarding", "--auto-begin", "onboarding"])
    let watch = try runProgram([
      Executable.path, "watch", "--json", "--events", "scan.successful", "--count", "1", "--socket", service.socket,
    ])
    #expect(watch.output.contains("mobile.example.com"))
    let setting = try Setting(yaml: "")
    let file = setting.configuration + ".report"
    let run = try Executable.run(
      ["report", "--json", "-o", file, "--config", setting.configuration, "--socket", service.socket],
      environment: setting.environment)
    #expect(run.status == 0, "\(run.diagnostics)")
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(text.contains("\"statistics\""))
    #expect(text.contains("\"stages\""))
    #expect(!text.contains("mobile.example.com"))
    let attributes = try FileManager.default.attributesOfItem(atPath: file)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test func partsOfTheLogHaveLevels() throws {
    let folder = try TemporaryFolder()
    try "log: {level: error, levels: {scan: debug}, format: json}\n".write(
      toFile: folder.file("waymark.yaml"), atomically: true, encoding: .utf8)
    let service = try RunningService([
      "--source", Self.frames, "--source-onboarding", "--auto-begin", "onboarding", "--config",
      folder.file("waymark.yaml"),
    ])
    _ = try runProgram([
      Executable.path, "watch", "--json", "--events", "scan.successful", "--count", "1", "--socket", service.socket,
    ])
    #expect(service.stop().status == 0)
    let lines = service.log.split(separator: "\n").compactMap {
      try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: String]
    }
    #expect(lines.contains { $0["message"] == "a scan is armed" && $0["level"] == "debug" })
    #expect(Set(lines.compactMap { $0["subsystem"] }) == ["scan"])
  }
}
