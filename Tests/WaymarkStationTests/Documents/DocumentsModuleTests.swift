import Foundation
import Synchronization
import Testing
import WaymarkDocuments
import WaymarkProtocol
import WaymarkSystem

@testable import WaymarkImage
@testable import WaymarkService
@testable import WaymarkStation

/// The document session over a socket, with drawn frames for a camera.
@Suite(.ownThread) struct DocumentsModuleTests {
  /// A dark table, and a page with bars on it whose places `seed` says; JPEG.
  static func frame(_ seed: Int?, _ shift: Int = 0) throws -> [UInt8] {
    let image = GrayImage(width: 480, height: 360) { out in
      for y in 0..<360 {
        for x in 0..<480 {
          var value = 70 + (x * 31 + y * 17) % 5
          let (u, v) = (x - 110 - shift, y - 30)
          if let seed, (0..<220).contains(u), (0..<300).contains(v) {
            let isInk =
              u > 20 && u < 200 && v > 20 && v < 280 && v % 12 < 5 && (v / 12 * 7 + u / 14 * 3 + seed * 5) % 4 < 2
            value = isInk ? 50 : 228
          }
          out[y * 480 + x] = UInt8(value)
        }
      }
    }
    return try JPEGEncoder.encode(image, quality: 92)
  }

  /// A service whose camera shows the frames of a folder.
  private final class Bench {
    let folder: String
    let service: TestService
    let source: SteppedSource

    /// - Parameter frames: what is shown: a page's seed (nil: none), and for how many frames.
    init(
      _ frames: [(seed: Int?, count: Int)], state: String? = nil, settings: DocumentsModule.Settings = .init(),
      lostAfter: Int? = nil, disk: PageStore.Disk = PageStore.Disk()
    ) async throws {
      folder = try TestFolder.make()
      var index = 0
      for (seed, count) in frames {
        let bytes = try DocumentsModuleTests.frame(seed)
        for _ in 0..<count {
          try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/\(String(format: "%03d", index)).jpg"))
          index += 1
        }
      }
      let relay = Relay()
      let source = try SteppedSource(folder: folder, rate: 15, blanks: 0, lostAfter: lostAfter) { relay.processed() }
      self.source = source
      var settings = settings
      settings.folder = (state ?? folder) + "/session"
      settings.output = (state ?? folder) + "/saved"
      let (fixed, models) = (settings, try PageModels.load())
      service = try await TestService { hub in
        let capture = CaptureModule(hub: hub, source: source, need: SourceNeed(keepsOpen: true))
        relay.pipeline = capture.pipeline
        let documents = DocumentsModule(
          hub: hub, cameras: ByCamera(capture), settings: fixed, models: models, disk: disk)
        capture.start()
        documents.start()
        return [capture, documents]
      }
    }

    /// Counts the lane's work; a frame that it does not want counts as done.
    private final class Relay: @unchecked Sendable {
      var pipeline: FramePipeline?

      func processed() -> UInt64 {
        UInt64(pipeline?.statistics.lanes.first { $0.name == "documents" }?.frames ?? 0)
      }
    }

    func stop() async {
      await service.stop()
      try? FileManager.default.removeItem(atPath: folder)
    }
  }

  /// Reads until an event of that name comes.
  private func event(_ name: String, _ client: RawClient) throws -> JSONValue {
    while true {
      let value = try client.next()
      if value["event"]?.string == name { return value }
      if value["event"]?.string == "document.failed" { throw TestFailure("failed: \(value)") }
    }
  }

  private func begin(_ bench: Bench) throws -> RawClient {
    let client = try RawClient(bench.service.path)
    _ = try client.ask("subscribe", #"{"events":["document.*"]}"#)
    let reply = try client.ask("document.begin")
    guard reply["result"]?["session"]?.string != nil else { throw TestFailure("\(reply)") }
    return client
  }

  @Test func pagesAreCapturedPutRightAndSaved() async throws {
    let bench = try await Bench([(nil, 5), (1, 25), (nil, 10), (2, 25), (nil, 5)])
    let client = try begin(bench)
    bench.source.release()
    let first = try event("document.captured", client)
    #expect(first["automatic"]?.bool == true)
    #expect(first["page"]?["corners"]?.array?.count == 4)
    let second = try event("document.captured", client)
    #expect(second["count"]?.int == 2)
    let (a, b) = (first["page"]?["id"]?.string ?? "", second["page"]?["id"]?.string ?? "")
    #expect(a != b)

    #expect(try client.ask("document.rotate", #"{"page":"\#(a)","degrees":90}"#)["result"]?["rotation"]?.int == 90)
    #expect(
      try client.ask("document.rotate", #"{"page":"\#(a)","degrees":45}"#)["error"]?["code"]?.string == "badParams")
    let moved = try client.ask("document.reorder", #"{"page":"\#(b)","index":0}"#)
    #expect(moved["result"]?["pages"]?.array?.first?["id"]?.string == b)
    let corners = "[[100,40],[300,40],[300,300],[100,300]]"
    let adjusted = try client.ask("document.adjust", #"{"page":"\#(a)","corners":\#(corners)}"#)
    #expect(adjusted["result"]?["corners"]?.array?.first?.array?.first?.double == 100)
    let crossed = "[[100,40],[300,300],[300,40],[100,300]]"
    #expect(
      try client.ask("document.adjust", #"{"page":"\#(a)","corners":\#(crossed)}"#)["error"]?["code"]?.string
        == "badParams")
    let filtered = try client.ask("document.filter", #"{"filter":"bw"}"#)
    #expect(filtered["result"]?["pages"]?.array?.allSatisfy { $0["filter"]?.string == "bw" } == true)

    #expect(try client.ask("document.delete", #"{"page":"\#(b)"}"#)["result"]?["count"]?.int == 1)
    #expect(try client.ask("document.restore", #"{"page":"\#(b)"}"#)["result"]?["count"]?.int == 2)
    #expect(try client.ask("document.delete", #"{"page":"p99"}"#)["error"]?["code"]?.string == "notFound")

    let watcher = try RawClient(bench.service.path)
    let header = try watcher.ask("media.document", #"{"page":"\#(a)","width":64}"#)
    let size = try #require(header["size"]?.int)
    #expect(try watcher.bytes(size).starts(with: [0xFF, 0xD8]))

    let saved = try client.ask("document.save", #"{"name":"note"}"#)
    let path = try #require(saved["result"]?["paths"]?.array?.first?.string)
    #expect(path.hasSuffix("/saved/note.pdf"))
    let pdf = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(pdf.starts(with: Array("%PDF".utf8)))
    #expect(saved["result"]?["pages"]?.int == 2)
    // Nothing is left of it in the state folder, and the session is over.
    #expect(try FileManager.default.contentsOfDirectory(atPath: bench.folder + "/session").isEmpty)
    #expect(try client.ask("document.pages")["error"]?["code"]?.string == "noSession")
    await bench.stop()
  }

  @Test func pagesOutliveTheirClientAndTheService() async throws {
    let state = try TestFolder.make()
    let bench = try await Bench([(1, 30)], state: state)
    let client = try begin(bench)
    let other = try RawClient(bench.service.path)
    let refused = try other.ask("document.begin")
    #expect(refused["error"]?["code"]?.string == "busy")
    #expect(refused["error"]?["holder"]?["client"]?.int != nil)
    bench.source.release()
    _ = try event("document.captured", client)
    await bench.stop()

    let again = try await Bench([(nil, 1)], state: state)
    let next = try RawClient(again.service.path)
    let begun = try next.ask("document.begin")
    #expect(begun["result"]?["count"]?.int == 1)
    #expect(try next.ask("document.discard")["error"] == nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: state + "/session").isEmpty)
    await again.stop()
    try? FileManager.default.removeItem(atPath: state)
  }

  @Test func aPageThatCannotBeWrittenIsReportedAndTheSessionGoesOn() async throws {
    let state = try TestFolder.make()
    // Where the folder should be made stands a file.
    try Data().write(to: URL(fileURLWithPath: state + "/session"))
    let bench = try await Bench([(1, 30)], state: state)
    let client = try begin(bench)
    bench.source.release()
    while true {
      let value = try client.next()
      guard value["event"]?.string == "document.failed" else { continue }
      #expect(value["code"]?.string == "notWritten")
      break
    }
    #expect(try client.ask("document.pages")["result"]?["count"]?.int == 0)
    await bench.stop()
    try? FileManager.default.removeItem(atPath: state)
  }

  @Test func aFullDiskIsReportedAndLosesNothing() async throws {
    let state = try TestFolder.make()
    let refused = Mutex(0)
    var disk = PageStore.Disk()
    disk.replace = { path, bytes in
      if path.hasSuffix("/page-2"), refused.withLock({ $0 }) == 0 {
        refused.withLock { $0 += 1 }
        throw FileError(path, cannotBe: "written", number: ENOSPC)
      }
      try DurableFile.replace(path, with: bytes)
    }
    let bench = try await Bench([(1, 25), (nil, 10), (2, 60)], state: state, disk: disk)
    let client = try begin(bench)
    bench.source.release()
    _ = try event("document.captured", client)
    var reported: [String] = []
    while reported.last != "document.captured" {
      let value = try client.next()
      guard let name = value["event"]?.string, ["document.failed", "document.captured"].contains(name) else { continue }
      reported.append(name)
      if name == "document.failed" { #expect(value["code"]?.string == "noSpace") }
    }
    // Once there is room again, the page that is still in view is captured after all.
    #expect(reported == ["document.failed", "document.captured"])
    #expect(try client.ask("document.pages")["result"]?["count"]?.int == 2)
    await bench.stop()
    #expect(try PageStore(folder: state + "/session").load().ledger?.kept.count == 2)
    try? FileManager.default.removeItem(atPath: state)
  }

  @Test func withoutItsCameraASessionKeepsItsPagesAndSavesThem() async throws {
    let bench = try await Bench([(1, 40)], lostAfter: 30)
    let client = try begin(bench)
    let watcher = try RawClient(bench.service.path)
    _ = try watcher.ask("subscribe", #"{"events":["camera.status"]}"#)
    bench.source.release()
    _ = try event("document.captured", client)
    while try event("camera.status", watcher)["status"]?.string != "lost" {}
    #expect(try client.ask("document.pages")["result"]?["count"]?.int == 1)
    let saved = try client.ask("document.save", #"{"name":"kept"}"#)
    #expect(saved["result"]?["pages"]?.int == 1)
    await bench.stop()
  }

  @Test(arguments: ["", "../note", "a/b", ".hidden", "a\u{0}b", String(repeating: "x", count: 200)])
  func whatIsNoNameIsRefused(_ name: String) { #expect(DocumentWriter.name(name, now: 0) == nil) }

  @Test func withoutANameTheTimeIsOne() throws {
    #expect(try #require(DocumentWriter.name(nil, now: 1_700_000_000)).hasPrefix("document-2023-11-1"))
    #expect(DocumentWriter.name("Lieferschein 7", now: 0) == "Lieferschein 7")
  }
}
