package import WaymarkSystem

/// Why the bridge cannot start, or cannot go on.
package typealias BridgeError = Problem<BridgeErrorCode>

/// The codes of `BridgeError`.
package enum BridgeErrorCode: String, ProblemCode {
  /// The configuration has a fault.
  case badConfiguration
  /// The store cannot be opened, or belongs to another bridge that runs.
  case store
  /// The MQTT library is not installed, or too old.
  case noLibrary
  /// A file that the configuration names cannot be read, or may be read by others.
  case cannotOpen
}
