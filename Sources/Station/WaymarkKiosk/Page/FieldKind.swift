/// The kinds of fields of a form.
enum FieldKind: String, CaseIterable, Sendable {
  /// A line of text.
  case text
  /// A whole number, with buttons that count up and down.
  case number
  /// A day.
  case date
  /// One of several, as buttons for up to four.
  case choice
  /// One of several, as a list.
  case list
  /// Several lines of text.
  case note
  /// A line that a code fills.
  case code
  /// A line that printed text fills.
  case print
  /// A signature.
  case signature
  /// Yes or no.
  case `switch`
  /// A photo, of which a form has one at most.
  case photo

  /// The keys of a field that have a meaning for this kind alone, or for some.
  private static let special: [String: Set<FieldKind>] = {
    let lines: Set<FieldKind> = [.text, .note, .code, .print]
    return [
      "readonly": lines, "pattern": lines, "wrong": lines, "limit": lines, "capitals": lines,
      "prompt": lines, "reads": [.text, .print],
      "scan": [.text, .note], "minimum": [.number], "maximum": [.number], "unit": lines.union([.number]),
      "earliest": [.date], "latest": [.date], "choices": [.choice, .list],
      "value": lines.union([.number, .date, .choice, .list, .switch]),
    ]
  }()

  /// Returns true if a key has a meaning for fields of this kind.
  func takes(_ key: String) -> Bool { Self.special[key]?.contains(self) ?? true }
}
