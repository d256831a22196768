import Testing

@testable import WaymarkConfiguration

/// Rows of settings: from each come its key, its default and the reading of its value.
@Suite struct SettingTests {
  private enum Step: String, CaseIterable, SettingWord { case first, second, third }

  private struct Camera: Configurable, Equatable {
    var width: Int?
    var seconds = 7200.0
    var isOpen = true
    var hosts: [String] = []
    var lens = ""
    var scenes: [String] = []
    var step = Step.second
    var steps: Set<Step> = [.third, .first]
    var level: Step?
    var controls: [String: Int] = [:]

    static let settings = section(
      "camera",
      [
        Setting("width", .int(1...9), "pixels", into: \.width, change: .restart),
        Setting(
          "hours", .double(0...24), "hours", into: \.seconds, from: { (hours: Double) in hours * 3600 },
          to: { $0 / 3600 }),
        Setting("open", .bool, "open", into: \.isOpen, otherwise: "as the camera is", change: .restart),
        Setting("hosts", .texts(9), "hosts", into: \.hosts),
        Setting("step", "a step", into: \.step),
        Setting("steps", "some steps", into: \.steps),
        Setting("level", "a level", into: \.level),
        Setting("focus", .int(0...9), "focus", into: \.controls["focus"]),
        Setting("links", .sections, "links"),
        Setting("lens", .path, "a file", into: \.lens),
        Setting("scenes", .paths, "folders", into: \.scenes),
      ])
  }

  private func read(_ yaml: String, _ camera: Camera = Camera(), path: String = "w.yaml") -> Camera {
    let document = ConfigurationDocument(yaml, path: path, table: ConfigurationTable(Camera.keys))
    var camera = camera
    camera.read(document)
    return camera
  }

  @Test func theKeysHaveTheDefaultsOfTheSettings() {
    #expect(Camera.keys.map(\.path).first == "camera.width")
    #expect(
      Camera.keys.map(\.defaultValue) == [
        nil, .double(2), nil, nil, .string("second"), .strings(["first", "third"]), nil, nil, nil, nil, nil,
      ])
    #expect(Camera.keys[2].otherwise == "as the camera is")
    #expect(Camera.keys[4].kind == .choice(["first", "second", "third"]))
    #expect(Camera.keys[5].kind == .choices(["first", "second", "third"]))
  }

  @Test func valuesAreWrittenIntoTheirMembersAndTheOthersStay() {
    let yaml = "camera: {width: 3, hours: 0.5, hosts: [a], step: third, steps: [second], level: first, focus: 4}"
    var expected = Camera()
    expected.width = 3
    expected.seconds = 1800
    expected.hosts = ["a"]
    expected.step = .third
    expected.steps = [.second]
    expected.level = .first
    expected.controls = ["focus": 4]
    #expect(read(yaml) == expected)
    #expect(read("camera: {open: false}", expected).width == 3)
    #expect(read("camera: {width: 10, hours: x}") == Camera())
    // A section alone, and layers.
    var camera = Camera()
    let document = ConfigurationDocument("", path: "w.yaml", table: ConfigurationTable(Camera.keys))
    camera.read(document.checked, of: document, under: "camera")
    #expect(camera == Camera())
    camera.read(ConfigurationReader(layers: [["camera.width": .int(2)], ["camera.width": .int(5)]]))
    #expect(camera.width == 2)
  }

  @Test(
    "A path is relative to the folder of the file; an address, a credential and an absolute path are as written",
    arguments: [
      ("lens.yaml", "/etc/w/lens.yaml"), ("./a/lens.yaml", "/etc/w/./a/lens.yaml"), ("/lens.yaml", "/lens.yaml"),
      ("credential:lens", "credential:lens"), ("rtsp://lens/", "rtsp://lens/"), ("-", "-"), ("7", "/etc/w/7"),
      ("a\0b", ""), ("", ""), (String(repeating: "a", count: 4097), ""),
    ])
  func paths(written: String, resolved: String) {
    let text = written.replacing("\0", with: "\\0")
    #expect(read("camera: {lens: \"\(text)\"}", path: "/etc/w/w.yaml").lens == resolved)
    #expect(read("camera: {scenes: [\"\(text)\", b=c]}", path: "/etc/w/w.yaml").scenes.last == "b=/etc/w/c")
  }

  @Test func whatNeedsARestartIsKept() {
    var running = Camera()
    running.width = 5
    var wanted = read("camera: {width: 7, hours: 1}")
    #expect(wanted.keep(running).map(\.path) == ["camera.width"])
    #expect(wanted.width == 5 && wanted.seconds == 3600)
    #expect(wanted.keep(running).isEmpty)
  }
}
