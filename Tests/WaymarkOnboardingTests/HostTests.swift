import Testing
import WaymarkOnboarding
import WaymarkSystem

@Suite("Hosts")
struct HostTests {
  @Test("A host, perhaps with a port, and nothing else")
  func authority() {
    for text in ["example.com", "example.com:8443", "10.0.0.1", "[2001:db8::1]", "[2001:db8::1]:1", "пример.рф:65535"] {
      #expect(HostName.isAuthority(text), "\(text)")
    }
    for text in [
      "", ":", ":80", "example.com:", "example.com:0", "example.com:65536", "example.com:+1", "javascript:alert(1)",
      "https://example.com", "//example.com", "example.com/", "me@example.com", "a b", "2001:db8::1", "[::1", "a:b:1",
      "javascript:1", "JavaScript:80", "data:443", "vbscript:1",
    ] {
      #expect(!HostName.isAuthority(text), "\(text)")
    }
  }

  @Test(
    "have one form in which they are compared",
    arguments: [
      ("Example.COM", "example.com"), ("example.com.", "example.com"), ("BÜCHER.example", "xn--bcher-kva.example"),
      ("bu\u{308}cher.example", "xn--bcher-kva.example"), ("xn--bcher-kva.example", "xn--bcher-kva.example"),
      ("faß.de", "xn--fa-hia.de"), ("例え.テスト", "xn--r8jz45g.xn--zckzah"), ("127.0.0.1", "127.0.0.1"),
      ("[::1]", "[::1]"), ("[2001:DB8:0:0:1:0:0:1]", "[2001:db8::1:0:0:1]"), ("[::ffff:1.2.3.4]", "[::ffff:102:304]"),
      ("my_host.local", "my_host.local"), ("localhost", "localhost"), ("l·l.cat", "xn--ll-0ea.cat"),
    ])
  func canonical(_ text: String, _ expected: String) throws { #expect(try HostName(text).ascii == expected) }

  @Test(
    "that trick somebody are not hosts",
    arguments: [
      "", ".", "a..b", ".a", "-a.com", "a-.com", "a b.com", "a\tb", "a\u{0}.com", "a\u{200B}.com", "a\u{202E}.com",
      "a@b.com", "a/b.com", "a\\b.com", "a?b", "a#b", "a%2eb.com", "*.com", "ex。com", "ex．com", "ex｡com", "ｅxample.com",
      "ℯxample.com", "ⅰ.com", "ﬁ.com", "a\u{301}\u{200D}.com", "127.1", "2130706433", "0x7f.1", "0x7f000001",
      "127.0.0.01", "256.1.1.1", "1.2.3", "1.2.3.4.5", "0177.0.0.1", "example.0x", "[::1", "::1", "[1::2::3]",
      "[fe80::1%eth0]",
      "[12345::]", "xn--a", "xn--.com", "xn--example-.com", "xn--bcher-KVA-.example", "ab--cd.com",
      "xn--80ak6aa92e0\u{301}.com",
      String(repeating: "a", count: 64) + ".com", String(repeating: "a.", count: 127) + "com", "\u{301}a.com",
      "a,b.com",
      "a\u{AD}b.com", "a\u{E0041}.com", "A\u{30FB}b.com", "a·b.com",
    ])
  func refused(_ text: String) { #expect(throws: HostError.self) { try HostName(text) } }

  @Test("Every sample string of RFC 3492 encodes and decodes")
  func punycode() throws {
    let samples: [(String, String)] = [
      ("ليهمابتكلموشعربي؟", "egbpdaj6bu4bxfgehfvwxn"), ("他们为什么不说中文", "ihqwcrb4cv8a8dqg056pqjye"),
      ("Pročprostěnemluvíčesky", "Proprostnemluvesky-uyb24dma41a"),
      ("למההםפשוטלאמדבריםעברית", "4dbcagdahymbxekheh6e0a7fei0b"),
      ("3年B組金八先生", "3B-ww4c5e180e575a65lsy2b"), ("MajiでKoiする5秒前", "MajiKoi5-783gue6qz075azm5e"),
      ("そのスピードで", "d9juau41awczczp"), ("-> $1.00 <-", "-> $1.00 <--"),
    ]
    for (text, encoded) in samples {
      #expect(Punycode.encode(text.unicodeScalars) == encoded)
      #expect(Punycode.decode(encoded).map { String(String.UnicodeScalarView($0)) } == text)
    }
    for bad in ["99999999", "zzzzzzzzzzzzzzzzz", "é", "a-b!"] { #expect(Punycode.decode(bad) == nil) }
  }

  @Test(
    "are allowed by pattern",
    arguments: [
      ("example.com", "https://example.com", true), ("example.com", "https://EXAMPLE.com.:443/x", true),
      ("example.com", "https://a.example.com", false), ("*.example.com", "https://a.example.com", true),
      ("*.example.com", "https://a.b.example.com", true), ("*.example.com", "https://example.com", false),
      ("*.example.com", "https://evilexample.com", false), ("*.example.com", "https://example.com.evil.test", false),
      ("*.bücher.example", "https://a.xn--bcher-kva.example", true),
      ("example.com:8443", "https://example.com:8443", true),
      ("example.com:8443", "https://example.com", false), ("example.com", "https://example.com:8443", true),
      ("127.0.0.1", "https://127.0.0.1", true), ("127.0.0.1", "https://127.1", false),
      ("127.0.0.1", "https://2130706433", false), ("[::1]", "https://[0:0::1]", true),
      ("*.1", "https://127.0.0.1", false),
    ])
  func patterns(_ pattern: String, _ address: String, _ isAllowed: Bool) throws {
    var policy = Samples.open
    guard let host = try? HostPattern(pattern) else {
      #expect(!isAllowed)
      return
    }
    policy.hosts = [host]
    let verdict = OnboardingJudge(policy: policy).verdict(address)
    #expect(verdict.outcome == (isAllowed ? .successful : .invalid(.hostNotAllowed)))
  }

  @Test(
    "that look like an allowed one are refused",
    arguments: [
      "https://mobile.example.com@evil.test/", "https://mobile.example.com%40evil.test/",
      "https://mobile.example.com:443@evil.test", "https://evil.test\\@mobile.example.com/",
      "https://evil.test\\.mobile.example.com", "https://evil.test/.mobile.example.com",
      "https://evil.test#.mobile.example.com", "https://evil.test?.mobile.example.com",
      "https://mobile.example.com.evil.test", "https://mobile.exаmple.com", "https://mobile.example。com",
      "https://mobile\u{2024}example.com", "https://mobile.ｅxample.com", "https://mobile.example.com\u{200B}.evil.test",
      "https://mobile.example.com\t.evil.test", "https://mobile.example.com .evil.test", "https:///mobile.example.com",
      "https://", "https://:443", "https://mobile.example.com:", "https://mobile.example.com:0",
      "https://mobile.example.com:65536",
      "https://mobile.example.com:+443", "https://mobile.example.com:443x", "https://mobile.exam\u{AD}ple.com",
      "https://user:pw@mobile.example.com", "https://mobile.example.com\u{301}", "https://@\u{301}mobile.example.com",
      "http://mobile.example.com",
    ])
  func lookAlikes(_ address: String) throws {
    var policy = Samples.open
    policy.hosts = [try HostPattern("mobile.example.com")]
    let verdict = OnboardingJudge(policy: policy).verdict(address)
    #expect(verdict.outcome == .invalid(.hostNotAllowed), "\(verdict.outcome)")
    #expect(verdict.connectTo == nil)
    let inside = Samples.sap.replacing(
      "https://auth.example.com/token", with: address.replacing("\\", with: #"\\"#).replacing("\t", with: #"\t"#))
    var sap = OnboardingPolicy()
    sap.hosts = [try HostPattern("mobile.example.com"), try HostPattern("auth.example.com")]
    #expect(OnboardingJudge(policy: sap).verdict(Samples.sap).isSuccessful)
    #expect(OnboardingJudge(policy: sap).verdict(inside).outcome == .invalid(.hostNotAllowed))
  }

  @Test(
    "Patterns that mean nothing are refused",
    arguments: ["", "*", "*.", "https://example.com", "a/b", "exa*mple.com", "*.*.com", "*.127.0.0.1", "a:0"])
  func badPatterns(_ text: String) { #expect(throws: OnboardingError.self) { try HostPattern(text) } }
}
