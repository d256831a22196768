import WaymarkSystem

/// The bounds of a parameter in the schema. `Scripts/generate` writes the bounds of each request next to the
/// request's type.
package struct ParameterBound: Sendable {
  /// The measures that can be bounded.
  enum Measure: Sendable {
    /// The value of a number.
    case value
    /// The bytes of a string in UTF-8.
    case bytes
    /// The elements of a list.
    case entries
  }

  /// The first value outside its bounds.
  struct Violation: Error, Equatable {
    /// The path of the value, such as `fields[3].name`.
    let path: String
    /// The rest of the sentence that begins with the path of the parameter, such as `must be between 1 and 500`.
    let demand: String
    /// The description of the parameter in the schema.
    let description: String
  }

  /// The path of the parameter, such as `fields[].name`.
  let path: String
  /// The measure of the parameter that `range` bounds.
  let measure: Measure
  /// The least and the greatest allowed measure.
  let range: ClosedRange<Double>
  /// True if the least measure itself is not allowed.
  let excludesLeast: Bool
  /// The description of the parameter in the schema.
  let description: String

  private let steps: [Step]

  private enum Step {
    case member(String)
    case elements
  }

  /// Creates bounds that include the least measure.
  init(_ path: String, _ measure: Measure, from least: Double, to greatest: Double, _ description: String) {
    self.init(path, measure, least...greatest, excludesLeast: false, description)
  }

  /// Creates bounds that exclude the least measure.
  init(_ path: String, _ measure: Measure, above least: Double, to greatest: Double, _ description: String) {
    self.init(path, measure, least...greatest, excludesLeast: true, description)
  }

  private init(
    _ path: String, _ measure: Measure, _ range: ClosedRange<Double>, excludesLeast: Bool, _ description: String
  ) {
    self.path = path
    self.measure = measure
    self.range = range
    self.excludesLeast = excludesLeast
    self.description = description
    steps = path.split(separator: ".").flatMap { part -> [Step] in
      part.hasSuffix("[]") ? [.member(String(part.dropLast(2))), .elements] : [.member(String(part))]
    }
  }

  /// Checks the parameters of a request.
  ///
  /// - Parameter parameters: parameters that were decoded successfully, so that their types are valid.
  /// - Throws: `Violation` for the first value outside of the bounds.
  func check(_ parameters: JSONValue) throws(Violation) { try check(parameters, steps[...], at: "") }

  private func check(_ value: JSONValue, _ steps: ArraySlice<Step>, at place: String) throws(Violation) {
    switch steps.first {
    case .member(let name):
      guard let inner = value[name] else { return }
      try check(inner, steps.dropFirst(), at: place.isEmpty ? name : "\(place).\(name)")
    case .elements:
      for (index, one) in (value.array ?? []).enumerated() {
        try check(one, steps.dropFirst(), at: "\(place)[\(index)]")
      }
    case nil:
      guard !contains(value) else { return }
      throw Violation(path: place, demand: demand, description: description)
    }
  }

  /// Returns whether a value is within the bounds, or has a type that the bounds do not limit.
  func contains(_ value: JSONValue) -> Bool {
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
    func spelled(_ value: Double) -> String { Int(exactly: value).map(String.init) ?? value.description }
    let (least, greatest) = (spelled(range.lowerBound), spelled(range.upperBound))
    return switch measure {
    case .value where excludesLeast: "must be greater than \(least) and at most \(greatest)"
    case .value: "must be between \(least) and \(greatest)"
    case .bytes: "must have \(least) to \(greatest) bytes"
    case .entries: "must have \(least) to \(greatest) entries"
    }
  }
}
