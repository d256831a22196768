package import WaymarkSystem

/// Why nobody can tell which program has the focus.
package typealias FocusError = Problem<FocusErrorCode>

/// The codes of `FocusError`.
package enum FocusErrorCode: String, ProblemCode {
  /// The desktop tells no program which window has the focus.
  case notTold
  /// There is no desktop of this kind, or it went away.
  case noDesktop
}
