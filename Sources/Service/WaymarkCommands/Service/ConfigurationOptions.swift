package import ArgumentParser
import Foundation
import WaymarkServer
package import WaymarkService

/// Where the configuration and the socket are.
package struct ConfigurationOptions: ParsableArguments {
  @Option(help: "The configuration file (else $WAYMARK_CONFIG, else the default place).")
  package var config: String?

  @Option(help: "The socket (else $WAYMARK_SOCKET, else the default place).")
  package var socket: String?

  package init() {}

  /// A loader with further flags.
  package func loader(flags: [String: String] = [:]) -> ConfigurationLoader {
    var flags = flags
    flags["socket.path"] = socket
    let environment = ProcessInfo.processInfo.environment
    return ConfigurationLoader(
      named: config, environment: environment, flags: flags, isSystem: SocketPath.isSystem(environment: environment),
      schema: Program.current.schema)
  }
}

/// The socket that a client connects to.
package struct SocketOptions: ParsableArguments {
  @Option(help: "The socket (else $WAYMARK_SOCKET, else the default place).")
  package var socket: String?

  package init() {}

  /// Where it is: what was named, else the user's own service when there is one, else the system's.
  package var path: String {
    if let socket { return socket }
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
