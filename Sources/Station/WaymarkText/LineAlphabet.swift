/// The characters that a line may have, where that is known before it is read.
package enum LineAlphabet: CaseIterable, Hashable, Sendable {
  case any
  case digits
  /// Capitals and digits.
  case codes
  /// Capitals, digits and the filler of machine-readable zones.
  case zone

  /// Its characters; empty for all.
  package var characters: String {
    switch self {
    case .any: ""
    case .digits: "0123456789"
    case .codes: "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    case .zone: "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789<"
    }
  }

  /// The alphabet that covers the pattern's characters most tightly.
  package init(_ pattern: TextPattern) {
    guard pattern.kind != .mrz else {
      self = .zone
      return
    }
    self = .any
    if let alphabet = pattern.alphabet, alphabet.isSubset(of: Set(Self.digits.characters)) { self = .digits }
  }
}
