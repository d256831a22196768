import Logging
import WaymarkBarcodes
import WaymarkOnboarding
import WaymarkProtocol
import WaymarkServer
import WaymarkSystem

/// The settings that a profile may change, ready to be used: reading keys and records takes a while and may fail, so that all profiles are
/// read when the configuration is, and changing to one of them is not more than handing values over.
@ServiceActor
struct ProfiledSettings {
  /// The rules of scans.
  let scans: CameraRules
  /// Put the settings of each feature in effect.
  let features: [@ServiceActor () -> Void]

  /// The settings of each profile by its name, and the usual ones under nil.
  ///
  /// - Parameter usual: the rules of scans without a profile.
  /// - Throws: what is wrong with any of them.
  static func all(
    _ configuration: ServiceConfiguration, _ usual: CameraRules, _ features: [any FeatureModule], log: Logger
  ) throws -> [String?: ProfiledSettings] {
    var told = Set<String>()
    func make(_ configuration: ServiceConfiguration, _ scans: CameraRules) throws -> ProfiledSettings {
      for warning in scans.warnings where told.insert(warning).inserted { log.warning("\(warning)") }
      return ProfiledSettings(scans: scans, features: try features.map { try $0.settings(configuration) })
    }
    var settings: [String?: ProfiledSettings] = [nil: try make(configuration, usual)]
    for profile in configuration.profiles {
      guard var profiled = configuration.using(profile: profile.name) else { continue }
      // Where frames come from, a restart alone changes.
      profiled.source = configuration.source
      settings[profile.name] = try make(profiled, CameraRules(profiled, replayGuard: usual.first.replayGuard))
    }
    return settings
  }
}

/// The rules of scans in each camera.
struct CameraRules {
  /// Those of the first.
  let first: ScanRules
  /// Those of further ones, by name.
  private let others: [String: ScanRules]
  /// What is odd about the keys that are accepted.
  let warnings: [String]

  /// The rules in a camera.
  func rules(of camera: String) -> ScanRules { others[camera] ?? first }

  /// The rules by which codes are judged without a profile.
  ///
  /// - Throws: what is wrong with them, or with a profile.
  init(_ configuration: ServiceConfiguration, log: Logger) throws {
    if let document = configuration.document, let problem = ServiceProfile.read(document).problems.first {
      throw problem
    }
    let folder = try Self.onboarding(configuration).replayFolder ?? configuration.replayFolder
    // The file's own folder is relative to the file; the environment may name one without a file.
    let store = try folder.map { try ReplayStore(folder: $0) }
    for warning in store?.warnings ?? [] { log.warning("\(warning)") }
    try self.init(configuration, replayGuard: store)
  }

  /// - Parameter replayGuard: where confirmations are written down.
  init(_ configuration: ServiceConfiguration, replayGuard: (any ReplayGuard)?) throws {
    let onboarding = try Self.onboarding(configuration)
    var rules = ScanRules()
    rules.replayGuard = replayGuard
    rules.judge = OnboardingJudge(policy: onboarding.policy, replayGuard: replayGuard)
    rules.settings.confirmWithin = onboarding.confirmWithin
    try Self.take(configuration.scan, configuration.source, into: &rules)
    var others: [String: ScanRules] = [:]
    for camera in configuration.cameras {
      var own = rules
      try Self.take(configuration.scan.overlaid(by: camera.scan), camera.source, into: &own)
      others[camera.name] = own
    }
    (first, self.others, warnings) = (rules, others, onboarding.warnings)
  }

  private static func take(
    _ scan: ServiceConfiguration.Scan, _ source: ServiceConfiguration.Source, into rules: inout ScanRules
  ) throws {
    rules.rate = scan.rate
    if let names = scan.onboardingSymbologies { rules.settings.onboardingSymbologies = try symbologies(names) }
    if let names = scan.barcodeSymbologies { rules.settings.barcodeSymbologies = try symbologies(names) }
    if let seconds = scan.newAfter { rules.settings.newAfter = seconds }
    rules.acceptsPlayedFrames = source.onboarding
    rules.settings.autoBegin = scan.autoBegin.flatMap(ScanMachine.Mode.init(rawValue:))
  }

  private static func onboarding(_ configuration: ServiceConfiguration) throws -> OnboardingConfiguration {
    guard let document = configuration.document else { return OnboardingConfiguration() }
    let (onboarding, problems) = OnboardingConfiguration.read(document)
    if let problem = problems.first { throw problem }
    return onboarding
  }

  private static func symbologies(_ names: [String]) throws -> Set<Symbology> {
    do {
      return try ScanWire.symbologies(names)
    } catch let error as ServiceError {
      throw ServiceProblem(code: "unknownSymbology", message: error.message, hint: error.hint)
    }
  }
}
