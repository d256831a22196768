import Foundation
import Testing
import WaymarkBarcodes
import WaymarkFrames
import WaymarkProtocol
import WaymarkScenes
import WaymarkSystem

@testable import WaymarkService

/// `codes.follow` through the socket: a code in view is published once, then its place in every frame.
@Suite("Codes that are followed", .serialized, .ownThread) struct FollowedCodesTests {
  private func service(showing text: String, in folder: String) async throws -> TestService {
    let picture = folder + "/code.png"
    try drawCode(text, to: picture)
    let source = try FolderSource(path: picture, rate: 30)
    return try await TestService { hub in
      let capture = CaptureModule(hub: hub, source: source)
      let scans = ScanModule(hub: hub, capture: capture, rules: .init())
      capture.start()
      return [
        capture, scans,
        CodesModule(hub: hub, scans: scans, capture: capture, cameras: CameraChoice()),
      ]
    }
  }

  @Test(
    "A code is published once, then its place, until it is unfollowed",
    .enabled(if: canDrawCodes, "needs qrencode"), .timeLimit(.minutes(1)))
  func follows() async throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let service = try await service(showing: "PUMP-7", in: folder)
    let client = try service.client(subscribing: #"{"events":["code.*","codes.*"]}"#)
    let sizes = #"{"symbologies":["qr"],"sizes":[{"prefix":"PUMP-","width":0.04}]}"#
    #expect(try client.ask("codes.follow", sizes)["result"] != nil)
    let found = try client.event("code.found")
    #expect(found["text"]?.string == "PUMP-7" && found["symbology"]?.string == "qr")
    var updates = 0
    while updates < 3 {
      let event = try client.next()
      // Its content is published once.
      #expect(event["event"]?.string == "codes.updated")
      let code = try #require(event["codes"]?.array?.first)
      #expect(code["code"]?.int == found["code"]?.int && code["text"] == nil)
      #expect(code["trackingMethod"]?.string == "fullTracking")
      #expect(code["pose"]?["position"]?.array?.count == 3)
      updates += 1
    }
    let snapshot = try client.ask("subscribe", "{}", id: 3)
    #expect(snapshot["result"]?["codes"]?.array?.first?["text"]?.string == "PUMP-7")
    try client.send("{\"id\":4,\"method\":\"codes.unfollow\",\"params\":{}}\n")
    let lost = try client.event("code.lost")
    #expect(lost["code"]?.int == found["code"]?.int)
    await service.stop()
  }

  @Test("What makes no sense is refused", .enabled(if: canDrawCodes, "needs qrencode"))
  func refuses() async throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let service = try await service(showing: "x", in: folder)
    let client = try service.client()
    for params in [
      #"{"symbologies":["nonsense"]}"#, #"{"symbologies":[]}"#, #"{"sizes":[{"width":0}]}"#,
      #"{"sizes":[{"width":4000}]}"#, #"{"sizes":[{"symbology":"nonsense","width":0.1}]}"#,
    ] {
      #expect(try client.ask("codes.follow", params)["error"]?["code"]?.string == "badParams", "\(params)")
    }
    // A client that follows nothing may end it anyway.
    #expect(try client.ask("codes.unfollow")["result"] != nil)
    await service.stop()
  }

  @Test("Observers see a code's content only where it is harmless") func redacts() {
    var found = CodeFound(code: 1, symbology: "qr", text: "secret", bytesBase64: "c2VjcmV0", corners: [])
    let seen = found.forObservers
    #expect(seen.text == nil && seen.bytesBase64 == nil && seen.charset == nil && seen.redacted == true)
    found.isHarmless = true
    #expect(found.forObservers.text == "secret")
  }
}

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
      var settings = SceneSettings()
      settings.folders = ["\(Self.samples)/scenes"]
      settings.cache = cache
      settings.session.annotateAfter = 0.2
      capture.start()
      let scenes = ScenesModule(hub: hub, cameras: ByCamera((capture, scans)), settings: settings)
      return [capture, scans, scenes, SceneMethods(scenes)]
    })
    let client = try service.client()
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
