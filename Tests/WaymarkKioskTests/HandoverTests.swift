import Foundation
import Testing
import WaymarkConfiguration
import WaymarkSystem

@testable import WaymarkKiosk

@Suite("Results that leave by a program of the integrator's", .serialized, .ownThread)
struct HandoverTests {
  /// A folder of its own, which is gone afterwards.
  private final class Place: Sendable {
    let path: String

    init() throws {
      path = NSTemporaryDirectory() + "waymark-handover-tests-\(UUID().uuidString)"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func script(_ text: String, name: String = "program") throws -> String {
      let file = "\(path)/\(name)"
      try Data("#!/bin/sh\n\(text)\n".utf8).write(to: URL(fileURLWithPath: file))
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
      return file
    }

    func text(_ name: String) -> String? { try? String(contentsOfFile: "\(path)/\(name)", encoding: .utf8) }

    /// The files that results left behind.
    func left() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasPrefix("waymark-") }
    }
  }

  private static let number = "K7RM-42QD"
  private static let receipt = HandedResult(ending: "txt", contentType: "text/plain", bytes: Array("a: 1\n".utf8))

  private func run(
    _ script: String, in place: Place, arguments: [String] = ["{file}"], seconds: Int = 20,
    description: [JSONValue.Member] = [], meanwhile: @Sendable () async -> Void = {}
  ) async throws -> (outcome: HandoverProgram.Outcome, output: String) {
    let way = HandoverWay(
      name: "print", program: try place.script(script), arguments: arguments, seconds: seconds)
    let program = HandoverProgram(way: way, folder: place.path)
    async let ended = program.run(Self.receipt, number: Self.number, description: description)
    await meanwhile()
    return await ended
  }

  @Test("A program gets the file, its description and few variables, and nothing of it stays")
  func works() async throws {
    let place = try Place()
    let script =
      "cat \"$1\" > \(place.path)/got; cat > \(place.path)/told; env > \(place.path)/env; ls -l /proc/self/fd > \(place.path)/fds"
    let ended = try await run(script, in: place, description: [JSONValue.Member("language", "de")])
    #expect(ended.outcome == .done && ended.output.isEmpty)
    #expect(place.text("got") == "a: 1\n")
    let input = try JSONParser.parse(Array(try #require(place.text("told")).utf8))
    #expect(
      input["way"]?.string == "print" && input["number"]?.string == Self.number
        && input["language"]?.string == "de")
    #expect(input["file"]?.string?.hasSuffix("/K7RM-42QD.txt") == true && input["type"]?.string == "text/plain")
    let names = Set((place.text("env") ?? "").split(separator: "\n").compactMap { $0.split(separator: "=").first })
    #expect(
      names.isSubset(of: ["PATH", "LC_ALL", "HOME", "USER", "TZ", "CUPS_SERVER", "PWD", "SHLVL", "_"]), "\(names)")
    // The standard three, and what `ls` itself has opened.
    #expect((place.text("fds") ?? "").components(separatedBy: "-> ").count <= 5, "\(place.text("fds") ?? "")")
    #expect(try place.left() == [])
  }

  @Test("Its status is told: 75 is for later, another one a failure, a signal one too")
  func statuses() async throws {
    let place = try Place()
    #expect(try await run("exit 75", in: place).outcome == .later)
    let failed = try await run("echo no paper >&2; exit 3", in: place)
    #expect(failed.outcome == .failed(3) && failed.output == "no paper\n")
    #expect(try await run("kill -9 $$", in: place).outcome == .failed(9))
    let way = HandoverWay(name: "print", program: "\(place.path)/missing")
    guard
      case .notStarted = await HandoverProgram(way: way, folder: place.path).run(
        Self.receipt, number: Self.number, description: []
      ).outcome
    else { return #expect(Bool(false), "it was started") }
    #expect(try place.left() == [])
  }

  @Test("A program that hangs is killed with all that it started")
  func hangs() async throws {
    let place = try Place()
    let ended = try await run(
      "echo $$ > \(place.path)/pids; sleep 600 & echo $! >> \(place.path)/pids; wait", in: place, seconds: 1)
    #expect(ended.outcome == .tooLong)
    let numbers = (place.text("pids") ?? "").split(separator: "\n").compactMap { Int32($0) }
    #expect(numbers.count == 2)
    for number in numbers {
      // Gone, or a zombie that its new parent has not reaped yet.
      var state: Substring? = "S"
      for _ in 0..<1000 where state != nil && state != "Z" {
        state = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8).split(separator: ")").last?
          .split(separator: " ").first
        try await Task.sleep(for: .milliseconds(10))
      }
      #expect(state == nil || state == "Z", "\(number): \(state ?? "")")
    }
    #expect(try place.left() == [])
  }

  @Test("Of a program that babbles the beginning is kept, and it ends all the same")
  func babbles() async throws {
    let place = try Place()
    let ended = try await run("head -c 20000000 /dev/zero | tr '\\0' x; exit 4", in: place)
    #expect(ended.outcome == .failed(4))
    #expect(ended.output.utf8.count == HandoverProgram.outputLimit && ended.output.allSatisfy { $0 == "x" })
    #expect(try await run("yes", in: place, seconds: 1).outcome == .tooLong)
  }

  @Test("What a visitor says is no argument and no command")
  func injection() async throws {
    let place = try Place()
    let answer = "-d$(touch \(place.path)/owned);`touch \(place.path)/owned`\"'|&<>"
    let ended = try await run(
      "printf '%s\\n' \"$@\" > \(place.path)/arguments; cat > \(place.path)/told", in: place,
      arguments: ["-t", "{number} $(touch \(place.path)/owned)", "--", "{file}"],
      description: [JSONValue.Member("answer", .string(answer))])
    #expect(ended.outcome == .done && place.text("owned") == nil)
    let arguments = (place.text("arguments") ?? "").split(separator: "\n").map(String.init)
    #expect(arguments.count == 4 && arguments[1] == "\(Self.number) $(touch \(place.path)/owned)")
    let input = try JSONParser.parse(Array(try #require(place.text("told")).utf8))
    #expect(input["answer"]?.string == answer)
  }

  @Test("Folders of a killed kiosk are removed at the start, those in use and other files are not")
  func sweep() async throws {
    let place = try Place()
    let files = FileManager.default
    for name in ["waymark-handover-a1B2c3", "waymark-handover-longer1", "other-handover-a1B2c3"] {
      try files.createDirectory(atPath: "\(place.path)/\(name)", withIntermediateDirectories: false)
      try Data("secret".utf8).write(to: URL(fileURLWithPath: "\(place.path)/\(name)/request.json"))
    }
    try files.createSymbolicLink(
      atPath: "\(place.path)/waymark-handover-linked", withDestinationPath: "\(place.path)/other-handover-a1B2c3")
    // The folder of a running program is locked.
    let ended = try await run(
      "mkfifo \(place.path)/over; cat \(place.path)/over; test -f \"$1\"",
      in: place,
      meanwhile: {
        while !files.fileExists(atPath: "\(place.path)/over") { await Task.yield() }
        HandoverProgram.sweep(place.path)
        try? Data("\n".utf8).write(to: URL(fileURLWithPath: "\(place.path)/over"))
      })
    #expect(ended.outcome == .done, "\(ended)")
    let left = try files.contentsOfDirectory(atPath: place.path).filter { $0.contains("handover") }
    #expect(
      Set(left) == ["waymark-handover-longer1", "waymark-handover-linked", "other-handover-a1B2c3"], "\(left)")
    #expect(files.fileExists(atPath: "\(place.path)/other-handover-a1B2c3/request.json"))
  }

  @Test("A program is killed when the kiosk ends")
  func endsWithTheKiosk() async throws {
    let place = try Place()
    // The program asks by prctl(2), PR_GET_PDEATHSIG.
    let script =
      "python3 -c 'import ctypes, sys; n = ctypes.c_int(); ctypes.CDLL(None).prctl(2, ctypes.byref(n)); sys.exit(n.value)'"
    let ended = try await run("exec \(script)", in: place)
    #expect(ended.outcome == .failed(9), "\(ended)")
  }

  @Test(
    "An answer has no control characters, and is what the pattern asks for",
    arguments: [
      ("ann@example.org", true), ("bob@example.com", false), ("ann@example.org\u{2028}x", false), ("", false),
      ("a\u{85}n@example.org", false), ("ann\u{202E}@example.org", false), (" ann@example.org", false),
      (String(repeating: "a", count: 300) + "@example.org", false),
    ])
  func answers(answer: String, isGood: Bool) {
    let way = HandoverWay(name: "mail", program: "/bin/true", asks: true, pattern: "[a-z]+@example[.]org")
    #expect(way.accepts(answer: answer) == isGood)
    #expect(!HandoverWay(name: "mail", program: "/bin/true", asks: true, pattern: "(").accepts(answer: "a"))
  }

  @Test(
    "What is wrong with a way is told",
    arguments: [
      ("{name: print, label: Print}", "program is missing"),
      ("{name: print, label: Print, program: /nowhere/lp}", "cannot be run"),
      ("{label: Print, program: /bin/true}", "name is missing"),
      ("{name: print, program: /bin/true}", "label is missing"),
      ("{name: print, label: Print, program: /bin/true, arguments: ['{path}']}", "there is no {path}"),
      ("{name: print, label: Print, program: /bin/true, of: [letter]}", "document, count, form"),
      ("{name: print, label: Print, program: /bin/true, seconds: 301}", "from 1 to 300"),
      ("{name: print, label: Print, program: /bin/true, pattern: a}", "nothing is asked"),
      ("{name: print, label: Print, program: /bin/true, ask: To, pattern: '('}", "not a regular expression"),
      ("{name: a, label: A, program: /bin/true}, {name: a, label: B, program: /bin/true}", "another one is called a"),
    ])
  func review(ways: String, message: String) {
    let problems = Self.settings(ways).problems.map(\.message)
    #expect(problems.contains { $0.contains(message) }, "\(problems)")
  }

  private static func settings(_ ways: String) -> PageSettings {
    PageSettings("handover: [\(ways)]\n", path: "/nowhere/page.yaml", assets: KioskServerTests.assets)
  }

  @Test("The page is told of a way's words, and nothing of its program")
  func secrets() {
    let settings = Self.settings(
      "{name: mail, label: Mail, program: /bin/true, arguments: ['--key', secret], ask: To, of: form}")
    #expect(settings.problems.isEmpty, "\(settings.problems)")
    let shown = settings.json.compactText
    #expect(shown.contains("\"ask\":\"To\"") && !shown.contains("secret") && !shown.contains("/bin/true"))
    let ways = (1...5).map { "{name: w\($0), label: W, program: /bin/true}" }.joined(separator: ", ")
    #expect(Self.settings(ways).problems.contains { $0.message.contains("may have 4") })
  }

  @Test("Over HTTP only a page hands over, what it may, and hears how it ended")
  func server() async throws {
    let place = try Place()
    let program = try place.script("cat > \(place.path)/told; exit $(cat \"$1\")")
    let page = Self.settings(
      "{name: print, label: Print, program: \(program), of: form}, {name: mail, label: Mail, program: \(program), ask: To, pattern: '[a-z@.]+'}"
    )
    #expect(page.problems.isEmpty, "\(page.problems)")
    try await KioskServerTests().withServer(page: page) { port, cookie, _ in
      let test = KioskServerTests()
      func send(_ body: String, headers: [String] = ["Cookie: \(cookie)"]) throws -> String {
        try test.exchange(port, "POST", "/api/handover", headers: headers, body: body)
      }
      func print(_ text: String, _ more: String = "") -> String {
        #"{"way":"print","of":"form","number":"K7RM-42QD","type":"txt","text":"\#(text)"\#(more)}"#
      }
      #expect(try test.status(send(print("0"), headers: [])) == 401)
      #expect(try test.status(send(print("0"))) == 200)
      let later = try send(print("75"))
      #expect(test.status(later) == 503 && later.contains("\"later\""))
      let failed = try send(print("1"))
      #expect(test.status(failed) == 502 && failed.contains("\"failed\"") && !failed.contains(program))
      for wrong in [
        print("0").replacing("print", with: "fax"), print("0").replacing("\"form\"", with: "\"count\""),
        print("0").replacing("K7RM-42QD", with: "../../x"), print("0").replacing("txt", with: "sh"),
        print("0", #","language":"$(id)""#), print("0", #","form":"a\nb""#), "[]",
        #"{"way":"mail","of":"form","number":"K7RM-42QD","type":"txt","text":"0"}"#,
        #"{"way":"mail","of":"form","number":"K7RM-42QD","type":"txt","text":"0","answer":"a\nBcc: b"}"#,
        #"{"way":"mail","of":"form","number":"K7RM-42QD","type":"txt","text":"0","answer":"ANN"}"#,
        #"{"way":"mail","of":"document","number":"K7RM-42QD","answer":"a","document":"/etc/passwd"}"#,
      ] { #expect(try test.status(send(wrong)) == 400, "\(wrong)") }
      let mail =
        #"{"way":"mail","of":"count","number":"K7RM-42QD","type":"csv","text":"0","answer":"ann@example.org","language":"de"}"#
      #expect(try test.status(send(mail)) == 200)
      let input = try JSONParser.parse(Array(try #require(place.text("told")).utf8))
      #expect(input["answer"]?.string == "ann@example.org" && input["of"]?.string == "count")
    }
    // Without a way there is no such address.
    try await KioskServerTests().withServer { port, cookie, _ in
      let test = KioskServerTests()
      let answer = try test.exchange(port, "POST", "/api/handover", headers: ["Cookie: \(cookie)"], body: "{}")
      #expect(test.status(answer) == 404)
    }
  }

  @Test("A page that is only looked at takes forms and tells them, and has no pictures")
  func preview() async throws {
    let lines = Lines()
    let backend = PreviewBackend { lines.add($0) }
    let answer = await backend.command(
      "form.submit", params: Array(#"{"form":"delivery","fields":[]}"#.utf8), page: nil)
    #expect(answer.succeeded && lines.all == [#"{"form":"delivery","fields":[]}"#])
    let refused = await backend.command("scan.begin", params: [], page: nil)
    #expect(!refused.succeeded && String(decoding: refused.json, as: UTF8.self).contains("--preview"))
    var events = backend.events(page: "a").makeAsyncIterator()
    let first = try #require(await events.next())
    let connection = try JSONParser.parse(first)
    #expect(connection["online"]?.bool == true)
    await #expect(throws: (any Error).self) { try await backend.picture(.snapshot) }
  }

  private final class Lines: @unchecked Sendable {
    private let lock = NSLock()
    private var lines: [String] = []
    func add(_ line: String) { lock.withLock { lines.append(line) } }
    var all: [String] { lock.withLock { lines } }
  }
}
