import Foundation
import Testing
import WaymarkOnboarding
import WaymarkSystem

/// No payload is successful that leads, in any of its parts, to a host that the policy does not list.
@Suite("Addresses in payloads")
struct AddressTests {
  private static func judge(_ kind: String) -> OnboardingJudge { judge(kind) { _ in } }

  private static func judge(
    _ kind: String, _ change: (inout OnboardingPolicy) throws -> Void
  ) rethrows -> OnboardingJudge {
    var policy = OnboardingPolicy()
    policy.kinds = [PayloadKind(rawValue: kind)]
    policy.hosts = [try? HostPattern("*.example.com")].compactMap { $0 }
    try change(&policy)
    return OnboardingJudge(policy: policy)
  }

  private static let extra = "android.app.extra.PROVISIONING_"

  private static func android(_ more: (String, JSONValue)...) -> String {
    JSONValue.object(
      [.init("\(extra)DEVICE_ADMIN_COMPONENT_NAME", "com.example.dpc/.Admin")] + more.map { .init($0.0, $0.1) }
    ).compactText
  }

  // MARK: Android

  @Test("Of two members that are meant for one thing none is believed")
  func decoys() {
    let evil = (Self.extra + "DEVICE_ADMIN_PACKAGE_DOWNLOAD_LOCATION", "https://dl.evil.test/a.apk" as JSONValue)
    let good: JSONValue = "https://dl.example.com/a.apk"
    let judge = Self.judge("androidEnterprise")
    for decoy in [
      "downloadLocation", "DownloadLocation", "PROVISIONING_DEVICE_ADMIN_PACKAGE_DOWNLOAD_LOCATION",
      "provisioning_device_admin_package_download_location",
      "Android.app.extra.PROVISIONING_DEVICE_ADMIN_PACKAGE_DOWNLOAD_LOCATION",
    ] {
      for members in [[evil, (decoy, good)], [(decoy, good), evil]] {
        let verdict = judge.verdict(Self.android(members[0], members[1]))
        #expect(!verdict.isSuccessful && verdict.connectTo == nil, "\(decoy)")
      }
      // The decoy alone would be shown under the name of what it is not.
      #expect(
        judge.verdict(Self.android((decoy, good))).connectTo == nil, "\(decoy)")
    }
    for name in ["downloadLocation", "componentName", "packageName", "PROVISIONING_DEVICE_ADMIN_COMPONENT_NAME"] {
      #expect(judge.verdict(Self.android((name, "com.example.x/.A"))).outcome == .invalid(.malformed), "\(name)")
    }
    #expect(judge.verdict(Self.android((evil.0, good))).connectTo == "dl.example.com")
  }

  @Test("Proxies, scripts of proxies and addresses of the vendor's data are judged")
  func android() {
    let judge = Self.judge("androidEnterprise")
    for (name, value) in [
      ("WIFI_PROXY_HOST", "proxy.evil.test"), ("WIFI_PROXY_HOST", "evil.test:3128"),
      ("WIFI_PAC_URL", "https://evil.test/proxy.pac"),
      ("ADMIN_EXTRAS_BUNDLE", ["server": ["https://mobile.example.com", "wss://evil.test"]]),
      ("ADMIN_EXTRAS_BUNDLE", ["https://evil.test": 1]),
      ("ADMIN_EXTRAS_BUNDLE", ["config": #"{"server":"https:\/\/evil.test"}"#]),
    ] as [(String, JSONValue)] {
      #expect(judge.verdict(Self.android((Self.extra + name, value))).outcome == .invalid(.hostNotAllowed), "\(value)")
    }
    #expect(
      judge.verdict(Self.android((Self.extra + "WIFI_PAC_URL", "data:text/html,pac.example.com"))).outcome
        == .invalid(.malformed))
    let honest = Self.android(
      (Self.extra + "WIFI_PROXY_HOST", "proxy.example.com"), (Self.extra + "WIFI_PROXY_PORT", 3128),
      (Self.extra + "WIFI_PAC_URL", "https://pac.example.com/p"),
      (Self.extra + "ADMIN_EXTRAS_BUNDLE", ["server": "https://mobile.example.com", "room": "12:30 // hall"]))
    #expect(judge.verdict(honest).isSuccessful)
  }

  // MARK: Declared kinds

  /// Forms of an authority that are refused wherever a host is read.
  static let badAuthorities = [
    "evil.test", "user@mobile.example.com", "user:pw@mobile.example.com", "mobile.example.com@evil.test",
    "mobile.example.com:65536", "mobile.example.com:0", "mobile.example.com:", "mobile.example.com:1:2",
    "mobile%2eexample.com", "mobile.example.com%2f", "127.1", "0x7f000001", "2130706433", "[::1]",
    #"mobile.example.com\@evil.test"#, #"mobile.example.com\.evil.test"#, "mobile.example.com%00.evil.test",
    "mobile.example.com\u{200B}.evil.test", "xn--a", "mobile.example.com.evil.test", "evilexample.com", "example.com",
    "mobile\u{3002}example.com", "mobile.example.com,.evil.test",
  ]

  @Test("Only an empty authority leads nowhere", arguments: badAuthorities)
  func ownScheme(_ authority: String) throws {
    let judge = try Self.judge("acme") {
      $0.customKinds = [try CustomKind(PayloadKind(rawValue: "acme"), form: .url(.init("acme-setup://*")))]
    }
    for rest in ["", "/enrol?code=5", "?code=5"] {
      #expect(judge.verdict("acme-setup://\(authority)\(rest)").outcome == .invalid(.hostNotAllowed), "\(rest)")
    }
    for honest in ["acme-setup://?code=5", "acme-setup:///enrol", "acme-setup://mobile.example.com/x"] {
      #expect(judge.verdict(honest).isSuccessful, "\(honest)")
    }
    #expect(!judge.verdict("acme-setup://m.example.com\u{0}").isSuccessful)
  }

  @Test("A declared host is an address of the web, whatever is allowed", arguments: [false, true])
  func declaredHost(_ allowsHTTP: Bool) throws {
    let judge = try Self.judge("snow") {
      $0.allowsHTTP = allowsHTTP
      $0.customKinds = [
        try CustomKind(PayloadKind(rawValue: "snow"), form: .json(requiredKeys: ["InstanceUrl"]), host: "InstanceUrl")
      ]
    }
    for scheme in ["javascript", "ftp", "file", "ws", "wss", "acme", "com.example.pump", "data", "jar", "ssh"] {
      let verdict = judge.verdict(#"{"InstanceUrl":"\#(scheme)://a.example.com/%0aalert(1)"}"#)
      #expect(verdict.outcome == .invalid(.hostNotAllowed), "\(scheme)")
    }
    for text in ["data:text/html,x", "javascript:alert(1)", "file:///etc/hosts"] {
      #expect(judge.verdict(#"{"InstanceUrl":"\#(text)"}"#).outcome == .invalid(.hostNotAllowed), "\(text)")
    }
    #expect(judge.verdict(#"{"InstanceUrl":"http://a.example.com"}"#).isSuccessful == allowsHTTP)
    #expect(judge.verdict(#"{"InstanceUrl":"https://a.example.com"}"#).isSuccessful)
    #expect(judge.verdict(#"{"InstanceUrl":"a.example.com:8443"}"#).isSuccessful)
  }

  @Test(
    "A path that fits two members is malformed",
    arguments: [
      #"{"InstanceUrl":"https://a.example.com","instanceurl":"https://b.example.com"}"#,
      #"{"InstanceUrl":"https://a.example.com","Instance\u200bUrl":"https://b.example.com"}"#,
      #"{"server.address":"a.example.com","server":{"address":"b.example.com"}}"#,
      #"{"server":{"address":"a.example.com","Address":"b.example.com"}}"#,
      #"{"server":{"address":"a.example.com"},"Server":{"address":"b.example.com"}}"#,
      "https://portal.example.com/enrol?server=a.example.com&Server=b.example.com",
      "https://portal.example.com/enrol?server=a.example.com&server=b.example.com",
    ])
  func twoHosts(_ text: String) throws {
    var policy = OnboardingPolicy()
    policy.customKinds = [
      try CustomKind(PayloadKind(rawValue: "one"), form: .json(requiredKeys: ["InstanceUrl"]), host: "InstanceUrl"),
      try CustomKind(
        PayloadKind(rawValue: "two"), form: .json(requiredKeys: ["server.address"]), host: "server.address"),
      try CustomKind(PayloadKind(rawValue: "three"), form: .url(.init("https://*.example.com/enrol")), host: "server"),
    ]
    #expect(OnboardingJudge(policy: policy).verdict(text).outcome == .invalid(.malformed))
  }

  @Test("What a declared kind says besides its host is judged, too")
  func declaredOthers() throws {
    let judge = try Self.judge("one") {
      let kind = PayloadKind(rawValue: "one")
      $0.customKinds = [
        try CustomKind(kind, form: .json(requiredKeys: ["h"]), host: "h"),
        try CustomKind(kind, form: .url(.init("https://portal.vendor.test/*")), host: "server"),
        try CustomKind(kind, form: .url(.init("acme://*")), host: "server"),
      ]
    }
    for text in [
      #"{"h":"a.example.com","x":{"y":["https://evil.test"]}}"#, #"{"h":"a.example.com","https://evil.test":1}"#,
      "https://portal.vendor.test/x?server=a.example.com&next=https%3A%2F%2Fevil.test",
      "https://portal.vendor.test/x?server=a.example.com#https://evil.test",
      "acme://evil.test?server=a.example.com", "acme://go?server=a.example.com&u=%252F%252Fevil.test",
    ] { #expect(judge.verdict(text).outcome == .invalid(.hostNotAllowed), "\(text)") }
    for text in [
      #"{"h":"a.example.com","x":{"y":["https://b.example.com"]},"n":"Room 3: door","v":"1.2.3"}"#,
      "https://portal.vendor.test/x?server=a.example.com&next=https%3A%2F%2Fb.example.com",
      "acme://go?server=a.example.com",
    ] { #expect(judge.verdict(text).connectTo == "a.example.com", "\(text)") }
  }

  // MARK: SAP

  /// An address of a host that is not listed, as some program follows it.
  static let evil = [
    "https://evil.test", "HTTPS://EVIL.TEST/x", "wss://evil.test", "ldap://evil.test", "ftp://evil.test",
    "acme+https://evil.test", "//evil.test/x", #"\\evil.test\share"#, "https:evil.test", "https:/evil.test",
    #"https:\\evil.test"#, "https:///evil.test", "\u{A0}https://evil.test", "\u{FEFF}https://evil.test",
    "\u{200B}https://evil.test", "ht\u{200B}tps://evil.test", "https:\u{AD}//evil.test",
    "h\u{FF54}tps\u{FF1A}//evil.test",
    "https\u{FF1A}\u{FF0F}\u{FF0F}evil.test", "https://\u{FF45}vil.test",
    "https://mobile.example.com\u{2060}.evil.test",
    "ht\ntps://evil.test", "https://mobile.example.com\n.evil.test", "https%3A%2F%2Fevil.test",
    "https%253A%252F%252Fevil.test", "https://mobile.example.com/?u=https://evil.test",
    "https://mobile.example.com https://evil.test", "see <https://evil.test>", "(https://evil.test)",
    "https://mobile.example.com@evil.test", "https://user@mobile.example.com", "https://mobile.example.com:99999",
    "https://evil.test#.example.com", "https://evil.test?.example.com", "https://2130706433", "https://127.0.0.1",
    #"{"a":"https://evil.test"}"#, #"["https:\/\/evil.test"]"#, "://evil.test", "x=//evil.test", "https://[::1]/",
    "https://",
    "https://mobile.example.com/?u=https://mobile.example.com%2F@evil.test", "smb:%2F%01%2Fevil.test",
    "smb:%2F%7F%2Fevil.test",
    "https:///mobile.example.com", "https://mobile.example.com .evil.test",
  ]

  @Test("No part of SAP's object leads elsewhere", arguments: evil)
  func sapOnboarding(_ address: String) {
    let judge = Self.judge("sapOnboarding")
    let quoted = JSONValue.string(address).compactText
    for object in [
      #"{"appID":"a","host":"mobile.example.com","serverUrl":\#(quoted)}"#,
      #"{"appID":"a","host":"mobile.example.com","x":{"y":[1,{"z":\#(quoted)}]}}"#,
      #"{"appID":"a","host":"mobile.example.com",\#(quoted):1}"#,
      #"{"appID":"a","host":"mobile.example.com","auth":[{"type":\#(quoted)}]}"#,
      #"{"appID":"a","host":"mobile.example.com","auth":[{"type":"oauth2","config":{"x":\#(quoted)}}]}"#,
      #"{"appID":"a","host":"mobile.example.com","auth":[{"type":"oauth2","config":{"redirectServer":\#(quoted)}}]}"#,
      #"{"appID":"a","host":"mobile.example.com","auth":[{"type":"oauth2","config":{},"beside":\#(quoted)}]}"#,
      #"{"appID":\#(quoted),"host":"mobile.example.com"}"#, #"{"appID":"a","host":\#(quoted)}"#,
    ] { #expect(!judge.verdict(object).isSuccessful, "\(object)") }
    // A redirect is where a sign-in ends; the device does not connect there.
    #expect(
      judge.verdict(
        #"{"appID":"a","host":"mobile.example.com","auth":[{"type":"o","config":{"redirectURL":\#(quoted)}}]}"#
      ).isSuccessful)
  }

  @Test("No part of SAP's link leads elsewhere", arguments: evil)
  func sapLink(_ address: String) throws {
    let judge = Self.judge("sapLink")
    let text = try #require(address.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    for link in [
      "com.sap.mdkclient://?AppId=a&ServerUrl=https://mobile.example.com&x=\(text)",
      "com.sap.mdkclient://?AppId=a&ServerUrl=https://mobile.example.com&\(text)=1",
      "com.sap.mdkclient://?AppId=a&ServerUrl=https://mobile.example.com&TokenUrl=\(text)",
      "com.sap.mdkclient://?AppId=a&ServerUrl=\(text)",
      "com.sap.mdkclient://?AppId=\(text)&ServerUrl=https://mobile.example.com",
      "com.sap.mdkclient://?AppId=a&ServerUrl=https://mobile.example.com#\(text)",
      "com.sap.mdkclient:///\(text)?AppId=a&ServerUrl=https://mobile.example.com",
    ] { #expect(!judge.verdict(link).isSuccessful, "\(link)") }
    #expect(
      judge.verdict("com.sap.mdkclient://?AppId=a&ServerUrl=https://mobile.example.com&RedirectUrl=\(text)")
        .isSuccessful)
    #expect(!judge.verdict("com.sap.mdkclient://evil.test?AppId=a&ServerUrl=https://mobile.example.com").isSuccessful)
  }

  @Test("Bare hosts count where SAP's object names a host")
  func bareHosts() {
    let judge = Self.judge("sapOnboarding")
    for (name, host) in [
      ("serverUrl", "evil.test"), ("proxyHost", "evil.test:8080"), ("x.endpoint.uri", "evil.test/x"),
    ] {
      #expect(!judge.verdict(#"{"appID":"a","host":"mobile.example.com","\#(name)":"\#(host)"}"#).isSuccessful)
    }
    for (name, text) in [
      ("serverUrl", "mobile.example.com"), ("serverUrl", "/api"), ("appUri", "urn:uuid:7"),
      ("appUrl", "com.example.a:/x"),
      ("server", "Plant 1"), ("note", "evil.test"),
    ] {
      #expect(
        judge.verdict(#"{"appID":"a","host":"mobile.example.com","\#(name)":"\#(text)"}"#).isSuccessful, "\(text)")
    }
  }

  @Test(
    "Honest texts are no addresses",
    arguments: [
      "Room 3: door", "12:30", "1.2.3", "anna@example.org", "urn:uuid:6e8bc430-9c3a-11d9-9669-0800200c9a66", "a//b",
      "TUlJQg//AbCd+/==", "//8AAA==", "C:\\Temp", "x/y//z", "http: or https:", "com.example.pump://start",
      "See https://mobile.example.com.", "(https://mobile.example.com/a b)", "https://b\u{FC}cher.example.com/x",
      "\u{FEFF}https://mobile.example.com\u{200B}", "wss://mobile.example.com/socket", "50% off: now",
      "mailto:a@evil.test",
    ])
  func honest(_ text: String) {
    let verdict = Self.judge("sapOnboarding").verdict(
      #"{"appID":"a","host":"mobile.example.com","note":\#(JSONValue.string(text).compactText)}"#)
    #expect(verdict.isSuccessful, "\(verdict.steps.last?.detail ?? "")")
  }

  // MARK: Other kinds

  @Test("No kind is exempt")
  func otherKinds() throws {
    for (kind, text) in [
      ("url", "https://mobile.example.com/login?next=https%3A%2F%2Fevil.test"),
      ("url", "https://mobile.example.com/#//evil.test"),
      ("gs1DigitalLink", "https://id.example.com/01/09506000134352?u=https://evil.test"),
      ("vcard", "BEGIN:VCARD\nVERSION:4.0\nFN:Anna\nURL:https://evil.test\nEND:VCARD"),
      ("vcard", "BEGIN:VCARD\nVERSION:4.0\nFN:Anna\nX-LOGO;ALTREP=x:https://evil.test\nEND:VCARD"),
      ("text", "go to https://evil.test"), ("text", #"{"hello":"https://evil.test"}"#),
      ("otpauth", "otpauth://totp/a?secret=MFRGG&image=https%3A%2F%2Fevil.test"),
      ("wifi", "WIFI:T:nopass;S:a;X:https\\://evil.test;;"),
      ("dpp", "DPP:H:evil.test;K:MDkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDIgADURzxmttZoIRIPWGoQMV00XHWCAQIhXruVWOz0NjlkIA=;;"),
    ] { #expect(Self.judge(kind).verdict(text).outcome == .invalid(.hostNotAllowed), "\(text)") }
    for (kind, text) in [
      ("vcard", "BEGIN:VCARD\nVERSION:4.0\nFN:Anna\nURL:https://www.example.com\nEND:VCARD"),
      ("text", "go to https://mobile.example.com"), ("otpauth", Samples.otpauth), ("wifi", Samples.wifi),
      ("dpp", Samples.dpp),
    ] { #expect(Self.judge(kind).verdict(text).isSuccessful, "\(text)") }
  }

  @Test("The claims of a token are judged; issuer and audience are parties where the policy lists them")
  func claims() throws {
    let key = try SigningKey(generating: .es256, id: "k")
    func outcome(_ claims: String, _ change: (inout OnboardingPolicy) -> Void = { _ in }) throws -> Verdict.Outcome {
      let judge = try Self.judge("jwt") {
        $0.keys = [try key.publicKey]
        $0.hostClaim = "server"
        change(&$0)
      }
      return judge.verdict(try TokenSigner(key: key).token(for: claims, claims: .init())).outcome
    }
    #expect(try outcome(#"{"server":"a.example.com","sub":"7"}"#) == .successful)
    #expect(try outcome(#"{"server":"a.example.com","x":"https://evil.test"}"#) == .invalid(.hostNotAllowed))
    #expect(try outcome(#"{"server":"a.example.com","Server":"b.example.com"}"#) == .invalid(.malformed))
    let parties = #"{"server":"a.example.com","iss":"https://idp.test","aud":["https://kiosk.test"]}"#
    #expect(try outcome(parties) == .invalid(.hostNotAllowed))
    #expect(
      try outcome(parties) {
        $0.issuers = ["https://idp.test"]
        $0.audiences = ["https://kiosk.test"]
      } == .successful)
  }

  @Test("More addresses than are judged refuse, and so does what is encoded many times")
  func bounds() {
    let judge = Self.judge("text")
    let many = "x " + String(repeating: "https://a.example.com/", count: 65)
    #expect(judge.verdict(many).outcome == .invalid(.hostNotAllowed))
    var hidden = "https://evil.test"
    for _ in 0..<12 {
      hidden = hidden.replacing("%", with: "%25").replacing(":", with: "%3A").replacing("/", with: "%2F")
    }
    #expect(judge.verdict(hidden).outcome == .invalid(.hostNotAllowed))
  }
}

@Suite("Secrets by structure")
struct SecretContentTests {
  @Test(
    "A text of such a structure holds a secret",
    arguments: [
      "https://anna:pass@example.com/", "ssh://anna@example.com", "https://example.com/#access_token=abc",
      "https://example.com/cb#state=1&id_token=x", "otpauth-migration://offline?data=CjEK", "OTPAUTH://totp/a?secret=b",
      #"{"password":"x"}"#, #"[{"a":{"clientSecret":"x"}}]"#, #"{"a":"{\"password\":\"x\"}"}"#,
      "[Interface]\nPrivateKey = yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=\nAddress = 10.0.0.2/32",
      "yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=", "password: hunter2", "API_KEY=17",
      "-----BEGIN EC PRIVATE KEY-----\nMHc",
      "LPA:1$smdp.example.com$K2-1ABC", "ss://YWVzLTI1Ni1nY206cGFzcw@192.0.2.1:8388",
      "https%3A%2F%2Fa%3Ab%40example.com",
      "Bearer eyJhbGciOiJFUzI1NiJ9.eyJhIjoiYmJiYmJiYmIifQ.c2lnbmF0dXJlc2lnbmF0dXJl",
      "ftp://user:pass@example.com/a", "smtps://user:pass@mail.example.com:465", "sip:anna:pw@example.com",
      "See https://user:pass@example.com/ for more", "Scan otpauth://totp/a?secret=JBSW", "1$smdp.example.com$K2-1ABC",
      "https://esim.example.com/q?carddata=LPA:1$smdp.example.com$K2", "MT:Y.K9042C00KA0648G00", "FIDO:/130000132",
      "[Peer]\nEndpoint = 192.0.2.1:51820\nPresharedKey = abc", "Address = 10.0.0.2/32\nPrivateKey = abc",
      "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA", "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ",
      "PuTTY-User-Key-File-3: ssh-ed25519", "AGE-SECRET-KEY-1QQPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
      #"{"ver":"v1","name":"PROV_CE03C0","pop":"abcd1234","transport":"softap"}"#, #"{"ssid":"a","pass":"b"}"#,
      #"{"user":"a","password":"b""#, "{user:'a', password:'b'}", #"{"kty":"EC","crv":"P-256","d":"x"}"#,
      "<wifi><name>a</name><password>b</password></wifi>", "<key>Password</key><string>b</string>",
      "Wi-Fi password: hunter2", "PIN: 4711", "token: abc123", "psk: a1", "Authorization: Basic YTpi",
      "wc:7f6e@2?relay-protocol=irn&symKey=587d", "ghp_16C7e42F292c6912E7710c838347Ae178B4a", "mot-de-passe: abc",
    ])
  func secrets(_ text: String) { #expect(SecretContent.isIn(text)) }

  @Test(
    "Other texts do not",
    arguments: [
      "4006381333931", "https://example.com/a?b=c", "anna@example.com", "mailto:anna@example.com", "Room 3: door",
      #"{"name":"pump","password":""}"#, "Code: see the label", "]C101095060001343521", "ABC-123",
      "BEGIN:VCARD\nFN:A\nEND:VCARD",
      "Größe: 5 €", "a=b", "",
      "https://medium.com/@anna/a-story", "https://www.google.com/maps/@52.5,13.4,15z",
      "https://www.google.com/maps/place//@52.5,13.4,15z", "upi://pay?pa=anna@bank&pn=Anna", "tel:+49123",
      "geo:52.5,13.4",
      "sip:anna@example.com", "SMSTO:+49123:Hello", "fido: our dog", "LPA: light phase analysis", "MT: 5 kg",
      "1$ off, 2$ tip, see example.com", "bitcoin:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa?amount=1",
      "ST00012|Name=OOO|PersonalAcc=40702810138250123017|BankName=A|BIC=044525225|CorrespAcc=30101810400000000225",
      "BCD\n002\n1\nSCT\nBFSWDE33BER\nWikimedia\nDE33100205000001194700\nEUR10",
      "M1DESMARAIS/LUC       EABC123 YULFRAAC 0834 226F001A0025 100", "ISBN 978-3-16-148410-0",
      #"{"city":"Bern","pop":134000}"#, #"{"hasPassword":false,"tokenRequired":true}"#, #"{"password":null}"#,
      "<a href=x>b</a>", "<key>Name</key><string>b</string>", "Pin: header, 2 rows", "Secret Santa: Friday",
      "Cookies: 12 Stück", "Bearer: Anna", "Token: blue", "https://example.com/how-to-choose-a-password",
      "https://example.com/?utm_source=tokens", "Temperature: 21.5 C; humidity: 40 %", "SK-PROJ 4711",
      "The password is on the back", "BEGIN:VEVENT\nSUMMARY:Key handover\nEND:VEVENT", "-----BEGIN CERTIFICATE-----",
      "WPA3 12:30@Cafe", "SN=4774LH2b4044", "https://example.com/key/17", "A/B//C@D",
      "market://details?id=com.example.authenticator2", "Passport: C01X00T47", "keyboard: us", "Signature: Anna Berg",
    ])
  func others(_ text: String) { #expect(!SecretContent.isIn(text)) }
}
