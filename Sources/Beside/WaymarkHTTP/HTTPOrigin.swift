/// An origin as browsers name it: a page that may send requests, or what a proxy before a server is called.
package struct HTTPOrigin: Hashable, Sendable {
  /// True if the way to whoever answers there is encrypted.
  package let isSecure: Bool
  /// `host`, or `host:port` where the port is not the scheme's own, in lower case: as browsers write `Host`.
  package let authority: String

  /// As browsers write `Origin` (RFC 6454, section 6.2).
  package var text: String { (isSecure ? "https://" : "http://") + authority }

  /// An origin from `http` or `https`, a host and perhaps a port; `nil` when it is anything else, or anything more.
  package init?(_ text: String) {
    guard let match = text.lowercased().wholeMatch(of: #/(https?)://([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::([0-9]{1,5}))?/#)
    else { return nil }
    isSecure = match.1 == "https"
    guard let digits = match.3 else {
      authority = String(match.2)
      return
    }
    guard let port = UInt16(digits), port > 0 else { return nil }
    authority = port == (isSecure ? 443 : 80) ? String(match.2) : "\(match.2):\(port)"
  }
}
