package import WaymarkConfiguration
import WaymarkProtocol
package import WaymarkService
import WaymarkSystem
package import WaymarkText
import WaymarkWorker

/// The section `text` of the configuration.
package struct TextSettings: Configurable, Hashable {
  /// The configured patterns, in addition to the built-in ones.
  package var patterns: [TextPattern] = []
  /// The languages of text if a request names none, as names of Tesseract's models.
  package var languages = TextEngine.usualLanguages
  /// The largest number of frames a second.
  package var rate: Double?
  /// The largest number of frames a second of each further camera, by the camera's name.
  var rates: [String: Double] = [:]

  /// The largest number of configured patterns.
  private static let namedLimit = 100

  package init() {}

  /// Reads the settings and the patterns from the configuration.
  package init(_ configuration: ServiceConfiguration) {
    read(configuration.values)
    rates = Self.ofCameras(configuration) { $0.rate }
    if let document = configuration.document { patterns = Self.read(document).patterns }
  }

  /// The keys of the section `text`, without the keys of `text.patterns`.
  package static let settings: [Setting<Self>] = [
    Setting("text.languages", .strings, "names of Tesseract's models", into: \.languages),
    Setting("text.rate", .double(0.1...240), "frames a second at most", into: \.rate),
  ]

  /// The keys of `text.patterns`.
  package static let patternKeys: [ConfigurationKey] = [
    key("", .named, "your own [patterns](text.md#patterns)"),
    key(".NAME", .textOrSection(4 * TextPattern.expressionLimit), "pattern"),
    key(".NAME.expression", .text(4 * TextPattern.expressionLimit), "regular expression for the whole text"),
    key(".NAME.length", .ints(1...128), "number of characters, or the least and the greatest"),
    key(".NAME.alphabet", .text(1000), "its characters, at most 400"),
    key(".NAME.check", .text(100), "the check digit: \(words(CheckDigit.self))"),
    key(".NAME.kind", .text(100), "what it is: \(words(TextKind.self))"),
  ]

  private static func words<Word: RawRepresentable & CaseIterable>(_ type: Word.Type) -> String
  where Word.RawValue == String { Word.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ") }

  private static func key(_ name: String, _ kind: ConfigurationKind, _ meaning: String) -> ConfigurationKey {
    ConfigurationKey("text.patterns" + name, kind, meaning)
  }

  /// The patterns of a checked configuration file, and their problems.
  package static func read(
    _ document: ConfigurationDocument
  ) -> (patterns: [TextPattern], problems: [ConfigurationProblem]) {
    var problems: [ConfigurationProblem] = []
    var patterns: [TextPattern] = []
    for entry in document.checked.at("text.patterns")?.entries ?? [] {
      let (name, key) = (entry.key, "text.patterns.\(entry.key)")
      func wrong(_ message: String, hint: String) {
        problems.append(document.problem(message, key, entry.node, hint: hint))
      }
      do {
        // Lots and dates of expiry have no single form: a pattern of the configuration replaces the built-in one.
        let isFixed = TextPattern.builtIn.contains { $0.name == name && $0.kind != .lot && $0.kind != .expiry }
        if isFixed || name == TextFollower.anyName {
          wrong("a pattern of this name is there already", hint: "Choose another name.")
        } else if patterns.count >= namedLimit {
          wrong("there are more than \(namedLimit) patterns", hint: "Leave some out.")
        } else {
          patterns.append(try TextPattern(try request(name, entry.node), among: []))
        }
      } catch {
        wrong(error.cause ?? error.message, hint: error.hint)
      }
    }
    return (patterns, problems.inOrder)
  }

  private static func request(_ name: String, _ node: SourceNode) throws(TextError) -> TextPatternRequest {
    var request = TextPatternRequest(name: name)
    if let expression = node.string {
      request.expression = expression
      return request
    }
    request.expression = node["expression"]?.string
    request.length = node["length"]?.elements.compactMap(\.int)
    request.alphabet = node["alphabet"]?.string
    request.check = try word(node, "check")
    request.kind = try word(node, "kind")
    return request
  }

  /// Reads the value of a key as a case of an enum; nil if the key is not set.
  private static func word<Word: CaseIterable & RawRepresentable>(
    _ node: SourceNode, _ key: String
  ) throws(TextError) -> Word? where Word.RawValue == String {
    guard let text = node[key]?.string else { return nil }
    guard let word = Word(rawValue: text) else {
      throw TextPattern.problem("\(key) is one of \(Word.allCases.map(\.rawValue).joined(separator: ", ")).")
    }
    return word
  }
}

extension TextPattern {
  /// Creates a pattern from its description in a request or the configuration. A description of one word names a known pattern.
  ///
  /// - Parameter known: patterns that the description may name, in addition to the built-in patterns.
  /// - Throws: `badPattern` if the description names an unknown pattern, a member is out of range, or it has no condition.
  init(_ request: TextPatternRequest, among known: [TextPattern]) throws(TextError) {
    if request.isWord, let word = request.name {
      self = try TextPattern.named(word, among: known)
      return
    }
    self.init(name: request.name ?? "pattern", expression: request.expression)
    guard (1...64).contains(name.count) else {
      throw Self.problem("A name has 1 to 64 characters.")
    }
    if let numbers = request.length {
      guard (1...2).contains(numbers.count), let least = numbers.first, let most = numbers.last,
        least >= 1, least <= most, most <= 128
      else { throw Self.problem("length is one number from 1 to 128, or two in rising order.") }
      length = least...most
    }
    if let characters = request.alphabet {
      guard (1...400).contains(characters.count) else { throw Self.problem("alphabet has 1 to 400 characters.") }
      alphabet = Set(characters)
    }
    check = request.check.map(CheckDigit.init)
    kind = request.kind.map(Kind.init)
    guard expression != nil || length != nil || alphabet != nil || check != nil || kind != nil else {
      throw Self.problem("It has no condition.")
    }
    _ = try TextMatcher(self)
  }

  fileprivate static func problem(_ cause: String) -> TextError {
    TextError(.badPattern, "The pattern cannot be used.", hint: "See docs/text.md.", cause: cause)
  }
}
