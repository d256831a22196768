import Glibc
import WaymarkImage
import WaymarkSystem

/// The file of a library, read in parts on demand. `LibraryPicture` below reads the pixels of a reference from it.
///
/// The file is not memory-mapped: truncating a mapped file would end the process by SIGBUS at the next access, and writing to it
/// would change bytes that were already checked. Instead, parts are read into memory and checked there.
final class LibraryFile: Sendable {
  let path: String
  let size: Int
  private let file: Int32
  /// The whole content of a small file, so that truncating the file does no harm; empty if parts are read on demand.
  private let whole: [UInt8]

  /// The first bytes of a library file.
  static let magic: [UInt8] = Array("WAYMARKA".utf8)
  /// The largest size of a library file in bytes, more than a device could search.
  private static let limit = 16 << 30

  /// - Parameter small: The largest file in bytes that is read whole.
  /// - Throws: `AnchorError` with `cannotOpen` or `notALibrary`.
  init(path: String, small: Int) throws(AnchorError) {
    func failure(_ step: String) -> AnchorError {
      let reason = systemMessage(errno)
      return AnchorError(
        .cannotOpen, "The library \"\(path)\" cannot be opened (\(step): \(reason)).",
        hint: "Check the path and its permissions.", cause: reason)
    }
    func refusal(_ what: String) -> AnchorError {
      AnchorError(
        .notALibrary, "\"\(path)\" \(what).", hint: "Name a library made by `waymark anchors build`.")
    }
    self.path = path
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw failure("open") }
    var isKept = false
    defer { if !isKept { close(file) } }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw failure("stat") }
    guard status.st_mode & S_IFMT == S_IFREG else { throw refusal("is not a file") }
    let size = Int(status.st_size)
    guard size > 0 else { throw refusal("is empty") }
    var magic = [UInt8](repeating: 0, count: min(size, Self.magic.count))
    guard magic.withUnsafeMutableBytes({ Self.fill($0, from: file, at: 0) }) else { throw failure("read") }
    // A file without the magic bytes is not read any further.
    guard magic == Self.magic else { throw refusal("is not a library of anchors") }
    guard size <= Self.limit else { throw refusal("is larger than \(Self.limit >> 30) GiB") }
    var whole: [UInt8] = []
    if size <= small {
      whole = [UInt8](repeating: 0, count: size)
      guard whole.withUnsafeMutableBytes({ Self.fill($0, from: file, at: 0) }) else { throw failure("read") }
    }
    self.size = size
    self.whole = whole
    self.file = whole.isEmpty ? file : -1
    isKept = whole.isEmpty
  }

  /// Creates a library file from bytes in memory, which are checked when they are used.
  init(bytes: [UInt8]) {
    (path, size, whole, file) = ("", bytes.count, bytes, -1)
  }

  deinit { if file >= 0 { close(file) } }

  /// True if the whole file is in memory.
  var isWhole: Bool { !whole.isEmpty }

  /// Reads bytes from `offset` on into `memory`.
  ///
  /// - Returns: False if the file has fewer bytes or cannot be read.
  func read(into memory: UnsafeMutableRawBufferPointer, at offset: Int) -> Bool {
    guard offset >= 0, memory.count <= size, offset <= size - memory.count else { return false }
    guard isWhole else { return Self.fill(memory, from: file, at: offset) }
    whole.withUnsafeBytes {
      memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + memory.count]))
    }
    return true
  }

  /// Returns the bytes of a range; `nil` if the file has fewer or cannot be read.
  func bytes(_ range: Range<Int>) -> [UInt8]? {
    guard range.upperBound <= size else { return nil }
    var bytes = [UInt8](repeating: 0, count: range.count)
    return bytes.withUnsafeMutableBytes { read(into: $0, at: range.lowerBound) } ? bytes : nil
  }

  /// Asks the kernel to read the first `bytes` bytes ahead (`posix_fadvise`).
  func expect(first bytes: Int) {
    guard file >= 0 else { return }
    _ = posix_fadvise(file, 0, off_t(bytes), POSIX_FADV_WILLNEED)
  }

  private static func fill(_ memory: UnsafeMutableRawBufferPointer, from file: Int32, at offset: Int) -> Bool {
    var done = 0
    while done < memory.count, let base = memory.baseAddress {
      let n = pread(file, base + done, memory.count - done, off_t(offset + done))
      if n < 0, errno == EINTR { continue }
      guard n > 0 else {
        // At the end of the file `read` sets no `errno`.
        if n == 0 { errno = EIO }
        return false
      }
      done += n
    }
    return true
  }
}

/// The position, size and checksum of a reference's pixels in a library's file.
struct LibraryPicture: Sendable {
  let file: LibraryFile
  let width: Int
  let height: Int
  let offset: Int
  let checksum: UInt64

  /// Reads the pixels, rows without padding, and verifies their checksum.
  ///
  /// - Parameter buffer: The destination; its capacity is checked.
  /// - Returns: False if the buffer is too small, the file is cut off or the checksum differs.
  func read(into buffer: PixelBuffer) -> Bool {
    let memory = UnsafeMutableRawBufferPointer(start: buffer.bytes, count: width * height)
    return buffer.capacity >= memory.count && file.read(into: memory, at: offset)
      && UnsafeRawBufferPointer(memory).checksum == checksum
  }
}

extension UnsafeRawBufferPointer {
  /// Returns the little-endian number at an offset.
  @inline(__always)
  func number<T: FixedWidthInteger>(_ offset: Int, _ type: T.Type = T.self) -> T {
    T(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
  }

  var checksum: UInt64 {
    var sum = Checksum()
    sum.add(self)
    return sum.value
  }
}
