import Foundation
import Synchronization
import Testing

@testable import WaymarkHTTP
@testable import WaymarkKiosk

/// A store behind a reference, because expectations cannot change a value.
private final class Store {
  var value: PickupStore
  init(_ limits: PickupStore.Limits = PickupStore.Limits()) { value = PickupStore(limits: limits) }
  var count: Int { value.count }
  var bytes: Int { value.bytes }
  func keep(_ item: PickupStore.Item, under code: String, at now: Double) -> Bool {
    value.keep(item, under: code, at: now)
  }
  func look(_ code: String, at now: Double) -> PickupStore.Item? { value.look(code, at: now) }
  func take(_ code: String, at now: Double) -> PickupStore.Item? { value.take(code, at: now) }
}

@Suite("Results that are taken home", .ownThread)
struct PickupTests {
  private func item(_ size: Int) -> PickupStore.Item {
    PickupStore.Item(name: "result.csv", contentType: "text/csv", bytes: [UInt8](repeating: 7, count: size))
  }

  @Test("A result is there until it is taken, once, or its time is over")
  func once() {
    let store = Store()
    #expect(store.keep(item(3), under: "a", at: 0))
    #expect(store.look("a", at: 299) == item(3) && store.look("a", at: 299.9) == item(3))
    #expect(store.take("a", at: 299.9) == item(3))
    #expect(store.take("a", at: 299.9) == nil && store.look("a", at: 299.9) == nil)
    #expect(store.keep(item(3), under: "b", at: 0))
    #expect(store.take("b", at: 300) == nil && store.count == 0 && store.bytes == 0)
  }

  @Test("There is room for so many, of such a size; who comes later throws nothing out, and time makes room")
  func room() {
    let store = Store(PickupStore.Limits(count: 3, item: 10, bytes: 25, life: 60))
    #expect(!store.keep(item(11), under: "large", at: 0))
    #expect(store.keep(item(10), under: "a", at: 0) && store.keep(item(10), under: "b", at: 10))
    #expect(!store.keep(item(6), under: "c", at: 20), "of all together")
    #expect(store.keep(item(5), under: "c", at: 20))
    #expect(!store.keep(item(0), under: "d", at: 20), "of their number")
    #expect(store.look("a", at: 20) == item(10))
    #expect(store.keep(item(10), under: "d", at: 60))
    #expect(store.look("a", at: 60) == nil && store.bytes == 25)
  }

  @Test("Only a document that the service saved is read, and once")
  func documents() throws {
    let origin = try #require(HTTPOrigin("https://kiosk.example"))
    let documents = SavedDocuments()
    let pickups = Pickups(origin: origin, documents: documents, limits: PickupStore.Limits(item: 8)) { 0 }
    let path = NSTemporaryDirectory() + "waymark-pickup-\(UUID().uuidString).pdf"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data("%PDF-1.7".utf8).write(to: URL(fileURLWithPath: path))
    #expect(pickups.document(path) == nil && pickups.document("/etc/hostname") == nil)
    documents.note(savedBy: Array(#"{"error":{"paths":["/etc/hostname"]}}"#.utf8))
    documents.note(savedBy: Array("[".utf8))
    #expect(pickups.document("/etc/hostname") == nil)
    documents.note(savedBy: Array(#"{"result":{"paths":["\#(path)"],"pages":1}}"#.utf8))
    #expect(pickups.document(path) == Array("%PDF-1.7".utf8))
    #expect(pickups.document(path) == nil)
    // A program of the integrator's may get it still, also twice.
    for _ in 1...2 { #expect(documents.read(path, limit: 8) == Array("%PDF-1.7".utf8)) }
    // One that is too large is not read.
    let large = path.replacing(".pdf", with: "-large.pdf")
    defer { try? FileManager.default.removeItem(atPath: large) }
    try Data("%PDF-1.7 and more".utf8).write(to: URL(fileURLWithPath: large))
    documents.note(savedBy: Array(#"{"result":{"paths":["\#(large)"],"pages":1}}"#.utf8))
    #expect(pickups.document(large) == nil && documents.read(large, limit: 8) == nil)
  }

  private static let access = KioskAccess(
    token: AccessGuardTests.token, port: 8631, authorities: ListenAuthorities.of(host: "127.0.0.1", port: 8631),
    pickup: HTTPOrigin("https://kiosk.example"))

  @Test("Without a cookie nothing but a result is reached, under its address alone, and taken from its own page")
  func access() {
    func decide(
      _ method: String, _ path: String, host: String = "kiosk.example", origin: String? = nil, site: String? = nil
    ) -> KioskAccess.Decision {
      Self.access.decide(
        AccessClaims(method: method, path: path, host: host, origin: origin, fetchSite: site))
    }
    let own = "https://kiosk.example"
    #expect(decide("GET", "/pickup/a") == .guest && decide("GET", "/pickup/a", site: "cross-site") == .guest)
    #expect(decide("POST", "/pickup/a", origin: own) == .guest)
    #expect(decide("POST", "/pickup/a", origin: own, site: "same-origin") == .guest)
    for origin in [nil, "null", "https://evil.example", "http://kiosk.example", "https://kiosk.example.evil.example"] {
      #expect(decide("POST", "/pickup/a", origin: origin) == .refused(.foreignOrigin), "\(origin ?? "none")")
    }
    #expect(decide("POST", "/pickup/a", origin: own, site: "cross-site") == .refused(.foreignOrigin))
    for method in ["PUT", "DELETE", "HEAD", "OPTIONS"] {
      #expect(decide(method, "/pickup/a", origin: own) == .refused(.foreignOrigin))
    }
    #expect(decide("GET", "/pickup/a", host: "127.0.0.1:8631") == .refused(.foreignHost))
    #expect(decide("GET", "/pickup/a", host: "evil.example") == .refused(.foreignHost))
    for path in ["/", "/api/config", "/api/pickup", "/pickup", "/assets/js/main.js"] {
      #expect(decide("GET", path) == .refused(.foreignHost), "\(path)")
    }
    // Off, there is no such address.
    let off = KioskAccess(token: AccessGuardTests.token, port: 8631, authorities: ["kiosk.example"])
    #expect(
      off.decide(AccessClaims(method: "GET", path: "/pickup/a", host: "kiosk.example")) == .refused(.foreignHost))
  }

  @Test("The page hands a result over; a phone looks at it as often as it likes, and takes it once")
  func server() async throws {
    try await KioskServerTests().withServer(pickup: HTTPOrigin("https://kiosk.example")) { port, cookie, _ in
      let test = KioskServerTests()
      let body =
        #"{"type":"csv","text":"a;1\n","words":{"language":"de","title":"<Ihre> Zählung","button":"Sichern"}}"#
      func offer(_ body: String, headers: [String]) throws -> String {
        try test.exchange(port, "POST", "/api/pickup", headers: headers, body: body)
      }
      #expect(try test.status(offer(body, headers: [])) == 401)
      let answer = try offer(body, headers: ["Cookie: \(cookie)"])
      let match = try #require(answer.firstMatch(of: #/"https:\/\/kiosk\.example(\/pickup\/[0-9a-f]{64})"/#))
      let path = String(match.1)
      func phone(_ method: String, _ path: String, _ headers: [String] = []) throws -> String {
        try test.exchange(
          port, method, path, headers: headers, host: "kiosk.example", body: method == "POST" ? " " : "")
      }
      for _ in 1...3 {
        let page = try phone("GET", path)
        #expect(test.status(page) == 200 && page.contains("lang=\"de\"") && page.contains("&lt;Ihre&gt; Zählung"))
        #expect(page.lowercased().contains("default-src 'none'; style-src 'sha256-") && !page.contains("<script"))
      }
      #expect(try test.status(phone("POST", path)) == 403)
      #expect(try test.status(phone("POST", path, ["Origin: https://evil.example"])) == 403)
      let own = ["Origin: https://kiosk.example"]
      let taken = try phone("POST", path, own)
      #expect(test.status(taken) == 200 && taken.hasSuffix("\r\n\r\na;1\n"))
      #expect(
        taken.lowercased().contains("attachment; filename=\"result.csv\"") && taken.lowercased().contains("no-store"))
      // Once more, a guess, and what leads elsewhere.
      for path in [path, "/pickup/" + String(repeating: "0", count: 64), "/pickup/", "/pickup/..%2fapi%2fconfig"] {
        #expect(try [404, 400].contains(test.status(phone("POST", path, own))), "\(path)")
      }
      #expect(try test.status(phone("GET", path)) == 404)
      for wrong in [
        "", "[]", #"{"type":"html","text":"<b>"}"#, #"{"type":"pdf","text":"x"}"#, #"{"type":"csv","text":""}"#,
        #"{"document":"/etc/passwd"}"#, #"{"document":"/etc/x.pdf"}"#,
      ] where !wrong.isEmpty {
        #expect(try test.status(offer(wrong, headers: ["Cookie: \(cookie)"])) == 400, "\(wrong)")
      }
      let large = #"{"type":"txt","text":""# + String(repeating: "x", count: 3 << 20) + "\"}"
      #expect(try test.status(offer(large, headers: ["Cookie: \(cookie)"])) == 413)
    }
  }
}
