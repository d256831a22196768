import Foundation
import Testing
import WaymarkConfiguration
import WaymarkService

@testable import WaymarkStation

@Suite("The section type: of the configuration") struct TypingConfigurationTests {
  private static func read(_ yaml: String, keyboard: String = "") throws -> TypingConfiguration {
    let folder = FileManager.default.temporaryDirectory.path + "/waymark-typing-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/waymark.yaml"
    try yaml.write(toFile: path, atomically: true, encoding: .utf8)
    let loader = ConfigurationLoader(
      named: path, environment: ["XDG_CONFIG_HOME": folder], flags: [:], isSystem: false, schema: stationSchema)
    return TypingConfiguration(loader.load().configuration, keyboard: keyboard)
  }

  private static func text(_ rules: TypingRules, _ symbology: String, _ text: String) throws -> [KeyText.Piece] {
    try rules.pieces(for: TypedCode(symbology: symbology, text: text))
  }

  @Test("A rule holds for its symbologies alone; what it leaves out holds as for all") func rules() throws {
    let typing = try Self.read(
      """
      type:
        prefix: "<"
        suffix: ">"
        substitutions:
          - {match: "a", replace: "b"}
        rules:
          - {symbologies: [qr, ean13], suffix: "!", substitutions: [{match: "b", replace: "c"}]}
          - {symbologies: [ean13, code39], type: false}
      """)
    #expect(typing.problems.isEmpty)
    #expect(try Self.text(typing.rules, "aztec", "a") == [.text("<"), .text("b"), .text(">")])
    #expect(try Self.text(typing.rules, "qr", "a") == [.text("<"), .text("c"), .text("!")])
    // The first rule that names a symbology counts.
    #expect(try Self.text(typing.rules, "ean13", "1") == [.text("<"), .text("1"), .text("!")])
    #expect(throws: TypingError.self) { try Self.text(typing.rules, "code39", "1") }
  }

  @Test("Everything that is wrong is told, with its key") func problems() throws {
    let typing = try Self.read(
      """
      type:
        suffix: "{Nonsense}"
        rules:
          - {suffix: "!"}
          - {symbologies: [qrr], prefix: "{Worse}"}
          - {symbologies: [qr], substitutions: [{replace: "c"}, {match: "(", replace: "c"}]}
      """)
    #expect(
      typing.problems.map(\.key) == [
        "type.suffix", "type.rules.1", "type.rules.2.prefix", "type.rules.2.symbologies",
        "type.rules.3.substitutions", "type.rules.3.substitutions",
      ])
  }

  @Test("Without a layout of its own, the first of the system's layouts counts") func layouts() throws {
    let keyboard = "XKBMODEL=\"pc105\"\nXKBLAYOUT=\"de,us\"\nXKBVARIANT=\"nodeadkeys,\"\nXKBOPTIONS=\"compose:menu\"\n"
    let system = try Self.read("type: {}", keyboard: keyboard).layout
    #expect(
      (system.layout, system.variant, system.model, system.options) == ("de", "nodeadkeys", "pc105", "compose:menu"))
    let own = try Self.read("type: {layout: fr}", keyboard: keyboard).layout
    #expect((own.layout, own.variant, own.model, own.options) == ("fr", "", "", ""))
    #expect(try Self.read("type: {}").layout.layout == "us")
    #expect(try Self.read("type: {layout: zz}").problems.map(\.key) == ["type.layout"])
  }
}
