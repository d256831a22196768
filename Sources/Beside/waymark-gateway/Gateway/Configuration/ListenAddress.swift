import WaymarkHTTP

/// An address that the gateway listens on.
package enum ListenAddress: Hashable, Sendable {
  /// A Unix socket: whoever may open the file may speak.
  case socket(path: String)
  /// A port of the network.
  case network(host: String, port: Int)

  /// An address from a path, or from `HOST:PORT`; `nil` when it is neither.
  package init?(_ text: String) {
    if text.hasPrefix("/") {
      // The size of sun_path, with its end.
      guard text.utf8.count < 108 else { return nil }
      self = .socket(path: text)
      return
    }
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else { return nil }
    var host = String(text[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "/") }) else { return nil }
    self = .network(host: host, port: Int(port))
  }

  /// As a person writes it.
  package var text: String {
    switch self {
    case .socket(let path): path
    case .network(let host, let port): (host.contains(":") ? "[\(host)]" : host) + ":\(port)"
    }
  }

  /// True if it is reached from other devices.
  var leavesDevice: Bool {
    if case .network(let host, _) = self { !ListenAuthorities.isLoopback(host) } else { false }
  }
}
