package import WaymarkSystem

/// Why a text names no host, or an address no host that can be trusted to be the one that is meant.
package typealias HostError = Problem<HostErrorCode>

/// The codes of `HostError`.
package enum HostErrorCode: String, ProblemCode {
  /// It cannot be compared with the hosts of a policy.
  case badHost
}

extension Problem where Kind == HostErrorCode {
  init(_ message: String) {
    self.init(.badHost, message, hint: "Write the host as a name or an address, with a port behind a colon at most.")
  }
}
