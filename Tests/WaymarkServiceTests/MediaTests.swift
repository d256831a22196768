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
      let client = try service.client()
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

  /// Answers that are not read delay the requests behind them.
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

@Suite(.serialized, .ownThread) struct GalleryTests {
  private func picture() -> Data {
    // A PGM of four pixels is a picture, too.
    Data("P5 2 2 255\n".utf8) + Data([0, 64, 128, 255])
  }

  @Test func onlyWhatLiesInTheFolderIsListed() async throws {
    let folder = try TestFolder.make()
    let outside = try TestFolder.make()
    defer { for path in [folder, outside] { try? FileManager.default.removeItem(atPath: path) } }
    let files = FileManager.default
    try picture().write(to: URL(fileURLWithPath: folder + "/a.pgm"))
    try picture().write(to: URL(fileURLWithPath: outside + "/secret.pgm"))
    try Data("x".utf8).write(to: URL(fileURLWithPath: folder + "/notes.txt"))
    try picture().write(to: URL(fileURLWithPath: folder + "/.hidden.pgm"))
    try files.createSymbolicLink(atPath: folder + "/link.pgm", withDestinationPath: outside + "/secret.pgm")
    try files.createSymbolicLink(atPath: folder + "/up.pgm", withDestinationPath: "/etc/passwd")
    try files.createDirectory(atPath: folder + "/sub.pgm", withIntermediateDirectories: false)
    let service = try await TestService { _ in [GalleryModule(folders: [folder])] }
    let client = try service.client()
    let list = try client.ask("gallery.list")["result"]?["pictures"]?.array ?? []
    #expect(list.map { $0["name"] } == ["a.pgm"])
    #expect(list.first?["id"]?.string?.contains("/") == false)
    await service.stop()
  }

  @Test func pagesFollowEachOther() async throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for index in 0..<7 {
      let path = folder + "/p\(index).pgm"
      try picture().write(to: URL(fileURLWithPath: path))
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: Double(1000 + index))], ofItemAtPath: path)
    }
    let service = try await TestService { _ in [GalleryModule(folders: [folder])] }
    let client = try service.client()
    var names: [String] = []
    var after = ""
    repeat {
      let result = try client.ask("gallery.list", "{\"limit\":3\(after)}")["result"]
      names += result?["pictures"]?.array?.compactMap { $0["name"]?.string } ?? []
      after = result?["next"]?.string.map { ",\"after\":\"\($0)\"" } ?? ""
    } while !after.isEmpty
    #expect(names == (0..<7).reversed().map { "p\($0).pgm" })
    for bad in ["{\"limit\":0}", "{\"limit\":501}", "{\"limit\":\"3\"}"] {
      #expect(try client.ask("gallery.list", bad)["error"]?["code"] == "badParams")
    }
    #expect(try client.ask("gallery.list", "{\"after\":\"../../etc/passwd\"}")["error"]?["code"] == "notFound")
    await service.stop()
  }

  @Test func aNameThatIsNoTextIsANameAllTheSame() async throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let name = Array("\(folder)/caf".utf8).map { CChar(bitPattern: $0) } + [CChar(bitPattern: 0xE9)]
    let file = (name + Array(".pgm".utf8).map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer {
      Glibc.open($0.baseAddress!, O_WRONLY | O_CREAT, 0o600)
    }
    let bytes = Array(picture())
    #expect(Glibc.write(file, bytes, bytes.count) == bytes.count)
    close(file)
    let source = try FolderSource(path: Self.sample, rate: 1)
    let service = try await TestService { hub in
      let capture = CaptureModule(hub: hub, source: source)
      let gallery = GalleryModule(folders: [folder])
      return [capture, gallery, ScanModule(hub: hub, capture: capture, rules: ScanRules())]
    }
    let client = try service.client()
    let pictures = try client.ask("gallery.list")["result"]?["pictures"]?.array ?? []
    #expect(pictures.map { $0["name"] } == ["caf\u{FFFD}.pgm"])
    let id = try #require(pictures.first?["id"]?.string)
    let answer = try client.ask("gallery.scan", "{\"id\":\"\(id)\"}", id: 2)
    #expect(answer["result"]?["outcome"] == "unsuccessful", "\(answer)")
    await service.stop()
  }

  @Test func picturesOfEveryFormatAreListed() async throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let names = ["a.BMP", "b.gif", "c.jpeg", "d.png", "e.webp", "f.pbm"]
    for name in names + ["g.svg", "h", ".i.png"] { try picture().write(to: URL(fileURLWithPath: "\(folder)/\(name)")) }
    let service = try await TestService { _ in [GalleryModule(folders: [folder])] }
    let client = try service.client()
    let pictures = try client.ask("gallery.list")["result"]?["pictures"]?.array ?? []
    #expect(pictures.compactMap { $0["name"]?.string }.sorted() == names)
    await service.stop()
  }

  private static let sample =
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path + "/Samples/pictures/onboarding.png"

  @Test func withoutFoldersItIsOff() async throws {
    let service = try await TestService { _ in [GalleryModule(folders: [])] }
    let client = try service.client()
    #expect(try client.ask("gallery.list")["error"]?["code"] == "notConfigured")
    await service.stop()
  }
}
