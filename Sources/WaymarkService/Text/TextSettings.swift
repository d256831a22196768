import WaymarkProtocol
package import WaymarkSystem
package import WaymarkText
import WaymarkWorker
import Yams

/// The section `text` of the configuration.
package struct TextSettings: Hashable, Sendable {
  /// Those that requests may name beside the built-in ones.
  package var patterns: [TextPattern] = []
  /// The languages of text where a request names none, as Tesseract names its models.
  package var languages = TextEngine.usualLanguages
  /// Frames a second that are read, at most.
  package var rate: Double?

  /// More patterns are not held to at once.
  static let patternLimit = 16
  /// More are not kept.
  private static let namedLimit = 100

  /// The standard.
  package init() {}

  /// The settings, from the configuration.
  package init(_ configuration: ServiceConfiguration.Text, yaml: String?, file: String?) {
    languages = configuration.languages ?? languages
    rate = configuration.rate
    if let yaml, let file { patterns = Self.read(yaml: yaml, file: file).patterns }
  }

  /// The patterns of a configuration file's text, and what is wrong with them. The text as a whole must be YAML, which is for others to
  /// check.
  package static func read(
    yaml: String, file: String
  ) -> (patterns: [TextPattern], problems: [ConfigurationProblem]) {
    var reader = SectionReader(origin: file)
    var patterns: [TextPattern] = []
    guard let root = try? Yams.compose(yaml: yaml), case .mapping(let mapping) = root,
      case .mapping(let section)? = mapping["text"], let node = section["patterns"]
    else { return ([], []) }
    for (name, value) in reader.section(node, "text.patterns", known: nil) {
      let key = "text.patterns.\(name)"
      let request = Self.request(name, value, key, &reader)
      do {
        if TextPattern.builtIn.contains(where: { $0.name == name }) || name == TextFollower.anyName {
          reader.add("another pattern has this name", key, value, hint: "Choose another name.")
        } else if patterns.count >= namedLimit {
          reader.add("there are more than \(namedLimit) patterns", key, value, hint: "Leave some out.")
        } else {
          patterns.append(try TextPattern(request, among: []))
        }
      } catch {
        reader.add(error.cause ?? error.message, key, value, hint: error.hint)
      }
    }
    return (patterns, reader.problems.sorted { ($0.line ?? 0) < ($1.line ?? 0) })
  }

  private static func request(
    _ name: String, _ node: Node, _ key: String, _ reader: inout SectionReader
  ) -> TextPatternRequest {
    var request = TextPatternRequest(name: name)
    if node.scalar != nil {
      request.expression = reader.text(node, key, limit: 4 * TextPattern.expressionLimit)
      return request
    }
    for (name, value) in reader.section(node, key, known: ["expression", "length", "alphabet", "check", "kind"]) {
      let place = "\(key).\(name)"
      switch name {
      case "length":
        let nodes = value.scalar == nil ? reader.list(value, place) : [value]
        request.length = nodes.compactMap { reader.number($0, place, 1...128, whole: true).map { Int($0) } }
      case "expression": request.expression = reader.text(value, place, limit: 4 * TextPattern.expressionLimit)
      case "alphabet": request.alphabet = reader.text(value, place, limit: 1000)
      case "check": request.check = reader.text(value, place, limit: 100)
      default: request.kind = reader.text(value, place, limit: 100)
      }
    }
    return request
  }
}

extension TextPattern {
  /// Reads the description in a request or the configuration.
  ///
  /// - Parameter known: patterns that may be named, beside those built in.
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
    if let word = request.check {
      guard let known = CheckDigit(rawValue: word) else {
        throw Self.problem("check is one of \(CheckDigit.allCases.map(\.rawValue).joined(separator: ", ")).")
      }
      check = known
    }
    if let word = request.kind {
      guard let known = Kind(rawValue: word) else {
        throw Self.problem("kind is one of \(Kind.allCases.map(\.rawValue).joined(separator: ", ")).")
      }
      kind = known
    }
    guard expression != nil || length != nil || alphabet != nil || check != nil || kind != nil else {
      throw Self.problem("It has no condition.")
    }
    _ = try TextMatcher(self)
  }

  private static func problem(_ cause: String) -> TextError {
    TextError(.badPattern, "The pattern cannot be used.", hint: "See docs/text.md.", cause: cause)
  }
}
