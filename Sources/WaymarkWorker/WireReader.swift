/// Reads what `WireWriter` wrote, trusting nothing: the worker that wrote it may have gone over to whoever made the picture.
struct WireReader {
  /// The message does not follow the protocol.
  struct Malformed: Error {}

  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Whether everything was read.
  var isAtEnd: Bool { position == bytes.count }

  mutating func number() throws(Malformed) -> UInt32 {
    guard bytes.count - position >= 4 else { throw Malformed() }
    var value: UInt32 = 0
    for i in 0..<4 { value |= UInt32(bytes[position + i]) << UInt32(8 * i) }
    position += 4
    return value
  }

  /// A number of at most `limit`.
  mutating func count(upTo limit: Int) throws(Malformed) -> Int {
    let value = Int(try number())
    guard value <= limit else { throw Malformed() }
    return value
  }

  /// A number within `range`: what is far outside of what can be meant overflows where something is made of it.
  mutating func real(within range: ClosedRange<Double>) throws(Malformed) -> Double {
    let low = UInt64(try number())
    let value = Double(bitPattern: low | UInt64(try number()) << 32)
    guard range.contains(value) else { throw Malformed() }
    return value
  }

  mutating func raw(upTo limit: Int) throws(Malformed) -> [UInt8] {
    let count = try count(upTo: min(limit, bytes.count - position))
    guard bytes.count - position >= count else { throw Malformed() }
    defer { position += count }
    return Array(bytes[position..<position + count])
  }

  mutating func text(upTo limit: Int) throws(Malformed) -> String {
    guard let text = String(validating: try raw(upTo: limit), as: UTF8.self) else { throw Malformed() }
    return text
  }

  mutating func list<T>(
    upTo limit: Int, _ read: (inout WireReader) throws(Malformed) -> T
  ) throws(Malformed) -> [T] {
    let count = try count(upTo: limit)
    var values: [T] = []
    for _ in 0..<count { values.append(try read(&self)) }
    return values
  }

  /// One of the cases of an enumeration, by its place among them.
  mutating func choice<T: CaseIterable>(_ type: T.Type) throws(Malformed) -> T where T.AllCases == [T] {
    let index = Int(try number())
    guard T.allCases.indices.contains(index) else { throw Malformed() }
    return T.allCases[index]
  }
}

extension CaseIterable where Self: Equatable, AllCases == [Self] {
  /// The place among the cases: both ends are the same executable, so that they agree on it.
  var place: UInt32 { UInt32(Self.allCases.firstIndex(of: self) ?? 0) }
}
