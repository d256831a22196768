/// Takes numbers of any width out of codewords, the highest bit first.
struct BitReader {
  private let bits: [Bool]
  private(set) var position = 0

  init(_ bits: [Bool]) { self.bits = bits }

  /// The bits of codewords of `width` bits each.
  init(_ words: [Int], width: Int) {
    bits = words.flatMap { word in (0..<width).map { word >> (width - 1 - $0) & 1 == 1 } }
  }

  var remaining: Int { bits.count - position }

  /// The next `count` bits as a number; `nil`, and nothing taken, where fewer are left.
  mutating func read(_ count: Int) -> Int? {
    guard count >= 0, count <= remaining, count < 63 else { return nil }
    var value = 0
    for i in position..<(position + count) { value = value << 1 | (bits[i] ? 1 : 0) }
    position += count
    return value
  }

  /// The next bits without taking them; what lies beyond the end counts as zero.
  func peek(_ count: Int) -> Int {
    (position..<(position + count)).reduce(0) { $0 << 1 | ($1 < bits.count && bits[$1] ? 1 : 0) }
  }

  mutating func skip(_ count: Int) { position = min(bits.count, position + max(0, count)) }
}
