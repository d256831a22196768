import Foundation
import Logging
import Testing
import WaymarkCamera
import WaymarkConfiguration
import WaymarkFrames
import WaymarkProtocol

@testable import WaymarkServer
@testable import WaymarkService
@testable import WaymarkStation

/// The section `cameras` of the configuration.
@Suite("Cameras of the configuration") struct CameraConfigurationTests {
  private func load(_ yaml: String) throws -> (configuration: ServiceConfiguration, problems: [ConfigurationProblem]) {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/waymark.yaml"
    try yaml.write(toFile: path, atomically: true, encoding: .utf8)
    return ConfigurationLoader(named: path, environment: [:], flags: [:], isSystem: false, schema: stationSchema).load()
  }

  private static let two = """
    camera: {name: front, device: above, width: 320, rotation: "90", keepOpen: true}
    scan: {autoBegin: barcode, rate: 10, newAfter: 3}
    documents: {rate: 8}
    anchors: {rate: 20}
    cameras:
      desk:
        device: below
        height: 1080
        source: {loop: false}
        scan: {rate: 4}
        documents: {rate: 2}
        calibrations: [desk.yaml]

    """

  @Test("A camera has what its section says, and of the first one's camera and source nothing")
  func ofItsOwn() throws {
    let (configuration, problems) = try load(Self.two)
    #expect(problems.isEmpty && configuration.cameraProblems.isEmpty)
    #expect(configuration.camera.name == "front")
    let desk = try #require(configuration.cameras.first)
    #expect(desk.name == "desk" && configuration.cameras.count == 1)
    let own = configuration.using(camera: desk)
    #expect(own.camera.device == "below" && own.camera.settings.height == 1080)
    #expect(own.camera.settings.width == 640)
    #expect(
      own.camera.settings.transform.rotation == .none && !own.camera.keepOpen
        && own.camera.calibrations.map { $0.hasSuffix("/desk.yaml") } == [true])
    #expect(!own.source.loops && configuration.source.loops)
    #expect(configuration.camera.calibrations.isEmpty)
  }

  @Test(
    "Scans of a further camera have the rules of the file, and what is armed by itself only where its section says so")
  @ServiceActor func rules() throws {
    let (configuration, _) = try load(Self.two)
    let scans = try CameraRules(configuration, log: Logger(label: "test"))
    let (front, desk) = (scans.rules(of: "front"), scans.rules(of: "desk"))
    #expect(front.rate == 10 && front.settings.autoBegin == .barcode && front.settings.newAfter == 3)
    #expect(desk.rate == 4 && desk.settings.autoBegin == nil && desk.settings.newAfter == 3)
    let documents = DocumentSettings(configuration)
    #expect(documents.rate == 8 && documents.rates == ["desk": 2])
    #expect(TextSettings(configuration).rates == [:])
  }

  @Test(
    "Settings that would make two cameras one are reported",
    arguments: [
      ("camera: {device: x}\ncameras: {main: {device: y}}", "cameras.main"),
      ("camera: {device: x}\ncameras: {desk: {device: x}}", "cameras.desk.device"),
      ("cameras: {desk: {device: x}}", "camera.device"),
      ("camera: {device: x}\ncameras: {desk: {rotation: \"90\"}}", "cameras.desk.device"),
      ("camera: {device: x}\ncameras: {a/b: {device: y}}", "cameras.a/b"),
      ("camera: {name: a.b, device: x}", "camera.name"),
      ("source: {path: \"-\"}\ncameras: {desk: {source: {path: \"-\"}}}", "cameras"),
    ])
  func conflicts(_ yaml: String, _ key: String) throws {
    let (configuration, problems) = try load(yaml + "\n")
    #expect(problems.isEmpty)
    #expect(configuration.cameraProblems.map(\.key) == [key])
  }

  @Test("A key that no camera has is reported with its line") func unknownKeys() throws {
    let (_, problems) = try load("camera: {device: x}\ncameras:\n  desk:\n    device: y\n    typ: 3\n")
    #expect(problems.map { "\($0.mark?.line ?? 0) \($0.key ?? "")" } == ["5 cameras.desk.typ"])
  }

  @Test("Other names or sources of cameras need a restart, another device does not") func restarts() throws {
    let running = try load(Self.two).configuration
    let moved = try load(Self.two.replacing("device: below", with: "device: other")).configuration
    #expect(running.running(insteadOf: moved).restart.isEmpty)
    #expect(running.running(insteadOf: moved).configuration.cameras.first?.settings.camera.device == "other")
    let renamed = try load(Self.two.replacing("desk:", with: "table:")).configuration
    #expect(running.running(insteadOf: renamed).restart == ["cameras"])
    #expect(running.running(insteadOf: renamed).configuration.cameraNames == running.cameraNames)
  }
}
