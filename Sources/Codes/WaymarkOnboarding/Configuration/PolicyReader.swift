import FoundationEssentials
import WaymarkConfiguration
import WaymarkSystem

/// Reads what a checked `onboarding:` section says, and what is wrong with that.
struct PolicyReader {
  private let document: ConfigurationDocument
  private(set) var problems: [ConfigurationProblem] = []

  init(_ document: ConfigurationDocument) { self.document = document }

  mutating func read() -> OnboardingConfiguration {
    var configuration = OnboardingConfiguration()
    configuration.replayFolder = document.checked.at("replay.folder")?.string.map(document.resolved)
    if let section = document.checked["onboarding"] { read(section, into: &configuration) }
    return configuration
  }

  private mutating func read(_ section: SourceNode, into configuration: inout OnboardingConfiguration) {
    var policy = OnboardingPolicy()
    policy.customKinds = customKinds(section["customKinds"])
    if let words = section["kinds"] {
      let known = PayloadKind.builtIn + policy.customKinds.map(\.kind)
      for word in words.elements where !known.contains(PayloadKind(rawValue: word.string ?? "")) {
        add(
          "\"\(word.string ?? "")\" is not a kind", "onboarding.kinds", word,
          hint: "Kinds are \(known.map(\.rawValue).joined(separator: ", ")).")
      }
      policy.kinds = Set(words.strings.map(PayloadKind.init(rawValue:)))
    }
    if let words = section["hosts"] {
      policy.hosts = words.elements.compactMap { word in
        attempt("onboarding.hosts", word) { () throws(OnboardingError) in try HostPattern(word.string ?? "") }
      }
    }
    readReach(section, into: &policy)
    if let size = section["maximumBytes"]?.int { policy.maximumBytes = size }
    if let words = section["algorithms"] {
      policy.algorithms = Set(words.strings.compactMap(SignatureAlgorithm.init(rawValue:)))
    }
    policy.signatures = section["signatures"]?.string.flatMap(OnboardingPolicy.Signatures.init(rawValue:))
    if let words = section["issuer"]?.strings { policy.issuers = Set(words) }
    if let words = section["audience"]?.strings { policy.audiences = Set(words) }
    if let seconds = section["clockSkew"]?.double { policy.clockSkew = seconds }
    if let flag = section["requireExpiry"]?.bool { policy.requiresExpiry = flag }
    policy.maximumLifetime = section["maximumLifetime"]?.double
    policy.hostClaim = section["hostClaim"]?.string
    if let seconds = section["confirmWithin"]?.double { configuration.confirmWithin = seconds }
    readKeys(section, into: &policy, &configuration.warnings)
    configuration.policy = policy
  }

  /// Where payloads may lead.
  private mutating func readReach(_ section: SourceNode, into policy: inout OnboardingPolicy) {
    if let flag = section["allowHTTP"]?.bool { policy.allowsHTTP = flag }
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
    _ section: SourceNode, into policy: inout OnboardingPolicy, _ warnings: inout [String]
  ) {
    for word in section["keyFiles"]?.elements ?? [] {
      let name = word.string ?? ""
      do {
        let (keys, remarks) = try KeyFile.publicKeys(document.resolved(name))
        policy.keys += keys
        warnings += remarks.map { "\(name): \($0)" }
        if keys.isEmpty {
          add(
            "\(name): no key in it can check signatures", "onboarding.keyFiles", word,
            hint: "Give public keys: EC, Ed25519, or RSA of at least 2048 bits.")
        }
      } catch {
        add("\(name): \(error.message)", "onboarding.keyFiles", word, hint: error.hint)
      }
    }
    if policy.signatures == .required, policy.keys.isEmpty, problems.isEmpty, document.problems.isEmpty {
      add(
        "signatures are required, and there is no key to check them with, so every code would be refused",
        "onboarding.signatures", section["signatures"], hint: "Name the issuer's public keys under keyFiles.")
    }
  }

  private mutating func customKinds(_ node: SourceNode?) -> [CustomKind] {
    (node?.entries ?? []).compactMap { entry in
      let content = entry.node
      let full = "onboarding.customKinds.\(entry.key)"
      let required = content["json"]?.strings
      let pattern = content["url"]?.string
      guard (required == nil) != (pattern == nil) else {
        // Where one of them is wrong, that was said.
        if !document.problems.contains(where: { $0.key?.hasPrefix(full + ".") == true }) {
          add("either json or url is expected", full, content, hint: "Write json: [KEY, …] or url: PATTERN.")
        }
        return nil
      }
      return attempt(full, content) { () throws(OnboardingError) in
        let form: CustomKind.Form =
          if let required { .json(requiredKeys: required) } else { .url(try CustomKind.URLPattern(pattern ?? "")) }
        return try CustomKind(
          PayloadKind(rawValue: entry.key), form: form, host: content["host"]?.string,
          secrets: Set(content["secrets"]?.strings ?? []), shown: Set(content["shown"]?.strings ?? []))
      }
    }
  }

  private mutating func add(_ message: String, _ key: String, _ node: SourceNode?, hint: String) {
    problems.append(document.problem(message, key, node, hint: hint))
  }

  private mutating func attempt<Value>(
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
