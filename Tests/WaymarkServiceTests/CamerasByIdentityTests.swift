import Foundation
import Logging
import Testing
import WaymarkSystem
import WaymarkWorker

@testable import WaymarkServer
@testable import WaymarkService

/// Two cameras of one kind, told apart by where they are plugged in.
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
    let settings = ScenesModule.Settings(configuration, log: Logger(label: "test"))
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
    // Both are told both calibrations: by its identity each finds its own.
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
    let client = try RawClient(service.path)
    _ = try client.next()
    _ = try client.ask("subscribe", #"{"events":["codes.updated","camera.status"]}"#)
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
