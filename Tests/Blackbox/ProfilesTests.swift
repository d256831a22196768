import Foundation
import Glibc
import Testing

/// Profiles of a running service, as `waymark type`, `waymark profiles` and a desktop see them.
struct ProfilesTests {
  /// A folder with a configuration and frames: an EAN-13 code, then `switch` as a QR code.
  private func folder(_ profiles: String) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try profiles.write(toFile: folder.file("waymark.yaml"), atomically: true, encoding: .utf8)
    return folder
  }

  private let configuration = """
    scan: {barcodeSymbologies: [qr]}
    profiles:
      shop:
        when: {programs: [Till], codes: [SHOP]}
        scan: {barcodeSymbologies: [ean13]}
        type: {suffix: "{Tab}"}
    """

  private func keys(_ run: Executable.Run) -> [[Int]] {
    run.objects.map { ($0["keys"] as? [[String: Any]] ?? []).compactMap { $0["key"] as? Int } }
  }

  @Test func whatIsReadAndTypedChangesWithTheProfile() throws {
    let folder = try folder(configuration)
    let picture = Executable.project.appendingPathComponent("Tests/Fixtures/Codes/ean13.pbm").path
    let service = try RunningService(["--config", folder.file("waymark.yaml"), "--source", picture, "--rate", "20"])
    // Outside of the profile nothing but QR codes is read. Armed by who types, so that nothing is read before they listen.
    let use = try Executable.run(["profiles", "use", "shop", "--socket", service.socket])
    #expect(use.status == 0 && use.diagnostics == "In use: shop, by request.\n")
    let run = try Executable.run([
      "type", "--dry-run", "--layout", "us", "--config", folder.file("waymark.yaml"), "--socket", service.socket,
      "--arm", "always", "--count", "1",
    ])
    #expect(run.status == 0, "\(run.diagnostics)")
    #expect(keys(run).first?.last == 15)
    let list = try Executable.run(["profiles", "list", "--socket", service.socket])
    #expect(list.text == "* shop  for till; by code\n")
    let back = try Executable.run(["profiles", "use", "--socket", service.socket])
    #expect(back.diagnostics == "In use: no profile.\n")
    let wrong = try Executable.run(["profiles", "use", "shpo", "--socket", service.socket])
    #expect(wrong.status != 0 && wrong.diagnostics.contains("Did you mean shop?"))
  }

  @Test(.enabled(if: isInstalled("qrencode"), "needs qrencode"))
  func aCodeChoosesAndIsNotTyped() throws {
    let folder = try folder(configuration)
    let frames = folder.file("frames")
    try FileManager.default.createDirectory(atPath: frames, withIntermediateDirectories: true)
    #expect(try runProgram(["qrencode", "-s", "6", "-m", "8", "-o", "\(frames)/0.png", "SHOP"]).status == 0)
    for index in 1..<4 {
      try FileManager.default.copyItem(atPath: "\(frames)/0.png", toPath: "\(frames)/\(index).png")
    }
    for index in 4..<12 {
      try FileManager.default.copyItem(
        atPath: Executable.project.appendingPathComponent("Tests/Fixtures/Codes/ean13.pbm").path,
        toPath: "\(frames)/\(index).pbm")
    }
    // Codes are told in every round of the frames: the watcher may be there after the first one.
    try configuration.replacing("scan: {", with: "scan: {newAfter: 0.2, ", maxReplacements: 1)
      .write(toFile: folder.file("waymark.yaml"), atomically: true, encoding: .utf8)
    let service = try RunningService([
      "--config", folder.file("waymark.yaml"), "--source", frames, "--rate", "10", "--auto-begin", "barcode",
    ])
    let watch = try Executable.run([
      "watch", "--json", "--socket", service.socket, "--events", "profile.*", "scan.successful", "--count", "2",
    ])
    let events = watch.objects.filter { $0["event"] != nil }
    let read = events.compactMap { $0["text"] as? String }
    // The service may have begun before the watcher: then the profile is in its state.
    #expect(!read.contains("SHOP") && !read.isEmpty)
    let list = try Executable.run(["profiles", "list", "--json", "--socket", service.socket])
    let active = list.objects.first?["active"] as? [String: Any]
    #expect(active?["profile"] as? String == "shop" && active?["reason"] as? String == "code")
  }

  /// The focus as sway's socket tells it, with a service that goes away in between.
  @Test func theFocusedProgramChooses() throws {
    let folder = try folder(configuration)
    let service = try RunningService(["--config", folder.file("waymark.yaml")])
    let sway = try FakeSway()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Executable.path)
    process.arguments = ["profiles", "watch", "--socket", service.socket]
    process.environment = ProcessInfo.processInfo.environment.merging(["SWAYSOCK": sway.path]) { $1 }
    process.standardError = FileHandle.nullDevice
    try process.run()
    defer { process.terminate() }
    let desktop = try sway.connection()
    desktop.send(4, #"{"focused":false,"nodes":[{"focused":true,"app_id":"editor"}]}"#)
    desktop.send(0x8000_0003, #"{"change":"focus","container":{"app_id":"till"}}"#)
    #expect(try active(service, until: "shop") == "shop")
    // The desktop is started again: nothing has the focus until it says so again.
    desktop.close()
    #expect(try active(service, until: nil) == nil)
    let again = try sway.connection()
    again.send(4, #"{"focused":true,"app_id":"till"}"#)
    #expect(try active(service, until: "shop") == "shop")
    again.close()
  }

  /// X11's focus, by a program that prints what xprop prints.
  @Test func theFocusOfX11Chooses() throws {
    let folder = try folder(configuration)
    let service = try RunningService(["--config", folder.file("waymark.yaml")])
    let xprop = """
      #!/bin/sh
      case "$*" in
        "-root -spy _NET_ACTIVE_WINDOW") echo "_NET_ACTIVE_WINDOW(WINDOW): window id # 0x1e00007"; exec sleep 60 ;;
        "-id 0x1e00007 WM_CLASS") echo 'WM_CLASS(STRING) = "till", "Till"' ;;
      esac
      """
    try xprop.write(toFile: folder.file("xprop"), atomically: true, encoding: .utf8)
    chmod(folder.file("xprop"), 0o755)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Executable.path)
    process.arguments = ["profiles", "watch", "--desktop", "x11", "--socket", service.socket]
    let path = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
    process.environment = ProcessInfo.processInfo.environment.merging([
      "PATH": folder.file("") + ":" + path, "DISPLAY": ":9",
    ]) { $1 }
    process.standardError = FileHandle.nullDevice
    try process.run()
    #expect(try active(service, until: "shop") == "shop")
    // With the watcher goes its word.
    process.terminate()
    #expect(try active(service, until: nil) == nil)
  }

  /// The profile in use as soon as it is `wanted`, or as it is after ten seconds.
  private func active(_ service: RunningService, until wanted: String?) throws -> String? {
    let deadline = Date(timeIntervalSinceNow: 10)
    while true {
      let list = try Executable.run(["profiles", "list", "--json", "--socket", service.socket])
      let name = (list.objects.first?["active"] as? [String: Any])?["profile"] as? String
      if name == wanted || Date() > deadline { return name }
    }
  }

  @Test func aDesktopThatTellsNobodyIsNamed() throws {
    let run = try Executable.run(
      ["profiles", "watch"],
      environment: ["SWAYSOCK": "", "I3SOCK": "", "WAYLAND_DISPLAY": "wayland-0", "XDG_CURRENT_DESKTOP": "GNOME"])
    #expect(run.status == 69)
    #expect(run.diagnostics.contains("GNOME tells no program which window has the focus."))
  }
}

/// A socket that speaks like sway's.
private final class FakeSway {
  private let listener: FakeListener

  init() throws { listener = try FakeListener(ending: "sway") }

  var path: String { listener.path }

  final class Connection {
    private let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    func send(_ type: UInt32, _ payload: String) {
      var bytes = Array("i3-ipc".utf8)
      for number in [UInt32(payload.utf8.count), type] { withUnsafeBytes(of: number) { bytes += $0 } }
      bytes += payload.utf8
      _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    func close() { Glibc.close(descriptor) }
  }

  /// Waits for the next connection.
  func connection() throws -> Connection { Connection(try listener.next()) }
}
