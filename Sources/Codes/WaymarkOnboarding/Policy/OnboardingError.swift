public import WaymarkSystem

/// An error in keys or policies. A refused code is not an error but a `Verdict`.
public typealias OnboardingError = Problem<OnboardingErrorCode>

/// The codes of `OnboardingError`.
public enum OnboardingErrorCode: String, ProblemCode, CaseIterable {
  /// A key that cannot be read, or is not of a supported type.
  case badKey
  /// A policy contradicts itself, or refers to something that does not exist.
  case badPolicy
  /// A file that cannot be read.
  case cannotOpen
  /// The records of confirmed payloads cannot be read or written.
  case replayStore
  /// A payload that cannot be signed.
  case badPayload
}
