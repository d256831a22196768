import FoundationEssentials
import Testing
import WaymarkOnboarding

@Suite("Why a payload is refused")
struct ReasonTests {
  private let open = OnboardingJudge(policy: Samples.open)

  @Test("tooLarge: one byte more than the policy allows")
  func tooLarge() {
    var policy = Samples.open
    policy.maximumBytes = 10
    let judge = OnboardingJudge(policy: policy)
    #expect(judge.verdict("0123456789").isSuccessful)
    let verdict = judge.verdict("01234567890")
    #expect(verdict.outcome == .invalid(.tooLarge))
    #expect(verdict.steps.count == 1)
  }

  @Test("The largest payloads of QR codes are judged: bytes, digits, alphanumeric")
  func largest() {
    #expect(open.verdict(String(repeating: "7", count: 7089)).isSuccessful)
    #expect(open.verdict(String(repeating: "A", count: 4296)).isSuccessful)
    #expect(
      open.verdict(for: [ScannedCode(bytes: .init(repeating: 0xFE, count: 2953))], now: Samples.now).kind == .binary)
    let filler = String(repeating: "x", count: 2953 - Samples.sap.utf8.count - 10)
    let sap = #"{"note":""# + filler + #"","# + Samples.sap.dropFirst()
    #expect(open.verdict(sap).kind == .sapOnboarding)
    #expect(open.verdict(String(repeating: "7", count: 7090)).outcome == .invalid(.tooLarge))
  }

  @Test("badEncoding: structured text that is not UTF-8, or with control characters")
  func badEncoding() {
    let latin = ScannedCode(
      bytes: Array(#"{"appID":"M"#.utf8) + [0xFC] + Array(#"ller","host":"m.example.com"}"#.utf8), text: "whatever")
    #expect(open.verdict(for: [latin], now: Samples.now).outcome == .invalid(.badEncoding))
    let zero = ScannedCode(bytes: Array("https://example.com/\0".utf8))
    #expect(open.verdict(for: [zero], now: Samples.now).outcome == .invalid(.badEncoding))
    let wifi = ScannedCode(bytes: Array("WIFI:S:a\u{1};;".utf8))
    #expect(open.verdict(for: [wifi], now: Samples.now).outcome == .invalid(.badEncoding))
    #expect(open.verdict(for: [wifi], now: Samples.now).kind == .wifi)
  }

  @Test("kindNotAllowed: without a policy, everything but SAP's two")
  func kindNotAllowed() {
    let judge = OnboardingJudge()
    #expect(judge.verdict(Samples.sap).isSuccessful)
    #expect(judge.verdict(Samples.sapLink).isSuccessful)
    for text in [
      Samples.wifi, Samples.otpauth, Samples.android, Samples.dpp, Samples.vcard, Samples.gs1, "https://example.com",
      "hello",
    ] {
      #expect(judge.verdict(text).outcome == .invalid(.kindNotAllowed), "\(text)")
      #expect(judge.verdict(text).connectTo == nil)
    }
  }

  @Test(
    "malformed: the marks of a kind without its form",
    arguments: [
      #"{"appID":"a"}"#, #"{"appID":"a","host":""}"#, #"{"appID":7,"host":"m.example.com"}"#,
      #"{"appID":"a","host":"m.example.com","host":"evil.test"}"#,
      #"{"appID":"a","host":"m.example.com","Host":"evil.test"}"#,
      #"{"appID":"a","host":"m.example.com","protocol":"ftp"}"#,
      #"{"appID":"a","host":"m.example.com","port":0}"#, #"{"appID":"a","host":"m.example.com","port":65536}"#,
      #"{"appID":"a","host":"m.example.com:1","port":2}"#, #"{"appID":"a","host":"m.example.com","auth":"x"}"#,
      #"{"appID":"a","host":"m.example.com","auth":[{}]}"#,
      #"{"appID":"a","host":"m.example.com","auth":[{"type":"oauth2","config":"x"}]}"#,
      #"{"appID":"a","host":"m.example.com","auth":[{"type":"oauth2","config":{"oauth2.tokenEndpoint":"/x"}}]}"#,
      #"{"appID":"a","host":"m.example.com""#, "com.sap.mdkclient://?AppId=a", "com.sap.mdkclient://?AppId=%zz",
      "com.sap.mdkclient://?AppId=a&appid=b&ServerUrl=https%3A%2F%2Fx", "com.sap.mdkclient://?AppId=a&ServerUrl=x",
      #"{"android.app.extra.PROVISIONING_WIFI_SSID":"x"}"#,
      #"{"android.app.extra.PROVISIONING_DEVICE_ADMIN_COMPONENT_NAME":"no-slash"}"#,
      #"{"android.app.extra.PROVISIONING_DEVICE_ADMIN_COMPONENT_NAME":"a/b","android.app.extra.PROVISIONING_DEVICE_ADMIN_PACKAGE_DOWNLOAD_LOCATION":"file:///x"}"#,
      "WIFI:T:WPA;P:x;;", "WIFI:T:WPA;S:x;;", "WIFI:S:x", "WIFI:S:x\\", "WIFI:S:x;S:y;;", "WIFI:S:x;;more",
      "DPP:C:81/1;;", "DPP:K:AAAA;;", "otpauth://totp/x", "otpauth://totp/x?secret=1", "otpauth://xotp/x?secret=AAAA",
      "otpauth://hotp/x?secret=AAAA", "otpauth://totp/x?secret=AAAA&digits=0", "otpauth://totp/x?secret=A%",
      "otpauth://totp/x?secret=AAAA&secret=BBBB", "BEGIN:VCARD\nFN:x", "BEGIN:VCARD\nFN:x\nEND:VCARD\nmore",
      "BEGIN:VCARD\nEND:VCARD", "https://id.example.org/01/09506000134351",
    ])
  func malformed(_ text: String) {
    let verdict = open.verdict(text)
    #expect(verdict.outcome == .invalid(.malformed), "\(verdict.outcome) \(verdict.kind?.rawValue ?? "")")
    #expect(verdict.connectTo == nil)
  }

  @Test("hostNotAllowed: http, and every endpoint counts")
  func hostNotAllowed() throws {
    var policy = OnboardingPolicy()
    let http = Samples.sap.replacing(#""https","port":443"#, with: #""http","port":80"#)
    #expect(OnboardingJudge(policy: policy).verdict(http).outcome == .invalid(.hostNotAllowed))
    policy.allowsHTTP = true
    #expect(OnboardingJudge(policy: policy).verdict(http).connectTo == "mobile.example.com")
    policy = OnboardingPolicy()
    policy.hosts = [try HostPattern("*.example.com")]
    let judge = OnboardingJudge(policy: policy)
    #expect(judge.verdict(Samples.sap).isSuccessful)
    let token = Samples.sap.replacing("auth.example.com/token", with: "auth.example.net/token")
    #expect(judge.verdict(token).outcome == .invalid(.hostNotAllowed))
    #expect(judge.verdict(Samples.sap.replacing("mobile.example.com", with: "example.com")).word == "invalid")
    #expect(judge.verdict(Samples.sapLink).isSuccessful)
    #expect(
      judge.verdict(Samples.sapLink.replacing("mobile.example.com", with: "mobile.example.org")).word == "invalid")
  }

  @Test(
    "hostNotAllowed: addresses that only lenient programs understand",
    arguments: [
      #"https:evil.test"#, #"https:/evil.test"#, #"//evil.test"#, #"\\\\evil.test"#, #"h\tttps://evil.test"#,
      #" HTTP:\\\\evil.test"#,
    ])
  func lenient(_ address: String) throws {
    var policy = OnboardingPolicy()
    policy.hosts = [try HostPattern("*.example.com")]
    let sap = Samples.sap.replacing(#""clientID":"abc""#, with: #""clientID":"abc","help":"\#(address)""#)
    #expect(OnboardingJudge(policy: policy).verdict(sap).outcome == .invalid(.hostNotAllowed))
  }

  @Test("Secrets and control characters stay out of explanations")
  func explanations() {
    let texts = [
      Samples.android, Samples.otpauth, Samples.wifi, #"{"appID":"a","host":"\u202Emoc.elpmaxe\u0007"}"#,
      "com.sap.mdkclient://?AppId=a&x%1B%5B2J=1&x%1B%5B2J=2",
    ]
    for text in texts {
      for step in open.verdict(text).steps {
        for secret in ["hidden-pass", "tok-123", "JBSWY3DPEHPK3PXP", #"p\w:x"#] {
          #expect(!step.detail.contains(secret))
        }
        #expect(step.detail.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{202E}" && $0.value != 0x7F })
      }
    }
  }

  @Test("sourceNotAllowed: recorded pictures onboard nothing, whatever else the code says")
  func sourceNotAllowed() {
    var judge = open
    judge.trustsSource = false
    let verdict = judge.verdict(Samples.sap)
    #expect(verdict.outcome == .invalid(.sourceNotAllowed))
    #expect(verdict.connectTo == nil && verdict.replayEntry == nil)
    // A fault of the code itself comes first.
    var closed = OnboardingJudge()
    closed.trustsSource = false
    #expect(closed.verdict(Samples.wifi).outcome == .invalid(.kindNotAllowed))
  }

  @Test("No verdict shows a secret, however it is printed")
  func printing() {
    for text in [Samples.android, Samples.otpauth, Samples.wifi] {
      let code = ScannedCode(text)
      let verdict = open.verdict(text)
      #expect(!verdict.fields.filter(\.isSecret).isEmpty)
      var dumped = ""
      dump(verdict, to: &dumped)
      dump(code, to: &dumped)
      dump(verdict.fields, to: &dumped)
      let shown = [
        "\(verdict)", String(reflecting: verdict), "\(verdict.fields)", String(reflecting: verdict.fields), "\(code)",
        String(reflecting: code), "\([code])", String(describing: Optional(code)), "\(verdict.outcome)", dumped,
      ].joined(separator: "\n")
      for secret in verdict.fields.filter(\.isSecret).map(\.value) {
        #expect(!shown.contains(secret), "\(verdict.kind?.rawValue ?? "")")
      }
      #expect(!shown.contains(text))
    }
    #expect(String(describing: PayloadField("host", "example.com", isHarmless: true)) == "host: example.com")
  }

  @Test("The checks come in their fixed order, up to the one that refuses")
  func order() {
    let all = open.verdict(Samples.sap).steps.map(\.check)
    #expect(all == InvalidReason.allCases)
    let refused = OnboardingJudge().verdict(Samples.wifi).steps
    #expect(refused.map(\.check) == [.tooLarge, .badEncoding, .kindNotAllowed])
    #expect(refused.map(\.result) == [.passed, .passed, .failed])
  }
}

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
}
