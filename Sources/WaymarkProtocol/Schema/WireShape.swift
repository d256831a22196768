/// The shape of a JSON value, as the type behind it reads it.
package indirect enum WireShape: Hashable, Sendable {
  /// Any JSON value.
  case any
  /// `true` or `false`.
  case bool
  /// A string.
  case string
  /// A whole number.
  case integer
  /// A number.
  case number
  /// One of some words.
  case word([String])
  /// An array of one kind of element.
  case list(WireShape)
  /// An object of any names, with one kind of value.
  case map(WireShape)
  /// A string, or something else in its place.
  case stringOr(WireShape)
  /// An object with members of its own, by the name of its type.
  case object(String)
}

/// A member of an object.
package struct WireMember: Hashable, Sendable {
  /// The name on the wire.
  package let name: String
  /// The shape of its value.
  package let shape: WireShape
  /// True if the object cannot be read without it.
  package let isRequired: Bool
}
