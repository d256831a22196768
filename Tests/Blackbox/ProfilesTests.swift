import Foundation
import Testing

/// Profiles of a running service, as `waymark type` and `waymark profiles` see them.
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
        when: {codes: [SHOP]}
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
    #expect(list.text == "* shop  by code\n")
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
    // Codes are reported in every round of the frames: the watcher may connect after the first one.
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
}
