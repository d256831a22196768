package import WaymarkSystem

/// Why a pattern cannot be used, or text cannot be read.
package typealias TextError = Problem<TextErrorCode>

/// The codes of `TextError`.
package enum TextErrorCode: String, ProblemCode, CaseIterable {
  /// A pattern is none: not a name that is known, and no regular expression.
  case badPattern
  /// The program that reads text is not installed.
  case textEngineMissing
  /// The model of a language is not installed.
  case textLanguageMissing
  /// The program that reads text failed.
  case textEngineFailed
}

/// A pattern that a text must satisfy to be accepted: all that is set must hold.
package struct TextPattern: Hashable, Sendable {
  /// The kind of text, beyond its characters.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A day: 2026-01-31, 31.01.2026, 31/01/26, 31 JAN 2026, 01/2026.
    case date
    /// A number, perhaps with a unit.
    case number
    /// The machine-readable zone of a travel document (ICAO 9303).
    case mrz
  }

  /// The name.
  package var name: String
  /// A regular expression for the whole text.
  package var expression: String?
  /// How many characters it has, spaces and hyphens apart.
  package var length: ClosedRange<Int>?
  /// The characters that it may have, spaces apart.
  package var alphabet: Set<Character>?
  /// The check digit that it must have.
  package var check: CheckDigit?
  /// The kind.
  package var kind: Kind?

  /// A pattern from its parts.
  package init(
    name: String, expression: String? = nil, length: ClosedRange<Int>? = nil, alphabet: Set<Character>? = nil,
    check: CheckDigit? = nil, kind: Kind? = nil
  ) {
    self.name = name
    self.expression = expression
    self.length = length
    self.alphabet = alphabet
    self.check = check
    self.kind = kind
  }

  private static let digits = Set("0123456789")
  private static let capitals = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZ")

  /// The patterns that everybody knows by name.
  package static let builtIn: [TextPattern] = [
    TextPattern(name: "digits", alphabet: digits),
    TextPattern(name: "date", kind: .date),
    TextPattern(name: "number", kind: .number),
    TextPattern(name: "mrz", kind: .mrz),
    TextPattern(name: "luhn", length: 8...19, alphabet: digits, check: .luhn),
    TextPattern(name: "imei", length: 15...15, alphabet: digits, check: .luhn),
    TextPattern(name: "gtin", alphabet: digits, check: .gtin),
    TextPattern(name: "gtin-8", length: 8...8, alphabet: digits, check: .gtin),
    TextPattern(name: "gtin-12", length: 12...12, alphabet: digits, check: .gtin),
    TextPattern(name: "gtin-13", length: 13...13, alphabet: digits, check: .gtin),
    TextPattern(name: "gtin-14", length: 14...14, alphabet: digits, check: .gtin),
    TextPattern(name: "sscc", length: 18...18, alphabet: digits, check: .gtin),
    TextPattern(name: "iban", alphabet: digits.union(capitals), check: .iban),
    TextPattern(name: "vin", length: 17...17, alphabet: digits.union(capitals).subtracting("IOQ"), check: .vin),
    TextPattern(name: "mod97-10", length: 5...34, alphabet: digits.union(capitals), check: .mod97),
    TextPattern(name: "mod11-2", length: 5...34, alphabet: digits.union("X"), check: .mod11),
    TextPattern(name: "mod37-36", length: 5...34, alphabet: digits.union(capitals), check: .mod37),
  ]

  /// The longest regular expression, in characters.
  package static let expressionLimit = RegularExpression.lengthLimit
}
