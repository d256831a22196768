import Foundation
import Testing
import WaymarkImage
import WaymarkOnboarding
import WaymarkPipeline
import WaymarkProtocol
import WaymarkService

/// What a client that confirms is told, when writing it down is over before anybody can wait for it.
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

  static let isPossible = ["/usr/bin/qrencode", "/usr/local/bin/qrencode"].contains {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  @Test(
    "An answer tells what was written", .enabled(if: isPossible, "needs qrencode"),
    arguments: zip([nil, false, true] as [Bool?], ["internalError", "replayed", nil] as [String?]))
  func answers(_ isFirst: Bool?, _ code: String?) async throws {
    let folder = try TestFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let key = try SigningKey(generating: .es256, id: "k")
    var claims = TokenSigner.Claims()
    claims.identifier = "once"
    let token = try TokenSigner(key: key).token(
      for: #"{"appID":"com.example.app","host":"mobile.example.com"}"#, claims: claims)
    let picture = folder + "/code.png"
    let encoder = Process()
    encoder.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    encoder.arguments = ["qrencode", "-s", "4", "-l", "L", "-o", picture, token]
    try encoder.run()
    encoder.waitUntilExit()
    try Data(key.publicPEM.utf8).write(to: URL(fileURLWithPath: folder + "/key.pem"))
    var policy = OnboardingPolicy()
    policy.keys = try KeyFile.publicKeys(folder + "/key.pem").keys
    var rules = ScanModule.Rules()
    rules.replayGuard = Answering(isFirst: isFirst)
    rules.judge = OnboardingJudge(policy: policy, replayGuard: rules.replayGuard)
    let source = try FolderSource(path: picture, rate: 1)
    let (made, bytes) = (rules, [UInt8](try Data(contentsOf: URL(fileURLWithPath: picture))))
    let service = try await TestService { hub in
      let capture = CaptureModule(hub: hub, source: source)
      return [capture, ScanModule(hub: hub, capture: capture, rules: made)]
    }
    let client = try RawClient(service.path)
    _ = try client.next()
    for _ in 0..<30 {
      try client.send("{\"id\":1,\"method\":\"scan.picture\",\"params\":{\"size\":\(bytes.count)}}\n")
      try client.send(bytes)
      var judged = try client.next()
      while judged["id"] == nil { judged = try client.next() }
      #expect(judged["result"]?["outcome"]?.string == "successful", "\(judged)")
      let answer = try client.ask("scan.confirm", id: 2)
      #expect(answer["error"]?["code"]?.string == code)
      #expect((answer["result"] != nil) == (code == nil))
    }
    await service.stop()
  }
}
