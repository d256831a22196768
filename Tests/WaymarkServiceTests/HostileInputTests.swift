import Foundation
import Testing
import WaymarkFrames
import WaymarkProtocol
import WaymarkSystem

@testable import WaymarkServer
@testable import WaymarkService

/// The input that a socket may be sent, and the required reaction.
@Suite(.serialized, .ownThread) struct HostileInputTests {
  @Test func helloComesFirst() async throws {
    let service = try await TestService()
    let client = try RawClient(service.path)
    let hello = try client.next()
    #expect(hello["event"] == "hello")
    #expect(hello["protocol"] == 1)
    #expect(hello["role"] == "operator")
    #expect(try client.ask("ping")["result"]?["time"]?.string != nil)
    await service.stop()
  }

  @Test func halfLinesAreWaitedFor() async throws {
    let service = try await TestService()
    let client = try service.client()
    for byte in Array("{\"id\":5,\"method\":\"ping\"}\n".utf8) { try client.send([byte]) }
    #expect(try client.next()["id"] == 5)
    // A half line and then the end: no other client is affected.
    try client.send("{\"id\":6,\"meth")
    client.shutdownSending()
    #expect(try client.line() == nil)
    #expect(try RawClient(service.path).next()["event"] == "hello")
    await service.stop()
  }

  @Test func requestsBeforeTheEndOfInputAreAnswered() async throws {
    let service = try await TestService()
    let client = try RawClient(service.path)
    try client.send("{\"id\":1,\"method\":\"ping\"}\n{\"id\":2,\"method\":\"status\"}\n")
    client.shutdownSending()
    let lines = try client.rest()
    #expect(lines.count == 3)
    await service.stop()
  }

  private static let badLines: [[UInt8]] = {
    let texts = [
      "{\"id\":1,\"method\":\"ping\u{0}\"}", String(repeating: "[", count: 60_000),
      String(repeating: "{\"a\":", count: 10_000), "{\"id\":1,\"method\":\"ping\"} {}", "hello",
    ]
    return texts.map { [UInt8]($0.utf8) } + [[0xFF, 0xFE, 0x00], [0x22, 0xC0, 0xAF, 0x22]]
  }()

  @Test(arguments: badLines)
  func badLinesAreAnsweredAndTheConnectionGoesOn(_ line: [UInt8]) async throws {
    let service = try await TestService()
    let client = try service.client()
    try client.send(line + [0x0A])
    #expect(try client.next()["error"]?["code"] == "malformedRequest")
    #expect(try client.ask("ping", id: 9)["id"] == 9)
    await service.stop()
  }

  @Test func emptyLinesAndCarriageReturnsAreForgiven() async throws {
    let service = try await TestService()
    let client = try service.client()
    try client.send("\n\r\n  \n{\"id\":1,\"method\":\"ping\"}\r\n")
    #expect(try client.next()["id"] == 1)
    await service.stop()
  }

  @Test func aLineOfAMegabyteEndsTheConnection() async throws {
    let service = try await TestService()
    let client = try service.client()
    _ = client.offer([UInt8](repeating: 0x61, count: 1 << 20))
    #expect(try client.next()["error"]?["code"] == "lineTooLong")
    #expect(try client.next()["reason"] == "lineTooLong")
    #expect(try client.line() == nil)
    await service.stop()
  }

  @Test func theLongestLineIsRead() async throws {
    let service = try await TestService()
    let client = try service.client()
    let head = "{\"id\":1,\"method\":\"ping\",\"x\":\""
    try client.send(head + String(repeating: "x", count: (64 << 10) - head.utf8.count - 2) + "\"}\n")
    #expect(try client.next()["id"] == 1)
    await service.stop()
  }

  @Test func tenThousandRequestsAtOnceAreAnsweredInOrder() async throws {
    let service = try await TestService()
    let client = try service.client()
    let burst = (1...10_000).map { "{\"id\":\($0),\"method\":\"ping\"}\n" }.joined()
    let writer = Thread { try? client.send(burst) }
    writer.start()
    for id in 1...10_000 { #expect(try client.next()["id"] == .int(id)) }
    await service.stop()
  }

  @Test func whoAsksAndNeverReadsIsHeldBackAndLetGo() async throws {
    var limits = ConnectionLimits()
    limits.stalledAfter = 0.3
    let service = try await TestService(limits: limits)
    let client = try service.client()
    let burst = Array((1...2000).map { "{\"id\":\($0),\"method\":\"status\"}\n" }.joined().utf8)
    var sent = 0
    // The service stops reading, so the socket fills: far below what was offered.
    while sent < 64 << 20 {
      let count = client.offer(burst)
      if count <= 0 { break }
      sent += count
    }
    #expect(sent < 16 << 20)
    try await service.until { $0.connections.isEmpty }
    await service.stop()
  }

  /// The sockets that are bound to a path: the listener, and one for every connection.
  private func sockets(_ path: String) throws -> Int {
    // Line by line: the kernel's table has no size that a reader of files could trust.
    guard let table = fopen("/proc/net/unix", "r") else { throw TestFailure("no table of sockets") }
    defer { fclose(table) }
    var (line, capacity, count) = (UnsafeMutablePointer<CChar>?.none, 0, 0)
    defer { free(line) }
    while getline(&line, &capacity, table) > 0, let line {
      if String(cString: line).hasSuffix(" \(path)\n") { count += 1 }
    }
    return count
  }

  @Test func manyConnectsLeaveNothingBehind() async throws {
    let service = try await TestService()
    let path = service.path
    for _ in 0..<500 {
      let client = try RawClient(path)
      try client.send("{\"id\":1,\"method\":\"subscribe\"}\n")
    }
    try await service.until { hub in hub.connections.isEmpty && (try? sockets(path)) == 1 }
    await service.stop()
    #expect(try sockets(path) == 0)
  }

  @Test func aCrowdThatConnectsWhileTheServiceIsBusyGetsIn() async throws {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = min(limit.rlim_max, max(limit.rlim_cur, 4096))
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    let service = try await TestService()
    let (isHeld, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    ServiceActor.execute {
      isHeld.signal()
      goOn.wait()
    }
    isHeld.wait()
    // Without a place in the queue a connect that does not wait fails.
    let clients = (0..<400).map { _ in try? RawClient(service.path, waits: false) }
    goOn.signal()
    #expect(clients.count { $0 == nil } == 0)
    for client in clients { #expect(try client?.next()["event"] == "hello") }
    await service.stop()
  }

  @Test func thereIsABoundOnConnections() async throws {
    var limits = ConnectionLimits()
    limits.clients = 3
    let service = try await TestService(limits: limits)
    let clients = try (0..<3).map { _ in try RawClient(service.path) }
    for client in clients { #expect(try client.next()["event"] == "hello") }
    let fourth = try RawClient(service.path)
    #expect(try fourth.next()["reason"] == "tooManyClients")
    #expect(try fourth.line() == nil)
    withExtendedLifetime(clients) {}
    await service.stop()
  }
}

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
      return [capture, ScanModule(hub: hub, capture: capture, rules: ScanRules())]
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
    let other = try service.client()
    let answer = try other.ask("scan.begin", #"{"mode":"onboarding"}"#, id: 1)
    #expect(answer["error"] == nil, "\(answer)")
    await service.stop()
  }

  @Test func aPictureOfImpossibleSizeIsRefusedInWords() async throws {
    let source = try FolderSource(path: Self.picture, rate: 1)
    let service = try await TestService { hub in
      let capture = CaptureModule(hub: hub, source: source)
      return [capture, ScanModule(hub: hub, capture: capture, rules: ScanRules())]
    }
    let client = try service.client()
    #expect(try client.ask("scan.picture", #"{"size":0}"#, id: 1)["error"]?["code"] == "badParams")
    #expect(try client.ask("ping", id: 2)["result"] != nil)
    // The bytes that follow cannot be distinguished from requests.
    #expect(try client.ask("scan.picture", #"{"size":100000000}"#, id: 3)["error"]?["code"] == "badParams")
    #expect(try client.next()["reason"] == "lineTooLong")
    await service.stop()
  }

  @Test(.timeLimit(.minutes(1))) func anIncompletePictureIsReported() async throws {
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
