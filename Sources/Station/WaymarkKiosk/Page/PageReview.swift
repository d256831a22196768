import Foundation
import WaymarkConfiguration
import WaymarkSystem

/// Checks the colours and the words of the page's file.
struct PageReview: SettingsReview {
  /// The languages of the page's own texts.
  static let ownLanguages = ["en", "de"]
  /// The largest number of languages: each has a button in the switch.
  private static let languageLimit = 8

  let document: ConfigurationDocument
  let words: PageWords
  var problems: [ConfigurationProblem] = []
  /// CSS rules with the integrator's colours; empty if none are set.
  private(set) var style = ""

  init(document: ConfigurationDocument, words: PageWords) {
    self.document = document
    self.words = words
  }

  mutating func run() {
    colours()
    languages()
  }

  // MARK: Colours

  private mutating func colours() {
    let brand = document.checked["brand"]
    let light = accent(brand?["accent"], "brand.accent", on: BrandColour.lightGround)
    let dark = accent(brand?["accentDark"], "brand.accentDark", on: BrandColour.darkGround)
    if let light { style += ":root {\(light)}\n" }
    if let dark {
      style += "@media (prefers-color-scheme: dark) { :root {\(dark)} }\n"
    } else if light != nil {
      add(
        "it holds for light ground alone", "brand.accent", brand?["accent"],
        "Name a lighter one for dark ground with brand.accentDark.")
    }
  }

  private mutating func accent(_ node: SourceNode?, _ key: String, on ground: BrandColour.Ground) -> String? {
    guard let node, let text = node.string else { return nil }
    guard let colour = BrandColour(text) else {
      add("\"\(text)\" is not a colour", key, node, "Write it as \"#rrggbb\", in quotes.")
      return nil
    }
    let ratio = colour.contrast(with: ground.worst)
    guard ratio >= BrandColour.least else {
      add(
        "its contrast with the page's ground is \(String(format: "%.1f", ratio)), and letters need \(BrandColour.least)",
        key, node, ground.isLight ? "Make it darker." : "Make it lighter.")
      return nil
    }
    return colour.rules(on: ground)
  }

  // MARK: Words

  private mutating func languages() {
    let tables = document.checked["words"]?.entries ?? []
    if tables.count > Self.languageLimit {
      add(
        "it has \(tables.count) languages, and may have \(Self.languageLimit)", "words",
        tables[Self.languageLimit].node,
        "Leave some out.")
    }
    for table in tables {
      let key = "words.\(table.key)"
      guard table.key.wholeMatch(of: /[a-z]{2,3}/) != nil else {
        add("it is not a language", key, table.node, "Write two or three letters, such as en or fr.")
        continue
      }
      for entry in table.node.entries where entry.key != "language" {
        guard let text = words.texts[entry.key] else {
          let meant = NearestWord.of(entry.key, among: Array(words.texts.keys))
          add(
            "the page has no such text", "\(key).\(entry.key)", entry.node,
            meant.map { "Did you mean \($0)?" } ?? "`waymark kiosk --print-words` names them.")
          continue
        }
        let places = PageWords.places(text)
        let own = PageWords.places(entry.node.string ?? "")
        if places != own {
          add(
            "its places are \(list(own)), those of the page's text \(list(places))", "\(key).\(entry.key)", entry.node,
            "Keep what stands in braces.")
        }
      }
      guard !Self.ownLanguages.contains(table.key) else { continue }
      let missing = Set(words.texts.keys).subtracting(table.node.entries.map(\.key)).sorted()
      if let first = missing.first {
        add(
          "\(missing.count) texts are missing, \(first) among them", key, table.node,
          "Translate all of what `waymark kiosk --print-words` prints.")
      }
      if table.node["language"] == nil {
        add("it does not say what it is called", key, table.node, "Add language: Français.")
      }
    }
    let known = Set(Self.ownLanguages + tables.map(\.key))
    for node in document.checked["languages"]?.elements ?? [] {
      guard let tag = node.string, !known.contains(tag) else { continue }
      add("there are no words for \(tag)", "languages", node, "Add words.\(tag).")
    }
  }

  private func list(_ names: Set<String>) -> String {
    names.isEmpty ? "none" : names.sorted().map { "{\($0)}" }.joined(separator: ", ")
  }
}

/// The texts of the page, by their keys.
package struct PageWords: Sendable {
  /// The English texts.
  let texts: [String: String]

  /// - Parameter folder: the folder of the page's files.
  init(folder: String) {
    let root = URL(fileURLWithPath: folder, isDirectory: true)
    let parts =
      (try? FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent("js/strings").path)) ?? []
    var texts: [String: String] = [:]
    for name in ["js/strings.js"] + parts.map({ "js/strings/\($0)" }) {
      guard let text = try? String(contentsOf: root.appendingPathComponent(name), encoding: .utf8) else { continue }
      // Each file contains the English texts before the German ones.
      let english = text.split(separator: /(?:export )?const de = \{/, maxSplits: 1).first ?? ""
      for match in english.matches(of: /(?m)^  '([A-Za-z.]+)': '((?:[^'\\]|\\.)*)'/) {
        texts[String(match.1)] = String(match.2).replacing("\\'", with: "'")
      }
    }
    self.texts = texts
  }

  /// Returns the names of the placeholders in a text, such as `count` for `{count}`.
  static func places(_ text: String) -> Set<String> {
    Set(text.matches(of: /\{([a-z]+)\}/).map { String($0.1) })
  }

  /// All texts of the page in English, as lines of `words` to be translated.
  ///
  /// - Parameter assets: the folder of the page's files.
  package static func template(assets: String) -> [String] {
    ["words:", "  en:", "    language: English"]
      + PageWords(folder: assets).texts.sorted { $0.key < $1.key }.map { key, text in
        "    \(key): '\(text.replacing("'", with: "''"))'"
      }
  }
}
