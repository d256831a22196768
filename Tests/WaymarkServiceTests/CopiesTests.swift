import Foundation
import Testing
import WaymarkAnchors
import WaymarkImage
import WaymarkScenes
import WaymarkSystem

@testable import WaymarkService

/// Copies of one poster through the real socket: three hang side by side, then two.
@Suite(.serialized, .ownThread) struct CopiesTests {
  private static let poster =
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
    + "/Samples/scenes/pump-room/pump-7.jpg"

  /// Frames of a row of copies, under the names that the source plays: it looks at what they hold.
  private static func write(_ frames: [Int], to folder: String) throws {
    let whole = try PictureDecoder().gray([UInt8](Data(contentsOf: URL(filePath: poster)))).image
    let small = whole.resized(width: 190, height: whole.height * 190 / whole.width)
    for (number, copies) in frames.enumerated() {
      var pixels = [UInt8](repeating: 100, count: 640 * 480)
      for copy in 0..<copies {
        for y in 0..<min(small.height, 440) {
          for x in 0..<small.width { pixels[(y + 30) * 640 + x + 12 + 208 * copy] = small[x, y] }
        }
      }
      try Data("P5 640 480 255\n".utf8 + pixels).write(
        to: URL(filePath: "\(folder)/\(String(format: "%03d", number)).jpg"))
    }
  }

  @Test func theBoundsOfScenesAreThoseOfTheEngine() { #expect(SceneLimits.copies == AnchorCopies.most) }

  @Test(.timeLimit(.minutes(2)), arguments: ["each", "nearest"]) func copiesAreToldByTheirNumbers(
    _ annotate: String
  ) async throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for part in ["shelf", "frames"] {
      try FileManager.default.createDirectory(atPath: "\(folder)/\(part)", withIntermediateDirectories: true)
    }
    try FileManager.default.copyItem(atPath: Self.poster, toPath: "\(folder)/shelf/pump-7.jpg")
    try """
    name: Shelf
    anchors:
      - name: pump-7
        image: pump-7.jpg
        copies: 4
        annotate: \(annotate)
        annotations: [{ id: seal, position: [0, 0, 0] }]
    """.write(toFile: "\(folder)/shelf/scene.yaml", atomically: true, encoding: .utf8)
    try Self.write(Array(repeating: 3, count: 20) + Array(repeating: 2, count: 12), to: "\(folder)/frames")
    let counter = FrameCounter("anchors")
    let source = try SteppedSource(
      folder: "\(folder)/frames", rate: 10, blanks: 8, ahead: 3600, processed: { counter.value })
    let service = try await TestService(modules: { hub in
      let capture = CaptureModule(hub: hub, source: source)
      counter.count(in: capture.pipeline)
      var settings = ScenesModule.Settings()
      settings.folders = [folder]
      settings.cache = "\(folder)/cache"
      settings.annotateAfter = 0.2
      capture.start()
      return [capture, ScenesModule(hub: hub, cameras: ByCamera((capture, nil)), settings: settings)]
    })
    let client = try RawClient(service.path)
    _ = try client.next()
    #expect(try client.ask("scene.load", #"{"name":"shelf"}"#)["result"]?["scene"] == "shelf")
    let snapshot = try client.ask("subscribe", #"{"events":["session.*","anchor.*","anchors.*","marker.*"]}"#)
    let described = snapshot["result"]?["scene"]?["anchors"]?.array?.first
    #expect(described?["copies"] == 4 && described?["annotate"]?.string == annotate)
    let events = try await service.session(of: source, seenBy: client)
    await service.stop()
    judge(events, isEach: annotate == "each")
  }

  private func judge(_ events: [JSONValue], isEach: Bool) {
    func copies(_ name: String) -> [Int?] { events.filter { $0["event"]?.string == name }.map { $0["copy"]?.int } }
    let found = copies("anchor.found").compactMap { $0 }
    #expect(Set(found).count == 3 && found.count == 3)
    // The one that goes first, then the others.
    let lost = copies("anchor.lost").compactMap { $0 }
    #expect(Set(lost) == Set(found) && lost.count == 3)
    var most = 0
    for event in events where event["event"] == "anchors.updated" {
      let anchors = event["anchors"]?.array ?? []
      most = max(most, anchors.count)
      #expect(anchors.allSatisfy { $0["anchor"] == "pump-7" && $0["copy"]?.int.map(found.contains) == true })
      let markers = anchors.filter { $0["trackingMethod"] == "fullTracking" }.map { $0["markers"]?.array?.count ?? 0 }
      #expect(isEach ? markers.allSatisfy { $0 == 1 } : markers.reduce(0, +) <= 1)
    }
    #expect(most == 3)
    let shown = events.filter { $0["event"] == "marker.changed" && $0["visible"] == true }
    #expect(isEach ? Set(shown.compactMap { $0["copy"]?.int }) == Set(found) : shown.allSatisfy { $0["copy"] == nil })
    #expect(!shown.isEmpty)
  }
}
