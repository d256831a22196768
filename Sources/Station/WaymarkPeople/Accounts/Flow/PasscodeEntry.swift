/// Setting a passcode: once, and once more.
package struct PasscodeEntry: Hashable, Sendable {
  private var first: Secret?

  package init() {}

  /// True if it is to be repeated now.
  package var isRepeating: Bool { first != nil }

  /// The result of a passcode that was typed.
  package enum Outcome: Hashable, Sendable {
    /// It is to be repeated.
    case again
    /// It was repeated wrongly; it is reset.
    case mismatch
    /// It was repeated rightly.
    case whole(Secret)
  }

  /// Takes what was typed.
  ///
  /// - Throws: `rules` when it breaks some.
  package mutating func take(_ passcode: Secret, _ rules: PasscodeRules) throws(AccountRefusal) -> Outcome {
    guard let before = first else {
      let faults = rules.faults(of: passcode)
      guard faults.isEmpty else { throw .rules(faults) }
      first = passcode
      return .again
    }
    first = nil
    return PasscodeRules.normalized(before) == PasscodeRules.normalized(passcode) ? .whole(passcode) : .mismatch
  }

  /// Resets it.
  package mutating func back() throws(AccountRefusal) {
    guard first != nil else { throw .wrongPhase }
    first = nil
  }
}
