import Foundation
import WaymarkConfiguration
import WaymarkSystem

/// Looks at the colours and the words of the page's file, once the table of keys has found their kinds right.
struct PageReview {
  /// The languages that the page speaks by itself.
  static let ownLanguages = ["en", "de"]
  /// The most languages: each has a button in the switch.
  private static let languageLimit = 8

  let document: ConfigurationDocument
  let words: PageWords
  private(set) var problems: [ConfigurationProblem] = []
  /// Rules that give the page its colours.
  private(set) var style = ""

  init(document: ConfigurationDocument, words: PageWords) {
    self.document = document
    self.words = words
  }

  mutating func run() {
    colours()
    languages()
  }

  private mutating func add(_ message: String, _ key: String, _ node: SourceNode?, _ hint: String) {
    problems.append(document.problem(message, key, node, hint: hint))
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
