package import WaymarkSystem

/// Why the gateway cannot start, or cannot go on.
package typealias GatewayError = Problem<GatewayErrorCode>

/// The codes of `GatewayError`.
package enum GatewayErrorCode: String, ProblemCode {
  /// The configuration has a fault.
  case badConfiguration
  /// A file that the configuration names cannot be read, or may be read by others.
  case cannotOpen
  /// An address cannot be listened on.
  case listen
  /// The folder in which events for webhooks wait cannot be used.
  case store
}
