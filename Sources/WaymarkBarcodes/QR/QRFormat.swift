/// The two words that a QR code says of itself, each with an error-correcting code of its own.
enum QRFormat {
  /// The five bits of data nearest to fifteen bits, and how many of these are wrong (ISO/IEC 18004 clause 7.9, annex C).
  static func format(_ word: UInt32) -> (data: Int, errors: Int) {
    var best = (data: 0, errors: 15)
    for (data, candidate) in formats.enumerated() {
      let errors = (candidate ^ word).nonzeroBitCount
      if errors < best.errors { best = (data, errors) }
    }
    return best
  }

  /// The version nearest to eighteen bits, and how many of them are wrong (clause 7.10, annex D).
  static func version(_ word: UInt32) -> (version: Int, errors: Int) {
    var best = (version: 0, errors: 18)
    for (i, candidate) in versions.enumerated() {
      let errors = (candidate ^ word).nonzeroBitCount
      if errors < best.errors { best = (i + 7, errors) }
    }
    return best
  }

  /// BCH (15,5), generator 0x537, masked by 0x5412.
  static let formats: [UInt32] = (0..<32).map { data in
    var rest = UInt32(data) << 10
    for bit in stride(from: 14, through: 10, by: -1) where rest & (1 << UInt32(bit)) != 0 {
      rest ^= 0x537 << UInt32(bit - 10)
    }
    return (UInt32(data) << 10 | rest) ^ 0x5412
  }

  /// Golay (18,6), generator 0x1F25.
  private static let versions: [UInt32] = (7...40).map { version in
    var rest = UInt32(version) << 12
    for bit in stride(from: 17, through: 12, by: -1) where rest & (1 << UInt32(bit)) != 0 {
      rest ^= 0x1F25 << UInt32(bit - 12)
    }
    return UInt32(version) << 12 | rest
  }
}
