import Foundation
import Testing

/// `waymark type`, as far as a machine without keyboards goes: what it would press.
struct TypingTests {
  /// The keys of each line that `--dry-run` printed.
  private func keys(_ run: Executable.Run) -> [[Int]] {
    run.objects.map { ($0["keys"] as? [[String: Any]] ?? []).compactMap { $0["key"] as? Int } }
  }

  @Test func textsAreTypedOnTheLayout() throws {
    let german = try Executable.run(["type", "--dry-run", "--layout", "de", "zÄ€"])
    #expect(german.status == 0)
    #expect(keys(german) == [[21, 40, 18, 28]])
    let modifiers = (german.objects.first?["keys"] as? [[String: Any]])?.map { $0["modifiers"] as? [String] ?? [] }
    #expect(modifiers == [[], ["Shift"], ["AltGr"], []])
    let lines = try Executable.run(
      ["type", "--dry-run", "--layout", "us", "--suffix", "{Tab}", "-"], input: Data("1\n2\n".utf8))
    #expect(keys(lines) == [[2, 15], [3, 15]])
  }

  @Test func whatCannotBeTypedIsRefused() throws {
    let missing = try Executable.run(["type", "--dry-run", "--layout", "us", "5 €"])
    #expect(missing.status == 2)
    #expect(missing.output.isEmpty)
    #expect(missing.diagnostics.contains("U+20AC"))
    #expect(try Executable.run(["type", "--dry-run", "--layout", "nowhere", "x"]).status == 65)
    #expect(try Executable.run(["type", "--dry-run", "--suffix", "{Nothing}", "x"]).status == 65)
  }

  @Test func withoutUinputTheReasonIsReported() throws {
    let folder = try TemporaryFolder()
    let run = try Executable.run(
      ["type", "--layout", "us", "x"], environment: ["WAYMARK_TYPE_DEVICE": folder.file("none")])
    #expect(run.status == 69)
    #expect(run.diagnostics.contains("modprobe uinput"))
  }

  @Test func rulesAreCheckedWithTheirLines() throws {
    let folder = try TemporaryFolder()
    try """
    type:
      layout: de
      substitutions:
        - { match: '(', replace: '' }
      rules:
        - { symbologies: [qrr], type: false }
        - { symbologies: [qr], sufix: x }
        - { symbologies: [ean13], prefix: '{Foo}' }
    """.write(toFile: folder.file("waymark.yaml"), atomically: true, encoding: .utf8)
    let run = try Executable.run(["config", "check", folder.file("waymark.yaml")])
    #expect(run.status == 65)
    for place in [
      "waymark.yaml:4: type.substitutions", "waymark.yaml:6: type.rules.1.symbologies",
      "waymark.yaml:7: type.rules.2.sufix",
      "waymark.yaml:8: type.rules.3.prefix",
    ] { #expect(run.text.contains(place), "\(place)\n\(run.text)") }
  }

  /// A product goes by, then a Wi-Fi code.
  @Test func whatTheServiceReadsIsTypedAndSecretsAreNot() throws {
    let folder = try TemporaryFolder()
    let frames = folder.file("frames")
    try FileManager.default.createDirectory(atPath: frames, withIntermediateDirectories: true)
    for index in 0..<8 {
      let name = index < 4 ? "Tests/Fixtures/Codes/ean13.pbm" : "Samples/pictures/wifi.png"
      let file = Executable.project.appendingPathComponent(name)
      try FileManager.default.copyItem(
        atPath: file.path, toPath: "\(frames)/\(index).\(file.pathExtension)")
    }
    // Codes are reported in every round of the frames: the program may connect after the first one.
    try "scan: {newAfter: 0.2}\n".write(toFile: folder.file("waymark.yaml"), atomically: true, encoding: .utf8)
    let service = try RunningService([
      "--config", folder.file("waymark.yaml"), "--source", frames, "--rate", "10", "--auto-begin", "barcode",
    ])
    let run = try Executable.run([
      "type", "--dry-run", "--layout", "us", "--socket", service.socket, "--count", "2",
    ])
    #expect(run.status == 0, "\(run.diagnostics)")
    let read = try Executable.run(["scan", "--raw", "\(frames)/0.pbm"]).text.filter(\.isNumber)
    let digits = read.map { $0 == "0" ? 11 : Int(String($0)).map { $0 + 1 } ?? 0 }
    #expect(keys(run) == [digits + [28]])
    #expect(run.diagnostics.contains("secretPayload"))
    #expect(!run.diagnostics.contains("WIFI") && !run.text.contains("WIFI"))
  }
}

/// `waymark count`.
struct CountTests {
  private static let pictures = Executable.project.appendingPathComponent("Samples/pictures").path

  @Test func aPictureOfSixtyCodesCountsSixty() throws {
    let run = try Executable.run(["count", "--json", "\(Self.pictures)/sixty-codes.png"])
    #expect(run.status == 0)
    #expect(run.objects.first?["total"] as? Int == 60)
    #expect(run.objects.first?["by"] as? String == "place")
  }

  @Test func picturesStandForThemselvesOrForOneShelf() throws {
    let picture = "\(Self.pictures)/two-codes.png"
    func total(_ options: [String]) throws -> Int? {
      try Executable.run(["count", "--json"] + options + [picture, picture, picture]).objects.first?["total"] as? Int
    }
    #expect(try total([]) == 6)
    #expect(try total(["--moving"]) == 2)
    #expect(try total(["--by", "content"]) == 2)
  }

  @Test func listsAreCSV() throws {
    let run = try Executable.run(["count", "--csv", "\(Self.pictures)/product.png", "\(Self.pictures)/no-code.jpg"])
    #expect(run.status == 0)
    let rows = run.text.components(separatedBy: "\r\n")
    #expect(rows.first == "symbology,text,amount,input")
    #expect(rows.count == 3 && rows.last == "")
    #expect(rows[1].contains(",1,\"\(Self.pictures)/product.png\""))
  }

  @Test func nothingIsNothing() throws {
    #expect(try Executable.run(["count", "\(Self.pictures)/no-code.jpg"]).status == 1)
    #expect(try Executable.run(["count", "/nowhere.png"]).status == 66)
    #expect(try Executable.run(["count"]).status == 64)
    #expect(try Executable.run(["count", "--live", "--seconds", "1", "--socket", "/nowhere"]).status == 69)
  }

  /// The service's camera, its pictures passed on.
  @Test func theServicesCameraIsCounted() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.copyItem(
      atPath: "\(Self.pictures)/two-codes.png", toPath: folder.file("frame.png"))
    let service = try RunningService(["--source", folder.path, "--rate", "10"])
    let run = try Executable.run(["count", "--live", "--seconds", "3", "--json", "--socket", service.socket])
    #expect(run.status == 0, "\(run.diagnostics)")
    #expect(run.objects.first?["total"] as? Int == 2)
    #expect(run.objects.first?["stretches"] as? Int == 1)
  }
}
