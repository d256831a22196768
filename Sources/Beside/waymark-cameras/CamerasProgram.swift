import CSandbox
import Glibc
import WaymarkFrames

/// The program that converts the stream at a camera's address to Y4M. `waymark` starts it, or systemd for each connection. It reads the
/// address from its standard input, a socket, enters a sandbox, and is replaced by ffmpeg or, for cameras of this computer, GStreamer,
/// which writes to the same socket.
@main
enum CamerasProgram {
  /// The memory in bytes that ffmpeg or GStreamer may take, enough for 4K pictures in several threads.
  private static let memoryLimit: UInt64 = 2 << 30
  /// The descriptor from which ffmpeg reads its script, or over which GStreamer uses PipeWire.
  private static let givenDescriptor: CInt = 3
  /// The seconds without a byte after which reading the address ends.
  private static let patience: Int32 = 10

  static func main() {
    guard CommandLine.arguments.dropFirst().elementsEqual(["stream"]) else {
      let words = Array("waymark-cameras is started by waymark; see source.path in its configuration\n".utf8)
      _ = write(STDERR_FILENO, words, words.count)
      exit(64)
    }
    guard let line = readLine(), let address = StreamAddress(line) else { exit(65) }
    let program = StreamProgram(address.scheme).path
    guard access(program, X_OK) == 0 else { exit(69) }
    guard prepareDescriptors() else { exit(71) }
    var known = StreamProgram.environment
    let arguments: [String]
    if let camera = address.camera {
      if address.scheme == .pipewire {
        // The connection is passed on, so that GStreamer need not open sockets.
        guard let connection = PipeWireSocket.connect(known), hand(connection) else { exit(69) }
      }
      let pipeline = GStreamerPipeline(
        camera, scheme: address.scheme, folder: StreamProgram.pluginFolder, connection: givenDescriptor)
      (arguments, known) = (pipeline.arguments, pipeline.environment)
    } else {
      let plan = StreamScript(address, descriptor: givenDescriptor, display: known["DISPLAY"] ?? ":0")
      if let script = plan.script {
        guard let end = readable(script), hand(end) else { exit(71) }
      }
      arguments = plan.arguments
      for key in PipeWireSocket.variables { known[key] = nil }
    }
    let cookie = address.scheme == .screen ? [known["XAUTHORITY"] ?? "\(known["HOME"] ?? "")/.Xauthority"] : []
    guard confine(program, StreamConfinement(address.scheme), adding: cookie) else { exit(71) }
    var words = ([String(program.split(separator: "/").last ?? "")] + arguments).map { strdup($0) } + [nil]
    var variables = known.map { strdup("\($0.key)=\($0.value)") } + [strdup("LC_ALL=C.UTF-8"), nil]
    execve(program, &words, &variables)
    exit(71)
  }

  /// Restricts the process to the given rights; returns false if that fails.
  ///
  /// - Parameter paths: further paths that may be read.
  private static func confine(_ program: String, _ rights: StreamConfinement, adding paths: [String]) -> Bool {
    func pointers(_ texts: [String]) -> [UnsafePointer<CChar>?] { texts.map { UnsafePointer(strdup($0)) } + [nil] }
    var readable = pointers(rights.readable + paths)
    var devices = pointers(rights.devices.flatMap(files))
    let families = rights.families.reduce(UInt64(0)) { $0 | 1 << UInt64($1) }
    return csandbox_confine(program, &readable, &devices, families, memoryLimit, rights.sharesMemory) == 0
  }

  /// Returns the paths that match a pattern.
  private static func files(_ pattern: String) -> [String] {
    var found = glob_t()
    defer { globfree(&found) }
    guard glob(pattern, 0, nil, &found) == 0 else { return [] }
    return (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
  }

  /// Reads the line with the address; nil if it does not arrive.
  private static func readLine() -> String? {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    var waiting = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    // Read byte by byte, as this program must not read beyond the line.
    while bytes.count <= StreamAddress.byteLimit, poll(&waiting, 1, patience * 1000) > 0 {
      guard read(STDIN_FILENO, &byte, 1) == 1 else { return nil }
      if byte == 0x0A { return String(validating: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
    return nil
  }

  /// Makes the connection the standard output, and /dev/null the other standard streams.
  private static func prepareDescriptors() -> Bool {
    guard dup2(STDIN_FILENO, STDOUT_FILENO) >= 0 else { return false }
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    return null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(null, STDERR_FILENO) >= 0
  }

  /// Returns a descriptor from which the text can be read; nil on failure.
  private static func readable(_ text: String) -> CInt? {
    var ends: [CInt] = [-1, -1]
    guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else { return nil }
    let bytes = Array(text.utf8)
    // The text fits the socket's buffer, and ends because this end is shut down.
    return write(ends[1], bytes, bytes.count) == bytes.count && shutdown(ends[1], CInt(SHUT_WR)) == 0 ? ends[0] : nil
  }

  /// Duplicates a descriptor to `givenDescriptor`, which the next program inherits.
  private static func hand(_ descriptor: CInt) -> Bool {
    descriptor == givenDescriptor ? fcntl(descriptor, F_SETFD, 0) == 0 : dup2(descriptor, givenDescriptor) >= 0
  }
}
