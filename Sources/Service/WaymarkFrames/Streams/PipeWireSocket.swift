import Glibc
import WaymarkSystem

/// The socket of the PipeWire daemon of a person's session, or of the system's.
package enum PipeWireSocket {
  /// The variables of the environment that say where it is.
  package static let variables = ["XDG_RUNTIME_DIR", "PIPEWIRE_RUNTIME_DIR", "PIPEWIRE_REMOTE"]

  /// Where it may be, first those of the session, as PipeWire's own clients look for it (pipewire(1), section "Environment variables").
  package static func paths(_ environment: [String: String]) -> [String] {
    func value(_ key: String) -> String? { environment[key].flatMap { $0.isEmpty ? nil : $0 } }
    let name = value("PIPEWIRE_REMOTE") ?? "pipewire-0"
    guard !name.hasPrefix("/") else { return [name] }
    let folders = [value("PIPEWIRE_RUNTIME_DIR") ?? value("XDG_RUNTIME_DIR"), "/run/pipewire"].compactMap { $0 }
    return folders.map { "\($0)/\(name)" }
  }

  /// A connection with the first that takes one; nil where none does.
  package static func connect(_ environment: [String: String]) -> Int32? {
    for case let address? in paths(environment).map({ SocketFile.address($0) }) {
      let connection = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      guard connection >= 0 else { return nil }
      if SocketFile.connect(connection, to: address) { return connection }
      close(connection)
    }
    return nil
  }
}
