import Foundation
import Logging
import Synchronization
import Testing
import WaymarkHTTP
import WaymarkSystem

@testable import WaymarkKiosk

@Suite("The kiosk's HTTP server", .serialized, .ownThread)
struct KioskServerTests {
  static let assets = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../Sources/Station/WaymarkKiosk/Resources").standardizedFileURL.path

  /// Runs `body` against a server on a free port.
  ///
  /// - Parameter body: gets the port, the cookie of a browser that was let in, and the service behind the page.
  func withServer(
    limits: HTTPLimits = HTTPLimits(), origins: [HTTPOrigin] = [], backend: FakeBackend = FakeBackend(),
    codes: Codes = Codes(), pickup: HTTPOrigin? = nil, page: PageSettings = PageSettings(),
    _ body: @escaping @Sendable (Int, String, FakeBackend) async throws -> Void
  ) async throws {
    var options = KioskOptions(assets: Self.assets, token: KioskToken())
    options.port = 0
    options.limits = limits
    options.origins = origins
    options.pickup = pickup
    options.page = page
    let token = options.token.value
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let server = try KioskServer(options: options, backend: backend, logger: logger)
    let (ports, found) = AsyncStream.makeStream(of: Int.self)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await server.run(onCode: { _, code in codes.all.withLock { $0.append(code) } }) { found.yield($0) }
      }
      group.addTask {
        for await port in ports {
          let cookie = "\(KioskCookie.name(port: port))=\(KioskCookie(token: token).make(for: nil))"
          try await body(port, cookie, backend)
          return
        }
      }
      try await group.next()
      group.cancelAll()
      while (try? await group.next()) != nil {}
    }
  }

  /// The launch codes that a server had.
  final class Codes: Sendable {
    let all = Mutex<[String]>([])

    /// The one that opens the page next.
    var next: String { all.withLock { $0.last ?? "" } }
  }

  /// The cookie that an answer sets.
  func cookie(in answer: String) -> String? {
    answer.firstMatch(of: #/(?i)set-cookie: (waymark-\d+=[0-9a-f.]+);/#).map { String($0.1) }
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

  @Test("Every answer carries the security headers, also where there is no such route")
  func securityHeaders() async throws {
    try await withServer { port, cookie, _ in
      let headers = ["Cookie: \(cookie)"]
      let requests = [
        ("GET", "/", 200), ("GET", "/nothing", 404), ("GET", "/assets/nothing.js", 404), ("GET", "/api/nothing", 404),
        ("PUT", "/api/command", 404), ("DELETE", "/", 404), ("POST", "/api/command", 400),
      ]
      for (method, path, wanted) in requests {
        let answer = try self.exchange(port, method, path, headers: headers, body: method == "GET" ? "" : "x")
        #expect(self.status(answer) == wanted, "\(method) \(path)")
        let lower = answer.lowercased()
        for header in [
          "content-security-policy: default-src 'none'", "x-content-type-options: nosniff", "cache-control:",
        ] {
          #expect(lower.contains(header), "\(method) \(path) \(header)")
        }
      }
      let stranger = try self.exchange(port, "/nothing")
      #expect(self.status(stranger) == 401 && stranger.lowercased().contains("nosniff"))
    }
  }

  @Test("Supervisors ask without a cookie; the service is asked once for many of them")
  func supervisors() async throws {
    try await withServer { port, _, backend in
      for path in ["/livez", "/readyz"] {
        let answer = try self.exchange(port, path, host: "10.0.0.1")
        #expect(self.status(answer) == 200 && answer.hasSuffix("ok\n"), "\(answer)")
      }
      #expect(self.status(try self.exchange(port, "/nothing")) == 401)
      #expect(self.status(try self.exchange(port, "/metrics", host: "evil.example")) == 421)
      #expect(self.status(try self.exchange(port, "/metrics", headers: ["Origin: https://evil.example"])) == 403)
      #expect(self.status(try self.exchange(port, "POST", "/metrics")) == 401)
      let figures = try self.exchange(port, "/metrics")
      #expect(figures.contains("text/plain; version=0.0.4"))
      for line in [
        "waymark_kiosk_service_connected 1", "waymark_kiosk_requests_refused_total{reason=\"noToken\"} 2",
        "waymark_kiosk_requests_refused_total{reason=\"foreignHost\"} 1", "waymark_kiosk_room_taken{of=\"pictures\"} 0",
      ] {
        #expect(figures.contains(line + "\n"), "\(line)")
      }
      #expect(backend.commands.withLock { $0.count } < 4)
    }
  }

  @Test("A page whose service is away is alive and not ready")
  func notReady() async throws {
    try await withServer(backend: FakeBackend(isAway: true)) { port, _, _ in
      #expect(self.status(try self.exchange(port, "/livez")) == 200)
      #expect(self.status(try self.exchange(port, "/readyz")) == 503)
      let figures = try self.exchange(port, "/metrics")
      #expect(figures.contains("waymark_kiosk_service_connected 0\n"))
    }
  }

  @Test("Room for a picture is as large as the picture, and is given back once")
  func roomsShrink() async throws {
    let rooms = Room("pictures", total: 100, waiting: 1)
    let first = try #require(await rooms.take(100, within: .milliseconds(1)))
    #expect(await rooms.take(1, within: .milliseconds(1)) == nil)
    first.shrink(to: 30)
    first.shrink(to: 60)
    let second = try #require(await rooms.take(70, within: .milliseconds(1)))
    #expect(await rooms.take(1, within: .milliseconds(1)) == nil)
    first.release()
    first.release()
    first.shrink(to: 0)
    let third = try #require(await rooms.take(30, within: .milliseconds(1)))
    #expect(await rooms.take(1, within: .milliseconds(1)) == nil)
    second.release()
    third.release()
    #expect(await rooms.take(100, within: .milliseconds(1)) != nil)
  }

  @Test("Who does not read a picture is disconnected, and its room is the next one's")
  func unreadPictures() async throws {
    var limits = HTTPLimits()
    limits.pictures = 2 * PictureRoutes.sizeLimit
    limits.body = .milliseconds(300)
    // The connection itself may take the whole picture, so that only a rate shows that it is not read.
    limits.readerRate = 8 << 20
    limits.pictureTimeout = .seconds(60)
    let backend = FakeBackend(picture: [UInt8](repeating: 7, count: 12 << 20))
    try await withServer(limits: limits, backend: backend) { port, cookie, _ in
      let head = "GET /api/gallery/a?width=64 HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: \(cookie)\r\n\r\n"
      let idle = try (0..<2).map { _ in try RawHTTP(port: port) }
      for one in idle { one.send(head) }
      // Clients that do not read have both reservations; another one is served once they are released.
      let answer = try self.exchange(port, "/api/gallery/a?width=64", headers: ["Cookie: \(cookie)"])
      #expect(self.status(answer) == 200)
    }
  }

  @Test("A client that reads no answer is disconnected, and its place is the next one's", .timeLimit(.minutes(5)))
  func unreadAnswers() async throws {
    var limits = HTTPLimits()
    limits.connections = 1
    limits.body = .milliseconds(300)
    limits.readerRate = 8 << 20
    limits.idle = .seconds(300)
    try await withServer(limits: limits) { port, cookie, _ in
      let head = "GET /assets/js/main.js HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: \(cookie)\r\n\r\n"
      let idle = try RawHTTP(port: port, window: 16 << 10)
      idle.send(String(repeating: head, count: 1000))
      // Refused at once while the only place is taken.
      while try self.status(self.exchange(port, "/", headers: ["Cookie: \(cookie)"])) != 200 { await Task.yield() }
      withExtendedLifetime(idle) {}
    }
  }

  @Test("Lines that are not commands are refused, and nothing of them reaches the service")
  func malformedCommands() async throws {
    try await withServer { port, cookie, backend in
      let headers = ["Cookie: \(cookie)"]
      let deep = String(repeating: #"{"a":"#, count: 400) + "1" + String(repeating: "}", count: 400)
      let bodies = [
        "", "[]", "{}", #"{"method":7}"#, #"{"method":"ping","params":[]}"#, #"{"method":"ping","params":\#(deep)}"#,
        #"{"method":"ping","method":"torch"}"#, "{\"method\":\"ping\",\"params\":{\"a\":\"\u{1}\"}}",
      ]
      for body in bodies where !body.isEmpty {
        let answer = try self.exchange(port, "POST", "/api/command", headers: headers, body: body)
        #expect(self.status(answer) == 400, "\(body.prefix(60))")
        #expect(answer.contains(#""code":"badRequest""#))
      }
      #expect(backend.commands.withLock { $0.isEmpty })
    }
  }

  @Test("Without the cookie every address answers 401; a launch code gives one browser its cookie, once")
  func launch() async throws {
    let codes = Codes()
    try await withServer(codes: codes) { port, _, _ in
      for path in ["/", "/assets/js/main.js", "/api/config", "/api/events", "/api/preview", "/nothing"] {
        #expect(try status(exchange(port, path)) == 401, "\(path)")
      }
      let code = codes.next
      let traded = try exchange(port, "/?token=\(code)")
      #expect(status(traded) == 303)
      #expect(traded.contains("; Path=/; HttpOnly; SameSite=Strict"))
      #expect(!traded.lowercased().contains("location: /?"))
      let own = try #require(cookie(in: traded))
      #expect(own.hasPrefix("waymark-\(port)="), "cookies do not distinguish ports")
      let page = try exchange(port, "/", headers: ["Cookie: \(own)"])
      #expect(status(page) == 200)
      #expect(page.contains("<title>Waymark</title>"))
      #expect(page.lowercased().contains("content-security-policy: default-src 'none'"))
      // A stranger who saw the address comes too late; the browser itself may come by it again.
      #expect(try status(exchange(port, "/?token=\(code)")) == 401)
      #expect(try status(exchange(port, "/?token=\(code)", headers: ["Cookie: \(own)"])) == 303)
      // Another browser has the next code and another cookie, which is good for it alone.
      let agent = "User-Agent: other"
      let other = try #require(cookie(in: exchange(port, "/?token=\(codes.next)", headers: [agent])))
      #expect(other != own)
      #expect(try status(exchange(port, "/", headers: ["Cookie: \(other)", agent])) == 200)
      #expect(try status(exchange(port, "/", headers: ["Cookie: \(other)"])) == 401)
      #expect(codes.all.withLock { Set($0).count } == 3)
    }
  }

  @Test("A browser that another page sent here is led on by a page of its own, or it would leave its cookie behind")
  func launchPage() async throws {
    let codes = Codes()
    try await withServer(codes: codes) { port, _, _ in
      let answer = try exchange(port, "/?token=\(codes.next)", headers: ["Sec-Fetch-Site: cross-site"])
      #expect(status(answer) == 200)
      #expect(cookie(in: answer) != nil)
      #expect(answer.contains("http-equiv=\"refresh\" content=\"0; url=/\""))
    }
  }

  @Test("Two Host lines are refused, the right one first or last")
  func twoHosts() async throws {
    try await withServer { port, cookie, _ in
      let own = "127.0.0.1:\(port)"
      for (first, second) in [(own, "evil.example"), ("evil.example", own), (own, own)] {
        let answer = try exchange(port, "/", headers: ["Host: \(second)", "Cookie: \(cookie)"], host: first)
        #expect([400, 421].contains(status(answer)), "\(first) \(second)")
      }
    }
  }

  @Test("Uploads take room before they are read: beyond it they wait, and are refused when that takes too long")
  func uploadRoom() async throws {
    var limits = HTTPLimits()
    limits.pictures = 1000
    limits.pictureTimeout = .milliseconds(200)
    limits.waiting = 1
    try await withServer(limits: limits) { port, cookie, backend in
      let head =
        "POST /api/upload HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: \(cookie)\r\nContent-Length: 800\r\n\r\n"
      // It announces a picture, and then takes its time.
      let slow = try RawHTTP(port: port)
      slow.send(head)
      var refused = 0
      while refused == 0 {
        let next = try RawHTTP(port: port)
        next.send(head)
        next.send([UInt8](repeating: 1, count: 800))
        let answer = next.receive { $0.contains("}}") }
        if answer.contains(#""code":"busy""#) {
          #expect(status(answer) == 503)
          refused += 1
        }
      }
      slow.send([UInt8](repeating: 1, count: 800))
      #expect(status(slow.receive { $0.contains("}}") }) == 200)
      #expect(try status(exchange(port, "POST", "/api/upload", headers: ["Cookie: \(cookie)"], body: "picture")) == 200)
    }
  }

  @Test("A foreign Host or Origin is refused although the cookie is right")
  func foreign() async throws {
    try await withServer { port, cookie, backend in
      let cookie = "Cookie: \(cookie)"
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
    let codes = Codes()
    try await withServer(origins: [#require(HTTPOrigin("https://kiosk.example"))], codes: codes) {
      port, cookie, backend in
      let traded = try exchange(port, "/?token=\(codes.next)", host: "kiosk.example")
      #expect(traded.contains("; Path=/; HttpOnly; SameSite=Strict; Secure\r\n"))
      let headers = ["Cookie: \(cookie)", "Origin: https://kiosk.example", "Sec-Fetch-Site: same-origin"]
      let answer = try exchange(
        port, "POST", "/api/command", headers: headers, host: "kiosk.example", body: #"{"method":"status"}"#)
      #expect(status(answer) == 200)
      #expect(backend.commands.withLock { $0.count } == 1)
    }
  }

  @Test("Connections that are reset before their answer begins take no place of a stream with them")
  func resets() async throws {
    var limits = HTTPLimits()
    limits.streams = 2
    try await withServer(limits: limits) { port, cookie, _ in
      let head = "HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: \(cookie)\r\n\r\n"
      for path in ["/api/events?page=p1", "/api/preview"] {
        for round in 0..<400 {
          let http = try RawHTTP(port: port)
          http.endAbruptly()
          // At another point of the answer each time.
          let end = ContinuousClock.now + .microseconds(round % 100 * 5)
          http.send("GET \(path) \(head)")
          while ContinuousClock.now < end {}
        }
        let pictureTimeout = ContinuousClock.now + .seconds(30)
        var answer = 0
        while answer != 200, ContinuousClock.now < pictureTimeout {
          answer = try status(exchange(port, path, headers: ["Cookie: \(cookie)"]))
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
    try await withServer { port, cookie, _ in
      let answer = try exchange(port, path, headers: ["Cookie: \(cookie)"])
      #expect([400, 404].contains(status(answer)), "\(answer.prefix(80))")
    }
  }

  @Test("Only what a person in front of it does may be called")
  func allowList() async throws {
    try await withServer { port, cookie, backend in
      let headers = ["Cookie: \(cookie)", "X-Waymark-Page: p1"]
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
    try await withServer { port, cookie, backend in
      let http = try RawHTTP(port: port)
      http.send(
        "POST /api/upload HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: \(cookie)\r\nContent-Length: 16777217\r\n\r\n"
      )
      #expect(status(http.receive { $0.contains("tooLarge") }) == 413)
      let chunked = try RawHTTP(port: port)
      chunked.send(
        "POST /api/upload HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: \(cookie)\r\nTransfer-Encoding: chunked\r\n\r\n"
      )
      let chunk = Array("100000\r\n".utf8) + [UInt8](repeating: 7, count: 1 << 20) + Array("\r\n".utf8)
      for _ in 0..<18 { chunked.send(chunk) }
      #expect(status(chunked.receive { $0.contains("tooLarge") }) == 413)
      #expect(backend.uploads.withLock { $0.isEmpty })
      let empty = try exchange(
        port, "POST", "/api/upload", headers: ["Cookie: \(cookie)", "Content-Length: 0"])
      #expect(status(empty) == 422)
      #expect(empty.contains(#""code":"badPicture""#))
      #expect(backend.uploads.withLock { $0.isEmpty })
      let fits = try exchange(port, "POST", "/api/upload", headers: ["Cookie: \(cookie)"], body: "picture")
      #expect(status(fits) == 200)
      #expect(backend.uploads.withLock { $0 } == [7])
    }
  }

  @Test("The picture stream names the frame of every part")
  func preview() async throws {
    try await withServer { port, cookie, _ in
      let answer = try exchange(port, "/api/preview?width=640&rate=30", headers: ["Cookie: \(cookie)"])
      #expect(answer.contains("multipart/x-mixed-replace; boundary=frame"))
      for sequence in 1...3 { #expect(answer.contains("X-Frame-Sequence: \(sequence)\r\n")) }
      let picture = try exchange(port, "/api/resource/guide%2F1", headers: ["Cookie: \(cookie)"])
      #expect(picture.lowercased().contains("content-type: image/png"))
      #expect(try status(exchange(port, "/api/gallery/none", headers: ["Cookie: \(cookie)"])) == 404)
    }
  }

  @Test("Files travel compressed, whole, in part or as their head alone; what a service says never is compressed")
  func transfer() async throws {
    try await withServer { port, cookie, _ in
      let headers = ["Cookie: \(cookie)", "Accept-Encoding: gzip"]
      func lines(_ answer: String) -> String { answer.components(separatedBy: "\r\n\r\n")[0].lowercased() }
      let whole = try exchange(port, "/assets/js/main.js", headers: headers)
      #expect(lines(whole).contains("content-encoding: gzip") && lines(whole).contains("vary: accept-encoding"))
      let head = try exchange(port, "HEAD", "/assets/js/main.js", headers: headers)
      #expect(status(head) == 200 && head.hasSuffix("\r\n\r\n"))
      let length = #/content-length: [0-9]{4,}/#
      #expect(lines(head).firstMatch(of: length)?.output == lines(whole).firstMatch(of: length)?.output)
      #expect(status(try exchange(port, "HEAD", "/", headers: headers)) == 200)
      #expect(status(try exchange(port, "HEAD", "/assets/none.js", headers: headers)) == 404)
      #expect(status(try exchange(port, "HEAD", "/")) == 401)
      let part = try exchange(port, "/assets/js/main.js", headers: ["Cookie: \(cookie)", "Range: bytes=0-4"])
      #expect(status(part) == 206 && part.hasSuffix("\r\n\r\n// St"))
      // The length of a compressed answer would reveal a secret beside chosen text.
      for path in ["/api/config", "/api/events?page=p1", "/api/resource/guide%2F1"] {
        let answer = try exchange(port, path, headers: headers)
        #expect(status(answer) == 200 && !lines(answer).contains("content-encoding"), "\(path)")
      }
      let answer = try exchange(port, "POST", "/api/command", headers: headers, body: #"{"method":"status"}"#)
      #expect(status(answer) == 200 && !lines(answer).contains("content-encoding"))
    }
  }

  @Test("Events come as server-sent events")
  func events() async throws {
    try await withServer { port, cookie, _ in
      let answer = try exchange(port, "/api/events?page=p1", headers: ["Cookie: \(cookie)"])
      #expect(answer.contains("text/event-stream"))
      #expect(answer.contains(#"data: {"event":"kiosk.connection","online":true}"#))
    }
  }

  @Test("A thousand connections that say nothing: the oldest go, there are never more than the limit, the page gets in")
  func manyConnections() async throws {
    RawHTTP.allowDescriptors(4096)
    var limits = HTTPLimits()
    limits.connections = 50
    limits.proof = .seconds(3600)
    limits.idle = .seconds(3600)
    try await withServer(limits: limits) { port, cookie, _ in
      var mute: [RawHTTP] = []
      for _ in 0..<1000 { mute.append(try RawHTTP(port: port)) }
      let answer = try exchange(port, "/", headers: ["Cookie: \(cookie)"])
      #expect(status(answer) == 200)
      // All but fifty see the end of their connection without having said anything. Which fifty is for the system to say: it
      // does not hand connections over in the order in which they were begun.
      #expect(RawHTTP.ended(950, of: mute) >= 950)
    }
  }

  @Test("Who has the cookie stays when others crowd in")
  func crowd() async throws {
    RawHTTP.allowDescriptors(4096)
    var limits = HTTPLimits()
    limits.connections = 20
    try await withServer(limits: limits) { port, cookie, _ in
      let page = try RawHTTP(port: port)
      let request = "GET /api/config HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: \(cookie)\r\n\r\n"
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
    var limits = HTTPLimits()
    limits.idle = .milliseconds(200)
    try await withServer(limits: limits) { port, _, _ in
      let http = try RawHTTP(port: port)
      http.send("GET / HTTP/1.1\r\nHost: 127")
      // The server ends it by itself; nothing more is sent.
      #expect(http.receive().isEmpty)
    }
    limits = HTTPLimits()
    limits.proof = .milliseconds(200)
    try await withServer(limits: limits) { port, cookie, _ in
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
    var limits = HTTPLimits()
    limits.body = .milliseconds(200)
    try await withServer(limits: limits) { port, cookie, backend in
      let http = try RawHTTP(port: port)
      http.send(
        "POST /api/upload HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: \(cookie)\r\nContent-Length: 900\r\n\r\nhalf"
      )
      #expect(status(http.receive { $0.contains("tooLarge") }) == 413)
      #expect(backend.uploads.withLock { $0.isEmpty })
    }
  }

  @Test("Told to stop, it ends every connection, whatever it is about", .timeLimit(.minutes(2)))
  func shutdown() async throws {
    var limits = HTTPLimits()
    limits.drain = .milliseconds(300)
    let left = Mutex<[RawHTTP]>([])
    try await withServer(limits: limits) { port, cookie, _ in
      let head = "HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: \(cookie)\r\n"
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
    func keys(_ table: String) -> [String] {
      table.components(separatedBy: "const TABLES")[0].matches(of: /'([a-z]+\.[A-Za-z.]+)':/).map { String($0.1) }
    }
    let parts = try FileManager.default.contentsOfDirectory(atPath: Self.assets + "/js/strings").map { "strings/\($0)" }
    var count = 0
    for name in ["strings.js"] + parts {
      let text = try String(contentsOfFile: Self.assets + "/js/\(name)", encoding: .utf8)
      let tables = text.components(separatedBy: "const de = {")
      try #require(tables.count == 2, "\(name)")
      #expect(keys(tables[0]) == keys(tables[1]), "\(name)")
      count += keys(tables[0]).count
    }
    #expect(count > 300)
  }
}
