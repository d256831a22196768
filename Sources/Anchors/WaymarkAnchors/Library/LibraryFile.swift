import Glibc
import WaymarkImage
import WaymarkSystem

/// The file of a library, parts of which are read when they are needed.
///
/// It is never mapped: whoever cut a mapped file off would end the process by SIGBUS at the next page, and whoever changed it would
/// change what was checked before. What is read lies in memory of this process alone, and is checked there.
final class LibraryFile: Sendable {
  let path: String
  let size: Int
  private let file: Int32
  /// All of a small file, which then may even be cut off; empty where parts are read when they are needed.
  private let whole: [UInt8]

  /// More than any library that a device could search.
  private static let limit = 16 << 30

  /// - Parameter small: the greatest file that is read whole.
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
    var magic = [UInt8](repeating: 0, count: min(size, LibraryLayout.magic.count))
    guard magic.withUnsafeMutableBytes({ Self.fill($0, from: file, at: 0) }) else { throw failure("read") }
    // Nothing more is read of what is not a library.
    guard magic == LibraryLayout.magic else { throw refusal("is not a library of anchors") }
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

  /// The bytes of a library that was not written to a file.
  init(bytes: [UInt8]) {
    (path, size, whole, file) = ("", bytes.count, bytes, -1)
  }

  deinit { if file >= 0 { close(file) } }

  /// True if all of it is in memory.
  var isWhole: Bool { !whole.isEmpty }

  /// Reads what lies from `offset` on.
  ///
  /// - Returns: whether the file still has as much.
  func read(into memory: UnsafeMutableRawBufferPointer, at offset: Int) -> Bool {
    guard offset >= 0, memory.count <= size, offset <= size - memory.count else { return false }
    guard isWhole else { return Self.fill(memory, from: file, at: offset) }
    whole.withUnsafeBytes {
      memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + memory.count]))
    }
    return true
  }

  /// Asks the system to fetch the beginning of the file from the disk meanwhile.
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
        // The end of the file is not an error of the system's, but one of the file.
        if n == 0 { errno = EIO }
        return false
      }
      done += n
    }
    return true
  }
}

/// Where the pixels of a reference lie in a library's file.
struct LibraryPicture: Sendable {
  let file: LibraryFile
  let width: Int
  let height: Int
  let offset: Int
  let checksum: UInt64

  /// Reads the pixels, rows without gaps, and checks them.
  ///
  /// - Parameter buffer: has room for all of them.
  /// - Returns: whether they are what was written.
  func read(into buffer: PixelBuffer) -> Bool {
    let memory = UnsafeMutableRawBufferPointer(start: buffer.bytes, count: width * height)
    guard buffer.capacity >= memory.count, file.read(into: memory, at: offset) else { return false }
    var sum = Checksum()
    sum.add(UnsafeRawBufferPointer(memory))
    return sum.value == checksum
  }
}
