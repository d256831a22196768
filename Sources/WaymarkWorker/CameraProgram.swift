import CSandbox
import Glibc
package import WaymarkFrames
import WaymarkSystem

/// The interface to the program `waymark-cameras`, which plays addresses as Y4M.
package enum CameraProgram {
  private static let name = "waymark-cameras"
  /// Where systemd starts one for each connection: a service without network of its own has it played by another.
  private static let socket = "/run/waymark-cameras.sock"

  /// Has an address played, by the system's program, else by one that is started. The address passes through a socket, never as an argument.
  ///
  /// - Parameters:
  ///   - executable: the program, where it is not the installed one.
  ///   - socket: the system's socket.
  /// - Throws: what is to be installed, or why it cannot be started.
  package static func open(
    _ address: StreamAddress, executable: String? = nil, socket: String = CameraProgram.socket
  ) throws(SourceError) -> InputFile {
    if let connection = connect(to: socket) {
      let input = InputFile(owning: connection)
      try send(address, connection)
      return input
    }
    guard let program = executable ?? CompanionProgram.path(name) else {
      throw .noCameraProgram(address.display, reason: "the package \(name) is not installed")
    }
    var (process, channel): (pid_t, CInt) = (0, -1)
    let words = [name, "stream"]
    let variables = ["DISPLAY", "XAUTHORITY", "HOME"].compactMap { (key: String) -> String? in
      getenv(key).map { "\(key)=\(String(cString: $0))" }
    }
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { (word: String) in strdup(word) } + [nil]
    var environment: [UnsafeMutablePointer<CChar>?] = variables.map { (variable: String) in strdup(variable) } + [nil]
    defer { for text in arguments + environment { free(text) } }
    let result = csandbox_start(program, &arguments, &environment, &process, &channel)
    guard result == 0 else {
      throw .noCameraProgram(address.display, reason: "\(program) cannot be started: \(systemMessage(result))")
    }
    let input = InputFile(owning: channel, of: process)
    try send(address, channel)
    return input
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
