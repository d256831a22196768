import Foundation
import Testing
import WaymarkFrames
import WaymarkProtocol
import WaymarkSystem

@testable import WaymarkServer
@testable import WaymarkService

/// Clients that are gone before what they asked for is done.
@Suite(.serialized, .ownThread) struct GoneClientTests {
  /// A picture of a code that is accepted.
  private static let picture =
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path + "/Samples/pictures/onboarding.png"

  /// The first connection of a service.
  @ServiceActor
  private static func connection(_ hub: Hub) -> Connection? { hub.connections.values.first }

  @ServiceActor
  private static func scan(
    _ bytes: [UInt8], _ hub: Hub, _ connection: Connection
  ) async throws -> GalleryScanResult? {
    let scans = hub.modules.lazy.compactMap { $0 as? ScanModule }.first
    return try await scans?.stills.scan(
      reading: { bytes }, as: GalleryScanRequest(id: "", mode: .onboarding), connection)
  }

  @Test func thePictureOfOneWhoIsGoneHoldsNothing() async throws {
    let source = try FolderSource(path: Self.picture, rate: 1)
    let service = try await TestService { hub in
      let capture = CaptureModule(hub: hub, source: source)
      return [capture, ScanModule(hub: hub, capture: capture, rules: ScanModule.Rules())]
    }
    var client: RawClient? = try RawClient(service.path)
    _ = try client?.next()
    let connection = try #require(await Self.connection(service.hub))
    client = nil
    try await service.until { $0.connections.isEmpty }
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Self.picture)))
    // As it is when its picture was read meanwhile.
    do {
      let result = try await Self.scan(bytes, service.hub, connection)
      Issue.record("\(String(describing: result))")
    } catch let error as ServiceError {
      #expect(error.code == .badPicture)
    }
    let other = try RawClient(service.path)
    _ = try other.next()
    let answer = try other.ask("scan.begin", #"{"mode":"onboarding"}"#, id: 1)
    #expect(answer["error"] == nil, "\(answer)")
    await service.stop()
  }

  @Test func aPictureOfImpossibleSizeIsRefusedInWords() async throws {
    let source = try FolderSource(path: Self.picture, rate: 1)
    let service = try await TestService { hub in
      let capture = CaptureModule(hub: hub, source: source)
      return [capture, ScanModule(hub: hub, capture: capture, rules: ScanModule.Rules())]
    }
    let client = try RawClient(service.path)
    _ = try client.next()
    #expect(try client.ask("scan.picture", #"{"size":0}"#, id: 1)["error"]?["code"] == "badParams")
    #expect(try client.ask("ping", id: 2)["result"] != nil)
    // The bytes that follow cannot be told from requests.
    #expect(try client.ask("scan.picture", #"{"size":100000000}"#, id: 3)["error"]?["code"] == "badParams")
    #expect(try client.next()["reason"] == "lineTooLong")
    await service.stop()
  }

  @Test(.timeLimit(.minutes(1))) func whoWaitsForTheRestOfAPictureIsTold() async throws {
    let service = try await TestService()
    let client = try RawClient(service.path)
    _ = try client.next()
    let connection = try #require(await Self.connection(service.hub))
    let body = await Self.expect(connection)
    let bytes = Task { try await body.collect() }
    await Self.close(connection)
    guard case .failure(let error as ServiceError) = await bytes.result else {
      Issue.record("it was whole")
      return
    }
    #expect(error.code == .badPicture)
    await service.stop()
  }

  @ServiceActor
  private static func expect(_ connection: Connection) -> RequestBody { connection.expectBody(1000) }

  @ServiceActor
  private static func close(_ connection: Connection) { connection.closed() }
}
