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

  /// Returns the named path, or else the path in the environment, or else the path of the user's own service. If only the socket of
  /// the system's service exists, returns its path instead.
  static func path(_ named: String?) -> String {
    named ?? SocketPath.forClient(environment: ProcessInfo.processInfo.environment)
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
