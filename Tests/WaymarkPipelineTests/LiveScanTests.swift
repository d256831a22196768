import FoundationEssentials
import Testing
import WaymarkBarcodes
import WaymarkImage
import WaymarkOnboarding
import WaymarkProtocol

@testable import WaymarkService

@Suite("The armed scan")
struct LiveScanTests {
  @Test("begins, reads, waits for the person, is confirmed")
  func onboarding() {
    var bench = Bench()
    #expect(bench.begin(anna) == ["began 1", "changed"])
    #expect(bench.scan.demand == [.qr])
    #expect(bench.see() == [])
    #expect(bench.see(Bench.good) == ["successful 1 mobile.example.com", "changed"])
    #expect(bench.scan.demand == nil)
    #expect(bench.scan.pending != nil)
    #expect(bench.see(Bench.bad) == [], "it pauses")
    #expect(bench.confirm(anna, scan: "1") == ["confirmed 1 anna", "ended 1 confirmed anna", "changed"])
    #expect(bench.scan.scan == nil)
  }

  @Test("is one: busy for others, replaced by its own, cancelled when its client leaves")
  func ownership() {
    var bench = Bench()
    _ = bench.begin(anna)
    #expect(bench.begin(bert) == ["refused busy(anna)"])
    #expect(bench.handle(.cancel(scan: nil, by: bert)) == ["refused busy(anna)"])
    #expect(
      bench.begin(anna, .barcode) == [
        "cancelled 1 replaced anna", "ended 1 replaced anna", "changed", "began 2", "changed",
      ])
    #expect(bench.handle(.left(bert)) == [])
    #expect(bench.handle(.left(anna)) == ["cancelled 2 disconnected anna", "ended 2 disconnected anna", "changed"])
    #expect(bench.begin(bert) == ["began 3", "changed"])
    #expect(bench.handle(.cancel(scan: "2", by: bert)) == ["refused noScan"])
    #expect(bench.confirm(bert) == ["refused nothingToConfirm"])
    #expect(
      bench.handle(.cancel(scan: "3", by: bert)) == [
        "cancelled 3 cancelled bert", "ended 3 cancelled bert", "changed",
      ])
    #expect(bench.handle(.cancel(scan: nil, by: bert)) == ["refused noScan"])
    #expect(bench.confirm(bert) == ["refused noScan"])
  }

  @Test("continues after a refused code and reports it again only after two seconds without it")
  func invalid() {
    var bench = Bench()
    _ = bench.begin(anna)
    #expect(bench.see(Bench.bad) == ["invalid 1 malformed"])
    for _ in 0..<100 { #expect(bench.see(Bench.bad) == []) }
    bench.wait(1.9) { #expect($0.see() == []) }
    #expect(bench.see(Bench.bad) == [], "it was not away long enough")
    bench.wait(2.1) { _ = $0.see() }
    #expect(bench.see(Bench.bad) == ["invalid 1 malformed"])
    bench.now += 10
    #expect(bench.see(Bench.bad) == [], "without frames it does not count as gone")
    #expect(bench.see(Bench.other, at: 300) == ["invalid 1 kindNotAllowed"])
    #expect(bench.see(Bench.good).first == "successful 1 mobile.example.com")
  }

  @Test("A refused code in view does not hide an accepted one; two accepted ones are ambiguous, reported once")
  func several() {
    var bench = Bench()
    _ = bench.begin(anna)
    let second = Bench.good.replacing("com.example.app", with: "com.example.two")
    #expect(bench.see([(Bench.good, 100), (second, 320)]) == ["invalid 1 ambiguous"])
    #expect(bench.see([(Bench.good, 320), (second, 100)]) == [], "whichever is nearer")
    #expect(bench.see([(Bench.bad, 320), (Bench.good, 10)]).first == "successful 1 mobile.example.com")
  }

  @Test("The region decides what counts")
  func region() throws {
    var bench = Bench()
    _ = bench.handle(
      .begin(.init(owner: anna, mode: .onboarding, region: try #require(ScanRegion([0.5, 0, 0.5, 1])))))
    #expect(bench.see(Bench.good, at: 100) == [])
    #expect(bench.see([(Bench.bad, 100), (Bench.good, 500)]).first == "successful 1 mobile.example.com")
    #expect(ScanRegion([0, 0, 1]) == nil)
    #expect(ScanRegion([0, 0, 0, 1]) == nil)
    #expect(ScanRegion([0.5, 0, 0.6, 1]) == nil)
    #expect(ScanRegion([.nan, 0, 0.5, 1]) == nil)
  }

  @Test("Barcode mode reports every new code once, the one in the middle first")
  func barcode() {
    var bench = Bench()
    _ = bench.begin(anna, .barcode)
    #expect(bench.see([("a", 0), ("b", 320)]) == ["successful 1 b", "successful 1 a", "changed"])
    #expect(bench.see([("a", 0), ("b", 320), ("c", 9)]) == ["successful 1 c", "changed"])
    bench.wait(2.1) { #expect($0.see("a") == []) }
    #expect(bench.see([("a", 0), ("b", 320)]) == ["successful 1 b", "changed"])
    #expect(bench.scan.demand == Symbology.common)
  }

  @Test("Bars need two frames that agree; a single misreading is not reported")
  func agreement() {
    var bench = Bench()
    _ = bench.begin(anna, .barcode)
    #expect(bench.see("40063813", symbology: .ean8) == [])
    #expect(bench.see("40063813", symbology: .ean8) == ["successful 1 40063813", "changed"])
    #expect(bench.see("11111111", symbology: .ean8) == [])
    for _ in 0..<6 { #expect(bench.see("40063813", symbology: .ean8) == []) }
    #expect(bench.see("11111111", symbology: .ean8) == [], "too long ago to agree with")
  }

  @Test("An ITF of no length that the standard names waits for another place, or for frames that all agree")
  func partialSymbols() {
    var bench = Bench()
    _ = bench.begin(anna, .barcode)
    for _ in 0..<4 { #expect(bench.see("398259", symbology: .itf) == []) }
    #expect(bench.see("398259", symbology: .itf) == ["successful 1 398259", "changed"])
    #expect(bench.see("39825979", at: 200, symbology: .itf) == [])
    #expect(bench.see("39825979", at: 240, symbology: .itf) == ["successful 1 39825979", "changed"])
    #expect(bench.see("39825979190741", symbology: .itf) == [])
    #expect(bench.see("39825979190741", symbology: .itf) == ["successful 1 39825979190741", "changed"])
  }

  @Test("once ends with the first code")
  func once() {
    var bench = Bench()
    _ = bench.handle(.begin(.init(owner: anna, mode: .barcode, once: true)))
    #expect(bench.see([("a", 300), ("b", 320)]) == ["successful 1 b", "ended 1 once -", "changed"])
    #expect(bench.scan.scan == nil)
    #expect(bench.see("a") == [])
  }

  @Test("A part of a message is reported where its text is wanted, once it stays; it never onboards")
  func parts() {
    var bench = Bench()
    _ = bench.begin(anna, .barcode)
    #expect(bench.look(Bench.partial([2])) == [])
    #expect(bench.look(Bench.partial([2])) == [])
    #expect(bench.look(Bench.partial([2])) == ["successful 1 https://", "changed"])
    #expect(bench.look(Bench.partial([2])) == [])
    var other = Bench()
    _ = other.begin(anna, .onboarding)
    for _ in 0..<6 { #expect(other.look(Bench.partial([2])) == []) }
    // The whole message is judged as any other.
    #expect(other.see("hello").first?.hasPrefix("invalid 1") == true)
  }

  @Test("A timeout without a read says why; with one it just ends")
  func timeouts() {
    let cases: [(ScanMode, ScanReading, String)] = [
      (.onboarding, ScanReading(), "unsuccessful 1 nothingFound []"),
      (.onboarding, Bench.unread(.qr, nil), "unsuccessful 1 codeNotReadable []"),
      (.onboarding, Bench.unread(.bars, nil), "unsuccessful 1 notQR []"),
      (.barcode, Bench.unread(.bars, nil), "unsuccessful 1 codeNotReadable []"),
      (.onboarding, Bench.reading([("x", 0)], .ean13), "unsuccessful 1 notQR []"),
      (.onboarding, Bench.partial([2]), "unsuccessful 1 incomplete [2]"),
    ]
    for (mode, reading, expected) in cases {
      var bench = Bench()
      _ = bench.handle(.begin(.init(owner: anna, mode: mode, timeout: 3)))
      #expect(bench.scan.deadline == bench.now + 3)
      for _ in 0..<5 { _ = bench.look(reading) }
      bench.now = 102.9
      #expect(bench.handle(.tick) == [])
      bench.now = 103
      #expect(bench.handle(.tick) == [expected, "ended 1 timedOut -", "changed"])
      #expect(bench.scan.scan == nil)
    }
    var bench = Bench()
    _ = bench.handle(.begin(.init(owner: anna, mode: .barcode, timeout: 3)))
    bench.now += 2
    #expect(bench.see("a").count == 2)
    bench.now += 2
    #expect(bench.handle(.tick) == [], "a read starts the time again")
    bench.now += 1
    #expect(bench.handle(.tick) == ["cancelled 1 timedOut -", "ended 1 timedOut -", "changed"])
  }

  @Test("A scan that refused a code and then timed out says so, also where the refusal was reported before")
  func refusedAndTimedOut() {
    var bench = Bench()
    _ = bench.handle(.begin(.init(owner: anna, mode: .onboarding, timeout: 3)))
    #expect(bench.see("hello").first?.hasPrefix("invalid 1") == true)
    for _ in 0..<5 { _ = bench.see() }
    bench.now += 3
    #expect(bench.handle(.tick).first == "unsuccessful 1 codeRefused []")
    _ = bench.handle(.begin(.init(owner: anna, mode: .onboarding, timeout: 3)))
    for _ in 0..<5 { _ = bench.see() }
    bench.now += 3
    #expect(bench.handle(.tick).first == "unsuccessful 2 nothingFound []")
  }

  @Test("A single odd frame does not decide the reason of a timeout")
  func oddFrame() {
    var bench = Bench()
    _ = bench.handle(.begin(.init(owner: anna, mode: .onboarding, timeout: 1)))
    _ = bench.look(Bench.unread(.qr, nil))
    for _ in 0..<5 { _ = bench.see() }
    bench.now += 1
    #expect(bench.handle(.tick).first == "unsuccessful 1 nothingFound []")
  }

  @Test("A waiting verdict has all the time it needs")
  func noTimeoutWhileWaiting() {
    var bench = Bench()
    _ = bench.handle(.begin(.init(owner: anna, mode: .onboarding, timeout: 1)))
    _ = bench.see(Bench.good)
    bench.now += 100
    #expect(bench.handle(.tick) == [])
    #expect(bench.scan.pending != nil)
  }

  @Test("A frame from before the scan was armed does not count")
  func staleFrame() {
    var bench = Bench()
    _ = bench.begin(anna)
    #expect(bench.look(Bench.reading([(Bench.good, 320)]), captured: bench.now - 0.1) == [])
    #expect(bench.see(Bench.good).isEmpty == false)
  }

  @Test("A confirmation is written before it is reported, and once only")
  func replay() throws {
    let bench = try Bench.signed()
    var first = bench
    _ = first.begin(anna)
    #expect(first.see(Bench.token).first == "successful 1 mobile.example.com")
    #expect(first.confirm(anna) == ["record"])
    #expect(first.confirm(anna) == ["refused confirming"])
    #expect(first.handle(.cancel(scan: nil, by: anna)) == ["refused confirming"])
    #expect(first.begin(anna) == ["refused confirming"])
    #expect(first.handle(.left(anna)) == [])
    #expect(first.handle(.recorded(true)) == ["confirmed 1 anna", "ended 1 confirmed anna", "changed"])
    #expect(first.handle(.recorded(true)) == [])
    var late = bench
    _ = late.begin(anna)
    _ = late.see(Bench.token)
    _ = late.confirm(anna)
    #expect(late.handle(.recorded(false)) == ["invalid 1 replayed", "changed"])
    #expect(late.scan.demand == [.qr], "it continues")
    var broken = bench
    _ = broken.begin(anna)
    _ = broken.see(Bench.token)
    _ = broken.confirm(anna)
    #expect(broken.handle(.recorded(nil)) == ["notRecorded 1"])
    #expect(broken.confirm(anna) == ["record"])
  }

  @Test("A confirmation is judged by the policy and the clock of its own moment")
  func confirmedLater() throws {
    var bench = Bench()
    _ = bench.begin(anna)
    _ = bench.see(Bench.good)
    // The host is taken off the list in between.
    var policy = OnboardingPolicy()
    policy.hosts = [try HostPattern("other.example.com")]
    bench.judge = OnboardingJudge(policy: policy)
    #expect(
      bench.confirm(anna) == ["invalid 1 hostNotAllowed", "refused notAccepted(hostNotAllowed)", "changed"])
    #expect(bench.scan.pending == nil && bench.scan.demand == [.qr], "it continues")
    #expect(bench.see(Bench.good) == [], "what was refused is not repeated")
    #expect(bench.confirm(anna) == ["refused nothingToConfirm"])

    // The token expires in between.
    var claims = TokenSigner.Claims()
    claims.expires = bench.date + 30
    let key = try SigningKey(generating: .edDSA)
    policy = OnboardingPolicy()
    policy.keys = [try key.publicKey]
    policy.clockSkew = 0
    var late = Bench()
    late.judge = OnboardingJudge(policy: policy)
    _ = late.begin(anna)
    #expect(
      late.see(try TokenSigner(key: key).token(for: Bench.good, claims: claims)).first
        == "successful 1 mobile.example.com")
    late.date += 29
    var inTime = late
    #expect(inTime.confirm(anna).first == "confirmed 1 anna")
    late.date += 1
    #expect(late.confirm(anna).contains("refused notAccepted(expired)"))

    // The claim that names the host is another one now: the person was shown something else.
    policy.kinds = [.jwt]
    policy.hostClaim = "a"
    var other = Bench()
    other.judge = OnboardingJudge(policy: policy)
    _ = other.begin(anna)
    let two = try TokenSigner(key: key).token(for: #"{"a":"a.example.com","b":"b.example.com"}"#, claims: .init())
    #expect(other.see(two).first == "successful 1 a.example.com")
    policy.hostClaim = "b"
    other.judge = OnboardingJudge(policy: policy)
    #expect(other.confirm(anna).contains("refused notAccepted(hostNotAllowed)"))
  }

  @Test("An accepted code waits for two minutes, or as long as is configured")
  func confirmWithin() {
    var settings = LiveScan.Settings()
    for wait in [120.0, 5] {
      settings.confirmWithin = wait
      var bench = Bench(settings: settings)
      _ = bench.begin(anna)
      #expect(bench.scan.deadline == nil)
      _ = bench.see(Bench.good)
      #expect(bench.scan.deadline == bench.now + wait)
      bench.now += wait - 0.01
      var inTime = bench
      #expect(inTime.confirm(anna).first == "confirmed 1 anna")
      bench.now += 0.02
      var unheard = bench
      #expect(bench.handle(.tick) == ["cancelled 1 timedOut -", "ended 1 timedOut -", "changed"])
      // A confirmation that comes before the timer does is late as well.
      #expect(
        unheard.confirm(anna) == [
          "cancelled 1 timedOut -", "ended 1 timedOut -", "changed", "refused noScan",
        ])
    }
  }

  @Test("A client that disconnects while its confirmation is written leaves no scan behind")
  func leftWhileConfirming() throws {
    for (isFirst, effects) in [
      (true, ["confirmed 1 anna", "ended 1 confirmed anna", "changed"]),
      (false, ["invalid 1 replayed", "cancelled 1 disconnected anna", "ended 1 disconnected anna", "changed"]),
      (nil, ["notRecorded 1", "cancelled 1 disconnected anna", "ended 1 disconnected anna", "changed"]),
    ] as [(Bool?, [String])] {
      var bench = try Bench.signed()
      _ = bench.begin(anna)
      _ = bench.see(Bench.token)
      #expect(bench.confirm(anna) == ["record"])
      #expect(bench.handle(.left(bert)) == [])
      #expect(bench.handle(.left(anna)) == [])
      #expect(bench.handle(.recorded(isFirst)) == effects)
      #expect(bench.begin(bert) == ["began 2", "changed"])
    }
  }

  @Test("What the service arms by itself gives way, comes back, and does not repeat what was answered")
  func autoBegin() {
    var settings = LiveScan.Settings()
    settings.autoBegin = .onboarding
    var bench = Bench(settings: settings)
    #expect(bench.handle(.tick) == ["began 1", "changed"])
    #expect(bench.see(Bench.good).first == "successful 1 mobile.example.com")
    #expect(
      bench.confirm(anna) == [
        "confirmed 1 anna", "ended 1 confirmed anna", "changed", "began 2", "changed",
      ])
    #expect(bench.see(Bench.good) == [], "still the same code")
    bench.wait(2.1) { _ = $0.see() }
    #expect(bench.see(Bench.good).first == "successful 2 mobile.example.com")
    #expect(
      bench.begin(bert, .barcode) == [
        "cancelled 2 replaced bert", "ended 2 replaced bert", "changed", "began 3", "changed",
      ])
    #expect(bench.handle(.trigger(.onboarding)) == ["refused busy(bert)"])
    #expect(
      bench.handle(.left(bert)) == [
        "cancelled 3 disconnected bert", "ended 3 disconnected bert", "changed", "began 4", "changed",
      ])
    settings.autoBegin = nil
    #expect(bench.handle(.configure(settings)) == ["cancelled 4 cancelled -", "ended 4 cancelled -", "changed"])
    #expect(bench.handle(.stop) == [])
    #expect(bench.begin(anna) == ["refused noScan"])
  }

  @Test("Any client may answer a scan armed by the hardware key")
  func trigger() {
    var bench = Bench()
    #expect(bench.handle(.trigger(.onboarding)) == ["began 1", "changed"])
    #expect(bench.handle(.trigger(.onboarding)) == [], "it looks already")
    _ = bench.see(Bench.good)
    #expect(
      bench.handle(.trigger(.onboarding)) == [
        "cancelled 1 replaced -", "ended 1 replaced -", "changed", "began 2", "changed",
      ])
    #expect(
      bench.handle(.cancel(scan: nil, by: anna)) == [
        "cancelled 2 cancelled anna", "ended 2 cancelled anna", "changed",
      ])
  }

  @Test("Advice is given when it holds, changes slowly, and is repeated now and then")
  func guide() {
    var bench = Bench()
    _ = bench.begin(anna)
    #expect(bench.look(Bench.unread(.qr, .blurred)) == [], "a single frame proves nothing")
    var guides: [(Double, String)] = []
    for step in 1...100 {
      // Two hints that take turns from the first second on.
      let advice: UnreadCode.Advice = step > 20 && step % 2 == 0 ? .tooSmall : .blurred
      for line in bench.look(Bench.unread(.qr, advice)) { guides.append((bench.now - 100, line)) }
    }
    #expect(guides.map(\.1) == ["guide 1 blurred", "guide 1 blurred"])
    #expect(guides[0].0 >= 0.4 && guides[0].0 < 0.6)
    #expect(guides[1].0 - guides[0].0 >= 2)
    var turned: [String] = []
    for _ in 0..<40 { turned += bench.look(Bench.unread(.qr, .tooSmall)) }
    #expect(turned == ["guide 1 tooSmall"])
    #expect(bench.look(Bench.unread(.bars, .tooSmall)) == [], "bars do not concern it")
  }

  @Test("In any order of inputs there is one scan at most, with a complete sequence of effects")
  func randomWalk() throws {
    for seed in 0..<200 {
      var random = Dice(state: UInt64(seed) &* 7919 &+ 1)
      var bench = try Bench.signed()
      var armed: String?
      var waiting: String?
      var begun = 0
      var ended: Set<String> = []
      for _ in 0..<300 {
        let owner = [anna, bert][random.roll(2)]
        let effects: [String]
        switch random.roll(12) {
        case 0:
          effects = bench.handle(.begin(.init(owner: owner, mode: .onboarding, timeout: random.roll(2) == 0 ? 1 : nil)))
        case 1: effects = bench.handle(.begin(.init(owner: owner, mode: .barcode, once: random.roll(2) == 0)))
        case 2: effects = bench.confirm(owner)
        case 3: effects = bench.handle(.cancel(scan: nil, by: owner))
        case 4: effects = bench.handle(.left(owner))
        case 5: effects = bench.handle(.trigger(.onboarding))
        case 6: effects = bench.handle(.recorded([true, false, nil][random.roll(3)]))
        case 7: effects = bench.handle(.tick)
        default: effects = bench.see([Bench.token, Bench.bad, "plain", Bench.token][random.roll(4)])
        }
        for effect in effects {
          let words = effect.split(separator: " ").map(String.init)
          switch words[0] {
          case "began":
            #expect(armed == nil, "a scan began while one was armed")
            armed = words[1]
            #expect(ended.count == begun, "every scan ends once, with an effect")
            begun += 1
          case "successful":
            #expect(words[1] == armed)
            if bench.scan.scan?.request.mode == .onboarding { waiting = armed }
            if bench.scan.scan == nil { armed = nil }
          case "invalid", "guide", "notRecorded": #expect(words[1] == armed)
          case "confirmed":
            #expect(words[1] == armed && armed == waiting)
            (armed, waiting) = (nil, nil)
          case "cancelled", "unsuccessful":
            #expect(words[1] == armed)
            (armed, waiting) = (nil, nil)
          case "ended": #expect(ended.insert(words[1]).inserted)
          case "record": #expect(waiting == armed && armed != nil)
          default: break
          }
        }
        #expect(bench.scan.scan?.id == armed)
        if bench.scan.pending == nil { waiting = nil }
        #expect((bench.scan.demand != nil) == (armed != nil && bench.scan.pending == nil))
        bench.now += Double(random.roll(10)) * 0.1
      }
    }
  }
}

/// Numbers that look random and are the same in every run (xorshift).
private struct Dice {
  var state: UInt64

  mutating func roll(_ sides: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state % UInt64(sides))
  }
}
