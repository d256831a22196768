import FoundationEssentials
import Testing
import WaymarkCrypto
import WaymarkOnboarding
import WaymarkSystem

@Suite("Signed payloads")
struct SignatureTests {
  private static let key = try? SigningKey(generating: .es256, id: "one")
  private static let rsa = try? SigningKey(generating: .rs256, id: "rsa")

  private func policy(_ keys: SigningKey?...) throws -> OnboardingPolicy {
    var policy = Samples.open
    policy.keys = try keys.map { try #require($0).publicKey }
    policy.clockSkew = 0
    return policy
  }

  private func sign(
    _ key: SigningKey?, _ payload: String = Samples.sap, _ edit: (inout TokenSigner.Claims) -> Void = { _ in }
  ) throws -> String {
    var claims = TokenSigner.Claims()
    edit(&claims)
    return try TokenSigner(key: try #require(key)).token(for: payload, claims: claims)
  }

  /// A token without a signature.
  private func token(_ header: String) -> String { token(header) { _ in [] } }

  /// A token with a header of one's own choice; `seal` makes the signature of what is signed.
  private func token(
    _ header: String, _ payload: String = Samples.sap, seal: ([UInt8]) throws -> [UInt8]
  ) rethrows -> String {
    let signed = Base64URL.encode(header.utf8) + "." + Base64URL.encode(payload.utf8)
    return signed + "." + Base64URL.encode(try seal(Array(signed.utf8)))
  }

  @Test(
    "Every algorithm signs and is accepted, with its key from PEM and from a JWK set",
    arguments: SignatureAlgorithm.allCases)
  func algorithms(_ algorithm: SignatureAlgorithm) throws {
    let key = try SigningKey(generating: algorithm, id: "k")
    let token = try TokenSigner(key: key, algorithm: algorithm).token(for: Samples.sap)
    for keys in [try JWKSet.keys(key.publicJWKSet).keys, try PEMKeys.keys(key.publicPEM, id: nil)] {
      var policy = OnboardingPolicy()
      policy.keys = keys
      let verdict = OnboardingJudge(policy: policy).verdict(token)
      #expect(verdict.isSuccessful, "\(verdict.steps.last?.detail ?? "")")
      #expect(verdict.kind == .sapOnboarding)
      #expect(verdict.connectTo == "mobile.example.com")
      #expect(!verdict.isHarmless)
    }
    let again = try SigningKey(pem: key.pem, id: "k")
    #expect(again.publicPEM == key.publicPEM)
  }

  @Test("signatureRequired: as soon as a key is set, unless the policy says otherwise")
  func required() throws {
    var policy = try policy(Self.key)
    #expect(OnboardingJudge(policy: policy).verdict(Samples.sap).outcome == .invalid(.signatureRequired))
    #expect(OnboardingJudge(policy: policy).verdict(Samples.wifi).outcome == .invalid(.signatureRequired))
    policy.signatures = .optional
    #expect(OnboardingJudge(policy: policy).verdict(Samples.sap).isSuccessful)
    #expect(try OnboardingJudge(policy: policy).verdict(sign(Self.key)).isSuccessful)
    policy.signedKinds = [.sapOnboarding]
    #expect(OnboardingJudge(policy: policy).verdict(Samples.sap).outcome == .invalid(.signatureRequired))
    #expect(OnboardingJudge(policy: policy).verdict(Samples.wifi).isSuccessful, "another kind may be unsigned")
    #expect(try OnboardingJudge(policy: policy).verdict(sign(Self.key)).isSuccessful)
    policy.signedKinds = []
    policy.signatures = .refused
    #expect(OnboardingJudge(policy: policy).verdict(Samples.sap).isSuccessful)
    #expect(try OnboardingJudge(policy: policy).verdict(sign(Self.key)).outcome == .invalid(.kindNotAllowed))
  }

  @Test(
    "algorithmNotAllowed: none in every spelling, shared secrets, what does not exist",
    arguments: ["none", "None", "NONE", "", "HS256", "HS384", "HS512", "PS256", "es256", "ES256 ", "ES256K"])
  func algorithmNotAllowed(_ name: String) throws {
    let judge = OnboardingJudge(policy: try policy(Self.key))
    #expect(judge.verdict(token(#"{"alg":"\#(name)"}"#)).outcome == .invalid(.algorithmNotAllowed))
    // Nor without any key, and nor where signatures are a matter of choice.
    var free = Samples.open
    free.signatures = .optional
    #expect(
      OnboardingJudge(policy: free).verdict(token(#"{"alg":"\#(name)"}"#)).outcome == .invalid(.algorithmNotAllowed))
  }

  @Test("A public key does not serve as a shared secret (RS256 turned into HS256)")
  func keyConfusion() throws {
    let judge = OnboardingJudge(policy: try policy(Self.rsa))
    let pem = try #require(Self.rsa).publicPEM
    for secret in [pem, String(pem.dropLast())] {
      let forged = token(#"{"alg":"HS256","kid":"rsa"}"#) { message in
        SymmetricKey(Array(secret.utf8)).authenticationCode(for: message)
      }
      #expect(judge.verdict(forged).outcome == .invalid(.algorithmNotAllowed))
    }
  }

  @Test("The policy's algorithms count, not the key's or the token's")
  func policyAlgorithms() throws {
    var policy = try policy(Self.rsa)
    policy.algorithms = [.rs512]
    let signed = try sign(Self.rsa)
    #expect(OnboardingJudge(policy: policy).verdict(signed).outcome == .invalid(.algorithmNotAllowed))
    let right = try TokenSigner(key: try #require(Self.rsa), algorithm: .rs512).token(for: Samples.sap)
    #expect(OnboardingJudge(policy: policy).verdict(right).isSuccessful)
    // A key that says what it is for is for nothing else.
    let set = try #require(Self.rsa).publicJWKSet.replacing(#""use""#, with: #""alg":"RS384","use""#)
    policy.keys = try JWKSet.keys(set).keys
    policy.algorithms = [.rs256, .rs384]
    #expect(OnboardingJudge(policy: policy).verdict(signed).outcome == .invalid(.unknownKey))
  }

  @Test("unknownKey: no key, another name, a name of another type; never a default")
  func unknownKey() throws {
    let signed = try sign(Self.key)
    #expect(OnboardingJudge().verdict(signed).outcome == .invalid(.unknownKey))
    let other = try SigningKey(generating: .es256, id: "two")
    #expect(OnboardingJudge(policy: try policy(other)).verdict(signed).outcome == .invalid(.unknownKey))
    #expect(OnboardingJudge(policy: try policy(other, Self.key)).verdict(signed).isSuccessful)
    // "rsa" is known but does not serve ES256, though another key does.
    let crossed = try token(#"{"alg":"ES256","kid":"rsa"}"#) { try #require(Self.key).sign($0, with: .es256) }
    #expect(OnboardingJudge(policy: try policy(Self.key, Self.rsa)).verdict(crossed).outcome == .invalid(.unknownKey))
    // Without a name every fitting key may try.
    let nameless = try token(#"{"alg":"ES256"}"#) { try #require(Self.key).sign($0, with: .es256) }
    #expect(OnboardingJudge(policy: try policy(other, Self.key)).verdict(nameless).isSuccessful)
    #expect(OnboardingJudge(policy: try policy(Self.rsa)).verdict(nameless).outcome == .invalid(.algorithmNotAllowed))
  }

  @Test("badSignature: another key of the same name, and every changed byte")
  func badSignature() throws {
    let impostor = try SigningKey(generating: .es256, id: "one")
    let judge = OnboardingJudge(policy: try policy(Self.key))
    #expect(try judge.verdict(sign(impostor)).outcome == .invalid(.badSignature))
    #expect(judge.verdict(token(#"{"alg":"ES256","kid":"one"}"#)).outcome == .invalid(.badSignature))
    let zeros = token(#"{"alg":"ES256","kid":"one"}"#) { _ in .init(repeating: 0, count: 64) }
    #expect(judge.verdict(zeros).outcome == .invalid(.badSignature))
    let signed = Array(try sign(Self.key).utf8)
    for index in stride(from: 0, to: signed.count, by: 7) where signed[index] != UInt8(ascii: ".") {
      var changed = signed
      changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      let verdict = judge.verdict(for: [ScannedCode(bytes: changed)], now: Samples.now)
      #expect(!verdict.isSuccessful, "byte \(index)")
    }
  }

  @Test("Keys in the token's own header are not believed")
  func ownKey() throws {
    let attacker = try SigningKey(generating: .es256)
    let jwk = attacker.publicJWKSet.dropFirst(#"{"keys":["#.count).dropLast(2)
    let judge = OnboardingJudge(policy: try policy(Self.key))
    for header in [
      #"{"alg":"ES256","jwk":\#(jwk)}"#, #"{"alg":"ES256","jku":"https://evil.test/k"}"#,
      #"{"alg":"ES256","x5u":"https://evil.test/k"}"#,
    ] {
      let forged = try token(header) { try attacker.sign($0, with: .es256) }
      #expect(judge.verdict(forged).outcome == .invalid(.badSignature))
    }
  }

  @Test(
    "malformed: headers that cannot be understood safely",
    arguments: [
      #"{"alg":"ES256","alg":"none"}"#, #"{"alg":7}"#, #"{}"#, #"{"alg":"ES256","crit":["exp"]}"#,
      #"{"alg":"ES256","b64":false}"#, #"{"alg":"ES256","kid":1}"#, #"{"alg":"ES256""#,
    ])
  func malformedHeader(_ header: String) throws {
    let signed = try token(header) { try #require(Self.key).sign($0, with: .es256) }
    #expect(OnboardingJudge(policy: try policy(Self.key)).verdict(signed).outcome == .invalid(.malformed))
  }

  @Test("malformed: padding, stray bits, encrypted tokens, claims of the wrong type")
  func malformedToken() throws {
    let judge = OnboardingJudge(policy: try policy(Self.key))
    let signed = try sign(Self.key)
    #expect(judge.verdict(signed + "=").outcome == .invalid(.malformed))
    #expect(judge.verdict(signed + ".AAAA.AAAA").outcome == .invalid(.malformed))
    for claim in [
      #""exp":"soon""#, #""exp":-1"#, #""exp":1e300"#, #""nbf":true"#, #""jti":7"#, #""aud":[1]"#, #""iss":[]"#,
    ] {
      let odd = try sign(Self.key, "{" + claim + "," + Samples.sap.dropFirst())
      #expect(judge.verdict(odd).outcome == .invalid(.malformed), "\(claim)")
    }
  }

  @Test("expired: over on the second of exp, with skew that much later")
  func expired() throws {
    var policy = try policy(Self.key)
    let at = { (seconds: Double, policy: OnboardingPolicy) throws in
      let signed = try self.sign(Self.key) { $0.expires = Samples.now + seconds }
      return OnboardingJudge(policy: policy).verdict(signed).outcome
    }
    #expect(try at(1, policy) == .successful)
    #expect(try at(0, policy) == .invalid(.expired))
    #expect(try at(-1, policy) == .invalid(.expired))
    policy.clockSkew = 60
    #expect(try at(-59, policy) == .successful)
    #expect(try at(-60, policy) == .invalid(.expired))
  }

  @Test("notYetValid: before nbf or iat, less the skew")
  func notYetValid() throws {
    var policy = try policy(Self.key)
    let at = { (before: Double?, issued: Double?, policy: OnboardingPolicy) throws in
      let signed = try self.sign(Self.key) {
        $0.notBefore = before.map { Samples.now + $0 }
        $0.issuedAt = issued.map { Samples.now + $0 }
      }
      return OnboardingJudge(policy: policy).verdict(signed).outcome
    }
    #expect(try at(0, nil, policy) == .successful)
    #expect(try at(1, nil, policy) == .invalid(.notYetValid))
    #expect(try at(nil, 1, policy) == .invalid(.notYetValid))
    policy.clockSkew = 60
    #expect(try at(60, nil, policy) == .successful)
    #expect(try at(61, nil, policy) == .invalid(.notYetValid))
  }

  @Test("wrongIssuer and wrongAudience: another, or none")
  func issuerAndAudience() throws {
    var policy = try policy(Self.key)
    policy.issuers = ["acme", "umbrella"]
    policy.audiences = ["kiosk"]
    let judge = OnboardingJudge(policy: policy)
    let outcome = { (issuer: String?, audience: String?) throws in
      judge.verdict(
        try self.sign(Self.key) {
          $0.issuer = issuer
          $0.audience = audience
        }
      ).outcome
    }
    #expect(try outcome("acme", "kiosk") == .successful)
    #expect(try outcome("Acme", "kiosk") == .invalid(.wrongIssuer))
    #expect(try outcome(nil, "kiosk") == .invalid(.wrongIssuer))
    #expect(try outcome("umbrella", "tablet") == .invalid(.wrongAudience))
    #expect(try outcome("umbrella", nil) == .invalid(.wrongAudience))
    let several = try sign(Self.key, #"{"aud":["tablet","kiosk"],"iss":"acme","# + Samples.sap.dropFirst())
    #expect(judge.verdict(several).isSuccessful)
  }

  @Test("A token of claims is a jwt, and a claim of the policy's choice holds its host")
  func jwt() throws {
    var policy = try policy(Self.key)
    policy.hostClaim = "server"
    let judge = OnboardingJudge(policy: policy)
    let verdict = judge.verdict(try sign(Self.key, #"{"server":"https://box.example.com:9443/","pin":"1234"}"#))
    #expect(verdict.kind == .jwt)
    #expect(verdict.connectTo == "box.example.com:9443")
    #expect(verdict.fields.contains(PayloadField("pin", "1234", isSecret: true)))
    #expect(try judge.verdict(sign(Self.key, #"{"other":1}"#)).outcome == .invalid(.malformed))
    let bare = try token(#"{"alg":"ES256","kid":"one"}"#, "just text") { try #require(Self.key).sign($0, with: .es256) }
    #expect(judge.verdict(bare).kind == .jws)
  }
}

@Suite("Key files")
struct KeyFileTests {
  // openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=waymark-test -days 36500
  private static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBhDCCASugAwIBAgIUEERIDKy1EQKxE5rJq5LwiCErCxIwCgYIKoZIzj0EAwIw
    FzEVMBMGA1UEAwwMd2F5bWFyay10ZXN0MCAXDTI2MTEyMTA4NDcyM1oYDzIxMjYx
    MDI4MDg0NzIzWjAXMRUwEwYDVQQDDAx3YXltYXJrLXRlc3QwWTATBgcqhkjOPQIB
    BggqhkjOPQMBBwNCAATMti1wSLK/q73aqaeJdVQhk/coT4jNyqKDNoWdSDVY9KYg
    HmXbEp1LTBDA0y1Ua0mgAL6UmqUOUEAaDTEaSaLGo1MwUTAdBgNVHQ4EFgQUFsRZ
    OId13x4vDgc9sAupKucon5MwHwYDVR0jBBgwFoAUFsRZOId13x4vDgc9sAupKuco
    n5MwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiBzmaQrHmpu+FT6
    5ocDIDNlqFym331dQQWZFeSC0XaQJwIgff5bDRgv200q2HJMuHz3rB/EX9jk+Ix7
    EUIZ9bemoBg=
    -----END CERTIFICATE-----
    """

  @Test("A certificate gives the key it holds")
  func certificate() throws {
    let keys = try PEMKeys.keys(Self.certificate, id: "c")
    #expect(keys.map(\.algorithms) == [[.es256]])
    #expect(keys.map(\.id) == ["c"])
  }

  @Test("A JWK set passes over what cannot check signatures, and says so")
  func skipped() throws {
    let key = try SigningKey(generating: .edDSA, id: "good")
    let good = key.publicJWKSet.dropFirst(#"{"keys":["#.count).dropLast(2)
    let set =
      #"{"keys":[{"kty":"oct","k":"AAAA","kid":"secret"},{"kty":"EC","use":"enc","kid":"enc"},{"kty":"X"},\#(good)]}"#
    let (keys, skipped) = try JWKSet.keys(set)
    #expect(keys.map(\.id) == ["good"])
    #expect(skipped.count == 3)
    #expect(try JWKSet.keys(String(good)).keys.map(\.id) == ["good"])
  }

  @Test(
    "Keys that are broken, weak or of another make are refused",
    arguments: [
      "{", "{}", #"{"keys":[{"kty":"EC","crv":"P-256","x":"AAAA","y":"AAAA"}]}"#,
      #"{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"}]}"#, #"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"AAAA"}]}"#,
      #"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"A","alg":"EdDSA"}]}"#,
    ])
  func refused(_ text: String) {
    #expect(throws: OnboardingError.self) { try JWKSet.keys(text) }
    #expect(throws: OnboardingError.self) { try PEMKeys.keys(text, id: nil) }
  }

  @Test("A key on the curve of another algorithm is refused")
  func wrongAlgorithm() throws {
    let set = try SigningKey(generating: .es256).publicJWKSet.replacing("ES256", with: "ES384")
    #expect(throws: OnboardingError.self) { try JWKSet.keys(set) }
  }

  @Test("PEM that is cut off or encrypted is refused with a word about it")
  func pem() throws {
    let pem = try SigningKey(generating: .es256).pem
    #expect(throws: OnboardingError.self) { try SigningKey(pem: String(pem.prefix(80))) }
    let encrypted = pem.replacing("PRIVATE KEY", with: "ENCRYPTED PRIVATE KEY")
    #expect(throws: OnboardingError.self) { try SigningKey(pem: encrypted) }
    #expect(try PEMKeys.keys(pem, id: nil).count == 1)
    #expect(try PEMKeys.keys("junk\n" + pem.replacing("\n", with: "\r\n"), id: nil).count == 1)
  }

  @Test("Base64url has one spelling")
  func base64() {
    #expect(Base64URL.decode("AAAA") == [0, 0, 0])
    for bad in ["A", "AA=", "AB", "A+", "A A", "é"] { #expect(Base64URL.decode(bad) == nil) }
    for count in 0..<20 {
      let bytes = (0..<count).map { UInt8($0 * 37 & 0xFF) }
      #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
    }
  }
}
