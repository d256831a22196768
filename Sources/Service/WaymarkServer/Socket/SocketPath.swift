import Glibc

/// Where the socket is.
package enum SocketPath {
  /// The place of the system's service.
  package static let system = "/run/waymark/waymark.sock"

  /// The place that holds without `--socket`: `$WAYMARK_SOCKET`, else the system's for root and for the service's own
  /// user, else the user's own.
  ///
  /// - Parameters:
  ///   - environment: the process's environment.
  ///   - isSystem: whether this is the system's service, or root.
  package static func standard(environment: [String: String], isSystem: Bool) -> String {
    if let path = environment["WAYMARK_SOCKET"], !path.isEmpty { return path }
    if !isSystem, let folder = environment["XDG_RUNTIME_DIR"], !folder.isEmpty {
      return folder + "/waymark/waymark.sock"
    }
    return system
  }

  /// Returns whether this process runs for the system: root, or a user whose runtime folder systemd made for the unit.
  package static func isSystem(environment: [String: String]) -> Bool {
    if let folder = environment["RUNTIME_DIRECTORY"], folder.hasPrefix("/run/user/") { return false }
    return getuid() == 0 || environment["RUNTIME_DIRECTORY"] == "/run/waymark"
  }
}
