package import WaymarkSystem

extension OnboardingConfiguration {
  /// The keys of the section.
  package static var keys: [String] { PolicyReader.keys }
  /// The keys of a declared kind.
  package static var kindKeys: [String] { PolicyReader.kindKeys }

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

  /// Reads the sections out of a file's text and says everything that is wrong with them.
  ///
  /// Paths in them are relative to the file's folder. The text as a whole must be YAML; other sections are for others.
  package static func read(
    yaml: String, file: String, allowsBare: Bool = false
  ) -> (configuration: Self, problems: [ConfigurationProblem]) {
    var reader = PolicyReader(file: file)
    let configuration = reader.read(yaml: yaml, allowsBare: allowsBare)
    return (configuration, reader.problems.sorted { ($0.line ?? 0) < ($1.line ?? 0) })
  }
}
