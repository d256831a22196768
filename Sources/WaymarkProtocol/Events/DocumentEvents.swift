/// Where the page is in a frame, and how far capturing it has come.
public struct DocumentOutline: EventPayload {
  /// The session.
  public var session: String
  /// How far it has come.
  public var phase: DocumentPhase
  /// Four [x, y] in pixels of the frame, clockwise from the page's top left; missing while no page is in view.
  public var corners: [[Double]]?
  /// How likely it is a page, 0…1.
  public var score: Double?
  /// How much of the time of holding still is over, 0…1, while it is held.
  public var progress: Double?
  /// The advice to a person.
  public var advice: DocumentAdvice?

  /// The name on the wire.
  public static let event = "document.outline"

  /// Not where the page is, nor what it looks like.
  public var forObservers: Self { DocumentOutline(session: session, phase: phase) }

  /// A value from its parts.
  public init(
    session: String, phase: DocumentPhase, corners: [[Double]]? = nil, score: Double? = nil, progress: Double? = nil,
    advice: DocumentAdvice? = nil
  ) {
    self.session = session
    self.phase = phase
    self.corners = corners
    self.score = score
    self.progress = progress
    self.advice = advice
  }
}

/// A page was captured and written down.
public struct DocumentCaptured: EventPayload {
  /// The session.
  public var session: String
  /// The page; missing for observers.
  public var page: DocumentPage?
  /// How many pages there are now.
  public var count: Int
  /// True if it was captured by itself.
  public var automatic: Bool
  /// True if it took another one's place.
  public var replaced: Bool?
  /// The corners of further pages in the same picture, three at most, likeliest first; missing where there are none, and for observers.
  public var others: [[[Double]]]?

  /// The name on the wire.
  public static let event = "document.captured"

  /// That there is one more.
  public var forObservers: Self {
    DocumentCaptured(session: session, count: count, automatic: automatic, replaced: replaced)
  }

  /// A value from its parts.
  public init(
    session: String, page: DocumentPage? = nil, count: Int, automatic: Bool, replaced: Bool? = nil,
    others: [[[Double]]]? = nil
  ) {
    self.session = session
    self.page = page
    self.count = count
    self.automatic = automatic
    self.replaced = replaced
    self.others = others
  }
}

/// The session or its pages changed otherwise.
public struct DocumentChanged: EventPayload {
  /// As it is now.
  public var document: DocumentSession

  /// The name on the wire.
  public static let event = "document.changed"

  /// The session as an observer sees it.
  public var forObservers: Self { DocumentChanged(document: document.forObservers) }

  /// A value from its parts.
  public init(
    document: DocumentSession
  ) {
    self.document = document
  }
}

/// A page could not be captured or kept; the session goes on with what it has.
public struct DocumentFailed: EventPayload {
  /// The session.
  public var session: String
  /// A stable camelCase word: `noSpace`, `tooManyPages`, `badPicture`, `notWritten`.
  public var code: String
  /// The message.
  public var message: String
  /// The remedy.
  public var hint: String

  /// The name on the wire.
  public static let event = "document.failed"

  /// That it happened; not where files lie.
  public var forObservers: Self { DocumentFailed(session: session, code: code, message: "", hint: "") }

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

/// The pages are saved.
public struct DocumentSaved: EventPayload {
  /// The session, which is over.
  public var session: String
  /// The format that they were saved in.
  public var format: DocumentFormat
  /// How many.
  public var pages: Int
  /// The files; missing for observers.
  public var paths: [String]?
  /// The client that saved them.
  public var by: Actor?

  /// The name on the wire.
  public static let event = "document.saved"

  /// Not where.
  public var forObservers: Self { DocumentSaved(session: session, format: format, pages: pages, by: by) }

  /// A value from its parts.
  public init(
    session: String, format: DocumentFormat, pages: Int, paths: [String]? = nil, by: Actor? = nil
  ) {
    self.session = session
    self.format = format
    self.pages = pages
    self.paths = paths
    self.by = by
  }
}

/// The session is over, or no client holds it any longer.
public struct DocumentEnded: EventPayload {
  /// The session.
  public var session: String
  /// Why.
  public var reason: DocumentEnding
  /// Pages that are kept for the next client.
  public var count: Int
  /// The client that ended it.
  public var by: Actor?

  /// The name on the wire.
  public static let event = "document.ended"

  /// Nothing in it is a secret.
  public var forObservers: Self { self }

  /// A value from its parts.
  public init(
    session: String, reason: DocumentEnding, count: Int, by: Actor? = nil
  ) {
    self.session = session
    self.reason = reason
    self.count = count
    self.by = by
  }
}

/// Why a session ended.
public enum DocumentEnding: String, Codable, Hashable, Sendable, CaseIterable {
  /// Its pages were saved.
  case saved
  /// Its pages were thrown away.
  case discarded
  /// Its client ended it; its pages are kept.
  case ended
  /// Its client left; its pages are kept.
  case disconnected
  /// Its pages were older than the configuration allows.
  case expired
  /// The service stops; its pages are kept.
  case stopping
}
