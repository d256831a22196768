import Foundation
import Testing
import WaymarkSystem

@testable import WaymarkHTTP
@testable import waymark_gateway

@Suite("The gateway's page") struct GatewayPageTests {
  @Test("Only its own files are served, by their own paths alone")
  func files() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "waymark-page-\(UUID())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for name in ["index.html", "page.js", "other.js"] {
      try "x".write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
    }
    let page = GatewayPage(folder: folder)
    #expect(Set(page.contents.keys) == ["/", "/assets/page.js"])
    #expect(GatewayPage(folder: folder + "/none").contents.isEmpty)
    #expect(page.absence == nil)
    #expect(
      GatewayPage(folder: folder + "/none").absence?.hasPrefix("the files of the page are not in \(folder)/none. ")
        == true)
    #expect(GatewayPage.has("/") && GatewayPage.has("/assets/page.css"))
    for path in ["", "/assets/", "/assets/other.js", "/assets/../page.js", "/assets/page.js/", "//", "/v1/ping"] {
      #expect(!GatewayPage.has(path), "\(path)")
    }
  }

  @Test("Its files are served under the names of the gateway alone, whatever page asks")
  func hosts() {
    let access = GatewayAccess(
      authorities: ["127.0.0.1:8632"], isSecure: true, origins: [], tokens: TokenTable([]), anonymous: nil)
    for (host, isServed) in [("127.0.0.1:8632", true), ("evil.example", false), (nil, false)] {
      #expect(
        access.serves(AccessClaims(host: host, origin: "https://app.example", fetchSite: "cross-site")) == isServed)
    }
    #expect(!access.lists(origin: "https://127.0.0.1:8632"))
    #expect(access.refusal(of: AccessClaims(host: "127.0.0.1:8632", origin: "https://127.0.0.1:8632")) == nil)
    #expect(
      access.refusal(of: AccessClaims(host: "127.0.0.1:8632", origin: "http://127.0.0.1:8632")) == .foreignOrigin)
  }
}
