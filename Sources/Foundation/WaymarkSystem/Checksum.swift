/// A 64-bit checksum over words: multiply and rotate in four lanes, as in xxHash64 (Y. Collet), but without its rules for the last
/// bytes: the end of the data is padded with zeros and the length mixed in. `CRC32C` below is the standard checksum of files.
package struct Checksum: Sendable {
  private var lanes = SIMD4<UInt64>(
    0x60EA_27EE_ADC0_B5D6, 0xC2B2_AE3D_27D4_EB4F, 0, 0x61C8_8646_80B5_83EB)
  private var count: UInt64 = 0
  private static let p1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let p2: UInt64 = 0xC2B2_AE3D_27D4_EB4F

  /// Creates the checksum of no data.
  package init() {}

  package mutating func add(_ word: UInt64) {
    Self.mix(&lanes[Int(count & 3)], word)
    count &+= 1
  }

  @inline(__always)
  private static func mix(_ lane: inout UInt64, _ word: UInt64) {
    let v = lane &+ word &* p2
    lane = ((v << 31) | (v >> 33)) &* p1
  }

  /// Adds bytes; only the last piece may have a length that is not a multiple of eight.
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
    // Four words at a time, in independent lanes.
    var (a, b, c, d) = (lanes[0], lanes[1], lanes[2], lanes[3])
    while i + 4 <= words {
      Self.mix(&a, word(i))
      Self.mix(&b, word(i + 1))
      Self.mix(&c, word(i + 2))
      Self.mix(&d, word(i + 3))
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

  /// The checksum of the words added so far.
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

/// The cyclic redundancy check CRC-32C (RFC 3720, appendix B.4), by a table.
package enum CRC32C {
  private static let table: [UInt32] = (0..<256).map { index in
    var value = UInt32(index)
    for _ in 0..<8 { value = value & 1 == 1 ? 0x82F6_3B78 ^ (value >> 1) : value >> 1 }
    return value
  }

  /// Returns the checksum of `bytes`.
  package static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var value: UInt32 = .max
    table.withUnsafeBufferPointer { table in
      for byte in bytes { value = table[Int((value ^ UInt32(byte)) & 0xFF)] ^ (value >> 8) }
    }
    return ~value
  }
}
