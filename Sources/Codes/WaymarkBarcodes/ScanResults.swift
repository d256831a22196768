public import WaymarkImage

/// A code that was read, one of the results in a ``ScanReading``. The file has all values of such a result, also the
/// codes that could not be read (`UnreadCode`) and the order of codes (`ReadingOrder`).
public struct Symbol: Hashable, Sendable {
  /// The symbology of the code.
  public var symbology: Symbology
  /// The content as text, with check digits. The text of a Code 39 is as printed, even if it spells full ASCII.
  public var text: String
  /// The content as the code carries it.
  public var bytes: [UInt8]
  /// The character set from which `text` was decoded.
  public var charset: Charset
  /// The GS1 element strings if the code declares that it contains them; otherwise empty.
  public var gs1: [GS1Element]
  /// The corners in pixels of the picture, clockwise from the top left of the upright code.
  public var corners: Quadrilateral
  /// The number of scan lines that agree on a 1-D code, comparable only between 1-D codes; 1 for a matrix code.
  public var quality: Int
  /// The pass that read the code.
  public var pass: ScanPass
  /// The two or five digits of the add-on beside a retail code, if add-ons are enabled and there is one.
  public var addOn: String?
  /// The position in a message that is spread over several codes, if some of them were not seen; `nil` for other codes, and if
  /// all parts were seen and joined into one symbol.
  public var part: SymbolPart?
  /// The 2-D component above a linear code (GS1 composite); `nil` if none is declared or seen. `gs1` has the element strings of
  /// both, `text` and `bytes` the content of the linear code only.
  public var composite: SymbolComposite?

  /// Creates a symbol; `text`, `bytes` and `gs1` are not checked against each other.
  public init(
    symbology: Symbology, text: String, bytes: [UInt8], charset: Charset, gs1: [GS1Element] = [],
    corners: Quadrilateral, quality: Int = 1, pass: ScanPass = .base, addOn: String? = nil,
    part: SymbolPart? = nil, composite: SymbolComposite? = nil
  ) {
    self.symbology = symbology
    self.text = text
    self.bytes = bytes
    self.charset = charset
    self.gs1 = gs1
    self.corners = corners
    self.quality = quality
    self.pass = pass
    self.addOn = addOn
    self.part = part
    self.composite = composite
  }

  /// The text of a Code 39 decoded as full ASCII, if this is possible. The symbol does not declare whether full ASCII is meant.
  public var fullASCII: String? { symbology == .code39 ? Code39FullASCII.resolve(text) : nil }

  /// True if the content may be a part of a longer content, because neither a check nor a prescribed length rules this out.
  package var mayBePart: Bool { symbology.row.linear?.hasNamedLength(text) == false }

  /// Returns whether two symbols have the same symbology and content.
  public func sameContent(as other: Symbol) -> Bool { symbology == other.symbology && bytes == other.bytes }
}

/// The 2-D component of a GS1 composite symbol.
public struct SymbolComposite: Hashable, Sendable {
  /// The element strings of the component, with ASCII 29 where a separator is needed; `nil` for a component that the code declares
  /// or that was seen, but that was not read.
  public var text: String?

  /// Creates a component, by default a component that was not read.
  public init(text: String? = nil) { self.text = text }
}

/// The position of a code in a message that is spread over several codes (structured append, Macro PDF417).
public struct SymbolPart: Hashable, Sendable {
  /// The number of the part, from 1.
  public var index: Int
  /// The number of parts; `nil` if only another part contains it (Macro PDF417).
  public var count: Int?
  /// The identifier that all parts of one message share, or `nil`. It is the parity of a QR code or the file
  /// identification of a Data Matrix as a number, the file identification of a PDF417 as three digits per codeword, or the name
  /// in an Aztec Code.
  public var id: String?

  /// Creates a position; `index` is counted from 1.
  public init(index: Int, count: Int?, id: String?) {
    self.index = index
    self.count = count
    self.id = id
  }
}

// MARK: - Reading

/// The result of scanning a picture: the codes read, the incomplete messages, and the codes found but not read.
public struct ScanReading: Hashable, Sendable {
  /// The codes that were read, each once, in reading order: by rows from the top, each from the left. Codes that carry the
  /// parts of one message are one symbol if all of them were seen; otherwise one symbol each.
  public var symbols: [Symbol]
  /// Messages in several codes (structured append) of which parts are missing.
  public var incomplete: [IncompleteSymbol]
  /// Codes that were found but could not be read.
  public var unread: [UnreadCode]

  /// True if the search was cut short because too much in the picture looks like codes: readable codes may be missing.
  public var limited: Bool

  /// Creates a reading, by default for a picture without codes.
  public init(
    symbols: [Symbol] = [], incomplete: [IncompleteSymbol] = [], unread: [UnreadCode] = [], limited: Bool = false
  ) {
    self.symbols = symbols
    self.incomplete = incomplete
    self.unread = unread
    self.limited = limited
  }
}

/// A message spread over several codes (structured append), some of which were not seen.
public struct IncompleteSymbol: Hashable, Sendable {
  /// The symbology of the codes.
  public var symbology: Symbology
  /// The number of codes that carry the message; `nil` if the headers could not be read.
  public var count: Int?
  /// The numbers of the parts that were seen, from 1; empty if the headers could not be read.
  public var present: [Int]
  /// The numbers of the missing parts, from 1; empty if they are unknown or too many to list.
  public var missing: [Int]
  /// The corners of the parts that were seen, in pixels of the picture.
  public var corners: [Quadrilateral]

  /// Creates an incomplete message; parts are numbered from 1.
  public init(symbology: Symbology = .qr, count: Int?, present: [Int], missing: [Int], corners: [Quadrilateral]) {
    self.symbology = symbology
    self.count = count
    self.present = present
    self.missing = missing
    self.corners = corners
  }
}

/// A code that was found but could not be read.
public struct UnreadCode: Hashable, Sendable {
  /// The kind of pattern that was seen.
  public enum Kind: String, Hashable, Sendable, Codable {
    /// Finder patterns of a QR code.
    case qr
    /// Bars of a 1-D code.
    case bars
    /// The pattern of another matrix code.
    case matrix
  }

  /// The reason why a code was not read, and how to take a better picture.
  public enum Advice: String, Hashable, Sendable, Codable {
    /// Too few pixels per module: move closer.
    case tooSmall
    /// The code is larger than the picture: move away.
    case tooClose
    /// Out of focus or moved.
    case blurred
    /// A part of the code is outside of the picture.
    case cutOff
    /// Too little light.
    case tooDark
    /// Too much light, or a reflection on the code.
    case tooBright
  }

  /// The kind of pattern that was seen.
  public var kind: Kind
  /// The corners in pixels of the picture; `nil` if unknown.
  public var corners: Quadrilateral?
  /// The change that would make the code readable; `nil` if none is known.
  public var advice: Advice?

  /// Creates an unread code; corners and advice that are unknown are `nil`.
  public init(kind: Kind, corners: Quadrilateral?, advice: Advice?) {
    self.kind = kind
    self.corners = corners
    self.advice = advice
  }
}

// MARK: - Order

/// The reading order of codes on a sheet: by rows from the top, each from the left.
enum ReadingOrder {
  /// Returns symbols in reading order. Two codes belong to one row if they overlap vertically by more than half the height of the
  /// lower code.
  static func sorted(_ symbols: [Symbol]) -> [Symbol] {
    var rest = symbols.sorted { Self.key($0) < Self.key($1) }
    var ordered: [Symbol] = []
    while let first = rest.first {
      let lead = first.corners.bounds
      var row: [Symbol] = []
      rest.removeAll { symbol in
        let b = symbol.corners.bounds
        let shared = min(lead.max.y, b.max.y) - max(lead.min.y, b.min.y)
        guard symbol == first || shared > 0.5 * min(lead.max.y - lead.min.y, b.max.y - b.min.y) else { return false }
        row.append(symbol)
        return true
      }
      ordered += row.sorted { ($0.corners.center.x, $0.corners.center.y) < ($1.corners.center.x, $1.corners.center.y) }
    }
    return ordered
  }

  private static func key(_ symbol: Symbol) -> (Double, Double, String) {
    (symbol.corners.bounds.min.y, symbol.corners.bounds.min.x, symbol.text)
  }
}
