/// The verdict about the codes of one picture.
public struct Verdict: Sendable, Hashable {
  /// How it ended.
  public enum Outcome: Sendable, Hashable {
    /// One code is accepted.
    case successful
    /// A code was read, and policy or signature refuse it.
    case invalid(InvalidReason)
    /// No code could be judged.
    case unsuccessful(ReadingFailure)

    /// `successful`, `invalid` or `unsuccessful`.
    public var word: String {
      switch self {
      case .successful: "successful"
      case .invalid: "invalid"
      case .unsuccessful: "unsuccessful"
      }
    }

    /// The reason as programs know it; nil for `successful`.
    public var reason: String? {
      switch self {
      case .successful: nil
      case .invalid(let reason): reason.rawValue
      case .unsuccessful(let reason): reason.rawValue
      }
    }
  }

  /// How it ended.
  public var outcome: Outcome
  /// The kind of the code; nil when none was judged.
  public var kind: PayloadKind?
  /// The host to show to a person before going on, in its ASCII form, with the port unless it is the scheme's own.
  public var connectTo: String?
  /// The fields of the code.
  public var fields: [PayloadField]
  /// The parts of a structured append that are missing.
  public var missing: [Int]
  /// Which of the codes the verdict is about, as an index into the list that was judged.
  public var chosen: Int?
  /// Every check in order, up to the one that refused.
  public var steps: [VerdictStep]
  /// True if the text as a whole is known to hold nothing that observers must not see.
  public var isHarmless: Bool
  /// The entry that a confirmation must record so that the code is accepted once only; nil when the replay guard is off or the
  /// payload carries no identifier.
  public var replayEntry: ReplayEntry?

  package init(
    _ outcome: Outcome, kind: PayloadKind? = nil, connectTo: String? = nil, fields: [PayloadField] = [],
    missing: [Int] = [], chosen: Int? = nil, steps: [VerdictStep] = [], isHarmless: Bool = false,
    replayEntry: ReplayEntry? = nil
  ) {
    self.outcome = outcome
    self.kind = kind
    self.connectTo = connectTo
    self.fields = fields
    self.missing = missing
    self.chosen = chosen
    self.steps = steps
    self.isHarmless = isHarmless
    self.replayEntry = replayEntry
  }

  /// `successful`, `invalid` or `unsuccessful`.
  public var word: String { outcome.word }
  /// The reason as programs know it; nil for `successful`.
  public var reason: String? { outcome.reason }
  /// True if a code is accepted.
  public var isSuccessful: Bool { outcome == .successful }
  /// The fields without their secrets, for the eyes of whoever holds the code.
  public var redactedFields: [PayloadField] { fields.map(\.redacted) }
  /// The fields as an observer may see them.
  public var fieldsForObservers: [PayloadField] { fields.map(\.forObservers) }
}
