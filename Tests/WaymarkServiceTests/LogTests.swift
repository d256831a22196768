import Foundation
import Logging
import Testing
import WaymarkService

@Suite struct LogTests {
  private func line(_ message: String = "a code was refused", _ metadata: [String: String] = ["reason": "expired"])
    -> LogLine
  {
    LogLine(
      time: "2026-01-02T03:04:05.678Z", level: .info, label: "waymark", subsystem: "scan", message: message,
      metadata: metadata)
  }

  @Test func linesNameTheirPart() {
    #expect(
      line().text(.text, isJournal: false)
        == "2026-01-02T03:04:05.678Z info waymark.scan: a code was refused reason=expired")
    #expect(line().text(.text, isJournal: true) == "<6>waymark.scan: a code was refused reason=expired")
    #expect(
      line().text(.json, isJournal: false)
        == #"{"time":"2026-01-02T03:04:05.678Z","level":"info","subsystem":"scan","message":"a code was refused","reason":"expired"}"#
    )
  }

  @Test func whatComesFromOutsideDoesNotEndTheLine() throws {
    let hostile = line("a\nb\u{1B}[31m", ["device": "x y\"z\n<0>fake"])
    #expect(!hostile.text(.text, isJournal: true).contains("\n"))
    #expect(!hostile.text(.text, isJournal: true).contains("\u{1B}"))
    let json = hostile.text(.json, isJournal: false)
    #expect(!json.contains("\n"))
    let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: String]
    #expect(object?["device"] == "x y\"z\n<0>fake")
  }

  @Test func partsHaveLevelsOfTheirOwn() {
    let settings = LogSettings(level: .warning, levels: [.scan: .debug])
    #expect(settings.level(of: .scan) == .debug)
    #expect(settings.level(of: .camera) == .warning)
    #expect(settings.level(of: nil) == .warning)
  }

  @Test func theConfigurationSetsThem() throws {
    let environment = [
      "WAYMARK_LOG_LEVEL": "error", "WAYMARK_LOG_LEVELS_CAMERA": "trace", "WAYMARK_LOG_FORMAT": "json",
      "XDG_CONFIG_HOME": "/nonexistent",
    ]
    let (configuration, problems) = ConfigurationLoader(
      named: nil, environment: environment, flags: [:], isSystem: false
    ).load()
    #expect(problems == [])
    #expect(configuration.log == LogSettings(level: .error, levels: [.camera: .trace], format: .json))
  }

  @Test func loggersOfPartsCarryTheirName() {
    let logger = Logger(label: "test") { JournalLogHandler(label: $0, isJournal: false) }.subsystem(.camera)
    #expect(logger[metadataKey: "subsystem"] == "camera")
  }
}
