import Testing
import WaymarkOnboarding
import WaymarkSystem

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
