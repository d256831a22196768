import Foundation
import Testing

/// The daemon as its users meet it: started, asked, stopped.
@Suite(.serialized) struct ServiceTests {
  private static let frames = Executable.project.appendingPathComponent("Samples/frames").path
  private static let clients = Executable.project.appendingPathComponent("Samples/clients").path

  private func checkClient(_ command: [String]) throws {
    let service = try RunningService(["--source", Self.frames, "--source-onboarding"])
    let (status, output) = try runProgram(command + [service.socket, "barcode"])
    #expect(status == 0, "\(output)")
    #expect(output.contains("connected to waymark"))
    #expect(output.contains("successful qr"))
    // The connection and with it the scan are gone; the service is not.
    let answer = try Executable.run(["status", "--json", "--socket", service.socket])
    #expect(answer.status == 0)
    #expect(answer.objects.first?["scan"] == nil)
  }

  @Test(.enabled(if: isInstalled("python3"), "needs python3"))
  func thePythonClientRuns() throws { try checkClient(["python3", Self.clients + "/client.py"]) }

  @Test(.enabled(if: isInstalled("socat", "jq"), "needs socat and jq"))
  func theShellClientRuns() throws { try checkClient(["sh", Self.clients + "/client.sh"]) }

  @Test(.enabled(if: isInstalled("node"), "needs node"))
  func theNodeClientRuns() throws { try checkClient(["node", Self.clients + "/client.mjs"]) }

  @Test func theSwiftClientRuns() throws {
    let program = URL(fileURLWithPath: Executable.path).deletingLastPathComponent()
      .appendingPathComponent("waymark-sample-client").path
    try checkClient([program])
  }

  @Test func theClientsAreShort() throws {
    for file in ["client.py", "client.sh", "client.mjs", "swift/Client.swift"] {
      let lines = try String(contentsOfFile: Self.clients + "/" + file, encoding: .utf8).split(
        separator: "\n", omittingEmptySubsequences: false)
      #expect(lines.count <= 60, "\(file)")
    }
  }

  @Test func itEndsOnRequest() throws {
    let service = try RunningService(["--source", Self.frames, "--source-onboarding"])
    // Another one on the same socket does not start, and leaves the first alone.
    let second = try Executable.run([
      "serve", "--socket", service.socket, "--source", Self.frames, "--source-onboarding",
    ])
    #expect(second.status == 69)
    #expect(second.diagnostics.contains("already listens"))
    let watch = Process()
    watch.executableURL = URL(fileURLWithPath: Executable.path)
    watch.arguments = ["watch", "--json", "--no-reconnect", "--events", "server.*", "--socket", service.socket]
    let lines = Pipe()
    watch.standardOutput = lines
    watch.standardError = FileHandle.nullDevice
    try watch.run()
    // The snapshot: from here on it is subscribed.
    #expect(!lines.fileHandleForReading.availableData.isEmpty)
    let (_, status) = service.stop()
    #expect(status == 0)
    #expect(
      String(decoding: lines.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self).contains("server.stopping"))
    watch.waitUntilExit()
    #expect(!FileManager.default.fileExists(atPath: service.socket))
    let answer = try Executable.run(["send", "ping", "--socket", service.socket])
    #expect(answer.status == 69)
    #expect(answer.diagnostics.contains("waymark serve"))
  }

  @Test func whatIsLeftOfAKilledOneIsReplaced() throws {
    let first = try RunningService(["--source", Self.frames, "--source-onboarding"])
    first.crash()
    // The file is still there; the next service takes its place.
    let second = try RunningService(["--source", Self.frames, "--source-onboarding"], socket: first.socket)
    #expect(try Executable.run(["send", "ping", "--socket", second.socket]).status == 0)
  }

  @Test(.enabled(if: isInstalled("systemd-socket-activate"), "needs systemd"))
  func itTakesASocketThatIsHandedOver() throws {
    let service = try RunningService(["--source", Self.frames, "--source-onboarding"], activated: true)
    #expect(try Executable.run(["send", "ping", "--socket", service.socket]).status == 0)
    let status = try Executable.run(["status", "--json", "--socket", service.socket])
    #expect(status.objects.first?["socket"] as? String == service.socket)
  }

  @Test func aSceneIsReplacedOnAReload() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("waymark.yaml")
    let scenes = Executable.project.appendingPathComponent("Samples/scenes").path
    let text = "scenes:\n  folders: [\(scenes)]\n  cache: \(folder.file("cache"))\n"
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    let service = try RunningService(["--config", file, "--source", Self.frames, "--source-onboarding"])
    func scene() throws -> String? {
      let status = try Executable.run(["status", "--json", "--socket", service.socket])
      return status.objects.first?["scene"] as? String
    }
    #expect(try scene() == nil)
    try (text + "  load: pump-room\n").write(toFile: file, atomically: true, encoding: .utf8)
    kill(service.processIdentifier, SIGHUP)
    let deadline = Date(timeIntervalSinceNow: 240)
    while try scene() == nil, Date() < deadline {}
    #expect(try scene() == "pump-room")
    #expect(!service.log.contains("need a restart"))
  }

  @Test func unreadStreamsEnd() throws {
    let service = try RunningService(["--source", Self.frames, "--source-onboarding", "--auto-begin", "barcode"])
    let watch = "'\(Executable.path)' watch --json --socket '\(service.socket)' | head -n 1"
    let (status, output) = try runProgram(["bash", "-c", watch], seconds: 30)
    #expect(status == 0)
    #expect(output.split(separator: "\n").count == 1)
  }

  @Test func aPolicyThatIsWrongChangesNothing() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("waymark.yaml")
    try "onboarding:\n  hosts: [example.com]\n".write(toFile: file, atomically: true, encoding: .utf8)
    let service = try RunningService(["--config", file, "--source", Self.frames, "--source-onboarding"])
    try "onboarding:\n  hosts: 5\nlog:\n  format: json\n".write(toFile: file, atomically: true, encoding: .utf8)
    kill(service.processIdentifier, SIGHUP)
    let log = service.log(with: "the old one stays in effect")
    #expect(log.contains("hosts"))
    #expect(log.contains("the old one stays in effect"))
    #expect(!log.contains("the new configuration is in effect"))
    #expect(!log.contains("\"message\""))
  }

  @Test func commandsAnswerWithTheirExitCodes() throws {
    let service = try RunningService(["--source", Self.frames, "--source-onboarding"])
    func send(_ arguments: String...) throws -> Executable.Run {
      try Executable.run(["send"] + arguments + ["--socket", service.socket])
    }
    #expect(try send("ping").status == 0)
    #expect(try send("no.such.method").status == 2)
    #expect(try send("torch", "{\"on\":1}").status == 2)
    #expect(try send("ping", "{not json").status == 64)
    let picture = service.folder.file("frame.jpg")
    #expect(try send("media.snapshot", "{\"width\":160}", "-o", picture).status == 0)
    #expect(try Data(contentsOf: URL(fileURLWithPath: picture)).starts(with: [0xFF, 0xD8]))
    let lost = try send("media.snapshot", "-o", "/nowhere/x.jpg")
    #expect(lost.status == 74)
    #expect(lost.diagnostics.contains("/nowhere/x.jpg cannot be written"))
    let handed = try send(
      "scan.picture", "{\"mode\":\"barcode\"}", "--file",
      Executable.project.appendingPathComponent("Samples/pictures/product.png").path)
    #expect(handed.status == 0 && handed.text.contains("4006381333931"), "\(handed.diagnostics)")
    #expect(try Executable.run(["status", "--prometheus", "--socket", service.socket]).text.contains("waymark_up 1.0"))
    #expect(try Executable.run(["socket-path", "--socket", "/x"]).text == "/x\n")
    let watch = try Executable.run(
      ["watch", "--json", "--count", "1", "--events", "statistics", "--socket", service.socket])
    #expect(watch.status == 0)
    #expect(watch.objects.last?["event"] as? String == "statistics")
  }

  @Test func theConfigurationIsChecked() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("waymark.yaml")
    try "camera:\n  width: 640\n".write(toFile: file, atomically: true, encoding: .utf8)
    #expect(try Executable.run(["config", "check", file]).status == 0)
    try "camera:\n  widht: 640\nonboarding:\n  kinds: 5\n".write(toFile: file, atomically: true, encoding: .utf8)
    let bad = try Executable.run(["config", "check", file])
    #expect(bad.status == 65)
    #expect(bad.text.contains("waymark.yaml:2: camera.widht"))
    #expect(bad.text.contains("onboarding"))
    #expect(try Executable.run(["serve", "--config", file, "--socket", folder.file("s")]).status == 65)
    #expect(try Executable.run(["config", "check", folder.file("none")]).status == 66)
  }

  @Test func warningsOfTheCheckDoNotFailIt() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("waymark.yaml")
    #expect(try Executable.run(["onboarding", "keygen", "--key", folder.file("key.pem")]).status == 0)
    try """
    onboarding:
      keyFiles: [key.pem]
      kinds: [sapOnboarding]
      customKinds:
        portal: { url: "https://*.example.com/enrol/*" }
        other: { url: "https://*.example.com/other/*" }
    profiles:
      p: { onboarding: { kinds: [other] } }
    """.write(toFile: file, atomically: true, encoding: .utf8)
    let check = try Executable.run(["config", "check", file])
    #expect(check.status == 0, "\(check.text) \(check.diagnostics)")
    let lines = check.text.split(separator: "\n")
    #expect(lines.count == 3 && lines.last == "\(file): no problems.", "\(check.text)")
    #expect(lines.first?.hasPrefix("warning: \(file):2: onboarding.keyFiles: key.pem: ") == true, "\(check.text)")
    #expect(lines.dropFirst().first?.hasPrefix("warning: \(file):5: onboarding.customKinds.portal: ") == true)
    let doctor = try Executable.run(["doctor", "--config", file, "--socket", folder.file("s")])
    #expect(doctor.text.contains("includes its private key"), "\(doctor.text)")
  }

  @Test(
    "The start refuses what the check refuses, with the same words",
    arguments: [
      "scan: {barcodeSymbologies: [qr, ean]}", "trigger: {key: KEY_FOO}", "replay: {folder: waymark.yaml/used}",
      "source: {path: /nowhere/frames}", "scenes: {load: x}", "camera: {calibrations: [/nowhere/lens.yaml]}",
      "anchors: {library: /nowhere/library}", "profiles: {p: {scan: {barcodeSymbologies: [ean]}}}",
      "onboarding: {customKinds: {x: {json: [Server], host: Sever}}}",
    ])
  func theStartRefusesWhatTheCheckRefuses(yaml: String) throws {
    let folder = try TemporaryFolder()
    let file = folder.file("waymark.yaml")
    try "log: {level: info}\n\(yaml)\n".write(toFile: file, atomically: true, encoding: .utf8)
    let check = try Executable.run(["config", "check", file])
    #expect(check.status == 65, "\(check.text)")
    #expect(check.text.contains("waymark.yaml:2: "), "\(check.text)")
    let start = try Executable.run(["serve", "--config", file, "--socket", folder.file("s")])
    #expect(start.status == 65)
    let words = check.text.split(separator: ". ").first ?? ""
    #expect(start.diagnostics.contains(words), "\(start.diagnostics)")
    let doctor = try Executable.run(["doctor", "--config", file, "--socket", folder.file("s")])
    #expect(doctor.text.contains(words), "\(doctor.text)")
  }
}
