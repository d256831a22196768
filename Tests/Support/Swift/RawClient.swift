import Foundation
import Glibc
import WaymarkProtocol
import WaymarkSystem

/// A client that sends and reads bytes as they are.
///
/// `@unchecked`: at most one thread reads, to which the buffer belongs, and one sends, which needs only the descriptor.
final class RawClient: @unchecked Sendable {
  let descriptor: CInt
  private var buffer: [UInt8] = []
  private var start = 0

  init(_ path: String, waits: Bool = true) throws {
    descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    if !waits { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
    defer { if !waits { _ = fcntl(descriptor, F_SETFL, 0) } }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else {
      let reason = errno
      close(descriptor)
      throw TestFailure("connect: \(reason)")
    }
    // Only a test that fails waits that long; under a sanitizer everything takes ten times its time.
    var time = timeval(tv_sec: 180, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  func send(_ text: String) throws { try send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress! + sent, bytes.count - sent, CInt(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw TestFailure("send: \(errno)") }
      sent += count
    }
  }

  /// Sends as much as goes without waiting; says how much that was.
  func offer(_ bytes: [UInt8]) -> Int {
    bytes.withUnsafeBytes {
      Glibc.send(descriptor, $0.baseAddress!, bytes.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT))
    }
  }

  func shutdownSending() { _ = shutdown(descriptor, CInt(SHUT_WR)) }

  private func fill() throws -> Bool {
    if start > 0 {
      buffer.removeFirst(start)
      start = 0
    }
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    let count = recv(descriptor, &chunk, chunk.count, 0)
    if count < 0, errno == ECONNRESET { return false }
    guard count >= 0 else { throw TestFailure("recv: \(errno)") }
    buffer += chunk[..<count]
    return count > 0
  }

  /// The next line; `nil` at the end of the connection.
  func line() throws -> String? {
    var scanned = start
    while true {
      if let end = buffer[scanned...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { start = end + 1 }
        return String(decoding: buffer[start..<end], as: UTF8.self)
      }
      scanned = buffer.count - start
      guard try fill() else { return nil }
    }
  }

  /// The next line as JSON.
  func next() throws -> JSONValue {
    guard let line = try line() else { throw TestFailure("the connection ended") }
    return try JSONParser.parse(Array(line.utf8))
  }

  /// Reads `count` bytes of any content.
  func bytes(_ count: Int) throws -> [UInt8] {
    while buffer.count - start < count {
      guard try fill() else { throw TestFailure("the connection ended") }
    }
    defer { start += count }
    return Array(buffer[start..<start + count])
  }

  /// Sends a request and gives the next line that answers it; events in between are skipped.
  func ask(_ method: String, _ params: String = "{}", id: Int = 1) throws -> JSONValue {
    try send("{\"id\":\(id),\"method\":\"\(method)\",\"params\":\(params)}\n")
    while true {
      let value = try next()
      // The answer to what was sent before may still be on its way; to what makes no sense it has no id.
      if value["event"] == nil, (value["id"]?.int ?? id) == id { return value }
    }
  }

  /// The next event of that name; other lines are skipped.
  func event(_ name: String) throws -> JSONValue {
    while true {
      let value = try next()
      if value["event"]?.string == name { return value }
    }
  }

  /// Reads to the end of the connection.
  func rest() throws -> [String] {
    var lines: [String] = []
    while let line = try line() { lines.append(line) }
    return lines
  }
}

extension TestService {
  /// A client that has read the greeting.
  ///
  /// - Parameter parameters: of a subscription; nil: without one.
  func client(subscribing parameters: String? = nil) throws -> RawClient {
    let client = try RawClient(path)
    _ = try client.next()
    if let parameters { _ = try client.ask("subscribe", parameters) }
    return client
  }
}
