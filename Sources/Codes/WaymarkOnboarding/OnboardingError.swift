public import WaymarkSystem

/// An error in keys or policies. A code that is refused is not an error: it is a `Verdict`.
public typealias OnboardingError = Problem<OnboardingErrorCode>

/// The codes of `OnboardingError`.
public enum OnboardingErrorCode: String, ProblemCode, CaseIterable {
  /// A key that cannot be read, or is not of a supported type.
  case badKey
  /// A policy that contradicts itself or names what does not exist.
  case badPolicy
  /// A file that cannot be read.
  case cannotOpen
  /// The records of confirmed payloads cannot be read or written.
  case replayStore
  /// A payload that cannot be signed.
  case badPayload
}
