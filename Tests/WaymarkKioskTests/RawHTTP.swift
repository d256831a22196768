import Foundation

/// A connection that sends exactly the bytes it is given: requests that no well-behaved client would send.
final class RawHTTP: Sendable {
  private let descriptor: Int32

  /// Connects to a port of 127.0.0.1. With a `window`, the system accepts about that many bytes beyond what is read, instead of up to
  /// `tcp_rmem`, which can be 32 MiB.
  init(port: Int, window: Int32? = nil) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    if var window { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &window, socklen_t(MemoryLayout<Int32>.size)) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw POSIXError(.ECONNREFUSED) }
    var patience = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  /// Lets this process have so many descriptors, where the system allows it.
  static func allowDescriptors(_ count: UInt) {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < count else { return }
    limit.rlim_cur = min(rlim_t(count), limit.rlim_max)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  /// Waits until so many of the connections, to which nothing is ever sent, have been ended by the other side; says how many.
  static func ended(_ count: Int, of connections: [RawHTTP]) -> Int {
    var waiting = connections.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    let deadline = Date(timeIntervalSinceNow: 60)
    while connections.count - waiting.count < count, Date() < deadline {
      guard poll(&waiting, nfds_t(waiting.count), 1000) >= 0 else { break }
      waiting.removeAll { $0.revents != 0 }
    }
    return connections.count - waiting.count
  }

  /// Sends all bytes; what the other side no longer takes is dropped, and `false` returned.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let n = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if n <= 0 { return false }
      sent += n
    }
    return true
  }

  /// Makes the end of this connection a reset, which drops what is still on its way.
  func endAbruptly() {
    var now = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
  }

  /// Sends text.
  @discardableResult
  func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// Reads until `enough` is satisfied or the other side closes.
  func receive(until enough: (String) -> Bool = { _ in false }) -> String {
    var received: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65536)
    while true {
      let n = recv(descriptor, &chunk, chunk.count, 0)
      if n <= 0 { break }
      received += chunk[..<n]
      if enough(String(decoding: received, as: UTF8.self)) { break }
    }
    return String(decoding: received, as: UTF8.self)
  }
}
