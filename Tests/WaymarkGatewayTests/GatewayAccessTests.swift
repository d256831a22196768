import Testing
import WaymarkClient
import WaymarkProtocol
import WaymarkSpool

@testable import WaymarkHTTP
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
    isSecure: false, origins: ["https://app.example"], tokens: GatewayAccessTests.tokens, anonymous: nil)

  private func claims(
    host: String? = "127.0.0.1:8632", origin: String? = nil, site: String? = nil,
    authorization: String? = "Bearer \(GatewayAccessTests.token)",
    protocols: String? = nil
  ) -> AccessClaims {
    AccessClaims(
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
    // The gateway's own page, under the name by which it was reached.
    #expect(network.decide(claims(origin: "http://127.0.0.1:8632", site: "same-origin")) == .allowed(Self.caller))
    for origin in [
      "null", "https://app.example.evil", "http://app.example", "https://127.0.0.1:8632", "http://127.0.0.1:80",
      "http://kiosk.example:8632",
    ] {
      #expect(network.decide(claims(origin: origin)) == .refused(.foreignOrigin))
    }
    #expect(network.decide(claims(site: "cross-site")) == .refused(.foreignOrigin))
  }

  @Test("What an observer may not do is refused from the head of the request, what the service decides is not")
  func operatorParts() throws {
    let paths = GatewayPaths(try ProtocolSchema())
    for path in [
      "scan.begin", "scan.picture", "scene.load", "config.reload", "config.show", "config.check", "log.read",
      "report.make", "document.save", "webhooks",
    ] {
      #expect(paths.operatorPart(of: "/v1/\(path)") == path)
    }
    for path in [
      "/v1/ping", "/v1/status", "/v1/media.snapshot", "/v1/preview", "/v1/events", "/v1/state", "/v1/a.newer.method",
      "/livez", "/readyz",
    ] {
      #expect(paths.operatorPart(of: path) == nil, "\(path)")
    }
    // Only operators send pictures: bodies of observers are never read.
    for (method, treatment) in paths.methods where treatment == .upload {
      #expect(paths.operatorPart(of: "/v1/\(method)") != nil, "\(method)")
    }
  }

  @Test(
    "Of every room one token leaves something, and observers leave something to operators", arguments: [4, 16, 256])
  func rooms(streams: Int) {
    let rooms = GatewayRooms(limits: HTTPLimits(), streams: streams)
    let first = Caller(name: "a", role: .operator).holder
    let second = Caller(name: "b", role: .operator).holder
    for (room, unit) in [
      (rooms.pictures, 16 << 20), (rooms.parameters, 60 << 10), (rooms.sessions, 1), (rooms.eventStreams, 1),
      (rooms.webSockets, 1), (rooms.previews, 1),
    ] {
      func fill(_ holder: Room.Holder) -> [Room.Place] {
        var places: [Room.Place] = []
        while let place = room.take(unit, for: holder) { places.append(place) }
        return places
      }
      let one = fill(first)
      #expect(!one.isEmpty && room.take(unit, for: second) != nil, "\(room.name)")
      for place in one { place.release() }
      let observers = (0..<20).flatMap { fill(Caller(name: "o\($0)", role: .observer).holder) }
      #expect(!observers.isEmpty && room.take(unit, for: first) != nil, "\(room.name)")
    }
  }

  @Test("The figures name every refusal and every shared resource from the start, and say whether the service is there")
  func metrics() async {
    let rooms = GatewayRooms(limits: HTTPLimits(), streams: 8)
    let feeds = EventFeeds(path: "/none", ring: EventRing(limit: 16, bytes: 1024), outage: ServiceOutage())
    let metrics = GatewayMetrics(version: "1.2.3", socket: "/none", feeds: feeds, webhooks: [], rooms: rooms)
    _ = feeds.of(.observer).gap(count: 3)
    let lines = metrics.text.split(separator: "\n").map(String.init)
    for line in [
      "waymark_gateway_info{version=\"1.2.3\"} 1", "waymark_gateway_service_connected 0",
      "waymark_gateway_gaps_total{role=\"observer\"} 1", "waymark_gateway_gaps_total{role=\"operator\"} 0",
      "waymark_gateway_connections_closed_total{reason=\"silent\"} 0",
    ]
      + ["foreignHost", "foreignOrigin", "noToken", "notPermitted"].map({
        "waymark_gateway_requests_refused_total{reason=\"\($0)\"} 0"
      }) + rooms.all.map({ "waymark_gateway_room_taken{of=\"\($0.name)\"} 0" })
    {
      #expect(lines.contains(line), "\(line)")
    }
    // Each name is explained once.
    let heads = lines.filter { $0.hasPrefix("# TYPE ") }
    #expect(heads.count == Set(heads).count)
    #expect(await PrometheusText.ofService(at: "/none").hasSuffix("waymark_up 0"))
  }

  @Test("At a Unix socket the file's permissions have decided; a token that is sent must be right all the same")
  func unixSocket() {
    let local = Caller(name: "/run/http.sock", role: .operator)
    let access = GatewayAccess(
      authorities: nil, isSecure: false, origins: [], tokens: TokenTable([(Self.token, Self.caller)]), anonymous: local)
    #expect(access.decide(claims(host: nil, authorization: nil)) == .allowed(local))
    #expect(access.decide(claims(host: "anything")) == .allowed(Self.caller))
    #expect(access.decide(claims(authorization: "Bearer wrong")) == .refused(.noToken))
    #expect(access.decide(claims(origin: "https://app.example", authorization: nil)) == .refused(.foreignOrigin))
  }
}
