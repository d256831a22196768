import WaymarkHTTP

/// The address of a webhook, taken apart.
package struct WebhookAddress: Hashable, Sendable {
  /// True if it is encrypted.
  package let isSecure: Bool
  /// The host as it is looked up.
  package let host: String
  /// The port.
  package let port: Int
  /// `Host` of a request.
  package let authority: String
  /// The path with its query.
  package let target: String

  /// An address from `https://host[:port][/path]`; `http` only for this device; `nil` when it is anything else.
  package init?(_ text: String) {
    guard
      let match = text.wholeMatch(
        of: #/(https?)://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?((?:/|\?)[!-~]*)?/#),
      text.utf8.count <= 1024
    else { return nil }
    isSecure = match.1 == "https"
    host = match.2.hasPrefix("[") ? String(match.2.dropFirst().dropLast()) : match.2.lowercased()
    guard isSecure || ListenAuthorities.isLoopback(host) else { return nil }
    let standard = isSecure ? 443 : 80
    let given = match.3.flatMap { UInt16($0) }
    guard match.3 == nil || (given ?? 0) > 0 else { return nil }
    port = given.map(Int.init) ?? standard
    authority = String(match.2).lowercased() + (port == standard ? "" : ":\(port)")
    let rest = match.4.map(String.init) ?? "/"
    guard !rest.contains("#") else { return nil }
    target = rest.hasPrefix("?") ? "/" + rest : rest
  }
}
