import CSandbox
import Glibc
import WaymarkFrames

/// The program that plays the address of a camera as Y4M: started by `waymark` or, for a connection, by systemd. It reads the address from its
/// standard input, confines itself, and becomes ffmpeg, which writes there.
@main
enum CamerasProgram {
  private static let ffmpeg = "/usr/bin/ffmpeg"
  /// The paths that ffmpeg reads: libraries and their data, names of hosts, certificates.
  private static let readable = [
    "/usr/lib", "/usr/share", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/resolv.conf", "/run/systemd/resolve",
    "/etc/hosts",
    "/etc/host.conf", "/etc/nsswitch.conf", "/etc/gai.conf", "/etc/ssl", "/etc/localtime",
  ]
  /// The memory that ffmpeg may take, in bytes: pictures of 4K in several threads.
  private static let memoryLimit: UInt64 = 2 << 30
  /// Where ffmpeg finds its script.
  private static let scriptDescriptor: CInt = 3
  /// Seconds in which the address has to come.
  private static let patience: Int32 = 10

  static func main() {
    guard CommandLine.arguments.dropFirst().elementsEqual(["stream"]) else {
      let words = Array("waymark-cameras is started by waymark; see source.path in its configuration\n".utf8)
      _ = write(STDERR_FILENO, words, words.count)
      exit(64)
    }
    guard let line = readLine(), let address = StreamAddress(line) else { exit(65) }
    guard access(ffmpeg, X_OK) == 0 else { exit(69) }
    var known: [String: String] = [:]
    for key in ["DISPLAY", "XAUTHORITY", "HOME"] { known[key] = getenv(key).map { String(cString: $0) } }
    let plan = StreamScript(address, descriptor: scriptDescriptor, display: known["DISPLAY"] ?? ":0")
    guard prepareDescriptors(plan.script) else { exit(71) }
    var paths = readable
    if address.scheme == .screen { paths += [known["XAUTHORITY"] ?? "\(known["HOME"] ?? "")/.Xauthority"] }
    var pointers: [UnsafePointer<CChar>?] = paths.map { UnsafePointer(strdup($0)) } + [nil]
    guard csandbox_confine(ffmpeg, &pointers, memoryLimit) == 0 else { exit(71) }
    var arguments = (["ffmpeg"] + plan.arguments).map { strdup($0) } + [nil]
    var variables = known.map { strdup("\($0.key)=\($0.value)") } + [strdup("LC_ALL=C.UTF-8"), nil]
    execve(ffmpeg, &arguments, &variables)
    exit(71)
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

  /// The connection becomes standard output, the script can be read from the fourth descriptor, and the rest is /dev/null.
  private static func prepareDescriptors(_ script: String?) -> Bool {
    guard dup2(STDIN_FILENO, STDOUT_FILENO) >= 0 else { return false }
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    guard null >= 0, dup2(null, STDIN_FILENO) >= 0, dup2(null, STDERR_FILENO) >= 0 else { return false }
    guard let script else { return true }
    var ends: [CInt] = [-1, -1]
    guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0 else { return false }
    let bytes = Array(script.utf8)
    // It fits, and ends with the end that is closed here.
    guard write(ends[1], bytes, bytes.count) == bytes.count, shutdown(ends[1], CInt(SHUT_WR)) == 0 else {
      return false
    }
    return ends[0] == scriptDescriptor || dup2(ends[0], scriptDescriptor) >= 0
  }
}
