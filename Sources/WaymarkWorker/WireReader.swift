/// Reads what `WireWriter` wrote, trusting nothing: the worker that wrote it may have gone over to whoever made the picture.
struct WireReader {
  /// What was written cannot have been meant.
  struct Nonsense: Error {}

  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Whether everything was read.
  var isAtEnd: Bool { position == bytes.count }

  mutating func number() throws(Nonsense) -> UInt32 {
    guard bytes.count - position >= 4 else { throw Nonsense() }
    var value: UInt32 = 0
    for i in 0..<4 { value |= UInt32(bytes[position + i]) << UInt32(8 * i) }
    position += 4
    return value
  }

  /// A number of at most `limit`.
  mutating func count(upTo limit: Int) throws(Nonsense) -> Int {
    let value = Int(try number())
    guard value <= limit else { throw Nonsense() }
    return value
  }

  /// A number within `range`: what is far outside of what can be meant overflows where something is made of it.
  mutating func real(within range: ClosedRange<Double>) throws(Nonsense) -> Double {
    let low = UInt64(try number())
    let value = Double(bitPattern: low | UInt64(try number()) << 32)
    guard range.contains(value) else { throw Nonsense() }
    return value
  }

  mutating func raw(upTo limit: Int) throws(Nonsense) -> [UInt8] {
    let count = try count(upTo: min(limit, bytes.count - position))
    guard bytes.count - position >= count else { throw Nonsense() }
    defer { position += count }
    return Array(bytes[position..<position + count])
  }

  mutating func text(upTo limit: Int) throws(Nonsense) -> String {
    guard let text = String(validating: try raw(upTo: limit), as: UTF8.self) else { throw Nonsense() }
    return text
  }

  mutating func list<T>(
    upTo limit: Int, _ read: (inout WireReader) throws(Nonsense) -> T
  ) throws(Nonsense) -> [T] {
    let count = try count(upTo: limit)
    var values: [T] = []
    for _ in 0..<count { values.append(try read(&self)) }
    return values
  }

  /// One of the cases of an enumeration, by its place among them.
  mutating func choice<T: CaseIterable>(_ type: T.Type) throws(Nonsense) -> T where T.AllCases == [T] {
    let index = Int(try number())
    guard T.allCases.indices.contains(index) else { throw Nonsense() }
    return T.allCases[index]
  }
}

extension CaseIterable where Self: Equatable, AllCases == [Self] {
  /// The place among the cases: both ends are the same executable, so that they agree on it.
  var place: UInt32 { UInt32(Self.allCases.firstIndex(of: self) ?? 0) }
}
