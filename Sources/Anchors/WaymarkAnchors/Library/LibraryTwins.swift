import WaymarkImage
import WaymarkSystem

/// The pairs of pictures that look alike, as they lie behind the pixels of a library: their number and a checksum of eight bytes each, then
/// 80 bytes a pair.
enum LibraryTwins {
  private static let headSize = 16
  private static let recordSize = 80

  /// The bytes of the section; none without a pair.
  static func bytes(of twins: [AnchorTwin]) -> [UInt8] {
    guard !twins.isEmpty else { return [] }
    var out = [UInt8](repeating: 0, count: headSize + recordSize * twins.count)
    out.withUnsafeMutableBytes { raw in
      func put<T: FixedWidthInteger>(_ value: T, at offset: Int) {
        raw.storeBytes(of: value.littleEndian, toByteOffset: offset, as: T.self)
      }
      put(UInt64(twins.count), at: 0)
      for (i, twin) in twins.enumerated() {
        let o = headSize + recordSize * i
        put(UInt32(twin.first), at: o)
        put(UInt32(twin.second), at: o + 4)
        for (k, number) in twin.map.rowMajor.enumerated() { put(number.bitPattern, at: o + 8 + 8 * k) }
      }
      var sum = Checksum()
      sum.add(UnsafeRawBufferPointer(rebasing: raw[headSize...]))
      put(sum.value, at: 8)
    }
    return out
  }

  /// Reads the section of a library.
  ///
  /// - Returns: `nil` where it is damaged.
  static func read(_ header: LibraryHeader, _ file: LibraryFile) -> [AnchorTwin]? {
    guard header.twins > 0 else { return [] }
    var head = [UInt8](repeating: 0, count: headSize)
    guard head.withUnsafeMutableBytes({ file.read(into: $0, at: header.twins) }) else { return nil }
    func number<T: FixedWidthInteger>(_ bytes: [UInt8], _ at: Int, _ type: T.Type) -> T {
      bytes.withUnsafeBytes { T(littleEndian: $0.loadUnaligned(fromByteOffset: at, as: T.self)) }
    }
    let count = number(head, 0, UInt64.self)
    guard count <= UInt64(file.size / recordSize) else { return nil }
    var records = [UInt8](repeating: 0, count: recordSize * Int(count))
    guard records.withUnsafeMutableBytes({ file.read(into: $0, at: header.twins + headSize) }) else { return nil }
    var sum = Checksum()
    records.withUnsafeBytes { sum.add($0) }
    guard sum.value == number(head, 8, UInt64.self) else { return nil }
    var twins: [AnchorTwin] = []
    twins.reserveCapacity(Int(count))
    for o in stride(from: 0, to: records.count, by: recordSize) {
      let (first, second) = (Int(number(records, o, UInt32.self)), Int(number(records, o + 4, UInt32.self)))
      let numbers = (0..<9).map { Double(bitPattern: number(records, o + 8 + 8 * $0, UInt64.self)) }
      let map = Homography(
        SIMD3(numbers[0], numbers[1], numbers[2]), SIMD3(numbers[3], numbers[4], numbers[5]),
        SIMD3(numbers[6], numbers[7], numbers[8]))
      guard first < header.anchors, second < header.anchors, first != second, map.isFinite, map.inverse != nil else {
        return nil
      }
      twins.append(AnchorTwin(first: first, second: second, map: map))
    }
    return twins
  }

  /// For each anchor the pairs in which it is the first, each pair both ways round; empty without a pair.
  static func grouped(_ twins: [AnchorTwin], anchors: Int) -> [[AnchorTwin]] {
    guard !twins.isEmpty else { return [] }
    var groups = [[AnchorTwin]](repeating: [], count: anchors)
    for twin in twins {
      groups[twin.first].append(twin)
      guard let back = twin.map.inverse else { continue }
      groups[twin.second].append(AnchorTwin(first: twin.second, second: twin.first, map: back.normalized))
    }
    return groups
  }
}
