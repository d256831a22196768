import WaymarkConfiguration
import WaymarkSystem

/// Reads the section `customKinds`, and checks that its kinds can occur and are accepted.
extension PolicyReader {
  mutating func customKinds(_ node: SourceNode?) -> [CustomKind] {
    (node?.entries ?? []).compactMap { entry in
      let content = entry.node
      let full = "onboarding.customKinds.\(entry.key)"
      let required = content["json"]?.strings
      let pattern = content["url"]?.string
      guard (required == nil) != (pattern == nil) else {
        // If a problem with one of the two keys was already reported, it is the cause.
        if !document.problems.contains(where: { $0.key?.hasPrefix(full + ".") == true }) {
          add("either json or url is expected", full, content, hint: "Write json: [KEY, …] or url: PATTERN.")
        }
        return nil
      }
      if let required { checkMembers(of: content, required, full) }
      return attempt(full, content) { () throws(OnboardingError) in
        let form: CustomKind.Form =
          if let required { .json(requiredKeys: required) } else { .url(try CustomKind.URLPattern(pattern ?? "")) }
        return try CustomKind(
          PayloadKind(rawValue: entry.key), form: form, host: content["host"]?.string,
          secrets: Set(content["secrets"]?.strings ?? []), shown: Set(content["shown"]?.strings ?? []))
      }
    }
  }

  /// Checks the members that `host`, `secrets` and `shown` of a kind with `json` name.
  ///
  /// The host must be a required key or below one. Secret and shown members may be optional, so only a misspelt required key is a
  /// problem.
  private mutating func checkMembers(of content: SourceNode, _ required: [String], _ full: String) {
    if let node = content["host"], let host = node.string,
      !required.contains(where: { host == $0 || host.hasPrefix($0 + ".") })
    {
      add(
        "\"\(host)\" is not among the keys of json", "\(full).host", node,
        hint: Self.suggestion(for: node, among: required) + "json lists the key of the host, too: no code may lack it.")
    }
    for list in ["secrets", "shown"] {
      let words = content[list]?.elements ?? []
      let others = required.filter { key in !words.contains { $0.string == key } }
      for node in words {
        guard let word = node.string, !required.contains(word), let meant = Self.misspelling(word, of: others) else {
          continue
        }
        add(
          "\"\(word)\" is not among the keys of json", "\(full).\(list)", node,
          hint: "Did you mean \(meant)? If not, list \(word) under json, too.")
      }
    }
  }

  /// Returns the key that a word probably misspells. The word differs from it only in case, in one letter of at least five, or in
  /// two letters of at least eight. Words that differ only in digits are not misspellings, because digits number the members.
  /// Returns nil for any other word.
  private static func misspelling(_ word: String, of keys: [String]) -> String? {
    guard let key = NearestWord.of(word, among: keys),
      word.filter({ !$0.isNumber }) != key.filter({ !$0.isNumber })
    else { return nil }
    let distance = NearestWord.distance(word.lowercased(), key.lowercased())
    return distance <= min(2, max(0, word.count - 2) / 3) ? key : nil
  }

  /// Returns a warning for each declared kind that `kinds` does not list.
  func unusedKinds(_ section: SourceNode, _ policy: OnboardingPolicy) -> [PayloadKind: ConfigurationProblem] {
    let kinds = policy.customKinds.map(\.kind).filter { !policy.acceptedKinds.contains($0) }
    return kinds.reduce(into: [:]) { warnings, kind in
      warnings[kind] = document.problem(
        "codes of this kind are not accepted, because kinds does not list it",
        "onboarding.customKinds.\(kind.rawValue)", section["customKinds"]?[kind.rawValue],
        hint: "Add \(kind.rawValue) to onboarding.kinds, or remove the kind.")
    }
  }
}
