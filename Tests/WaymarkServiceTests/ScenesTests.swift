import Foundation
import Logging
import Synchronization
import Testing
import WaymarkAnchors
import WaymarkImage
import WaymarkProtocol
import WaymarkScenes
import WaymarkSystem
import WaymarkWorker

@testable import WaymarkServer
@testable import WaymarkService

/// Scenes in the running service: loaded, mended, broken and moved while clients look on.
@Suite(.ownThread) struct ScenesTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path

  /// A service with a copy of the sample scene, and frames that come only when they are let go.
  private final class Bench: Sendable {
    let folder: String
    let service: TestService
    let source: SteppedSource
    private let module = Mutex<ScenesModule?>(nil)

    init(pictures: Range<Int> = 0..<0, _ configure: (inout SceneSettings, String) -> Void = { _, _ in })
      async throws
    {
      let folder = try TestFolder.make()
      self.folder = folder
      try FileManager.default.createDirectory(atPath: "\(folder)/scenes", withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        atPath: "\(ScenesTests.root)/Samples/scenes/pump-room", toPath: "\(folder)/scenes/pump-room")
      var settings = SceneSettings()
      settings.folders = ["\(folder)/scenes"]
      settings.cache = "\(folder)/cache"
      settings.watchInterval = 0.01
      configure(&settings, folder)
      let chosen = settings
      let box = Box()
      let source = try SteppedSource(
        folder: "\(ScenesTests.root)/Samples/sequences/pump-room", rate: 20, pictures: pictures, blanks: 0,
        processed: { box.value })
      self.source = source
      let made = Made()
      service = try await TestService(modules: { hub in
        let capture = CaptureModule(hub: hub, source: source)
        let pipeline = capture.pipeline
        box.read = { UInt64(pipeline.statistics.lanes.first { $0.name == "anchors" }?.frames ?? 0) }
        let scenes = ScenesModule(hub: hub, cameras: ByCamera((capture, nil)), settings: chosen)
        made.module = scenes
        capture.start()
        return [capture, scenes, SceneMethods(scenes)]
      })
      module.withLock { $0 = made.module }
    }

    var scenes: ScenesModule { module.withLock { $0 }! }
    var yaml: String { "\(folder)/scenes/pump-room/scene.yaml" }

    /// A client whose session looks for the anchors of the sample scene.
    func scanner() throws -> RawClient {
      let remote = try service.client()
      _ = try remote.ask("scene.load", #"{"name":"pump-room"}"#)
      _ = try remote.ask("session.start")
      _ = try remote.ask("session.scan")
      return remote
    }

    /// Changes the scene's text as an editor does: the whole file at once.
    func edit(_ change: (String) -> String) throws {
      try change(try String(contentsOfFile: yaml, encoding: .utf8)).write(
        toFile: yaml, atomically: true, encoding: .utf8)
    }

    /// A client that hears everything of scenes and the session.
    func watcher() throws -> RawClient {
      let client = try service.client(subscribing: #"{"events":["scene.*","session.*","annotation.*","anchors.*"]}"#)
      return client
    }

    func start() async { await Self.start(scenes) }
    func use(_ settings: SceneSettings) async { await Self.use(settings, scenes) }
    var settings: SceneSettings { get async { await Self.settings(scenes) } }

    @ServiceActor private static func start(_ scenes: ScenesModule) { scenes.start() }
    @ServiceActor private static func settings(_ scenes: ScenesModule) -> SceneSettings { scenes.settings }
    @ServiceActor private static func use(_ settings: SceneSettings, _ scenes: ScenesModule) {
      scenes.use(settings)
    }

    func stop() async {
      await service.stop()
      try? FileManager.default.removeItem(atPath: folder)
    }
  }

  /// Set once, before anything runs.
  private final class Box: Sendable {
    private let body = Mutex<(@Sendable () -> UInt64)?>(nil)
    init() {}
    var read: (@Sendable () -> UInt64)? {
      get { body.withLock { $0 } }
      set { body.withLock { $0 = newValue } }
    }
    var value: UInt64 { read?() ?? 0 }
  }

  private final class Made: Sendable {
    private let body = Mutex<ScenesModule?>(nil)
    var module: ScenesModule? {
      get { body.withLock { $0 } }
      set { body.withLock { $0 = newValue } }
    }
  }

  /// The next event of a name.
  private func next(_ name: String, _ client: RawClient) throws -> JSONValue {
    while true {
      let event = try client.next()
      if event["event"] == .string(name) { return event }
    }
  }

  private func snapshot(_ client: RawClient) throws -> JSONValue {
    try client.ask("subscribe", #"{"events":["scene.*"]}"#)["result"] ?? .null
  }

  @Test func aScanThatIsSentWithTheStartWaitsForItsScene() async throws {
    let bench = try await Bench()
    let client = try bench.service.client()
    try client.send(
      """
      {"id":1,"method":"session.start","params":{"scene":"pump-room"}}
      {"id":2,"method":"session.scan"}

      """)
    var phases: [Int: String] = [:]
    while phases.count < 2 {
      let line = try client.next()
      if let id = line["id"]?.int { phases[id] = line["result"]?["phase"]?.string ?? "refused" }
    }
    #expect(phases == [1: "coaching", 2: "scanning"])
    // Without a start, a scan is refused at once, as it is after a start that failed.
    _ = try client.ask("session.exit", id: 3)
    #expect(try client.ask("session.scan", id: 4)["error"]?["code"] == "wrongPhase")
    try client.send(
      """
      {"id":5,"method":"session.start","params":{"scene":"nothing"}}
      {"id":6,"method":"session.scan"}

      """)
    var codes: [Int: String] = [:]
    while codes.count < 2 {
      let line = try client.next()
      if let id = line["id"]?.int { codes[id] = line["error"]?["code"]?.string ?? "" }
    }
    #expect(codes == [5: "notFound", 6: "wrongPhase"])
    await bench.service.stop()
  }

  @Test func loadingReportsItsProgress() async throws {
    let bench = try await Bench()
    let watcher = try bench.watcher()
    let remote = try bench.service.client()
    #expect(try remote.ask("scene.load", #"{"name":"pump-room"}"#)["result"]?["scene"] == "pump-room")
    var progress: [Double] = []
    while true {
      let event = try watcher.next()
      if event["event"] == "scene.progress" {
        #expect(event["scene"] == "pump-room" && event["total"]?.double == 3)
        progress.append(event["done"]?.double ?? -1)
      }
      if event["event"] == "scene.loaded" { break }
    }
    #expect(progress == [0, 1, 2, 3])
    // Compiled before: at once, and without progress events.
    _ = try remote.ask("scene.unload")
    #expect(try remote.ask("scene.load", #"{"name":"pump-room"}"#)["result"]?["scene"] == "pump-room")
    while true {
      let event = try watcher.next()
      #expect(event["event"] != "scene.progress")
      if event["event"] == "scene.loaded" { break }
    }
    await bench.stop()
  }

  @Test func aRequestForASceneThatIsBeingLoadedWaitsForIt() async throws {
    let bench = try await Bench()
    let watcher = try bench.watcher()
    let clients = try (0..<3).map { _ in
      let client = try bench.service.client()
      return client
    }
    for client in clients {
      try client.send("{\"id\":1,\"method\":\"session.start\",\"params\":{\"scene\":\"pump-room\"}}\n")
    }
    for client in clients { #expect(try client.next()["result"]?["phase"] == "coaching") }
    // It was read once, for all of them.
    _ = try clients[0].ask("session.exit")
    var heard: [String] = []
    while heard.last != "session.phase inactive" {
      let event = try watcher.next()
      heard.append("\(event["event"]?.string ?? "") \(event["phase"]?.string ?? event["done"].map { "\($0)" } ?? "")")
    }
    #expect(heard.count { $0.hasPrefix("scene.loaded") } == 1)
    #expect(heard.count { $0.hasPrefix("scene.progress") } == 4)
    await bench.stop()
  }

  @Test func aChangedSceneIsReadAgainAndKeepsWhatStillExists() async throws {
    let bench = try await Bench()
    let watcher = try bench.watcher()
    let remote = try bench.scanner()
    #expect(try remote.ask("annotation.select", #"{"id":"seal"}"#)["result"]?["id"] == "seal")
    _ = try next("scene.loaded", watcher)
    try bench.edit { $0.replacingOccurrences(of: "title: Shaft seal", with: "title: Seal of the shaft") }
    let loaded = try next("scene.loaded", watcher)
    #expect("\(loaded)".contains("Seal of the shaft"))
    let state = try snapshot(remote)
    #expect(state["session"]?["phase"] == "scanning")
    #expect(state["annotation"]?["id"] == "seal")
    // An annotation that no longer exists cannot stay selected.
    try bench.edit { $0.replacingOccurrences(of: "id: seal", with: "id: gasket") }
    _ = try next("annotation.cleared", watcher)
    #expect(try snapshot(remote)["session"]?["phase"] == "scanning")
    await bench.stop()
  }

  @Test func aBrokenSceneLeavesTheRunningOneAlone() async throws {
    let bench = try await Bench()
    let watcher = try bench.watcher()
    let other = "\(bench.folder)/scenes/broken"
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
    try "name: Broken\nanchors:\n  - name: a\n    image: gone.jpg\n    physicalWidth: -1\n".write(
      toFile: "\(other)/scene.yaml", atomically: true, encoding: .utf8)
    let remote = try bench.scanner()
    #expect(try remote.ask("scene.load", #"{"name":"broken"}"#)["error"]?["code"] == "badScene")
    let failed = try next("scene.failed", watcher)
    guard case .array(let problems)? = failed["problems"] else {
      Issue.record("no problems: \(failed)")
      return
    }
    #expect(problems.count >= 2)
    // A plain picture is found in no frame.
    let plain = Array("P5 200 200 255\n".utf8) + [UInt8](repeating: 128, count: 40_000)
    try Data(plain).write(to: URL(fileURLWithPath: "\(other)/plain.pgm"))
    try "name: Broken\nanchors:\n  - name: a\n    image: plain.pgm\n".write(
      toFile: "\(other)/scene.yaml", atomically: true, encoding: .utf8)
    #expect(try remote.ask("scene.load", #"{"name":"broken"}"#)["error"]?["code"] == "badScene")
    #expect("\(try next("scene.failed", watcher))".contains("usable corners"))
    // Its own files break while it is in use; then its pictures go; then all of it.
    try bench.edit { "anchors: [\n" + $0 }
    #expect(try next("scene.failed", watcher)["scene"] == "pump-room")
    #expect(try snapshot(remote)["session"]?["phase"] == "scanning")
    #expect(try snapshot(remote)["scene"]?["scene"] == "pump-room")
    try FileManager.default.removeItem(atPath: "\(bench.folder)/scenes/pump-room")
    _ = try next("scene.failed", watcher)
    #expect(try snapshot(remote)["session"]?["phase"] == "scanning")
    // And back.
    try FileManager.default.copyItem(
      atPath: "\(Self.root)/Samples/scenes/pump-room", toPath: "\(bench.folder)/scenes/pump-room")
    _ = try next("scene.loaded", watcher)
    #expect(try snapshot(remote)["session"]?["phase"] == "scanning")
    await bench.stop()
  }

  /// Returns a new folder with a copy of the scene of a pump room.
  private static func folderWithPumpRoom() throws -> String {
    let folder = try TestFolder.make()
    try FileManager.default.copyItem(atPath: "\(root)/Samples/scenes/pump-room", toPath: "\(folder)/pump-room")
    return folder
  }

  /// The library's reference of the picture is smaller than the file.
  @Test func aPlaceInPixelsIsOneOfTheFile() throws {
    let folder = try Self.folderWithPumpRoom()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let file = "\(folder)/pump-room/scene.yaml"
    let text = try String(contentsOfFile: file, encoding: .utf8)
    try text.replacing("position: [-0.09, 0.0, 0.0]", with: "px: [240, 300]").write(
      toFile: file, atomically: true, encoding: .utf8)
    let entry = try #require(SceneCatalog(folders: [folder]).entry("pump-room"))
    let loaded = try SceneStore(cache: "\(folder)/cache", isolation: .none).load(entry, previous: nil) { _, _ in }.get()
    let reference = try #require(loaded.library?.references.first { $0.name == "pump-7" })
    #expect(reference.width < 840)
    #expect((loaded.scene.anchors[0].annotations[0].position - Point3(-0.09, 0, 0)).length < 1e-9)
  }

  /// One that is replaced while the others are compiled is seen as a change afterwards.
  @Test func aPictureThatChangesMeanwhileIsNotTakenForTheOld() async throws {
    let folder = try Self.folderWithPumpRoom()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = SceneStore(cache: "\(folder)/cache", isolation: .none)
    let entry = try #require(SceneCatalog(folders: [folder]).entry("pump-room"))
    let pictures = try FileManager.default.subpathsOfDirectory(atPath: "\(folder)/pump-room")
      .filter { $0.hasSuffix(".png") || $0.hasSuffix(".jpg") }.map { "\(folder)/pump-room/\($0)" }
    #expect(!pictures.isEmpty)
    let result = store.load(entry, previous: nil) { done, total in
      guard done == total else { return }
      for path in pictures {
        try? FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: path)
      }
    }
    let loaded = try result.get()
    #expect(SceneFingerprint(folder: loaded.folder, scene: loaded.scene) != loaded.stamp)
  }

  /// An editor may write a file while it is read.
  @Test(arguments: [1, 100]) func aSceneThatIsSavedWhileItIsReadIsReadAgain(times: Int) throws {
    let folder = try Self.folderWithPumpRoom()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = SceneStore(cache: "\(folder)/cache", isolation: .none)
    let entry = try #require(SceneCatalog(folders: [folder]).entry("pump-room"))
    let file = "\(folder)/pump-room/scene.yaml"
    let text = try String(contentsOfFile: file, encoding: .utf8)
    var saved = 0
    // Another width is another library, so that the end of each read is reported.
    let result = store.load(entry, previous: nil) { done, total in
      guard done == total, saved < times else { return }
      saved += 1
      try? text.replacing("physicalWidth: 0.42", with: "physicalWidth: 0.4\(saved + 2)1").write(
        toFile: file, atomically: true, encoding: .utf8)
    }
    if times == 1 {
      #expect(try result.get().scene.anchors[0].physicalWidth == 0.431)
    } else {
      #expect(throws: SceneFailure.self) { try result.get() }
      #expect(saved == 4)
    }
  }

  @Test func aConfiguredSceneIsUsedOnceItIsMended() async throws {
    let bench = try await Bench { settings, folder in
      settings.load = "pump-room"
      settings.start = true
      let yaml = "\(folder)/scenes/pump-room/scene.yaml"
      try? FileManager.default.moveItem(atPath: yaml, toPath: yaml + ".away")
      try? "name: [".write(toFile: yaml, atomically: true, encoding: .utf8)
    }
    let watcher = try bench.watcher()
    await bench.start()
    #expect(try next("scene.failed", watcher)["scene"] == "pump-room")
    try bench.edit { _ in (try? String(contentsOfFile: bench.yaml + ".away", encoding: .utf8)) ?? "" }
    _ = try next("scene.loaded", watcher)
    #expect(try next("session.phase", watcher)["phase"] == "coaching")
    await bench.stop()
  }

  @Test func newSettingsAreTakenOverWhileASessionRuns() async throws {
    let bench = try await Bench()
    let watcher = try bench.watcher()
    let remote = try bench.scanner()
    _ = try next("scene.loaded", watcher)
    // Another folder whose scene has the same name: it is read from there, and the session continues.
    let elsewhere = "\(bench.folder)/elsewhere"
    try FileManager.default.createDirectory(atPath: elsewhere, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: "\(bench.folder)/scenes/pump-room", toPath: "\(elsewhere)/pump-room")
    try FileManager.default.copyItem(atPath: "\(bench.folder)/scenes/pump-room", toPath: "\(elsewhere)/second")
    var settings = await bench.settings
    settings.folders = [elsewhere]
    await bench.use(settings)
    _ = try next("scene.loaded", watcher)
    #expect(try snapshot(remote)["session"]?["phase"] == "scanning")
    let list = try remote.ask("scene.list")["result"]?["scenes"]
    #expect("\(list ?? .null)".contains("second"))
    settings.load = "second"
    await bench.use(settings)
    #expect(try next("scene.loaded", watcher)["scene"]?["scene"] == "second")
    await bench.stop()
  }

  @Test func aCalibrationHoldsForItsCameraAndSize() async throws {
    let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let bench = try await Bench(pictures: 0..<40)
    // Of another size but the same shape: it is resized.
    let file = "\(bench.folder)/front.yaml"
    try """
    image_width: 1280
    image_height: 960
    camera_name: front
    camera_matrix: {rows: 3, cols: 3, data: [1100, 0, 640, 0, 1102, 480, 0, 0, 1]}
    distortion_model: plumb_bob
    distortion_coefficients: {rows: 1, cols: 5, data: [0.01, -0.02, 0, 0, 0]}
    """.write(toFile: file, atomically: true, encoding: .utf8)
    var configuration = ServiceConfiguration()
    configuration.camera.calibrations = ["somewhere-else=\(bench.folder)/none.yaml", "stepped=\(file)"]
    var settings = await bench.settings
    settings.cameras = SceneSettings(configuration, log: log).cameras
    await bench.use(settings)
    let watcher = try bench.watcher()
    let remote = try bench.scanner()
    try await bench.service.until { _ in bench.source.isOpen }
    bench.source.release()
    let intrinsics = try next("anchors.updated", watcher)["intrinsics"]
    #expect(intrinsics?["source"] == "calibrated")
    #expect(abs((intrinsics?["fx"]?.double ?? 0) - 550) < 1e-6)
    #expect(abs((intrinsics?["cy"]?.double ?? 0) - 239.75) < 1e-6)
    // The camera is open only during a scan.
    withExtendedLifetime(remote) {}
    await bench.stop()
  }
}
