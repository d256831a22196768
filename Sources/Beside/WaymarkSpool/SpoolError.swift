package import WaymarkSystem

/// Why events cannot be stored.
package typealias SpoolError = Problem<SpoolErrorCode>

/// The codes of `SpoolError`.
package enum SpoolErrorCode: String, ProblemCode {
  /// The folder cannot be opened or written.
  case store
  /// Another process uses it.
  case inUse
}
