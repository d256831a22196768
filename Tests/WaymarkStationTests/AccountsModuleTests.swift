import Foundation
import Logging
import Synchronization
import Testing
import WaymarkProtocol
import WaymarkSystem

@testable import WaymarkPeople
@testable import WaymarkServer
@testable import WaymarkService
@testable import WaymarkStation

/// Users through the socket: permissions, visibility, and that typed secrets reach only the provider.
@Suite(.ownThread) struct AccountsModuleTests {
  /// Texts that people type, which only the provider may receive.
  private static let secrets = ["hunter2-passcode", "s3cret-passw0rd", "WM-SECRET-CODE", "wrong-guess-99"]

  private static func policy() -> AccountPolicy {
    var policy = AccountPolicy()
    policy.mode = .shared
    policy.modules = [.activation, .credentials, .consents, .passcode]
    policy.activation = [.code]
    policy.fields = [
      .init(name: "user", label: LocalizedText(["en": "User"], standard: "en")),
      .init(name: "password", label: LocalizedText(["en": "Password"], standard: "en"), kind: .password),
    ]
    policy.consents = [
      Consent(
        id: "privacy", version: "1", isMandatory: true,
        pages: [.init(text: LocalizedText(["en": "We need this."], standard: "en"))])
    ]
    policy.shown = [.initials]
    policy.syncs = true
    return policy
  }

  /// Every logged line of any level, with its metadata.
  private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    var text: String { lines.withLock { $0.joined(separator: "\n") } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
  }

  private struct Recorder: LogHandler {
    let lines: Lines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }
    func log(event: LogEvent) {
      lines.add("\(event.level) \(event.message) \(event.metadata ?? [:]) \(metadata)")
    }
  }

  private struct Bench {
    let service: TestService
    let folder: String
    let lines: Lines
    let clock: ManualClock

    init(roles: RolePolicy = RolePolicy(operatorUsers: [UInt32(geteuid())])) async throws {
      folder = try TestFolder.make() + "/accounts"
      lines = Lines()
      clock = ManualClock()
      let (folder, lines, clock) = (folder, lines, clock)
      let log = Logger(label: "test") { _ in Recorder(lines: lines) }
      service = try await TestService(roles: roles, log: log) { hub in
        [
          try AccountsModule(
            hub: hub, settings: AccountSettings(policy: AccountsModuleTests.policy()), folder: folder,
            cost: .init(log: 4), clock: { clock.now })
        ]
      }
    }

    func client() throws -> RawClient { try service.client() }

    func end() async {
      await service.stop()
      try? FileManager.default.removeItem(atPath: folder)
    }
  }

  private final class ManualClock: Sendable {
    private let seconds = Mutex(1000.0)
    var now: AccountTime { AccountTime(seconds: seconds.withLock { $0 }, date: "2026-01-02T03:04:05Z") }
    func advance(_ by: Double) { seconds.withLock { $0 += by } }
  }

  /// Sends a request, and reads until its answer; events on the way are kept.
  @discardableResult
  private func ask(
    _ client: RawClient, _ method: String, _ params: JSONValue = .object([:]), events: inout [JSONValue]
  ) throws -> JSONValue {
    let request: JSONValue = .object([
      .init("id", .string(method)), .init("method", .string(method)), .init("params", params),
    ])
    events.append(Self.asked)
    try client.send(JSONLineEncoder.line(request))
    while true {
      let line = try client.next()
      if line["event"] == nil, line["id"]?.string == method { return line }
      events.append(line)
    }
  }

  @discardableResult
  private func ask(_ client: RawClient, _ method: String, _ params: JSONValue = .object([:])) throws -> JSONValue {
    var events: [JSONValue] = []
    return try ask(client, method, params, events: &events)
  }

  /// Marks among the events where a request was sent, as its events may precede its answer.
  private static let asked = JSONValue.string("asked")

  /// Reads events until one fits, of those since the last request.
  @discardableResult
  private func wait(
    _ client: RawClient, events: inout [JSONValue], _ fits: (JSONValue) -> Bool
  ) throws -> JSONValue {
    for line in events.reversed() {
      if line == Self.asked { break }
      if fits(line) { return line }
    }
    while true {
      let line = try client.next()
      events.append(line)
      if fits(line) { return line }
    }
  }

  private func phase(_ wanted: String) -> (JSONValue) -> Bool {
    { $0["event"]?.string == "account.state" && $0["phase"]?.string == wanted && $0["working"] == nil }
  }

  /// From nothing to signed in, with a second operator and an observer listening and the provider answering.
  @Test func typedTextReachesNoOtherClient() async throws {
    let bench = try await Bench()
    let person = try bench.client()
    let other = try bench.client()
    let provider = try bench.client()
    var seen: [JSONValue] = []
    var overheard: [JSONValue] = []
    var asked: [JSONValue] = []
    for client in [person, other] { try ask(client, "subscribe") }
    try ask(provider, "authentication.provide", ["name": "test"], events: &asked)
    func answer(_ more: JSONValue) throws {
      let question = try wait(provider, events: &asked) { $0["event"]?.string == "authentication.requested" }
      var members = more.members ?? []
      members.append(.init("request", question["request"] ?? .null))
      let reply = try ask(provider, "authentication.answer", .object(members), events: &asked)
      #expect(reply["error"] == nil)
    }
    try ask(person, "account.activate", ["code": .string(Self.secrets[2])], events: &seen)
    try answer(["outcome": "accepted", "host": "mobile.example.com"])
    try wait(person, events: &seen, phase("credentials"))
    try ask(
      person, "authentication.submit", ["fields": ["user": "ada", "password": .string(Self.secrets[1])]], events: &seen)
    try answer(["outcome": "refused", "text": "No."])
    try wait(person, events: &seen) { $0["problem"]?["code"]?.string == "refused" }
    try ask(
      person, "authentication.submit", ["fields": ["user": "ada", "password": .string(Self.secrets[1])]], events: &seen)
    try answer(["outcome": "accepted", "subject": "ada", "title": "Ada Lovelace", "subtitle": "Plant 1000"])
    try wait(person, events: &seen, phase("consents"))
    try ask(person, "consent.choose", ["consent": "privacy", "choice": "allow", "language": "en"], events: &seen)
    try wait(person, events: &seen, phase("passcode"))
    for _ in 0..<2 {
      try ask(person, "authentication.setPasscode", ["passcode": .string(Self.secrets[0])], events: &seen)
    }
    try wait(person, events: &seen, phase("ready"))
    try ask(person, "account.next", events: &seen)
    try answer(["outcome": "accepted"])
    let signedIn = try wait(person, events: &seen, phase("signedIn"))
    #expect(signedIn["choices"]?.array?.map { $0["choice"]?.string } == ["allow"])
    #expect(signedIn["synced"]?.string?.hasSuffix("Z") == true)
    // Once more, from within: what fails leads back.
    try ask(person, "sync.retry", events: &seen)
    try answer(["outcome": "offline"])
    try wait(person, events: &seen) {
      $0["sync"]?["state"]?.string == "connectionError" && $0["purpose"]?.string == "renew"
    }
    try ask(person, "account.back", events: &seen)
    try wait(person, events: &seen) { $0["phase"]?.string == "signedIn" && $0["sync"] == nil }
    try ask(person, "account.leave", events: &seen)
    try wait(person, events: &seen, phase("signIn"))
    for _ in 0..<5 {
      try ask(person, "authentication.signIn", ["passcode": .string(Self.secrets[3])], events: &seen)
      try wait(person, events: &seen) { $0["problem"]?["code"]?.string == "wrongPasscode" && $0["working"] == nil }
    }
    let refused = try ask(person, "authentication.signIn", ["passcode": .string(Self.secrets[0])], events: &seen)
    #expect(refused["error"]?["code"]?.string == "waiting")
    // Another operator has received all events.
    try ask(other, "account.list", events: &overheard)
    let reported = (seen + overheard).map { "\($0)" }.joined()
    #expect(overheard.contains { $0["event"] != nil })
    for secret in Self.secrets {
      #expect(!reported.contains(secret))
      #expect(!bench.lines.text.contains(secret))
    }
    #expect(!overheard.contains { $0["event"]?.string == "authentication.requested" })
    #expect(!bench.lines.text.contains("Ada"))
    // Only the hash is on the disk, and nothing else of what was typed.
    for name in try FileManager.default.contentsOfDirectory(atPath: bench.folder) {
      let text = try String(contentsOfFile: "\(bench.folder)/\(name)", encoding: .utf8)
      for secret in Self.secrets { #expect(!text.contains(secret)) }
    }
    await bench.end()
  }

  /// An observer receives every state, with no more of a user than the policy shows.
  @Test func observersSeeWhatThePolicyShows() {
    let person = AccountPerson(id: "abcdefgh", title: "Ada Lovelace", subtitle: "Plant 1000", initials: "AL")
    for phase in AccountState.Phase.allCases {
      var state = AccountState(
        phase: phase, problem: AccountTrouble(code: .refused, text: "Ada is locked."), user: person,
        sync: SyncStatus(state: .userError, user: person, text: "Ada must act."), synced: "2026-01-02T03:04:05Z",
        choices: [
          ConsentEntry(consent: "privacy", version: "1", hash: "h", language: "en", choice: "deny", time: "2026")
        ])
      state.shown = ["initials"]
      let text = (try? JSONLineEncoder.encode(state.forObservers)).map { String(decoding: $0, as: UTF8.self) } ?? ""
      #expect(!text.contains("Ada") && !text.contains("Plant") && !text.contains("2026"), "\(text)")
      #expect(text.contains("AL"))
    }
    let record = ConsentEntry(consent: "c", version: "1", hash: "h", language: "en", choice: "allow", time: "t")
    #expect(ConsentRecorded(user: "abcdefgh", record: record).forObservers.user.isEmpty)
    let question = AuthenticationRequested(
      request: 1, kind: .verify, timeout: 1, code: "code", fields: ["password": "p"], subject: "ada", host: "h")
    #expect(question.forObservers == AuthenticationRequested(request: 1, kind: .verify, timeout: 1))
  }

  @Test func oneProviderAtATimeAndOnlyItAnswers() async throws {
    let bench = try await Bench()
    let first = try bench.client()
    let second = try bench.client()
    #expect(try ask(first, "authentication.provide")["result"] != nil)
    #expect(try ask(first, "authentication.provide")["result"] != nil)
    let busy = try ask(second, "authentication.provide")
    #expect(busy["error"]?["code"]?.string == "busy")
    #expect(busy["error"]?["holder"] != nil)
    let answer: JSONValue = ["request": 1, "outcome": "accepted"]
    #expect(try ask(second, "authentication.answer", answer)["error"]?["code"]?.string == "notPermitted")
    #expect(
      try ask(second, "sync.progress", ["request": 1, "progress": 0.5])["error"]?["code"]?.string == "notPermitted")
    #expect(
      try ask(first, "authentication.answer", ["request": 1, "outcome": "maybe"])["error"]?["code"]?.string
        == "badParams")
    for (member, value) in [
      ("subject", ""), ("subject", " \u{3000}\t"), ("title", "Ada\nBob"), ("title", "\u{202E}adA"),
      ("text", "\u{202E}.oN"),
      ("subtitle", "\u{85}"),
      ("host", "javascript:alert(1)"), ("host", "https://example.com"), ("host", "example.com/x"), ("host", ""),
      ("host", "example.com:0"), ("host", "me@example.com"), ("host", "127.0.0.1"),
    ] {
      let answer: JSONValue = ["request": 1, "outcome": "accepted", member: .string(value)]
      let error = try ask(first, "authentication.answer", answer)["error"]
      #expect(error?["code"]?.string == "badParams", "\(member) \(value)")
      #expect(error?["message"]?.string?.hasPrefix(member) == true, "\(member) \(value)")
    }
    // Gone in the midst of a question.
    try ask(second, "subscribe", ["events": ["account.*"]])
    var events: [JSONValue] = []
    try ask(second, "account.activate", ["code": "WM-1"], events: &events)
    first.shutdownSending()
    try wait(second, events: &events) { $0["problem"]?["code"]?.string == "providerGone" }
    #expect(try ask(second, "authentication.provide")["result"] != nil)
    await bench.end()
  }

  @Test func guessingAtFullSpeedGetsNoMoreTriesThanTheWaitsAllow() async throws {
    let (folder, clock) = (try TestFolder.make() + "/accounts", ManualClock())
    let ada = Account(
      id: "ada0ada0ada0", subject: "ada", title: "Ada",
      passcode: try PasscodeHash(Secret("right1"), cost: .init(log: 4)).text,
      isReady: true, created: "")
    do { try AccountStore(folder: folder).save(ada) }
    let service = try await TestService { hub in
      [
        try AccountsModule(
          hub: hub, settings: AccountSettings(policy: AccountsModuleTests.policy()), folder: folder,
          cost: .init(log: 4),
          clock: { clock.now })
      ]
    }
    let clients = try (0..<4).map { _ in try RawClient(service.path) }
    for client in clients { _ = try client.next() }
    var taken = 0
    // A minute of guessing, three requests of each client a tenth of a second.
    for _ in 0..<600 {
      clock.advance(0.1)
      for client in clients {
        let reply = try ask(client, "authentication.signIn", ["passcode": "wrong1"])
        if reply["result"] != nil { taken += 1 }
      }
      // The clock stands still while a guess is compared: how busy this machine is must not decide how many there are.
      while try ask(clients[0], "account.state")["result"]?["working"] != nil {}
    }
    // Five, then one after 30 s; the wait for the next is 60 s.
    #expect(taken == 6)
    let list = try ask(clients[0], "account.list")
    #expect(list["result"]?["users"]?.array?.first?["failures"]?.int == 6)
    #expect(try ask(clients[0], "account.unlock", ["user": "ada0ada0ada0"])["result"] != nil)
    #expect(try ask(clients[0], "account.unlock", ["user": "nobody"])["error"]?["code"]?.string == "notFound")
    #expect(try ask(clients[0], "authentication.signIn", ["passcode": "right1"])["result"] != nil)
    await service.stop()
    try? FileManager.default.removeItem(atPath: folder)
  }

  @Test func whereNothingIsConfiguredItIsSaid() async throws {
    let service = try await TestService { hub in [try AccountsModule(hub: hub, settings: nil, folder: "/nonexistent")] }
    let client = try service.client()
    for method in ["account.next", "account.list", "authentication.provide", "consent.export", "account.users"] {
      #expect(try ask(client, method)["error"]?["code"]?.string == "notConfigured", "\(method)")
    }
    #expect(try ask(client, "account.state")["result"]?["phase"]?.string == "off")
    #expect(try ask(client, "account.policy")["result"]?["mode"]?.string == "off")
    #expect(try ask(client, "subscribe")["result"]?["account"] == nil)
    await service.stop()
  }
}
