import Foundation
import NIOCore
import Testing
import WaymarkProtocol
import WaymarkSystem

@testable import WaymarkServer

@Suite struct ListeningSocketTests {
  @Test func whatIsLeftOverIsReplaced() throws {
    let folder = try SocketFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/s"
    // A dead service: bound, never removed.
    var first = try ListeningSocket(path: path)
    let moved = path + ".moved"
    try FileManager.default.moveItem(atPath: path, toPath: moved)
    close(first.takeDescriptor())
    try FileManager.default.moveItem(atPath: moved, toPath: path)
    let second = try ListeningSocket(path: path)
    #expect(second.path == path)
  }

  @Test func aLivingServiceIsLeftAlone() throws {
    let folder = try SocketFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/s"
    let living = try ListeningSocket(path: path)
    #expect(throws: ServiceProblem.self) { _ = try ListeningSocket(path: path) }
    #expect(FileManager.default.fileExists(atPath: living.path))
  }

  @Test func whatIsNoSocketIsLeftAlone() throws {
    let folder = try SocketFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/s"
    try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
    do {
      _ = try ListeningSocket(path: path)
      Issue.record("a file was replaced")
    } catch { #expect(error.code == "notASocket") }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
  }

  @Test func modeAndEnd() throws {
    let folder = try SocketFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/deeper/s"
    do {
      let socket = try ListeningSocket(path: path)
      let mode = try FileManager.default.attributesOfItem(atPath: socket.path)[.posixPermissions] as? Int
      #expect(mode == 0o660)
    }
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func longPathsAreRefusedWithAWord() {
    do {
      _ = try ListeningSocket(path: "/tmp/" + String(repeating: "x", count: 120))
      Issue.record("it was taken")
    } catch { #expect(error.code == "pathTooLong") }
  }

  @Test func placesWithoutAFlag() {
    #expect(SocketPath.standard(environment: ["WAYMARK_SOCKET": "/x"], isSystem: false) == "/x")
    #expect(SocketPath.standard(environment: [:], isSystem: true) == "/run/waymark/waymark.sock")
    let user = ["XDG_RUNTIME_DIR": "/run/user/7"]
    #expect(SocketPath.standard(environment: user, isSystem: false) == "/run/user/7/waymark/waymark.sock")
    #expect(SocketPath.standard(environment: user, isSystem: true) == "/run/waymark/waymark.sock")
    #expect(SocketPath.forClient(environment: ["WAYMARK_SOCKET": "/nowhere/x"]) == "/nowhere/x")
  }
}

@Suite struct LineFramerTests {
  private func lines(_ chunks: [String], limit: Int = 10) -> [String] {
    var framer = LineFramer(limit: limit)
    var found: [String] = []
    for chunk in chunks {
      var buffer = ByteBuffer(string: chunk)
      framer.append(&buffer)
      while let next = framer.next() {
        switch next {
        case .line(let line): found.append(String(decoding: line, as: UTF8.self))
        case .tooLong: return found + ["TOO LONG"]
        }
      }
    }
    return found
  }

  @Test func linesAreCutWhereverTheChunksEnd() {
    #expect(lines(["a\nb", "c\n", "\n", "d"]) == ["a", "bc", ""])
    let text = "alpha\nbeta\n\ngamma\n"
    for size in 1...5 {
      let bytes = Array(text.utf8)
      let chunks = stride(from: 0, to: bytes.count, by: size).map {
        String(decoding: bytes[$0..<min($0 + size, bytes.count)], as: UTF8.self)
      }
      #expect(lines(chunks) == ["alpha", "beta", "", "gamma"])
    }
  }

  @Test func theLimitHolds() {
    #expect(lines(["0123456789\n"]) == ["0123456789"])
    #expect(lines(["01234567890\n"]) == ["TOO LONG"])
    #expect(lines(["0123456789", "0"]) == ["TOO LONG"])
    #expect(lines(["ok\n0123", "4567890"]) == ["ok", "TOO LONG"])
  }
}

@Suite struct OutboxTests {
  private func entry(_ size: Int, _ seq: Int, key: String? = nil) -> Outbox.Entry {
    Outbox.Entry(bytes: ByteBuffer(repeating: 0x61, count: size), seq: seq, key: key)
  }

  private func drain(_ outbox: inout Outbox) -> [Int] {
    var seqs: [Int] = []
    while let entry = outbox.pop() { seqs.append(entry.seq ?? -1) }
    return seqs
  }

  @Test func theNewestOfAKeyStays() {
    var outbox = Outbox(limit: 1000)
    for seq in 1...5 { _ = outbox.push(event: entry(100, seq, key: seq % 2 == 0 ? "a" : nil)) }
    #expect(outbox.byteCount == 400)
    let left9 = drain(&outbox)
    #expect(left9 == [1, 3, 4, 5])
    #expect(outbox.isEmpty)
  }

  @Test func manyReplacementsStayBounded() {
    var outbox = Outbox(limit: 1000)
    for seq in 1...100_000 { _ = outbox.push(event: entry(10, seq, key: seq % 3 == 0 ? "a" : "b")) }
    #expect(outbox.byteCount == 20)
    let left10 = drain(&outbox)
    #expect(left10 == [99_999, 100_000])
  }

  @Test func aGapIsOneGap() {
    var outbox = Outbox(limit: 300)
    let opened1 = outbox.push(event: entry(100, 1))
    #expect(!opened1)
    let opened2 = outbox.push(event: entry(100, 2))
    #expect(!opened2)
    let opened3 = outbox.push(event: entry(100, 3))
    #expect(!opened3)
    let opened4 = outbox.push(event: entry(100, 4))
    #expect(opened4)
    let early = outbox.closeGap()
    #expect(early == nil)
    _ = outbox.pop()
    // There would be room, but the gap is not reported yet: no event may overtake the report.
    let opened5 = outbox.push(event: entry(100, 5))
    #expect(!opened5)
    #expect(outbox.gap?.count == 2)
    #expect(outbox.gap?.sinceSeq == 3)
    _ = outbox.pop()
    let gap = outbox.closeGap()
    #expect(gap?.count == 2)
    #expect(gap?.sinceSeq == 3)
    let opened6 = outbox.push(event: entry(100, 6))
    #expect(!opened6)
    let left11 = drain(&outbox)
    #expect(left11 == [3, 6])
  }

  @Test func whatCoalescesOpensNoGap() {
    var outbox = Outbox(limit: 100)
    _ = outbox.push(event: entry(90, 1))
    let opened7 = outbox.push(event: entry(90, 2, key: "a"))
    #expect(!opened7)
    #expect(outbox.gap == nil)
    let left12 = drain(&outbox)
    #expect(left12 == [1])
  }

  @Test func repliesAreNeverDropped() {
    var outbox = Outbox(limit: 10)
    for _ in 0..<50 { outbox.push(reply: ByteBuffer(repeating: 0, count: 100)) }
    let left13 = drain(&outbox)
    #expect(left13.count == 50)
  }

  @Test func oneThatIsLargerThanTheRoomStillGoes() {
    var outbox = Outbox(limit: 10)
    let opened8 = outbox.push(event: entry(100, 1))
    #expect(!opened8)
    let left14 = drain(&outbox)
    #expect(left14 == [1])
  }
}

@Suite struct EventPatternsTests {
  @Test func patternsMatch() {
    var patterns = EventPatterns()
    patterns.add(["scan.*", "anchor.lost", "scan.*"])
    #expect(patterns.patterns.count == 2)
    #expect(patterns.match("scan.successful"))
    #expect(!patterns.match("scanner.status"))
    #expect(patterns.match("anchor.lost"))
    #expect(!patterns.match("anchor.found"))
    patterns.add(["*"])
    #expect(patterns.match("anchors.updated"))
    #expect(!patterns.match("statistics"))
    patterns.remove(["*", "scan.*"])
    #expect(!patterns.match("scan.successful"))
    #expect(patterns.match("anchor.lost"))
  }

  @Test func aMisspeltPatternIsRefusedWithTheNearestOne() {
    for (pattern, hint) in [
      ("scan.succesful", "Did you mean scan.successful?"), ("scan", "Did you mean scan.*?"),
      ("SCAN.*", "Did you mean scan.*?"), ("gateway.mised", "Did you mean gateway.missed?"),
      ("text.zzzzzzzzzzzz", "There are text.began, text.candidates, text.accepted, text.failed, text.ended."),
    ] { #expect(EventPatterns.fault(of: pattern, own: ["gateway.missed"])?.hint == hint) }
    #expect(EventPatterns.fault(of: "zzzzzzzzzz.z")?.hint.hasPrefix("There are account.*, anchor.*, ") == true)
    #expect(EventPatterns.fault(of: "scan.*.x")?.message == "\"scan.*.x\" is not a pattern of events")
    for good in ["*", "scan.*", "statistics", "stream.dropped", "camera.intrinsics"] {
      #expect(EventPatterns.fault(of: good) == nil, "\(good)")
    }
  }
}

private enum SocketFolder {
  /// A new folder; short, because a socket's path is.
  static func make() throws -> String {
    let path = "/tmp/wm-" + String(UInt64.random(in: .min ... .max), radix: 36)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    return path
  }
}
