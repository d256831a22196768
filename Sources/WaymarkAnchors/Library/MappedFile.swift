#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A file mapped into memory, read-only, for as long as this object lives.
///
/// Immutable after `init`, so it may be read from any thread.
final class MappedFile: @unchecked Sendable {
  let bytes: UnsafeRawBufferPointer

  /// Maps the whole file and hands every byte to `inspect` first, read in pieces rather than through the mapping: checking
  /// a file then leaves none of its pages in the process.
  init(path: String, inspect: (UnsafeRawBufferPointer) -> Void) throws(AnchorError) {
    func failure(_ step: String) -> AnchorError {
      AnchorError(
        .cannotOpen, "The library \"\(path)\" cannot be opened (\(step): \(String(cString: strerror(errno)))).",
        hint: "Check the path and its permissions.")
    }
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw failure("open") }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw failure("stat") }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw AnchorError(
        .notALibrary, "\"\(path)\" is not a file.", hint: "Name a library made by `waymark anchors build`.")
    }
    let size = Int(status.st_size)
    guard size > 0 else {
      throw AnchorError(
        .notALibrary, "\"\(path)\" is empty.", hint: "Name a library made by `waymark anchors build`.")
    }
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
    defer { piece.deallocate() }
    var offset = 0
    while offset < size {
      var filled = 0
      let wanted = min(piece.count, size - offset)
      while filled < wanted {
        let n = pread(file, piece.baseAddress! + filled, wanted - filled, off_t(offset + filled))
        if n < 0, errno == EINTR { continue }
        guard n > 0 else { throw failure("read") }
        filled += n
      }
      inspect(UnsafeRawBufferPointer(rebasing: piece[..<wanted]))
      offset += wanted
    }
    guard let memory = mmap(nil, size, PROT_READ, MAP_PRIVATE, file, 0), memory != MAP_FAILED else {
      throw failure("map")
    }
    bytes = UnsafeRawBufferPointer(start: memory, count: size)
  }

  /// Lets the memory of a part of the mapping go: the pages come back from the file when they are read again.
  func release(_ part: UnsafeRawBufferPointer) {
    guard let start = part.baseAddress, let base = bytes.baseAddress else { return }
    // The kernel maps what lies around a page with it, 64 kilobytes at a time where it has them.
    let around = 65_536
    let first = (start - base) / around * around
    let end = min(bytes.count, (start - base + part.count + around - 1) / around * around)
    guard first >= 0, end > first else { return }
    madvise(UnsafeMutableRawPointer(mutating: base + first), end - first, MADV_DONTNEED)
  }

  deinit { munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress!), bytes.count) }
}
