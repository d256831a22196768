/// What can go wrong when keys or policies are set up. A code that is refused is no error: it is a `Verdict`.
public struct OnboardingError: Error, Sendable, Hashable {
  /// A stable word for programs.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// A key that cannot be read, or is not of a supported type.
    case badKey
    /// A policy that contradicts itself or names what does not exist.
    case badPolicy
    /// A file that cannot be read.
    case cannotOpen
    /// A payload that cannot be signed.
    case badPayload
  }

  /// A stable word for programs.
  public let code: Code
  /// What happened, to what.
  public let message: String
  /// What to do about it.
  public let hint: String

  /// An error with its words.
  public init(_ code: Code, _ message: String, hint: String) {
    self.code = code
    self.message = message
    self.hint = hint
  }
}
