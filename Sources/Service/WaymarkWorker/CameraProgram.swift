import CSandbox
import Glibc
package import WaymarkFrames
import WaymarkSystem

/// Finds programs of other packages that this program starts. `CameraProgram` below is the interface to one of these programs,
/// `waymark-cameras`.
package enum CompanionProgram {
  /// Returns the path of a program: in the folder of this executable, or in `/usr/bin`; nil if the program is not installed.
  package static func path(_ name: String) -> String? {
    var candidates = ["/usr/bin/\(name)"]
    if let own = ChildProgram.ownPath, let slash = own.lastIndex(of: "/") {
      candidates.insert(own[...slash] + name, at: 0)
    }
    return candidates.first { access($0, X_OK) == 0 }
  }
}

// MARK: - waymark-cameras

/// The interface to the program `waymark-cameras`, which plays addresses as Y4M.
package enum CameraProgram {
  private static let name = "waymark-cameras"
  /// Returns the path of the socket by which systemd starts `waymark-cameras` (socket activation), because the service itself has
  /// neither network nor the devices of libcamera; nil for screens and PipeWire, which only programs of the user's session can
  /// reach.
  private static func socket(for scheme: StreamAddress.Scheme) -> String? {
    switch scheme {
    case .rtsp, .http, .https: "/run/waymark-cameras.sock"
    case .libcamera: "/run/waymark-cameras-devices.sock"
    case .screen, .pipewire: nil
    }
  }

  /// Plays an address with the `waymark-cameras` that systemd starts or, if its socket refuses the connection, with a child
  /// process. The address is sent through a socket, never as an argument.
  ///
  /// - Parameters:
  ///   - executable: the path of the program; nil for the installed program.
  ///   - socket: the path of the socket; nil for systemd's socket.
  ///   - known: the environment variables of the program.
  ///   - missingPackages: returns the packages that an address requires and that are not installed.
  /// - Throws: `cameraProgramMissing` with the missing packages, or with the reason why the program cannot be started; `cannotOpen` if
  ///   PipeWire does not answer.
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
      // PipeWire is tried here, since the program cannot report why it fails.
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
    // The line fits into the buffer of the socket.
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
