import Foundation
import Testing
import WaymarkFrames
import WaymarkProtocol
import WaymarkSystem

@testable import WaymarkServer
@testable import WaymarkService

/// The bytes behind `scan.picture`: they are never read as requests, and take bounded memory and bounded time.
@Suite("Uploads", .serialized, .ownThread) struct UploadTests {
  private static let picture =
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path + "/Samples/pictures/onboarding.png"

  private func service(
    _ limits: ConnectionLimits = ConnectionLimits(), _ pictures: PictureScheduler.Limits = PictureScheduler.Limits(),
    roles: RolePolicy = RolePolicy(operatorUsers: [UInt32(geteuid())])
  ) async throws -> TestService {
    let source = try FolderSource(path: Self.picture, rate: 1)
    return try await TestService(limits: limits, roles: roles, pictures: pictures) { hub in
      let capture = CaptureModule(hub: hub, source: source)
      return [capture, ScanModule(hub: hub, capture: capture, rules: ScanRules())]
    }
  }

  /// Bytes that look like requests.
  private static let requests = Array(
    String(repeating: "\n{\"id\":66,\"method\":\"scan.begin\",\"params\":{\"mode\":\"barcode\"}}\n", count: 20).utf8)

  @Test("What follows a refused picture is skipped", arguments: [#","mode":"nonsense""#, #","mode":7"#])
  func refused(_ parameters: String) async throws {
    let service = try await service()
    let client = try service.client()
    try client.send(
      "{\"id\":1,\"method\":\"scan.picture\",\"params\":{\"size\":\(Self.requests.count)\(parameters)}}\n")
    try client.send(Self.requests)
    #expect(try client.next()["error"]?["code"] == "badParams")
    let answer = try client.ask("status", id: 2)
    #expect(answer["id"] == 2)
    #expect(answer["result"]?["scan"] == nil, "\(answer)")
    await service.stop()
  }

  @Test func anObserversPictureIsPassedOver() async throws {
    let service = try await service(roles: RolePolicy(operatorUsers: [], observerUsers: [UInt32(geteuid())]))
    let client = try service.client()
    try client.send("{\"id\":1,\"method\":\"scan.picture\",\"params\":{\"size\":\(Self.requests.count)}}\n")
    try client.send(Self.requests)
    #expect(try client.next()["error"]?["code"] == "notPermitted")
    #expect(try client.ask("ping", id: 2)["id"] == 2)
    await service.stop()
  }

  @Test(
    "A picture without a size ends the connection: the next request has no known beginning",
    arguments: [
      "{}", #"{"size":"9"}"#, #"{"size":9.5}"#, #"{"size":-1}"#, #"{"size":-9223372036854775808}"#, #"{"size":1e300}"#,
    ])
  func sizeless(_ parameters: String) async throws {
    let service = try await service()
    let client = try service.client()
    try client.send("{\"id\":1,\"method\":\"scan.picture\",\"params\":\(parameters)}\n")
    #expect(try client.next()["error"]?["code"] == "badParams")
    #expect(try client.next()["reason"] == "lineTooLong")
    #expect(try client.line() == nil)
    await service.stop()
  }

  @Test("A picture that does not come is given up, and its room given back", .timeLimit(.minutes(1)))
  func deadline() async throws {
    var limits = ConnectionLimits()
    limits.body = 0.1
    let service = try await service(limits)
    let client = try service.client()
    try client.send("{\"id\":1,\"method\":\"scan.picture\",\"params\":{\"size\":1000}}\nhalf")
    #expect(try client.next()["error"]?["code"] == "badPicture")
    #expect(try client.next()["reason"] == "bodyTimeout")
    #expect(try client.line() == nil)
    try await service.until { $0.pictures.bytes == 0 }
    await service.stop()
  }

  @Test("Memory is reserved before a byte is read; without it the request is refused, and the connection continues")
  func room() async throws {
    var pictures = PictureScheduler.Limits()
    (pictures.bytes, pictures.share, pictures.waitLimit) = (Self.requests.count + 100, Self.requests.count + 100, 0.1)
    let service = try await service(ConnectionLimits(), pictures)
    let slow = try service.client()
    try slow.send("{\"id\":1,\"method\":\"scan.picture\",\"params\":{\"size\":\(Self.requests.count)}}\n")
    try await service.until { $0.pictures.bytes == Self.requests.count }
    let other = try service.client()
    try other.send("{\"id\":1,\"method\":\"scan.picture\",\"params\":{\"size\":\(Self.requests.count)}}\n")
    try other.send(Self.requests)
    #expect(try other.next()["error"]?["code"] == "busy")
    #expect(try other.ask("ping", id: 2)["id"] == 2)
    // The one that has room is served, and then there is room again.
    try slow.send(Self.requests)
    #expect(try slow.next()["error"]?["code"] == "badPicture")
    try await service.until { $0.pictures.bytes == 0 }
    await service.stop()
  }

  @Test("Pictures one behind the other are judged one after the other, with room for one") func oneAtATime()
    async throws
  {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Self.picture)))
    var pictures = PictureScheduler.Limits()
    (pictures.bytes, pictures.share) = (bytes.count, bytes.count)
    let service = try await service(ConnectionLimits(), pictures)
    let client = try service.client()
    let sending = Task {
      for id in 1...4 {
        try client.send(
          "{\"id\":\(id),\"method\":\"scan.picture\",\"params\":{\"size\":\(bytes.count),\"mode\":\"barcode\"}}\n")
        try client.send(bytes)
      }
      client.shutdownSending()
    }
    for id in 1...4 {
      let answer = try client.next()
      #expect(answer["id"] == .int(id))
      #expect(answer["result"]?["outcome"] == "successful")
    }
    try await sending.value
    #expect(try client.line() == nil)
    await service.stop()
  }
}
