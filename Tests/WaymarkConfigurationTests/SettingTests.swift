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
      ])
  }

  private func read(_ yaml: String, _ camera: Camera = Camera()) -> Camera {
    let document = ConfigurationDocument(yaml, path: "w.yaml", table: ConfigurationTable(Camera.keys))
    var camera = camera
    camera.read(document.checked)
    return camera
  }

  @Test func theKeysHaveTheDefaultsOfTheSettings() {
    #expect(Camera.keys.map(\.path).first == "camera.width")
    #expect(
      Camera.keys.map(\.defaultValue) == [
        nil, .double(2), nil, nil, .string("second"), .strings(["first", "third"]), nil, nil, nil,
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
    camera.read(SourceNode(mark: SourceMark(line: 1, column: 1), value: .map([])), under: "camera")
    #expect(camera == Camera())
    camera.read(ConfigurationReader(layers: [["camera.width": .int(2)], ["camera.width": .int(5)]]))
    #expect(camera.width == 2)
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
