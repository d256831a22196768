/// The names of a listener in `Host`.
package enum ListenAuthorities {
  /// The address itself and, on loopback, its usual names.
  package static func of(host: String, port: Int) -> Set<String> {
    let bracketed = host.contains(":") ? "[\(host)]" : host.lowercased()
    var hosts: Set = [bracketed]
    if isLoopback(host) { hosts.formUnion(["127.0.0.1", "localhost", "[::1]"]) }
    var result = Set(hosts.map { "\($0):\(port)" })
    if port == 80 { result.formUnion(hosts) }
    return result
  }

  /// Returns whether an address is reached from this device alone.
  package static func isLoopback(_ host: String) -> Bool {
    ["127.0.0.1", "::1", "[::1]", "localhost"].contains(host.lowercased())
  }
}
