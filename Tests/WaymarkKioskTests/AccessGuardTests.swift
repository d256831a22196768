import Testing

@testable import WaymarkKiosk

@Suite("Who may speak to the kiosk's port")
struct AccessGuardTests {
  static let token = String(repeating: "a1", count: 32)
  let access = AccessGuard(
    token: AccessGuardTests.token, authorities: AccessGuard.authorities(host: "127.0.0.1", port: 8631))

  func claims(
    method: String = "GET", path: String = "/api/config", host: String? = "127.0.0.1:8631", origin: String? = nil,
    site: String? = nil, cookie: String? = AccessGuardTests.token, queryToken: String? = nil
  ) -> AccessGuard.Claims {
    AccessGuard.Claims(
      method: method, path: path, host: host, origin: origin, fetchSite: site, cookie: cookie, queryToken: queryToken)
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
    "Without the right cookie nothing is handed out", arguments: [nil, "", "a1", String(repeating: "a2", count: 32)])
  func cookie(cookie: String?) {
    #expect(access.decide(claims(cookie: cookie)) == .refused(.noToken))
    #expect(access.decide(claims(path: "/assets/js/main.js", cookie: cookie)) == .refused(.noToken))
  }

  @Test("The token in the address is traded once for the cookie, on the start page only")
  func trade() {
    #expect(access.decide(claims(path: "/", cookie: nil, queryToken: Self.token)) == .trade)
    #expect(access.decide(claims(path: "/", cookie: nil, queryToken: "wrong")) == .refused(.noToken))
    #expect(access.decide(claims(path: "/api/events", cookie: nil, queryToken: Self.token)) == .refused(.noToken))
    #expect(access.decide(claims(method: "POST", path: "/", cookie: nil, queryToken: Self.token)) == .refused(.noToken))
  }

  @Test("Another address than loopback has that name alone")
  func otherAddress() {
    #expect(AccessGuard.authorities(host: "192.0.2.7", port: 80) == ["192.0.2.7:80", "192.0.2.7"])
    #expect(AccessGuard.authorities(host: "2001:db8::1", port: 1) == ["[2001:db8::1]:1"])
  }
}
