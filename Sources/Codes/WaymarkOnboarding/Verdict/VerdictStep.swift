/// One check and its result, to explain a verdict.
public struct VerdictStep: Sendable, Hashable {
  /// How a check ended.
  public enum Result: String, Sendable, Hashable, Codable {
    /// The payload stands.
    case passed
    /// The payload is refused for this reason.
    case failed
    /// Nothing in the policy or the payload calls for this check.
    case notNeeded
  }

  /// The reason that this check would give.
  public let check: InvalidReason
  /// How it ended.
  public let result: Result
  /// The findings in plain words; content of the code is escaped in it, secrets are left out.
  public let detail: String

  package init(_ check: InvalidReason, _ result: Result, _ detail: String) {
    self.check = check
    self.result = result
    self.detail = detail
  }
}
