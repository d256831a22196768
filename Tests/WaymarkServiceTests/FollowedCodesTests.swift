import Foundation
import Testing
import WaymarkBarcodes
import WaymarkFrames
import WaymarkProtocol
import WaymarkSystem

@testable import WaymarkService

/// `codes.follow` through the socket: a code in view is told once, then its place in every frame.
@Suite("Codes that are followed", .serialized, .ownThread) struct FollowedCodesTests {
  private func service(showing text: String, in folder: String) async throws -> TestService {
    let picture = folder + "/code.png"
    let encoder = Process()
    encoder.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    encoder.arguments = ["qrencode", "-s", "6", "-m", "8", "-o", picture, text]
    try encoder.run()
    encoder.waitUntilExit()
    let source = try FolderSource(path: picture, rate: 30)
    return try await TestService { hub in
      let capture = CaptureModule(hub: hub, source: source)
      let scans = ScanModule(hub: hub, capture: capture, rules: .init())
      capture.start()
      return [
        capture, scans,
        CodesModule(hub: hub, scans: scans, capture: capture, cameras: CameraChoice()),
      ]
    }
  }

  @Test(
    "A code is told once, then where it is, until nobody wants it",
    .enabled(if: canDrawCodes, "needs qrencode"), .timeLimit(.minutes(1)))
  func follows() async throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let service = try await service(showing: "PUMP-7", in: folder)
    let client = try RawClient(service.path)
    _ = try client.next()
    _ = try client.ask("subscribe", #"{"events":["code.*","codes.*"]}"#)
    let sizes = #"{"symbologies":["qr"],"sizes":[{"prefix":"PUMP-","width":0.04}]}"#
    #expect(try client.ask("codes.follow", sizes)["result"] != nil)
    var found = try client.next()
    while found["event"]?.string != "code.found" { found = try client.next() }
    #expect(found["text"]?.string == "PUMP-7" && found["symbology"]?.string == "qr")
    var updates = 0
    while updates < 3 {
      let event = try client.next()
      // Its content is told once.
      #expect(event["event"]?.string == "codes.updated")
      let code = try #require(event["codes"]?.array?.first)
      #expect(code["code"]?.int == found["code"]?.int && code["text"] == nil)
      #expect(code["trackingMethod"]?.string == "fullTracking")
      #expect(code["pose"]?["position"]?.array?.count == 3)
      updates += 1
    }
    let snapshot = try client.ask("subscribe", "{}", id: 3)
    #expect(snapshot["result"]?["codes"]?.array?.first?["text"]?.string == "PUMP-7")
    try client.send("{\"id\":4,\"method\":\"codes.unfollow\",\"params\":{}}\n")
    var lost = try client.next()
    while lost["event"]?.string != "code.lost" { lost = try client.next() }
    #expect(lost["code"]?.int == found["code"]?.int)
    await service.stop()
  }

  @Test("What makes no sense is refused", .enabled(if: canDrawCodes, "needs qrencode"))
  func refuses() async throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let service = try await service(showing: "x", in: folder)
    let client = try RawClient(service.path)
    _ = try client.next()
    for params in [
      #"{"symbologies":["nonsense"]}"#, #"{"symbologies":[]}"#, #"{"sizes":[{"width":0}]}"#,
      #"{"sizes":[{"width":4000}]}"#, #"{"sizes":[{"symbology":"nonsense","width":0.1}]}"#,
    ] {
      #expect(try client.ask("codes.follow", params)["error"]?["code"]?.string == "badParams", "\(params)")
    }
    // A client that follows nothing may end it anyway.
    #expect(try client.ask("codes.unfollow")["result"] != nil)
    await service.stop()
  }

  @Test("Observers see a code's content only where it is harmless") func redacts() {
    var found = CodeFound(code: 1, symbology: "qr", text: "secret", bytesBase64: "c2VjcmV0", corners: [])
    let seen = found.forObservers
    #expect(seen.text == nil && seen.bytesBase64 == nil && seen.charset == nil && seen.redacted == true)
    found.isHarmless = true
    #expect(found.forObservers.text == "secret")
  }
}
