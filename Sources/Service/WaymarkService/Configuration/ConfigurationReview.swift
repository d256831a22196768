package import WaymarkConfiguration
import WaymarkOnboarding
import WaymarkSystem

/// Checks what only shows when the values meet the machine: accounts that do not exist, folders that cannot be read.
package enum ConfigurationReview {
  /// The problems of a configuration that has the right form.
  package static func problems(in configuration: ServiceConfiguration) -> [ConfigurationProblem] {
    let origin = configuration.file ?? "configuration"
    var problems: [ConfigurationProblem] = []
    func add(_ key: String, _ message: String, _ hint: String) {
      problems.append(ConfigurationProblem(origin: origin, key: key, message: message, hint: hint))
    }
    if let group = configuration.socket.group, Accounts.group(group) == nil {
      add("socket.group", "there is no group \(group)", "Create it, or name another.")
    }
    problems += sections(configuration) + configuration.profileProblems(sections)
    problems += configuration.cameraProblems
    if let document = configuration.document {
      problems += ServiceProfile.read(document).problems
    }
    let roles = configuration.roles
    for (key, names, find, what) in [
      ("roles.operators.users", roles.operatorUsers, Accounts.user, "user"),
      ("roles.operators.groups", roles.operatorGroups, Accounts.group, "group"),
      ("roles.observers.users", roles.observerUsers, Accounts.user, "user"),
      ("roles.observers.groups", roles.observerGroups, Accounts.group, "group"),
    ] {
      for name in names where find(name) == nil {
        add(key, "there is no \(what) \(name)", "Create it, or leave it out.")
      }
    }
    for (key, folders) in [
      ("gallery.folders", configuration.galleryFolders), ("scenes.folders", configuration.scenes.folders),
    ] {
      for folder in folders where FileKind(folder) != .folder {
        add(key, "there is no folder \(folder)", "Create it, or correct the path.")
      }
    }
    return problems
  }

  /// The problems of sections that a profile may change as well.
  private static func sections(_ configuration: ServiceConfiguration) -> [ConfigurationProblem] {
    (configuration.document.map { OnboardingConfiguration.read($0).problems } ?? [])
      + configuration.schema.features.flatMap { $0.problems(configuration) }
  }
}
