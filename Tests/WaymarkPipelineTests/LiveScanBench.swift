import FoundationEssentials
import Testing
import WaymarkBarcodes
import WaymarkImage
import WaymarkOnboarding
import WaymarkProtocol

@testable import WaymarkService

/// The connections of two clients.
let (anna, bert) = (1, 2)

/// A scan with a clock of its own, whose effects read as words.
struct Bench {
  static let good = #"{"appID":"com.example.app","host":"mobile.example.com"}"#
  static let bad = #"{"appID":"com.example.app"}"#
  static let other = "hello"
  private static let key = try? SigningKey(generating: .edDSA)
  /// A signed payload with an identifier.
  static let token: String = {
    var claims = TokenSigner.Claims()
    claims.identifier = "17"
    guard let key, let token = try? TokenSigner(key: key).token(for: good, claims: claims) else { return "" }
    return token
  }()

  private struct NoMemory: ReplayGuard {
    func contains(_ entry: ReplayEntry) -> Bool { false }
    func record(_ entry: ReplayEntry) -> Bool { true }
  }

  var scan: LiveScan
  var judge = OnboardingJudge()
  var now = 100.0
  var date = Date(timeIntervalSince1970: 1_800_000_000)

  init(settings: LiveScan.Settings = .init()) { scan = LiveScan(settings: settings) }

  /// A bench whose policy wants signatures and remembers.
  static func signed() throws -> Bench {
    var bench = Bench()
    var policy = OnboardingPolicy()
    policy.keys = [try #require(key).publicKey]
    bench.judge = OnboardingJudge(policy: policy, replayGuard: NoMemory())
    return bench
  }

  mutating func handle(_ input: LiveScan.Input) -> [String] {
    scan.handle(input, at: now).map(Self.words)
  }

  mutating func begin(_ owner: Int, _ mode: ScanMode = .onboarding) -> [String] {
    handle(.begin(.init(owner: owner, mode: mode)))
  }

  /// A frame a thirtieth of a second later.
  mutating func look(_ reading: ScanReading, captured: Double? = nil) -> [String] {
    now += 1.0 / 30
    return handle(
      .frame(
        .init(
          reading: reading, size: PictureSize(width: 640, height: 480), captured: captured ?? now,
          date: date, judge: judge)))
  }

  mutating func confirm(_ owner: Int, scan: String? = nil) -> [String] {
    handle(.confirm(scan: scan, by: owner, judge: judge, date: date))
  }

  mutating func see(_ codes: [(String, Double)] = [], symbology: Symbology = .qr) -> [String] {
    look(Self.reading(codes, symbology))
  }

  mutating func see(_ text: String, at x: Double = 320, symbology: Symbology = .qr) -> [String] {
    see([(text, x)], symbology: symbology)
  }

  /// Repeats what happens in `body` for so many seconds.
  mutating func wait(_ seconds: Double, _ body: (inout Bench) -> Void) {
    let end = now + seconds
    while now < end { body(&self) }
  }

  static func reading(_ codes: [(String, Double)], _ symbology: Symbology = .qr) -> ScanReading {
    ScanReading(
      symbols: codes.map { text, x in
        Symbol(symbology: symbology, text: text, bytes: Array(text.utf8), charset: .utf8, corners: square(x))
      })
  }

  static func partial(_ missing: [Int]) -> ScanReading {
    ScanReading(
      symbols: [
        Symbol(
          symbology: .qr, text: "https://", bytes: Array("https://".utf8), charset: .ascii, corners: square(320),
          part: SymbolPart(index: 1, count: 2, id: "7"))
      ], incomplete: [IncompleteSymbol(count: 2, present: [1], missing: missing, corners: [square(320)])])
  }

  static func unread(_ kind: UnreadCode.Kind, _ advice: UnreadCode.Advice?) -> ScanReading {
    ScanReading(unread: [UnreadCode(kind: kind, corners: square(320), advice: advice)])
  }

  private static func square(_ x: Double) -> Quadrilateral {
    Quadrilateral(
      topLeft: [x - 20, 220], topRight: [x + 20, 220], bottomRight: [x + 20, 260], bottomLeft: [x - 20, 260])
  }

  private static func words(_ effect: LiveScan.Effect) -> String {
    switch effect {
    case .began(let scan): "began \(scan.id)"
    case .refused(.busy(let holder)): "refused busy(\(name(holder)))"
    case .refused(.notAccepted(let reason)): "refused notAccepted(\(reason))"
    case .refused(let refusal): "refused \(refusal)"
    case .successful(let scan, let success):
      "successful \(scan.id) \(success.verdict.map { $0.connectTo ?? "-" } ?? success.symbol.text)"
    case .invalid(let scan, let reason, _): "invalid \(scan.id) \(reason)"
    case .unsuccessful(let scan, let reason, let missing, _): "unsuccessful \(scan.id) \(reason) \(missing)"
    case .guide(let scan, let advice): "guide \(scan.id) \(advice.advice)"
    case .record: "record"
    case .notRecorded(let scan): "notRecorded \(scan.id)"
    case .confirmed(let scan, _, let owner): "confirmed \(scan.id) \(name(owner))"
    case .cancelled(let scan, let ending, let owner): "cancelled \(scan.id) \(ending) \(name(owner))"
    case .ended(let scan, let ending, let owner): "ended \(scan.id) \(ending) \(name(owner))"
    case .changed: "changed"
    }
  }

  private static func name(_ client: Int?) -> String { client.map { $0 == anna ? "anna" : "bert" } ?? "-" }
}
