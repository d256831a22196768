import Foundation
import Synchronization
import Testing
import WaymarkDocuments
import WaymarkFrames
import WaymarkImage
import WaymarkProtocol
import WaymarkSystem

@testable import WaymarkServer
@testable import WaymarkService
@testable import WaymarkStation
@testable import WaymarkText
@testable import WaymarkWorker

/// A service with two cameras: requests name one, events say of which they are, and one that fails leaves the other alone.
@Suite("Several cameras", .serialized, .ownThread) final class SeveralCamerasTests {
  private let folder: String

  init() throws { folder = try TestFolder.make() }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private static let samples = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Samples")

  /// A service whose cameras `front` and `desk` look at a code each.
  ///
  /// - Parameter desk: another picture for the desk.
  private func service(desk: String? = nil) async throws -> TestService {
    for (name, text) in [("front", "ABOVE"), ("desk", "BELOW")] { try drawCode(text, to: "\(folder)/\(name).png") }
    let front = try FolderSource(path: folder + "/front.png", rate: 30)
    let desk = try FolderSource(path: desk ?? folder + "/desk.png", rate: 30)
    return try await TestService { [folder] hub in try Self.modules(hub, front: front, desk: desk, cache: folder) }
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
      let codes = CodesModule(
        hub: hub, scans: scans, capture: capture, cameras: CameraChoice(), place: (name == "front" ? 0 : 1, 2))
      return (capture: capture, scans: scans, codes: codes)
    }
    var pages = DocumentsModule.Settings()
    (pages.folder, pages.output) = (cache + "/pages", cache + "/saved")
    let documents = DocumentsModule(hub: hub, cameras: captures, settings: pages, models: try PageModels.load())
    let text = TextModule(
      hub: hub, cameras: captures, settings: TextSettings(),
      engineHost: TextEngineHost { languages throws(TextError) in
        try TextEngine(languages: ["eng"], executable: cache + "/engine", limit: 0.5)
      })
    for capture in captures.all { capture.start() }
    documents.start()
    let scenes = ScenesModule(hub: hub, cameras: cameras.map { ($1.capture, $1.scans) }, settings: Self.scenes(cache))
    return [
      CamerasModule(cameras.map { [$1.capture, $1.scans, $1.codes] as [any ServiceModule] }),
      StatisticsModule(hub: hub, cameras: captures), MediaModule(hub: hub, cameras: captures), documents,
      text,
      scenes, SceneMethods(scenes), GalleryModule(folders: [samples.appending(path: "pictures").path]),
    ]
  }

  private static func scenes(_ cache: String) -> SceneSettings {
    var settings = SceneSettings()
    settings.cache = cache
    settings.folders = [samples.appending(path: "scenes").path]
    return settings
  }

  @Test(
    "Each camera has a scan of its own, and events say whose they are",
    .enabled(if: canDrawCodes, "needs qrencode"), .timeLimit(.minutes(2)))
  func scansInBoth() async throws {
    let service = try await service()
    let client = try service.client()
    let snapshot = try client.ask("subscribe", #"{"events":["scan.*"]}"#)
    let cameras = try #require(snapshot["result"]?["cameras"]?.array)
    #expect(cameras.map { $0["name"] } == ["front", "desk"])
    // One camera may have read its code before the other one's scan is armed.
    try client.send(#"{"id":1,"method":"scan.begin","params":{"mode":"barcode"}}"# + "\n")
    try client.send(#"{"id":2,"method":"scan.begin","params":{"mode":"barcode","camera":"desk"}}"# + "\n")
    var texts: [String: Set<String>] = [:]
    var begun: [Int: String] = [:]
    while texts.count < 2 || begun.count < 2 {
      let line = try client.next()
      if let id = line["id"]?.int { begun[id] = line["result"]?["scan"]?.string ?? "" }
      guard line["event"] == "scan.successful" else { continue }
      let camera = try #require(line["camera"]?.string)
      #expect(line["scan"] == (camera == "desk" ? "desk.1" : "1"))
      texts[camera, default: []].insert(try #require(line["text"]?.string))
    }
    #expect(begun == [1: "1", 2: "desk.1"])
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
    "An unknown camera name is refused in every request",
    .enabled(if: canDrawCodes, "needs qrencode"), .timeLimit(.minutes(2)))
  func unknownNames() async throws {
    let service = try await service()
    let client = try service.client()
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
    .enabled(if: canDrawCodes, "needs qrencode"), .timeLimit(.minutes(2)))
  func picturesAndCodes() async throws {
    let service = try await service()
    let pictures = try service.client()
    for camera in ["desk", "front"] {
      try pictures.send("{\"id\":1,\"method\":\"media.snapshot\",\"params\":{\"camera\":\"\(camera)\"}}\n")
      let header = try pictures.next()
      #expect(header["camera"]?.string == camera)
      _ = try pictures.bytes(try #require(header["size"]?.int))
    }
    let client = try service.client()
    _ = try client.ask("subscribe", #"{"events":["code.*"]}"#)
    _ = try client.ask("codes.follow", #"{"camera":"desk"}"#, id: 2)
    let found = try client.event("code.found")
    #expect(found["camera"] == "desk" && found["text"] == "BELOW")
    await service.stop()
  }

  @Test(
    "An accepted picture waits in the scan of the camera that was named, else of the first",
    .enabled(if: canDrawCodes, "needs qrencode"), .timeLimit(.minutes(2)))
  func picturesWaitInACamera() async throws {
    let service = try await service()
    let client = try service.client()
    let pictures = try #require(try client.ask("gallery.list")["result"]?["pictures"]?.array)
    let picture = try #require(pictures.first { $0["name"] == "onboarding.png" }?["id"]?.string)
    func armed(_ id: Int) throws -> [JSONValue?] {
      let cameras = try client.ask("status", "{}", id: id)["result"]?["cameras"]?.array ?? []
      return cameras.map { $0["scan"]?["scan"] }
    }
    let desk = try client.ask("gallery.scan", "{\"id\":\"\(picture)\",\"camera\":\"desk\"}", id: 2)["result"]
    #expect(desk?["outcome"] == "successful" && desk?["scan"] == "desk.1")
    #expect(try armed(3) == [nil, "desk.1"])
    _ = try client.ask("scan.cancel", #"{"scan":"desk.1"}"#, id: 4)
    let front = try client.ask("gallery.scan", "{\"id\":\"\(picture)\"}", id: 5)["result"]
    #expect(front?["scan"] == "1")
    #expect(try armed(6) == ["1", nil])
    // One that is refused, or only read, has an id of that camera, too.
    let read = try client.ask(
      "gallery.scan", "{\"id\":\"\(picture)\",\"mode\":\"barcode\",\"camera\":\"desk\"}", id: 7)
    #expect(read["result"]?["scan"] == "desk.still1")
    let unknown = try client.ask("gallery.scan", "{\"id\":\"\(picture)\",\"camera\":\"roof\"}", id: 8)
    #expect(unknown["error"]?["code"] == "notFound")
    await service.stop()
  }

  @Test(
    "A scene is followed in the camera that was asked for, and goes back with the next",
    .enabled(if: canDrawCodes, "needs qrencode"), .timeLimit(.minutes(2)))
  func scenesSayWhich() async throws {
    let service = try await service()
    let client = try service.client()
    func loaded(_ params: String, id: Int) throws -> JSONValue? {
      try client.send("{\"id\":\(id),\"method\":\"scene.load\",\"params\":\(params)}\n")
      let event = try client.event("scene.loaded")
      #expect(event["scene"]?["camera"] == event["camera"])
      return event["camera"]
    }
    _ = try client.ask("subscribe", #"{"events":["scene.*","session.*"]}"#)
    #expect(try loaded(#"{"name":"stores","camera":"desk"}"#, id: 2) == "desk")
    try client.send(#"{"id":3,"method":"session.start","params":{}}"# + "\n")
    #expect(try client.event("session.phase")["camera"] == "desk")
    #expect(try loaded(#"{"name":"stores"}"#, id: 4) == "front")
    await service.stop()
  }

  @Test(
    "Pages are captured at the desk while codes are read in front",
    .enabled(if: canDrawCodes, "needs qrencode"), .timeLimit(.minutes(3)))
  func pagesAndCodes() async throws {
    let service = try await service(desk: Self.samples.appending(path: "papers/letter-1.jpg").path)
    let client = try service.client()
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

  @Test(
    "Pages are captured at the desk while a scene is followed and text is read in front",
    .enabled(if: canDrawCodes && FakeTextEngine.isPossible, "needs qrencode, python3"),
    .timeLimit(.minutes(3)))
  func sessionsInBoth() async throws {
    let engine = try FakeTextEngine("text('ABOVE')")
    try FileManager.default.createSymbolicLink(atPath: folder + "/engine", withDestinationPath: engine.path)
    let service = try await service(desk: Self.samples.appending(path: "papers/letter-1.jpg").path)
    let client = try service.client()
    _ = try client.ask("subscribe", #"{"events":["scene.loaded","session.phase","text.*","document.captured"]}"#)
    try client.send(#"{"id":2,"method":"scene.load","params":{"name":"stores","camera":"front"}}"# + "\n")
    _ = try client.event("scene.loaded")
    _ = try client.ask("session.start", "{}", id: 3)
    let text = try client.ask("text.begin", #"{"camera":"front","region":[0,0,1,1]}"#, id: 4)
    #expect(text["result"]?["camera"] == "front")
    var begun = try client.ask("document.begin", #"{"camera":"desk"}"#, id: 5)
    while begun["error"]?["code"] == "notConfigured" {
      begun = try client.ask("document.begin", #"{"camera":"desk"}"#, id: 5)
    }
    #expect(try client.event("document.captured")["camera"] == "desk")
    // All three are still at work, each in its camera.
    let lanes = { (name: String) in
      let status = try client.ask("status", "{}", id: 6)
      return (status["result"]?["statistics"]?["cameras"]?.array ?? []).map { camera in
        camera["lanes"]?.array?.first { $0["name"]?.string == name }?["frames"]?.int ?? 0
      }
    }
    while try lanes("anchors")[0] == 0 || lanes("text")[0] == 0 {}
    #expect(try lanes("anchors")[1] == 0 && lanes("text")[1] == 0)
    #expect(try lanes("documents")[0] == 0 && lanes("documents")[1] > 0)
    let state = try client.ask("status", "{}", id: 7)["result"]
    #expect(state?["text"]?["camera"] == "front" && state?["session"] != "inactive" && state?["scene"] == "stores")
    await service.stop()
  }

  @Test(
    "No two cameras give codes that are followed the same number",
    .enabled(if: canDrawCodes, "needs qrencode"), .timeLimit(.minutes(2)))
  func numbersOfCodes() async throws {
    let service = try await service()
    let client = try service.client()
    _ = try client.ask("subscribe", #"{"events":["code.found"]}"#)
    var texts: [Int: String] = [:]
    // Begun twice: what is followed again has other numbers.
    for round in 0..<2 {
      for camera in ["front", "desk"] {
        try client.send("{\"id\":2,\"method\":\"codes.follow\",\"params\":{\"camera\":\"\(camera)\"}}\n")
      }
      while texts.count < 2 * (round + 1) {
        let event = try client.next()
        guard event["event"] == "code.found", let number = event["code"]?.int else { continue }
        #expect(texts[number] == nil)
        texts[number] = event["text"]?.string
      }
      for camera in ["front", "desk"] {
        try client.send("{\"id\":3,\"method\":\"codes.unfollow\",\"params\":{\"camera\":\"\(camera)\"}}\n")
      }
    }
    #expect(texts.values.sorted() == ["ABOVE", "ABOVE", "BELOW", "BELOW"])
    await service.stop()
  }

  @Test("A lane that hangs is named with its camera, and the other's frames are looked at", .timeLimit(.minutes(2)))
  func hangs() async throws {
    let frames = Self.samples.appending(path: "frames").path
    let front = FrameCounter("barcode")
    let source = try SteppedSource(folder: frames, rate: 10, blanks: 0, processed: { front.value })
    let desk = try SteppedSource(folder: frames, rate: 10, blanks: 0, processed: { 0 })
    let count = try FileManager.default.contentsOfDirectory(atPath: frames).count { $0.hasSuffix(".jpg") }
    let continues = Monitor(false)
    let pipelines = Mutex<[FramePipeline]>([])
    let service = try await TestService { [folder] hub in
      let modules = try Self.modules(hub, front: source, desk: desk, cache: folder)
      let all = (modules.compactMap { $0 as? StatisticsModule }.first?.cameras.all ?? []).map(\.pipeline)
      pipelines.withLock { $0 = all }
      front.count(in: all[0])
      let stuck = Lane<Int, Int>(
        name: "stuck", settings: 0, makeWork: { { _, _ in continues.wait { $0 ? 1 : nil } } }, deliver: { _, _ in })
      stuck.setEnabled(true)
      all[1].add(stuck)
      return modules
    }
    let client = try service.client()
    _ = try client.ask("scan.begin", #"{"mode":"barcode"}"#)
    try await service.until { _ in source.isOpen && desk.isOpen }
    desk.release()
    let all = pipelines.withLock { $0 }
    try await service.until { _ in all[1].hungLanes(limit: 0) == ["stuck"] }
    source.release()
    try await service.until { _ in source.isFinished }
    #expect(front.value == UInt64(count))
    #expect(all[1].hungLanes(limit: 0) == ["stuck"] && all[0].hungLanes(limit: 10).isEmpty)
    continues.update { $0 = true }
    await service.stop()
  }

  @Test("A camera that is unplugged leaves the frames of the other alone", .timeLimit(.minutes(2)))
  func unplugged() async throws {
    let frames = Self.samples.appending(path: "frames").path
    let counters = (front: FrameCounter("barcode"), desk: FrameCounter("barcode"))
    let front = try SteppedSource(folder: frames, rate: 10, blanks: 0, processed: { counters.front.value })
    let desk = try SteppedSource(
      folder: frames, rate: 10, blanks: 0, lostAfter: 2, processed: { counters.desk.value })
    let count = try FileManager.default.contentsOfDirectory(atPath: frames).count { $0.hasSuffix(".jpg") }
    let service = try await TestService { [folder] hub in
      let modules = try Self.modules(hub, front: front, desk: desk, cache: folder)
      let captures = modules.compactMap { $0 as? StatisticsModule }.first?.cameras.all ?? []
      for (counter, capture) in zip([counters.front, counters.desk], captures) {
        counter.count(in: capture.pipeline)
      }
      return modules
    }
    let client = try service.client()
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

  @Test("The only camera has a name for requests, and events do not say it", .timeLimit(.minutes(2)))
  func theOnlyOne() async throws {
    let source = try SteppedSource(folder: folder, rate: 1, blanks: 0, processed: { 0 })
    let service = try await TestService { hub in
      let captures = ByCamera(CaptureModule(hub: hub, source: source))
      let modules = captures.map { _, capture in
        [capture, ScanModule(hub: hub, capture: capture, rules: .init())] as [any ServiceModule]
      }
      return [CamerasModule(modules)]
    }
    let client = try service.client()
    let snapshot = try client.ask("subscribe", #"{"events":["scan.*"]}"#)
    #expect(snapshot["result"]?["cameras"] == nil)
    #expect(try client.ask("scan.begin", #"{"mode":"barcode","camera":"main"}"#, id: 2)["result"]?["scan"] == "1")
    try client.send(#"{"id":3,"method":"scan.cancel","params":{}}"# + "\n")
    #expect(try client.event("scan.cancelled")["camera"] == nil)
    while try client.next()["id"] != 3 {}
    #expect(try client.ask("scan.begin", #"{"mode":"barcode","camera":"desk"}"#, id: 4)["error"]?["code"] == "notFound")
    await service.stop()
  }
}
