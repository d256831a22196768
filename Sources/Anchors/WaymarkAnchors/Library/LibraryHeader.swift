import WaymarkSystem

/// The header of a library, before it is validated.
struct LibraryHeader {
  let anchors: Int
  let features: Int
  let keyBits: Int
  let nameBytes: Int
  let offsets: [Int]
  /// Of the records and names, and of the index.
  let directoryChecksum: UInt64
  let indexChecksum: UInt64
  /// Where the pairs of pictures that look alike lie; zero where there are none.
  let twins: Int

  /// More features than any device could search: 1.4 GB of them.
  static let mostFeatures = 1 << 25

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
    directoryChecksum = number(96, UInt64.self)
    indexChecksum = number(104, UInt64.self)
    twins = Int(clamping: number(112, UInt64.self))
  }

  /// Where records and names lie.
  var directory: Range<Int> { LibraryLayout.headerSize..<offsets[LibraryLayout.Section.starts.rawValue] }
  /// Where the index lies: key starts, descriptors, features and lists.
  var index: Range<Int> {
    offsets[LibraryLayout.Section.starts.rawValue]..<offsets[LibraryLayout.Section.pixels.rawValue]
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

  /// Returns whether the sections lie one behind the other as `LibraryWriter` puts them, inside a file of so many bytes.
  func fits(_ fileSize: Int) -> Bool {
    guard (1...FeatureKey.greatestBits).contains(keyBits), anchors < Int(UInt16.max), features <= Self.mostFeatures,
      nameBytes <= AnchorCompiler.longestName * anchors
    else { return false }
    var end = LibraryLayout.headerSize
    for section in LibraryLayout.Section.allCases {
      guard offsets[section.rawValue] == end else { return false }
      end = LibraryLayout.align(end + size(of: section))
    }
    let pixels = offsets[LibraryLayout.Section.pixels.rawValue]
    return pixels <= fileSize && (twins == 0 || (pixels...fileSize).contains(twins))
  }

  /// The header of a library's file, when everything fits.
  init(of file: LibraryFile) throws(AnchorError) {
    let path = file.path
    var head = [UInt8](repeating: 0, count: min(file.size, LibraryLayout.headerSize))
    guard head.withUnsafeMutableBytes({ file.read(into: $0, at: 0) }), head.count >= 12 else {
      throw Self.cutOff(path, file.size)
    }
    func number<T: FixedWidthInteger>(_ at: Int, _ type: T.Type) -> T {
      head.withUnsafeBytes { T(littleEndian: $0.loadUnaligned(fromByteOffset: at, as: T.self)) }
    }
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
    var sum = Checksum()
    head.withUnsafeBytes { sum.add(UnsafeRawBufferPointer(rebasing: $0[..<120])) }
    guard sum.value == number(120, UInt64.self) else { throw Self.damaged(path) }
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
