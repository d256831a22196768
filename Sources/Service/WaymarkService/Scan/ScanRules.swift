import Logging
import WaymarkBarcodes
package import WaymarkOnboarding
import WaymarkProtocol
import WaymarkSystem

/// The rules for reading and judging codes. `CameraRules` below has the rules of each camera.
package struct ScanRules: Sendable {
  package var judge = OnboardingJudge()
  /// The record of confirmed codes, which prevents a second use of a code.
  package var replayGuard: (any ReplayGuard)?
  /// The symbologies to read and the times of a scan.
  package var settings = LiveScan.Settings()
  /// The maximum number of frames read per second; nil for all.
  package var rate: Double?
  /// True if codes in the frames of `source.path` may onboard the device; codes in the frames of a camera always may.
  var acceptsPlayedFrames = false

  package init() {}
}

/// The rules of scans for each camera.
struct CameraRules {
  /// The rules for the first camera.
  let first: ScanRules
  /// The rules for further cameras, by name.
  private let others: [String: ScanRules]

  func rules(of camera: String) -> ScanRules { others[camera] ?? first }

  /// Reads the rules that apply without a profile.
  ///
  /// - Throws: a problem of the onboarding settings, of the replay folder, of the symbologies, or of a profile.
  init(_ configuration: ServiceConfiguration, log: Logger) throws {
    if let document = configuration.document, let problem = ServiceProfile.read(document).problems.first {
      throw problem
    }
    let folder = try Self.onboarding(configuration).replayFolder ?? configuration.replayFolder
    // A folder in the file is relative to the file; the environment may set a folder without a file.
    let store = try folder.map { try ReplayStore(folder: $0) }
    for warning in store?.warnings ?? [] { log.warning("\(warning)") }
    try self.init(configuration, replayGuard: store)
  }

  /// Reads the rules for the first and the further cameras.
  ///
  /// - Parameter replayGuard: the record of confirmed codes.
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
      try Self.take(configuration.scanSettings(of: camera), camera.settings.source, into: &own)
      others[camera.name] = own
    }
    (first, self.others) = (rules, others)
  }

  private static func take(
    _ scan: ServiceSettings.Scan, _ source: ServiceSettings.Source, into rules: inout ScanRules
  ) throws {
    rules.rate = scan.rate
    if let names = scan.onboardingSymbologies { rules.settings.onboardingSymbologies = try symbologies(names) }
    if let names = scan.barcodeSymbologies { rules.settings.barcodeSymbologies = try symbologies(names) }
    rules.settings.newAfter = scan.newAfter
    rules.acceptsPlayedFrames = source.onboarding
    rules.settings.autoBegin = scan.autoBegin
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
