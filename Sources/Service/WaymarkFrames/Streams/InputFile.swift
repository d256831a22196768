package import Glibc
import WaymarkSystem

/// Starts a program that plays an address, and opens its output.
package typealias OpenStream = @Sendable () throws(SourceError) -> InputFile

/// An open file, or the output of a program. `deinit` closes it, unless it is standard input, and ends the program.
package struct InputFile: ~Copyable {
  let descriptor: CInt
  private let process: pid_t?

  /// Opens a path; `-` is standard input.
  ///
  /// - Throws: `cannotOpen` with the reason of open(2).
  init(path: String) throws(SourceError) {
    let opened = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard opened >= 0 else { throw .cannotOpen(path, reason: systemMessage(errno)) }
    descriptor = opened
    process = nil
  }

  /// Takes ownership of a socket.
  ///
  /// - Parameter process: the child process that writes into the socket, or `nil`.
  package init(owning descriptor: CInt, of process: pid_t? = nil) {
    self.descriptor = descriptor
    self.process = process
  }

  /// True for a regular file, which has an end and can be read again.
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
