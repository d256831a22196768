import Foundation
import Testing
import WaymarkBarcodes
import WaymarkImage
import WaymarkSystem

@testable import WaymarkScenes

@Suite struct SceneLoaderTests {
  static let whole = """
    name: Pump room
    instruction: Hold the camera before the type plate.
    anchors:
      - name: pump-7
        image: pump-7.png
        physicalWidth: 0.21            # metres
        annotations:
          - id: seal
            position: [0.05, 0.0, 0.02]
            marker: { icon: wrench }
            card: { title: Shaft seal, description: Last changed in March, image: seal.png,
                    actionText: Open work order, actionType: link, actionData: "https://example.com/wo/17" }
            businessObject: { type: equipment, id: "10004711", level: 3, spare: [true, null] }
          - id: 0017
            position: [0, 0.01, 0]
      - name: valve
        image: pump-7.png
    """

  private func load(_ yaml: String, json: Bool = false) throws -> SceneReport {
    let folder = try TemporaryFolder()
    try folder.write(json ? "scene.json" : "scene.yaml", yaml)
    try folder.write("pump-7.png", TemporaryFolder.png)
    try folder.write("seal.png", TemporaryFolder.png)
    return SceneLoader.load(folder: folder.path)
  }

  @Test func readsAWholeScene() throws {
    let report = try load(Self.whole)
    #expect(report.problems.isEmpty)
    let scene = try #require(report.scene)
    #expect(scene.name == "Pump room")
    #expect(scene.instruction == "Hold the camera before the type plate.")
    #expect(scene.anchors.map(\.name) == ["pump-7", "valve"])
    #expect(scene.anchors[0].physicalWidth == 0.21)
    #expect(scene.anchors[1].physicalWidth == nil)
    let seal = scene.anchors[0].annotations[0]
    #expect(seal.position == Point3(0.05, 0, 0.02))
    #expect(seal.marker.icon == "wrench")
    #expect(seal.card?.actionType == .link)
    #expect(
      seal.businessObject
        == .object([
          "type": .string("equipment"), "id": .string("10004711"), "level": .int(3),
          "spare": .array([.bool(true), .null]),
        ]))
    #expect(scene.anchors[0].annotations[1].id == "0017", "a plain number keeps its zeros")
  }

  @Test func whatIsWrittenReadsBackTheSame() throws {
    var scene = try #require(try load(Self.whole).scene)
    scene.anchors[0].annotations[0].card?.description = "a \"quoted\"\n\tline: # not a comment \u{2028} ä\\"
    scene.anchors[0].annotations[1].id = "yes"
    #expect(try load(SceneWriter.yaml(scene)).scene == scene)
  }

  @Test(arguments: ["at: [0.75, 0.25]", "px: [300, 50]"])
  func aPlaceMayBeInSharesOrPixelsOfThePicture(_ place: String) throws {
    let yaml = Self.whole.replacing("position: [0.05, 0.0, 0.02]", with: place)
    var scene = try #require(try load(yaml).scene)
    let isShare = place.hasPrefix("at")
    #expect(
      scene.anchors[0].annotations[0].place
        == PicturePlace(point: isShare ? Point2(0.75, 0.25) : Point2(300, 50), unit: isShare ? .shares : .pixels))
    #expect(scene.anchors[0].hasPixelPlaces == !isShare)
    #expect(try load(SceneWriter.yaml(scene)).scene == scene)
    // x along the width, z down the height, from the centre: a quarter of 0.21 m to the right, and of 0.105 m up.
    scene.anchors[0].place(width: 400, height: 200)
    let position = scene.anchors[0].annotations[0].position
    #expect((position - Point3(0.0525, 0, -0.02625)).length < 1e-12)
    #expect(scene.anchors[0].annotations[1].position == Point3(0, 0.01, 0), "a position stays")
    scene.anchors[0].physicalWidth = nil
    scene.anchors[0].place(width: 400, height: 200)
    #expect((scene.anchors[0].annotations[0].position - Point3(0.25, 0, -0.125)).length < 1e-12)
  }

  @Test func aWrongPlaceIsReported() throws {
    for (wrong, code) in [
      ("at: [0.75, 0.25], position: [0, 0, 0]", "twoPositions"), ("at: [0.5]", "wrongLength"),
      ("at: [320, 240]", "tooFar"), ("at: 0.5", "wrongType"), ("at: [0, 0], px: [0, 0]", "twoPositions"),
      ("px: [5, 5], position: [0, 0, 0]", "twoPositions"), ("px: [5, 5, 5]", "wrongLength"),
      ("px: [0, -100001]", "tooFar"),
      ("px: [.inf, 0]", "notFinite"), ("px: 5", "wrongType"),
    ] {
      let text = Self.whole.replacing(
        "- id: 0017\n        position: [0, 0.01, 0]", with: "- {id: b, \(wrong)}")
      #expect(try load(text).problems.map(\.code) == [code], "\(wrong)")
    }
    for key in ["at", "px"] {
      let code = Self.whole.replacing(
        "- name: valve\n    image: pump-7.png",
        with: "- name: rack\n    code: A\n    annotations: [{id: c, \(key): [0, 0]}]")
      #expect(try load(code).problems.map(\.code) == ["needsPicture"])
    }
  }

  @Test func anIconThatThePageDoesNotDrawIsAWarning() throws {
    let report = try load(Self.whole.replacing("icon: wrench", with: "icon: wrnch"))
    #expect(report.scene != nil && report.problems.map(\.code) == ["unknownIcon"])
    #expect(report.problems.first?.hint == "did you mean 'wrench'?")
    let drawn = try String(
      contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/Station/WaymarkKiosk/Resources/js/icons.js"), encoding: .utf8)
    for icon in Marker.icons { #expect(drawn.contains("\n  \(icon): '"), "\(icon)") }
  }

  @Test func jsonReadsLikeYAML() throws {
    let json = #"""
      {"name": "Pump \ud83d\ude00 room", "anchors": [{"name": "pump-7", "image": "pump-7.png", "physicalWidth": 2.1e-1,
       "annotations": [{"id": "a", "position": [0, 0.5, -1], "card": {"title": "T\u00e4\/"}}]}]}
      """#
    let report = try load(json, json: true)
    #expect(report.problems.isEmpty)
    #expect(report.scene?.name == "Pump 😀 room")
    #expect(report.scene?.anchors[0].annotations[0].card?.title == "Tä/")
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var yaml: String
    /// `line code field` of each problem.
    var problems: [String]
  }

  static let head = "name: S\nanchors:\n  - name: a\n    image: pump-7.png\n"

  @Test(arguments: [
    Case(
      testDescription: "everything at once",
      yaml: """
        nmae: S
        anchors:
          - name: a
            image: missing.png
            physicalWidth: -0.2
            annotations:
              - { id: x, position: [.nan, 0, .inf] }
              - { id: x, position: [1, 2] }
              - { position: near, card: { descripton: d } }
          - name: a
            image: ../outside.png
            physicalWidth: wide
        """,
      problems: [
        "1 missing name", "1 unknownKey nmae", "4 missingPicture anchors[0].image",
        "5 notPositive anchors[0].physicalWidth", "7 notFinite anchors[0].annotations[0].position[0]",
        "7 notFinite anchors[0].annotations[0].position[2]", "8 duplicateID anchors[0].annotations[1].id",
        "8 wrongLength anchors[0].annotations[1].position", "9 missing anchors[0].annotations[2].id",
        "9 wrongType anchors[0].annotations[2].position", "9 missing anchors[0].annotations[2].card.title",
        "9 unknownKey anchors[0].annotations[2].card.descripton", "10 duplicateAnchor anchors[1].name",
        "11 outsideFolder anchors[1].image", "12 wrongType anchors[1].physicalWidth",
      ]),
    Case(testDescription: "empty file", yaml: "", problems: ["1 emptyFile "]),
    Case(testDescription: "a text", yaml: "hello", problems: ["1 wrongType "]),
    Case(testDescription: "a card file", yaml: "[{id: a, title_: A}]", problems: ["1 cardFile "]),
    Case(testDescription: "a service scene", yaml: "{id: 7, annotationAnchors: []}", problems: ["1 cardFile "]),
    Case(
      testDescription: "a name that turns the line around", yaml: "name: \"S\\u202Ex\"\n" + head.dropFirst(8),
      problems: ["1 controlCharacter name"]),
    Case(
      testDescription: "a C1 control character", yaml: "name: \"S\\u009B31m\"\n" + head.dropFirst(8),
      problems: ["1 controlCharacter name"]),
    Case(testDescription: "no anchors", yaml: "name: S", problems: ["1 missing anchors"]),
    Case(testDescription: "anchors empty", yaml: "name: S\nanchors: []", problems: ["2 empty anchors"]),
    Case(testDescription: "anchors a map", yaml: "name: S\nanchors: {}", problems: ["2 wrongType anchors"]),
    Case(testDescription: "anchor a text", yaml: "name: S\nanchors: [a]", problems: ["2 wrongType anchors[0]"]),
    Case(
      testDescription: "wide", yaml: head + "    physicalWidth: 2.5\n",
      problems: ["5 suspiciousWidth anchors[0].physicalWidth"]),
    Case(
      testDescription: "millimetres", yaml: head + "    physicalWidth: 210\n",
      problems: ["5 tooLarge anchors[0].physicalWidth"]),
    Case(
      testDescription: "radius without a width", yaml: head + "    radius: 0.03\n",
      problems: ["5 missing anchors[0].radius"]),
    Case(
      testDescription: "round and round", yaml: head + "    physicalWidth: 0.3\n    radius: 0.03\n",
      problems: ["6 tooSmall anchors[0].radius"]),
    Case(
      testDescription: "radius below zero", yaml: head + "    physicalWidth: 0.1\n    radius: -0.03\n",
      problems: ["6 notPositive anchors[0].radius"]),
    Case(
      testDescription: "radius in millimetres", yaml: head + "    physicalWidth: 0.1\n    radius: 330\n",
      problems: ["6 tooLarge anchors[0].radius"]),
    Case(
      testDescription: "round code",
      yaml: "name: S\nanchors:\n  - { name: a, code: A-1, physicalWidth: 0.1, radius: 0.03 }\n",
      problems: ["3 needsPicture anchors[0].radius"]),
    Case(testDescription: "cyclic", yaml: "name: S\nanchors: &a\n  - *a\n", problems: ["2 badYAML "]),
    Case(testDescription: "cut off", yaml: "name: S\nanchors: [{name: a", problems: ["2 badYAML "]),
    Case(testDescription: "alias as key", yaml: "a: &a [1]\n*a : b\n", problems: ["1 badYAML "]),
    Case(testDescription: "list with alias as key", yaml: "a: &a [1]\n[*a]: b\n", problems: ["1 badYAML "]),
    Case(testDescription: "two documents", yaml: "name: S\n---\nname: T\n", problems: ["2 badYAML "]),
    Case(testDescription: "key twice", yaml: "name: S\nname: T\nanchors: []\n", problems: ["1 duplicateKey "]),
    Case(
      testDescription: "actions",
      yaml: head + """
            annotations:
              - { id: a, position: [0, 0, 0], card: { title: t, actionText: go, actionType: link, actionData: "javascript:x" } }
              - { id: b, position: [0, 0, 0], card: { title: t, actionText: go, actionType: phone, actionData: "call me" } }
              - { id: c, position: [0, 0, 0], card: { title: t, actionText: go, actionType: leap } }
              - { id: d, position: [0, 0, 0], card: { title: t, actionText: go, actionType: link } }
              - { id: e, position: [0, 0, 0], card: { title: t, actionText: go } }
              - { id: f, position: [0, 0, 0], card: { title: t, actionType: custom } }
              - { id: g, position: [0, 0, 0], card: { title: t, actionText: go, actionType: phone, actionData: "+49 6227 7-0" } }
        """,
      problems: [
        "6 badActionData anchors[0].annotations[0].card.actionData",
        "7 badActionData anchors[0].annotations[1].card.actionData",
        "8 unknownActionType anchors[0].annotations[2].card.actionType",
        "9 missing anchors[0].annotations[3].card.actionData", "10 noAction anchors[0].annotations[4].card.actionType",
        "11 noButton anchors[0].annotations[5].card.actionText",
      ]),
    Case(
      testDescription: "ambiguous",
      yaml: """
        name: n
        ambiguous: perhaps
        anchors:
          - { name: a, code: RACK-7 }
        """,
      problems: ["2 unknownAmbiguous ambiguous"]),
    Case(
      testDescription: "copies",
      yaml: """
        name: n
        anchors:
          - { name: a, image: a.png, copies: 31 }
          - { name: b, image: a.png, copies: 0.5, annotate: all }
          - { name: c, code: RACK-7, copies: 2 }
          - { name: d, code: RACK-8, copies: 1 }
        """,
      problems: [
        "3 missingPicture anchors[0].image", "3 outOfRange anchors[0].copies", "4 missingPicture anchors[1].image",
        "4 outOfRange anchors[1].copies", "4 unknownAnnotate anchors[1].annotate", "5 needsPicture anchors[2].copies",
      ]),
    Case(
      testDescription: "codes",
      yaml: """
        name: S
        anchors:
          - { name: a, code: { text: A-1, prefix: A } }
          - { name: b, code: { symbologies: [qr] } }
          - { name: c, code: { pattern: "(a" } }
          - { name: d, code: { gs1: { ai: lot } } }
          - { name: e, code: { gs1: { ai: "01", value: "4006381333932" } } }
          - { name: f, code: { text: x, symbologies: [qrr] } }
          - { name: g, code: "" }
          - { name: h, code: [x], image: missing.png }
          - { name: i }
        """,
      problems: [
        "3 ambiguousCode anchors[0].code", "4 missing anchors[1].code", "5 badPattern anchors[2].code.pattern",
        "6 badIdentifier anchors[3].code.gs1.ai", "7 suspiciousNumber anchors[4].code.gs1.value",
        "8 unknownSymbology anchors[5].code.symbologies[0]", "9 missing anchors[6].code",
        "10 missingPicture anchors[7].image", "10 wrongType anchors[7].code", "11 missing anchors[8].image",
      ]),
    Case(
      testDescription: "a code behind a wider one",
      yaml: "name: S\nanchors:\n  - { name: a, code: { prefix: P } }\n  - { name: b, code: PUMP-7 }\n",
      problems: ["4 neverFound anchors[1].code"]),
  ])
  func namesEveryProblem(_ testCase: Case) throws {
    let report = try load(testCase.yaml)
    #expect(report.problems.map { "\($0.line) \($0.code) \($0.field)" }.sorted() == testCase.problems.sorted())
    #expect(report.problems.allSatisfy { !$0.message.isEmpty && !$0.hint.isEmpty && $0.file.hasSuffix("/scene.yaml") })
  }

  @Test func readsCodesAndWritesThemAgain() throws {
    let yaml = #"""
      name: S
      anchors:
        - { name: a, code: PUMP-7, physicalWidth: 0.04 }
        - { name: b, code: { prefix: "bin:", symbologies: [qr, dataMatrix] }, image: pump-7.png }
        - { name: c, code: { pattern: 'BIN-\d{4}' } }
        - { name: d, code: { gs1: { ai: "01", value: "04006381333931" } } }
        - { name: e, code: { gs1: { ai: "10" } } }
        - { name: f, image: pump-7.png, physicalWidth: 0.1, radius: 0.033 }
        - { name: g, image: pump-7.png, copies: 20, annotate: each }
      """#
    let report = try load(yaml)
    #expect(report.problems.isEmpty)
    let scene = try #require(report.scene)
    #expect(
      scene.anchors.map(\.code) == [
        SceneCode(.text("PUMP-7")), SceneCode(.prefix("bin:"), symbologies: [.qr, .dataMatrix]),
        SceneCode(.pattern(try RegularExpression(#"BIN-\d{4}"#))),
        SceneCode(.gs1(identifier: "01", value: "04006381333931")),
        SceneCode(.gs1(identifier: "10", value: nil)), nil, nil,
      ])
    #expect(scene.pictures.map(\.name) == ["f", "g"])
    #expect(scene.pictures.map(\.radius) == [0.033, nil])
    #expect(scene.pictures.map(\.copies) == [1, 20] && scene.pictures.map(\.annotate) == [.nearest, .each])
    #expect(scene.anchors[1].image == "pump-7.png")
    #expect(try load(SceneWriter.yaml(scene)).scene == scene)
  }

  @Test func deepNestingIsRefused() throws {
    let deep = "name: " + String(repeating: "[", count: 900) + String(repeating: "]", count: 900)
    #expect(try load(deep).problems.map(\.code) == ["tooDeep"])
  }

  @Test func refusesTooManyAnnotationsWithOneProblem() throws {
    var yaml = Self.head + "    annotations:\n"
    for index in 0..<10_000 { yaml += "      - { id: a\(index), position: [0, 0, 0] }\n" }
    #expect(try load(yaml).problems.map(\.code) == ["tooManyAnnotations"])
    var broken = Self.head + "    annotations:\n"
    for index in 0..<900 { broken += "      - { id: a\(index), position: [0, 0] }\n" }
    let report = try load(broken)
    #expect(report.problems.count == 50)
    #expect(report.omitted == 850)
  }

  /// Every copy would have markers of its own.
  @Test func refusesTooManyMarkersOfCopies() throws {
    func load(_ annotate: String) throws -> [String] {
      var yaml = Self.head + "    copies: 30\n    annotate: \(annotate)\n    annotations:\n"
      for index in 0..<40 { yaml += "      - { id: a\(index), position: [0, 0, 0] }\n" }
      return try self.load(yaml).problems.map(\.code)
    }
    #expect(try load("each") == ["tooManyMarkers"])
    #expect(try load("nearest") == [])
  }

  @Test func neverLeavesTheFolder() throws {
    let outside = try TemporaryFolder()
    try outside.write("secret.png", TemporaryFolder.png)
    let folder = try TemporaryFolder()
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder.path)/link.png", withDestinationPath: "\(outside.path)/secret.png")
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder.path)/away", withDestinationPath: outside.path)
    try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/inner.png", withDestinationPath: "real.png")
    try folder.write("real.png", TemporaryFolder.png)
    try folder.write("text.png", "no picture")
    try folder.write("empty.png", "")
    func code(_ image: String) throws -> String {
      try folder.write("scene.yaml", "name: S\nanchors: [{name: a, image: \"\(image)\"}]")
      return SceneLoader.load(folder: folder.path).problems.first?.code ?? "fine"
    }
    #expect(try code("link.png") == "outsideFolder")
    #expect(try code("away/secret.png") == "outsideFolder")
    #expect(try code("../../etc/passwd") == "outsideFolder")
    #expect(try code("/etc/passwd") == "outsideFolder")
    #expect(try code("~/x.png") == "outsideFolder")
    #expect(try code("a/../../x.png") == "outsideFolder")
    #expect(try code("text.png") == "badPicture")
    #expect(try code("empty.png") == "badPicture")
    // PAM, which begins like the other Netpbm formats and is not read.
    try folder.write("pam.png", Array("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\nENDHDR\nx".utf8))
    #expect(try code("pam.png") == "badPicture")
    #expect(try code(".") == "badPicture" || code(".") == "outsideFolder")
    #expect(try code("inner.png") == "fine")
    #expect(try code("./real.png") == "fine")
    // The scene's own file may not lead out either.
    try FileManager.default.removeItem(atPath: "\(folder.path)/scene.yaml")
    try outside.write("scene.yaml", Self.whole)
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder.path)/scene.yaml", withDestinationPath: "\(outside.path)/scene.yaml")
    #expect(SceneLoader.load(folder: folder.path).problems.map(\.code) == ["unreadable"])
  }

  @Test func namesMissingAndAmbiguousFolders() throws {
    #expect(SceneLoader.load(folder: "/nowhere/at/all").problems.map(\.code) == ["noFolder"])
    let folder = try TemporaryFolder()
    #expect(SceneLoader.load(folder: folder.path).problems.map(\.code) == ["noScene"])
    try folder.write("scene.yaml", "name: S")
    try folder.write("scene.json", "{}")
    #expect(SceneLoader.load(folder: folder.path).problems.map(\.code) == ["twoScenes"])
    try FileManager.default.removeItem(atPath: "\(folder.path)/scene.json")
    try folder.write("scene.yaml", [0x6E, 0x0A, 0xFF, 0xFE])
    #expect(SceneLoader.load(folder: folder.path).problems.map { "\($0.line) \($0.code)" } == ["2 notUTF8"])
  }

  @Test(arguments: [
    "{", "[1,]", "{\"a\" 1}", "{\"a\": 1,}", "\"\\ud800\"", "\"\\x\"", "\"a", "01x", "nul", "1 2", "\"\t\"", "",
    String(repeating: "[", count: 100),
  ])
  func refusesBadJSON(_ text: String) throws {
    let report = try load(text, json: true)
    #expect(report.scene == nil)
    #expect(report.problems.count == 1)
    #expect(report.problems.allSatisfy { ["badJSON", "tooDeep"].contains($0.code) && $0.line == 1 })
  }
}
