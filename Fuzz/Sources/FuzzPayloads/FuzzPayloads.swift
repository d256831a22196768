import FoundationEssentials
import FuzzSupport
import WaymarkSystem

@testable import WaymarkOnboarding

/// Recognises payloads of codes, takes them apart, and judges them under three policies; reads key files.
@main
struct FuzzPayloads {
  static func main() { fuzz(seeds: seeds()) { feed($0, $1) } }
}

private func feed(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let payload = input(bytes, count)
  let text = String(decoding: payload, as: UTF8.self)
  let code = ScannedCode(bytes: payload, text: text)
  let verdict = OnboardingJudge(policy: strict).verdict(for: [code], now: now)
  require(!verdict.isSuccessful, "a stranger's payload was accepted")
  for policy in [open, OnboardingPolicy()] {
    let verdict = OnboardingJudge(policy: policy).verdict(for: [code], now: now)
    if verdict.isSuccessful {
      require(verdict.kind.map { policy.acceptedKinds.contains($0) } ?? false, "a kind that is not accepted")
    }
    _ = verdict.redactedFields
  }
  _ = try? JWKSet.keys(text)
  _ = try? SigningKey(pem: text)
  if let value = try? JSONParser.parse(text) {
    let again = try? JSONParser.parse(value.compactText)
    require(again == value, "JSON does not survive its own text")
  }
  return 0
}

/// A key that no input is signed with: a policy that requires signatures must accept nothing.
private let stranger = try? SigningKey(generating: .es256, id: "k")
private let now = Date(timeIntervalSince1970: 1_800_000_000)

private let strict: OnboardingPolicy = {
  var policy = OnboardingPolicy()
  policy.kinds = Set(PayloadKind.builtIn)
  policy.keys = stranger.flatMap { try? $0.publicKey }.map { [$0] } ?? []
  policy.signatures = .required
  return policy
}()

private let open: OnboardingPolicy = {
  var policy = OnboardingPolicy()
  policy.kinds = Set(PayloadKind.builtIn)
  policy.hosts = (try? HostPattern("*.example.com")).map { [$0] }
  return policy
}()

private func seeds() -> [[UInt8]] {
  let texts = [
    #"{"appID":"com.example.app","host":"mobile.example.com","protocol":"https","port":443,"auth":[{"type":"oauth2","config":{"oauth2.authorizationEndpoint":"https://auth.example.com/authorize","oauth2.tokenEndpoint":"https://auth.example.com/token","oauth2.clients":[{"clientID":"abc"}]}}]}"#,
    "com.sap.mdkclient://?AppId=com.example.app&ClientId=abc&AuthorizationEndpointUrl=https%3A%2F%2Fauth.example.com%2Fa"
      + "&TokenUrl=https%3A%2F%2Fauth.example.com%2Ft&ServerUrl=https%3A%2F%2Fmobile.example.com%3A8443",
    #"WIFI:T:WPA;S:My\;Net;P:p\\w\:x;H:true;;"#,
    "otpauth://totp/ACME:anna@example.com?secret=JBSWY3DPEHPK3PXP&issuer=ACME&digits=6&period=30",
    #"{"android.app.extra.PROVISIONING_DEVICE_ADMIN_COMPONENT_NAME":"com.example.dpc/.Admin","android.app.extra.PROVISIONING_WIFI_SSID":"Hall"}"#,
    "DPP:C:81/1,115/36;I:SN=4774LH2b4044;M:010203040506;K:MDkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDIgADURzxmttZoIRIPWGoQMV00XHWCAQIhXruVWOz0NjlkIA=;;",
    "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Anna Berg\r\nTEL;TYPE=work:+49 1\r\n 23\r\nEND:VCARD\r\n",
    "https://id.example.org/01/09506000134352/10/ABC?17=271231", "https://xn--bcher-kva.example:8443/a?b=c#d",
    "https://[2001:db8::1]/", "1234567",
  ]
  var seeds = texts.map { Array($0.utf8) }
  for algorithm in [SignatureAlgorithm.es256, .edDSA] {
    guard let key = try? SigningKey(generating: algorithm, id: "k"),
      let token = try? TokenSigner(key: key).token(for: texts[0])
    else { continue }
    seeds.append(Array(token.utf8))
  }
  return seeds
}
