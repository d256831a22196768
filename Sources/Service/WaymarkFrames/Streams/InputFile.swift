package import Glibc
import WaymarkSystem

/// Starts a program that plays an address, and opens what it writes.
package typealias OpenStream = @Sendable () throws(SourceError) -> InputFile

/// A file, or what a program writes, that is open for reading. Closed when the value ends, unless it is standard input; a program ends with it.
package struct InputFile: ~Copyable {
  let descriptor: CInt
  private let process: pid_t?

  /// Opens `path`; `-` is standard input.
  init(path: String) throws(SourceError) {
    let opened = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard opened >= 0 else { throw .cannotOpen(path, reason: systemMessage(errno)) }
    descriptor = opened
    process = nil
  }

  /// Takes over a socket.
  ///
  /// - Parameter process: the child that writes into it, if one was started for it.
  package init(owning descriptor: CInt, of process: pid_t? = nil) {
    self.descriptor = descriptor
    self.process = process
  }

  /// True if it is a plain file: one that has an end, and can be read again.
  var isPlain: Bool {
    var information = stat()
    return fstat(descriptor, &information) == 0 && information.st_mode & S_IFMT == S_IFREG
  }

  deinit {
    if descriptor != STDIN_FILENO { close(descriptor) }
    if let process {
      kill(process, SIGKILL)
      while waitpid(process, nil, 0) < 0, errno == EINTR {}
    }
  }
}
