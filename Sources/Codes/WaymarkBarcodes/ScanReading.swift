public import WaymarkImage

/// The result of one look at a picture.
public struct ScanReading: Hashable, Sendable {
  /// The codes that were read, each once, in reading order: rows from the top, in each from the left. Codes that carry
  /// the parts of one message are one symbol where all of them were seen, else one each.
  public var symbols: [Symbol]
  /// Structured appends of which parts are missing.
  public var incomplete: [IncompleteSymbol]
  /// Codes that are there but could not be read.
  public var unread: [UnreadCode]

  /// True if the picture holds more that looks like codes than one picture may cost, so that some of it was left alone:
  /// codes may be missing though they can be read.
  public var limited: Bool

  /// A reading from its parts.
  public init(
    symbols: [Symbol] = [], incomplete: [IncompleteSymbol] = [], unread: [UnreadCode] = [], limited: Bool = false
  ) {
    self.symbols = symbols
    self.incomplete = incomplete
    self.unread = unread
    self.limited = limited
  }
}

/// A message spread over several codes (structured append) of which some were not seen.
public struct IncompleteSymbol: Hashable, Sendable {
  /// The symbology of the codes.
  public var symbology: Symbology
  /// How many codes carry the message; `nil` where the headers could not be read.
  public var count: Int?
  /// The numbers of the parts that were seen, from 1; empty where the headers could not be read.
  public var present: [Int]
  /// The numbers of the parts that are missing, from 1; empty where that is not known, or they are very many.
  public var missing: [Int]
  /// Where the seen parts are.
  public var corners: [Quadrilateral]

  /// An incomplete message from its parts.
  public init(symbology: Symbology = .qr, count: Int?, present: [Int], missing: [Int], corners: [Quadrilateral]) {
    self.symbology = symbology
    self.count = count
    self.present = present
    self.missing = missing
    self.corners = corners
  }
}

/// A code that is there but could not be read.
public struct UnreadCode: Hashable, Sendable {
  /// The look of something unread.
  public enum Kind: String, Hashable, Sendable, Codable {
    /// Finder patterns of a QR code.
    case qr
    /// Bars of a 1-D code.
    case bars
    /// The pattern of another matrix code.
    case matrix
  }

  /// An advice that would help.
  public enum Advice: String, Hashable, Sendable, Codable {
    /// Too few pixels a module: go nearer.
    case tooSmall
    /// It fills more than the picture: go away.
    case tooClose
    /// Out of focus or moved.
    case blurred
    /// A part of it lies outside.
    case cutOff
    /// Too little light.
    case tooDark
    /// Too much light, or glare on it.
    case tooBright
  }

  /// The look of it.
  public var kind: Kind
  /// Where it is, as far as that can be told.
  public var corners: Quadrilateral?
  /// The advice that would help, if one is known.
  public var advice: Advice?

  /// An unread code from its parts.
  public init(kind: Kind, corners: Quadrilateral?, advice: Advice?) {
    self.kind = kind
    self.corners = corners
    self.advice = advice
  }
}
