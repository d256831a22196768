import Glibc
import WaymarkSystem

/// A file that is open for reading; closed when the value ends, unless it is standard input.
struct InputFile: ~Copyable {
  let descriptor: CInt

  /// Opens `path`; `-` is standard input.
  init(path: String) throws(SourceError) {
    let opened = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard opened >= 0 else { throw .cannotOpen(path, reason: systemMessage(errno)) }
    descriptor = opened
  }

  /// True if it is a plain file: one that has an end, and can be read again.
  var isPlain: Bool {
    var information = stat()
    return fstat(descriptor, &information) == 0 && information.st_mode & S_IFMT == S_IFREG
  }

  deinit { if descriptor != STDIN_FILENO { close(descriptor) } }
}
