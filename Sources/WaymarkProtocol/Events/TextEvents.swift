/// A session began to read text.
public struct TextBegan: EventPayload {
  /// The session.
  public var text: TextSession

  /// The name on the wire.
  public static let event = "text.began"

  /// Not by which patterns.
  public var forObservers: Self { TextBegan(text: text.forObservers) }

  /// A value from its parts.
  public init(
    text: TextSession
  ) {
    self.text = text
  }
}

/// The texts that may be taken in a frame.
public struct TextCandidates: EventPayload {
  /// The session.
  public var session: String
  /// The candidates, the surest first; missing for observers.
  public var candidates: [TextCandidate]?
  /// How many lines of text are in view.
  public var lines: Int
  /// How many more lines were not read, because a frame is read for at most 1.5 seconds; missing for none.
  public var skipped: Int?

  /// The name on the wire.
  public static let event = "text.candidates"

  /// Neither what is written nor where.
  public var forObservers: Self { TextCandidates(session: session, lines: lines, skipped: skipped) }

  /// A value from its parts.
  public init(
    session: String, candidates: [TextCandidate]? = nil, lines: Int, skipped: Int? = nil
  ) {
    self.session = session
    self.candidates = candidates
    self.lines = lines
    self.skipped = skipped
  }
}

/// A text was taken: it was stable over frames, or somebody chose it. The session is over.
public struct TextAccepted: EventPayload {
  /// The session.
  public var session: String
  /// The text; missing for observers.
  public var text: String?
  /// The name of the pattern that it satisfies; missing for observers.
  public var pattern: String?
  /// Where it stood: four [x, y] in pixels of the frame; missing for observers.
  public var corners: [[Double]]?
  /// How sure the reading is, 0…1.
  public var confidence: Double
  /// True if it was taken without anybody's choice.
  public var automatic: Bool
  /// True where the text was left out.
  public var redacted: Bool?

  /// The name on the wire.
  public static let event = "text.accepted"

  /// That it was, not what: serial numbers, accounts and names are nobody else's business.
  public var forObservers: Self {
    TextAccepted(session: session, confidence: confidence, automatic: automatic, redacted: true)
  }

  /// A value from its parts.
  public init(
    session: String, text: String? = nil, pattern: String? = nil, corners: [[Double]]? = nil, confidence: Double,
    automatic: Bool, redacted: Bool? = nil
  ) {
    self.session = session
    self.text = text
    self.pattern = pattern
    self.corners = corners
    self.confidence = confidence
    self.automatic = automatic
    self.redacted = redacted
  }
}

/// A frame could not be read; the session goes on.
public struct TextFailed: EventPayload {
  /// The session.
  public var session: String
  /// A stable camelCase word: `textEngineMissing`, `textLanguageMissing`, `textEngineFailed`.
  public var code: String
  /// The message.
  public var message: String
  /// The remedy.
  public var hint: String

  /// The name on the wire.
  public static let event = "text.failed"

  /// Nothing in it is a secret.
  public var forObservers: Self { self }

  /// A value from its parts.
  public init(
    session: String, code: String, message: String, hint: String
  ) {
    self.session = session
    self.code = code
    self.message = message
    self.hint = hint
  }
}

/// The session is over.
public struct TextEnded: EventPayload {
  /// The session.
  public var session: String
  /// Why.
  public var reason: TextEnding
  /// The client that ended it.
  public var by: Actor?

  /// The name on the wire.
  public static let event = "text.ended"

  /// Nothing in it is a secret.
  public var forObservers: Self { self }

  /// A value from its parts.
  public init(
    session: String, reason: TextEnding, by: Actor? = nil
  ) {
    self.session = session
    self.reason = reason
    self.by = by
  }
}

/// Why a session that reads text ended.
public enum TextEnding: String, Codable, Hashable, Sendable, CaseIterable {
  /// A text was taken.
  case accepted
  /// Its client ended it.
  case cancelled
  /// Its client began another one.
  case replaced
  /// Its time was over.
  case timedOut
  /// Its client left.
  case disconnected
  /// The service stops.
  case stopping
}
