import Foundation
import Testing
import WaymarkFrames
import WaymarkImage
import WaymarkProtocol
import WaymarkSystem

@testable import WaymarkServer
@testable import WaymarkService

/// Pictures over connections of their own.
@Suite(.serialized, .ownThread) struct MediaTests {
  /// A service before a camera whose pictures are larger than what a socket takes at once.
  private final class Bench: Sendable {
    let folder: String
    let service: TestService

    init(_ limits: ConnectionLimits = ConnectionLimits()) async throws {
      folder = try TestFolder.make()
      var state: UInt32 = 1
      let noise = GrayImage(width: 960, height: 720) { pixels in
        for i in pixels.indices {
          state = state &* 1_664_525 &+ 1_013_904_223
          pixels[i] = UInt8(truncatingIfNeeded: state >> 24)
        }
      }
      let path = folder + "/noise.jpg"
      try Data(try JPEGEncoder.encode(noise, quality: 90)).write(to: URL(fileURLWithPath: path))
      let source = try FolderSource(path: path, rate: 30, loops: true)
      service = try await TestService(limits: limits) { hub in
        let capture = CaptureModule(hub: hub, source: source)
        capture.start()
        return [capture, MediaModule(hub: hub, cameras: ByCamera(capture))]
      }
    }

    func client() throws -> RawClient {
      let client = try RawClient(service.path)
      _ = try client.next()
      return client
    }

    func end() async {
      await service.stop()
      try? FileManager.default.removeItem(atPath: folder)
    }
  }

  @ServiceActor
  private static func waitingSnapshots(_ hub: Hub) -> Int? {
    hub.modules.lazy.compactMap { $0 as? MediaModule }.first?.waitingSnapshots
  }

  @Test(.timeLimit(.minutes(2))) func picturesThatDoNotLeaveInOnePieceGoOn() async throws {
    let bench = try await Bench()
    let client = try bench.client()
    try client.send("{\"id\":1,\"method\":\"media.preview\"}\n")
    for _ in 0..<5 {
      let size = try #require(try client.next()["size"]?.int)
      #expect(size > 400_000)
      #expect(try client.bytes(size).starts(with: [0xFF, 0xD8]))
    }
    await bench.end()
  }

  @Test(.timeLimit(.minutes(2))) func whoReadsNoPictureIsLetGo() async throws {
    var limits = ConnectionLimits()
    limits.stalledAfter = 0.2
    let bench = try await Bench(limits)
    let client = try bench.client()
    try client.send("{\"id\":1,\"method\":\"media.preview\"}\n")
    try await bench.service.until { $0.connections.isEmpty }
    await bench.end()
  }

  @Test(.timeLimit(.minutes(2))) func nothingIsLeftOfASnapshot() async throws {
    let bench = try await Bench()
    let client = try bench.client()
    for id in 1...3 {
      try client.send("{\"id\":\(id),\"method\":\"media.snapshot\",\"params\":{\"width\":64}}\n")
      let header = try client.next()
      #expect(header["id"]?.int == id)
      _ = try client.bytes(try #require(header["size"]?.int))
    }
    #expect(await Self.waitingSnapshots(bench.service.hub) == 0)
    await bench.end()
  }

  /// Answers that nobody reads hold the requests up, however many there are.
  @Test(.timeLimit(.minutes(2))) func whoAsksAndDoesNotReadIsNotListenedTo() async throws {
    let bench = try await Bench()
    let client = try bench.client()
    // Refused, but the connection carries pictures from here on.
    try client.send("{\"id\":0,\"method\":\"media.snapshot\",\"params\":{\"width\":64}}\n")
    let count = 40_000
    let asking = Task {
      for id in 1...count { try client.send("{\"id\":\(id),\"method\":\"ping\"}\n") }
    }
    try await bench.service.until { $0.connections.values.first?.mayRead == false }
    let header = try client.next()
    _ = try client.bytes(try #require(header["size"]?.int))
    for id in 1...count { #expect(try client.next()["id"]?.int == id) }
    try await asking.value
    await bench.end()
  }
}
