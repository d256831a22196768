import WaymarkSystem

/// The verdict about the codes of one picture. The file also has the reasons (`InvalidReason`, `ReadingFailure`), the
/// checks (`VerdictStep`), and the text of a verdict (`VerdictText`).
public struct Verdict: Sendable, Hashable {
  /// The result, with the reason if no code is accepted.
  public enum Outcome: Sendable, Hashable {
    /// One code is accepted.
    case successful
    /// A code was read, and policy or signature refuse it.
    case invalid(InvalidReason)
    /// No code could be judged.
    case unsuccessful(ReadingFailure)

    /// The outcome as a stable word for programs, without its reason.
    public var word: String {
      switch self {
      case .successful: "successful"
      case .invalid: "invalid"
      case .unsuccessful: "unsuccessful"
      }
    }

    /// The reason as a stable word for programs; nil for `successful`.
    public var reason: String? {
      switch self {
      case .successful: nil
      case .invalid(let reason): reason.rawValue
      case .unsuccessful(let reason): reason.rawValue
      }
    }
  }

  /// The result, with the reason if no code is accepted.
  public var outcome: Outcome
  /// The kind of the code; nil if none was judged.
  public var kind: PayloadKind?
  /// The host to show to a person before connecting, in ASCII form, with a port other than the scheme's default; nil unless a code
  /// is accepted and names a host.
  public var connectTo: String?
  /// The fields of the code.
  public var fields: [PayloadField] = []
  /// The parts of a structured append that are missing, counted from 1.
  public var missing: [Int] = []
  /// The index of the code that the verdict is about, among the codes of the picture; nil if the verdict is not about one code.
  public var chosen: Int?
  /// Every check in order, up to the check that refused the code.
  public var steps: [VerdictStep] = []
  /// True if observers may see the text.
  public var isHarmless = false
  /// The entry that a confirmation must record so that the code is accepted only once; nil unless the code is accepted, its payload
  /// is signed and has an identifier (`jti`), and the replay guard is on.
  public var replayEntry: ReplayEntry?

  /// `successful`, `invalid` or `unsuccessful`.
  public var word: String { outcome.word }
  /// The reason as a stable word for programs; nil for `successful`.
  public var reason: String? { outcome.reason }
  /// True if a code is accepted.
  public var isSuccessful: Bool { outcome == .successful }
  /// The check that refused the code; nil if all checks passed.
  public var refusal: VerdictStep? { steps.last { $0.result == .failed } }
  /// The finding of the check that refused the code; nil for a refused host in a field that is hidden from observers.
  package var findingForObservers: String? {
    guard let refusal else { return nil }
    let isShown = fields.contains { $0.name == refusal.field && $0.isHarmless }
    return refusal.check == .hostNotAllowed && !isShown ? nil : refusal.finding
  }
  /// The fields without the values of secrets.
  public var redactedFields: [PayloadField] { fields.map(\.redacted) }
  /// The fields as an observer may see them.
  public var fieldsForObservers: [PayloadField] { fields.map(\.forObservers) }
}

// MARK: - Reasons and checks

/// The reasons for refusing a code, in the order of the checks.
public enum InvalidReason: String, Sendable, Hashable, Codable, CaseIterable {
  /// More bytes than the policy allows.
  case tooLarge
  /// Structured text that is not UTF-8, or that holds control characters.
  case badEncoding
  /// The policy does not allow this kind of payload.
  case kindNotAllowed
  /// The payload breaks the form of its kind.
  case malformed
  /// The payload is not signed, and the policy requires a signature.
  case signatureRequired
  /// The policy does not allow the token's algorithm; `none` is never allowed.
  case algorithmNotAllowed
  /// The policy has no key with the identifier that the token names, or no key for its algorithm.
  case unknownKey
  /// The signature does not belong to this payload and key.
  case badSignature
  /// The token is not valid yet (`nbf`, `iat`).
  case notYetValid
  /// The token has expired (`exp`), or is valid for longer than the policy allows.
  case expired
  /// The policy does not accept the token's issuer (`iss`).
  case wrongIssuer
  /// The token's audience (`aud`) is not an audience of the policy.
  case wrongAudience
  /// A host in the payload is not allowed or not valid.
  case hostNotAllowed
  /// The code comes from recorded pictures, and the device accepts only a camera.
  case sourceNotAllowed
  /// Several different codes are acceptable.
  case ambiguous
  /// The token was used before (`jti`).
  case replayed
}

/// The reasons for which no code could be judged.
public enum ReadingFailure: String, Sendable, Hashable, Codable, CaseIterable {
  /// No code is in the picture.
  case nothingFound
  /// Only codes of other symbologies are in the picture.
  case notQR
  /// Parts of a structured append are missing.
  case incomplete
  /// A code was found but could not be read.
  case codeNotReadable
}

/// One check and its result, to explain a verdict.
public struct VerdictStep: Sendable, Hashable {
  /// The result of a check.
  public enum Result: String, Sendable, Hashable, Codable {
    /// The check was made and accepts the payload.
    case passed
    /// The check was made and refuses the payload.
    case failed
    /// Neither policy nor payload requires this check.
    case notNeeded
  }

  /// The reason with which this check refuses a code.
  public let check: InvalidReason
  /// The result of the check.
  public let result: Result
  /// The finding and the expected values in words, with content of the code escaped and without secrets.
  public var detail: String { expected.map { "\(finding); \($0)" } ?? finding }
  /// The finding alone, without values of the policy.
  public let finding: String
  /// The values or the limit that the policy allows, in words; nil if the check has neither.
  public let expected: String?
  /// The name of the field, header or claim that failed the check; nil if the check is about none.
  public let field: String?

  package init(
    _ check: InvalidReason, _ result: Result, _ finding: String, expected: String? = nil, field: String? = nil
  ) {
    self.check = check
    self.result = result
    self.finding = finding
    self.expected = expected
    self.field = field
  }
}

extension Verdict {
  /// The verdict to use instead if the code was confirmed before.
  public var replayed: Verdict {
    var verdict = self
    verdict.outcome = .invalid(.replayed)
    verdict.connectTo = nil
    verdict.replayEntry = nil
    verdict.steps.removeAll { $0.check == .replayed }
    verdict.steps.append(VerdictStep(.replayed, .failed, "the token was used before"))
    return verdict
  }
}

// MARK: - Text

/// Writes a verdict with all its steps, for people or for programs.
package enum VerdictText {
  /// Returns several lines, with content of the code escaped.
  package static func human(_ verdict: Verdict, showSecrets: Bool) -> String {
    var lines = [verdict.word + (verdict.reason.map { ": \($0)" } ?? "")]
    if let kind = verdict.kind { lines.append("kind: \(DisplayText.escaped(kind.rawValue))") }
    if let host = verdict.connectTo { lines.append("connect to: \(host)") }
    if !verdict.fields.isEmpty { lines.append("fields:") }
    for field in showSecrets ? verdict.fields : verdict.redactedFields {
      lines.append("  \(DisplayText.escaped(field.name)): \(DisplayText.escaped(field.value))")
    }
    if !verdict.steps.isEmpty { lines.append("checks:") }
    for step in verdict.steps {
      let mark =
        switch step.result {
        case .passed: "✓"
        case .failed: "✗"
        case .notNeeded: "·"
        }
      let name = step.check.rawValue
      lines.append("  \(mark) \(name)\(String(repeating: " ", count: max(1, 20 - name.count)))\(step.detail)")
    }
    return lines.joined(separator: "\n")
  }

  /// Returns one JSON object on one line.
  package static func json(_ verdict: Verdict, showSecrets: Bool) -> String {
    var members: [JSONValue.Member] = [.init("outcome", .string(verdict.word))]
    if let reason = verdict.reason { members.append(.init("reason", .string(reason))) }
    if let kind = verdict.kind { members.append(.init("kind", .string(kind.rawValue))) }
    if let host = verdict.connectTo { members.append(.init("connectTo", .string(host))) }
    if !verdict.fields.isEmpty {
      let fields = showSecrets ? verdict.fields : verdict.redactedFields
      members.append(.init("fields", .object(fields.map { .init($0.name, .string($0.value)) })))
    }
    let steps = verdict.steps.map { step in
      JSONValue.object([
        .init("check", .string(step.check.rawValue)), .init("result", .string(step.result.rawValue)),
        .init("detail", .string(step.detail)),
      ])
    }
    members.append(.init("steps", .array(steps)))
    return JSONValue.object(members).compactText
  }
}
