package import WaymarkConfiguration

extension ServiceConfiguration {
  /// The profiles that the file describes, in its order.
  package var profiles: [ServiceProfile] { document.map { ServiceProfile.read($0).profiles } ?? [] }

  /// This configuration with what a profile sets instead: it counts as if it were written in the file, behind flags and environment.
  ///
  /// - Returns: nil where the file has no such profile.
  package func using(profile name: String) -> ServiceConfiguration? {
    guard let document, let section = document.checked["profiles"]?[name] else { return nil }
    let profiled = document.overlaid(by: section.without(["when", "feedback"]))
    let file = ConfigurationValues(profiled, table: schema.table).values
    var result = ServiceConfiguration(overrides + [file], schema: schema)
    result.document = profiled
    result.overrides = overrides
    result.cameras = cameras
    result.stateFolder = stateFolder
    return result
  }

  /// The problems of the settings of profiles, without those that the usual settings have too.
  ///
  /// - Parameter check: the problems of a configuration.
  package func profileProblems(
    _ check: (ServiceConfiguration) -> [ConfigurationProblem]
  ) -> [ConfigurationProblem] {
    let usual = Set(check(self))
    return profiles.flatMap { profile in
      (using(profile: profile.name).map(check) ?? []).filter { !usual.contains($0) }.map { problem in
        ConfigurationProblem(
          origin: problem.origin, mark: problem.mark,
          key: problem.key.map { "profiles.\(profile.name).\($0)" } ?? "profiles.\(profile.name)",
          message: problem.message, hint: problem.hint)
      }
    }
  }
}
