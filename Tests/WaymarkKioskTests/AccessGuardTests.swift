import Foundation
import Testing
import WaymarkSystem

@testable import WaymarkHTTP
@testable import WaymarkKiosk

private let wrongCookies: [String?] = {
  let token = String(repeating: "a1", count: 32)
  let cookie = KioskCookie(token: token).make(for: nil)
  return [
    nil, "", "a1", token, "\(token).\(token)", String(cookie.dropLast()) + "g", cookie + ".",
    KioskCookie(token: "b").make(for: nil), KioskCookie(token: token).make(for: "another browser"),
  ]
}()

@Suite("Who may speak to the kiosk's port")
struct AccessGuardTests {
  static let token = String(repeating: "a1", count: 32)
  static let cookie = KioskCookie(token: token).make(for: nil)
  let access = KioskAccess(
    token: AccessGuardTests.token, port: 8631, authorities: ListenAuthorities.of(host: "127.0.0.1", port: 8631))

  func claims(
    method: String = "GET", path: String = "/api/config", host: String? = "127.0.0.1:8631", origin: String? = nil,
    site: String? = nil, cookie: String? = AccessGuardTests.cookie, code: String? = nil
  ) -> AccessClaims {
    AccessClaims(
      method: method, path: path, host: host, origin: origin, fetchSite: site, cookie: cookie, code: code)
  }

  @Test("The page itself gets through, under every name of loopback")
  func own() {
    for host in ["127.0.0.1:8631", "localhost:8631", "LOCALHOST:8631", "[::1]:8631"] {
      #expect(access.decide(claims(host: host, origin: "http://\(host)", site: "same-origin")) == .allowed)
    }
  }

  @Test(
    "A foreign host is refused, whatever else is right",
    arguments: [
      nil, "", "evil.example", "evil.example:8631", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:8631.evil.example",
      "127.0.0.2:8631",
    ])
  func foreignHost(host: String?) {
    #expect(access.decide(claims(host: host)) == .refused(.foreignHost))
  }

  @Test(
    "A foreign origin is refused, cookie or not",
    arguments: [
      "null", "http://evil.example", "https://127.0.0.1:8631", "http://127.0.0.1:8632", "http://localhost:8631", "",
    ])
  func foreignOrigin(origin: String) {
    #expect(access.decide(claims(method: "POST", path: "/api/command", origin: origin)) == .refused(.foreignOrigin))
  }

  @Test("What the browser says of the site counts", arguments: ["cross-site", "same-site"])
  func fetchSite(site: String) {
    #expect(access.decide(claims(site: site)) == .refused(.foreignOrigin))
    // A link from elsewhere may open the start page, with the cookie it needs anyway.
    #expect(access.decide(claims(path: "/", site: site)) == .allowed)
    #expect(access.decide(claims(path: "/", site: site, cookie: nil)) == .refused(.noToken))
  }

  @Test(
    "Without the right cookie nothing is handed out",
    arguments: wrongCookies)
  func cookie(cookie: String?) {
    #expect(access.decide(claims(cookie: cookie)) == .refused(.noToken))
    #expect(access.decide(claims(path: "/assets/js/main.js", cookie: cookie)) == .refused(.noToken))
  }

  @Test("A launch code is looked at on the start page only")
  func launch() {
    #expect(access.decide(claims(path: "/", cookie: nil, code: "c")) == .offer(code: "c", secure: false))
    #expect(access.decide(claims(path: "/api/events", cookie: nil, code: "c")) == .refused(.noToken))
    #expect(access.decide(claims(method: "POST", path: "/", cookie: nil, code: "c")) == .refused(.noToken))
  }

  @Test("A launch code is good once")
  func launchOnce() {
    let gate = AccessGate()
    gate.open(access)
    let code = gate.code
    guard case .trade(let cookie, false) = gate.decide(claims(path: "/", cookie: nil, code: code)) else {
      Issue.record("it was not taken")
      return
    }
    #expect(gate.decide(claims(cookie: cookie)) == .allowed)
    #expect(gate.decide(claims(path: "/", cookie: nil, code: code)) == .refused(.noToken))
    #expect(gate.decide(claims(path: "/", cookie: cookie, code: code)) == .home)
    #expect(gate.code != code)
    for wrong in ["", "wrong", Self.token, cookie] {
      #expect(gate.decide(claims(path: "/", cookie: nil, code: wrong)) == .refused(.noToken))
    }
  }

  @Test("What a proxy before it is called is a name of the page, with its own scheme; the cookie is then secure")
  func origins() throws {
    let origins = try ["https://kiosk.example", "http://other.example:8080"].map { try #require(HTTPOrigin($0)) }
    let proxied = KioskAccess(
      token: Self.token, port: 8631, authorities: ListenAuthorities.of(host: "127.0.0.1", port: 8631),
      origins: origins)
    func decide(_ host: String, _ origin: String?) -> KioskAccess.Decision {
      proxied.decide(claims(method: "POST", path: "/api/command", host: host, origin: origin, site: "same-origin"))
    }
    func trade(_ host: String) -> KioskAccess.Decision {
      proxied.decide(claims(path: "/", host: host, cookie: nil, code: "c"))
    }
    #expect(decide("kiosk.example", "https://kiosk.example") == .allowed)
    #expect(decide("Kiosk.Example", nil) == .allowed)
    #expect(decide("other.example:8080", "http://other.example:8080") == .allowed)
    #expect(decide("127.0.0.1:8631", "http://127.0.0.1:8631") == .allowed)
    for origin in ["http://kiosk.example", "https://kiosk.example:8443", "https://evil.example", "null"] {
      #expect(decide("kiosk.example", origin) == .refused(.foreignOrigin), "\(origin)")
    }
    #expect(decide("127.0.0.1:8631", "https://kiosk.example") == .refused(.foreignOrigin))
    #expect(decide("kiosk.example:8631", nil) == .refused(.foreignHost))
    #expect(access.decide(claims(host: "kiosk.example")) == .refused(.foreignHost))
    #expect(trade("kiosk.example") == .offer(code: "c", secure: true))
    #expect(trade("other.example:8080") == .offer(code: "c", secure: false))
    #expect(trade("127.0.0.1:8631") == .offer(code: "c", secure: false))
  }

  @Test("An origin is written as browsers write it")
  func origin() {
    let written = [
      "https://kiosk.example": "https://kiosk.example", "HTTPS://Kiosk.Example:443": "https://kiosk.example",
      "http://kiosk.example:443": "http://kiosk.example:443", "http://192.0.2.7:80": "http://192.0.2.7",
      "https://[2001:db8::1]:8443": "https://[2001:db8::1]:8443",
    ]
    for (given, text) in written { #expect(HTTPOrigin(given)?.text == text) }
  }

  @Test(
    "Nothing but scheme, host and port is an origin",
    arguments: [
      "", "kiosk.example", "https://", "https://kiosk.example/", "https://kiosk.example/page",
      "https://a@kiosk.example",
      "ftp://kiosk.example", "https://kiosk.example:", "https://kiosk.example:0", "https://kiosk.example:65536",
      "https://kiosk.example?x", "https://kiosk.example#x", "https://*", "https://kiosk example", "https://2001:db8::1",
      "null", "https://kiosk.example https://other.example", "https://kiosk.example\n", "https://kiösk.example",
    ])
  func noOrigin(text: String) { #expect(HTTPOrigin(text) == nil) }

  @Test("Another address than loopback has that name alone")
  func otherAddress() {
    #expect(ListenAuthorities.of(host: "192.0.2.7", port: 80) == ["192.0.2.7:80", "192.0.2.7"])
    #expect(ListenAuthorities.of(host: "2001:db8::1", port: 1) == ["[2001:db8::1]:1"])
  }
}

@Suite("The token file")
struct KioskTokenTests {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("waymark-token-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

  private var path: String { folder.appendingPathComponent("token").path }

  @Test("It is made once, with mode 0640, and kept over restarts")
  func kept() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try KioskToken(file: path)
    #expect(first.value.count == 64)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o640)
    #expect(try KioskToken(file: path).value == first.value)
    #expect(KioskToken().value != first.value)
  }

  @Test("What is not a token is replaced")
  func damaged() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try "short".write(toFile: path, atomically: true, encoding: .utf8)
    // The modes do not depend on the umask of this process.
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    #expect(try KioskToken(file: path).value.count == 64)
  }

  @Test("A file that others can write is refused, as is a folder that is not there")
  func refused() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    _ = try KioskToken(file: path)
    try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
    #expect(throws: KioskError.self) { try KioskToken(file: path) }
    #expect(throws: KioskError.self) { try KioskToken(file: folder.appendingPathComponent("none/token").path) }
  }

  @Test("The address is for owner and group, is replaced as a whole, and leaves nothing beside it")
  func address() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = SecretFile.address(path)
    try file.clear()
    try file.write("http://127.0.0.1:1/?token=a")
    try file.write("http://127.0.0.1:2/?token=b")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "http://127.0.0.1:2/?token=b\n")
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o640)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["token"])
    try file.clear()
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test("A link in place of the address is replaced, and what it points to stays as it is")
  func link() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let other = folder.appendingPathComponent("other").path
    try "theirs".write(toFile: other, atomically: true, encoding: .utf8)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: other)
    try SecretFile.address(path).write("http://127.0.0.1:1/")
    #expect(try String(contentsOfFile: other, encoding: .utf8) == "theirs")
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType == .typeRegular)
  }

  @Test("An address for a folder that is not there is refused before the page is served")
  func addressFolder() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = SecretFile.address(folder.appendingPathComponent("none/address").path)
    let error = #expect(throws: KioskError.self) { try file.clear() }
    #expect(error?.code == .addressFile)
    #expect(error?.hint.contains("--address-file") == true)
  }
}
