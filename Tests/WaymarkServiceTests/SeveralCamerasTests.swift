import Foundation
import Synchronization
import Testing
import WaymarkDocuments
import WaymarkFrames
import WaymarkImage
import WaymarkJSON
import WaymarkPipeline
import WaymarkProtocol

@testable import WaymarkServer
@testable import WaymarkService

/// A service with two cameras: requests name one, events say of which they are, and one that fails leaves the other alone.
@Suite("Several cameras", .serialized, .ownThread) struct SeveralCamerasTests {
  private static let samples = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Samples")

  /// A service whose cameras `front` and `desk` look at a code each.
  ///
  /// - Parameter desk: another picture for the desk.
  private func service(in folder: String, desk: String? = nil) async throws -> TestService {
    for (name, text) in [("front", "ABOVE"), ("desk", "BELOW")] {
      let encoder = Process()
      encoder.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      encoder.arguments = ["qrencode", "-s", "6", "-m", "8", "-o", "\(folder)/\(name).png", text]
      try encoder.run()
      encoder.waitUntilExit()
    }
    let front = try FolderSource(path: folder + "/front.png", rate: 30)
    let desk = try FolderSource(path: desk ?? folder + "/desk.png", rate: 30)
    return try await TestService { hub in try Self.modules(hub, front: front, desk: desk, cache: folder) }
  }

  @ServiceActor
  private static func modules(
    _ hub: Hub, front: any FrameSource, desk: any FrameSource, cache: String
  ) throws -> [any ServerModule] {
    let captures = ByCamera(
      CaptureModule(hub: hub, source: front, camera: "front"), named: "front",
      others: [("desk", CaptureModule(hub: hub, source: desk, camera: "desk"))])
    let cameras = captures.map { name, capture in
      let scans = ScanModule(hub: hub, capture: capture, rules: .init(), further: name == "front" ? nil : name)
      let codes = CodesModule(hub: hub, scans: scans, capture: capture, cameras: CameraChoice())
      return (capture: capture, scans: scans, codes: codes)
    }
    var pages = DocumentsModule.Settings()
    (pages.folder, pages.output) = (cache + "/pages", cache + "/saved")
    let documents = DocumentsModule(hub: hub, cameras: captures, settings: pages, models: try PageModels.load())
    for capture in captures.all { capture.start() }
    documents.start()
    return [
      CamerasModule(cameras.map { [$1.capture, $1.scans, $1.codes] as [any ServiceModule] }),
      StatisticsModule(hub: hub, cameras: captures), MediaModule(hub: hub, cameras: captures), documents,
      ScenesModule(hub: hub, cameras: cameras.map { ($1.capture, $1.scans) }, settings: scenes(cache)),
    ]
  }

  private static func scenes(_ cache: String) -> ScenesModule.Settings {
    var settings = ScenesModule.Settings()
    settings.cache = cache
    settings.folders = [
      samples.appending(path: "scenes").path
    ]
    return settings
  }

  private func client(_ service: TestService) throws -> RawClient {
    let client = try RawClient(service.path)
    _ = try client.next()
    return client
  }

  @Test(
    "Each camera has a scan of its own, and events say whose they are",
    .enabled(if: ConfirmationTests.isPossible, "needs qrencode"), .timeLimit(.minutes(2)))
  func scansInBoth() async throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let service = try await service(in: folder)
    let client = try client(service)
    let snapshot = try client.ask("subscribe", #"{"events":["scan.*"]}"#)
    let cameras = try #require(snapshot["result"]?["cameras"]?.array)
    #expect(cameras.map { $0["name"] } == ["front", "desk"])
    #expect(try client.ask("scan.begin", #"{"mode":"barcode"}"#)["result"]?["scan"] == "1")
    #expect(
      try client.ask("scan.begin", #"{"mode":"barcode","camera":"desk"}"#, id: 2)["result"]?["scan"] == "desk.1")
    var texts: [String: Set<String>] = [:]
    while texts.count < 2 {
      let event = try client.next()
      guard event["event"] == "scan.successful" else { continue }
      let camera = try #require(event["camera"]?.string)
      #expect(event["scan"] == (camera == "desk" ? "desk.1" : "1"))
      texts[camera, default: []].insert(try #require(event["text"]?.string))
    }
    #expect(texts == ["front": ["ABOVE"], "desk": ["BELOW"]])
    // The id alone says of which camera a scan is.
    #expect(try client.ask("scan.cancel", #"{"scan":"desk.1"}"#, id: 3)["result"] != nil)
    let after = try client.ask("status", "{}", id: 4)
    let states = try #require(after["result"]?["cameras"]?.array)
    #expect(states.map { $0["scan"]?["scan"] } == ["1", nil])
    #expect(after["result"]?["scan"]?["scan"] == "1")
    let figures = try #require(after["result"]?["statistics"]?["cameras"]?.array)
    #expect(figures.map { $0["name"] } == ["front", "desk"])
    #expect(figures.allSatisfy { ($0["frames"]?["captured"]?.int ?? 0) > 0 })
    await service.stop()
  }

  @Test(
    "A name that no camera has is refused, whatever is asked",
    .enabled(if: ConfirmationTests.isPossible, "needs qrencode"), .timeLimit(.minutes(2)))
  func unknownNames() async throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let service = try await service(in: folder)
    let client = try client(service)
    for (method, params) in [
      ("scan.begin", #"{"mode":"barcode","camera":"roof"}"#), ("scan.cancel", #"{"scan":"roof.1"}"#),
      ("codes.follow", #"{"camera":"roof"}"#), ("scene.load", #"{"name":"stores","camera":"roof"}"#),
      ("session.start", #"{"camera":"roof"}"#),
    ] {
      let error = try client.ask(method, params)["error"]
      #expect(error?["code"] == "notFound" && error?["hint"]?.string?.contains("front, desk") == true, "\(method)")
    }
    #expect(try client.ask("scan.begin", #"{"mode":"barcode","camera":7}"#)["error"]?["code"] == "badParams")
    #expect(try client.ask("media.snapshot", #"{"camera":"roof"}"#)["error"]?["code"] == "notFound")
    await service.stop()
  }

  @Test(
    "A picture and followed codes are those of the camera that was named",
    .enabled(if: ConfirmationTests.isPossible, "needs qrencode"), .timeLimit(.minutes(2)))
  func picturesAndCodes() async throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let service = try await service(in: folder)
    let pictures = try client(service)
    for camera in ["desk", "front"] {
      try pictures.send("{\"id\":1,\"method\":\"media.snapshot\",\"params\":{\"camera\":\"\(camera)\"}}\n")
      let header = try pictures.next()
      #expect(header["camera"]?.string == camera)
      _ = try pictures.bytes(try #require(header["size"]?.int))
    }
    let client = try client(service)
    _ = try client.ask("subscribe", #"{"events":["code.*"]}"#)
    _ = try client.ask("codes.follow", #"{"camera":"desk"}"#, id: 2)
    var found = try client.next()
    while found["event"] != "code.found" { found = try client.next() }
    #expect(found["camera"] == "desk" && found["text"] == "BELOW")
    await service.stop()
  }

  @Test(
    "A scene is followed in the camera that was asked for, and goes back with the next",
    .enabled(if: ConfirmationTests.isPossible, "needs qrencode"), .timeLimit(.minutes(2)))
  func scenesSayWhich() async throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let service = try await service(in: folder)
    let client = try client(service)
    func loaded(_ params: String, id: Int) throws -> JSONValue? {
      try client.send("{\"id\":\(id),\"method\":\"scene.load\",\"params\":\(params)}\n")
      var event = try client.next()
      while event["event"] != "scene.loaded" { event = try client.next() }
      #expect(event["scene"]?["camera"] == event["camera"])
      return event["camera"]
    }
    _ = try client.ask("subscribe", #"{"events":["scene.*","session.*"]}"#)
    #expect(try loaded(#"{"name":"stores","camera":"desk"}"#, id: 2) == "desk")
    try client.send(#"{"id":3,"method":"session.start","params":{}}"# + "\n")
    var event = try client.next()
    while event["event"] != "session.phase" { event = try client.next() }
    #expect(event["camera"] == "desk")
    #expect(try loaded(#"{"name":"stores"}"#, id: 4) == "front")
    await service.stop()
  }

  @Test(
    "Pages are captured at the desk while codes are read in front",
    .enabled(if: ConfirmationTests.isPossible, "needs qrencode"), .timeLimit(.minutes(3)))
  func pagesAndCodes() async throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let service = try await service(in: folder, desk: Self.samples.appending(path: "papers/letter-1.jpg").path)
    let client = try client(service)
    let events = #"{"events":["scan.successful","document.captured","document.changed"]}"#
    _ = try client.ask("subscribe", events)
    // Its pages are read from the disk first.
    var begun = try client.ask("document.begin", #"{"camera":"desk"}"#, id: 2)
    while begun["error"]?["code"] == "notConfigured" {
      begun = try client.ask("document.begin", #"{"camera":"desk"}"#, id: 2)
    }
    #expect(begun["result"]?["camera"] == "desk")
    try client.send(#"{"id":3,"method":"scan.begin","params":{"mode":"barcode"}}"# + "\n")
    var seen: [String: JSONValue] = [:]
    while seen.count < 2 {
      let event = try client.next()
      guard let name = event["event"]?.string, name != "document.changed" else { continue }
      seen[name] = event["camera"]
    }
    #expect(seen == ["scan.successful": "front", "document.captured": "desk"])
    let status = try client.ask("status", "{}", id: 4)
    let lanes = (status["result"]?["statistics"]?["cameras"]?.array ?? []).map { camera in
      camera["lanes"]?.array?.first { $0["name"] == "documents" }?["frames"]?.int ?? -1
    }
    #expect(lanes.first == 0 && (lanes.last ?? 0) > 0)
    await service.stop()
  }

  @Test("A camera that is unplugged leaves the frames of the other alone", .timeLimit(.minutes(2)))
  func unplugged() async throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let frames = Self.samples.appending(path: "frames").path
    let counters = (front: Counter(), desk: Counter())
    let front = try SteppedSource(folder: frames, rate: 10, blanks: 0, processed: { counters.front.value })
    let desk = try SteppedSource(
      folder: frames, rate: 10, blanks: 0, lostAfter: 2, processed: { counters.desk.value })
    let count = try FileManager.default.contentsOfDirectory(atPath: frames).count { $0.hasSuffix(".jpg") }
    let service = try await TestService { hub in
      let modules = try Self.modules(hub, front: front, desk: desk, cache: folder)
      let captures = modules.compactMap { $0 as? StatisticsModule }.first?.cameras.all ?? []
      for (counter, capture) in zip([counters.front, counters.desk], captures) {
        let pipeline = capture.pipeline
        counter.read.withLock { $0 = { Self.processed(pipeline) } }
      }
      return modules
    }
    let client = try client(service)
    _ = try client.ask("subscribe", #"{"events":["camera.status"]}"#)
    _ = try client.ask("scan.begin", #"{"mode":"barcode"}"#, id: 2)
    _ = try client.ask("scan.begin", #"{"mode":"barcode","camera":"desk"}"#, id: 3)
    try await service.until { _ in front.isOpen && desk.isOpen }
    desk.release()
    var event = try client.next()
    while event["status"] != "lost" { event = try client.next() }
    #expect(event["camera"] == "desk")
    front.release()
    try await service.until { _ in front.isFinished }
    #expect(counters.front.value == UInt64(count) && counters.desk.value == 2)
    await service.stop()
  }

  private static func processed(_ pipeline: FramePipeline) -> UInt64 {
    pipeline.statistics.lanes.first { $0.name == "barcode" }?.statistics.processed ?? 0
  }

  private final class Counter: Sendable {
    let read = Mutex<(@Sendable () -> UInt64)?>(nil)
    var value: UInt64 { read.withLock { $0 }?() ?? 0 }
  }

  @Test("The only camera has a name for requests, and events do not say it", .timeLimit(.minutes(2)))
  func theOnlyOne() async throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let source = try SteppedSource(folder: folder, rate: 1, blanks: 0, processed: { 0 })
    let service = try await TestService { hub in
      let captures = ByCamera(CaptureModule(hub: hub, source: source))
      let modules = captures.map { _, capture in
        [capture, ScanModule(hub: hub, capture: capture, rules: .init())] as [any ServiceModule]
      }
      return [CamerasModule(modules)]
    }
    let client = try client(service)
    let snapshot = try client.ask("subscribe", #"{"events":["scan.*"]}"#)
    #expect(snapshot["result"]?["cameras"] == nil)
    #expect(try client.ask("scan.begin", #"{"mode":"barcode","camera":"main"}"#, id: 2)["result"]?["scan"] == "1")
    try client.send(#"{"id":3,"method":"scan.cancel","params":{}}"# + "\n")
    var event = try client.next()
    while event["event"] != "scan.cancelled" { event = try client.next() }
    #expect(event["camera"] == nil)
    while try client.next()["id"] != 3 {}
    #expect(try client.ask("scan.begin", #"{"mode":"barcode","camera":"desk"}"#, id: 4)["error"]?["code"] == "notFound")
    await service.stop()
  }
}
