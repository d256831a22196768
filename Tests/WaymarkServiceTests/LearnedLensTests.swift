import Foundation
import Logging
import NIOPosix
import Testing
import WaymarkFrames
import WaymarkImage
import WaymarkScenes
import WaymarkSystem
import WaymarkWorker

@testable import WaymarkServer
@testable import WaymarkService

/// Two cameras of one model, distinguished by their ports.
@Suite("Cameras by their identity", .serialized, .ownThread, .enabled(if: FuseCamera.isPossible))
struct CamerasByIdentityTests {
  private static func calibration(focalLength: Double) -> String {
    """
    image_width: 640
    image_height: 480
    camera_name: test
    distortion_model: plumb_bob
    camera_matrix: {rows: 3, cols: 3, data: [\(focalLength), 0, 319.5, 0, \(focalLength), 239.5, 0, 0, 1]}
    distortion_coefficients: {rows: 1, cols: 5, data: [0, 0, 0, 0, 0]}
    """
  }

  @ServiceActor
  private static func modules(_ hub: Hub, _ configuration: ServiceConfiguration) throws -> [any ServerModule] {
    let settings = SceneSettings(configuration, log: Logger(label: "test"))
    let names = configuration.cameraNames
    let cameras = try configuration.byCamera.map { name, own in
      let parts = try CameraParts(
        hub: hub, configuration: own, name: name, place: (names.firstIndex(of: name) ?? 0, names.count),
        isolation: .none, rules: .init(), cameras: settings.choice(of: name))
      parts.capture.onStatus.append { _ in parts.codes.sourceChanged() }
      parts.capture.start()
      return parts
    }
    return [CamerasModule(cameras.map { $1.modules })]
  }

  @Test("Settings and calibrations are those of the camera that was meant", .timeLimit(.minutes(3)))
  func settingsAndCalibrations() async throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (front, desk) = (try FuseCamera(rate: 15, bus: "fuse-front"), try FuseCamera(rate: 15, bus: "fuse-desk"))
    for (name, length) in [("front", 500.0), ("desk", 700.0)] {
      try Self.calibration(focalLength: length).write(
        toFile: "\(folder)/\(name).yaml", atomically: true, encoding: .utf8)
    }
    // Both have both calibrations: each finds its own by its identity.
    let both = "[\"fuse-desk=\(folder)/desk.yaml\", \"fuse-front=\(folder)/front.yaml\"]"
    try """
    camera: {name: front, device: \(front.folder)/video0, focus: 10, calibrations: \(both)}
    cameras:
      desk: {device: \(desk.folder)/video0, focus: 200, calibrations: \(both)}
    """.write(toFile: folder + "/waymark.yaml", atomically: true, encoding: .utf8)
    let (configuration, problems) = ConfigurationLoader(
      named: folder + "/waymark.yaml", environment: [:], flags: [:], isSystem: false, schema: stationSchema
    ).load()
    #expect(problems.isEmpty && configuration.cameraProblems.isEmpty)
    let service = try await TestService { try Self.modules($0, configuration) }
    let client = try service.client(subscribing: #"{"events":["codes.updated","camera.status"]}"#)
    for (camera, length) in [("front", 500.0), ("desk", 700.0)] {
      try client.send("{\"id\":2,\"method\":\"codes.follow\",\"params\":{\"camera\":\"\(camera)\"}}\n")
      var device: JSONValue?
      var seen: JSONValue?
      while seen?["fx"]?.double != length {
        let event = try client.next()
        guard event["camera"]?.string == camera else { continue }
        if event["event"] == "camera.status" { device = event["device"] }
        if event["event"] == "codes.updated" { seen = event["intrinsics"] }
      }
      #expect(device?.string == "path:fuse-\(camera)")
    }
    #expect(front.tell("controls").hasSuffix(" 10") && desk.tell("controls").hasSuffix(" 200"))
    // A control that is set later is set of that camera alone, and again when it comes back.
    try client.send(
      #"{"id":3,"method":"camera.control","params":{"name":"focus","value":50,"camera":"desk"}}"# + "\n")
    while try client.next()["id"] != 3 {}
    desk.tell("unplug")
    var event = try client.next()
    while event["event"] != "camera.status" || event["status"] != "lost" { event = try client.next() }
    #expect(event["camera"] == "desk")
    desk.tell("plug")
    while event["event"] != "camera.status" || event["status"] != "streaming" { event = try client.next() }
    #expect(event["camera"] == "desk" && event["device"] == "path:fuse-desk")
    #expect(front.tell("controls").hasSuffix(" 10") && desk.tell("controls").hasSuffix(" 50"))
    await service.stop()
  }
}

/// `camera.intrinsics`: the learned focal length of a camera without a calibration is published, kept and used.
@Suite(.serialized, .ownThread) struct LearnedLensTests {
  private static let samples =
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path + "/Samples"
  /// Of the camera that the frames are drawn for: 46° across, where 60° are assumed.
  private static let camera = CameraIntrinsics(fx: 754, fy: 754, cx: 319.5, cy: 239.5)!

  /// A frame of 640 × 480 pixels in which a poster stands, turned by two angles.
  private static func frame(of poster: GrayImage, _ a: Double, _ b: Double) -> GrayImage {
    let pose = PlanePose(
      rotation: Matrix3.rotation(Point3(a, 0, 0)) * Matrix3.rotation(Point3(0, b, 0)), translation: Point3(0, 0, 0.7))
    let (width, height) = (Double(poster.width), Double(poster.height))
    func seen(_ x: Double, _ y: Double) -> Point2 {
      camera.project(pose.project(Point2(x - width / 2, y - height / 2) * (0.3 / width)).direction)
    }
    let corners = Quadrilateral(
      topLeft: seen(0, 0), topRight: seen(width, 0), bottomRight: seen(width, height), bottomLeft: seen(0, height))
    guard let map = Homography(from: corners, to: Quadrilateral(width: width, height: height)) else {
      return GrayImage(width: 640, height: 480, value: 128)
    }
    return poster.withView { poster in
      GrayImage(width: 640, height: 480) { pixels in
        for y in 0..<480 {
          for x in 0..<640 {
            let p = map.apply(Point2(Double(x), Double(y)))
            let isInside = p.x >= 0 && p.y >= 0 && p.x < width - 1 && p.y < height - 1
            pixels[y * 640 + x] = isInside ? UInt8(poster.bilinear(p)) : 150
          }
        }
      }
    }
  }

  private static func poster() throws -> GrayImage {
    let data = try Data(contentsOf: URL(filePath: "\(samples)/scenes/pump-room/pump-7.jpg"))
    return try PictureDecoder().gray([UInt8](data)).image
  }

  /// The events of a session that sees a source.
  private static func events(
    _ pictures: [@Sendable () -> GrayImage?], origin: FrameOrigin = .camera, folder: String
  ) async throws -> [JSONValue] {
    let counter = FrameCounter("anchors")
    let source = SteppedSource(pictures, origin: origin, rate: 30, processed: { counter.value })
    let service = try await TestService(modules: { hub in
      let capture = CaptureModule(hub: hub, source: source, lenses: LensStore(folder: folder + "/state"))
      counter.count(in: capture.pipeline)
      var settings = SceneSettings()
      settings.folders = ["\(samples)/scenes"]
      settings.cache = folder + "/cache"
      settings.session.lostAfter = 0.1
      capture.start()
      let scenes = ScenesModule(hub: hub, cameras: ByCamera((capture, nil)), settings: settings)
      return [capture, scenes, SceneMethods(scenes)]
    })
    let client = try service.client()
    _ = try client.ask("scene.load", #"{"name":"pump-room"}"#)
    _ = try client.ask("subscribe", #"{"events":["session.phase","anchors.updated","camera.intrinsics"]}"#)
    let events = try await service.session(of: source, seenBy: client)
    await service.stop()
    return events
  }

  @Test(.timeLimit(.minutes(5))) func itIsLearnedReportedKeptAndUsed() async throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let poster = try Self.poster()
    // A turn in steps that are followed, each seen twice: at rest the second time. Then it is away, and comes back.
    let turn = (0..<48).map { 0.13 * Double($0) }.map { (0.7 * Double.sine($0), 0.7 * Double.cosine($0)) }
    let shown: [@Sendable () -> GrayImage?] = turn.flatMap { a, b in
      Array(repeating: { @Sendable in Self.frame(of: poster, a, b) }, count: 2)
    }
    let back: [@Sendable () -> GrayImage?] = Array(repeating: { Self.frame(of: poster, 0.3, 0.3) }, count: 12)
    let away: [@Sendable () -> GrayImage?] = Array(repeating: { nil }, count: 12)
    let seen = try await Self.events(shown + away + back, folder: folder)
    let reported = seen.filter { $0["event"] == "camera.intrinsics" }
    let last = try #require(reported.last)
    #expect((1...4).contains(reported.count))
    #expect(abs((last["intrinsics"]?["fx"]?.double ?? 0) / Self.camera.focal.x - 1) < 0.03, "\(last)")
    #expect(last["intrinsics"]?["source"] == "estimated" && last["device"] == "stepped" && last["width"] == 640)
    #expect((last["deviation"]?.double ?? 1) <= 0.03 && (last["views"]?.int ?? 0) >= 8)
    // Poses do not jump while something is followed; what comes back is seen through what was learned.
    let used = seen.compactMap { $0["event"] == "anchors.updated" ? $0["intrinsics"]?["source"]?.string : nil }
    let first = try #require(used.firstIndex(of: "estimated"))
    #expect(used[..<first].allSatisfy { $0 == "assumed" } && used[first...].allSatisfy { $0 == "estimated" })
    #expect(first >= 60)
    // The next run begins with it.
    let again = try await Self.events(Array(back), folder: folder)
    let sources = again.compactMap { $0["event"] == "anchors.updated" ? $0["intrinsics"] : nil }
    #expect(!sources.isEmpty && sources.allSatisfy { $0 == last["intrinsics"] })
  }

  /// A code that is drawn from its modules has exact proportions.
  @Test(.enabled(if: canDrawCodes, "needs qrencode"), .timeLimit(.minutes(5)))
  func followedCodesTeachToo() async throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try drawCode("PUMP-7", to: folder + "/code.png", ["-s", "10", "-m", "4"])
    let code = try PictureDecoder().gray([UInt8](Data(contentsOf: URL(filePath: folder + "/code.png")))).image
    let turn = (0..<60).map { 0.13 * Double($0) }.map { (0.6 * Double.sine($0), 0.6 * Double.cosine($0)) }
    let shown: [@Sendable () -> GrayImage?] = turn.flatMap { a, b in
      Array(repeating: { @Sendable in Self.frame(of: code, a, b) }, count: 2)
    }
    // What is read in a frame is followed from the next one on.
    let counter = FrameCounter("codes", "barcode")
    let source = SteppedSource(shown, rate: 30, processed: { counter.value })
    let service = try await TestService { hub in
      let capture = CaptureModule(hub: hub, source: source)
      let scans = ScanModule(hub: hub, capture: capture, rules: .init())
      counter.count(in: capture.pipeline)
      capture.start()
      return [capture, scans, CodesModule(hub: hub, scans: scans, capture: capture, cameras: CameraChoice())]
    }
    let client = try service.client(subscribing: #"{"events":["camera.intrinsics"]}"#)
    #expect(try client.ask("codes.follow", #"{"symbologies":["qr"]}"#)["result"] != nil)
    try await service.until { _ in source.isOpen }
    source.release()
    let reported = try client.next()
    #expect(reported["event"] == "camera.intrinsics")
    #expect(abs((reported["intrinsics"]?["fx"]?.double ?? 0) / Self.camera.focal.x - 1) < 0.03, "\(reported)")
    await service.stop()
  }

  @Test(.timeLimit(.minutes(5))) func picturesOfAFolderTeachNothing() async throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let poster = try Self.poster()
    let shown: [@Sendable () -> GrayImage?] = (0..<24).flatMap { step in
      let angle = 0.26 * Double(step)
      let draw: @Sendable () -> GrayImage? = {
        Self.frame(of: poster, 0.7 * Double.sine(angle), 0.7 * Double.cosine(angle))
      }
      return [draw, draw]
    }
    let seen = try await Self.events(shown, origin: .folder, folder: folder)
    #expect(!seen.contains { $0["event"] == "camera.intrinsics" })
    #expect(!FileManager.default.fileExists(atPath: folder + "/state/lenses.json"))
  }

  // MARK: The store

  private static func lens(_ focal: Double) -> LensLearner.Lens {
    LensLearner.Lens(width: 640, height: 480, estimate: .init(focal: focal, deviation: 0.01, views: 30))
  }

  /// Waits until all that was handed over is written.
  private static func written() async throws { try await BlockingWork.records.runIfActive {} }

  @ServiceActor
  @Test func camerasAreKeptByTheirIdentityUpToABound() async throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let problems = Monitor(0)
    let store = LensStore(folder: folder + "/state")
    for camera in 0..<40 {
      store.keep(Self.lens(500 + Double(camera)), of: "usb:\(camera)") { _ in problems.update { $0 += 1 } }
    }
    store.keep(Self.lens(600), of: "usb:39") { _ in problems.update { $0 += 1 } }
    store.keep(Self.lens(600), of: String(repeating: "x", count: 5000)) { _ in problems.update { $0 += 1 } }
    try await Self.written()
    #expect(problems.withLock { $0 } == 0)
    let opened = LensStore(folder: folder + "/state")
    #expect(opened.lens(of: "usb:39") == Self.lens(600) && opened.lens(of: "usb:20") == Self.lens(520))
    #expect(opened.lens(of: "usb:7") == nil, "the oldest made room")
    #expect(opened.lens(of: "usb:40") == nil)
  }

  @ServiceActor
  @Test func aDamagedFileIsLearnedAgain() async throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let good = #"{"camera":"a","width":640,"height":480,"focalLength":600,"deviation":0.01,"views":20}"#
    for text in [
      "", "[", "{}", "[\(good)", "[1]", "[\(good.replacing("600", with: "-600"))]",
      "[\(good.replacing("640", with: "0"))]", "[\(good.replacing("600", with: "1e300"))]",
      "[\(good.replacing("0.01", with: "0"))]", "[\(good.replacing("640", with: "9000000000000000000"))]",
      String(repeating: "[", count: 100_000),
    ] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/lenses.json"))
      #expect(LensStore(folder: folder).lens(of: "a") == nil, "\(text.prefix(100))")
    }
    try Data("[\(good)]".utf8).write(to: URL(fileURLWithPath: folder + "/lenses.json"))
    #expect(LensStore(folder: folder).lens(of: "a")?.estimate.focal == 600)
  }

  @ServiceActor
  @Test func whatCannotBeWrittenHoldsForThisRun() async throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try Data().write(to: URL(fileURLWithPath: folder + "/state"))
    let problems = Monitor<[FileError]>([])
    let store = LensStore(folder: folder + "/state")
    store.keep(Self.lens(600), of: "a") { problem in problems.update { $0.append(problem) } }
    try await Self.written()
    #expect(problems.withLock { $0.count } == 1)
    #expect(store.lens(of: "a") == Self.lens(600))
  }
}
