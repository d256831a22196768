/// The mode of capture: automatic, or by request.
public enum DocumentMode: String, Codable, Hashable, Sendable, CaseIterable {
  /// A page that is held still is captured.
  case automatic
  /// Only the shutter captures.
  case manual
  /// Capturing is paused.
  case paused
}

/// The filter for a page.
public enum DocumentFilter: String, Codable, Hashable, Sendable, CaseIterable {
  /// White balanced, shadows taken away.
  case colour
  /// The same without colour.
  case grayscale
  /// Black and white, for text.
  case blackAndWhite = "bw"
  /// Nothing.
  case photo
}

/// The format that pages are saved in.
public enum DocumentFormat: String, Codable, Hashable, Sendable, CaseIterable {
  /// One file of all pages.
  case pdf
  /// A file for each page.
  case jpeg
  /// A file for each page.
  case png
}

/// An advice to a person before a page is captured. Words that a newer service brings are kept as they are.
public struct DocumentAdvice: RawRepresentable, Codable, Hashable, Sendable {
  /// The word on the wire.
  public let rawValue: String

  /// Advice from its word.
  public init(rawValue: String) { self.rawValue = rawValue }
}

/// How far capturing has come.
public enum DocumentPhase: String, Codable, Hashable, Sendable, CaseIterable {
  /// No page is in view.
  case searching
  /// One is.
  case found
  /// It is held still and is about to be captured.
  case holding
  /// It was captured; the next one is waited for.
  case waiting
}

/// A page of the session.
public struct DocumentPage: Codable, Hashable, Sendable {
  /// Its id.
  public var id: String
  /// Rises with every change: what was drawn of it before is old.
  public var revision: Int
  /// Of the picture that it was captured in, in pixels.
  public var width: Int
  /// Of the picture that it was captured in, in pixels.
  public var height: Int
  /// Where it is in that picture: four [x, y] clockwise from its top left; the whole picture when missing.
  public var corners: [[Double]]?
  /// `A4`, `Letter`, `ID-1` or `receipt`, where its shape says so.
  public var format: String?
  /// The filter for it.
  public var filter: DocumentFilter
  /// Degrees that it is turned by, clockwise.
  public var rotation: Int
  /// When it was captured: RFC 3339, UTC.
  public var captured: String

  /// A value from its parts.
  public init(
    id: String, revision: Int, width: Int, height: Int, corners: [[Double]]? = nil, format: String? = nil,
    filter: DocumentFilter, rotation: Int, captured: String
  ) {
    self.id = id
    self.revision = revision
    self.width = width
    self.height = height
    self.corners = corners
    self.format = format
    self.filter = filter
    self.rotation = rotation
    self.captured = captured
  }
}

/// The session: the pages that were captured and not yet saved.
public struct DocumentSession: Codable, Hashable, Sendable {
  /// Its id: the same after a restart.
  public var session: String
  /// True if pages are captured by themselves.
  public var mode: DocumentMode
  /// The filter for new pages.
  public var filter: DocumentFilter
  /// How many pages there are.
  public var count: Int
  /// The pages in their order; missing for observers.
  public var pages: [DocumentPage]?
  /// Ids of pages that were taken out and can be brought back.
  public var removed: [String]?
  /// The page whose place the next capture takes.
  public var retake: String?
  /// The client that holds it; nobody when its client has left.
  public var by: Actor?
  /// The camera that captures, where there are several.
  public var camera: String?

  /// The session as an observer sees it: that it is there, and how large.
  package var forObservers: Self {
    DocumentSession(session: session, mode: mode, filter: filter, count: count, by: by, camera: camera)
  }

  /// A value from its parts.
  public init(
    session: String, mode: DocumentMode, filter: DocumentFilter, count: Int, pages: [DocumentPage]? = nil,
    removed: [String]? = nil, retake: String? = nil, by: Actor? = nil, camera: String? = nil
  ) {
    self.session = session
    self.mode = mode
    self.filter = filter
    self.count = count
    self.pages = pages
    self.removed = removed
    self.retake = retake
    self.by = by
    self.camera = camera
  }
}
