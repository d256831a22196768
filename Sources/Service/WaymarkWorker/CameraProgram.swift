import CSandbox
import Glibc
package import WaymarkFrames
import WaymarkSystem

/// The interface to the program `waymark-cameras`, which plays addresses as Y4M.
package enum CameraProgram {
  private static let name = "waymark-cameras"
  /// The sockets for which systemd starts one for each connection: a service without network, and without the devices of libcamera, has
  /// them played by another. The session of a person is out of the system's reach.
  private static func socket(for scheme: StreamAddress.Scheme) -> String? {
    switch scheme {
    case .rtsp, .http, .https: "/run/waymark-cameras.sock"
    case .libcamera: "/run/waymark-cameras-devices.sock"
    case .screen, .pipewire: nil
    }
  }

  /// Has an address played, by the system's program, else by one that is started. The address passes through a socket, never as an argument.
  ///
  /// - Parameters:
  ///   - executable: the program, where it is not the installed one.
  ///   - socket: the system's socket, where it is not the installed one.
  ///   - known: what the program is handed of the environment.
  ///   - missingPackages: those that the address takes and that are not there.
  /// - Throws: what is to be installed, or why it cannot be started.
  package static func open(
    _ address: StreamAddress, executable: String? = nil, socket: String? = nil,
    environment known: [String: String] = StreamProgram.environment,
    missingPackages: (StreamAddress) -> [String] = { StreamProgram.missingPackages(for: $0) }
  ) throws(SourceError) -> InputFile {
    if let socket = socket ?? Self.socket(for: address.scheme), let connection = connect(to: socket) {
      let input = InputFile(owning: connection)
      try require(missingPackages(address), for: address)
      try send(address, connection)
      return input
    }
    guard let program = executable ?? CompanionProgram.path(name) else {
      throw .noCameraProgram(address.display, reason: "the package \(name) is not installed")
    }
    try require(missingPackages(address), for: address)
    if address.scheme == .pipewire {
      // Tried here, where it can be told: all that is heard of the program is that its stream ends.
      guard let connection = PipeWireSocket.connect(known) else {
        throw .noPipeWire(address.display, path: PipeWireSocket.paths(known)[0])
      }
      close(connection)
    }
    var (process, channel): (pid_t, CInt) = (0, -1)
    let words = [name, "stream"]
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { (word: String) in strdup(word) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] = known.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in arguments + variables { free(text) } }
    let result = csandbox_start(program, &arguments, &variables, &process, &channel)
    guard result == 0 else {
      throw .noCameraProgram(address.display, reason: "\(program) cannot be started: \(systemMessage(result))")
    }
    let input = InputFile(owning: channel, of: process)
    try send(address, channel)
    return input
  }

  private static func require(_ missing: [String], for address: StreamAddress) throws(SourceError) {
    guard missing.isEmpty else {
      let reason =
        missing.count == 1
        ? "the package \(missing[0]) is not installed"
        : "the packages \(missing.joined(separator: ", ")) are not installed"
      throw .noCameraProgram(address.display, reason: reason, packages: missing)
    }
  }

  private static func send(_ address: StreamAddress, _ channel: CInt) throws(SourceError) {
    let line = Array("\(address.secret)\n".utf8)
    // It fits into the socket, whose other end reads it first of all.
    guard Glibc.send(channel, line, line.count, CInt(MSG_NOSIGNAL | MSG_DONTWAIT)) == line.count else {
      throw .noCameraProgram(address.display, reason: "\(name) does not take it: \(systemMessage(errno))")
    }
  }

  private static func connect(to path: String) -> CInt? {
    guard let address = SocketFile.address(path) else { return nil }
    let connection = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard connection >= 0 else { return nil }
    guard SocketFile.connect(connection, to: address) else {
      close(connection)
      return nil
    }
    return connection
  }
}
