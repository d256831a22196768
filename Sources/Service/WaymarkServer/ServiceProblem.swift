package import WaymarkSystem

/// Why the service cannot start or do what its configuration asks for.
package typealias ServiceProblem = Problem<ServiceProblemCode>

/// The codes of `ServiceProblem`: stable camelCase words.
package struct ServiceProblemCode: OpenProblemCode {
  /// The word.
  package let rawValue: String

  /// The code of a word.
  package init(rawValue: String) { self.rawValue = rawValue }
}
