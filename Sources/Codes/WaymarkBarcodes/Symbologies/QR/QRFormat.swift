/// Decodes the information with error-correcting codes of its own in QR codes and their relatives.
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

  /// BCH (15,5), generator 0x537, masked by 0x5412.
  static let formats: [UInt32] = (0..<32).map { data in
    var rest = UInt32(data) << 10
    for bit in stride(from: 14, through: 10, by: -1) where rest & (1 << UInt32(bit)) != 0 {
      rest ^= 0x537 << UInt32(bit - 10)
    }
    return (UInt32(data) << 10 | rest) ^ 0x5412
  }

  /// Six bits and twelve that check them: Golay (18,6), generator 0x1F25 (annex D).
  static func golay(_ data: UInt32) -> UInt32 {
    var rest = data << 12
    for bit in stride(from: 17, through: 12, by: -1) where rest & (1 << UInt32(bit)) != 0 {
      rest ^= 0x1F25 << UInt32(bit - 12)
    }
    return data << 12 | rest
  }
}
