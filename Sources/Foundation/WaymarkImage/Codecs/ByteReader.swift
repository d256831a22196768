/// Reads numbers and slices of untrusted bytes at offsets; `nil` for an offset outside the bytes.
package struct ByteReader {
  package let bytes: UnsafeRawBufferPointer

  package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  package var count: Int { bytes.count }

  package func byte(_ at: Int) -> UInt8? {
    at >= 0 && at < bytes.count ? bytes[at] : nil
  }

  func uint16(_ at: Int, littleEndian: Bool) -> Int? {
    guard at >= 0, at <= bytes.count - 2 else { return nil }
    let (a, b) = (Int(bytes[at]), Int(bytes[at + 1]))
    return littleEndian ? b << 8 | a : a << 8 | b
  }

  func uint32(_ at: Int, littleEndian: Bool) -> Int? {
    guard at >= 0, at <= bytes.count - 4 else { return nil }
    guard let first = uint16(at, littleEndian: littleEndian), let second = uint16(at + 2, littleEndian: littleEndian)
    else { return nil }
    return littleEndian ? second << 16 | first : first << 16 | second
  }

  /// Returns up to `count` bytes from `at` on; `nil` if `at` is outside the bytes.
  package func slice(_ at: Int, _ count: Int) -> ByteReader? {
    guard at >= 0, count >= 0, at <= bytes.count else { return nil }
    return ByteReader(UnsafeRawBufferPointer(rebasing: bytes[at..<(at + min(count, bytes.count - at))]))
  }

  package func hasPrefix(_ text: StaticString, at offset: Int = 0) -> Bool {
    guard offset >= 0, offset <= bytes.count - text.utf8CodeUnitCount else { return false }
    for i in 0..<text.utf8CodeUnitCount where bytes[offset + i] != text.utf8Start[i] { return false }
    return true
  }
}
