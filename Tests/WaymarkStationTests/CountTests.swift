import Foundation
import Testing
import WaymarkConfiguration
import WaymarkFrames
import WaymarkImage
import WaymarkOnboarding
import WaymarkProtocol
import WaymarkServer
import WaymarkSystem

@testable import WaymarkService
@testable import WaymarkStation

/// `count.*`: clients, published texts, and all of it through the socket.
@Suite("Counting", .serialized, .ownThread) struct CountTests {
  // MARK: Published texts

  @Test(
    "Secrets are neither told nor names",
    arguments: [
      ("4006381333931", true, true), ("ABC-123 (left)", true, true), ("https://example.com/x", true, false),
      ("WIFI:T:WPA;S:net;P:secret;;", false, false), ("wifi:S:net;P:secret;;", false, false),
      ("{\"appID\":\"x\",\"host\":\"h\"}", false, false), ("  [1]", false, false), ("<a/>", false, false),
      ("otpauth-migration://offline?data=CjEK", false, false), ("https://user:pass@example.com/", false, false),
      ("https://example.com/#access_token=abc", false, false), ("password: hunter2", false, false),
      ("otpauth://totp/x?secret=JBSW", false, false), ("MECARD:N:Doe;;", false, false), ("tel:+49", true, false),
      ("BEGIN:VCARD\nEND:VCARD", false, false), (" ", false, false), ("", false, false),
      ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", false, false),
      (String(repeating: "7", count: 64), true, true), (String(repeating: "7", count: 65), true, false),
      (String(repeating: "7", count: 160), true, false), (String(repeating: "7", count: 161), false, false),
    ])
  func texts(content: String, isTold: Bool, isName: Bool) {
    let text = ArticleText(content, isHarmless: false, policy: OnboardingPolicy())
    #expect(text.text == (isTold ? content : nil))
    #expect(text.name == (isName ? content : nil))
  }

  @Test("Observers get contents that are harmless alone") func observers() {
    let policy = OnboardingPolicy()
    let copies = { (text: String) -> CodeCounter.Copies in
      var counter = CodeCounter()
      for frame in 0..<2 {
        counter.look(
          [
            ObservedCode(
              content: CodeContent(symbology: "ean13", text: text),
              quad: .init(
                topLeft: .init(10, 10), topRight: .init(90, 10), bottomRight: .init(90, 90), bottomLeft: .init(10, 90)),
              number: 1)
          ], width: 640, height: 480, frame: frame)
      }
      return counter.result[0]
    }
    let codes = [("1", true), ("2", false)].map { text, isHarmless in
      CountedArticle(copies(text), ArticleText(text, isHarmless: isHarmless, policy: policy))
    }
    let seen = CountState(count: "n", total: 2, views: 2, stretches: 1, codes: codes).forObservers
    #expect(seen.codes.map(\.text) == ["1", nil] && seen.codes.map(\.name) == ["1", nil])
    #expect(seen.codes.map(\.amount) == [1, 1] && seen.total == 2)
  }

  @Test("The longest list fits into what may wait for a client") func longest() throws {
    let text = String(repeating: "\u{1}", count: 160)
    let name = String(repeating: "\u{1}", count: 64)
    let codes = (0..<500).map { _ in CountedArticle(symbology: "dataBarExpanded", text: text, name: name, amount: 1024)
    }
    let expected = (0..<200).map { _ in ExpectedArticle(text: text, name: name, amount: 9999) }
    let state = CountState(
      count: "n", total: 1024, views: .max, stretches: 1024, codes: codes, expected: expected, full: true)
    let line = try JSONLineEncoder.line(EventLine(seq: .max, time: "2026-01-02T03:04:05.678Z", payload: state))
    #expect(line.count < ConnectionLimits().outbox)
  }

  @Test(
    "What is expected is read from a file with the bounds of the request",
    arguments: [
      (#"[{"text":"A","name":"Pens","amount":2},{"text":"B","amount":0}]"#, 2, ""), ("[]", 0, ""),
      (#"{"articles":[]}"#, nil, "articles"), ("[", nil, "is not JSON"), (#"[{"text":"A"}]"#, nil, "amount"),
      (#"[{"text":"A","amount":10000}]"#, nil, "articles[0].amount"),
      (#"[{"text":"","amount":1}]"#, nil, "articles[0].text"),
      (#"[{"text":"A","amount":1},{"text":"A","amount":2}]"#, nil, "named twice"),
      (#"[{"text":"A","amount":1,"shelf":2}]"#, nil, "shelf"),
    ] as [(String, Int?, String)])
  func expectedFromFile(json: String, count: Int?, words: String) throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try json.write(toFile: folder + "/list.json", atomically: true, encoding: .utf8)
    let configuration = ServiceConfiguration(
      [["count.expected": .string(folder + "/list.json")]], schema: stationSchema)
    let problems = CountSettings.problems(configuration)
    #expect(problems.isEmpty == (count != nil))
    if let count { #expect(try CountSettings(configuration).articles()?.count == count) }
    #expect(problems.allSatisfy { $0.message.contains(words) && !$0.hint.isEmpty }, "\(problems)")
    #expect(try CountSettings(ServiceConfiguration(stationSchema)).articles() == nil)
  }

  // MARK: Through the socket

  private func service(in folder: String) async throws -> TestService {
    let picture = folder + "/code.png"
    try drawCode("PUMP-7", to: picture)
    let source = try FolderSource(path: picture, rate: 30)
    return try await TestService { hub in
      let capture = CaptureModule(hub: hub, source: source)
      let scans = ScanModule(hub: hub, capture: capture, rules: .init())
      let codes = CodesModule(hub: hub, scans: scans, capture: capture, cameras: CameraChoice())
      capture.start()
      let expected = [ExpectedArticle(text: "PUMP-7", name: nil, amount: 3)]
      return [
        capture, scans, codes, CountModule(hub: hub, scans: scans, codes: codes, camera: nil, expected: expected),
      ]
    }
  }

  @Test(
    "Two clients see one count; reset and the end are for both",
    .enabled(if: canDrawCodes, "needs qrencode"), .timeLimit(.minutes(1)))
  func together() async throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let service = try await service(in: folder)
    let events = #"{"events":["count.*"]}"#
    let (one, two) = (try service.client(subscribing: events), try service.client(subscribing: events))
    #expect(try one.ask("count.reset")["error"]?["code"]?.string == "noSession")
    #expect(try one.ask("count.begin", #"{"symbologies":["nonsense"]}"#)["error"]?["code"]?.string == "badParams")
    let begun = try #require(try one.ask("count.begin", "{}", id: 5)["result"])
    #expect(begun["total"]?.int == 0 && begun["codes"]?.array?.isEmpty == true)
    #expect(begun["expected"]?.array?.first?["amount"]?.int == 3)
    let count = try #require(begun["count"]?.string)
    for client in [one, two] {
      let event = try client.event("count.changed")
      #expect(event["count"]?.string == count && event["total"]?.int == 1 && event["stretches"]?.int == 1)
      let code = try #require(event["codes"]?.array?.first)
      #expect(code["text"]?.string == "PUMP-7" && code["name"]?.string == "PUMP-7" && code["amount"]?.int == 1)
    }
    // A client that comes later sees what is there, also in the snapshot.
    #expect(try two.ask("subscribe", "{}", id: 6)["result"]?["count"]?["total"]?.int == 1)
    let joined = try #require(try two.ask("count.begin", "{}", id: 7)["result"])
    #expect(joined["count"]?.string == count && joined["total"]?.int == 1)
    // In frames it is marked.
    _ = try two.ask("subscribe", #"{"events":["codes.updated"]}"#, id: 8)
    #expect(try two.event("codes.updated")["codes"]?.array?.first?["counted"]?.bool == true)
    _ = try two.ask("unsubscribe", #"{"events":["codes.updated"]}"#, id: 9)
    // What is expected comes to both once, and to a client that joins.
    let twice = #"{"articles":[{"text":"A","amount":1},{"text":"A","amount":2}]}"#
    #expect(try two.ask("count.expected", twice, id: 20)["error"]?["code"]?.string == "badParams")
    #expect(try two.ask("count.expected", #"{"articles":[{"text":"A","amount":2}]}"#, id: 21)["result"] != nil)
    #expect(try one.event("count.changed")["expected"]?.array?.first?["amount"]?.int == 2)
    #expect(try one.ask("count.begin", "{}", id: 22)["result"]?["expected"]?.array?.count == 1)
    #expect(try two.ask("count.expected", #"{"articles":[]}"#, id: 23)["result"] != nil)
    #expect(try one.event("count.changed")["expected"]?.array?.isEmpty == true)
    // The count is emptied for both and continues.
    #expect(try two.ask("count.reset", "{}", id: 10)["result"]?["total"]?.int == 0)
    #expect(try one.event("count.changed")["total"]?.int == 0)
    #expect(try one.event("count.changed")["total"]?.int == 1)
    #expect(try one.ask("count.end", "{}", id: 11)["result"] != nil)
    // It continues for the other one.
    #expect(try one.ask("subscribe", "{}", id: 12)["result"]?["count"]?["count"]?.string == count)
    #expect(try two.ask("count.end", "{}", id: 13)["result"] != nil)
    let ended = try one.event("count.ended")
    #expect(ended["count"]?.string == count && ended["reason"]?.string == "ended")
    let over = try one.ask("subscribe", "{}", id: 14)["result"]
    #expect(over?["count"] == nil && over?["codes"] == nil)
    await service.stop()
  }
}
