package import ArgumentParser
import FoundationEssentials
package import WaymarkService
import WaymarkSystem

/// The option for the socket that a client connects to.
package struct SocketOptions: ParsableArguments {
  @Option(help: "The socket (else $WAYMARK_SOCKET, else the default place).")
  package var socket: String?

  package init() {}

  package var path: String { Self.path(socket) }

  /// Returns the named path, else that in the environment, else that of the user's own service; that of the system's
  /// service if only its socket exists.
  static func path(_ named: String?) -> String {
    if let named { return named }
    let environment = ProcessInfo.processInfo.environment
    let own = SocketPath.standard(environment: environment, isSystem: SocketPath.isSystem(environment: environment))
    if own != SocketPath.system, environment["WAYMARK_SOCKET"] == nil, !FileManager.default.fileExists(atPath: own),
      FileManager.default.fileExists(atPath: SocketPath.system)
    {
      return SocketPath.system
    }
    return own
  }
}

/// The options for the configuration file and the socket.
package struct ConfigurationOptions: ParsableArguments {
  @Option(help: "The configuration file (else $WAYMARK_CONFIG, else the default place).")
  package var config: String?

  @Option(help: "The socket (else $WAYMARK_SOCKET, else the default place).")
  package var socket: String?

  package init() {}

  /// Returns a loader of the configuration.
  ///
  /// - Parameter flags: values of the command line by their keys, in addition to `socket.path`.
  package func loader(flags: [String: String] = [:]) -> ConfigurationLoader {
    var flags = flags
    flags["socket.path"] = socket
    let environment = ProcessInfo.processInfo.environment
    return ConfigurationLoader(
      named: config, environment: environment, flags: flags, isSystem: SocketPath.isSystem(environment: environment),
      schema: Program.current.schema)
  }
}
