import Synchronization
import Testing
import WaymarkOnboarding

@Suite("Several codes in one picture")
struct SeveralCodesTests {
  private let judge = OnboardingJudge()

  private func code(_ text: String, _ x: Double = 0, isQR: Bool = true) -> ScannedCode {
    ScannedCode(bytes: Array(text.utf8), isAcceptedSymbology: isQR, center: [x, 0])
  }

  private var other: String { Samples.sap.replacing("com.example.app", with: "com.example.other") }

  private func verdict(_ codes: ScannedCode..., unreadable: Bool = false) -> Verdict {
    judge.verdict(for: codes, now: Samples.now, center: [100, 0], sawUnreadable: unreadable)
  }

  @Test("Exactly one accepted: that one, wherever it is")
  func oneAccepted() {
    let result = verdict(code("hello", 100), code(Samples.sap, 900), code("4006381333931", 100, isQR: false))
    #expect(result.isSuccessful)
    #expect(result.chosen == 1)
  }

  @Test("The same payload twice is one code")
  func twice() {
    let result = verdict(code(Samples.sap, 300), code(Samples.sap, 120))
    #expect(result.isSuccessful)
    #expect(result.chosen == 1)
  }

  @Test("Two different accepted: ambiguous")
  func ambiguous() {
    let result = verdict(code(Samples.sap, 0), code(other, 100))
    #expect(result.outcome == .invalid(.ambiguous))
    #expect(result.chosen == 1)
    #expect(result.connectTo == nil)
    #expect(result.steps.last?.check == .ambiguous)
  }

  @Test("None accepted: the one nearest the centre")
  func nearest() {
    let result = verdict(code("hello", 0), code(#"{"appID":"a"}"#, 90), code("x", 200))
    #expect(result.outcome == .invalid(.malformed))
    #expect(result.chosen == 1)
  }

  @Test("Other symbologies only: notQR; nothing: nothingFound; unreadable: codeNotReadable")
  func unsuccessful() {
    #expect(verdict(code("4006381333931", isQR: false)).outcome == .unsuccessful(.notQR))
    #expect(verdict().outcome == .unsuccessful(.nothingFound))
    #expect(verdict(unreadable: true).outcome == .unsuccessful(.codeNotReadable))
    #expect(verdict(code(Samples.sap), unreadable: true).isSuccessful)
  }

  @Test("A partial structured append: incomplete, with what is missing")
  func incomplete() {
    var part = code("", 100)
    part.isIncomplete = true
    part.missing = [2, 3]
    #expect(verdict(part).outcome == .unsuccessful(.incomplete))
    #expect(verdict(part).missing == [2, 3])
    #expect(verdict(part, code(Samples.sap, 0)).isSuccessful)
    #expect(verdict(part, code("hello", 0)).outcome == .unsuccessful(.incomplete))
    #expect(verdict(part, code("hello", 101), code("y", 100)).chosen == 0)
    part.missing = []
    #expect(verdict(part).outcome == .unsuccessful(.incomplete))
  }

  /// A memory in memory.
  private final class Memory: ReplayGuard {
    private let seen = Mutex<Set<String>>([])
    let isBroken: Bool

    init(isBroken: Bool = false) { self.isBroken = isBroken }

    struct Broken: Error {}

    func contains(_ entry: ReplayEntry) throws -> Bool {
      if isBroken { throw Broken() }
      return seen.withLock { $0.contains(entry.digest) }
    }

    func record(_ entry: ReplayEntry) throws -> Bool { seen.withLock { $0.insert(entry.digest).inserted } }
  }

  @Test("replayed: only after a confirmation, only with a jti, never when the memory is out of order")
  func replay() throws {
    let key = try SigningKey(generating: .edDSA)
    var policy = OnboardingPolicy()
    policy.keys = [try key.publicKey]
    let signer = TokenSigner(key: key)
    var claims = TokenSigner.Claims()
    claims.identifier = "17"
    claims.issuer = "acme"
    let token = try signer.token(for: Samples.sap, claims: claims)
    let judge = OnboardingJudge(policy: policy, replayGuard: Memory())
    for _ in 0..<3 { #expect(judge.verdict(token).isSuccessful) }
    let verdict = judge.verdict(token)
    #expect(try judge.confirm(verdict))
    #expect(try !judge.confirm(verdict))
    #expect(verdict.replayed.outcome == .invalid(.replayed))
    #expect(judge.verdict(token).outcome == .invalid(.replayed))
    claims.issuer = "other"
    #expect(try judge.verdict(signer.token(for: Samples.sap, claims: claims)).isSuccessful)
    let plain = try signer.token(for: Samples.sap)
    #expect(try judge.confirm(judge.verdict(plain)))
    #expect(judge.verdict(plain).isSuccessful)
    let broken = OnboardingJudge(policy: policy, replayGuard: Memory(isBroken: true))
    #expect(broken.verdict(token).outcome == .invalid(.replayed))
    #expect(try !judge.confirm(judge.verdict("hello")))
  }
}
