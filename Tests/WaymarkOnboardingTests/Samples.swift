import FoundationEssentials
import WaymarkOnboarding

/// Payloads that several tests start from.
enum Samples {
  static let sap = """
    {"appID":"com.example.app","host":"mobile.example.com","protocol":"https","port":443,"auth":[{"type":"oauth2",\
    "config":{"oauth2.authorizationEndpoint":"https://auth.example.com/authorize",\
    "oauth2.tokenEndpoint":"https://auth.example.com/token",\
    "oauth2.clients":[{"clientID":"abc","redirectURL":"https://elsewhere.example.net/back"}]}}]}
    """
  static let sapLink =
    "com.sap.mdkclient://?AppId=com.example.app&ClientId=abc"
    + "&AuthorizationEndpointUrl=https%3A%2F%2Fauth.example.com%2Fauthorize"
    + "&TokenUrl=https%3A%2F%2Fauth.example.com%2Ftoken&RedirectUrl=https%3A%2F%2Felsewhere.example.net"
    + "&ServerUrl=https%3A%2F%2Fmobile.example.com%3A8443"
  static let wifi = #"WIFI:T:WPA;S:My\;Net;P:p\\w\:x;H:true;;"#
  static let otpauth = "otpauth://totp/ACME:anna@example.com?secret=JBSWY3DPEHPK3PXP&issuer=ACME&digits=6&period=30"
  static let android = """
    {"android.app.extra.PROVISIONING_DEVICE_ADMIN_COMPONENT_NAME":"com.example.dpc/.Admin",\
    "android.app.extra.PROVISIONING_DEVICE_ADMIN_PACKAGE_DOWNLOAD_LOCATION":"https://dl.example.com/dpc.apk",\
    "android.app.extra.PROVISIONING_DEVICE_ADMIN_SIGNATURE_CHECKSUM":"gJD2YwtOiWJHkSMkkIfLRlj-quNqG1fb6v100QmzM9w",\
    "android.app.extra.PROVISIONING_WIFI_SSID":"Hall","android.app.extra.PROVISIONING_WIFI_PASSWORD":"hidden-pass",\
    "android.app.extra.PROVISIONING_ADMIN_EXTRAS_BUNDLE":{"enrolment":"tok-123"}}
    """
  static let dpp =
    "DPP:C:81/1,115/36;I:SN=4774LH2b4044;M:010203040506;"
    + "K:MDkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDIgADURzxmttZoIRIPWGoQMV00XHWCAQIhXruVWOz0NjlkIA=;;"
  static let vcard =
    "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Anna Berg\r\nORG:ACME\r\nTEL;TYPE=work:+49 1\r\n 23\r\nEND:VCARD\r\n"
  static let gs1 = "https://id.example.org/01/09506000134352/10/ABC?17=271231"

  /// The moment at which the tests judge.
  static let now = Date(timeIntervalSince1970: 1_800_000_000)

  /// A policy that accepts every built-in kind.
  static var open: OnboardingPolicy {
    var policy = OnboardingPolicy()
    policy.kinds = Set(PayloadKind.builtIn)
    return policy
  }
}

extension OnboardingJudge {
  func verdict(_ text: String) -> Verdict { verdict(for: text, now: Samples.now) }
}
