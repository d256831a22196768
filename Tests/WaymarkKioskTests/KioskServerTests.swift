import Foundation
import Logging
import Synchronization
import Testing

@testable import WaymarkKiosk

@Suite("The kiosk's HTTP server", .serialized, .ownThread)
struct KioskServerTests {
  static let assets = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../Sources/WaymarkKiosk/Resources").standardizedFileURL.path

  /// Runs `body` against a server on a free port.
  func withServer(
    limits: KioskLimits = KioskLimits(), origins: [KioskOrigin] = [],
    _ body: @escaping @Sendable (Int, String, FakeBackend) async throws -> Void
  ) async throws {
    let backend = FakeBackend()
    var options = KioskOptions(assets: Self.assets, token: KioskToken())
    options.port = 0
    options.limits = limits
    options.origins = origins
    let token = options.token.value
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let server = try KioskServer(options: options, backend: backend, logger: logger)
    let (ports, found) = AsyncStream.makeStream(of: Int.self)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.run { found.yield($0) } }
      group.addTask {
        for await port in ports {
          try await body(port, token, backend)
          return
        }
      }
      try await group.next()
      group.cancelAll()
      while (try? await group.next()) != nil {}
    }
  }

  /// A GET and its whole answer.
  func exchange(_ port: Int, _ path: String, headers: [String] = [], host: String? = nil) throws -> String {
    try exchange(port, "GET", path, headers: headers, host: host)
  }

  /// One request and its whole answer.
  func exchange(
    _ port: Int, _ method: String, _ path: String, headers: [String] = [], host: String? = nil,
    body: String = ""
  ) throws -> String {
    let http = try RawHTTP(port: port)
    let lines =
      ["\(method) \(path) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")", "Connection: close"] + headers
      + (body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"])
    http.send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
    return http.receive()
  }

  func status(_ answer: String) -> Int { Int(answer.split(separator: " ").dropFirst().first ?? "") ?? 0 }

  @Test("Without the token every address answers 401, with it the cookie is set and the page comes")
  func token() async throws {
    try await withServer { port, token, _ in
      for path in ["/", "/assets/js/main.js", "/api/config", "/api/events", "/api/preview", "/nothing"] {
        #expect(try status(exchange(port, path)) == 401, "\(path)")
      }
      let traded = try exchange(port, "/?token=\(token)")
      #expect(status(traded) == 303)
      #expect(traded.contains("waymark=\(token); Path=/; HttpOnly; SameSite=Strict"))
      #expect(!traded.lowercased().contains("location: /?"))
      let page = try exchange(port, "/", headers: ["Cookie: waymark=\(token)"])
      #expect(status(page) == 200)
      #expect(page.contains("<title>Waymark</title>"))
      #expect(page.lowercased().contains("content-security-policy: default-src 'none'"))
    }
  }

  @Test("A foreign Host or Origin is refused although the cookie is right")
  func foreign() async throws {
    try await withServer { port, token, backend in
      let cookie = "Cookie: waymark=\(token)"
      #expect(try status(exchange(port, "/", headers: [cookie], host: "evil.example")) == 421)
      let command = #"{"method":"status"}"#
      let answer = try exchange(
        port, "POST", "/api/command", headers: [cookie, "Origin: http://evil.example"], body: command)
      #expect(status(answer) == 403)
      #expect(backend.commands.withLock { $0.isEmpty })
    }
  }

  @Test("Under the name of a proxy that was told of, the page is the proxy's, and its cookie is for TLS alone")
  func proxied() async throws {
    try await withServer(origins: [#require(KioskOrigin("https://kiosk.example"))]) { port, token, backend in
      let traded = try exchange(port, "/?token=\(token)", host: "kiosk.example")
      #expect(traded.contains("waymark=\(token); Path=/; HttpOnly; SameSite=Strict; Secure\r\n"))
      let headers = ["Cookie: waymark=\(token)", "Origin: https://kiosk.example", "Sec-Fetch-Site: same-origin"]
      let answer = try exchange(
        port, "POST", "/api/command", headers: headers, host: "kiosk.example", body: #"{"method":"status"}"#)
      #expect(status(answer) == 200)
      #expect(backend.commands.withLock { $0.count } == 1)
    }
  }

  @Test("Connections that are reset before their answer begins take no place of a stream with them")
  func resets() async throws {
    var limits = KioskLimits()
    limits.streams = 2
    try await withServer(limits: limits) { port, token, _ in
      let head = "HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: waymark=\(token)\r\n\r\n"
      for path in ["/api/events?page=p1", "/api/preview"] {
        for round in 0..<400 {
          let http = try RawHTTP(port: port)
          http.endAbruptly()
          // At another point of the answer each time.
          let end = ContinuousClock.now + .microseconds(round % 100 * 5)
          http.send("GET \(path) \(head)")
          while ContinuousClock.now < end {}
        }
        let patience = ContinuousClock.now + .seconds(30)
        var answer = 0
        while answer != 200, ContinuousClock.now < patience {
          answer = try status(exchange(port, path, headers: ["Cookie: waymark=\(token)"]))
        }
        #expect(answer == 200, "\(path)")
      }
    }
  }

  @Test(
    "Paths lead nowhere outside the page's files",
    arguments: [
      "/assets/../KioskError.swift", "/assets/..%2fKioskError.swift", "/assets/%2e%2e/KioskError.swift",
      "/assets//etc/passwd",
      "/assets/js/../../../../../../etc/passwd", "/api/resource/..%2f..%2fetc%2fpasswd", "/assets/js/main.js%00.css",
    ])
  func traversal(path: String) async throws {
    try await withServer { port, token, _ in
      let answer = try exchange(port, path, headers: ["Cookie: waymark=\(token)"])
      #expect([400, 404].contains(status(answer)), "\(answer.prefix(80))")
    }
  }

  @Test("Only what a person in front of it does may be called")
  func allowList() async throws {
    try await withServer { port, token, backend in
      let headers = ["Cookie: waymark=\(token)", "X-Waymark-Page: p1"]
      let fine = try exchange(
        port, "POST", "/api/command", headers: headers, body: #"{"method":"scan.begin","params":{"mode":"onboarding"}}"#
      )
      #expect(status(fine) == 200)
      #expect(backend.commands.withLock { $0 } == [#"scan.begin {"mode":"onboarding"} p1"#])
      for method in ["camera.select", "camera.control", "subscribe", "media.preview", "", "server.stop"] {
        let answer = try exchange(port, "POST", "/api/command", headers: headers, body: #"{"method":"\#(method)"}"#)
        #expect(status(answer) == 403)
      }
      for body in ["[]", "{", #"{"method":1}"#, "\u{0}"] {
        #expect(try status(exchange(port, "POST", "/api/command", headers: headers, body: body)) == 400)
      }
      #expect(backend.commands.withLock { $0.count } == 1)
    }
  }

  @Test("An upload over 16 MiB is refused before it is taken, as are one that lies about its length and an empty one")
  func upload() async throws {
    try await withServer { port, token, backend in
      let http = try RawHTTP(port: port)
      http.send(
        "POST /api/upload HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: waymark=\(token)\r\nContent-Length: 16777217\r\n\r\n"
      )
      #expect(status(http.receive { $0.contains("tooLarge") }) == 413)
      let chunked = try RawHTTP(port: port)
      chunked.send(
        "POST /api/upload HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: waymark=\(token)\r\nTransfer-Encoding: chunked\r\n\r\n"
      )
      let chunk = Array("100000\r\n".utf8) + [UInt8](repeating: 7, count: 1 << 20) + Array("\r\n".utf8)
      for _ in 0..<18 { chunked.send(chunk) }
      #expect(status(chunked.receive { $0.contains("tooLarge") }) == 413)
      #expect(backend.uploads.withLock { $0.isEmpty })
      let empty = try exchange(
        port, "POST", "/api/upload", headers: ["Cookie: waymark=\(token)", "Content-Length: 0"])
      #expect(status(empty) == 422)
      #expect(empty.contains(#""code":"badPicture""#))
      #expect(backend.uploads.withLock { $0.isEmpty })
      let fits = try exchange(port, "POST", "/api/upload", headers: ["Cookie: waymark=\(token)"], body: "picture")
      #expect(status(fits) == 200)
      #expect(backend.uploads.withLock { $0 } == [7])
    }
  }

  @Test("The picture stream names the frame of every part")
  func preview() async throws {
    try await withServer { port, token, _ in
      let answer = try exchange(port, "/api/preview?width=640&rate=30", headers: ["Cookie: waymark=\(token)"])
      #expect(answer.contains("multipart/x-mixed-replace; boundary=frame"))
      for sequence in 1...3 { #expect(answer.contains("X-Frame-Sequence: \(sequence)\r\n")) }
      let picture = try exchange(port, "/api/resource/guide%2F1", headers: ["Cookie: waymark=\(token)"])
      #expect(picture.lowercased().contains("content-type: image/png"))
      #expect(try status(exchange(port, "/api/gallery/none", headers: ["Cookie: waymark=\(token)"])) == 404)
    }
  }

  @Test("Events come as server-sent events")
  func events() async throws {
    try await withServer { port, token, _ in
      let answer = try exchange(port, "/api/events?page=p1", headers: ["Cookie: waymark=\(token)"])
      #expect(answer.contains("text/event-stream"))
      #expect(answer.contains(#"data: {"event":"kiosk.connection","online":true}"#))
    }
  }

  @Test("A thousand connections that say nothing: the oldest go, there are never more than the limit, the page gets in")
  func manyConnections() async throws {
    RawHTTP.allowDescriptors(4096)
    var limits = KioskLimits()
    limits.connections = 50
    limits.proof = .seconds(3600)
    limits.idle = .seconds(3600)
    try await withServer(limits: limits) { port, token, _ in
      var mute: [RawHTTP] = []
      for _ in 0..<1000 { mute.append(try RawHTTP(port: port)) }
      let answer = try exchange(port, "/", headers: ["Cookie: waymark=\(token)"])
      #expect(status(answer) == 200)
      // All but fifty see the end of their connection without having said anything. Which fifty is for the system to say: it
      // does not hand connections over in the order in which they were begun.
      #expect(RawHTTP.ended(950, of: mute) >= 950)
    }
  }

  @Test("Who has the cookie stays when others crowd in")
  func crowd() async throws {
    RawHTTP.allowDescriptors(4096)
    var limits = KioskLimits()
    limits.connections = 20
    try await withServer(limits: limits) { port, token, _ in
      let page = try RawHTTP(port: port)
      let request = "GET /api/config HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: waymark=\(token)\r\n\r\n"
      page.send(request)
      #expect(status(page.receive { $0.contains("}") }) == 200)
      var mute: [RawHTTP] = []
      for _ in 0..<200 { mute.append(try RawHTTP(port: port)) }
      #expect(RawHTTP.ended(181, of: mute) >= 181)
      page.send(request)
      #expect(status(page.receive { $0.contains("}") }) == 200)
    }
  }

  @Test("A head that trickles in is cut off, and so is whoever knocks again and again without the token")
  func slowLoris() async throws {
    var limits = KioskLimits()
    limits.idle = .milliseconds(200)
    try await withServer(limits: limits) { port, _, _ in
      let http = try RawHTTP(port: port)
      http.send("GET / HTTP/1.1\r\nHost: 127")
      // The server ends it by itself; nothing more is sent.
      #expect(http.receive().isEmpty)
    }
    limits = KioskLimits()
    limits.proof = .milliseconds(200)
    try await withServer(limits: limits) { port, token, _ in
      let http = try RawHTTP(port: port)
      var answers = 0
      // Every one of these resets what counts as idle.
      while http.send("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n"),
        http.receive(until: { $0.contains("opens this page") }).contains("401")
      {
        answers += 1
      }
      #expect(answers > 0)
    }
  }

  @Test("A body that does not arrive in time is answered and dropped")
  func slowBody() async throws {
    var limits = KioskLimits()
    limits.body = .milliseconds(200)
    try await withServer(limits: limits) { port, token, backend in
      let http = try RawHTTP(port: port)
      http.send(
        "POST /api/upload HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: waymark=\(token)\r\nContent-Length: 900\r\n\r\nhalf"
      )
      #expect(status(http.receive { $0.contains("tooLarge") }) == 413)
      #expect(backend.uploads.withLock { $0.isEmpty })
    }
  }

  @Test("Told to stop, it ends every connection, whatever it is about", .timeLimit(.minutes(2)))
  func shutdown() async throws {
    var limits = KioskLimits()
    limits.drain = .milliseconds(300)
    let left = Mutex<[RawHTTP]>([])
    try await withServer(limits: limits) { port, token, _ in
      let head = "HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: waymark=\(token)\r\n"
      func open(_ request: String, until word: String? = nil) throws {
        let http = try RawHTTP(port: port)
        http.send(request)
        if let word { #expect(http.receive { $0.contains(word) }.contains(word)) }
        left.withLock { $0.append(http) }
      }
      try open("")
      try open("GET / HTTP/1.1\r\nHo")
      try open("GET /api/config \(head)\r\n", until: "}")
      try open("GET /api/events?page=endless \(head)\r\n", until: "kiosk.connection")
      // Never reads what it asked for.
      try open("GET /api/preview?width=4096 \(head)\r\n", until: "X-Frame-Sequence")
      try open("POST /api/upload \(head)Content-Length: 1000\r\n\r\nhalf")
    }
    // The server has ended; all its connections with it.
    for http in left.withLock({ $0 }) { _ = http.receive() }
  }

  @Test("Stopped while connections pour in, it neither crashes nor hangs", .timeLimit(.minutes(2)))
  func shutdownInACrowd() async throws {
    RawHTTP.allowDescriptors(4096)
    for round in 1...10 {
      let crowd = Mutex<[RawHTTP]>([])
      try await withServer { port, _, _ in
        for _ in 0..<(round * 20) {
          let http = try RawHTTP(port: port)
          crowd.withLock { $0.append(http) }
        }
      }
      for http in crowd.withLock({ $0 }) { #expect(http.receive().isEmpty) }
    }
  }

  @Test("Both languages have the same words")
  func languages() throws {
    let text = try String(contentsOfFile: Self.assets + "/js/strings.js", encoding: .utf8)
    let tables = text.components(separatedBy: "const de = {")
    #expect(tables.count == 2)
    func keys(_ table: String) -> [String] {
      table.components(separatedBy: "const TABLES")[0].matches(of: /'([a-z]+\.[A-Za-z.]+)':/).map { String($0.1) }
    }
    #expect(keys(tables[0]) == keys(tables[1]))
    #expect(keys(tables[0]).count > 80)
  }
}
