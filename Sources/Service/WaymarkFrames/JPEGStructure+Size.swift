extension JPEGStructure {
  /// The size that a picture's frame header tells (SOF, T.81 B.2.2); nil when it has none.
  package static func pictureSize(_ bytes: UnsafeRawBufferPointer) -> (width: Int, height: Int)? {
    var size: (width: Int, height: Int)?
    _ = walk(bytes) { marker, range in
      // SOF0...15 without DHT (C4), JPG (C8) and DAC (CC).
      guard (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker), range.count >= 9 else { return true }
      let at = range.lowerBound
      size = (
        width: Int(bytes[at + 7]) << 8 | Int(bytes[at + 8]), height: Int(bytes[at + 5]) << 8 | Int(bytes[at + 6])
      )
      return false
    }
    return size.flatMap { $0.width > 0 && $0.height > 0 ? $0 : nil }
  }
}
