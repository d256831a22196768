import Testing
import WaymarkOnboarding

@Suite("Hostile input")
struct MutationTests {
  @Test("Ten thousand mutations of every kind are judged without a crash, and no forged token is accepted")
  func mutations() throws {
    let key = try SigningKey(generating: .es256, id: "k")
    let token = try TokenSigner(key: key).token(for: Samples.sap)
    var signed = Samples.open
    signed.keys = [try key.publicKey]
    let judges = [OnboardingJudge(policy: Samples.open), OnboardingJudge(policy: signed), OnboardingJudge()]
    let seeds = [
      Samples.sap, Samples.sapLink, Samples.android, Samples.wifi, Samples.dpp, Samples.otpauth, Samples.gs1,
      Samples.vcard, "https://bücher.example:8443/a?b=c#d", token,
    ].map { Array($0.utf8) }
    let spice = Array(#"{}[]":,\/@.;%&?=#-"#.utf8) + [0, 0x0A, 0x7F, 0x80, 0xC3, 0xE2, 0xF0, 0xFF]
    var random = SplitMix(state: 7)
    for round in 0..<10_000 {
      var bytes = seeds[round % seeds.count]
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let index = Int.random(in: 0..<max(1, bytes.count), using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0 where !bytes.isEmpty: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1 where !bytes.isEmpty: bytes[index] = spice.randomElement(using: &random) ?? 0
        case 2: bytes.insert(spice.randomElement(using: &random) ?? 0, at: min(index, bytes.count))
        case 3 where !bytes.isEmpty:
          bytes.removeSubrange(index..<min(bytes.count, index + Int.random(in: 1...9, using: &random)))
        case 4 where !bytes.isEmpty: bytes += bytes[index...].prefix(40)
        default: bytes = Array(bytes.prefix(index))
        }
      }
      let code = ScannedCode(bytes: bytes, text: String(decoding: bytes, as: UTF8.self))
      for judge in judges {
        let verdict = judge.verdict(for: [code], now: Samples.now)
        for step in verdict.steps { #expect(step.detail.unicodeScalars.allSatisfy { $0.value >= 0x20 }) }
        if verdict.isSuccessful, judge.policy.keys.count == 1 {
          // White space around a token is not a change of it.
          #expect(
            String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).map(String.init) == [token])
        }
      }
    }
  }

  @Test("Random bytes are refused, alone and beside an honest code, which counts all the same")
  func noise() {
    var random = SplitMix(state: 11)
    let judge = OnboardingJudge()
    let honest = ScannedCode(bytes: Array(Samples.sap.utf8), text: Samples.sap)
    #expect(judge.verdict(for: [honest], now: Samples.now).isSuccessful)
    for _ in 0..<2000 {
      let bytes = (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      let noise = ScannedCode(bytes: bytes)
      let verdict = judge.verdict(for: [noise], now: Samples.now)
      #expect(!verdict.isSuccessful && !verdict.steps.isEmpty)
      #expect(verdict == judge.verdict(for: [noise], now: Samples.now))
      for step in verdict.steps { #expect(step.detail.unicodeScalars.allSatisfy { $0.value >= 0x20 }) }
      let both = judge.verdict(for: [noise, honest], now: Samples.now)
      #expect(both.isSuccessful && both.chosen == 1)
    }
  }

  @Test("What is shown cannot move the cursor, reorder the line or hide")
  func display() {
    #expect(DisplayText.escaped("a\u{1B}[2J\u{202E}b\u{200B}\u{7F}\n\\") == #"a\u{1b}[2J\u{202e}b\u{200b}\u{7f}\n\\"#)
    #expect(DisplayText.escaped("Zürich 東京 😀") == "Zürich 東京 😀")
    #expect(DisplayText.escaped("abcdef", limit: 3) == "abc…")
  }
}
