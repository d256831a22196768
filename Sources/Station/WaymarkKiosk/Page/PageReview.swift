import Foundation
import WaymarkConfiguration
import WaymarkSystem

/// Checks parts of the page's file that depend on each other, which a table of keys cannot check. The file has the review of the
/// page's colours and words (`PageReview`, `BrandColour`, `PageWords`), and the review of `handover` (`HandoverReview`).
protocol SettingsReview {
  var document: ConfigurationDocument { get }
  var problems: [ConfigurationProblem] { get set }
}

extension SettingsReview {
  mutating func add(_ message: String, _ key: String, _ node: SourceNode?, _ hint: String) {
    problems.append(document.problem(message, key, node, hint: hint))
  }

  /// Reports a list with too many elements.
  mutating func bound(_ nodes: [SourceNode], _ limit: Int, _ path: String) {
    guard nodes.count > limit else { return }
    add("it has \(nodes.count) entries, and may have \(limit)", path, nodes[limit], "Leave some out.")
  }

  /// Reports keys that a section lacks.
  mutating func require(_ node: SourceNode, _ keys: [String], _ path: String) {
    for key in keys where node[key] == nil { add("\(key) is missing", path, node, "Add \(key).") }
  }

  /// Reports elements whose name an earlier element has.
  mutating func distinct(_ nodes: [SourceNode], _ key: String, _ path: String) {
    var seen: Set<String> = []
    for (index, node) in nodes.enumerated() {
      guard let name = node[key]?.string, !seen.insert(name).inserted else { continue }
      add("another one is called \(name), too", "\(path).\(index + 1).\(key)", node[key], "Use distinct names.")
    }
  }

  /// Reports a text that is not a regular expression.
  mutating func checkPattern(_ key: String, _ node: SourceNode?) {
    guard let node, let pattern = node.string else { return }
    do throws(RegularExpressionFlaw) {
      _ = try RegularExpression(pattern)
    } catch {
      add(
        "it is not a regular expression: \(error.message)", key, node, "Correct it; backslashes need single quotes.")
    }
  }
}

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

/// A colour of the integrator: its contrast with the page's backgrounds, and the shades that the page derives from it. Contrast is
/// defined by WCAG 2.2, 1.4.3.
struct BrandColour {
  /// The least contrast of text with its background, 1 to 21 (level AA).
  static let least = 4.5

  /// The backgrounds of the light or the dark scheme, on which the colour is used for text.
  struct Ground {
    let isLight: Bool
    /// The background with the least contrast.
    let worst: BrandColour
  }

  static let lightGround = Ground(isLight: true, worst: BrandColour(red: 0xE6, green: 0xE3, blue: 0xDC))
  static let darkGround = Ground(isLight: false, worst: BrandColour(red: 0x39, green: 0x36, blue: 0x46))

  private let red: Double
  private let green: Double
  private let blue: Double

  private init(red: Double, green: Double, blue: Double) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// Parses `#rrggbb`; nil if `text` has another format.
  init?(_ text: String) {
    guard text.wholeMatch(of: /#[0-9A-Fa-f]{6}/) != nil, let value = Int(text.dropFirst(), radix: 16) else {
      return nil
    }
    self.init(red: Double(value >> 16), green: Double(value >> 8 & 255), blue: Double(value & 255))
  }

  private var luminance: Double {
    func linear(_ part: Double) -> Double {
      let share = part / 255
      return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  }

  func contrast(with other: BrandColour) -> Double {
    let (high, low) = (max(luminance, other.luminance), min(luminance, other.luminance))
    return (high + 0.05) / (low + 0.05)
  }

  private func mixed(_ share: Double, _ other: BrandColour) -> BrandColour {
    func mix(_ one: Double, _ two: Double) -> Double { (one * share + two * (1 - share)).rounded() }
    return BrandColour(red: mix(red, other.red), green: mix(green, other.green), blue: mix(blue, other.blue))
  }

  private var text: String { "#" + [red, green, blue].map { String(format: "%02x", Int($0)) }.joined() }

  /// The CSS custom properties for a scheme. `--accent-soft` contains as much of the colour as possible while text in the colour
  /// remains readable on it.
  func rules(on ground: Ground) -> String {
    let white = BrandColour(red: 255, green: 255, blue: 255)
    let black = BrandColour(red: 0, green: 0, blue: 0)
    let letters = contrast(with: white) >= contrast(with: black) ? white : black
    let strong = mixed(0.82, letters.luminance > 0.5 ? black : white)
    let base = ground.isLight ? white : BrandColour(red: 0x14, green: 0x13, blue: 0x1B)
    let soft =
      stride(from: 0.2, through: 0.02, by: -0.02).map { mixed($0, base) }.first { contrast(with: $0) >= Self.least }
      ?? base
    return " --accent: \(text); --accent-strong: \(strong.text); --accent-text: \(letters.text); "
      + "--accent-soft: \(soft.text); --focus: \(text); "
  }
}

// MARK: - Handover

/// Checks the section `handover` of the page's file: the programs to which results are handed over.
struct HandoverReview: SettingsReview {
  let document: ConfigurationDocument
  var problems: [ConfigurationProblem] = []
  /// The ways that have a name and a program, even if they have other problems.
  private(set) var ways: [HandoverWay] = []

  init(document: ConfigurationDocument) { self.document = document }

  mutating func run() {
    let nodes = document.checked["handover"]?.elements ?? []
    bound(nodes, HandoverWay.limit, "handover")
    for (index, node) in nodes.prefix(HandoverWay.limit).enumerated() { look(at: node, "handover.\(index + 1)") }
  }

  private mutating func look(at node: SourceNode, _ path: String) {
    require(node, ["name", "label", "program"], path)
    if let program = node["program"]?.string {
      let file = document.resolved(program)
      if !FileManager.default.isExecutableFile(atPath: file) {
        add(
          "\(file) cannot be run", "\(path).program", node["program"],
          "Name a program's file; its arguments stand in arguments.")
      }
    }
    for argument in node["arguments"]?.elements ?? [] {
      for place in PageWords.places(argument.string ?? "").subtracting(["file", "number"]).sorted() {
        add(
          "there is no {\(place)}", "\(path).arguments", argument,
          "{file} and {number} stand for those of a result; the rest comes on standard input.")
      }
    }
    for key in ["pattern", "wrong"] where node["ask"] == nil && node[key] != nil {
      add("nothing is asked", "\(path).\(key)", node[key], "Add ask, or leave it out.")
    }
    checkPattern("\(path).pattern", node["pattern"])
    guard let way = HandoverWay(node, in: document) else { return }
    if ways.contains(where: { $0.name == way.name }) {
      add("another one is called \(way.name), too", "\(path).name", node["name"], "Use distinct names.")
    }
    ways.append(way)
  }
}
