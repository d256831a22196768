import Foundation
import Logging
import Testing
import WaymarkCamera
import WaymarkConfiguration
import WaymarkOnboarding
import WaymarkSystem

@testable import WaymarkServer
@testable import WaymarkService

@Suite struct ConfigurationTests {
  private func load(
    _ yaml: String?, environment: [String: String] = [:], flags: [String: String] = [:],
    schema: ConfigurationSchema = stationSchema
  ) throws -> (configuration: ServiceConfiguration, problems: [ConfigurationProblem]) {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/waymark.yaml"
    if let yaml { try yaml.write(toFile: path, atomically: true, encoding: .utf8) }
    return ConfigurationLoader(
      named: yaml == nil ? nil : path, environment: environment.merging(["XDG_CONFIG_HOME": folder]) { a, _ in a },
      flags: flags, isSystem: false, schema: schema
    ).load()
  }

  @Test func withoutAFileAllIsStandard() throws {
    let (configuration, problems) = try load(nil)
    #expect(problems.isEmpty)
    #expect(configuration.limits == ConnectionLimits())
    #expect(configuration.camera.closeAfter == 10)
  }

  /// The policy's reader distinguishes sections for other readers from misspelt ones.
  @Test func thePolicysReaderKnowsEverySection() {
    #expect(OnboardingConfiguration.sections.sorted() == stationSchema.table.sections.sorted())
  }

  @Test func theExampleIsWithoutProblems() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let base = try String(contentsOf: root.appending(path: "Packaging/waymark.yaml"), encoding: .utf8)
    #expect(try load(base, schema: ConfigurationSchema()).problems.isEmpty)
    let example = base + (try String(contentsOf: root.appending(path: "Packaging/station.yaml"), encoding: .utf8))
    #expect(try load(example).problems.isEmpty)
    // And so is everything that it comments out.
    let full = example.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.hasPrefix("#") && (!$0.hasPrefix("# ") || $0.hasPrefix("#  ")) ? String($0.dropFirst()) : String($0) }
      .joined(separator: "\n")
    let (configuration, problems) = try load(full)
    #expect(problems == [])
    #expect(configuration.roles.operatorUsers == ["kiosk"])
    #expect(configuration.trigger.key == "KEY_ENTER")
    #expect(configuration.galleryFolders == ["/srv/kiosk/pictures"])
  }

  @Test func theBaseNamesThePackageOfASectionThatItHasNot() throws {
    let (_, problems) = try load("text:\n  rate: 3\nscan: {}\n", schema: ConfigurationSchema())
    #expect(problems.map(\.key) == ["text"])
    #expect(problems.first?.message == "it belongs to the package waymark-station")
    // Every section of the station is known to be one.
    let base = ConfigurationSchema().table
    let more = Set(stationSchema.table.sections).subtracting(base.sections)
    #expect(Set(base.elsewhere.keys) == more)
  }

  @Test func flagsGoBeforeEnvironmentBeforeFile() throws {
    let yaml = "camera:\n  width: 320\n  height: 240\n  rate: 5\n"
    let (configuration, problems) = try load(
      yaml, environment: ["WAYMARK_CAMERA_HEIGHT": "480", "WAYMARK_CAMERA_RATE": "15"], flags: ["camera.rate": "30"])
    #expect(problems.isEmpty)
    #expect(configuration.camera.settings.width == 320)
    #expect(configuration.camera.settings.height == 480)
    #expect(configuration.camera.settings.rate == 30)
  }

  @Test func unknownKeysAreNamedWithTheirLine() throws {
    let (_, problems) = try load("camera:\n  rotaton: \"90\"\nsceens:\n  load: x\n")
    #expect(problems.map(\.line) == [2, 3])
    #expect(problems.first?.key == "camera.rotaton")
    #expect(problems.first?.hint == "Did you mean camera.rotation?")
  }

  @Test(arguments: [
    ("camera:\n  width: wide\n", 2), ("camera:\n  width: 3\n", 2), ("camera:\n  width: \"640\"\n", 2),
    ("camera:\n  mirror: yes please\n", 2), ("camera:\n  width: [1]\n", 2), ("scan:\n  autoBegin: maybe\n", 2),
    ("gallery:\n  folders:\n    - {a: b}\n", 3), ("camera: 5\n", 1),
    ("source:\n  rate: 1\ncamera:\n  width: 64\n  width: 65\n", 4), ("roles:\n  operators: [a]\n", 2),
  ])
  func wrongValuesAreNamedWithTheirLine(_ yaml: String, _ line: Int) throws {
    let (_, problems) = try load(yaml)
    #expect(!problems.isEmpty)
    #expect(problems.first?.line == line)
  }

  @Test func aKeyThatStandsTwiceIsNamed() throws {
    let (_, problems) = try load("camera:\n  width: 64\n  width: 65\n")
    #expect(problems.map(\.description).first?.hasSuffix(":2: width: it occurs twice") == true)
  }

  @Test func whatIsNotYAMLIsNamed() throws {
    for yaml in ["a: [", "\t- x", "just text", "- a\n- b\n"] {
      #expect(try !load(yaml).problems.isEmpty, "\(yaml)")
    }
  }

  @Test func theEnvironmentIsChecked() throws {
    let (_, problems) = try load(
      nil, environment: ["WAYMARK_CAMERA_WIDHT": "5", "WAYMARK_CAMERA_WIDTH": "x", "WAYMARK_SOCKET": "/tmp/s"])
    #expect(problems.count == 2)
    let (configuration, none) = try load(nil, environment: ["WAYMARK_SOCKET": "/tmp/s"])
    #expect(none.isEmpty)
    #expect(configuration.socket.path == "/tmp/s")
  }

  @Test func aNamedFileMustBeThere() {
    let (_, problems) = ConfigurationLoader(
      named: "/nonexistent/waymark.yaml", environment: [:], flags: [:], isSystem: true, schema: stationSchema
    ).load()
    #expect(problems.count == 1)
  }

  @Test func emptyValuesLeaveTheStandard() throws {
    let (configuration, problems) = try load("camera:\n  width:\n  height: null\nscan:\n")
    #expect(problems.isEmpty)
    #expect(configuration.camera.settings.width == 640)
  }

  @Test func everyKeyHasItsOwnVariable() {
    let names = stationSchema.table.keys.filter(\.hasVariable).map(\.environmentName)
    #expect(Set(names).count == names.count)
    #expect(stationSchema.table.key("camera.keepOpen")?.environmentName == "WAYMARK_CAMERA_KEEP_OPEN")
  }

  @Test func levelsOfTheLogAreRead() throws {
    let environment = [
      "WAYMARK_LOG_LEVEL": "error", "WAYMARK_LOG_LEVELS_CAMERA": "trace", "WAYMARK_LOG_FORMAT": "json",
      "XDG_CONFIG_HOME": "/nonexistent",
    ]
    let (configuration, problems) = ConfigurationLoader(
      named: nil, environment: environment, flags: [:], isSystem: false, schema: stationSchema
    ).load()
    #expect(problems == [])
    #expect(configuration.log == LogSettings(level: .error, levels: [.camera: .trace], format: .json))
  }
}
