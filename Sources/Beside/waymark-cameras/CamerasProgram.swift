import CSandbox
import Glibc
import WaymarkFrames

/// The program that plays the address of a camera as Y4M: started by `waymark` or, for a connection, by systemd. It reads the address from its
/// standard input, confines itself, and becomes ffmpeg or, for cameras of this computer, GStreamer, which writes there.
@main
enum CamerasProgram {
  /// The memory that it may take then, in bytes: pictures of 4K in several threads.
  private static let memoryLimit: UInt64 = 2 << 30
  /// Where it finds its script, or its connection with PipeWire.
  private static let givenDescriptor: CInt = 3
  /// Seconds in which the address has to come.
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
        // Handed over, so that it needs no sockets of its own.
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
    guard confine(program, StreamConfinement(address.scheme), besides: cookie) else { exit(71) }
    var words = ([String(program.split(separator: "/").last ?? "")] + arguments).map { strdup($0) } + [nil]
    var variables = known.map { strdup("\($0.key)=\($0.value)") } + [strdup("LC_ALL=C.UTF-8"), nil]
    execve(program, &words, &variables)
    exit(71)
  }

  /// Gives up everything but these rights; false where that is impossible.
  ///
  /// - Parameter paths: further ones that it reads.
  private static func confine(_ program: String, _ rights: StreamConfinement, besides paths: [String]) -> Bool {
    func pointers(_ texts: [String]) -> [UnsafePointer<CChar>?] { texts.map { UnsafePointer(strdup($0)) } + [nil] }
    var readable = pointers(rights.readable + paths)
    var devices = pointers(rights.devices.flatMap(files))
    let families = rights.families.reduce(UInt64(0)) { $0 | 1 << UInt64($1) }
    return csandbox_confine(program, &readable, &devices, families, memoryLimit, rights.sharesMemory) == 0
  }

  /// The files that a pattern names.
  private static func files(_ pattern: String) -> [String] {
    var found = glob_t()
    defer { globfree(&found) }
    guard glob(pattern, 0, nil, &found) == 0 else { return [] }
    return (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
  }

  /// The line that says what to play; nil where none comes.
  private static func readLine() -> String? {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    var waiting = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    // Byte by byte: what follows is not for this program.
    while bytes.count <= StreamAddress.byteLimit, poll(&waiting, 1, patience * 1000) > 0 {
      guard read(STDIN_FILENO, &byte, 1) == 1 else { return nil }
      if byte == 0x0A { return String(validating: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
    return nil
  }

  /// The connection becomes standard output, and the rest is /dev/null.
  private static func prepareDescriptors() -> Bool {
    guard dup2(STDIN_FILENO, STDOUT_FILENO) >= 0 else { return false }
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    return null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(null, STDERR_FILENO) >= 0
  }

  /// A descriptor from which a text can be read; nil where there is none.
  private static func readable(_ text: String) -> CInt? {
    var ends: [CInt] = [-1, -1]
    guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else { return nil }
    let bytes = Array(text.utf8)
    // It fits, and ends with the end that is closed here.
    return write(ends[1], bytes, bytes.count) == bytes.count && shutdown(ends[1], CInt(SHUT_WR)) == 0 ? ends[0] : nil
  }

  /// Makes a descriptor the fourth, which the next program keeps.
  private static func hand(_ descriptor: CInt) -> Bool {
    descriptor == givenDescriptor ? fcntl(descriptor, F_SETFD, 0) == 0 : dup2(descriptor, givenDescriptor) >= 0
  }
}
