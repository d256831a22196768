import WaymarkJSON

/// The bounds of a value, as the comment of its member states them in one of these forms:
///
/// - `From 1 to 500.` for a number,
/// - `More than 0, at most 86400.` for a number that must be greater than the first,
/// - `From 1 to 128 bytes.` for a string in UTF-8,
/// - `From 1 to 200 entries.` for a list.
///
/// The schema shows them and `ParameterBounds` holds requests to them, so that neither can say what the other does not.
package struct StatedBounds: Hashable, Sendable {
  /// The measure that is bounded.
  package enum Measure: Hashable, Sendable {
    /// The value of a number.
    case value
    /// The bytes of a string in UTF-8.
    case bytes
    /// The elements of a list.
    case entries
  }

  /// The measure that is bounded.
  package let measure: Measure
  /// The least, as it is spelled.
  package let least: String
  /// The greatest, as it is spelled.
  package let greatest: String
  /// True if the least itself is not allowed.
  let excludesLeast: Bool

  private let range: ClosedRange<Double>

  /// The bounds that a comment states; nil if it states none.
  package init?(_ comment: String?) {
    // Most comments state none, and a search for two words costs less than two expressions.
    guard let comment, comment.contains("From ") || comment.contains("More than ") else { return nil }
    let least: Substring
    let greatest: Substring
    if let found = comment.firstMatch(
      of: /\bFrom (-?[0-9]+(?:\.[0-9]+)?) to ([0-9]+(?:\.[0-9]+)?)(?: (bytes|entries))?\b/)
    {
      (least, greatest, excludesLeast) = (found.1, found.2, false)
      switch found.3 {
      case "bytes": measure = .bytes
      case "entries": measure = .entries
      default: measure = .value
      }
    } else if let found = comment.firstMatch(of: /\bMore than (-?[0-9]+(?:\.[0-9]+)?), at most ([0-9]+(?:\.[0-9]+)?)\b/)
    {
      (least, greatest, excludesLeast, measure) = (found.1, found.2, true, .value)
    } else {
      return nil
    }
    guard let from = Double(least), let to = Double(greatest), from <= to else { return nil }
    (self.least, self.greatest, range) = (String(least), String(greatest), from...to)
  }

  /// The keywords of JSON Schema that state the bounds of a value of a shape; none if they are bounds of another kind of value. The bytes
  /// of a string bound its characters, which is what JSON Schema counts.
  func keywords(for shape: WireShape) -> [JSONValue.Member] {
    let names: (least: String, greatest: String)
    switch (measure, shape) {
    case (.value, .integer), (.value, .number): names = (excludesLeast ? "exclusiveMinimum" : "minimum", "maximum")
    case (.bytes, .string): names = ("minLength", "maxLength")
    case (.entries, .list): names = ("minItems", "maxItems")
    default: return []
    }
    // A string of the fewest bytes may be one character.
    let fewest = measure == .bytes && range.lowerBound > 1 ? "1" : least
    return [.init(names.least, .number(fewest)), .init(names.greatest, .number(greatest))]
  }

  /// True if a value lies within the bounds, or is none that they could bound.
  func contain(_ value: JSONValue) -> Bool {
    let size: Double? =
      switch measure {
      case .value: value.double
      case .bytes: value.string.map { Double($0.utf8.count) }
      case .entries: value.array.map { Double($0.count) }
      }
    guard let size else { return true }
    return range.contains(size) && !(excludesLeast && size == range.lowerBound)
  }

  /// The rest of a sentence that begins with the name of the value: `must be between 1 and 500`.
  var demand: String {
    switch measure {
    case .value where excludesLeast: "must be greater than \(least) and at most \(greatest)"
    case .value: "must be between \(least) and \(greatest)"
    case .bytes: "must have \(least) to \(greatest) bytes"
    case .entries: "must have \(least) to \(greatest) entries"
    }
  }
}
