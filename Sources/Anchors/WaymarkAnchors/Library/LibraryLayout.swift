package import WaymarkImage
import WaymarkSystem

/// The header of a library's file. The layout of the file is in `LibraryLayout`, the key of its index in `FeatureKey`,
/// and the layout of its last section, the pairs of similar pictures (`AnchorTwin`), in `LibraryTwins`.
struct LibraryHeader {
  let anchors: Int
  let features: Int
  let keyBits: Int
  let nameBytes: Int
  let offsets: [Int]
  /// The checksum of the records and names; `indexChecksum` is the checksum of the index.
  let directoryChecksum: UInt64
  let indexChecksum: UInt64
  /// The offset of the pairs of similar pictures; zero without pairs.
  let twins: Int

  /// The most bytes of an anchor's name.
  static let longestName = 1024
  /// The most features accepted in a library, more than a device could search: 1.4 GiB.
  static let mostFeatures = 1 << 25

  /// Reads the header from the first `LibraryLayout.headerSize` bytes of a file; `nil` for another number of bytes.
  init?(_ head: [UInt8]) {
    guard head.count == LibraryLayout.headerSize else { return nil }
    func number<T: FixedWidthInteger>(_ at: Int, _ type: T.Type) -> T { head.withUnsafeBytes { $0.number(at) } }
    anchors = Int(number(24, UInt32.self))
    features = Int(number(28, UInt32.self))
    keyBits = Int(number(32, UInt32.self))
    nameBytes = Int(number(36, UInt32.self))
    offsets = LibraryLayout.Section.allCases.map { Int(clamping: number(40 + 8 * $0.rawValue, UInt64.self)) }
    directoryChecksum = number(96, UInt64.self)
    indexChecksum = number(104, UInt64.self)
    twins = Int(clamping: number(112, UInt64.self))
  }

  /// The byte range of the records and names.
  var directory: Range<Int> { LibraryLayout.headerSize..<offsets[LibraryLayout.Section.starts.rawValue] }
  /// The byte range of the index: key starts, descriptors, features and lists.
  var index: Range<Int> {
    offsets[LibraryLayout.Section.starts.rawValue]..<offsets[LibraryLayout.Section.pixels.rawValue]
  }

  /// Returns the size of a section in bytes; the pixels extend to the end of the file.
  func size(of section: LibraryLayout.Section) -> Int {
    switch section {
    case .records: LibraryLayout.recordSize * anchors
    case .names: nameBytes
    case .starts: 4 * ((1 << keyBits) + 1)
    case .descriptors: 32 * features
    case .features: 8 * features
    case .lists: 4 * features
    case .pixels: 0
    }
  }

  /// Returns the byte range of a section; valid if `fits` is true.
  func range(of section: LibraryLayout.Section) -> Range<Int> {
    let start = offsets[section.rawValue]
    return start..<start + size(of: section)
  }

  /// Returns whether the sections are consecutive, as `LibraryWriter` writes them, and inside a file of `fileSize` bytes.
  func fits(_ fileSize: Int) -> Bool {
    guard (1...FeatureKey.greatestBits).contains(keyBits), anchors < Int(UInt16.max), features <= Self.mostFeatures,
      nameBytes <= Self.longestName * anchors
    else { return false }
    var end = LibraryLayout.headerSize
    for section in LibraryLayout.Section.allCases {
      guard offsets[section.rawValue] == end else { return false }
      end = LibraryLayout.align(end + size(of: section))
    }
    let pixels = offsets[LibraryLayout.Section.pixels.rawValue]
    return pixels <= fileSize && (twins == 0 || (pixels...fileSize).contains(twins))
  }

  /// Reads and checks the header of a library's file.
  ///
  /// - Throws: `AnchorError` with `unsupportedVersion`, or with `damaged` if the file is cut off, a checksum differs or
  ///   the sections do not fit.
  init(of file: LibraryFile) throws(AnchorError) {
    let path = file.path
    guard let head = file.bytes(0..<min(file.size, LibraryLayout.headerSize)), head.count >= 12 else {
      throw Self.cutOff(path, file.size)
    }
    func number<T: FixedWidthInteger>(_ at: Int, _ type: T.Type) -> T { head.withUnsafeBytes { $0.number(at) } }
    let version = number(8, UInt32.self)
    guard version == LibraryLayout.version else {
      throw AnchorError(
        .unsupportedVersion,
        "The library \"\(path)\" has form \(version); this release reads form \(LibraryLayout.version).",
        hint: version > LibraryLayout.version
          ? "Update Waymark, or build the library again with this release."
          : "Build the library again from its pictures.")
    }
    guard let header = LibraryHeader(head) else { throw Self.cutOff(path, file.size) }
    let sum = head.withUnsafeBytes { UnsafeRawBufferPointer(rebasing: $0[..<120]).checksum }
    guard sum == number(120, UInt64.self) else { throw Self.damaged(path) }
    _ = try DescriptorModel.load()
    guard number(12, UInt32.self) == LibraryLayout.fingerprint else {
      throw AnchorError(
        .unsupportedVersion, "The features of the library \"\(path)\" were computed by an incompatible release.",
        hint: "Build the library again from its pictures.")
    }
    guard number(16, UInt64.self) == UInt64(file.size) else { throw Self.cutOff(path, file.size) }
    guard header.fits(file.size) else { throw Self.damaged(path) }
    self = header
  }

  static func damaged(_ path: String) -> AnchorError {
    AnchorError(
      .damaged, "The library \"\(path)\" is damaged: its checksum does not match its contents.",
      hint: "Build it again from its pictures, or copy it again.")
  }

  private static func cutOff(_ path: String, _ size: Int) -> AnchorError {
    AnchorError(
      .damaged, "The library \"\(path)\" has the wrong length: it has \(size).",
      hint: "Copy it again, or build it again from its pictures.")
  }
}

/// The layout of a library's file: a header of 128 bytes, then sections at multiples of 64 bytes, all little-endian.
///
/// | offset | size | what |
/// |---|---|---|
/// | 0 | 8 | `WAYMARKA` |
/// | 8 | 4 | version of the format |
/// | 12 | 4 | fingerprint of the descriptor model and the views from which the features were extracted |
/// | 16 | 8 | size of the file |
/// | 24 | 4 | anchors |
/// | 28 | 4 | features |
/// | 32 | 4 | bits of an index key |
/// | 36 | 4 | size of the names |
/// | 40 | 8 × 7 | offsets: anchor records, names, key starts, descriptors, features, lists, pixels |
/// | 96 | 8 | checksum of anchor records and names |
/// | 104 | 8 | checksum of the index: key starts, descriptors, features, lists |
/// | 112 | 8 | offset of the pairs of pictures that look alike, behind the pixels; zero without pairs |
/// | 120 | 8 | checksum of the preceding 120 bytes |
///
/// Features and descriptors are sorted by key, so that all features of a key are contiguous. The lists have the indices of each
/// anchor's features, the most useful first. The pixels of a reference are rows without padding; their checksum is in the anchor's
/// record, so that a library is opened without reading its pictures.
enum LibraryLayout {
  static let version: UInt32 = 3
  static let headerSize = 128
  static let recordSize = 64
  static let alignment = 64

  enum Section: Int, CaseIterable { case records, names, starts, descriptors, features, lists, pixels }

  static func align(_ n: Int) -> Int { (n + alignment - 1) & ~(alignment - 1) }

  /// Returns the number of bits of an index key for a number of features: about eight features per key in small libraries, and
  /// sixteen in large ones. With thousands of anchors it is eight again, because keys are unevenly filled and most of the time is
  /// spent reading features.
  static func keyBits(features: Int) -> Int {
    var bits = 8
    func eachKey(_ bits: Int) -> Int { bits < 13 || bits >= FeatureKey.bitsOfThousands ? 3 : 4 }
    while bits < FeatureKey.greatestBits, features >> (bits + eachKey(bits)) > 0 { bits += 1 }
    return bits
  }

  /// A hash of the descriptor model, the sample positions and the views.
  static let fingerprint: UInt32 = {
    var hash = Checksum()
    hash.add(UInt64((try? DescriptorModel.load())?.fingerprint ?? 0))
    hash.add(UInt64(SamplingTable.side) << 32 | UInt64(SamplingTable.step * 4096))
    for l in ViewCatalog.linears {
      for v in [l.a, l.b, l.c, l.d] { hash.add(UInt64(bitPattern: Int64((v * 4096).rounded()))) }
    }
    return UInt32(truncatingIfNeeded: hash.value)
  }()
}

/// The key of a descriptor in the index: its leading bits.
enum FeatureKey {
  /// The most bits of a key. The 24 leading bits of a descriptor depend least on each other.
  static let greatestBits = 20
  /// The number of key bits from which a library is regarded as having thousands of anchors.
  static let bitsOfThousands = 18

  @inline(__always)
  static func key(_ firstWord: UInt64, bits: Int) -> Int {
    Int(truncatingIfNeeded: firstWord & ((1 << UInt64(bits)) - 1))
  }
}

/// The section of similar pictures behind the pixels of a library: the number of pairs and a checksum of eight bytes each, then 80 bytes per pair.
enum LibraryTwins {
  private static let headSize = 16
  private static let recordSize = 80

  /// Returns the bytes of the section; empty without pairs.
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
      put(UnsafeRawBufferPointer(rebasing: raw[headSize...]).checksum, at: 8)
    }
    return out
  }

  /// Reads the section of a library.
  ///
  /// - Returns: The pairs; `nil` if the section is damaged.
  static func read(_ header: LibraryHeader, _ file: LibraryFile) -> [AnchorTwin]? {
    guard header.twins > 0 else { return [] }
    let start = header.twins + headSize
    guard let head = file.bytes(header.twins..<start) else { return nil }
    func number<T: FixedWidthInteger>(_ bytes: [UInt8], _ at: Int, _ type: T.Type) -> T {
      bytes.withUnsafeBytes { $0.number(at) }
    }
    let count = number(head, 0, UInt64.self)
    guard count <= UInt64(file.size / recordSize), let records = file.bytes(start..<start + recordSize * Int(count)),
      records.withUnsafeBytes(\.checksum) == number(head, 8, UInt64.self)
    else { return nil }
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

  /// Returns for each anchor the pairs that list it first, with each pair in both directions; empty without pairs.
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

/// Two pictures of a library that look alike: the first is found in the second.
package struct AnchorTwin: Hashable, Sendable {
  /// The index of the first picture in the library.
  package var first: Int
  package var second: Int
  /// Pixels of the first → pixels of the second, in the part that is alike.
  package var map: Homography
}
