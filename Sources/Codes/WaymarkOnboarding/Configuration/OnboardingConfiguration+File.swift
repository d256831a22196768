package import WaymarkConfiguration
import WaymarkSystem

extension OnboardingConfiguration {
  /// Reads `onboarding:` and `replay:` of a configuration file, for `--policy`. A file that holds nothing but the
  /// content of the section is understood as well.
  package init(file: String) throws(OnboardingError) {
    guard let bytes = try? WholeFile.read(file, limit: 1 << 20) else {
      throw OnboardingError(
        .cannotOpen, "The policy \(file) cannot be read.",
        hint: "Check the path and who may read it; a policy has at most one megabyte.")
    }
    let (configuration, problems) = Self.read(
      yaml: String(decoding: bytes, as: UTF8.self), file: file, allowsBare: true)
    guard problems.isEmpty else {
      throw OnboardingError(
        .badPolicy, problems.map(\.description).joined(separator: "\n"),
        hint: problems.map(\.hint).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
          .joined(separator: "\n"))
    }
    self = configuration
  }

  /// Reads the sections out of a checked file and says what is wrong with what they say.
  ///
  /// Paths in them are relative to the file's folder.
  package static func read(
    _ document: ConfigurationDocument
  ) -> (configuration: Self, problems: [ConfigurationProblem]) {
    var reader = PolicyReader(document)
    let configuration = reader.read()
    return (configuration, reader.problems.inOrder)
  }

  /// Reads the sections out of a file's text and says everything that is wrong with them.
  ///
  /// - Parameter allowsBare: true for a file that holds a policy and may hold nothing else; a section that nobody knows may be a misspelt
  ///   one then, and a misspelt "replay" would let tokens in twice. Otherwise other sections are for others.
  package static func read(
    yaml: String, file: String, allowsBare: Bool = false
  ) -> (configuration: Self, problems: [ConfigurationProblem]) {
    let document = ConfigurationDocument(yaml, path: file, table: table) { root in
      guard case .map(let entries) = root.value else { return root }
      var kept = entries.filter { allowsBare ? true : $0.key == "onboarding" || $0.key == "replay" }
      // Sections of others are theirs to check.
      for index in kept.indices where Self.isOthers(kept[index].key) { kept[index].node.value = .null }
      return allowsBare
        ? wrapped(SourceNode(mark: root.mark, value: .map(kept))) : SourceNode(mark: root.mark, value: .map(kept))
    }
    let (configuration, problems) = read(document)
    var all = document.problems + problems
    if allowsBare, all.isEmpty, document.root?.isNull == false, document.checked["onboarding"] == nil,
      document.root?.entries.contains(where: { $0.key == "onboarding" }) == false
    {
      all.append(
        ConfigurationProblem(
          origin: file, mark: SourceMark(line: 1, column: 1), message: "there is no section \"onboarding\"",
          hint: "Write onboarding: and the policy's keys under it."))
    }
    return (configuration, all.inOrder)
  }

  private static func isOthers(_ name: String) -> Bool {
    name != "onboarding" && name != "replay" && sections.contains(name)
  }

  /// The same with the section's keys that stand at the top put under `onboarding`, where there is no such section.
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
