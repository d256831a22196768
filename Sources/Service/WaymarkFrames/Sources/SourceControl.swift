/// Something adjustable on a source: focus, exposure, gain, torch, …
package struct SourceControl: Sendable, Equatable, Codable {
  /// The kind of values that it takes.
  package enum Kind: String, Sendable, Codable {
    case integer
    case boolean
    case menu
    case button
  }

  /// A stable word: `focus`, `exposureTime`, `torch`; a driver's own control by its name in camelCase.
  package var name: String
  /// The kind of values that it takes.
  package var kind: Kind
  /// The smallest value.
  package var minimum: Int
  /// The largest value.
  package var maximum: Int
  /// The distance between two values.
  package var step: Int
  /// The value that the device starts with.
  package var defaultValue: Int
  /// The present value.
  package var value: Int
  /// The names of a menu's entries by their value.
  package var menu: [Int: String]
  /// True if it can be set now: automatic modes lock their manual twins.
  package var isActive: Bool

  /// A control.
  package init(
    name: String, kind: Kind, minimum: Int, maximum: Int, step: Int, defaultValue: Int, value: Int,
    menu: [Int: String] = [:], isActive: Bool = true
  ) {
    self.name = name
    self.kind = kind
    self.minimum = minimum
    self.maximum = maximum
    self.step = step
    self.defaultValue = defaultValue
    self.value = value
    self.menu = menu
    self.isActive = isActive
  }
}
