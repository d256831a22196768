import Logging
import WaymarkOnboarding
import WaymarkPipeline
import WaymarkProtocol
import WaymarkServer
import WaymarkSymbologies
import WaymarkSystem

/// The settings that a profile may change, ready to be used: reading keys and records takes a while and may fail, so that all profiles are
/// read when the configuration is, and changing to one of them is not more than handing values over.
@ServiceActor
struct ProfiledSettings {
  let rules: ScanRules
  /// The rules in further cameras, by name.
  let others: [String: ScanRules]
  let text: TextSettings
  let documents: DocumentsModule.Settings

  /// The rules in a camera.
  func rules(of camera: String) -> ScanRules { others[camera] ?? rules }

  /// The settings of each profile by its name, and the usual ones under nil.
  ///
  /// - Throws: what is wrong with the rules of scans, in any of them.
  static func all(_ configuration: ServiceConfiguration, log: Logger) throws -> [String?: ProfiledSettings] {
    if let document = configuration.document, let problem = ServiceProfile.read(document).problems.first {
      throw problem
    }
    let (usual, warnings) = try Self.make(configuration, log: log)
    var told = Set(warnings)
    for warning in warnings { log.warning("\(warning)") }
    var settings: [String?: ProfiledSettings] = [nil: usual]
    for profile in configuration.profiles {
      guard var profiled = configuration.using(profile: profile.name) else { continue }
      // Where frames come from, a restart alone changes.
      profiled.source = configuration.source
      let (one, warnings) = try Self.make(profiled, replayGuard: .some(usual.rules.replayGuard), log: log)
      for warning in warnings where told.insert(warning).inserted { log.warning("\(warning)") }
      settings[profile.name] = one
    }
    return settings
  }

  /// - Parameter replayGuard: where confirmations are written down; opened where none is given.
  private static func make(
    _ configuration: ServiceConfiguration, replayGuard: (any ReplayGuard)?? = nil, log: Logger
  ) throws -> (settings: ProfiledSettings, warnings: [String]) {
    let onboarding = try onboarding(configuration)
    var rules = ScanRules()
    if let replayGuard {
      rules.replayGuard = replayGuard
    } else {
      // The file's own folder is relative to the file; the environment may name one without a file.
      let store = try (onboarding.replayFolder ?? configuration.replayFolder).map { try ReplayStore(folder: $0) }
      for warning in store?.warnings ?? [] { log.warning("\(warning)") }
      rules.replayGuard = store
    }
    rules.judge = OnboardingJudge(policy: onboarding.policy, replayGuard: rules.replayGuard)
    rules.settings.confirmWithin = onboarding.confirmWithin
    let scan = configuration.scan
    try take(scan, configuration.source, into: &rules)
    var others: [String: ScanRules] = [:]
    var (text, documents) = (
      TextSettings(configuration.text, configuration.document),
      DocumentsModule.Settings(configuration.documents, text: configuration.text)
    )
    for camera in configuration.cameras {
      var own = rules
      try take(scan.overlaid(by: camera.scan), camera.source, into: &own)
      others[camera.name] = own
      text.rates[camera.name] = camera.textRate
      documents.rates[camera.name] = camera.documentRate
    }
    let settings = ProfiledSettings(rules: rules, others: others, text: text, documents: documents)
    return (settings, onboarding.warnings)
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
