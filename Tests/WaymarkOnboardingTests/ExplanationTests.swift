import Testing
import WaymarkOnboarding

@Suite("What a refusal says")
struct ExplanationTests {
  private func refusal(_ text: String, _ change: (inout OnboardingPolicy) throws -> Void) rethrows -> VerdictStep? {
    var policy = OnboardingPolicy()
    try change(&policy)
    return OnboardingJudge(policy: policy).verdict(text).refusal
  }

  @Test("A host that is not listed: the list, and a remark on the name above a pattern")
  func hosts() throws {
    let text = #"{"appID":"a","host":"corp.example"}"#
    let step = try refusal(text) { $0.hosts = [try HostPattern("*.corp.example"), try HostPattern("a.test")] }
    #expect(step?.field == "host")
    #expect(step?.finding == "host: corp.example is not on the list")
    #expect(
      step?.detail
        == "host: corp.example is not on the list; allowed: *.corp.example, a.test; *.corp.example is every name below corp.example, not corp.example itself"
    )
    let other = try refusal(#"{"appID":"a","host":"b.test"}"#) { $0.hosts = [try HostPattern("a.test")] }
    #expect(other?.detail == "host: b.test is not on the list; allowed: a.test")
    let port = refusal(#"{"appID":"a","host":"b.test:22"}"#) { $0.ports = [443, 8443] }
    #expect(port?.expected == "allowed: 443, 8443")
  }

  @Test("Observers get what is wrong, and nothing about hosts in fields that are hidden")
  func observers() throws {
    var policy = OnboardingPolicy()
    policy.hosts = [try HostPattern("a.test")]
    let judge = OnboardingJudge(policy: policy)
    let shown = judge.verdict(#"{"appID":"a","host":"b.test"}"#)
    #expect(shown.findingForObservers == "host: b.test is not on the list")
    let hidden = judge.verdict(#"{"appID":"a","host":"a.test","hint":"https://hunter2.test"}"#)
    #expect(hidden.refusal?.field == "hint")
    #expect(hidden.findingForObservers == nil)
    #expect(judge.verdict(#"{"appID":"a","host":"a.test"}"#).refusal == nil)
  }

  @Test("An empty value is not a missing one")
  func empty() throws {
    let kind = try CustomKind(
      PayloadKind(rawValue: "own"), form: .json(requiredKeys: ["srv", "site"]), host: "srv")
    let cases = [
      (#"{"srv":"","site":"1"}"#, "is empty"), (#"{"srv":5,"site":"1"}"#, "is not a string"),
      (#"{"srv":null,"site":"1"}"#, "is not a string"),
    ]
    for (text, problem) in cases {
      let step = refusal(text) { $0.customKinds = [kind] }
      #expect(step?.check == .malformed)
      #expect(step?.detail == "\"srv\", which holds the host, \(problem)")
      #expect(step?.field == "srv")
    }
    #expect(refusal(#"{"appID":"a","host":""}"#) { _ in }?.detail == #""host" is empty"#)
    #expect(refusal(#"{"appID":"a"}"#) { _ in }?.detail == #""host" is missing"#)
    let address = refusal(#"{"appID":"a","host":"https://a.test"}"#) { _ in }
    #expect(
      address?.detail.hasPrefix("host: it is an address, where the host alone belongs") == true,
      "\(String(describing: address))")
  }

  @Test("A payload that nearly is of a declared kind: the member that is missing")
  func nearMiss() throws {
    let kind = try CustomKind(
      PayloadKind(rawValue: "serviceNow"), form: .json(requiredKeys: ["InstanceUrl", "Name"]), host: "InstanceUrl")
    let missing = refusal(#"{"InstanceUrl":"https://a.test"}"#) { $0.customKinds = [kind] }
    #expect(missing?.check == .kindNotAllowed)
    #expect(missing?.finding == "text")
    #expect(missing?.detail == #"text; allowed: sapLink, sapOnboarding, serviceNow; missing for serviceNow: "Name""#)
    let misspelled = refusal(#"{"instanceurl":"https://a.test","Name":"x"}"#) { $0.customKinds = [kind] }
    #expect(misspelled?.detail.hasSuffix(#"missing for serviceNow: "InstanceUrl" in this spelling"#) == true)
    let own = refusal(#"{"appId":"a","host":"a.test"}"#) { _ in }
    #expect(
      own?.detail == #"text; allowed: sapLink, sapOnboarding; missing for sapOnboarding: "appID" in this spelling"#)
    let closed = refusal(#"{"host":"a.test"}"#) { $0.kinds = [.wifi] }
    #expect(closed?.detail == "text; allowed: wifi")
    let other = refusal(#"{"a":1}"#) { $0.customKinds = [kind] }
    #expect(other?.detail == "text; allowed: sapLink, sapOnboarding, serviceNow")
  }

  @Test("A token of another issuer or audience: those that are accepted")
  func parties() throws {
    let key = try SigningKey(generating: .es256, id: "k")
    var claims = TokenSigner.Claims()
    claims.issuer = "https://other.test"
    claims.audience = "till"
    let token = try TokenSigner(key: key).token(for: Samples.sap, claims: claims)
    let issuer = try refusal(token) {
      $0.keys = [try key.publicKey]
      $0.issuers = ["https://it.test"]
    }
    #expect(issuer?.check == .wrongIssuer && issuer?.field == "iss")
    #expect(issuer?.detail == #""https://other.test"; allowed: https://it.test"#)
    let audience = try refusal(token) {
      $0.keys = [try key.publicKey]
      $0.audiences = ["kiosk", "gate"]
    }
    #expect(audience?.check == .wrongAudience && audience?.field == "aud")
    #expect(audience?.detail == #""till"; allowed: gate, kiosk"#)
    #expect(audience?.finding == #""till""#)
  }

  @Test(
    "An address that nearly fits the pattern of a declared kind: the pattern",
    arguments: [
      ("https://eu.example.com/enroll/17", true), ("https://eu.example.com/enlor/17", true),
      ("https://eu.example.com/v2/enrol/17", true), ("https://eu.example.com/17", true),
      ("http://eu.example.com/enrol/17", true), ("https://eu.example.com:8443/enroll/17", true),
      ("https://example.com/enrol/17", true), ("https://eu.exampel.com/enrol/17", true),
      ("https://evil.test/enrol/17", false), ("https://example.com/enroll/17", false),
      ("http://eu.example.com/enroll/17", false), ("acme://eu.example.com/enrol/17", false),
      ("https://10.0.0.1/enrol/17", false), ("https://eu.example.com/enroll/a%2fb", false),
      ("https://evil.test/" + String(repeating: "a/", count: 3000), false),
    ])
  func nearPattern(_ address: String, _ isNear: Bool) throws {
    let kind = try CustomKind(
      PayloadKind(rawValue: "portal"), form: .url(.init("https://*.example.com/enrol/*")))
    let step = refusal(address) { $0.customKinds = [kind] }
    #expect(step?.check == .kindNotAllowed)
    let hint = isNear ? "; portal has the form https://*.example.com/enrol/*" : ""
    #expect(step?.expected == "allowed: portal, sapLink, sapOnboarding" + hint)
    #expect(step?.finding == (address.hasPrefix("acme") ? "text" : "url"))
  }

  @Test(
    "A pattern for every host or of an app's scheme is near by its path",
    arguments: [
      ("https://*/enrol/*", "https://a.test/enroll/1", true), ("https://*/enrol/*", "https://a.test/shop/1", false),
      ("https://*/enrol/*", "https://a.test/v2/enrol/1", false), ("https://*/a/*/b", "https://a.test/a/1/2/bc", true),
      ("acme://*/enrol/v*", "acme://go/v2/enrol/v1", true), ("acme://*/enrol/v*", "acme://go/a/b", false),
      ("acme://*/enrol", "acme://go/", true), ("acme://*/enrol", "com.acme://go/enroll", false),
    ])
  func nearPath(_ pattern: String, _ address: String, _ isNear: Bool) throws {
    let kind = try CustomKind(PayloadKind(rawValue: "own"), form: .url(.init(pattern)))
    let step = refusal(address) { $0.customKinds = [kind] }
    #expect(step?.check == .kindNotAllowed)
    #expect(step?.expected?.hasSuffix("own has the form \(pattern)") == isNear, "\(step?.detail ?? "")")
  }

  @Test("A payload without a signature: the keys whose signatures are accepted, with their algorithms")
  func unsigned() throws {
    let (named, bare) = (try SigningKey(generating: .es256, id: "site-1"), try SigningKey(generating: .rs256))
    let step = try refusal(Samples.sap) { $0.keys = [try named.publicKey, try bare.publicKey] }
    #expect(step?.check == .signatureRequired)
    #expect(step?.finding == "the payload is not signed")
    #expect(
      step?.expected
        == #"accepted: the key "site-1" (ES256), the key without an identifier (RS256, RS384, RS512)"#)
    let some = try refusal(Samples.sap) {
      $0.keys = [try named.publicKey, try bare.publicKey]
      $0.algorithms = [.rs512]
    }
    #expect(some?.expected == "accepted: the key without an identifier (RS512)")
    let none = refusal(Samples.sap) { $0.signatures = .required }
    #expect(none?.expected == "accepted: no key")
    let many = try refusal(Samples.sap) { $0.keys = .init(repeating: try named.publicKey, count: 11) }
    #expect(many?.expected?.hasSuffix(#"the key "site-1" (ES256), …"#) == true)
  }

  @Test("A signature of another key: the keys with which it was checked")
  func badSignature() throws {
    let (key, other) = (try SigningKey(generating: .es256, id: "site-1"), try SigningKey(generating: .es256, id: "b"))
    let impostor = try SigningKey(generating: .es256, id: "site-1")
    let step = try refusal(TokenSigner(key: impostor).token(for: Samples.sap)) {
      $0.keys = [try other.publicKey, try key.publicKey]
    }
    #expect(step?.check == .badSignature)
    #expect(step?.finding == "the signature does not fit payload and key")
    #expect(step?.expected == #"tried: the key "site-1" (ES256)"#)
  }

  @Test("Frames that do not come from a camera: the setting that allows them")
  func source() {
    var judge = OnboardingJudge()
    judge.trustsSource = false
    let step = judge.verdict(Samples.sap).refusal
    #expect(step?.finding == "the frames do not come from a camera")
    #expect(step?.expected == "--source-onboarding or source.onboarding: true allows them")
  }
}
