import Logging
import WaymarkServer

/// The settings that a profile can change, ready to use. Reading keys and records takes a while and can fail, so the settings of all
/// profiles are read with the configuration, and a change of the profile only assigns them.
@ServiceActor
struct ProfiledSettings {
  let scans: CameraRules
  /// The functions that put the settings of each feature in effect.
  let features: [@ServiceActor () -> Void]

  /// Reads the settings of each profile, by its name; under nil those without a profile.
  ///
  /// - Parameter usual: the rules of scans without a profile.
  /// - Throws: the first problem.
  static func all(
    _ configuration: ServiceConfiguration, _ usual: CameraRules, _ features: [any FeatureModule], log: Logger
  ) throws -> [String?: ProfiledSettings] {
    var reported = Set<String>()
    func make(_ configuration: ServiceConfiguration, _ scans: CameraRules) throws -> ProfiledSettings {
      for warning in scans.warnings where reported.insert(warning).inserted { log.warning("\(warning)") }
      return ProfiledSettings(scans: scans, features: try features.map { try $0.settings(configuration) })
    }
    var settings: [String?: ProfiledSettings] = [nil: try make(configuration, usual)]
    for profile in configuration.profiles {
      guard var profiled = configuration.using(profile: profile.name) else { continue }
      // The source of frames can only change with a restart.
      profiled.source = configuration.source
      settings[profile.name] = try make(profiled, CameraRules(profiled, replayGuard: usual.first.replayGuard))
    }
    return settings
  }
}
