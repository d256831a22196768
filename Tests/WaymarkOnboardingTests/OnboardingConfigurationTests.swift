import Foundation
import Testing
import WaymarkConfiguration
import WaymarkOnboarding
import WaymarkSystem

@Suite("The onboarding section")
struct OnboardingConfigurationTests {
  private func problems(_ yaml: String, allowsBare: Bool = false) -> [String] {
    OnboardingConfiguration.read(yaml: yaml, file: "w.yaml", allowsBare: allowsBare).problems.map(\.description)
  }

  @Test("Every key is understood")
  func whole() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("policy-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let key = try SigningKey(generating: .es256, id: "k")
    let other = try SigningKey(generating: .edDSA)
    try Data(key.publicJWKSet.utf8).write(to: URL(fileURLWithPath: folder + "/keys.jwks"))
    try Data(other.publicPEM.utf8).write(to: URL(fileURLWithPath: folder + "/key.pem"))
    let yaml = """
      log: {level: info}
      onboarding:
        kinds: [sapOnboarding, jwt, serviceNow]
        hosts: ["*.example.com", example.org:8443]
        allowHTTP: true
        maximumBytes: 3000
        keyFiles: [keys.jwks, key.pem]
        algorithms: [ES256, EdDSA]
        signatures: optional
        signedKinds: [sapOnboarding]
        issuer: acme
        audience: [kiosk, tablet]
        clockSkew: 2.5
        hostClaim: server
        customKinds:
          serviceNow: {json: [InstanceUrl, Name], host: InstanceUrl, secrets: [Name]}
          portal: {url: "https://*.example.com/enrol/*"}
      replay:
        folder: used
      """
    try Data(yaml.utf8).write(to: URL(fileURLWithPath: folder + "/w.yaml"))
    let configuration = try OnboardingConfiguration(file: folder + "/w.yaml")
    let policy = configuration.policy
    #expect(policy.kinds?.map(\.rawValue).sorted() == ["jwt", "sapOnboarding", "serviceNow"])
    #expect(policy.hosts?.map(\.description) == ["*.example.com", "example.org:8443"])
    #expect(policy.allowsHTTP)
    #expect(policy.maximumBytes == 3000)
    #expect(policy.keys.map(\.algorithms) == [[.es256], [.edDSA]])
    #expect(policy.keys.map(\.id) == ["k", nil])
    #expect(policy.algorithms == [.es256, .edDSA])
    #expect(policy.signatures == .optional)
    #expect(policy.signedKinds == [.sapOnboarding])
    #expect(policy.issuers == ["acme"])
    #expect(policy.audiences == ["kiosk", "tablet"])
    #expect(policy.clockSkew == 2.5)
    #expect(policy.hostClaim == "server")
    #expect(policy.customKinds.map(\.kind.rawValue) == ["serviceNow", "portal"])
    #expect(configuration.replayFolder == folder + "/used")
    let judge = try configuration.judge()
    #expect(judge.verdict(for: #"{"InstanceUrl":"https://a.example.com","Name":"x"}"#, now: Date()).isSuccessful)
  }

  @Test("Nothing in it is the policy without a policy")
  func empty() {
    #expect(problems("").isEmpty)
    #expect(problems("onboarding:\n").isEmpty)
    #expect(problems("log: {level: info}").isEmpty)
  }

  @Test(
    "An empty list of what is allowed is refused: it could mean all or nothing",
    arguments: [
      "kinds", "hosts", "ports", "linkSchemes", "keyFiles", "algorithms", "signedKinds", "issuer", "audience",
    ])
  func emptyLists(_ key: String) {
    for value in ["", "[]", "~"] {
      #expect(problems("onboarding:\n  \(key): \(value)\n") == ["w.yaml:2: onboarding.\(key): the list is empty"])
    }
    #expect(
      problems("onboarding:\n  customKinds:\n    x: {json: []}").first
        == "w.yaml:3: onboarding.customKinds.x.json: the list is empty")
  }

  @Test("A file may hold the section's content alone, where a policy is asked for")
  func bare() {
    #expect(problems("hosts: [example.com]", allowsBare: true).isEmpty)
    #expect(problems("log: {level: info}", allowsBare: true).count == 1)
    #expect(problems("hosts: [example.com]\nrepaly: {folder: x}", allowsBare: true).first?.contains("repaly") == true)
    #expect(problems("onboarding:\nrepaly: {folder: x}", allowsBare: true).first?.contains("repaly") == true)
    #expect(problems("onboarding:\nlog: {level: info}", allowsBare: true).isEmpty)
    #expect(
      problems("onboarding:\nreplay: {foldr: x}", allowsBare: true) == ["w.yaml:2: replay.foldr: there is no such key"])
  }

  @Test(
    "What is wrong is named with its line",
    arguments: [
      ("onboarding:\n  hots: [a]", "w.yaml:2: onboarding.hots: there is no such key"),
      (
        "onboarding:\n\n  clockSkew: soon",
        "w.yaml:3: onboarding.clockSkew: a number from 0.0 to 86400.0 is expected, not \"soon\""
      ),
      (
        "onboarding:\n  maximumBytes: 1.5",
        "w.yaml:2: onboarding.maximumBytes: a whole number from 1 to 65536 is expected, not \"1.5\""
      ),
      ("onboarding:\n  allowHTTP: \"yes\"", "w.yaml:2: onboarding.allowHTTP: true or false is expected, not \"yes\""),
      ("onboarding:\n  hosts: {a: b}", "w.yaml:2: onboarding.hosts: a list of strings is expected, not a section"),
      ("onboarding:\n  hosts: [[a]]", "w.yaml:2: onboarding.hosts: a list of strings is expected"),
      ("onboarding:\n  kinds: [sap]", "w.yaml:2: onboarding.kinds: \"sap\" is not a kind"),
      (
        "onboarding:\n  algorithms: [none]",
        "w.yaml:2: onboarding.algorithms: \"none\" is not one of \(SignatureAlgorithm.allCases.map(\.rawValue).joined(separator: ", "))"
      ),
      (
        "onboarding:\n  signatures: maybe",
        "w.yaml:2: onboarding.signatures: one of required, optional, refused is expected, not \"maybe\""
      ),
      ("onboarding: 5", "w.yaml:1: onboarding: a section with keys is expected"),
      (
        "onboarding:\n  customKinds:\n    x: {host: a}",
        "w.yaml:3: onboarding.customKinds.x: either json or url is expected"
      ),
      (
        "onboarding:\n  customKinds:\n    x:\n",
        "w.yaml:3: onboarding.customKinds.x: a section with keys is expected"
      ),
      ("replay: used", "w.yaml:1: replay: a section with keys is expected"),
      ("onboarding:\n  ports: [0]", "w.yaml:2: onboarding.ports: numbers from 1 to 65535 are expected"),
      (
        "onboarding:\n  linkSchemes: [javascript]",
        "w.yaml:2: onboarding.linkSchemes: \"javascript\" cannot be the scheme of onboarding links"
      ),
      (
        "onboarding:\n  signatures: required",
        "w.yaml:2: onboarding.signatures: signatures are required, and there is no key to check them with, "
          + "so every code "
          + "would be refused"
      ),
      (
        "onboarding:\n  signedKinds: [sapOnboarding]",
        "w.yaml:2: onboarding.signedKinds: signatures are required, and there is no key to check them with, so every code "
          + "would be refused"
      ),
      (
        "onboarding:\n  issuer: https://it.example.com",
        "w.yaml:2: onboarding.issuer: it restricts signed codes alone, and there is no key to check them with, so every "
          + "unsigned code would pass it"
      ),
      (
        "onboarding:\n  audience: [kiosk]",
        "w.yaml:2: onboarding.audience: it restricts signed codes alone, and there is no key to check them with, so every "
          + "unsigned code would pass it"
      ),
      (
        "onboarding:\n  signatures: refused\n  signedKinds: [jwt]",
        "w.yaml:3: onboarding.signedKinds: signatures are refused, so every code of these kinds would be, too"
      ),
      (
        "onboarding:\n  signedKinds: [wifi]",
        "w.yaml:2: onboarding.signedKinds: \"wifi\" is not a kind that can be signed"
      ),
      (
        "onboarding:\n  signedKinds: [portal]\n  customKinds: {portal: {url: \"https://a.example/*\"}}",
        "w.yaml:2: onboarding.signedKinds: \"portal\" is not a kind that can be signed"
      ),
      (
        "onboarding:\n  customKinds:\n    x:\n      json: [Server, Name]\n      host: Sever",
        "w.yaml:5: onboarding.customKinds.x.host: \"Sever\" is not among the keys of json"
      ),
      (
        "onboarding:\n  customKinds:\n    x:\n      json: [Server, Password]\n      secrets: [pin,\n        Pasword]",
        "w.yaml:6: onboarding.customKinds.x.secrets: \"Pasword\" is not among the keys of json"
      ),
      (
        "onboarding:\n  customKinds:\n    x: {json: [server.address], shown: [server.adress]}",
        "w.yaml:3: onboarding.customKinds.x.shown: \"server.adress\" is not among the keys of json"
      ),
      ("a: [", "w.yaml:1: it is not YAML: did not find expected node content"),
      ("- a", "w.yaml:1: a section with keys is expected"),
    ])
  func named(_ yaml: String, _ expected: String) { #expect(problems(yaml).first == expected) }

  @Test(
    "A misspelt word comes with the one that was probably meant",
    arguments: [
      ("kinds: [acmeDevise]", "Did you mean acmeDevice? Kinds are sapOnboarding, "),
      ("kinds: [nothingLikeIt]", "Kinds are sapOnboarding, "),
      ("signedKinds: [acmeDevise]", "Did you mean acmeDevice? Kinds that can be signed are "),
      ("hosts: [a.test]", nil),
    ])
  func suggestions(_ line: String, _ hint: String?) {
    let yaml = "onboarding:\n  \(line)\n  customKinds: {acmeDevice: {json: [server]}}"
    let problems = OnboardingConfiguration.read(yaml: yaml, file: "w.yaml").problems
    #expect(problems.count == (hint == nil ? 0 : 1))
    #expect(hint.map { problems.first?.hint.hasPrefix($0) == true } ?? true, "\(problems.first?.hint ?? "")")
  }

  @Test(
    "The host of a declared kind is one of its keys or below one; misspelt keys come with the right one",
    arguments: [
      ("json: [Server, Name], host: Sever", "Did you mean Server? json lists the key of the host, too"),
      ("json: [site], host: InstanceUrl", "json lists the key of the host, too"),
      ("json: [Password], secrets: [Passwrod]", "Did you mean Password? If not, list Passwrod under json, too."),
      ("json: [Site], shown: [site]", "Did you mean Site? If not, list site under json, too."),
      ("json: [server], host: server.address", nil), ("json: [server.address], host: server.address", nil),
      // Optional members, and members that are numbered.
      ("json: [server], secrets: [pin, server.sesame], shown: [Site]", nil),
      ("json: [password1], secrets: [password1, password2], shown: [pass]", nil),
      ("json: [address1], shown: [address2]", nil), ("json: [users], shown: [users, user]", nil),
      (#"url: "https://a.example/*", host: server, shown: [serves]"#, nil),
    ])
  func members(_ kind: String, _ hint: String?) {
    let problems = OnboardingConfiguration.read(yaml: "onboarding:\n  customKinds: {x: {\(kind)}}", file: "w").problems
    #expect(problems.count == (hint == nil ? 0 : 1), "\(problems)")
    #expect(hint.map { problems.first?.hint.hasPrefix($0) == true } ?? true, "\(problems.first?.hint ?? "")")
  }

  @Test("A declared kind that kinds leaves out is warned of")
  func unused() {
    let declared = "  customKinds:\n    portal: {url: \"https://a.example/*\"}\n    snow: {json: [a]}"
    let (configuration, problems) = OnboardingConfiguration.read(
      yaml: "onboarding:\n  kinds: [sapOnboarding, snow]\n\(declared)", file: "w.yaml")
    #expect(problems.isEmpty)
    #expect(
      configuration.warnings.map(\.description) == [
        "w.yaml:4: onboarding.customKinds.portal: codes of this kind are not accepted, because kinds does not list it"
      ])
    #expect(configuration.warnings.first?.hint.contains("Add portal to onboarding.kinds") == true)
    #expect(OnboardingConfiguration.read(yaml: "onboarding:\n\(declared)", file: "w").configuration.warnings.isEmpty)
  }

  @Test("Keys that are missing or of no use are named")
  func keys() {
    #expect(problems("onboarding:\n  keyFiles: [/nowhere/k.pem]").first?.contains("w.yaml:2") == true)
    #expect(problems("onboarding:\n  keyFiles: /dev/null").first?.contains("w.yaml:2: onboarding.keyFiles") == true)
  }

  @Test("A private key among the public ones is said")
  func privateKeys() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("policy-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(SigningKey(generating: .es256).pem.utf8).write(to: URL(fileURLWithPath: folder + "/key.pem"))
    let (configuration, problems) = OnboardingConfiguration.read(
      yaml: "onboarding:\n  keyFiles: [key.pem]\n  requireExpiry: true\n  maximumLifetime: 86400\n  ports: [443, 8443]",
      file: folder + "/w.yaml")
    #expect(problems.isEmpty)
    #expect(configuration.policy.keys.count == 1)
    #expect(configuration.warnings.count == 1)
    #expect(
      configuration.warnings.first?.description.hasPrefix(
        "\(folder)/w.yaml:2: onboarding.keyFiles: key.pem: the key without an identifier includes its private key")
        == true)
    #expect(configuration.policy.requiresExpiry)
    #expect(configuration.policy.maximumLifetime == 86_400)
    #expect(configuration.policy.ports == [443, 8443])
  }

  @Test("The files of waymark.d override a policy, and their problems are of theirs")
  func layers() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("policy-\(UUID().uuidString)").path
    let layers = folder + "/w.d"
    try FileManager.default.createDirectory(atPath: layers, withIntermediateDirectories: true)
    for (name, yaml) in [
      ("w.yaml", "onboarding: { hosts: [base.example], ports: [443] }\n"),
      ("w.d/20.yaml", "onboarding: { hosts: [device.example] }\n"),
      ("w.d/10.yaml", "camera: { width: 640 }\nonboarding: { hosts: [site.example] }\n"),
    ] { try yaml.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8) }
    let policy = try OnboardingConfiguration(file: folder + "/w.yaml").policy
    #expect(policy.hosts?.map(\.description) == ["device.example"])
    #expect(policy.ports == [443])
    try "onboarding: { hots: [a] }\n".write(toFile: layers + "/30.yaml", atomically: true, encoding: .utf8)
    let error = #expect(throws: OnboardingError.self) { try OnboardingConfiguration(file: folder + "/w.yaml") }
    #expect(error?.message.hasPrefix("\(layers)/30.yaml:1: onboarding.hots: ") == true)
  }

  @Test("A policy that cannot be read is an error with a hint")
  func unreadable() {
    #expect(throws: OnboardingError.self) { try OnboardingConfiguration(file: "/nowhere/w.yaml") }
  }
}
