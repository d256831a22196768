/// The kind of a value of a configuration, with its bounds.
package enum ConfigurationKind: Hashable, Sendable {
  /// Any text.
  case string
  /// A text that is not empty, of at most so many bytes.
  case text(Int)
  /// One of some words.
  case choice([String])
  /// A whole number within bounds.
  case int(ClosedRange<Int>)
  /// A number within bounds.
  case double(ClosedRange<Double>)
  /// `true` or `false`.
  case bool
  /// `true` or `false`, and the other words that YAML 1.1 has for them: `yes`, `no`, `on`, `off`.
  case flag
  /// A list of texts; one text alone counts as a list.
  case strings
  /// A list of texts, each of at most so many bytes.
  case texts(Int)
  /// A list of some words; one word alone counts as a list.
  case choices([String])
  /// One or two whole numbers within bounds.
  case ints(ClosedRange<Int>)
  /// A text, or one for each of some languages.
  case localized
  /// A section, whose keys have rows of their own.
  case section
  /// A list of sections, whose keys have rows of their own.
  case sections
  /// A section whose keys are names of the user's choice; their value has the row `NAME`.
  case named
  /// A text of at most so many bytes, or a section.
  case textOrSection(Int)
  /// A word or a list of words that the section's own reader knows.
  case words

  /// The name of the kind for a person.
  package var description: String {
    switch self {
    case .string, .text: "a string"
    case .choice(let words): "one of " + words.joined(separator: ", ")
    case .int(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .double(let range): "a number from \(range.lowerBound) to \(range.upperBound)"
    case .bool, .flag: "true or false"
    case .strings, .texts: "a list of strings"
    case .choices(let words): "a list of " + words.joined(separator: ", ")
    case .ints(let range): "one or two whole numbers from \(range.lowerBound) to \(range.upperBound)"
    case .localized: "a string, or a section with a string for each language"
    case .section: "a section with keys"
    case .sections: "a list of sections"
    case .named: "a section with a name for each"
    case .textOrSection: "a string, or a section with keys"
    case .words: "a word, or a list of words"
    }
  }

  /// The remedy for another value.
  var remedy: String {
    switch self {
    case .strings, .texts, .choices: "Write [A, B]."
    case .sections: "Write - and its keys for each element."
    case .section, .named: "Write key: value."
    default: "Correct the value."
    }
  }

  /// True for a list: an empty one could mean all or nothing.
  var isList: Bool {
    switch self {
    case .strings, .texts, .choices, .sections: true
    default: false
    }
  }

  /// True where a flag or a variable of the environment can set a value.
  var isSimple: Bool {
    switch self {
    case .string, .text, .choice, .int, .double, .bool, .flag, .strings: true
    default: false
    }
  }

  /// The checked value of a text, as a flag or a variable gives it; nil where it is none. Lists are separated by commas.
  func value(of text: String) -> ConfigurationValue? {
    switch self {
    case .string: .string(text)
    case .text(let limit): Self.isText(text, limit) ? .string(text) : nil
    // YAML's own reading of octal and of off/on is not wanted here: the word as it is written counts.
    case .choice(let words): words.contains(text) ? .string(text) : nil
    case .int(let range): Int(text).flatMap { range.contains($0) ? .int($0) : nil }
    case .double(let range): Double(text).flatMap { range.contains($0) ? .double($0) : nil }
    case .bool, .flag: ["true": true, "false": false][text.lowercased()].map { .bool($0) }
    case .strings: .strings(text.split(separator: ",").map(String.init))
    default: nil
    }
  }

  /// Returns whether a text is not empty, not too long, and goes through C's strings.
  static func isText(_ text: String, _ limit: Int) -> Bool {
    !text.isEmpty && text.utf8.count <= limit && !text.utf8.contains(0)
  }
}

/// A checked value of the configuration.
package enum ConfigurationValue: Hashable, Sendable {
  /// A text, or one of some words.
  case string(String)
  /// A whole number within its bounds.
  case int(Int)
  /// A number within its bounds.
  case double(Double)
  /// `true` or `false`.
  case bool(Bool)
  /// A list of texts.
  case strings([String])

  /// As it would be written.
  var text: String {
    switch self {
    case .string(let text): text
    case .int(let number): String(number)
    case .double(let number): number == number.rounded() && abs(number) < 1e15 ? String(Int(number)) : String(number)
    case .bool(let flag): String(flag)
    case .strings(let texts): "[" + texts.joined(separator: ", ") + "]"
    }
  }
}
