import Foundation

/// A Unix socket on which a test plays another program.
final class FakeListener: Sendable {
  let path: String
  private let descriptor: Int32

  init(ending: String = "sock") throws {
    path = "/tmp/wm-\(UUID().uuidString.prefix(8)).\(ending)"
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = path
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0, listen(descriptor, 8) == 0 else { throw POSIXError(.EADDRINUSE) }
  }

  deinit {
    close(descriptor)
    unlink(path)
  }

  /// Waits for the next client, at most 20 seconds.
  func next() throws -> Int32 {
    var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&ready, 1, 20_000) == 1 else { throw POSIXError(.ETIMEDOUT) }
    return accept(descriptor, nil, nil)
  }
}
