/// The allowed characters of a line, if known before reading.
package enum LineAlphabet: CaseIterable, Hashable, Sendable {
  case any
  case digits
  /// Capitals and digits.
  case codes
  /// Capitals, digits and the filler of machine-readable zones.
  case zone

  /// The characters of the alphabet; empty: all.
  package var characters: String {
    switch self {
    case .any: ""
    case .digits: "0123456789"
    case .codes: "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    case .zone: "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789<"
    }
  }
}
