public import WaymarkSystem

/// An entry of the list of allowed hosts: `example.com`, `*.example.com` (one or more labels in front, never `example.com` itself),
/// or an IP address. An entry with a port at its end allows only this port.
public struct HostPattern: Sendable, Hashable, CustomStringConvertible {
  private let host: HostName
  private let isWildcard: Bool
  private let port: UInt16?

  /// Reads an entry.
  ///
  /// - Throws: `badPolicy` if host or port are invalid, or if `*.` precedes an IP address.
  public init(_ text: String) throws(OnboardingError) {
    isWildcard = text.hasPrefix("*.")
    let (host, port) = WebAddress.split(isWildcard ? String(text.dropFirst(2)) : text)
    switch host {
    case .success(let host):
      guard !(host.isAddress && isWildcard) else { throw Self.error(text, "an address has no subdomains") }
      self.host = host
      self.port = port
    case .failure(let problem): throw Self.error(text, problem.message)
    }
  }

  private static func error(_ text: String, _ problem: String) -> OnboardingError {
    OnboardingError(
      .badPolicy, "\"\(DisplayText.escaped(text, limit: 80))\" is not a valid host pattern: \(problem)",
      hint: "Write a host such as example.com, *.example.com or example.com:8443, without https:// or a path.")
  }

  /// Returns whether the entry allows this host on this port.
  package func matches(_ other: HostName, port otherPort: UInt16) -> Bool {
    if let port, port != otherPort { return false }
    if !isWildcard { return other == host }
    return !other.isAddress && other.ascii.hasSuffix("." + host.ascii)
  }

  /// Returns whether the entry allows that host on some port.
  func matches(_ other: HostName) -> Bool { matches(other, port: port ?? 443) }

  /// Returns whether a host differs from the entry in at most two letters. A wildcard is compared with as many of the host's last
  /// labels as it has after `*.`.
  func isNear(_ other: HostName) -> Bool {
    guard !host.isAddress, !other.isAddress else { return false }
    let labels = host.ascii.count { $0 == "." } + 1
    let below = other.ascii.split(separator: ".").suffix(labels).joined(separator: ".")
    return NearestWord.distance(isWildcard ? below : other.ascii, host.ascii) <= 2
  }

  /// Returns whether the entry is exactly this host, without a wildcard.
  func isExactly(_ other: HostName) -> Bool { !isWildcard && other == host }

  /// Returns whether the entry is a wildcard for the hosts below this host.
  func isBelow(_ other: HostName) -> Bool { isWildcard && other == host }

  /// The entry, with its host in canonical form (`HostName.ascii`).
  public var description: String { (isWildcard ? "*." : "") + host.ascii + (port.map { ":\($0)" } ?? "") }
}
