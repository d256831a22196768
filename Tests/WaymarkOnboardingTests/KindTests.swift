import Synchronization
import Testing
import WaymarkSystem

@testable import WaymarkOnboarding

@Suite("What a payload is")
struct KindTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var text: String
    var kind: PayloadKind
    var connectTo: String?
    var fields: [String: String] = [:]
    var secrets: Set<String> = []
    var testDescription: String { "\(kind): \(text.prefix(30))" }
  }

  static let cases: [Case] = [
    Case(
      text: Samples.sap, kind: .sapOnboarding, connectTo: "mobile.example.com",
      fields: ["appID": "com.example.app", "port": "443", "auth.type": "oauth2", "clientID": "abc"]),
    Case(
      text: #"{"host":"m.example.com:8443","appID":"a","auth":[{"type":"basic","config":[]}]}"#, kind: .sapOnboarding,
      connectTo: "m.example.com:8443"),
    Case(
      text:
        #"{"host":"m.example.com","appID":"a","auth":{"type":"saml2.web.post","config":[{"saml2.web.post.finish.endpoint.uri":"/x"}]}}"#,
      kind: .sapOnboarding, connectTo: "m.example.com"),
    Case(
      text: Samples.sapLink, kind: .sapLink, connectTo: "mobile.example.com:8443",
      fields: ["AppId": "com.example.app", "TokenUrl": "https://auth.example.com/token"]),
    Case(
      text: "acme.app://?AppId=a&AuthorizationEndpointUrl=https%3A%2F%2Fidp.example.com%2Fa", kind: .sapLink,
      connectTo: "idp.example.com"),
    Case(
      text: Samples.android, kind: .androidEnterprise, connectTo: "dl.example.com",
      fields: ["componentName": "com.example.dpc/.Admin", "wifiSSID": "Hall"],
      secrets: ["wifiPassword", "adminExtras"]),
    Case(
      text: Samples.wifi, kind: .wifi, fields: ["ssid": "My;Net", "password": #"p\w:x"#, "hidden": "true"],
      secrets: ["password"]),
    Case(text: "WIFI:S:open net;;", kind: .wifi, fields: ["ssid": "open net"]),
    Case(
      text: "wifi:P:12345678;T:SAE;S:a;R:1;I:me;;", kind: .wifi, fields: ["passwordIdentifier": "me"],
      secrets: ["password"]),
    Case(
      text: "WIFI:T:WPA2-EAP;S:corp;E:PEAP;PH2:MSCHAPV2;A:anon;I:anna;P:pw;;", kind: .wifi,
      fields: ["identity": "anna", "phase2": "MSCHAPV2", "eapMethod": "PEAP"], secrets: ["password"]),
    // Quotation marks around hexadecimal digits mark these as text.
    Case(
      text: #"WIFI:T:WPA;S:"ABCDEF";P:"deadbeef01";;"#, kind: .wifi,
      fields: ["ssid": "ABCDEF", "password": "deadbeef01"], secrets: ["password"]),
    Case(
      text: #"WIFI:T:WPA;S:"My net";P:\"12ab\";;"#, kind: .wifi,
      fields: ["ssid": #""My net""#, "password": #""12ab""#], secrets: ["password"]),
    Case(
      text: "WIFI:T:WPA;S:ABCDEF;P:0123456789;;", kind: .wifi,
      fields: ["ssid": "ABCDEF", "password": "0123456789"], secrets: ["password"]),
    // The grammar of WPA3, shown by R or K, encodes with percent signs.
    Case(
      text: #"WIFI:T:WPA;R:3;S:caf%C3%A9;P:my%3Apass\x;I:me%3b;;"#, kind: .wifi,
      fields: ["ssid": "café", "password": #"my:pass\x"#, "passwordIdentifier": "me;"], secrets: ["password"]),
    Case(
      text: "WIFI:T:SAE;S:net;P:100%25;K:MDkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDIgAD;;", kind: .wifi,
      fields: ["password": "100%"], secrets: ["password"]),
    Case(
      text: "WIFI:T:WPA;R:1;S:50% off;P:12345678;;", kind: .wifi, fields: ["ssid": "50% off"], secrets: ["password"]),
    Case(text: "WIFI:T:WPA;S:net;P:my%3Apass;;", kind: .wifi, fields: ["password": "my%3Apass"], secrets: ["password"]),
    Case(text: Samples.dpp, kind: .dpp, fields: ["channels": "81/1,115/36", "mac": "010203040506"]),
    Case(
      text: Samples.otpauth, kind: .otpauth, fields: ["label": "ACME:anna@example.com", "issuer": "ACME"],
      secrets: ["secret"]),
    Case(
      text: "otpauth://hotp/x?secret=MFRGG===&counter=0", kind: .otpauth, fields: ["counter": "0"], secrets: ["secret"]),
    Case(
      text: Samples.gs1, kind: .gs1DigitalLink, connectTo: "id.example.org",
      fields: ["01": "09506000134352", "10": "ABC", "17": "271231"]),
    Case(text: "https://example.com/some/00/123456789012345675", kind: .gs1DigitalLink, connectTo: "example.com"),
    Case(text: "https://shop.example.com/01/1234567", kind: .url, connectTo: "shop.example.com"),
    Case(text: Samples.vcard, kind: .vcard, fields: ["name": "Anna Berg", "phone": "+49 123"]),
    Case(
      text: "BEGIN:VCARD\r\nVERSION:2.1\r\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=D0=92=D0=B8=D0=BA=\r\n=D1=82;\r\n"
        + "TEL:+49 1\r\n 23\r\nEND:VCARD\r\n",
      kind: .vcard, fields: ["structuredName": "Викт;", "phone": "+49 1 23"]),
    Case(
      text:
        "BEGIN:VCARD\nVERSION:2.1\nFN;QUOTED-PRINTABLE;CHARSET=windows-1251:=C2=E8=EA\nADR;LABEL=\"a:b\":;;x\nEND:VCARD",
      kind: .vcard, fields: ["name": "Вик", "address": ";;x"]),
    Case(
      text: "BEGIN:VCARD\nFN;ENCODING=QUOTED-PRINTABLE:J=FCrgen 1=2x=\n\nEND:VCARD", kind: .vcard,
      fields: ["name": "Jürgen 1=2x"]),
    // A note whose lines are broken without folding.
    Case(
      text:
        "BEGIN:VCARD\nVERSION:3.0\nFN:Anna\nNOTE:first\nsecond line\nOpen: 9-17\nTEL:+49 1\nEMAIL:a@b.example\nEND:VCARD",
      kind: .vcard,
      fields: ["note": "first\nsecond line\nOpen: 9-17", "phone": "+49 1", "email": "a@b.example"]),
    Case(
      text: "https://Example.COM./path?token=abc&q=1", kind: .url, connectTo: "example.com", fields: ["q": "1"],
      secrets: ["token"]),
    Case(text: "https://[2001:DB8::1]:444/", kind: .url, connectTo: "[2001:db8::1]:444"),
    Case(text: "https://bücher.example/", kind: .url, connectTo: "xn--bcher-kva.example"),
    Case(text: "  \u{FEFF}https://example.com\n", kind: .text),
    Case(text: " https://example.com\r\n", kind: .url, connectTo: "example.com"),
    Case(text: "mailto:anna@example.com", kind: .text),
    Case(text: "4006381333931", kind: .text),
    Case(text: #"{"hello":"world"}"#, kind: .text),
    Case(text: "", kind: .text),
  ]

  @Test("is recognised and taken apart", arguments: cases)
  func kinds(_ example: Case) {
    let verdict = OnboardingJudge(policy: Samples.open).verdict(example.text)
    #expect(verdict.isSuccessful, "\(verdict.outcome) \(verdict.steps.last?.detail ?? "")")
    #expect(verdict.kind == example.kind)
    #expect(verdict.connectTo == example.connectTo)
    for (name, value) in example.fields { #expect(verdict.fields.first { $0.name == name }?.value == value, "\(name)") }
    #expect(Set(verdict.fields.filter(\.isSecret).map(\.name)) == example.secrets)
    #expect(verdict.redactedFields.allSatisfy { !$0.isSecret || $0.value == PayloadField.redaction })
    #expect(Set(verdict.fields.map(\.name)).count == verdict.fields.count, "names are unique")
  }

  @Test("A byte order mark is not part of the text")
  func byteOrderMark() {
    let code = ScannedCode(bytes: [0xEF, 0xBB, 0xBF] + Array("https://example.com".utf8))
    #expect(OnboardingJudge(policy: Samples.open).verdict(for: [code], now: Samples.now).kind == .url)
  }

  @Test("Bytes that are not text are binary")
  func binary() {
    let bytes = (0..<2953).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    var policy = Samples.open
    #expect(OnboardingJudge(policy: policy).verdict(for: [ScannedCode(bytes: bytes)], now: Samples.now).kind == .binary)
    policy.kinds = [.text]
    let verdict = OnboardingJudge(policy: policy).verdict(for: [ScannedCode(bytes: bytes)], now: Samples.now)
    #expect(verdict.outcome == .invalid(.kindNotAllowed))
  }

  @Test("Text in an older encoding is text, and a name in Wi-Fi or a contact")
  func foreign() {
    let judge = OnboardingJudge(policy: Samples.open)
    let latin = ScannedCode(bytes: Array("Z".utf8) + [0xFC] + Array("rich".utf8), text: "Zürich")
    #expect(judge.verdict(for: [latin], now: Samples.now).kind == .text)
    let wifi = ScannedCode(bytes: Array("WIFI:S:Caf".utf8) + [0xE9] + Array(";;".utf8), text: "WIFI:S:Café;;")
    let verdict = judge.verdict(for: [wifi], now: Samples.now)
    #expect(verdict.kind == .wifi)
    #expect(verdict.fields.first?.value == "Café")
  }

  @Test("Kinds of the integrator's own are recognised, with their host")
  func custom() throws {
    var policy = OnboardingPolicy()
    policy.customKinds = [
      try CustomKind(
        PayloadKind(rawValue: "serviceNow"), form: .json(requiredKeys: ["InstanceUrl", "Name"]), host: "InstanceUrl"),
      try CustomKind(
        PayloadKind(rawValue: "nested"), form: .json(requiredKeys: ["server.address"]), host: "server.address",
        secrets: ["server.sesame"]),
      try CustomKind(
        PayloadKind(rawValue: "portal"), form: .url(.init("https://*.example.com/enrol/*")), host: nil),
      try CustomKind(PayloadKind(rawValue: "acme"), form: .url(.init("acme-setup://*")), host: "server"),
    ]
    let judge = OnboardingJudge(policy: policy)
    let now = judge.verdict(#"{"InstanceUrl":"https://example.service-now.com","Name":"Example"}"#)
    #expect(now.kind?.rawValue == "serviceNow")
    #expect(now.connectTo == "example.service-now.com")
    let nested = judge.verdict(#"{"server":{"address":"a.example.com:444","sesame":"open"},"x":[1,2]}"#)
    #expect(nested.kind?.rawValue == "nested")
    #expect(nested.connectTo == "a.example.com:444")
    #expect(nested.redactedFields.contains(PayloadField("server.sesame", "[redacted]", isSecret: true)))
    // In a token that lacks a member of the kind, its secrets are secret, too.
    let claims = try JSONParser.parse(#"{"server":{"sesame":"open"},"name":"x"}"#)
    let token = JSONWebToken.payload(of: claims, policy: policy)
    #expect(token.fields.filter(\.isSecret).map(\.name) == ["server"])
    let portal = judge.verdict("https://eu.example.com/enrol/17")
    #expect(portal.kind?.rawValue == "portal")
    #expect(portal.connectTo == "eu.example.com")
    #expect(judge.verdict("https://example.com/enrol/17").kind == .url)
    #expect(judge.verdict("https://evil.test/x.example.com/enrol/17").kind == .url)
    #expect(judge.verdict("acme-setup://go?server=box.example.com&key=1").connectTo == "box.example.com")
    #expect(judge.verdict("acme-setup://go?key=1").outcome == .invalid(.malformed))
    #expect(judge.verdict(#"{"InstanceUrl":7,"Name":"x"}"#).outcome == .invalid(.malformed))
    #expect(throws: OnboardingError.self) { try CustomKind(.url, form: .json(requiredKeys: ["a"])) }
  }
}

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
