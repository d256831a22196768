/// A 64-bit checksum over words: multiply and rotate in four lanes, as in xxHash64 (Y. Collet), without its tail rules;
/// the end of the data is padded with zeros and its length mixed in.
package struct Checksum: Sendable {
  private var lanes = SIMD4<UInt64>(
    0x60EA_27EE_ADC0_B5D6, 0xC2B2_AE3D_27D4_EB4F, 0, 0x61C8_8646_80B5_83EB)
  private var count: UInt64 = 0
  private static let p1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let p2: UInt64 = 0xC2B2_AE3D_27D4_EB4F

  /// The checksum of nothing.
  package init() {}

  /// Takes one word.
  package mutating func add(_ word: UInt64) { step(Int(count & 3), word) }

  @inline(__always)
  private mutating func step(_ lane: Int, _ word: UInt64) {
    let v = lanes[lane] &+ word &* Self.p2
    lanes[lane] = ((v << 31) | (v >> 33)) &* Self.p1
    count &+= 1
  }

  /// Takes bytes; only the last piece may have a length that is not a multiple of eight.
  package mutating func add(_ bytes: UnsafeRawBufferPointer) {
    let words = bytes.count / 8
    func word(_ i: Int) -> UInt64 {
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8 * i, as: UInt64.self))
    }
    var i = 0
    while i < words, count & 3 != 0 {
      add(word(i))
      i += 1
    }
    // Four words at a time, whose lanes do not wait for each other.
    var (a, b, c, d) = (lanes[0], lanes[1], lanes[2], lanes[3])
    func next(_ lane: inout UInt64, _ word: UInt64) {
      let v = lane &+ word &* Self.p2
      lane = ((v << 31) | (v >> 33)) &* Self.p1
    }
    while i + 4 <= words {
      next(&a, word(i))
      next(&b, word(i + 1))
      next(&c, word(i + 2))
      next(&d, word(i + 3))
      i += 4
      count &+= 4
    }
    lanes = SIMD4(a, b, c, d)
    while i < words {
      add(word(i))
      i += 1
    }
    let rest = bytes.count % 8
    guard rest > 0 else { return }
    var last: UInt64 = 0
    for i in 0..<rest { last |= UInt64(bytes[8 * words + i]) << (8 * i) }
    add(last)
  }

  /// The checksum of what was taken.
  package var value: UInt64 {
    var h = count &* Self.p1
    for i in 0..<4 {
      h ^= lanes[i]
      h = ((h << 27) | (h >> 37)) &* Self.p1 &+ 0x85EB_CA77_C2B2_AE63
    }
    h ^= h >> 33
    h = h &* Self.p2
    return h ^ (h >> 29)
  }
}
