import Testing
import WaymarkSystem

@testable import WaymarkPeople

/// The stored file of a user.
@Suite struct AccountFileTests {
  static let hash = "$scrypt$ln=4,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
  static let account = Account(
    id: "abcdefgh12345678", subject: "ada@example.com", title: "Ada “Countess” Lovelace", subtitle: "Plant 1000",
    host: "a.example.com", passcode: hash, waits: PasscodeThrottle(failures: 3, since: 1234.5),
    consents: [
      ConsentRecord(
        consent: "usage", version: "1", hash: String(repeating: "a", count: 64), language: "en", choice: .allow,
        time: "2026-01-02T03:04:05Z")
    ], synced: "2026-01-03T03:04:05Z", isReady: true, created: "2026-01-02T03:04:05Z")

  @Test func whatGoesInComesOut() throws {
    let bytes = try AccountFile.encode(Self.account)
    #expect(AccountFile.decode(bytes, id: Self.account.id) == Self.account)
    let bare = Account(id: "abcdefgh", created: "")
    #expect(AccountFile.decode(try AccountFile.encode(bare), id: "abcdefgh") == bare)
    // A file under another name belongs to no user.
    #expect(AccountFile.decode(bytes, id: "abcdefgh") == nil)
  }

  @Test func everyCutAndEveryFlippedByteIsReportedOrHarmless() throws {
    let bytes = try AccountFile.encode(Self.account)
    // All but the line's end is needed.
    for count in 0..<(bytes.count - 1) {
      #expect(AccountFile.decode(Array(bytes[..<count]), id: Self.account.id) == nil)
    }
    var chance = SplitMix(state: 3)
    for _ in 0..<20_000 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...4, using: &chance) {
        damaged[Int.random(in: damaged.indices, using: &chance)] = UInt8.random(in: .min ... .max, using: &chance)
      }
      guard let read = AccountFile.decode(damaged, id: Self.account.id) else { continue }
      // A file that is still read can be written, and a hash in it be computed.
      #expect(read.id == Self.account.id)
      if let passcode = read.passcode { #expect(PasscodeHash(text: passcode)?.cost.isWithinLimits == true) }
      #expect(try AccountFile.encode(read).count <= AccountFile.limit)
    }
  }

  @Test(arguments: [
    ("form", JSONValue.int(2)), ("title", .int(1)), ("failures", .int(-1)), ("failures", .string("3")),
    ("since", .string("x")), ("ready", .string("yes")), ("consents", .array([.object([:])])),
    ("passcode", .string("plain")),
    ("host", .string(String(repeating: "h", count: 2001))), ("subject", .array([])),
  ])
  func whatIsNotSoundIsDamaged(_ name: String, _ value: JSONValue) throws {
    var members = try JSONParser.parse(AccountFile.encode(Self.account)).members ?? []
    members = members.map { $0.name == name ? .init(name, value) : $0 }
    #expect(AccountFile.decode(try JSONLineEncoder.encode(JSONValue.object(members)), id: Self.account.id) == nil)
  }

  @Test(arguments: [
    "", "abc", "../../etc/passwd", "ABCDEFGH", "abcdefgh/", "äbcdefgh", String(repeating: "a", count: 65),
  ])
  func onlyNamesOfTheStoresOwnArePaths(_ text: String) { #expect(!AccountFile.isID(text)) }

  @Test func choicesAreBoundedAndTheLastOfEachStays() {
    var account = Account(id: "abcdefgh", created: "")
    let first = ConsentRecord(consent: "rare", version: "1", hash: "", language: "", choice: .allow, time: "")
    account.add(first)
    for number in 0..<1000 {
      account.add(
        ConsentRecord(consent: "often", version: "\(number)", hash: "", language: "", choice: .later, time: ""))
    }
    #expect(account.consents.count == Account.consentLimit)
    #expect(account.choice(about: "rare") == first)
    #expect(account.choice(about: "often")?.version == "999")
  }

  @Test(arguments: [
    ("Ada Lovelace", "AL"), ("ada", "A"), ("", ""), ("Ada von Lovelace-Byron", "AB"), ("(x) 7", "X7"), ("李 明", "李明"),
  ])
  func initials(_ title: String, _ expected: String) {
    #expect(Account(id: "abcdefgh", title: title, created: "").initials == expected)
  }
}

@Suite struct PasscodeTests {
  @Test func theStandardsOwnVector() throws {
    // RFC 7914, section 12, the third: N 16384, r 8, p 1, over "pleaseletmein" and "SodiumChloride".
    let hash = try PasscodeHash(
      Secret("pleaseletmein"), cost: .init(log: 14), salt: Array("SodiumChloride".utf8))
    #expect(
      hash.text
        == "$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofI")
  }

  @Test func rightAndWrong() throws {
    let cost = PasscodeHash.Cost(log: 4)
    let hash = try PasscodeHash(Secret("größe"), cost: cost)
    #expect(try hash.matches(Secret("größe")))
    // Another spelling of the same letters.
    #expect(try hash.matches(Secret("gro\u{308}ße")))
    #expect(try !hash.matches(Secret("grösse")))
    #expect(try !hash.matches(Secret("")))
    #expect(PasscodeHash(text: hash.text) == hash)
    // The same passcode twice is not the same text.
    #expect(try PasscodeHash(Secret("größe"), cost: cost).text != hash.text)
  }

  @Test(arguments: [
    "", "$", "$scrypt$", "scrypt", "$bcrypt$ln=4,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODw",
    "$scrypt$ln=4,r=8$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODw",
    "$scrypt$ln=99999999999999999999,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODw",
    "$scrypt$ln=18,r=16,p=4$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODw",
    "$scrypt$ln=0,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODw",
    "$scrypt$ln=4,ln=4,p=1$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODw",
    "$scrypt$ln=4,r=8,p=1$AA$AAECAwQFBgcICQoLDA0ODw", "$scrypt$ln=4,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$AA",
    "$scrypt$ln=4,r=8,p=1$*AECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODw",
  ])
  func whatIsNoHashIsNone(_ text: String) { #expect(PasscodeHash(text: text) == nil) }

  @Test(arguments: [
    ("12345", [PasscodeRules.Fault.tooShort, .noLower, .noUpper, .noSymbol]), ("Abc-1234", []),
    ("ABC-1234", [.noLower]), ("abc-1234", [.noUpper]), ("Abcd-efg", [.noDigit]), ("Abcd1234", [.noSymbol]),
    ("Abc-123\u{7}", [.badCharacter]), (String(repeating: "Aa1-", count: 17), [.tooLong]),
  ])
  func rules(_ passcode: String, _ faults: [PasscodeRules.Fault]) {
    var rules = PasscodeRules()
    (rules.needsDigit, rules.needsLower, rules.needsUpper, rules.needsSymbol) = (true, true, true, true)
    #expect(rules.faults(of: Secret(passcode)) == faults)
  }

  @Test func pins() {
    var rules = PasscodeRules()
    rules.isNumeric = true
    #expect(rules.faults(of: Secret("123456")).isEmpty)
    #expect(rules.faults(of: Secret("12345a")) == [.onlyDigits])
    #expect(rules.faults(of: Secret("１２３４５６")).isEmpty)
  }

  @Test func aSecretSaysNothing() {
    let secret = Secret("hunter2")
    var dumped = ""
    dump(AccountRequest.enterPasscode(secret), to: &dumped)
    dump(["password": secret], to: &dumped)
    let effect = AccountEffect.check(1, secret, against: "h")
    for text in [
      "\(secret)", "\(effect)", String(reflecting: effect), dumped, String(describing: Mirror(reflecting: secret)),
    ] {
      #expect(!text.contains("hunter2"), "\(text)")
    }
  }
}
