import Glibc
import WaymarkSystem

/// The bytes of a library for as long as this object lives, read-only.
///
/// A file that others can write is never mapped itself: whoever cut it off would end the process by SIGBUS at the next
/// page, and whoever changed it would change what was checked. What is mapped is a copy without a name, on disk, so that
/// its pages can go and come back; a small one is copied into memory. Immutable after `init`, so it may be read from any
/// thread.
final class MappedFile: @unchecked Sendable {
  let bytes: UnsafeRawBufferPointer
  /// Whether the pages come back from a file once they were let go.
  private let isBacked: Bool

  /// Below this a copy in memory costs less than one on disk.
  private static let small = 4 << 20
  /// More than any library that a device could search.
  private static let limit = 4 << 30

  /// Takes the whole file and hands every byte to `inspect` first, read in pieces rather than through the mapping: checking
  /// a file then leaves none of its pages in the process.
  ///
  /// - Parameters:
  ///   - isOurs: nobody but this service writes the file, and never in place: it is mapped as it is.
  ///   - inspect: returns false when what follows need not be read, because the file will be refused.
  init(path: String, isOurs: Bool, inspect: (UnsafeRawBufferPointer) -> Bool) throws(AnchorError) {
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
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw failure("open") }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw failure("stat") }
    guard status.st_mode & S_IFMT == S_IFREG else { throw refusal("is not a file") }
    let size = Int(status.st_size)
    guard size > 0 else { throw refusal("is empty") }
    guard size <= Self.limit else { throw refusal("is larger than \(Self.limit >> 30) GiB") }

    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
    defer { piece.deallocate() }
    var copy: Int32 = -1
    var memory: UnsafeMutableRawPointer?
    defer { if copy >= 0 { close(copy) } }
    var offset = 0
    while offset < size {
      var filled = 0
      let wanted = min(piece.count, size - offset)
      while filled < wanted {
        let n = pread(file, piece.baseAddress! + filled, wanted - filled, off_t(offset + filled))
        if n < 0, errno == EINTR { continue }
        guard n > 0 else {
          if let memory { munmap(memory, size) }
          throw failure("read")
        }
        filled += n
      }
      let part = UnsafeRawBufferPointer(rebasing: piece[..<wanted])
      let isWanted = inspect(part)
      if offset == 0 {
        // Nothing is copied of what is no library.
        guard isWanted else { break }
        if !isOurs, size > Self.small { copy = Self.unnamedFile() }
        if !isOurs, copy < 0 {
          memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
          if memory == MAP_FAILED { memory = nil }
          guard memory != nil else { throw failure("copy") }
        }
      }
      if copy >= 0 {
        guard Self.write(part, to: copy) else { throw failure("copy") }
      } else if let memory {
        (memory + offset).copyMemory(from: part.baseAddress!, byteCount: wanted)
      }
      offset += wanted
    }
    if let memory {
      mprotect(memory, size, PROT_READ)
      bytes = UnsafeRawBufferPointer(start: memory, count: size)
      isBacked = false
      return
    }
    guard let mapped = mmap(nil, size, PROT_READ, MAP_PRIVATE, copy >= 0 ? copy : file, 0), mapped != MAP_FAILED else {
      throw failure("map")
    }
    bytes = UnsafeRawBufferPointer(start: mapped, count: size)
    isBacked = true
  }

  /// A file without a name on a disk where there is room for what can be made again; -1 when there is none.
  private static func unnamedFile() -> Int32 {
    func variable(_ name: String) -> String? {
      getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
    let folders = [
      variable("CACHE_DIRECTORY").map { String($0.prefix { $0 != ":" }) }, variable("XDG_CACHE_HOME"),
      variable("HOME").map { $0 + "/.cache" }, "/var/tmp",
    ]
    // O_TMPFILE, which the C header hides behind a macro that is not imported.
    let unnamed: Int32 = 0o20_000_000 | O_DIRECTORY
    for folder in folders.compactMap({ $0 }) {
      let file = open(folder, unnamed | O_RDWR | O_EXCL | O_CLOEXEC, 0o600)
      if file >= 0 { return file }
    }
    return -1
  }

  private static func write(_ part: UnsafeRawBufferPointer, to file: Int32) -> Bool {
    var done = 0
    while done < part.count {
      let n = Glibc.write(file, part.baseAddress! + done, part.count - done)
      if n < 0, errno == EINTR { continue }
      guard n > 0 else { return false }
      done += n
    }
    return true
  }

  /// Lets the memory of a part of the mapping go: the pages come back from the file when they are read again.
  func release(_ part: UnsafeRawBufferPointer) {
    guard isBacked, let start = part.baseAddress, let base = bytes.baseAddress else { return }
    // The kernel maps what lies around a page with it, 64 kilobytes at a time where it has them.
    let around = 65_536
    let first = (start - base) / around * around
    let end = min(bytes.count, (start - base + part.count + around - 1) / around * around)
    guard first >= 0, end > first else { return }
    madvise(UnsafeMutableRawPointer(mutating: base + first), end - first, MADV_DONTNEED)
  }

  deinit { munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress!), bytes.count) }
}
