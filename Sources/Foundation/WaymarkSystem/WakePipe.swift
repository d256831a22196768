import Glibc

/// Wakes a thread that waits in `poll`: a pipe that is readable from `wake` until `drain`.
package final class WakePipe: Sendable {
  /// The end to wait for; -1, which `poll` passes over, where no descriptors were left.
  package let descriptor: CInt
  private let writer: CInt

  /// A pipe with nothing in it.
  package init() {
    var ends: [CInt] = [-1, -1]
    if pipe(&ends) == 0 {
      for end in ends {
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
      }
    }
    descriptor = ends[0]
    writer = ends[1]
  }

  deinit {
    guard descriptor >= 0 else { return }
    close(descriptor)
    close(writer)
  }

  /// Makes it readable. A full pipe is readable already.
  package func wake() {
    var one: UInt8 = 1
    _ = write(writer, &one, 1)
  }

  /// Takes out what is in it, so that the next `wake` is seen.
  package func drain() {
    var bytes = [UInt8](repeating: 0, count: 1024)
    while read(descriptor, &bytes, bytes.count) == bytes.count {}
  }
}
