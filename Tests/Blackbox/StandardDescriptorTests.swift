import Foundation
import Testing

/// The descriptors that a service is started with, and its leftovers.
@Suite("Descriptors, logs and crashes of a service", .serialized, .ownThread) struct StandardDescriptorTests {
  private static let pictures =
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
    + "/Samples/pictures"

  private func start(_ command: String, _ folder: TemporaryFolder, output: Any? = nil) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", command, "waymark", Executable.path, folder.file("s.sock"), Self.pictures]
    process.environment = ["PATH": "/usr/bin:/bin", "WAYMARK_ISOLATION": "off", "XDG_CONFIG_HOME": folder.path]
    if let output { process.standardError = output }
    try process.run()
    return process
  }

  /// Waits for the greeting of the service at a socket.
  private func greeting(_ path: String) throws -> String {
    let deadline = Date(timeIntervalSinceNow: 60)
    while Date() < deadline {
      if let link = UnixLink(path) {
        let line = link.receive()
        if !line.isEmpty { return line }
      }
      usleep(20_000)
    }
    throw CocoaError(.fileNoSuchFile)
  }

  private final class UnixLink {
    let descriptor: CInt

    init?(_ path: String) {
      descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
      let result = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      // `deinit` closes it then, too.
      guard result == 0 else { return nil }
    }

    deinit { close(descriptor) }

    func send(_ text: String) { _ = Glibc.send(descriptor, text, text.utf8.count, CInt(MSG_NOSIGNAL)) }

    func receive() -> String {
      var bytes = [UInt8](repeating: 0, count: 65_536)
      let count = recv(descriptor, &bytes, bytes.count, 0)
      return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
  }

  @Test("Standard descriptors that are closed are not taken by sockets") func closedDescriptors() throws {
    let folder = try TemporaryFolder()
    let process = try start(#"exec "$1" serve --socket "$2" --source "$3" 0<&- 1>&- 2>&-"#, folder)
    defer { kill(process.processIdentifier, SIGKILL) }
    #expect(try greeting(folder.file("s.sock")).contains("hello"))
    for descriptor in 0...2 {
      let target = try FileManager.default.destinationOfSymbolicLink(
        atPath: "/proc/\(process.processIdentifier)/fd/\(descriptor)")
      #expect(target == "/dev/null", "\(descriptor)")
    }
    process.terminate()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  @Test("Too few descriptors for a service are a line and status 69", arguments: [8, 40])
  func fewDescriptors(limit: Int) throws {
    let folder = try TemporaryFolder()
    let log = Pipe()
    let process = try start(
      #"ulimit -n \#(limit); exec "$1" serve --socket "$2" --source "$3""#, folder, output: log.fileHandleForWriting)
    process.waitUntilExit()
    try log.fileHandleForWriting.close()
    let said = String(decoding: log.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(process.terminationReason == .exit && process.terminationStatus == 69, "\(said)")
    #expect(said.contains("may have \(limit) open files") && said.contains("LimitNOFILE"), "\(said)")
  }

  @Test("A scene that cannot be read without descriptors is temporarily unusable, and loads later")
  func sceneWithoutDescriptors() throws {
    let folder = try TemporaryFolder()
    let samples = Executable.project.appendingPathComponent("Samples").path
    try "scenes: { folders: [\(samples)/scenes], cache: \(folder.file("cache")) }\n"
      .write(toFile: folder.file("waymark.yaml"), atomically: true, encoding: .utf8)
    let process = try start(
      #"exec "$1" serve --socket "$2" --source "$3" --config \#(folder.file("waymark.yaml")) 2>/dev/null"#, folder)
    defer { kill(process.processIdentifier, SIGKILL) }
    #expect(try greeting(folder.file("s.sock")).contains("hello"))
    let link = try #require(UnixLink(folder.file("s.sock")))
    #expect(link.receive().contains("hello"))
    // The three standard descriptors are all below the limit: whatever the service closes, no other can be opened.
    let limit = { (count: Int) in
      try runProgram(["prlimit", "--pid", "\(process.processIdentifier)", "--nofile=\(count):"])
    }
    _ = try limit(3)
    link.send("{\"id\":1,\"method\":\"scene.load\",\"params\":{\"name\":\"stores\"}}\n")
    let refused = link.receive()
    #expect(refused.contains("\"busy\"") && !refused.contains("badScene"), "\(refused)")
    _ = try limit(1024)
    link.send("{\"id\":2,\"method\":\"scene.load\",\"params\":{\"name\":\"stores\"}}\n")
    let loaded = link.receive()
    #expect(loaded.contains("\"scene\":\"stores\""), "\(loaded)")
  }

  @Test("A crowd of connections leaves descriptors to the service itself") func descriptorsLeft() throws {
    let folder = try TemporaryFolder()
    let process = try start(#"ulimit -n 80; exec "$1" serve --socket "$2" --source "$3" 2>/dev/null"#, folder)
    defer { kill(process.processIdentifier, SIGKILL) }
    #expect(try greeting(folder.file("s.sock")).contains("hello"))
    let first = try #require(UnixLink(folder.file("s.sock")))
    #expect(first.receive().contains("hello"))
    let crowd = (0..<100).compactMap { _ in UnixLink(folder.file("s.sock")) }
    #expect(crowd.count == 100)
    // Clients that are there are served, and their number stays below the limit.
    for id in 1...20 {
      first.send("{\"id\":\(id),\"method\":\"ping\"}\n")
      #expect(first.receive().contains("\"id\":\(id)"))
      let taken = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processIdentifier)/fd").count
      #expect(taken <= 80 - 6, "\(taken)")
    }
    withExtendedLifetime(crowd) {}
  }

  @Test("A log that is not read does not stop the service", .timeLimit(.minutes(2))) func blockedLog() throws {
    let folder = try TemporaryFolder()
    let log = Pipe()
    // A pipe that is full from the start.
    _ = fcntl(log.fileHandleForWriting.fileDescriptor, F_SETFL, O_NONBLOCK)
    let filler = [UInt8](repeating: 0x2E, count: 4096)
    while write(log.fileHandleForWriting.fileDescriptor, filler, filler.count) > 0 {}
    _ = fcntl(log.fileHandleForWriting.fileDescriptor, F_SETFL, 0)
    let process = try start(
      #"exec "$1" serve --socket "$2" --source "$3" --log-level trace"#, folder,
      output: log.fileHandleForWriting)
    defer { kill(process.processIdentifier, SIGKILL) }
    for _ in 0..<200 { _ = try greeting(folder.file("s.sock")) }
    let link = try #require(UnixLink(folder.file("s.sock")))
    #expect(link.receive().contains("hello"))
    link.send("{\"id\":1,\"method\":\"ping\"}\n")
    #expect(link.receive().contains("\"id\":1"))
    process.terminate()
    process.waitUntilExit()
    #expect(process.terminationReason == .exit && process.terminationStatus == 0)
  }

  @Test("A crash leaves nothing of the memory behind, and does not hang", arguments: [SIGQUIT, SIGSEGV])
  func crash(_ number: CInt) throws {
    let folder = try TemporaryFolder()
    let log = Pipe()
    let process = try start(
      #"exec "$1" serve --socket "$2" --source "$3""#, folder, output: log.fileHandleForWriting)
    defer { kill(process.processIdentifier, SIGKILL) }
    _ = try greeting(folder.file("s.sock"))
    let limits = try String(contentsOfFile: "/proc/\(process.processIdentifier)/limits", encoding: .utf8)
    #expect(limits.contains(#/Max core file size +0 +0/#))
    kill(process.processIdentifier, number)
    process.waitUntilExit()
    #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == number)
    try log.fileHandleForWriting.close()
    let text = String(decoding: log.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(!text.lowercased().contains("registers") && !text.contains("Crash"), "\(text)")
  }
}
