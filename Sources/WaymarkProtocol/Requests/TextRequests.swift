/// Begins to read text; in place of the session before, if that is the same client's.
public struct TextBeginRequest: ServiceRequest {
  /// x, y, width, height as shares of the frame: where text is looked for; all of it when missing.
  public var region: [Double]?
  /// The patterns to accept; when missing, every line is a candidate and none is taken by itself. From 0 to 16 entries.
  public var patterns: [TextPatternRequest]?
  /// The languages of the text, as Tesseract names its models; the configured ones when missing.
  public var languages: [String]?
  /// Seconds after which it ends; never when missing. More than 0, at most 86400.
  public var timeout: Double?
  /// The camera, by its name; the first one when missing.
  public var camera: String?

  /// The result of a success.
  public typealias Result = TextSession

  /// The name on the wire.
  public static let method = "text.begin"

  /// A value from its parts.
  public init(
    region: [Double]? = nil, patterns: [TextPatternRequest]? = nil, languages: [String]? = nil, timeout: Double? = nil,
    camera: String? = nil
  ) {
    self.region = region
    self.patterns = patterns
    self.languages = languages
    self.timeout = timeout
    self.camera = camera
  }
}

/// Accepts one of the reported candidates.
public struct TextChooseRequest: ServiceRequest {
  /// The text of a candidate, or one of its `others`.
  public var text: String
  /// The session; the one that reads when missing.
  public var session: String?

  /// The result of a success.
  public typealias Result = TextAccepted

  /// The name on the wire.
  public static let method = "text.choose"

  /// A value from its parts.
  public init(
    text: String, session: String? = nil
  ) {
    self.text = text
    self.session = session
  }
}

/// Ends reading text.
public struct TextCancelRequest: ServiceRequest {
  /// The session; the one that reads when missing.
  public var session: String?

  /// The result of a success.
  public typealias Result = Empty

  /// The name on the wire.
  public static let method = "text.cancel"

  /// A value from its parts.
  public init(
    session: String? = nil
  ) {
    self.session = session
  }
}
