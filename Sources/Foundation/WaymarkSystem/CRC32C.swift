/// The cyclic redundancy check of Castagnoli (RFC 3720, appendix B.4), by one table.
package enum CRC32C {
  private static let table: [UInt32] = (0..<256).map { index in
    var value = UInt32(index)
    for _ in 0..<8 { value = value & 1 == 1 ? 0x82F6_3B78 ^ (value >> 1) : value >> 1 }
    return value
  }

  /// The checksum of `bytes`.
  package static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var value: UInt32 = .max
    table.withUnsafeBufferPointer { table in
      for byte in bytes { value = table[Int((value ^ UInt32(byte)) & 0xFF)] ^ (value >> 8) }
    }
    return ~value
  }
}
