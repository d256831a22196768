package import WaymarkSystem

/// A pattern that a text must satisfy to be accepted. All members that are set must match. Below are the errors of reading text,
/// and `LineAlphabet`, the characters to which a pattern limits reading.
package struct TextPattern: Hashable, Sendable {
  /// The kind of text, beyond its characters.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A date: 2026-01-31, 31.01.2026, 31/01/26, 31 JAN 2026, 01/2026.
    case date
    /// A number with an optional unit.
    case number
    /// The machine-readable zone of a travel document (ICAO 9303).
    case mrz
    /// A date on goods in any order, doubtful if it can be several days.
    case expiry
    /// The text behind a word for lot or batch.
    case lot
    /// The plate of a vehicle: marks between characters are left out, and the expression chooses among likely characters.
    case plate
  }

  package var name: String
  /// A regular expression for the whole text.
  package var expression: String?
  /// The allowed number of characters, without spaces and hyphens.
  package var length: ClosedRange<Int>?
  /// The allowed characters, in addition to spaces.
  package var alphabet: Set<Character>?
  /// The scheme of the required check digit.
  package var check: CheckDigit?
  package var kind: Kind?

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

  /// The patterns that can be named without being configured.
  package static let builtIn: [TextPattern] =
    [
      TextPattern(name: "digits", alphabet: digits),
      TextPattern(name: "date", kind: .date),
      TextPattern(name: "number", kind: .number),
      TextPattern(name: "mrz", kind: .mrz),
      TextPattern(name: "expiry", kind: .expiry),
      TextPattern(name: "lot", length: 3...20, kind: .lot),
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
    + plates.map { country, expression in
      TextPattern(
        name: "plate-\(country)", expression: expression, length: 4...9,
        alphabet: digits.union(capitals).union(country == "DE" ? "ÄÖÜ" : ""), kind: .plate)
    }

  /// The grammars of plates, without spaces and marks, by the country's code of ISO 3166-1.
  private static let plates: KeyValuePairs = [
    "AT": "[A-Z]{1,2}([0-9]{1,5}[A-Z]{1,3}|[A-Z]{1,5}[0-9]{1,3})", "BE": "[1-9]?[A-Z]{3}[0-9]{3}",
    "BG": "[ABCEHKMOPTXY]{1,2}[0-9]{4}[ABCEHKMOPTXY]{1,2}", "BR": "[A-Z]{3}[0-9][A-J0-9][0-9]{2}",
    "CH": "(A[GIR]|B[ELS]|FR|G[ELR]|JU|LU|N[EW]|OW|S[GHOZ]|T[GI]|UR|V[DS]|Z[GH])[0-9]{1,6}",
    "CZ": "[0-9][A-Z][0-9A-Z][0-9]{4}", "DE": "[A-ZÄÖÜ]{1,3}[A-Z]{1,2}[0-9]{1,4}[EH]?", "DK": "[A-Z]{2}[0-9]{5}",
    "EE": "[0-9]{3}[A-Z]{3}", "ES": "[0-9]{4}[B-DF-HJ-NPR-TV-Z]{3}", "FI": "[A-Z]{2,3}[0-9]{1,3}",
    "FR": "[A-HJ-NP-TV-Z]{2}[0-9]{3}[A-HJ-NP-TV-Z]{2}",
    "GB": "[A-HJ-PR-Y]{2}[0-9]{2}[A-HJ-PR-Z]{3}|[A-HJ-PR-Y][0-9]{1,3}[A-HJ-PR-Y]{3}",
    "GR": "[ABEHIKMNOPTXYZ]{3}[0-9]{4}", "HR": "[A-Z]{2}[0-9]{3,4}[A-Z]{1,2}", "HU": "[A-Z]{3,4}[0-9]{3}",
    "IE": "[0-9]{2,3}[A-Z]{1,2}[0-9]{1,6}", "IN": "[A-Z]{2}[0-9]{1,2}[A-Z]{1,2}[0-9]{4}",
    "IT": "[A-HJ-NPR-TV-Z]{2}[0-9]{3}[A-HJ-NPR-TV-Z]{2}", "LT": "[A-Z]{3}[0-9]{3}", "LU": "[A-Z]{2}[0-9]{4}",
    "LV": "[A-Z]{2}[0-9]{1,4}",
    "NL": "([A-Z]{2}|[0-9]{2}){3}|[0-9]{2}[A-Z]{3}[0-9]|[0-9][A-Z]{3}[0-9]{2}|[A-Z]{1,2}[0-9]{3}[A-Z]{1,2}"
      + "|[A-Z]{3}[0-9]{2}[A-Z]|[A-Z][0-9]{2}[A-Z]{3}",
    "NO": "[A-Z]{2}[0-9]{5}",
    "PL": "[A-Z]{2,3}([0-9]{4,5}|[0-9]{2,4}[A-Z]{1,2}|[A-Z][0-9]{2,3}|[0-9]{1,2}[A-Z][0-9]{2})",
    "PT": "[A-Z]{2}[0-9]{2}[A-Z]{2}|[0-9]{2}[A-Z]{2}[0-9]{2}|[A-Z]{2}[0-9]{4}|[0-9]{4}[A-Z]{2}",
    "RO": "B[0-9]{2,3}[A-Z]{3}|[A-Z]{2}[0-9]{2}[A-Z]{3}", "SE": "[A-Z]{3}[0-9]{2}[0-9A-Z]",
    "SI": "[A-Z]{2}[0-9]{3}[A-Z]{2}|[A-Z]{4}[0-9]{3}|[A-Z]{2}[0-9]{2}[A-Z]{3}", "SK": "[A-Z]{2}[0-9]{3}[A-Z]{2}",
    "TR": "(0[1-9]|[1-7][0-9]|8[01])[A-Z]{1,3}[0-9]{2,5}", "UA": "[ABCEHIKMOPTX]{2}[0-9]{4}[ABCEHIKMOPTX]{2}",
    "US":
      "[A-Z]{2,3}[0-9]{3,4}|[0-9]{3}[A-Z]{3}|[0-9][A-Z]{3}[0-9]{3}|[0-9]{3,4}[A-Z]{2}|[A-Z][0-9]{2}[A-Z]{3}"
      + "|[A-Z]{3}[0-9]{2}[A-Z]",
  ]

  /// The longest regular expression, in characters.
  package static let expressionLimit = RegularExpression.lengthLimit
}

/// An error of patterns and of reading text.
package typealias TextError = Problem<TextErrorCode>

package enum TextErrorCode: String, ProblemCode, CaseIterable {
  /// A pattern is neither a known name nor a supported regular expression, or its conditions are impossible.
  case badPattern
  /// The program that reads text is not installed.
  case textEngineMissing
  /// The model of a language is not installed.
  case textLanguageMissing
  /// The program that reads text failed.
  case textEngineFailed
}

extension LineAlphabet {
  /// Creates the alphabet for a pattern: `zone` for machine-readable zones, `digits` if the pattern allows only digits,
  /// otherwise `any`.
  package init(_ pattern: TextPattern) {
    guard pattern.kind != .mrz else {
      self = .zone
      return
    }
    self = .any
    if let alphabet = pattern.alphabet, alphabet.isSubset(of: Set(Self.digits.characters)) { self = .digits }
  }
}

/// The allowed characters of a line, if known before reading.
package enum LineAlphabet: CaseIterable, Hashable, Sendable {
  case any
  case digits
  /// Capitals and digits.
  case codes
  /// Capitals, digits and the filler of machine-readable zones.
  case zone

  /// The characters of the alphabet; empty if all are allowed.
  package var characters: String {
    switch self {
    case .any: ""
    case .digits: "0123456789"
    case .codes: "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    case .zone: "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789<"
    }
  }
}
