/// The contents of a code once its errors are corrected: bytes, in which character sets they are, and what the code says of
/// itself. The same for every symbology.
package struct CodeMessage: Hashable {
  /// Bytes under one extended channel interpretation; `nil` where the code names none.
  struct Segment: Hashable {
    var eci: Int?
    var bytes: [UInt8]
  }

  /// The place of a code in a structured append.
  package struct Fragment: Hashable {
    /// From 0.
    package var index: Int
    /// How many there are; `nil` where only the last one tells.
    package var count: Int?
    /// The identifier that all parts of one message have in common.
    package var identifier: [Int]
  }

  private(set) var segments: [Segment] = []
  /// FNC1 stands first: the content is GS1 element strings.
  package var isGS1 = false
  /// The code configures a reader rather than carry data.
  var isReaderProgramming = false
  package var part: Fragment?
  private var eci: Int?

  /// A message without content.
  package init() {}

  package mutating func append(_ byte: UInt8) {
    if segments.isEmpty || segments[segments.count - 1].eci != eci { segments.append(Segment(eci: eci, bytes: [])) }
    segments[segments.count - 1].bytes.append(byte)
  }

  package mutating func append(_ bytes: some Sequence<UInt8>) { for byte in bytes { append(byte) } }

  package mutating func append(_ text: String) { append(text.utf8) }

  /// Switches to another character set (AIM ITS/04-001).
  package mutating func use(eci: Int?) { self.eci = eci }

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
  }

  package var bytes: [UInt8] { segments.flatMap { $0.bytes } }

  package var isEmpty: Bool { segments.allSatisfy { $0.bytes.isEmpty } }

  /// The content as text, and the character set of its first part that is not plain ASCII.
  package var decoded: (text: String, charset: Charset) {
    var text = ""
    var charset = Charset.ascii
    for segment in segments {
      let (piece, set) = Charset.decode(segment.bytes, eci: segment.eci)
      text += piece
      if charset == .ascii { charset = set }
    }
    return (text, charset)
  }
}
