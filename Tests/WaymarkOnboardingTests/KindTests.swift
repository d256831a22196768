import Testing
import WaymarkOnboarding
import WaymarkSystem

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
