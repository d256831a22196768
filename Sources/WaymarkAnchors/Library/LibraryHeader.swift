/// What the header of a library says, believed or not.
struct LibraryHeader {
  let anchors: Int
  let features: Int
  let keyBits: Int
  let nameBytes: Int
  let offsets: [Int]

  /// The header in a file's first bytes; nil when there are too few.
  init?(_ head: [UInt8]) {
    guard head.count == LibraryLayout.headerSize else { return nil }
    func number<T: FixedWidthInteger>(_ at: Int, _ type: T.Type) -> T {
      head.withUnsafeBytes { T(littleEndian: $0.loadUnaligned(fromByteOffset: at, as: T.self)) }
    }
    anchors = Int(number(24, UInt32.self))
    features = Int(number(28, UInt32.self))
    keyBits = Int(number(32, UInt32.self))
    nameBytes = Int(number(36, UInt32.self))
    offsets = LibraryLayout.Section.allCases.map { Int(clamping: number(40 + 8 * $0.rawValue, UInt64.self)) }
  }

  /// The bytes of a section; the pixels go on to the end of the file.
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

  /// Where a section lies in a file that it fits.
  func range(of section: LibraryLayout.Section) -> Range<Int> {
    let start = offsets[section.rawValue]
    return start..<start + size(of: section)
  }

  /// Whether every section lies inside a file of so many bytes; cannot fail for a file that `LibraryWriter` made.
  func fits(_ fileSize: Int) -> Bool {
    guard keyBits <= FeatureKey.greatestBits else { return false }
    return LibraryLayout.Section.allCases.allSatisfy { section in
      let offset = offsets[section.rawValue]
      return offset <= fileSize && offset % LibraryLayout.alignment == 0 && size(of: section) <= fileSize - offset
    }
  }
}
