/// A description of texts to accept: the name of a pattern, a regular expression, or conditions of which all that are set must hold.
///
/// On the wire a word stands for a name or an expression, an object for a description.
public struct TextPatternRequest: Codable, Hashable, Sendable {
  /// The name; alone: the name of a known pattern, or a regular expression.
  public var name: String?
  /// A regular expression for the whole text.
  public var expression: String?
  /// How many characters it has, spaces and hyphens apart: one number, or the least and the most.
  public var length: [Int]?
  /// The characters that it may have.
  public var alphabet: String?
  /// Its check digit: luhn, mod97-10, mod11-2, mod37-36, gtin, vin, iban.
  public var check: String?
  /// date, number or mrz.
  public var kind: String?

  private enum CodingKeys: CodingKey { case name, expression, length, alphabet, check, kind }

  /// A pattern from its parts.
  public init(
    name: String? = nil, expression: String? = nil, length: [Int]? = nil, alphabet: String? = nil,
    check: String? = nil, kind: String? = nil
  ) {
    self.name = name
    self.expression = expression
    self.length = length
    self.alphabet = alphabet
    self.check = check
    self.kind = kind
  }

  /// True if it is but a word.
  public var isWord: Bool { self == TextPatternRequest(name: name) && name != nil }

  /// Reads a word or an object.
  public init(from decoder: any Decoder) throws {
    if let word = try? decoder.singleValueContainer().decode(String.self) {
      self.init(name: word)
      return
    }
    let object = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      name: try object.decodeIfPresent(String.self, forKey: .name),
      expression: try object.decodeIfPresent(String.self, forKey: .expression),
      length: try object.decodeIfPresent([Int].self, forKey: .length),
      alphabet: try object.decodeIfPresent(String.self, forKey: .alphabet),
      check: try object.decodeIfPresent(String.self, forKey: .check),
      kind: try object.decodeIfPresent(String.self, forKey: .kind))
  }

  /// Writes a word where it is one.
  public func encode(to encoder: any Encoder) throws {
    if isWord, let name {
      var container = encoder.singleValueContainer()
      try container.encode(name)
      return
    }
    var object = encoder.container(keyedBy: CodingKeys.self)
    try object.encodeIfPresent(name, forKey: .name)
    try object.encodeIfPresent(expression, forKey: .expression)
    try object.encodeIfPresent(length, forKey: .length)
    try object.encodeIfPresent(alphabet, forKey: .alphabet)
    try object.encodeIfPresent(check, forKey: .check)
    try object.encodeIfPresent(kind, forKey: .kind)
  }
}

/// A text in view that may be taken.
public struct TextCandidate: Codable, Hashable, Sendable {
  /// The text; the lines of a machine-readable zone are apart by a line feed.
  public var text: String
  /// The name of the pattern that it satisfies; `text` where none was asked for.
  public var pattern: String
  /// Four [x, y] in pixels of the frame, clockwise from the top left of the upright line.
  public var corners: [[Double]]
  /// How sure the reading is, 0…1.
  public var confidence: Double
  /// True if somebody must look before it is taken.
  public var doubtful: Bool
  /// The other possible texts; every one satisfies the pattern.
  public var others: [String]?

  /// A value from its parts.
  public init(
    text: String, pattern: String, corners: [[Double]], confidence: Double, doubtful: Bool, others: [String]? = nil
  ) {
    self.text = text
    self.pattern = pattern
    self.corners = corners
    self.confidence = confidence
    self.doubtful = doubtful
    self.others = others
  }
}

/// A session that reads text.
public struct TextSession: Codable, Hashable, Sendable {
  /// Its id.
  public var session: String
  /// The names of the patterns; missing for observers.
  public var patterns: [String]?
  /// x, y, width, height as shares of the frame; missing: all of it.
  public var region: [Double]?
  /// The languages of the text, as Tesseract names its models.
  public var languages: [String]
  /// The client that holds it.
  public var by: Actor?
  /// The camera whose frames are read, where there are several.
  public var camera: String?

  /// A value from its parts.
  public init(
    session: String, patterns: [String]? = nil, region: [Double]? = nil, languages: [String], by: Actor? = nil,
    camera: String? = nil
  ) {
    self.session = session
    self.patterns = patterns
    self.region = region
    self.languages = languages
    self.by = by
    self.camera = camera
  }

  /// The session as an observer sees it: an expression may tell what is read.
  public var forObservers: Self {
    TextSession(session: session, region: region, languages: languages, by: by, camera: camera)
  }
}
