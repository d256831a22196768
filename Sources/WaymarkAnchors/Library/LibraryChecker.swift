import WaymarkSystem

/// Reads the header of a library and checks the rest against it while the file goes by in pieces.
struct LibraryChecker {
  private var head: [UInt8] = []
  private var content = Checksum()
  private var size = 0
  private var index: IndexChecker?

  /// Takes the next piece of the file: the first is at least as long as the header if the file is, and the length of
  /// every piece but the last is a multiple of eight.
  ///
  /// - Returns: whether it can still be a library.
  mutating func add(_ piece: UnsafeRawBufferPointer) -> Bool {
    var rest = piece
    if size == 0 {
      let n = min(LibraryLayout.headerSize, piece.count)
      head = Array(piece[..<n])
      if n == LibraryLayout.headerSize {
        index = LibraryHeader(head).flatMap { $0.fits(.max) ? IndexChecker($0) : nil }
      }
      rest = UnsafeRawBufferPointer(rebasing: piece[n...])
    }
    index?.add(piece, at: size)
    size += piece.count
    if rest.count > 0 { content.add(rest) }
    return head.starts(with: LibraryLayout.magic)
  }

  static func damaged(_ path: String) -> AnchorError {
    AnchorError(
      .damaged, "The library \"\(path)\" is damaged: its checksum does not fit its bytes.",
      hint: "Build it again from its pictures, or copy it again.")
  }

  /// The header, when everything fits.
  func header(path: String, size fileSize: Int) throws(AnchorError) -> LibraryHeader {
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
    guard let header = LibraryHeader(head), header.fits(fileSize), index?.isSound == true else {
      throw Self.damaged(path)
    }
    return header
  }

  private func cutOff(_ path: String, _ fileSize: Int) -> AnchorError {
    AnchorError(
      .damaged, "The library \"\(path)\" is cut off or has bytes too many: it has \(fileSize).",
      hint: "Copy it again, or build it again from its pictures.")
  }
}
