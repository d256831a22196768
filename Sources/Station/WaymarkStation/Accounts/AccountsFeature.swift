import WaymarkConfiguration
package import WaymarkService
import WaymarkSystem

extension Feature {
  /// Users of the device: onboarding, consents, signing in.
  package static let accounts: Feature = {
    var feature = Feature()
    feature.sectionKeys = AccountSettings.keys
    feature.problems = { configuration in
      guard let document = configuration.document else { return [] }
      let (accounts, problems) = AccountSettings.read(document)
      return problems
        + (accounts?.logos ?? []).filter { FileKind($0) != .regular }.map { logo in
          document.problem(
            "there is no picture \(logo)", "accounts.logos", document.checked.at("accounts.logos"),
            hint: "Put it there, or correct the path.")
        }
    }
    feature.make = { context in
      let accounts = try AccountsModule(
        hub: context.hub, settings: try AccountSettings.checked(context.configuration),
        folder: AccountSettings.folder(context.configuration))
      let scans = context.cameras.first.scans
      accounts.judge = { scans.rules.judge }
      for camera in context.cameras.all { camera.scans.onConfirmed { accounts.confirmed($0) } }
      context.media.resources.append { accounts.logo($0) }
      return accounts
    }
    return feature
  }()
}

extension AccountSettings {
  /// The settings in a configuration; nil where it has none.
  ///
  /// - Throws: the first thing that is wrong with them.
  static func checked(_ configuration: ServiceConfiguration) throws -> AccountSettings? {
    guard let document = configuration.document else { return nil }
    let (settings, problems) = read(document)
    if let problem = problems.first { throw problem }
    return settings
  }

  /// Where users are kept, unless the settings say otherwise.
  static func folder(_ configuration: ServiceConfiguration) -> String { configuration.stateFolder + "/accounts" }
}
