import Testing
import WaymarkHTTP
import WaymarkProtocol

@testable import waymark_gateway

@Suite("Who may speak to the gateway")
struct GatewayAccessTests {
  private static let token = "0123456789abcdef"
  private static let caller = Caller(name: "line", role: .observer)
  private static let tokens = TokenTable([
    (token, caller), ("another-token-of-it", Caller(name: "b", role: .operator)),
  ])
  private let network = GatewayAccess(
    authorities: ListenAuthorities.of(host: "127.0.0.1", port: 8632).union(["kiosk.example:8632"]),
    origins: ["https://app.example"], tokens: GatewayAccessTests.tokens, anonymous: nil)

  private func claims(
    host: String? = "127.0.0.1:8632", origin: String? = nil, site: String? = nil,
    authorization: String? = "Bearer \(GatewayAccessTests.token)",
    protocols: String? = nil
  ) -> GatewayAccess.Claims {
    GatewayAccess.Claims(
      host: host, origin: origin, fetchSite: site, authorization: authorization, webSocketProtocols: protocols)
  }

  @Test("The token says who it is")
  func theTokenSays() {
    #expect(network.decide(claims()) == .allowed(Self.caller))
    #expect(network.decide(claims(authorization: "bearer  \(Self.token)")) == .allowed(Self.caller))
    #expect(network.decide(claims(host: "KIOSK.example:8632")) == .allowed(Self.caller))
  }

  @Test(
    "No token, and what is nearly one, is refused",
    arguments: [
      nil, "", "Bearer", "Bearer ", "Bearer 0123456789abcde", "Bearer 0123456789abcdefg", "Basic 0123456789abcdef",
      "Bearer 0123456789abcdeg", "0123456789abcdef",
    ])
  func noToken(authorization: String?) {
    #expect(network.decide(claims(authorization: authorization)) == .refused(.noToken))
  }

  @Test("A browser's WebSocket brings its token among the protocols")
  func webSocket() {
    let protocols = "waymark.v1, bearer.\(Self.token)"
    #expect(network.decide(claims(authorization: nil, protocols: protocols)) == .allowed(Self.caller))
    #expect(network.decide(claims(authorization: nil, protocols: "bearer.x")) == .refused(.noToken))
  }

  @Test(
    "A name that is not the gateway's is refused, whatever the token",
    arguments: [
      nil, "", "evil.example:8632", "127.0.0.1", "127.0.0.1:80", "kiosk.example", "kiosk.example:8632:1",
    ])
  func foreignHost(host: String?) { #expect(network.decide(claims(host: host)) == .refused(.foreignHost)) }

  @Test("Pages come from listed origins only")
  func origins() {
    #expect(network.decide(claims(origin: "https://app.example")) == .allowed(Self.caller))
    #expect(network.decide(claims(origin: "https://app.example", site: "cross-site")) == .allowed(Self.caller))
    for origin in ["null", "https://app.example.evil", "http://app.example", "http://127.0.0.1:8632"] {
      #expect(network.decide(claims(origin: origin)) == .refused(.foreignOrigin))
    }
    #expect(network.decide(claims(site: "cross-site")) == .refused(.foreignOrigin))
  }

  @Test("At a Unix socket the file's permissions have decided; a token that is sent must be right all the same")
  func unixSocket() {
    let local = Caller(name: "/run/http.sock", role: .operator)
    let access = GatewayAccess(
      authorities: nil, origins: [], tokens: TokenTable([(Self.token, Self.caller)]), anonymous: local)
    #expect(access.decide(claims(host: nil, authorization: nil)) == .allowed(local))
    #expect(access.decide(claims(host: "anything")) == .allowed(Self.caller))
    #expect(access.decide(claims(authorization: "Bearer wrong")) == .refused(.noToken))
    #expect(access.decide(claims(origin: "https://app.example", authorization: nil)) == .refused(.foreignOrigin))
  }
}
