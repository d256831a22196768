import Foundation
import Logging
import Testing
import WaymarkConfiguration
import WaymarkServer

@testable import WaymarkService
@testable import WaymarkStation

/// Every key of `waymark.yaml`, as its row in the table says it.
@Suite struct ConfigurationKeysTests {
  private func problems(_ yaml: String) -> [ConfigurationProblem] {
    ConfigurationDocument(yaml, path: "w.yaml", table: stationSchema.table).problems
  }

  /// A document with a value for one key, written after its sections, lists and names.
  private func document(_ key: ConfigurationKey, name last: String? = nil, _ value: String) -> String {
    let parts = key.path.split(separator: ".").map(String.init)
    var (path, yaml, end) = ("", "", "")
    for (index, part) in parts.enumerated() {
      let isLast = index == parts.count - 1
      yaml += (isLast ? last ?? part : part) + ": "
      guard !isLast else { break }
      path += path.isEmpty ? part : "." + part
      let isList = stationSchema.table.key(path)?.kind == .sections
      yaml += index == 0 ? "\n  " : ""
      if index == 0 {
        yaml += isList ? "- {" : "{"
      } else {
        yaml += isList ? "[{" : "{"
      }
      end = (isList && index > 0 ? "}]" : "}") + end
    }
    return yaml + value + end + "\n"
  }

  /// Values of the kind and within its bounds, and values that are not.
  private func values(_ kind: ConfigurationKind) -> (right: [String], wrong: [String]) {
    switch kind {
    case .string: (["x", "\"\""], ["[a]", "{a: b}"])
    case .text(let limit):
      (
        ["x", String(repeating: "x", count: limit)],
        ["[a]", "{a: b}", "\"\"", String(repeating: "x", count: limit + 1)]
      )
    case .choice(let words): (words.map { "\"\($0)\"" }, ["nonsense", "[\(words[0])]", "{a: b}"])
    case .int(let range):
      (
        ["\(range.lowerBound)", "\(range.upperBound)"],
        ["\(range.lowerBound - 1)", "\(range.upperBound + 1)", "x", "\"\(range.lowerBound)\"", "1.5", "[1]", "{a: b}"]
      )
    case .double(let range):
      (
        ["\(range.lowerBound)", "\(range.upperBound)"],
        [
          "\(range.lowerBound - 0.001)", "\(range.upperBound + 0.001)", "x", "\"\(range.lowerBound)\"", ".nan", ".inf",
          "[1]", "{a: b}",
        ]
      )
    case .bool: (["true", "false"], ["yes", "\"true\"", "1", "[true]", "{a: b}"])
    case .flag: (["true", "false", "yes", "off"], ["\"yes\"", "1", "[true]", "{a: b}"])
    case .path: (["x", "a/b"], ["[a]", "{a: b}", "\"\"", String(repeating: "x", count: 4097)])
    case .strings, .paths: (["x", "[x, y]"], ["{a: b}", "[[a]]", "[~]"])
    case .texts(let limit): (["[x]"], ["x", "{a: b}", "[\"\"]", "[\(String(repeating: "x", count: limit + 1))]"])
    case .choices(let words): (["\(words[0])", "[\(words.joined(separator: ", "))]"], ["nonsense", "{a: b}"])
    case .ints(let range):
      (
        ["\(range.lowerBound)", "[\(range.lowerBound), \(range.upperBound)]"],
        ["\(range.lowerBound - 1)", "\(range.upperBound + 1)", "[]", "[1, 2, 3]", "x"]
      )
    case .localized: (["x", "{en: x, de: y}"], ["[a]", "{English: x}", "\"\"", "{en: [x]}"])
    case .section, .named: (["{}"], ["x", "[a]"])
    case .sections: (["[{}]"], ["x", "{a: b}", "[x]"])
    case .textOrSection(let limit): (["x", "{}"], ["[a]", "\"\"", String(repeating: "x", count: limit + 1)])
    case .words: (["x", "[x]"], ["{a: b}"])
    }
  }

  @Test(arguments: stationSchema.table.keys)
  func takesWhatItsRowSaysAndNothingElse(_ key: ConfigurationKey) {
    let (right, wrong) = values(key.kind)
    for value in right {
      #expect(problems(document(key, value)).isEmpty, "\(document(key, value))\(problems(document(key, value)))")
    }
    for value in wrong {
      let yaml = document(key, value)
      let found = problems(yaml)
      #expect(found.count == 1, "\(yaml.prefix(300))\(found)")
      // The path of a problem also has the index of an element or the language of a text.
      let shown = found.first?.key?.replacing(#/\.[0-9]+|\.en$/#, with: "")
      #expect(shown == key.path, "\(yaml.prefix(300))")
      #expect(found.first?.line == (key.path.contains(".") ? 2 : 1))
      #expect((found.first?.column ?? 0) > 1 && found.first?.hint.isEmpty == false)
    }
  }

  @Test(arguments: stationSchema.table.keys)
  func aSlipOfTheFingerIsNamedWithTheKeyThatWasMeant(_ key: ConfigurationKey) throws {
    let name = String(key.path.split(separator: ".").last ?? "")
    // Names of the user's choice cannot be misspelt.
    guard name != "NAME" else { return }
    let found = problems(document(key, name: name + "x", "1"))
    #expect(found.map(\.message) == ["there is no such key"])
    #expect(found.first?.line == (key.path.contains(".") ? 2 : 1))
    let hint = try #require(found.first?.hint)
    // Where a shorter word is as near, that one may be named.
    #expect(hint.hasPrefix("Did you mean "), "\(key.path): \(hint)")
    if name.count > 4 {
      #expect(hint.hasSuffix(".\(name)?") || hint == "Did you mean \(name)?", "\(key.path): \(hint)")
    }
  }

  @Test func emptyListsThatCouldMeanAllOrNothingAreRefused() {
    for key in stationSchema.table.keys where !key.mayBeEmpty {
      switch key.kind {
      case .strings, .paths, .texts, .choices, .sections: break
      default: continue
      }
      for value in ["", "[]", "~"] {
        let found = problems(document(key, value))
        #expect(found.map(\.message) == ["the list is empty"], "\(key.path)")
      }
    }
  }

  /// A standard is a value that the key takes.
  @Test func standardsAreWithinTheirBounds() {
    for key in stationSchema.table.keys {
      guard let standard = key.defaultValue else { continue }
      let text =
        switch standard {
        case .string(let text): "\"\(text)\""
        case .int(let number): "\(number)"
        case .double(let number): "\(number)"
        case .bool(let flag): "\(flag)"
        case .strings(let texts): "[\(texts.joined(separator: ", "))]"
        }
      #expect(problems(document(key, text)).isEmpty, "\(key.path)")
    }
  }

  /// A file with every default changes nothing.
  @Test func theDefaultsOfTheTableAreTheDefaultsOfTheService() {
    let defaults = stationSchema.keys.reduce(into: [String: ConfigurationValue]()) { $0[$1.path] = $1.defaultValue }
    let configured = ServiceConfiguration([defaults], schema: stationSchema)
    let standard = ServiceConfiguration(stationSchema)
    #expect(configured.settings == standard.settings)
    #expect(TypingSettings(configured.values) == TypingSettings(standard.values))
    #expect(DocumentSettings(configured) == DocumentSettings(standard))
    #expect(TextSettings(configured) == TextSettings(standard))
    #expect(defaults["camera.closeAfter"] == .double(10) && defaults["socket.mode"] == .string("0660"))
  }

  @Test func thePageIsTheTables() throws {
    try expectReference("configuration.md", stationSchema.reference)
    try expectReference("camera.md", [("camera keys", stationSchema.cameraList)])
    try expectReference("profiles.md", [("profile keys", stationSchema.profileList)])
  }
}
