import WaymarkSystem

/// How a library lies in its file: a header of 128 bytes, then sections at multiples of 64 bytes, little-endian.
///
/// | offset | size | what |
/// |---|---|---|
/// | 0 | 8 | `WAYMARKA` |
/// | 8 | 4 | version of the form |
/// | 12 | 4 | fingerprint of the descriptor and the views that the features were made with |
/// | 16 | 8 | size of the file |
/// | 24 | 4 | anchors |
/// | 28 | 4 | features |
/// | 32 | 4 | bits of an index key |
/// | 36 | 4 | size of the names |
/// | 40 | 8 × 7 | offsets: anchor records, names, key starts, descriptors, features, lists, pixels |
/// | 96 | 8 | checksum of anchor records and names |
/// | 104 | 8 | checksum of the index: key starts, descriptors, features, lists |
/// | 112 | 8 | offset of the pairs of pictures that look alike, behind the pixels; zero: none were looked for |
/// | 120 | 8 | checksum of the 120 bytes before |
///
/// Features and descriptors are in the order of their key, so that one key's lie together; the lists give each anchor its
/// own, the most useful first. The pixels of a reference lie in rows without gaps; their checksum stands in the anchor's record, so
/// that a library is opened without reading its pictures.
enum LibraryLayout {
  static let magic: [UInt8] = Array("WAYMARKA".utf8)
  static let version: UInt32 = 3
  static let headerSize = 128
  static let recordSize = 64
  static let alignment = 64

  enum Section: Int, CaseIterable { case records, names, starts, descriptors, features, lists, pixels }

  static func align(_ n: Int) -> Int { (n + alignment - 1) & ~(alignment - 1) }

  /// The bits of an index key for so many features: about eight features a key, in large libraries sixteen, and in those of
  /// thousands of anchors eight again, because keys are crowded unevenly and what is compared is waited for.
  static func keyBits(features: Int) -> Int {
    var bits = 8
    func eachKey(_ bits: Int) -> Int { bits < 13 || bits >= FeatureKey.bitsOfThousands ? 3 : 4 }
    while bits < FeatureKey.greatestBits, features >> (bits + eachKey(bits)) > 0 { bits += 1 }
    return bits
  }

  /// A number that changes with whatever decides descriptors and views.
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
