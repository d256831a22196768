import Foundation
import Testing
import WaymarkImage

@testable import WaymarkScenes

@Suite struct SceneImporterTests {
  private let folder: TemporaryFolder
  private let png = Data(TemporaryFolder.png).base64EncodedString()

  init() throws { folder = try TemporaryFolder() }

  private func read(_ json: String, name: String = "cards.json", _ options: SceneImportOptions = .init()) throws
    -> SceneImport
  {
    try folder.write(name, json)
    return SceneImporter.read(file: "\(folder.path)/\(name)", options: options)
  }

  @Test func readsTheFlatList() throws {
    let result = try read(
      """
      [{"id": "Oil", "title_": "Check the oil", "subtitle_": "Due on 2 June", "detailImage_": "\(png)",
        "actionText_": "Schedule", "actionContentURL_": "https://example.com/oil", "icon_": "calendar",
        "position_": [0.1, 0.02, -0.05]},
       {"id": "Oil?", "title_": "Battery", "detailImage_": null, "image_": {"id": "b", "data": "\(png)"},
        "actionText_": "Play", "icon_": null, "position_": [0, 0, 0, 0]}]
      """)
    let scene = try #require(result.scene)
    #expect(result.problems.map(\.code) == ["missingPicture"], "a list never holds the anchor's picture")
    let cards = scene.anchors[0].annotations
    #expect(cards[0].position == Point3(0.1, 0.02, -0.05))
    #expect(cards[0].marker.iconIOS == "calendar")
    #expect(
      cards[0].card
        == SceneCard(
          title: "Check the oil", description: "Due on 2 June", image: "Oil.png", actionText: "Schedule",
          actionType: .link, actionData: "https://example.com/oil"))
    #expect(cards[1].card?.actionType == .custom)
    #expect(cards[1].card?.actionData == "Oil?")
    #expect(cards[1].card?.image == "Oil-.png")
    #expect(result.pictures.map(\.path) == ["Oil.png", "Oil-.png"])
    #expect(result.pictures.allSatisfy { $0.bytes == TemporaryFolder.png })
  }

  @Test func whatIsImportedLoads() throws {
    try folder.write("the anchor.png", TemporaryFolder.png)
    let result = try read(
      "[{\"id\": \"x\", \"title_\": \"X\", \"detailImage_\": \"data:image/png;base64,\(png)\", \"position_\": [0,0,0]}]",
      SceneImportOptions(anchorImage: "\(folder.path)/the anchor.png", physicalWidth: 0.3, name: "Mine"))
    let scene = try #require(result.scene)
    #expect(result.problems.isEmpty)
    let target = try TemporaryFolder()
    for picture in result.pictures { try target.write(picture.path, picture.bytes) }
    try target.write("scene.yaml", SceneWriter.yaml(scene))
    let report = SceneLoader.load(folder: target.path)
    #expect(report.problems.isEmpty)
    #expect(report.scene == scene)
    #expect(report.scene?.name == "Mine")
  }

  static let service = """
    {"id": 20110991, "alias": "Engine bay",
     "referenceAnchor": {"data": "6A57", "physicalWidth": 0.1, "name": "anchorImage.png", "type": "image"},
     "annotationAnchors": [
       {"id": "DB93", "sceneId": 20110991, "marker": {"icon": "wrench", "icon-ios": "wrench.fill", "icon-android": "build"},
        "card": {"language": "en", "title": "Call us", "description": "Day and night", "actionText": "Call",
                 "actionData": "+49 6227 747474", "actionType": "phone", "image": "77AA"},
        "relPosition-x": -0.07, "relPosition-y": 0.04, "relPosition-z": -0.03},
       {"id": "EE01", "sceneId": 20110991, "marker": {}, "card": {"title": "Bare", "language": "de"},
        "relPosition-x": 0, "relPosition-y": 0, "relPosition-z": 0}]}
    """

  @Test func readsTheServiceScene() throws {
    try folder.write("6A57", TemporaryFolder.png)
    try folder.write("77AA.png", TemporaryFolder.png)
    let result = try read(Self.service)
    #expect(result.problems.isEmpty)
    let scene = try #require(result.scene)
    #expect(scene.name == "Engine bay")
    #expect(scene.anchors[0].physicalWidth == 0.1)
    #expect(scene.anchors[0].image == "6A57.png")
    let first = scene.anchors[0].annotations[0]
    #expect(first.position == Point3(-0.07, 0.04, -0.03))
    #expect(first.marker == Marker(icon: "wrench", iconIOS: "wrench.fill", iconAndroid: "build"))
    #expect(first.card?.actionType == .phone)
    #expect(first.card?.image == "77AA.png")
    #expect(scene.anchors[0].annotations[1].card == SceneCard(title: "Bare", language: "de"))
  }

  @Test func saysWhatIsMissing() throws {
    let result = try read(Self.service)
    #expect(result.scene != nil)
    #expect(
      result.problems.map { "\($0.severity) \($0.code) \($0.field)" }.sorted() == [
        "warning missingPicture annotationAnchors[0].card.image", "warning missingPicture referenceAnchor",
      ])
  }

  @Test(arguments: ["machine.usdz", "machine.reality", "machine.rcproject"]) func refusesModels(_ name: String) throws {
    let result = try read("anything", name: name)
    #expect(result.scene == nil)
    #expect(result.problems.map(\.code) == ["notASceneFile"])
  }

  @Test func refusesModelsUnderAnotherName() throws {
    try folder.write("cards.json", [0x50, 0x4B, 0x03, 0x04, 0, 0])
    let result = SceneImporter.read(file: "\(folder.path)/cards.json")
    #expect(result.problems.map(\.code) == ["notASceneFile"])
  }

  @Test(arguments: [
    ("[", "badJSON"), ("[]", "empty"), ("{}", "missing"), ("7", "wrongType"), ("[7]", "wrongType"),
    (#"[{"id": "a"}]"#, "missing"), (#"[{"id": "a", "title_": "A", "detailImage_": "%%%"}]"#, "badBase64"),
    (#"[{"id": "a", "title_": "A", "detailImage_": "AAAA"}]"#, "badPicture"),
    (#"[{"id": "a", "title_": "A", "position_": [0, "x", 1]}]"#, "wrongType"),
    (#"[{"id": "a", "title_": "A", "position_": [0, 1]}]"#, "wrongLength"),
    (#"[{"id": "a", "title_": "A"}, {"id": "a", "title_": "B"}]"#, "duplicateID"),
    (#"[{"id": "a", "title_": "A", "actionContentURL_": "file:///etc/passwd"}]"#, "badActionData"),
    (#"[{"id": "a", "title_": "A", "subtitel_": "B"}]"#, "unknownKey"),
    (#"{"annotationAnchors": [], "referenceAnchor": {"type": "object"}}"#, "notAnImage"),
    (#"{"annotationAnchors": [], "referenceAnchor": {"type": "image", "physicalWidth": -1}}"#, "notPositive"),
  ])
  func refuses(_ json: String, _ code: String) throws {
    let result = try read(json)
    #expect(result.scene == nil)
    #expect(result.problems.contains { $0.code == code && $0.severity == .error && $0.line == 1 })
  }
}
