import FoundationEssentials
import Testing
import WaymarkOnboarding
import WaymarkSystem

@Suite("What a payload may lead to")
struct BoundsTests {
  private static let query = "?AppId=a&ServerUrl=https://mobile.example.com"

  @Test(
    "No scheme that runs code, reads files or reaches other programs makes an onboarding link",
    arguments: [
      "javascript", "data", "file", "intent", "content", "vbscript", "tel", "ssh", "mailto", "sms", "market", "blob",
      "ftp",
      "acme", "ms-settings",
    ])
  func schemes(_ scheme: String) throws {
    for text in [
      "\(scheme)://\(Self.query)", "\(scheme)://%0aalert(1)\(Self.query)", "\(scheme.uppercased())://x\(Self.query)",
    ] {
      let verdict = OnboardingJudge().verdict(text)
      #expect(verdict.kind == .text, "\(text)")
      #expect(verdict.outcome == .invalid(.kindNotAllowed))
      #expect(verdict.steps.last?.detail.contains("links of the scheme \"\(scheme)\"") == true)
    }
    var policy = OnboardingPolicy()
    policy.linkSchemes = [scheme]
    #expect(OnboardingJudge(policy: policy).verdict("\(scheme)://\(Self.query)").isSuccessful == (scheme == "acme"))
    if scheme != "acme" {
      #expect(throws: OnboardingError.self) { try CustomKind.URLPattern("\(scheme)://*") }
    }
  }

  @Test("SAP's scheme and those of apps that own a domain make one, unless the policy lists others")
  func appSchemes() {
    var policy = OnboardingPolicy()
    for scheme in ["com.sap.mdkclient", "com.example.pump", "COM.Example.Pump"] {
      #expect(OnboardingJudge(policy: policy).verdict("\(scheme)://\(Self.query)").isSuccessful)
    }
    policy.linkSchemes = ["com.example.pump"]
    #expect(OnboardingJudge(policy: policy).verdict("com.example.pump://\(Self.query)").isSuccessful)
    #expect(!OnboardingJudge(policy: policy).verdict("com.sap.mdkclient://\(Self.query)").isSuccessful)
  }

  @Test(
    "This device and its own link are not hosts unless they are listed by name",
    arguments: [
      "127.0.0.1", "127.9.8.7", "localhost", "a.localhost", "LOCALHOST.", "0.0.0.0", "169.254.169.254", "224.0.0.1",
      "255.255.255.255", "[::1]", "[::]", "[fe80::1]", "[febf::1]", "[ff02::1]", "[::ffff:127.0.0.1]", "[::127.0.0.1]",
      "[64:ff9b::7f00:1]", "[2002:a9fe:101::]", "ip6-localhost",
    ])
  func local(_ host: String) throws {
    let text = #"{"appID":"a","host":"\#(host)"}"#
    #expect(OnboardingJudge().verdict(text).outcome == .invalid(.hostNotAllowed))
    var policy = OnboardingPolicy()
    policy.hosts = [try HostPattern(host)]
    #expect(OnboardingJudge(policy: policy).verdict(text).isSuccessful)
    policy.hosts = [try HostPattern("*.localhost"), try HostPattern("example.com")]
    #expect(!OnboardingJudge(policy: policy).verdict(text).isSuccessful)
  }

  @Test(
    "Other addresses stay hosts like any other", arguments: ["10.0.0.1", "192.168.1.7", "[fd00::1]", "[2001:db8::1]"])
  func routed(_ host: String) {
    #expect(OnboardingJudge().verdict(#"{"appID":"a","host":"\#(host)"}"#).isSuccessful)
  }

  @Test("Ports that the policy does not list are refused, a scheme's own among them")
  func ports() {
    var policy = Samples.open
    policy.ports = [8443]
    let judge = OnboardingJudge(policy: policy)
    #expect(judge.verdict("https://example.com:8443/").isSuccessful)
    #expect(judge.verdict("https://example.com/").outcome == .invalid(.hostNotAllowed))
    #expect(judge.verdict("https://example.com:22/").outcome == .invalid(.hostNotAllowed))
  }

  @Test(
    "Letters that become others are not part of a host",
    arguments: [
      "mobile.\u{212A}iosk.example", "\u{212A}iosk.example", "\u{212B}.example", "\u{2126}.example", "\u{130}.example",
      "p\u{430}ypal.example", "\u{3B1}bc.example", "xn--pypal-4ve.example",
    ])
  func confusables(_ host: String) {
    #expect(throws: HostError.self) { try HostName(host) }
    #expect(OnboardingJudge().verdict(#"{"appID":"a","host":"\#(host)"}"#).outcome == .invalid(.hostNotAllowed))
  }

  @Test(
    "Names in one alphabet are hosts", arguments: ["пример.рф", "παράδειγμα.gr", "例え.jp", "ÄÖÜ.example", "日本go.jp"])
  func honest(_ host: String) throws { #expect(try HostName(host).ascii.contains("xn--")) }

  @Test(
    "A declared path is compared with the one a server would act on",
    arguments: [
      ("/enrol/17", true), ("/enrol/", true), ("/enrol/a/../b", true), ("/x/../enrol/17", true), ("/enr%6Fl/17", true),
      ("/enrol/../admin", false), ("/enrol/%2e%2e/admin", false), ("/enrol/.%2E/admin", false),
      ("/enrol/%252e%252e/admin", false), ("/enrol/..%2fadmin", false), ("/enrol/..;/admin", false),
      ("/enrol//../admin", false), ("/enrol/./../admin", false), ("/enrol/a/../../admin", false), ("/enrol", false),
      ("/enrol/%5c..%5cadmin", false), ("/admin", false),
    ])
  func paths(_ path: String, _ isPortal: Bool) throws {
    var policy = OnboardingPolicy()
    policy.customKinds = [
      try CustomKind(PayloadKind(rawValue: "portal"), form: .url(.init("https://example.com/enrol/*")))
    ]
    let verdict = OnboardingJudge(policy: policy).verdict("https://example.com" + path)
    #expect((verdict.kind?.rawValue == "portal") == isPortal, "\(verdict.kind?.rawValue ?? "")")
    #expect(verdict.isSuccessful == isPortal)
  }

  @Test("A pattern that could be read in two ways is refused", arguments: ["/a/../b", "/a/./b", "/a%2fb", "/a//../*"])
  func ambiguousPatterns(_ path: String) {
    #expect(throws: OnboardingError.self) { try CustomKind.URLPattern("https://example.com" + path) }
  }

  @Test(
    "Control characters that are spelt with escapes are as bad as bare ones",
    arguments: [
      #"{"appID":"a\u0000b","host":"m.example.com"}"#, #"{"appID":"a","host":"m.example.com","x\u001b":"y"}"#,
      #"{"appID":"a\u009b31m","host":"m.example.com"}"#,
      "com.sap.mdkclient://?AppId=a%00b&ServerUrl=https%3A%2F%2Fmobile.example.com",
    ])
  func escapedControls(_ text: String) {
    #expect(OnboardingJudge().verdict(text).outcome == .invalid(.badEncoding))
  }
}

@Suite("What tokens must say")
struct TokenBoundsTests {
  private let key: SigningKey

  init() throws { key = try SigningKey(generating: .es256, id: "k") }

  private func judge(_ change: (inout OnboardingPolicy) -> Void = { _ in }) throws -> OnboardingJudge {
    var policy = OnboardingPolicy()
    policy.keys = [try key.publicKey]
    change(&policy)
    return OnboardingJudge(policy: policy)
  }

  private func token(_ change: (inout TokenSigner.Claims) -> Void = { _ in }) throws -> String {
    var claims = TokenSigner.Claims()
    change(&claims)
    return try TokenSigner(key: key).token(for: Samples.sap, claims: claims)
  }

  @Test("A token may have to end, and not too late")
  func lifetime() throws {
    let endless = try token()
    let week = try token {
      $0.issuedAt = Samples.now
      $0.expires = Samples.now.addingTimeInterval(7 * 86_400)
    }
    #expect(try judge().verdict(endless).isSuccessful)
    #expect(try judge { $0.requiresExpiry = true }.verdict(endless).outcome == .invalid(.expired))
    #expect(try judge { $0.requiresExpiry = true }.verdict(week).isSuccessful)
    #expect(try judge { $0.maximumLifetime = 86_400 }.verdict(endless).outcome == .invalid(.expired))
    #expect(try judge { $0.maximumLifetime = 86_400 }.verdict(week).outcome == .invalid(.expired))
    #expect(try judge { $0.maximumLifetime = 7 * 86_400 }.verdict(week).isSuccessful)
  }

  private func signed(_ payload: String) throws -> String {
    let parts = [#"{"alg":"ES256","kid":"k"}"#, payload].map { Base64URL.encode($0.utf8) }
    let text = parts.joined(separator: ".")
    return text + "." + Base64URL.encode(try key.sign(Array(text.utf8), with: .es256))
  }

  @Test(
    "Claims that occur twice are malformed, whatever the kind",
    arguments: [
      #"{"appID":"a","host":"m.example.com","exp":1,"exp":4000000000}"#, #"{"exp":1,"exp":4000000000}"#,
      #"{"appID":"a","host":"m.example.com","host":"evil.test"}"#, #"{"a":"#,
    ])
  func duplicates(_ payload: String) throws {
    let verdict = try judge().verdict(try signed(payload))
    #expect(verdict.outcome == .invalid(.malformed), "\(verdict.outcome)")
  }

  /// Thirty-two bytes: the first, thirty times the middle one, the last.
  private static func coordinate(_ first: UInt8, _ middle: UInt8, _ last: UInt8) -> [UInt8] {
    var bytes = [UInt8](repeating: middle, count: 32)
    (bytes[0], bytes[31]) = (first, last)
    return bytes
  }

  @Test(
    "Ed25519 keys of low order are refused",
    arguments: [
      coordinate(0, 0, 0), coordinate(1, 0, 0), coordinate(0, 0, 0x80), coordinate(0xEC, 0xFF, 0x7F),
      coordinate(0xEE, 0xFF, 0xFF),
      [
        0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0, 0xD5, 0xDF,
        0xAC,
        0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x85,
      ],
    ])
  func lowOrder(_ bytes: [UInt8]) throws {
    let set = #"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"\#(Base64URL.encode(bytes))"}]}"#
    let error = #expect(throws: OnboardingError.self) { try JWKSet.keys(set) }
    #expect(error?.message.contains("low order") == true)
  }

  @Test("A private key in a set is used, and said")
  func privateKey() throws {
    let set = key.publicJWKSet.replacing(#""kty""#, with: #""d":"AAAA","kty""#)
    let (keys, remarks) = try JWKSet.keys(set)
    #expect(keys.count == 1)
    #expect(remarks.contains { $0.contains("private") })
  }

  @Test("A signer says which claims it replaces, and stays within all calendars")
  func replaced() throws {
    var claims = TokenSigner.Claims()
    claims.expires = Date(timeIntervalSince1970: 1e300)
    #expect(try TokenSigner.claims(of: #"{"exp":5,"sub":"x"}"#, replacedBy: claims) == [#""exp""#])
    #expect(try TokenSigner(key: key).token(for: "{}", claims: claims).isEmpty == false)
  }

  @Test("A token is never of a later second than its signer's clock says")
  func wholeSeconds() throws {
    var claims = TokenSigner.Claims()
    claims.issuedAt = Date(timeIntervalSince1970: 1000.9)
    let parts = try TokenSigner(key: key).token(for: "{}", claims: claims).split(separator: ".")
    #expect(Base64URL.decode(parts[1].utf8).map { String(decoding: $0, as: UTF8.self) } == #"{"iat":1000}"#)
  }
}

@Suite("What observers see of a payload")
struct HarmlessTests {
  private static let secret = "hunter2"

  @Test(
    "nothing beyond what is known to be harmless",
    arguments: [
      "otpauth-migration://offline?data=hunter2", "otpauth://totp/hunter2?secret=JBSWY3DPEHPK3PXP",
      #"{"user":"me","password":"hunter2"}"#, #"{"appID":"a","host":"m.example.com","auth":[{"secret":"hunter2""#,
      #"{"appID":"a","host":"m.example.com","passcode":"hunter2","kennwort":"hunter2"}"#,
      #"{"appID":"a","host":"m.example.com","extra":{"deep":"hunter2"}}"#,
      #"{"appID":"a","host":"m.example.com","hunter2":{}}"#,
      #"{"appID":"a","host":"m.example.com","x":{"hunter2":[]}}"#,
      #"{"appID":"a","host":"m.example.com","auth":[{"type":"x","pin":"hunter2","config":{"cookie":"hunter2"}}]}"#,
      "wifi:p:hunter2;t:WPA;s:net;;", "WIFI:P:hunter2;T:WPA;S:net;;", "wifi:S:net;T:WPA;P:hunter2", "hunter2",
      "https://example.com/reset/hunter2", "https://example.com/?sessionId=hunter2", "https://example.com/#hunter2",
      "https://hunter2@example.com/", "https://example.com/?SAMLResponse=hunter2", "bearer hunter2",
      "https://id.example.org/hunter2/01/09506000134352", "https://id.example.org/01/09506000134352?linkType=hunter2",
      "com.sap.mdkclient://hunter2?AppId=a&ServerUrl=https://m.example.com",
      "com.sap.mdkclient://?AppId=a&ServerUrl=https://m.example.com/?sharedKey=hunter2",
      "BEGIN:VCARD\nFN:Anna\nNOTE:hunter2\nX-PIN:hunter2\nEND:VCARD", "DPP:I:hunter2;K:abc;;",
      #"{"android.app.extra.PROVISIONING_DEVICE_ADMIN_COMPONENT_NAME":"a/b","android.app.extra.X":"hunter2"}"#,
    ])
  func hidden(_ text: String) {
    for policy in [OnboardingPolicy(), Samples.open] {
      let verdict = OnboardingJudge(policy: policy).verdict(text)
      #expect(!verdict.isHarmless)
      #expect(!verdict.fieldsForObservers.contains { $0.value.contains(Self.secret) })
    }
  }

  @Test(
    "the whole of what is known to be harmless",
    arguments: [
      #"{"appID":"com.example.app","host":"m.example.com","protocol":"https","auth":[{"type":"basic"}]}"#,
      Samples.sapLink,
      "https://example.com/", "https://example.com:8443", "https://id.example.org/01/09506000134352/10/ABC?17=271231",
      "WIFI:S:open net;;",
    ])
  func shown(_ text: String) {
    let verdict = OnboardingJudge(policy: Samples.open).verdict(text)
    #expect(verdict.isHarmless)
    #expect(verdict.fieldsForObservers == verdict.fields)
  }

  @Test("of declared kinds the host, and what the policy shows")
  func custom() throws {
    var policy = OnboardingPolicy()
    policy.customKinds = [
      try CustomKind(
        PayloadKind(rawValue: "x"), form: .json(requiredKeys: ["server"]), host: "server", secrets: ["pin"],
        shown: ["site", "pin"])
    ]
    let verdict = OnboardingJudge(policy: policy).verdict(
      #"{"server":"a.example.com","site":"5","pin":"1","other":"2"}"#)
    #expect(
      verdict.fieldsForObservers.map(\.value) == ["a.example.com", "5", PayloadField.redaction, PayloadField.redaction])
    #expect(!verdict.isHarmless)
  }
}
