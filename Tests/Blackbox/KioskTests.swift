import Foundation
import Glibc
import Testing

/// The kiosk's process as its users meet it: started, crowded, stopped.
@Suite(.serialized, .ownThread) struct KioskTests {
  /// A connection to a port of this machine; closed with this object.
  private final class Link {
    let descriptor: Int32

    init?(port: UInt16) {
      descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = inet_addr("127.0.0.1")
      let result = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      var patience = timeval(tv_sec: 20, tv_usec: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
      if result != 0 { return nil }
    }

    deinit { close(descriptor) }

    func send(_ text: String) {
      let bytes = Array(text.utf8)
      _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Returns the next text; empty at the end.
    func receive() -> String {
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = recv(descriptor, &bytes, bytes.count, 0)
      return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
  }

  @Test("It ends in order on SIGTERM with connections of every kind open, again and again", .timeLimit(.minutes(2)))
  func endsWithConnectionsOpen() throws {
    let folder = try TemporaryFolder()
    for round in 0..<5 {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: Executable.path)
      process.arguments = [
        "kiosk", "--socket", folder.file("none.sock"), "--listen", "127.0.0.1:0", "--token-file", folder.file("token"),
        "--address-file", folder.file("address"), "--launch-page", folder.file("launch.html"),
      ]
      let output = Pipe()
      let log = folder.file("log-\(round)")
      _ = FileManager.default.createFile(atPath: log, contents: nil)
      process.standardOutput = output
      process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
      try process.run()
      defer { kill(process.processIdentifier, SIGKILL) }
      let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
      let match = try #require(line.firstMatch(of: #/http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{64})/#), "\(line)")
      // A person who may read it finds there what was printed, until the page ends.
      #expect(try String(contentsOfFile: folder.file("address"), encoding: .utf8) == line)
      let port = try #require(UInt16(match.1))
      // The code that stands there opens the page once, and there is a fresh one then. No command line has to show it.
      let launch = try String(contentsOfFile: folder.file("launch.html"), encoding: .utf8)
      #expect(launch.contains("url=\(line.dropLast())\""))
      let opening = try #require(Link(port: port))
      opening.send("GET /?token=\(match.2) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
      let cookie = try #require(opening.receive().firstMatch(of: #/(?i)set-cookie: ([^;]+);/#)).1
      for file in ["address", "launch.html"] {
        let text = try String(contentsOfFile: folder.file(file), encoding: .utf8)
        #expect(text.contains("/?token=") && !text.contains(match.2), "\(file)")
      }
      let head = "HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: \(cookie)\r\n"
      let events = try #require(Link(port: port))
      events.send("GET /api/events?page=a \(head)\r\n")
      #expect(events.receive().contains("200 OK"))
      let upload = try #require(Link(port: port))
      upload.send("POST /api/upload \(head)Content-Length: 1000\r\n\r\nhalf")
      // Many that say nothing; the last of them are not yet accepted when the signal comes.
      var crowd: [Link] = []
      for _ in 0..<(100 * round) { if let link = Link(port: port) { crowd.append(link) } }
      process.terminate()
      process.waitUntilExit()
      #expect(process.terminationReason == .exit && process.terminationStatus == 0)
      #expect(try String(contentsOfFile: log, encoding: .utf8).isEmpty)
      #expect(!FileManager.default.fileExists(atPath: folder.file("address")))
      #expect(!FileManager.default.fileExists(atPath: folder.file("launch.html")))
    }
  }

  @Test(
    "What is not an origin is wrong usage",
    arguments: ["kiosk.example", "https://kiosk.example/", "ftp://kiosk.example", "https://"])
  func noOrigin(text: String) throws {
    let run = try Executable.run(["kiosk", "--origin", "https://kiosk.example", "--origin", text])
    #expect(run.status == 64)
    #expect(run.diagnostics.contains("--origin"), "\(run.diagnostics)")
  }

  @Test("An address that no browser can open is reported, unless the address for browsers is named")
  func everyAddress() throws {
    let folder = try TemporaryFolder()
    // It ends after the warnings: there is no page to serve.
    let arguments = [
      "kiosk", "--listen", "0.0.0.0:0", "--token-file", folder.file("token"), "--assets", folder.file("none"),
    ]
    let run = try Executable.run(arguments)
    #expect(run.status == 66)
    #expect(run.diagnostics.contains("everyone who reaches"))
    #expect(run.diagnostics.contains("not an address that other devices can open"), "\(run.diagnostics)")
    let named = try Executable.run(arguments + ["--origin", "http://192.0.2.7:8631"])
    #expect(named.status == 66)
    #expect(named.diagnostics.contains("everyone who reaches"))
    #expect(!named.diagnostics.contains("not an address that other devices can open"))
  }

  @Test("A port that is taken is said so, with the exit code of what is not available")
  func takenPort() throws {
    let folder = try TemporaryFolder()
    let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let port = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> Int32 in
        guard bind(descriptor, address, size) == 0, listen(descriptor, 1) == 0 else { return -1 }
        return getsockname(descriptor, address, &size)
      }
    }
    try #require(port == 0)
    let run = try Executable.run([
      "kiosk", "--socket", folder.file("none.sock"), "--listen", "127.0.0.1:\(UInt16(bigEndian: address.sin_port))",
      "--token-file", folder.file("token"),
    ])
    #expect(run.status == 69, "\(run.diagnostics)")
    #expect(run.diagnostics.contains("--listen"))
  }
}
