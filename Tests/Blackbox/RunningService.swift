import Foundation
import Glibc
import Testing

/// A daemon of its own on a socket of its own; ended with this object.
final class RunningService {
  let folder: TemporaryFolder
  let socket: String
  private let process: ChildProcess

  /// Starts `waymark serve` and waits until its socket is there.
  ///
  /// - Parameters:
  ///   - socket: where; a new place when missing.
  ///   - program: the program that serves.
  ///   - activated: whether the socket is made and handed over by systemd's tool for that.
  init(
    _ arguments: [String] = [], socket: String? = nil, program: String = Executable.path, activated: Bool = false
  ) throws {
    folder = try TemporaryFolder()
    // A socket's path has 107 bytes at most, and the folder for temporary files may be deep.
    self.socket = socket ?? "/tmp/wm-\(UUID().uuidString.prefix(8)).sock"
    let socket = self.socket
    _ = FileManager.default.createFile(atPath: folder.file("log"), contents: nil)
    let command =
      (activated ? ["/usr/bin/systemd-socket-activate", "--listen=\(socket)"] : [])
      + [program, "serve"] + (activated ? [] : ["--socket", socket]) + arguments
    process = try ChildProcess(command, diagnostics: folder.file("log"))
    let deadline = Date(timeIntervalSinceNow: 20)
    while !Self.answers(socket) {
      guard process.isRunning, Date() < deadline else { throw ServiceDidNotStart(log: log) }
      usleep(5000)
    }
  }

  deinit {
    process.send(SIGKILL)
    _ = process.wait()
    unlink(socket)
  }

  /// Returns whether a service listens there.
  private static func answers(_ path: String) -> Bool {
    let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
  }

  var log: String { (try? String(contentsOfFile: folder.file("log"), encoding: .utf8)) ?? "" }
  var processIdentifier: Int32 { process.identifier }

  /// The log as soon as it holds a text, or as it is after ten seconds.
  func log(with text: String) -> String {
    let deadline = Date(timeIntervalSinceNow: 10)
    while !log.contains(text), Date() < deadline { usleep(5000) }
    return log
  }

  /// Asks it to end; how long that took and how it ended.
  func stop() -> (seconds: Double, status: Int32) {
    let start = Date()
    process.send(SIGTERM)
    let status = process.wait()
    return (Date().timeIntervalSince(start), status)
  }

  /// Ends it as a crash would; its socket file stays, and refuses connections.
  func crash() {
    process.send(SIGKILL)
    _ = process.wait()
  }

  struct ServiceDidNotStart: Error { let log: String }
}

/// Runs a program to its end, `seconds` at most.
func runProgram(_ command: [String], seconds: Double = 60) throws -> (status: Int32, output: String) {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = ["timeout", "\(seconds)"] + command
  let output = Pipe()
  process.standardInput = FileHandle.nullDevice
  process.standardOutput = output
  process.standardError = output
  try process.run()
  let data = output.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return (process.terminationStatus, String(decoding: data, as: UTF8.self))
}

/// Returns whether a program is installed.
func isInstalled(_ names: String...) -> Bool {
  names.allSatisfy { name in
    (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
      .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
  }
}
