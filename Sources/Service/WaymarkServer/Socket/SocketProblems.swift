import WaymarkSystem

extension Problem where Kind == ServiceProblemCode {
  /// Another service listens there.
  static func alreadyRunning(_ path: String) -> Self {
    Self(
      code: "alreadyRunning", message: "A service already listens on \(path).",
      hint: "Stop it, or give this one another place: --socket PATH.")
  }

  /// The path leads to no socket.
  static func notASocket(_ path: String) -> Self {
    Self(
      code: "notASocket", message: "\(path) exists and is not a socket.",
      hint: "Remove it if it is not needed, or choose another place: --socket PATH.")
  }

  /// The socket cannot be made.
  static func cannotListen(_ path: String, _ reason: String) -> Self {
    Self(
      code: "cannotListen", message: "The socket \(path) cannot be made: \(reason).",
      hint: "Check that the folder exists and that this user may write in it.")
  }

  /// `sun_path` holds 107 bytes.
  static func pathTooLong(_ path: String) -> Self {
    Self(
      code: "pathTooLong", message: "The socket's path is longer than the 107 bytes that the system allows: \(path).",
      hint: "Choose a shorter one: --socket PATH.")
  }
}
