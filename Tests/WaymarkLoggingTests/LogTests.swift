import Foundation
import Logging
import Testing

@testable import WaymarkServer

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

  @Test func theLastLinesAreKept() {
    var lines = RecentLines()
    #expect(lines.all.isEmpty)
    for number in 1...RecentLines.limit + 3 { lines.append("\(number)") }
    #expect(lines.all == (4...RecentLines.limit + 3).map(String.init))
    lines.append(String(repeating: "a", count: 100_000))
    #expect(lines.all.last?.count == RecentLines.longest + 1 && lines.all.count == RecentLines.limit)
    // All loggers of the process write to the same lines.
    Logger(label: "kept") { JournalLogHandler(label: $0, isJournal: true) }.critical("a line of the test")
    #expect(JournalLogHandler.recentLines.contains { $0.hasSuffix(" critical kept: a line of the test") })
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

  @Test func aSlowReaderOfTheLogBlocksNoCaller() throws {
    var ends: [CInt] = [0, 0]
    #expect(pipe(&ends) == 0)
    #expect(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0)
    defer { close(ends[0]) }
    let writer = LogWriter(ends[1], limit: 100_000)
    let line = Array(String(repeating: "x", count: 99).utf8) + [0x0A]
    // Far more than a pipe takes and the writer keeps: it would wait here for ever.
    for _ in 0..<10_000 { writer.write(line) }
    // Read to the last byte before the pipe is closed: the writer would be in the middle of a line.
    var (text, isWritten) = ("", false)
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while !isWritten {
      isWritten = writer.flush(within: 0.01)
      while case let count = Glibc.read(ends[0], &chunk, chunk.count), count > 0 {
        text += String(decoding: chunk[..<count], as: UTF8.self)
      }
    }
    #expect(text.contains("were dropped"))
    #expect(text.utf8.count < 400_000)
    close(ends[1])
  }

  @Test func aSourceIsBounded() {
    var gate = LogRateLimiter(share: 3, limit: 5)
    let first = (0..<10).map { _ in gate.admit("a", second: 1) }
    #expect(first == [0, 0, 0, nil, nil, nil, nil, nil, nil, nil])
    #expect(gate.admit("b", second: 1) == 0)
    #expect(gate.admit("c", second: 1) == 0)
    #expect(gate.admit("d", second: 1) == nil, "and all of them together")
    #expect(gate.admit("a", second: 2) == 7)
    #expect(gate.admit("a", second: 2) == 0)
    var many = LogRateLimiter(share: 1, limit: 1_000_000)
    let admitted = (0..<10_000).count { many.admit("source \($0)", second: 1) != nil }
    #expect(admitted <= 257, "sources without end are one")
  }

  @Test func loggersOfPartsCarryTheirName() {
    let logger = Logger(label: "test") { JournalLogHandler(label: $0, isJournal: false) }.subsystem(.camera)
    #expect(logger[metadataKey: "subsystem"] == "camera")
  }
}
