/// The contents of a code of any symbology after error correction: its bytes, their character sets, and the properties that the
/// code declares. Decoders make it from a `ModuleMatrix`, whose bits a `BitReader` reads; both are below.
package struct CodeMessage: Hashable {
  /// The bytes under one extended channel interpretation; `eci` is `nil` if the code names none.
  struct Segment: Hashable {
    var eci: Int?
    var bytes: [UInt8]
  }

  /// The position of a code in a structured append.
  package struct Fragment: Hashable {
    /// The index of the part, from 0.
    package var index: Int
    /// The number of parts; `nil` if only the last part contains the number, and this is another part.
    package var count: Int?
    /// The identifier that all parts of one message share, in the notation of the symbology; empty without one.
    package var identifier: String
    /// True if not every part of a message contains the number of parts.
    package var isCountedOnce = false
  }

  private(set) var segments: [Segment] = []
  /// True if the content begins with FNC1: it consists of GS1 element strings.
  package var isGS1 = false
  /// True if the code is the 2-D component of a GS1 composite symbol.
  package var isComponent = false
  /// True if the code configures a reader instead of carrying data.
  var isReaderProgramming = false
  package var part: Fragment?
  private var eci: Int?
  /// True if the code names Shift_JIS by an extended channel interpretation; false if only the kanji mode of a segment
  /// implies it.
  private(set) var namesShiftJIS = false

  /// Creates a message without content.
  package init() {}

  package mutating func append(_ byte: UInt8) {
    if segments.isEmpty || segments[segments.count - 1].eci != eci { segments.append(Segment(eci: eci, bytes: [])) }
    segments[segments.count - 1].bytes.append(byte)
  }

  package mutating func append(_ bytes: some Sequence<UInt8>) { for byte in bytes { append(byte) } }

  package mutating func append(_ text: String) { append(text.utf8) }

  /// Sets the extended channel interpretation of the bytes appended next (AIM ITS/04-001); nil for none.
  package mutating func use(eci: Int?) {
    self.eci = eci
    if eci == Self.shiftJIS { namesShiftJIS = true }
  }

  /// Adds the content of the next part of a structured append.
  package mutating func append(_ next: CodeMessage) {
    for segment in next.segments {
      if segments.last?.eci == segment.eci, !segments.isEmpty {
        segments[segments.count - 1].bytes += segment.bytes
      } else {
        segments.append(segment)
      }
    }
    isGS1 = isGS1 || next.isGS1
    namesShiftJIS = namesShiftJIS || next.namesShiftJIS
  }

  package var bytes: [UInt8] { segments.flatMap { $0.bytes } }

  package var isEmpty: Bool { segments.allSatisfy { $0.bytes.isEmpty } }

  /// The extended channel interpretation of kanji segments in QR codes.
  static let shiftJIS = 20

  /// Returns a message of one segment in a mode that implies a character set.
  static func segment(_ bytes: [UInt8], eci: Int) -> CodeMessage {
    var message = CodeMessage()
    message.segments = [Segment(eci: eci, bytes: bytes)]
    return message
  }
}

// MARK: - Bits

/// Reads numbers of up to 62 bits from codewords, the most significant bit first.
struct BitReader {
  private let bits: [Bool]
  private(set) var position = 0

  init(_ bits: [Bool]) { self.bits = bits }

  /// Creates a reader of codewords of `width` bits each.
  init(_ words: [Int], width: Int) {
    bits = words.flatMap { word in (0..<width).map { word >> (width - 1 - $0) & 1 == 1 } }
  }

  var remaining: Int { bits.count - position }

  /// Reads the next `count` bits as a number; returns `nil` without advancing if fewer are left.
  mutating func read(_ count: Int) -> Int? {
    guard count >= 0, count <= remaining, count < 63 else { return nil }
    var value = 0
    for i in position..<(position + count) { value = value << 1 | (bits[i] ? 1 : 0) }
    position += count
    return value
  }

  /// Returns the next `count` bits without advancing; bits beyond the end are zero.
  func peek(_ count: Int) -> Int {
    (position..<(position + count)).reduce(0) { $0 << 1 | ($1 < bits.count && bits[$1] ? 1 : 0) }
  }

  mutating func skip(_ count: Int) { position = min(bits.count, position + max(0, count)) }
}

// MARK: - Modules

/// The sampled modules of a code, row by row.
package struct ModuleMatrix {
  package let columns: Int
  package let rows: Int
  package var dark: [Bool]
  /// The distance of each module's tone from the threshold between dark and light, as a share of half the contrast around
  /// it; empty if unknown.
  package var margins: [Float] = []

  package init(columns: Int, rows: Int, dark: [Bool]) {
    self.columns = columns
    self.rows = rows
    self.dark = dark
  }

  package subscript(x: Int, y: Int) -> Bool { dark[y * columns + x] }

  /// Returns the margin of a module; 1 if the margins are unknown.
  package func margin(_ x: Int, _ y: Int) -> Float { margins.isEmpty ? 1 : margins[y * columns + x] }

  /// Returns the share of the modules of fixed patterns that have their required tone.
  ///
  /// - Parameter fixed: returns whether a module is dark in every symbol; `nil` for a module that differs between symbols.
  package func agreement(_ fixed: (_ x: Int, _ y: Int) -> Bool?) -> Double {
    var (right, all) = (0, 0)
    for y in 0..<rows {
      for x in 0..<columns {
        guard let isDark = fixed(x, y) else { continue }
        all += 1
        if self[x, y] == isDark { right += 1 }
      }
    }
    return Double(right) / Double(max(1, all))
  }

  /// The matrix with rows and columns exchanged, for a code seen in a mirror or through glass.
  package var transposed: ModuleMatrix { picked(columns: rows, rows: columns) { ($1, $0) } }

  /// Returns the modules in another order: `from` returns the source column and row of each module.
  package func picked(columns: Int, rows: Int, _ from: (_ x: Int, _ y: Int) -> (Int, Int)) -> ModuleMatrix {
    var other = ModuleMatrix(columns: columns, rows: rows, dark: [Bool](repeating: false, count: columns * rows))
    other.margins = margins.isEmpty ? [] : [Float](repeating: 0, count: columns * rows)
    for y in 0..<rows {
      for x in 0..<columns {
        let (u, v) = from(x, y)
        other.dark[y * columns + x] = dark[v * self.columns + u]
        if !margins.isEmpty { other.margins[y * columns + x] = margins[v * self.columns + u] }
      }
    }
    return other
  }
}
