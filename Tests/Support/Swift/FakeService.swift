import Foundation

/// A service's socket that says what a test lets it say.
final class FakeService: Sendable {
  private let listener: FakeListener

  init() throws { listener = try FakeListener() }

  var path: String { listener.path }

  /// Waits for the next client, greets it and answers its subscription.
  func subscriber() throws -> Link {
    let link = Link(try listener.next())
    link.send(try Self.fixture("events.ndjson", beginning: #"{"event":"hello""#))
    try link.answer(Self.fixture("results.txt", beginning: "subscribe "))
    return link
  }

  /// Returns the text behind a word in a line of the protocol's fixtures; the whole line where it begins an object.
  static func fixture(_ file: String, beginning word: String) throws -> String {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../Fixtures/Protocol/\(file)").standardizedFileURL.path
    let text = try String(contentsOfFile: path, encoding: .utf8)
    guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(word) }) else { throw POSIXError(.ENOENT) }
    return String(line.hasPrefix("{") ? line : line.dropFirst(word.count))
  }

  /// A client's connection.
  final class Link: Sendable {
    private let descriptor: Int32

    init(_ descriptor: Int32) {
      self.descriptor = descriptor
      var patience = timeval(tv_sec: 20, tv_usec: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Sends a line.
    func send(_ line: String) {
      let bytes = Array((line + "\n").utf8)
      _ = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// The next request; `nil` at the end.
    func request() -> [String: Any]? {
      var line: [UInt8] = []
      var byte: UInt8 = 0
      while recv(descriptor, &byte, 1, 0) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
      return try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
    }

    /// Waits for a request and answers it; says which method it asked for.
    @discardableResult
    func answer(_ result: String) throws -> String {
      guard let request = request(), let id = request["id"] as? Int, let method = request["method"] as? String else {
        throw POSIXError(.ECONNRESET)
      }
      send(#"{"id":\#(id),"result":\#(result)}"#)
      return method
    }

    /// Waits for the other side to close; `false` when it does not, or says something more.
    func hasEnded() -> Bool {
      var byte: UInt8 = 0
      let count = recv(descriptor, &byte, 1, 0)
      return count == 0 || (count < 0 && errno == ECONNRESET)
    }
  }
}
