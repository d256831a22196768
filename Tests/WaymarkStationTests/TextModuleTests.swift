import Foundation
import Testing
import WaymarkConfiguration
import WaymarkFrames
import WaymarkImage
import WaymarkProtocol
import WaymarkSystem

@testable import WaymarkServer
@testable import WaymarkService
@testable import WaymarkStation
@testable import WaymarkText
@testable import WaymarkWorker

/// `text.*` through the socket, with a program in place of `waymark-text`: one line is in view.
@Suite("Text is read", .serialized, .ownThread, .enabled(if: FakeTextEngine.isPossible, "needs python3"))
struct TextModuleTests {
  private static let plate = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fixtures/Text/plate.jpg").path

  private func service(
    _ fake: FakeTextEngine, roles: RolePolicy? = nil, _ settings: TextSettings = TextSettings()
  ) async throws -> TestService {
    let source = try FolderSource(path: Self.plate, rate: 60)
    // The program is there for as long as it may be started.
    let engineHost = TextEngineHost { languages throws(TextError) in
      if languages == ["xxx"] { return try TextEngine(languages: languages) }
      return try TextEngine(languages: ["eng"], executable: fake.path, limit: 0.5)
    }
    return try await TestService(roles: roles ?? RolePolicy(operatorUsers: [UInt32(geteuid())])) { hub in
      let capture = CaptureModule(hub: hub, source: source)
      let text = TextModule(hub: hub, cameras: ByCamera(capture), settings: settings, engineHost: engineHost)
      capture.start()
      return [capture, text]
    }
  }

  @Test("A number that is stable is taken, and the session is over", .timeLimit(.minutes(1)))
  func accepts() async throws {
    let service = try await service(try FakeTextEngine("text('4006381333931')"))
    let client = try service.client(subscribing: #"{"events":["text.*"]}"#)
    let begun = try client.ask("text.begin", #"{"region":[0,0,1,1],"patterns":["gtin"]}"#, id: 2)
    let session = try #require(begun["result"]?["session"]?.string)
    #expect(begun["result"]?["patterns"]?.array?.map(\.string) == ["gtin"])
    let candidates = try client.event("text.candidates")
    let candidate = try #require(candidates["candidates"]?.array?.first)
    #expect(candidates["session"]?.string == session && candidate["text"]?.string == "4006381333931")
    #expect(candidate["corners"]?.array?.count == 4 && candidates["frame"]?["width"]?.int == 640)
    let accepted = try client.event("text.accepted")
    #expect(accepted["text"]?.string == "4006381333931" && accepted["automatic"]?.bool == true)
    #expect(accepted["pattern"]?.string == "gtin" && accepted["session"]?.string == session)
    let ended = try client.event("text.ended")
    #expect(ended["reason"]?.string == "accepted")
    #expect(try client.ask("text.cancel", "{}", id: 3)["error"]?["code"]?.string == "noSession")
    await service.stop()
  }

  @Test("What is doubtful is chosen, and nothing else can be", .timeLimit(.minutes(1)))
  func chooses() async throws {
    let service = try await service(try FakeTextEngine("text('AB0123')"))
    let client = try service.client(subscribing: #"{"events":["text.*"]}"#)
    let wish = #"{"patterns":[{"name":"serial","expression":"[A-Z0-9]{6}","length":[6]}]}"#
    #expect(try client.ask("text.begin", wish, id: 2)["result"] != nil)
    let candidates = try client.event("text.candidates")
    #expect(candidates["candidates"]?.array?.first?["doubtful"]?.bool == true)
    try client.send("{\"id\":3,\"method\":\"text.choose\",\"params\":{\"text\":\"AB9999\"}}\n")
    var answer = try client.next()
    while answer["id"]?.int != 3 { answer = try client.next() }
    #expect(answer["error"]?["code"]?.string == "notFound")
    try client.send("{\"id\":4,\"method\":\"text.choose\",\"params\":{\"text\":\"ABO123\"}}\n")
    let accepted = try client.event("text.accepted")
    #expect(accepted["text"]?.string == "ABO123" && accepted["automatic"]?.bool == false)
    await service.stop()
  }

  @Test("One session a device: others are told who holds it, and it ends with its client", .timeLimit(.minutes(1)))
  func isHeld() async throws {
    let service = try await service(try FakeTextEngine("text('...')"))
    let (first, second) = (
      try service.client(subscribing: #"{"events":["text.ended"]}"#),
      try service.client(subscribing: #"{"events":["text.ended"]}"#)
    )
    let begun = try first.ask("text.begin", #"{"patterns":["gtin"]}"#, id: 2)
    let refused = try second.ask("text.begin", "{}", id: 2)
    #expect(refused["error"]?["code"]?.string == "busy" && refused["error"]?["holder"]?["client"]?.int != nil)
    #expect(try second.ask("text.cancel", "{}", id: 3)["error"]?["code"]?.string == "busy")
    let snapshot = try second.ask("subscribe", "{}", id: 4)
    #expect(snapshot["result"]?["text"]?["session"]?.string == begun["result"]?["session"]?.string)
    #expect(try second.ask("status", "{}", id: 5)["result"]?["text"]?["patterns"]?.array?.first?.string == "gtin")
    // The same client begins another one in its place.
    #expect(try first.ask("text.begin", "{}", id: 6)["result"] != nil)
    #expect(try second.event("text.ended")["reason"]?.string == "replaced")
    first.shutdownSending()
    #expect(try second.event("text.ended")["reason"]?.string == "disconnected")
    #expect(try second.ask("text.begin", #"{"timeout":0.05}"#, id: 7)["result"] != nil)
    #expect(try second.event("text.ended")["reason"]?.string == "timedOut")
    await service.stop()
  }

  @Test("An observer learns that something was read, not what", .timeLimit(.minutes(1)))
  func observersLearnNothing() async throws {
    let session = TextSession(session: "t1", patterns: ["secret[0-9]+"], languages: ["eng"])
    #expect(TextBegan(text: session).forObservers.text.patterns == nil)
    let corners = [[0.0, 0], [1, 0], [1, 1], [0, 1]]
    let candidate = TextCandidate(text: "SECRET", pattern: "p", corners: corners, confidence: 1, doubtful: false)
    #expect(TextCandidates(session: "t1", candidates: [candidate], lines: 1).forObservers.candidates == nil)
    let accepted = TextAccepted(
      session: "t1", text: "SECRET", pattern: "secret[0-9]+", corners: corners, confidence: 1, automatic: true)
    let line = String(decoding: try JSONLineEncoder.encode(accepted.forObservers), as: UTF8.self)
    #expect(!line.lowercased().contains("secret") && line.contains("\"redacted\":true"))
  }

  @Test("A program that hangs or dies costs frames, not the session", .timeLimit(.minutes(1)))
  func survivesTheProgram() async throws {
    // The first process hangs, the second dies, the third reads.
    let body = """
      count = len(set(open(__file__ + '.runs').read().split())) if os.path.exists(__file__ + '.runs') else 0
        if asked == 1: open(__file__ + '.runs', 'a').write(f"{os.getpid()}\\n")
        if count == 0: time.sleep(3600)
        elif count == 1 and asked == 1: os.kill(os.getpid(), signal.SIGKILL)
        else: text('4006381333931')
      """
    let service = try await service(try FakeTextEngine(body))
    let client = try service.client(subscribing: #"{"events":["text.*"]}"#)
    #expect(try client.ask("text.begin", #"{"patterns":["gtin"]}"#, id: 2)["result"] != nil)
    let failed = try client.event("text.failed")
    #expect(failed["code"]?.string == "textEngineFailed" && failed["hint"]?.string?.isEmpty == false)
    #expect(try client.event("text.accepted")["text"]?.string == "4006381333931")
    await service.stop()
  }

  @Test("What makes no sense is refused, and what is missing told with what to install")
  func refuses() async throws {
    var settings = TextSettings()
    settings.patterns = [try TextPattern.named("/[0-9]{4}/")]
    let service = try await service(try FakeTextEngine("text('x')"), settings)
    let client = try service.client(subscribing: #"{"events":["text.ended"]}"#)
    for params in [
      #"{"region":[0,0,2,1]}"#, #"{"region":[0]}"#, #"{"patterns":["[A-Z]"]}"#, #"{"patterns":["/[A-Z/"]}"#,
      #"{"patterns":[{}]}"#,
      #"{"patterns":[7]}"#,
      #"{"patterns":[{"length":[9,3]}]}"#, #"{"patterns":[{"check":"crc"}]}"#, #"{"patterns":[{"kind":"poem"}]}"#,
      #"{"patterns":["gtin","gtin"]}"#, #"{"patterns":["((a{100}){100}){100}"]}"#, #"{"timeout":0}"#,
      "{\"patterns\":[" + Array(repeating: "\"gtin\"", count: 17).joined(separator: ",") + "]}",
      "{\"patterns\":[\"" + String(repeating: "a", count: 500) + "\"]}",
    ] {
      #expect(try client.ask("text.begin", params)["error"]?["code"]?.string == "badParams", "\(params)")
    }
    let missing = try client.ask("text.begin", #"{"languages":["xxx"]}"#, id: 2)
    #expect(missing["error"]?["code"]?.string?.hasPrefix("text") == true)
    #expect(missing["error"]?["hint"]?.string?.hasPrefix("apt install") == true)
    await service.stop()
  }

  @Test("Patterns of the configuration are read, and what is wrong in them told with its line")
  func readsPatterns() throws {
    let document = ConfigurationDocument(
      """
      text:
        languages: [eng]
        patterns:
          serial: "[A-Z]{2}[0-9]{6}"
          order:
            length: [8, 10]
            alphabet: "0123456789"
            check: luhn
          gtin: "[0-9]+"
          bad: "[A-Z"
          worse: { check: crc, colour: red }
      """, path: "waymark.yaml", table: stationSchema.table)
    let (patterns, wrong) = TextSettings.read(document)
    let problems = (document.problems + wrong).inOrder
    #expect(patterns.map(\.name) == ["serial", "order"])
    #expect(patterns.last?.check == .luhn && patterns.last?.length == 8...10)
    #expect(problems.map(\.line) == [9, 10, 11, 11])
  }
}
