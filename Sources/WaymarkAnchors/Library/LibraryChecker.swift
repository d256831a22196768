/// Reads the header of a library and checks the rest against it while the file goes by in pieces.
struct LibraryChecker {
  struct Header {
    var anchors: Int
    var features: Int
    var keyBits: Int
    var nameBytes: Int
    var offsets: [Int]
  }

  private var head: [UInt8] = []
  private var content = Checksum()
  private var size = 0
  private var index: IndexChecker?

  /// Takes the next piece of the file: the first is at least as long as the header if the file is, and the length of
  /// every piece but the last is a multiple of eight.
  mutating func add(_ piece: UnsafeRawBufferPointer) {
    var rest = piece
    if size == 0 {
      let n = min(LibraryLayout.headerSize, piece.count)
      head = Array(piece[..<n])
      if n == LibraryLayout.headerSize { index = parse().flatMap { fits($0, .max) ? IndexChecker($0) : nil } }
      rest = UnsafeRawBufferPointer(rebasing: piece[n...])
    }
    index?.add(piece, at: size)
    size += piece.count
    if rest.count > 0 { content.add(rest) }
  }

  static func damaged(_ path: String) -> AnchorError {
    AnchorError(
      .damaged, "The library \"\(path)\" is damaged: its checksum does not fit its bytes.",
      hint: "Build it again from its pictures, or copy it again.")
  }

  /// The header, when everything fits.
  func header(path: String, size fileSize: Int) throws(AnchorError) -> Header {
    guard head.count >= 12, Array(head[..<8]) == LibraryLayout.magic else {
      throw AnchorError(
        .notALibrary, "\"\(path)\" is not a library of anchors.",
        hint: "Name a library made by `waymark anchors build`.")
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
    guard head.count == LibraryLayout.headerSize else { throw cutOff(path, fileSize) }
    var sum = Checksum()
    head.withUnsafeBytes { sum.add(UnsafeRawBufferPointer(rebasing: $0[..<120])) }
    guard sum.value == number(120, UInt64.self) else { throw Self.damaged(path) }
    guard number(12, UInt32.self) == LibraryLayout.fingerprint else {
      throw AnchorError(
        .unsupportedVersion, "The features of the library \"\(path)\" were made in another way than this release does.",
        hint: "Build the library again from its pictures.")
    }
    let stated = number(16, UInt64.self)
    guard stated == UInt64(fileSize), size == fileSize else { throw cutOff(path, fileSize) }
    guard content.value == number(96, UInt64.self) else { throw Self.damaged(path) }
    // The checksums fit whatever a person has written them to fit: the index is believed only when nothing in it points
    // outside.
    guard let header = parse(), fits(header, fileSize), index?.isSound == true else { throw Self.damaged(path) }
    return header
  }

  /// What the header says, believed or not; nil without one.
  private func parse() -> Header? {
    guard head.count == LibraryLayout.headerSize else { return nil }
    func number<T: FixedWidthInteger>(_ at: Int, _ type: T.Type) -> T {
      head.withUnsafeBytes { T(littleEndian: $0.loadUnaligned(fromByteOffset: at, as: T.self)) }
    }
    return Header(
      anchors: Int(number(24, UInt32.self)), features: Int(number(28, UInt32.self)),
      keyBits: Int(number(32, UInt32.self)), nameBytes: Int(number(36, UInt32.self)),
      offsets: (0..<7).map { Int(clamping: number(40 + 8 * $0, UInt64.self)) })
  }

  private func cutOff(_ path: String, _ fileSize: Int) -> AnchorError {
    AnchorError(
      .damaged, "The library \"\(path)\" is cut off or has bytes too many: it has \(fileSize).",
      hint: "Copy it again, or build it again from its pictures.")
  }

  /// Whether every section lies inside the file; cannot fail for a file that `LibraryWriter` made.
  private func fits(_ h: Header, _ size: Int) -> Bool {
    guard h.keyBits <= FeatureKey.greatestBits,
      h.offsets.allSatisfy({ $0 <= size && $0 % LibraryLayout.alignment == 0 })
    else { return false }
    let sizes = [
      LibraryLayout.recordSize * h.anchors, h.nameBytes, 4 * ((1 << h.keyBits) + 1), 32 * h.features, 8 * h.features,
      4 * h.features, 0,
    ]
    return zip(h.offsets, sizes).allSatisfy { $1 <= size - $0 }
  }
}
