import FoundationEssentials
package import WaymarkConfiguration
import WaymarkSystem

/// The checked onboarding policy of a configuration file, with the public keys of its key files. `PolicyReader` below
/// reads it from the file, and `KeyFile` reads the keys.
package struct OnboardingConfiguration: Sendable {
  package var policy = OnboardingPolicy()
  /// The seconds within which an accepted code must be confirmed.
  package var confirmWithin = 120.0
  /// The folder of the replay store; nil if payloads may be used again.
  package var replayFolder: String?
  /// The warnings about key files, such as about ignored keys and private keys.
  package var keyWarnings: [ConfigurationProblem] = []
  /// The warnings about declared kinds that `kinds` does not list.
  package var unusedKinds: [PayloadKind: ConfigurationProblem] = [:]
  /// All warnings, in the order of the file.
  package var warnings: [ConfigurationProblem] { (keyWarnings + unusedKinds.values).inOrder }

  /// The names of the sections and of all other top-level keys of a `waymark.yaml`. Any further name in a policy's file is reported
  /// as a problem, because it is probably misspelt.
  package static let sections = [
    "accounts", "anchors", "camera", "cameras", "clients", "count", "documents", "forms", "gallery", "isolation", "log",
    "onboarding", "profiles", "replay", "roles", "scan", "scenes", "signatures", "socket", "source", "text", "trigger",
    "type",
  ]

  /// Creates the configuration that applies without a file.
  package init() {}

  /// Creates a judge with this policy and its replay store.
  ///
  /// - Parameter records: true to record confirmations; false to change nothing on the disk.
  /// - Throws: `replayStore` if the store's folder cannot be made.
  package func judge(records: Bool = true) throws(OnboardingError) -> OnboardingJudge {
    guard let replayFolder else { return OnboardingJudge(policy: policy) }
    return OnboardingJudge(policy: policy, replayGuard: try ReplayStore(folder: replayFolder, isReadOnly: !records))
  }
}

extension OnboardingConfiguration: Configurable {
  package static let settings = section(
    "onboarding",
    [
      Setting(
        "kinds", .strings, "accepted kinds of codes",
        otherwise: "`sapOnboarding`, `sapLink` and every custom kind"),
      Setting("hosts", .strings, "hosts that a code may name, `*.` for all below one", otherwise: "all"),
      Setting("ports", .strings, "ports that a code may name, 1 to 65535", otherwise: "all"),
      Setting(
        "linkSchemes", .strings, "schemes of an app's onboarding links",
        otherwise: "`com.sap.mdkclient` and every domain name in reverse order"),
      Setting(
        "allowHTTP", .flag, "codes may lead to hosts without encryption", into: \.policy.allowsHTTP),
      Setting("maximumBytes", .int(1...65_536), "bytes of a code", into: \.policy.maximumBytes),
      Setting("keyFiles", .strings, "files of the issuers' public keys, JWK sets or PEM", otherwise: "none"),
      Setting(
        "algorithms", "accepted algorithms of signatures", into: \.policy.algorithms,
        otherwise: "all that the keys serve"),
      Setting(
        "signatures", "signatures of codes", into: \.policy.signatures,
        otherwise: "`required` as soon as there is a key",
        remedy: "Leave it out to demand signatures as soon as there is a key."),
      Setting("signedKinds", .strings, "kinds that need one with `signatures: optional`", otherwise: "none"),
      Setting(
        "issuer", .strings, "accepted issuers (`iss`) of tokens", into: \.policy.issuers,
        otherwise: "all", from: { (names: [String]) in .some(Set(names)) }),
      Setting(
        "audience", .strings, "audiences (`aud`), of which a token must name one", into: \.policy.audiences,
        otherwise: "all", from: { (names: [String]) in .some(Set(names)) }),
      Setting("clockSkew", .double(0...86_400), "seconds by which clocks may differ", into: \.policy.clockSkew),
      Setting(
        "requireExpiry", .flag, "tokens must have an end (`exp`)", into: \.policy.requiresExpiry),
      Setting(
        "maximumLifetime", .double(1...3_153_600_000), "seconds that a token may be valid",
        into: \.policy.maximumLifetime, otherwise: "any"),
      Setting(
        "confirmWithin", .double(1...3600), "seconds that an accepted code waits for confirmation",
        into: \.confirmWithin),
      Setting(
        "hostClaim", .string, "claim with a token's host", into: \.policy.hostClaim, otherwise: "none"),
      Setting("customKinds", .named, "your own kinds of codes"),
      Setting("customKinds.NAME.json", .strings, "keys of its JSON object"),
      Setting("customKinds.NAME.url", .string, "pattern of its addresses, instead of `json`"),
      Setting("customKinds.NAME.host", .string, "key of the host to connect to"),
      Setting("customKinds.NAME.secrets", .strings, "keys whose values are never shown", mayBeEmpty: true),
      Setting("customKinds.NAME.shown", .strings, "keys whose values are shown", mayBeEmpty: true),
    ])

  /// The keys of a policy's file. Of sections other than `onboarding` and `replay` only the names are checked.
  static let table = ConfigurationTable(
    keys + [ConfigurationKey("replay.folder", .string, "folder of confirmed payloads")]
      + sections.filter { $0 != "onboarding" && $0 != "replay" }.map { ConfigurationKey($0, .words, "") })
}

extension SignatureAlgorithm: SettingWord {}
extension OnboardingPolicy.Signatures: SettingWord {}

// MARK: - Reading

/// Reads the policy from a checked `onboarding:` section, and collects the problems with its values.
struct PolicyReader {
  let document: ConfigurationDocument
  private(set) var problems: [ConfigurationProblem] = []

  init(_ document: ConfigurationDocument) { self.document = document }

  mutating func read() -> OnboardingConfiguration {
    var configuration = OnboardingConfiguration()
    configuration.replayFolder = OnboardingConfiguration.replayFolder(document)
    guard let section = document.checked["onboarding"] else { return configuration }
    configuration.read(document)
    var policy = configuration.policy
    policy.customKinds = customKinds(section["customKinds"])
    if let words = section["kinds"] {
      let known = PayloadKind.builtIn + policy.customKinds.map(\.kind)
      for word in words.elements where !known.contains(PayloadKind(rawValue: word.string ?? "")) {
        let kinds = "Kinds are \(known.map(\.rawValue).joined(separator: ", "))."
        add(
          "\"\(word.string ?? "")\" is not a kind", "onboarding.kinds", word,
          hint: Self.suggestion(for: word, among: known.map(\.rawValue)) + kinds)
      }
      policy.kinds = Set(words.strings.map(PayloadKind.init(rawValue:)))
      configuration.unusedKinds = unusedKinds(section, policy)
    }
    if let words = section["hosts"] {
      policy.hosts = words.elements.compactMap { word in
        attempt("onboarding.hosts", word) { () throws(OnboardingError) in try HostPattern(word.string ?? "") }
      }
    }
    readReach(section, into: &policy)
    readKeys(section, into: &policy, &configuration.keyWarnings)
    configuration.policy = policy
    return configuration
  }

  /// Reads the ports and schemes to which payloads may lead.
  private mutating func readReach(_ section: SourceNode, into policy: inout OnboardingPolicy) {
    if let words = section["ports"] {
      let ports = words.strings.map { UInt16($0) ?? 0 }
      if ports.contains(0) {
        add("numbers from 1 to 65535 are expected", "onboarding.ports", words, hint: "Write ports: [443, 8443].")
      }
      policy.ports = Set(ports)
    }
    if let words = section["linkSchemes"] {
      let schemes = words.strings.map { $0.lowercased() }
      for scheme in schemes where !LinkScheme.isScheme(scheme) || LinkScheme.isDangerous(scheme) {
        add(
          "\"\(scheme)\" cannot be the scheme of onboarding links", "onboarding.linkSchemes", words,
          hint: "Write the scheme that your app has registered, such as com.example.pump, without ://.")
      }
      policy.linkSchemes = Set(schemes)
    }
  }

  private mutating func readKeys(
    _ section: SourceNode, into policy: inout OnboardingPolicy, _ warnings: inout [ConfigurationProblem]
  ) {
    for word in section["keyFiles"]?.elements ?? [] {
      let name = word.string ?? ""
      do {
        let (keys, remarks) = try KeyFile.publicKeys(document.resolved(name, in: word))
        policy.keys += keys
        warnings += remarks.map {
          document.problem(
            "\(name): \($0)", "onboarding.keyFiles", word,
            hint: "Keep in it only public keys for signatures; openssl pkey -in FILE -pubout prints that of a PEM file."
          )
        }
        if keys.isEmpty {
          add(
            "\(name): no key in it can check signatures", "onboarding.keyFiles", word,
            hint: "Give public keys: EC, Ed25519, or RSA of at least 2048 bits.")
        }
      } catch {
        add("\(name): \(error.message)", "onboarding.keyFiles", word, hint: error.hint)
      }
    }
    readSignedKinds(section["signedKinds"], into: &policy)
    guard policy.keys.isEmpty, problems.isEmpty, document.problems.isEmpty else { return }
    let signed = "signatures are required, and there is no key to check them with, so every code would be refused"
    let claims =
      "it restricts signed codes alone, and there is no key to check them with, so every unsigned code would pass it"
    for (key, isSet, problem) in [
      ("signatures", policy.signatures == .required, signed), ("signedKinds", !policy.signedKinds.isEmpty, signed),
      ("issuer", policy.issuers != nil, claims), ("audience", policy.audiences != nil, claims),
    ]
    where isSet {
      add(problem, "onboarding.\(key)", section[key], hint: "Name the issuer's public keys under keyFiles.")
    }
  }

  private mutating func readSignedKinds(_ words: SourceNode?, into policy: inout OnboardingPolicy) {
    let addresses = policy.customKinds.filter { if case .url = $0.form { true } else { false } }.map(\.kind)
    let known = (PayloadKind.builtIn + policy.customKinds.map(\.kind)).filter {
      !PayloadKind.unsigned.contains($0) && !addresses.contains($0)
    }
    for word in words?.elements ?? [] where !known.contains(PayloadKind(rawValue: word.string ?? "")) {
      add(
        "\"\(word.string ?? "")\" is not a kind that can be signed", "onboarding.signedKinds", word,
        hint: Self.suggestion(for: word, among: known.map(\.rawValue))
          + "Kinds that can be signed are \(known.map(\.rawValue).joined(separator: ", ")).")
    }
    if let words, policy.signatures == .refused {
      add(
        "signatures are refused, so every code of these kinds would be, too", "onboarding.signedKinds", words,
        hint: "Write signatures: optional.")
    }
    policy.signedKinds = Set((words?.strings ?? []).map(PayloadKind.init(rawValue:)))
  }

  mutating func add(_ message: String, _ key: String, _ node: SourceNode?, hint: String) {
    problems.append(document.problem(message, key, node, hint: hint))
  }

  /// Returns `Did you mean NAME? ` with the nearest of the known words; an empty text if every word differs much.
  static func suggestion(for word: SourceNode, among known: [String]) -> String {
    NearestWord.of(word.string ?? "", among: known).map { "Did you mean \($0)? " } ?? ""
  }

  mutating func attempt<Value>(
    _ key: String, _ node: SourceNode, _ make: () throws(OnboardingError) -> Value
  ) -> Value? {
    do {
      return try make()
    } catch {
      add(error.message, key, node, hint: error.hint)
      return nil
    }
  }
}

// MARK: - Key files

/// Reads key files: PEM, or a JWK set.
package enum KeyFile {
  /// Returns the public keys in a file, and warnings about entries that were skipped or contain a private key.
  ///
  /// - Throws: `cannotOpen` if the file cannot be read or is larger than a megabyte, `badKey` if its keys are invalid.
  package static func publicKeys(_ path: String) throws(OnboardingError) -> (keys: [VerificationKey], skipped: [String])
  {
    let text = try text(path)
    if text.utf8.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") { return try JWKSet.keys(text) }
    let hasPrivate = PEMBlock.all(in: text).contains { $0.label.hasSuffix("PRIVATE KEY") }
    return (try PEMKeys.keys(text, id: nil), hasPrivate ? [VerificationKey.privateWarning(nil)] : [])
  }

  /// Reads the private key in a PEM file; `id` is its key identifier (`kid`).
  ///
  /// - Throws: `cannotOpen` if the file cannot be read or is larger than a megabyte, `badKey` if it has no usable private key.
  package static func privateKey(_ path: String, id: String?) throws(OnboardingError) -> SigningKey {
    try SigningKey(pem: try text(path), id: id)
  }

  private static func text(_ path: String) throws(OnboardingError) -> String {
    guard let bytes = try? WholeFile.read(path, limit: 1 << 20) else {
      throw OnboardingError(
        .cannotOpen, "The key file \(path) cannot be read.",
        hint: "Check the path and who may read it; a key file has at most one megabyte.")
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension OnboardingConfiguration {
  /// Reads `onboarding:` and `replay:` of a configuration file and of the files that override it, for `--policy`. Also reads files with
  /// the keys of `onboarding:` at their top level.
  ///
  /// - Throws: `cannotOpen` if the file cannot be read, `badPolicy` if there are problems in this file or in the files that
  ///   override it.
  package init(file: String) throws(OnboardingError) {
    guard let bytes = try? WholeFile.read(file, limit: 1 << 20) else {
      throw OnboardingError(
        .cannotOpen, "The policy \(file) cannot be read.",
        hint: "Check the path and who may read it; a policy has at most one megabyte.")
    }
    let layers = ConfigurationLayers(over: file) { Self.document(yaml: $0, file: $1, allowsBare: true) }
    let document = layers.documents.reduce(
      Self.document(yaml: String(decoding: bytes, as: UTF8.self), file: file, allowsBare: true)
    ) { $0.overlaid(by: $1) }
    let (configuration, found) = Self.read(document, allowsBare: true)
    let problems = layers.problems + found
    if let text = problems.text { throw OnboardingError(.badPolicy, text.message, hint: text.hint) }
    self = configuration
  }

  /// Returns the folder of the replay store that a file names, relative to the file's folder; nil if the file names none.
  package static func replayFolder(_ document: ConfigurationDocument) -> String? {
    guard let node = document.checked.at("replay.folder"), let name = node.string else { return nil }
    return document.resolved(name, in: node)
  }

  /// Reads the two sections of a checked file; returns the policy and the problems with its values.
  ///
  /// Paths in the sections are relative to the file's folder.
  package static func read(
    _ document: ConfigurationDocument
  ) -> (configuration: Self, problems: [ConfigurationProblem]) {
    var reader = PolicyReader(document)
    let configuration = reader.read()
    return (configuration, reader.problems.inOrder)
  }

  /// Parses a file's text and reads the two sections; returns the policy and all problems.
  ///
  /// - Parameter allowsBare: true for a file that contains only a policy, with or without the line `onboarding:`. An unknown
  ///   section is then a problem, because a misspelt "replay" would disable the store, and tokens could be used twice. False to
  ///   ignore unknown sections.
  package static func read(
    yaml: String, file: String, allowsBare: Bool = false
  ) -> (configuration: Self, problems: [ConfigurationProblem]) {
    read(document(yaml: yaml, file: file, allowsBare: allowsBare), allowsBare: allowsBare)
  }

  /// Parses a file's text without the sections that other parts of the service check.
  private static func document(yaml: String, file: String, allowsBare: Bool) -> ConfigurationDocument {
    ConfigurationDocument(yaml, path: file, table: table) { root in
      guard case .map(let entries) = root.value else { return root }
      var kept = entries.filter { allowsBare ? true : $0.key == "onboarding" || $0.key == "replay" }
      for index in kept.indices where Self.isOthers(kept[index].key) { kept[index].node.value = .null }
      return allowsBare
        ? wrapped(SourceNode(mark: root.mark, value: .map(kept))) : SourceNode(mark: root.mark, value: .map(kept))
    }
  }

  private static func read(
    _ document: ConfigurationDocument, allowsBare: Bool
  ) -> (configuration: Self, problems: [ConfigurationProblem]) {
    let (configuration, problems) = read(document)
    var all = document.problems + problems
    if allowsBare, all.isEmpty, document.root?.isNull == false, document.checked["onboarding"] == nil,
      document.root?.entries.contains(where: { $0.key == "onboarding" }) == false
    {
      all.append(
        ConfigurationProblem(
          origin: document.path, mark: SourceMark(line: 1, column: 1), message: "there is no section \"onboarding\"",
          hint: "Write onboarding: and the policy's keys under it."))
    }
    return (configuration, all.inOrder)
  }

  private static func isOthers(_ name: String) -> Bool {
    name != "onboarding" && name != "replay" && sections.contains(name)
  }

  /// Returns the file with the policy's keys moved from the top level into a section `onboarding`. Returns `root` unchanged if it
  /// has this section or no such keys.
  private static func wrapped(_ root: SourceNode) -> SourceNode {
    let entries = root.entries
    let isBare = { (entry: SourceNode.Entry) in table.key(at: ["onboarding", entry.key]) != nil }
    guard !entries.contains(where: { $0.key == "onboarding" }), let first = entries.first(where: isBare) else {
      return root
    }
    let section = SourceNode(mark: first.mark, value: .map(entries.filter(isBare)))
    let others = entries.filter { !isBare($0) }
    return SourceNode(
      mark: root.mark,
      value: .map(others + [SourceNode.Entry(key: "onboarding", mark: first.mark, node: section)]))
  }
}
