import WaymarkSystem

/// Files of fitted models that a test makes.
enum ModelBytes {
  /// A file of these numbers with a head that fits them.
  static func file(_ payload: [UInt8], name: String, format: String = "1") -> [UInt8] {
    let sum = String(CRC32C.of(payload), radix: 16)
    return Array(
      "waymark model \(format)\nname \(name)\nscript Benchmarks/documents/x\nbytes \(payload.count)\ncrc32c \(sum)\n\n"
        .utf8)
      + payload
  }

  static func half(_ value: Int) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
  }

  static func word(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }

  static func float(_ value: Float) -> [UInt8] { word(value.bitPattern) }
}
