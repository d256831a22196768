import Foundation
import Testing
import WaymarkProtocol
import WaymarkSystem

@testable import WaymarkService

/// A scene whose anchors are codes, through the real socket: the sample walk past the labels of a shelf, with its truth.
@Suite(.serialized, .ownThread) struct CodeScenesTests {
  private static let samples =
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path + "/Samples"

  /// Frame → anchor → marker → place.
  private static func truth() throws -> [[String: [String: [Double]]]] {
    let text = try String(contentsOfFile: "\(samples)/sequences/stores/truth.jsonl", encoding: .utf8)
    return try text.split(separator: "\n").map { line in
      let markers = try JSONParser.parse(Array(line.utf8))["markers"]?.members ?? []
      return Dictionary(
        uniqueKeysWithValues: markers.map { anchor in
          let places = (anchor.value.members ?? []).map { ($0.name, $0.value.array?.compactMap(\.double) ?? []) }
          return (anchor.name, Dictionary(uniqueKeysWithValues: places))
        })
    }
  }

  @Test(.timeLimit(.minutes(2))) func markersStandOnCodes() async throws {
    let truth = try Self.truth()
    let cache = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: cache) }
    // What is read in a frame is followed from the next one on.
    let counter = FrameCounter("anchors", "barcode")
    let source = try SteppedSource(
      folder: "\(Self.samples)/sequences/stores", rate: 10, blanks: 8, processed: { counter.value })
    let service = try await TestService(modules: { hub in
      let capture = CaptureModule(hub: hub, source: source)
      counter.count(in: capture.pipeline)
      let scans = ScanModule(hub: hub, capture: capture, rules: .init())
      var settings = ScenesModule.Settings()
      settings.folders = ["\(Self.samples)/scenes"]
      settings.cache = cache
      settings.annotateAfter = 0.2
      capture.start()
      return [capture, scans, ScenesModule(hub: hub, cameras: ByCamera((capture, scans)), settings: settings)]
    })
    let client = try RawClient(service.path)
    _ = try client.next()
    #expect(try client.ask("scene.load", #"{"name":"stores"}"#)["result"]?["scene"] == "stores")
    let snapshot = try client.ask("subscribe", #"{"events":["session.*","anchor.*","anchors.*"]}"#)
    let described = try #require(snapshot["result"]?["scene"]?["anchors"]?.array)
    #expect(described.map { $0["code"]?["text"] } == ["STORES/RACK-7", nil, nil])
    #expect(described[1]["code"]?["identifier"] == "01" && described[2]["code"]?["pattern"] == #"BIN-\d{4}"#)
    let events = try await service.session(of: source, seenBy: client)
    await service.stop()
    judge(events, truth)
  }

  private func judge(_ events: [JSONValue], _ truth: [[String: [String: [Double]]]]) {
    let phases = events.filter { $0["event"] == "session.phase" }.compactMap { $0["phase"] }
    #expect(phases == ["coaching", "scanning", "matched", "annotating", "scanning", "inactive"])
    #expect(events.first { $0["event"] == "session.phase" }?["guide"] == .object(["anchor": "rack-7"]))
    // Each once, with what it says; the label that no entry matches is not an anchor.
    let found = events.filter { $0["event"] == "anchor.found" }
    #expect(Set(found.compactMap { $0["anchor"]?.string }) == ["rack-7", "lot", "bin"] && found.count == 3)
    #expect(found.first { $0["anchor"] == "bin" }?["code"]?["text"] == "BIN-0042")
    #expect(found.first { $0["anchor"] == "lot" }?["code"]?["symbology"] == "dataMatrix")
    #expect(events.count { $0["event"] == "anchor.lost" } == 3)
    var errors: [Double] = []
    for event in events where event["event"] == "anchors.updated" {
      guard let sequence = event["frame"]?["sequence"]?.int, truth.indices.contains(sequence - 1) else { continue }
      for anchor in event["anchors"]?.array ?? [] where anchor["trackingMethod"] == "fullTracking" {
        #expect(anchor["pose"]?["position"]?.array?.count == 3)
        for marker in anchor["markers"]?.array ?? [] {
          guard let place = marker["screen"]?.array?.compactMap(\.double), let id = marker["id"]?.string,
            let right = truth[sequence - 1][anchor["anchor"]?.string ?? ""]?[id], place.count == 2
          else { continue }
          errors.append(hypot(place[0] - right[0], place[1] - right[1]))
        }
      }
    }
    // Three markers in two dozen frames, less those in which they were read.
    #expect(errors.count >= 55)
    errors.sort()
    #expect((errors.last ?? 99) <= 2 && errors.reduce(0, +) / Double(max(1, errors.count)) <= 0.8)
  }

  @Test("Observers see neither what a code must say nor what it said, unless it is harmless") func redacts() {
    var found = AnchorFound(
      anchor: "a", corners: [], score: 1, code: AnchorCodeContent(symbology: "qr", text: "secret"))
    #expect(found.forObservers.code == AnchorCodeContent(symbology: "qr", redacted: true))
    found.code?.isHarmless = true
    #expect(found.forObservers.code?.text == "secret")
    let code = AnchorCodeDescription(text: "secret", symbologies: ["qr"])
    let scene = SceneDescription(
      scene: "s", anchors: [AnchorDescription(anchor: "a", code: code, annotations: [])])
    let seen = SceneLoaded(scene: scene).forObservers.scene.anchors[0].code
    #expect(seen == AnchorCodeDescription(symbologies: ["qr"], redacted: true))
  }
}
