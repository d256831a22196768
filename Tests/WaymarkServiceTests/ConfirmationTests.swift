import Foundation
import NIOPosix
import Testing
import WaymarkFrames
import WaymarkOnboarding
import WaymarkProtocol
import WaymarkSystem

@testable import WaymarkServer
@testable import WaymarkService

/// The reply to a confirmation whose write is over before the request can wait for it.
@Suite("Confirmations", .serialized, .ownThread) struct ConfirmationTests {
  /// Answers at once, always the same.
  private struct Answering: ReplayGuard {
    let isFirst: Bool?
    func contains(_ entry: ReplayEntry) throws -> Bool { false }
    func record(_ entry: ReplayEntry) throws -> Bool {
      guard let isFirst else { throw TestFailure("the disk is full") }
      return isFirst
    }
  }

  /// A service that has a signed code confirmed, and a client of it.
  private struct Stand {
    let service: TestService
    let client: RawClient
    private let bytes: [UInt8]

    init(_ isFirst: Bool?) async throws {
      let folder = try TestFolder.make()
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let key = try SigningKey(generating: .es256, id: "k")
      var claims = TokenSigner.Claims()
      claims.identifier = "once"
      let token = try TokenSigner(key: key).token(
        for: #"{"appID":"com.example.app","host":"mobile.example.com"}"#, claims: claims)
      let picture = folder + "/code.png"
      try drawCode(token, to: picture, ["-s", "4", "-l", "L"])
      try Data(key.publicPEM.utf8).write(to: URL(fileURLWithPath: folder + "/key.pem"))
      var policy = OnboardingPolicy()
      policy.keys = try KeyFile.publicKeys(folder + "/key.pem").keys
      var rules = ScanRules()
      rules.replayGuard = Answering(isFirst: isFirst)
      rules.judge = OnboardingJudge(policy: policy, replayGuard: rules.replayGuard)
      let (made, source) = (rules, try FolderSource(path: picture, rate: 1))
      bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: picture)))
      service = try await TestService { hub in
        let capture = CaptureModule(hub: hub, source: source)
        return [capture, ScanModule(hub: hub, capture: capture, rules: made)]
      }
      client = try service.client()
    }

    /// Shows the picture; its verdict waits then.
    func show() throws {
      try client.send("{\"id\":1,\"method\":\"scan.picture\",\"params\":{\"size\":\(bytes.count)}}\n")
      try client.send(bytes)
      var judged = try client.next()
      while judged["id"] == nil { judged = try client.next() }
      #expect(judged["result"]?["outcome"]?.string == "successful", "\(judged)")
    }
  }

  @Test(
    "An answer reports what was written", .enabled(if: canDrawCodes, "needs qrencode"),
    arguments: zip([nil, false, true] as [Bool?], ["internalError", "replayed", nil] as [String?]))
  func answers(_ isFirst: Bool?, _ code: String?) async throws {
    let stand = try await Stand(isFirst)
    for _ in 0..<30 {
      try stand.show()
      let answer = try stand.client.ask("scan.confirm", id: 2)
      #expect(answer["error"]?["code"]?.string == code)
      #expect((answer["result"] != nil) == (code == nil))
    }
    await stand.service.stop()
  }

  @Test("The outcome of a confirmed onboarding is reported once", .enabled(if: canDrawCodes, "needs qrencode"))
  func outcome() async throws {
    let stand = try await Stand(true)
    let listener = try stand.service.client()
    _ = try listener.ask("subscribe")
    try stand.show()
    let scan = try #require(try stand.client.ask("status", id: 3)["result"]?["scan"]?["scan"]?.string)
    let report = #"{"scan":"\#(scan)","outcome":"failed","reason":"unreachable"}"#
    func answer() throws -> JSONValue { try stand.client.ask("onboarding.outcome", report, id: 4) }
    #expect(try answer()["error"]?["code"]?.string == "notFound", "it is not confirmed yet")
    #expect(try stand.client.ask("scan.confirm", id: 2)["result"] != nil)
    #expect(try answer()["result"] != nil)
    var event = try listener.next()
    while event["event"]?.string != "onboarding.ended" { event = try listener.next() }
    #expect(event["scan"]?.string == scan && event["outcome"]?.string == "failed")
    #expect(event["reason"]?.string == "unreachable")
    #expect(try answer()["error"]?["code"]?.string == "notFound", "it was reported before")
    await stand.service.stop()
  }

  @Test("Outcomes are awaited for a time and for a number of scans")
  func awaited() throws {
    var awaited = AwaitedOutcomes()
    func report(_ scan: String) -> OnboardingOutcomeRequest { .init(scan: scan, outcome: .connected) }
    for number in 0...AwaitedOutcomes.most { awaited.confirmed("s\(number)", nil, at: 0) }
    #expect(throws: ServiceError.self) { try awaited.take(report("s0"), at: 1, by: nil) }
    #expect(try awaited.take(report("s1"), at: AwaitedOutcomes.within, by: nil).outcome == .connected)
    #expect(throws: ServiceError.self) { try awaited.take(report("s2"), at: AwaitedOutcomes.within + 1, by: nil) }
  }

  @Test("A host that was taken off the list in between is not confirmed", .enabled(if: canDrawCodes, "needs qrencode"))
  func judgedAgain() async throws {
    let stand = try await Stand(true)
    try stand.show()
    try await Self.use(stand.service.hub, hosts: [HostPattern("other.example.com")])
    let answer = try stand.client.ask("scan.confirm", id: 2)
    #expect(answer["error"]?["code"]?.string == "codeRefused")
    #expect(answer["error"]?["message"]?.string?.hasSuffix(": hostNotAllowed.") == true)
    try await Self.use(stand.service.hub, hosts: [HostPattern("mobile.example.com")])
    try stand.show()
    #expect(try stand.client.ask("scan.confirm", id: 2)["result"] != nil)
    await stand.service.stop()
  }

  @ServiceActor private static func use(_ hub: Hub, hosts: [HostPattern]) throws {
    let scans = try #require(hub.modules.lazy.compactMap { $0 as? ScanModule }.first)
    var rules = scans.rules
    var policy = rules.judge.policy
    policy.hosts = hosts
    rules.judge = OnboardingJudge(policy: policy, replayGuard: rules.replayGuard)
    scans.use(rules)
  }

  @Test(
    "Slow pictures delay no other client", .enabled(if: canDrawCodes, "needs qrencode"), .timeLimit(.minutes(1))
  )
  func waitsForNoPicture() async throws {
    let stand = try await Stand(true)
    try stand.show()
    let (busy, over) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let threads = PictureScheduler.threads.numberOfThreads
    for _ in 0..<threads {
      PictureScheduler.threads.submit { _ in
        busy.signal()
        over.wait()
      }
    }
    for _ in 0..<threads { busy.wait() }
    defer { for _ in 0..<threads { over.signal() } }
    #expect(try stand.client.ask("scan.confirm", id: 2)["result"] != nil)
    await stand.service.stop()
  }
}
