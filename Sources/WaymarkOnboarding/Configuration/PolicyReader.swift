import FoundationEssentials
import WaymarkSystem
import Yams

/// Reads the `onboarding:` section. It holds a map of declared kinds, which the configuration library cannot list, so
/// it is read from the YAML nodes; those know their lines, too.
struct PolicyReader {
  private let file: String
  private(set) var problems: [ConfigurationProblem] = []

  init(file: String) { self.file = file }

  /// The keys of the section.
  static let keys = [
    "kinds", "hosts", "ports", "linkSchemes", "allowHTTP", "maximumBytes", "keyFiles", "algorithms", "signatures",
    "issuer", "audience", "clockSkew", "requireExpiry", "maximumLifetime", "hostClaim", "customKinds",
  ]
  /// The keys of a declared kind.
  static let kindKeys = ["json", "url", "host", "secrets", "shown"]
  /// The keys of the section about replay.
  private static let replayKeys = ["folder"]

  mutating func read(yaml: String, allowsBare: Bool) -> OnboardingConfiguration {
    var configuration = OnboardingConfiguration()
    let root: Node?
    do {
      root = try Yams.compose(yaml: yaml)
    } catch let YamlError.scanner(_, problem, mark, _), let YamlError.parser(_, problem, mark, _),
      let YamlError.composer(_, problem, mark, _)
    {
      add("it is not YAML: \(problem)", line: mark.line, hint: "Correct the file; indent with spaces.")
      return configuration
    } catch {
      add("it is not YAML: \(error)", hint: "Correct the file; indent with spaces.")
      return configuration
    }
    guard let root, !root.isEmptyValue else { return configuration }
    guard case .mapping(let mapping) = root else {
      add("sections are expected", line: root.mark?.line, hint: "Write onboarding: and its keys under it.")
      return configuration
    }
    if let replay = mapping["replay"], !replay.isEmptyValue {
      // A whole configuration has its keys checked by whoever loads it.
      readReplay(replay, checksKeys: allowsBare, into: &configuration)
    }
    let isBare = mapping.keys.contains { Self.keys.contains($0.scalar?.string ?? "") }
    if allowsBare {
      // A section that nobody knows may be a misspelt one, and a misspelt "replay" would let tokens in twice.
      let known = OnboardingConfiguration.sections + (isBare && mapping["onboarding"] == nil ? Self.keys : [])
      check(mapping, known, under: "")
    }
    if let section = mapping["onboarding"] {
      if section.isEmptyValue { return configuration }
      guard case .mapping(let content) = section else {
        add("a section with keys is expected", "onboarding", section, hint: "Write key: value under onboarding:.")
        return configuration
      }
      readSection(content, into: &configuration)
    } else if allowsBare {
      if isBare {
        readSection(mapping, into: &configuration)
      } else {
        add("there is no section \"onboarding\"", line: 1, hint: "Write onboarding: and the policy's keys under it.")
      }
    }
    return configuration
  }

  private mutating func readReplay(
    _ section: Node, checksKeys: Bool, into configuration: inout OnboardingConfiguration
  ) {
    guard case .mapping(let content) = section else {
      add("a section with the key folder is expected", "replay", section, hint: "Write replay: {folder: PATH}.")
      return
    }
    if checksKeys { check(content, Self.replayKeys, under: "replay") }
    configuration.replayFolder = string("folder", content, under: "replay").map(path)
  }

  private mutating func readSection(_ content: Node.Mapping, into configuration: inout OnboardingConfiguration) {
    check(content, Self.keys, under: "onboarding")
    var policy = OnboardingPolicy()
    policy.customKinds = customKinds(content["customKinds"])
    if let words = strings("kinds", content) {
      let known = PayloadKind.builtIn + policy.customKinds.map(\.kind)
      for word in words where !known.contains(PayloadKind(rawValue: word)) {
        add(
          "\"\(word)\" is not a kind of payload", "onboarding.kinds", content["kinds"],
          hint: "Kinds are \(known.map(\.rawValue).joined(separator: ", ")).")
      }
      policy.kinds = Set(words.map(PayloadKind.init(rawValue:)))
    }
    if let words = strings("hosts", content) {
      policy.hosts = words.compactMap { word in
        attempt("onboarding.hosts", content["hosts"]) { () throws(OnboardingError) in try HostPattern(word) }
      }
    }
    readReach(content, into: &policy)
    if let size = integer("maximumBytes", content, 1...65_536) { policy.maximumBytes = size }
    if let words = strings("algorithms", content) {
      let choices = SignatureAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
      for word in words where SignatureAlgorithm(rawValue: word) == nil {
        add(
          "\"\(word)\" is not a supported algorithm", "onboarding.algorithms", content["algorithms"],
          hint: "Write one of \(choices).")
      }
      policy.algorithms = Set(words.compactMap(SignatureAlgorithm.init(rawValue:)))
    }
    if let word = string("signatures", content) {
      policy.signatures = OnboardingPolicy.Signatures(rawValue: word)
      if policy.signatures == nil {
        add(
          "\"\(word)\" is not required, optional or refused", "onboarding.signatures", content["signatures"],
          hint: "Leave it out to require signatures as soon as there is a key.")
      }
    }
    if let words = strings("issuer", content) { policy.issuers = Set(words) }
    if let words = strings("audience", content) { policy.audiences = Set(words) }
    if let seconds = number("clockSkew", content, 0...86_400) { policy.clockSkew = seconds }
    if let flag = bool("requireExpiry", content) { policy.requiresExpiry = flag }
    policy.maximumLifetime = number("maximumLifetime", content, 1...3_153_600_000)
    policy.hostClaim = string("hostClaim", content)
    readKeys(content, into: &policy, &configuration.warnings)
    configuration.policy = policy
  }

  /// Where payloads may lead.
  private mutating func readReach(_ content: Node.Mapping, into policy: inout OnboardingPolicy) {
    if let flag = bool("allowHTTP", content) { policy.allowsHTTP = flag }
    if let words = strings("ports", content) {
      let ports = words.map { UInt16($0) ?? 0 }
      if ports.contains(0) {
        add(
          "numbers from 1 to 65535 are expected", "onboarding.ports", content["ports"],
          hint: "Write ports: [443, 8443].")
      }
      policy.ports = Set(ports)
    }
    if let words = strings("linkSchemes", content) {
      let schemes = words.map { $0.lowercased() }
      for scheme in schemes where !LinkScheme.isScheme(scheme) || LinkScheme.isDangerous(scheme) {
        add(
          "\"\(scheme)\" cannot be the scheme of onboarding links", "onboarding.linkSchemes", content["linkSchemes"],
          hint: "Write the scheme that your app has registered, such as com.example.pump, without ://.")
      }
      policy.linkSchemes = Set(schemes)
    }
  }

  private mutating func readKeys(
    _ content: Node.Mapping, into policy: inout OnboardingPolicy, _ warnings: inout [String]
  ) {
    for name in strings("keyFiles", content) ?? [] {
      do {
        let (keys, remarks) = try KeyFile.publicKeys(path(name))
        policy.keys += keys
        warnings += remarks.map { "\(name): \($0)" }
        if keys.isEmpty {
          add(
            "\(name): none of its keys can verify signatures", "onboarding.keyFiles", content["keyFiles"],
            hint: "Use public keys: EC, Ed25519, or RSA of at least 2048 bits.")
        }
      } catch {
        add("\(name): \(error.message)", "onboarding.keyFiles", content["keyFiles"], hint: error.hint)
      }
    }
    if policy.signatures == .required, policy.keys.isEmpty, problems.isEmpty {
      add(
        "signatures are required, and there is no key to check them with, so every code would be refused",
        "onboarding.signatures", content["signatures"], hint: "Name the issuer's public keys under keyFiles.")
    }
  }

  private mutating func customKinds(_ node: Node?) -> [CustomKind] {
    guard let node, !node.isEmptyValue else { return [] }
    guard case .mapping(let mapping) = node else {
      add(
        "a section with a name for each kind is expected", "onboarding.customKinds", node,
        hint: "Write customKinds: and under it NAME: {json: [KEY, …], host: KEY}.")
      return []
    }
    var kinds: [CustomKind] = []
    for (key, value) in mapping {
      let name = key.scalar?.string ?? ""
      let full = "onboarding.customKinds.\(name)"
      guard case .mapping(let content) = value, !name.isEmpty else {
        add("a section with json or url is expected", full, value, hint: "Write json: [KEY, …] or url: PATTERN.")
        continue
      }
      if kinds.contains(where: { $0.kind.rawValue == name }) {
        add("it occurs twice", full, key, hint: "Keep one.")
        continue
      }
      check(content, Self.kindKeys, under: full)
      let required = strings("json", content, under: full)
      let pattern = string("url", content, under: full)
      let host = string("host", content, under: full)
      let secrets = Set(strings("secrets", content, under: full) ?? [])
      let shown = Set(strings("shown", content, under: full) ?? [])
      guard (required == nil) != (pattern == nil) else {
        add("either json or url is expected", full, value, hint: "Write json: [KEY, …] or url: PATTERN.")
        continue
      }
      let made = attempt(full, value) { () throws(OnboardingError) in
        let form: CustomKind.Form =
          if let required { .json(requiredKeys: required) } else { .url(try CustomKind.URLPattern(pattern ?? "")) }
        return try CustomKind(PayloadKind(rawValue: name), form: form, host: host, secrets: secrets, shown: shown)
      }
      if let made { kinds.append(made) }
    }
    return kinds
  }

  /// Relative paths start where the file is.
  private func path(_ name: String) -> String {
    if name.hasPrefix("/") { return name }
    guard let slash = file.lastIndex(of: "/") else { return name }
    return String(file[...slash]) + name
  }

  // MARK: Values

  private mutating func add(_ message: String, _ key: String? = nil, _ node: Node, hint: String) {
    add(message, key, line: node.mark?.line, hint: hint)
  }

  private mutating func add(_ message: String, _ key: String? = nil, _ node: Node?, hint: String) {
    add(message, key, line: node?.mark?.line, hint: hint)
  }

  private mutating func add(_ message: String, _ key: String? = nil, line: Int? = nil, hint: String) {
    problems.append(ConfigurationProblem(origin: file, line: line, key: key, message: message, hint: hint))
  }

  private mutating func attempt<Value>(
    _ key: String, _ node: Node?, _ make: () throws(OnboardingError) -> Value
  ) -> Value? {
    do {
      return try make()
    } catch {
      add(error.message, key, node, hint: error.hint)
      return nil
    }
  }

  private mutating func check(_ content: Node.Mapping, _ known: [String], under path: String) {
    var seen: Set<String> = []
    for key in content.keys {
      let name = key.scalar?.string ?? "?"
      let full = path.isEmpty ? name : "\(path).\(name)"
      if !known.contains(name) {
        add("there is no such key", full, key, hint: "Keys are \(known.joined(separator: ", ")).")
      } else if !seen.insert(name).inserted {
        add("it occurs twice", full, key, hint: "Keep one.")
      }
    }
  }

  private mutating func value<Value>(
    _ name: String, _ content: Node.Mapping, under path: String, wanted: String, _ take: (Node) -> Value?
  ) -> Value? {
    guard let node = content[name], !node.isEmptyValue else { return nil }
    if let value = take(node) { return value }
    add("\(wanted) is expected", "\(path).\(name)", node, hint: "Correct the value.")
    return nil
  }

  /// Lists that name what is accepted. An empty one could mean all or nothing, so it is refused.
  private static let allowLists: Set<String> = [
    "kinds", "hosts", "ports", "linkSchemes", "keyFiles", "algorithms", "issuer", "audience", "json",
  ]

  private mutating func strings(_ name: String, _ content: Node.Mapping, under path: String = "onboarding") -> [String]?
  {
    if let node = content[name], Self.allowLists.contains(name), node.isEmptyValue || node.sequence?.isEmpty == true {
      problems.append(.emptyList("\(path).\(name)", origin: file, line: node.mark?.line))
      return nil
    }
    return value(name, content, under: path, wanted: "a list of strings") { node in
      if let scalar = node.scalar { return [scalar.string] }
      guard let sequence = node.sequence else { return nil }
      let texts = sequence.compactMap { $0.isEmptyValue ? nil : $0.scalar?.string }
      return texts.count == sequence.count ? texts : nil
    }
  }

  private mutating func string(_ name: String, _ content: Node.Mapping, under path: String = "onboarding") -> String? {
    value(name, content, under: path, wanted: "a string") { $0.scalar?.string }
  }

  private mutating func bool(_ name: String, _ content: Node.Mapping) -> Bool? {
    value(name, content, under: "onboarding", wanted: "true or false") { node in
      node.scalar?.style == .plain ? node.bool : nil
    }
  }

  private mutating func integer(_ name: String, _ content: Node.Mapping, _ range: ClosedRange<Int>) -> Int? {
    value(
      name, content, under: "onboarding", wanted: "a whole number from \(range.lowerBound) to \(range.upperBound)"
    ) { node in
      node.scalar?.style == .plain ? node.int.flatMap { range.contains($0) ? $0 : nil } : nil
    }
  }

  private mutating func number(_ name: String, _ content: Node.Mapping, _ range: ClosedRange<Double>) -> Double? {
    value(name, content, under: "onboarding", wanted: "a number from \(range.lowerBound) to \(range.upperBound)") {
      node in
      node.scalar?.style == .plain ? node.float.flatMap { range.contains($0) ? $0 : nil } : nil
    }
  }
}

extension Node {
  /// True if nothing stands there: a key that is left open is as good as left out.
  fileprivate var isEmptyValue: Bool {
    guard case .scalar(let scalar) = self else { return false }
    return scalar.style == .plain && null != nil
  }
}
