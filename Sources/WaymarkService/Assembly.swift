package import Logging
import NIOPosix
import WaymarkBarcodes
import WaymarkDocuments
import WaymarkImage
import WaymarkOnboarding
import WaymarkPipeline
import WaymarkProtocol
package import WaymarkServer
import WaymarkSymbologies
import WaymarkSystem
package import WaymarkWorker

/// The parts of one running service, put together.
@ServiceActor
package final class Assembly {
  /// Where everything meets.
  package let hub: Hub
  /// Source and pipeline.
  package let capture: CaptureModule
  /// Torch, selection, controls.
  package let camera: CameraModule
  /// The configured pictures.
  package let gallery: GalleryModule
  /// The armed scan.
  package let scans: ScanModule
  /// Captured pages.
  package let documents: DocumentsModule
  /// Text that is read from frames.
  package let text: TextModule
  /// Pictures for clients.
  package let media: MediaModule
  /// Scenes, anchors, the AR session.
  package let scenes: ScenesModule
  /// Forms that people filled in.
  package let forms: FormModule
  /// The signatures of people.
  package let signatures: SignatureModule
  /// Users, consents, signing in.
  package let accounts: AccountsModule
  /// Codes that are followed.
  package let codes: CodesModule
  /// The profile in use.
  package let profiles: ProfilesModule
  /// The settings of the profiles, by name; the usual ones under nil.
  private var profiled: [String?: ProfiledSettings]
  private var configuration: ServiceConfiguration
  private let socketGroup: UInt32?
  private let manager: ServiceManager
  private var trigger: HardwareTrigger?
  private let log: Logger
  private let isolation: Isolation

  /// Puts the parts together; nothing runs yet.
  package init(
    configuration: ServiceConfiguration, version: String, socketPath: String, socketGroup: UInt32?, log: Logger,
    manager: ServiceManager, workers: WorkerLauncher = WorkerLauncher()
  ) throws {
    self.configuration = configuration
    self.socketGroup = socketGroup
    self.log = log
    self.manager = manager
    let (roles, unknown) = RolePolicy.make(configuration.roles, socketGroup: socketGroup)
    for name in unknown {
      log.warning("the system has no such user or group; it is ignored in roles", metadata: ["name": "\(name)"])
    }
    isolation = Isolation(launcher: configuration.isIsolated ? workers : nil) { failure in
      let details: Logger.Metadata = ["code": "\(failure.code)", "hint": "\(failure.hint)"]
      log.subsystem(.scan).error("\(failure.message)", metadata: details)
    }
    hub = Hub(version: version, roles: roles, limits: configuration.limits, log: log.subsystem(.socket))
    hub.socketPath = socketPath
    hub.add(CoreModule(hub: hub))
    let factory = SourceFactory(configuration: configuration, isolation: isolation)
    let source = try factory.make()
    capture = CaptureModule(
      hub: hub, source: source, isolation: isolation, keepsOpen: configuration.camera.keepOpen,
      idleTime: configuration.camera.closeAfter)
    hub.add(capture)
    camera = CameraModule(
      pipeline: capture.pipeline, settings: factory.cameraSettings, makeDecoder: isolation.makeDecoder)
    hub.add(camera)
    gallery = GalleryModule(folders: configuration.galleryFolders)
    hub.add(gallery)
    profiled = try ProfiledSettings.all(configuration, log: log.subsystem(.scan))
    scans = ScanModule(hub: hub, capture: capture, rules: profiled[nil]?.rules ?? .init())
    hub.add(scans)
    documents = DocumentsModule(
      hub: hub, capture: capture, settings: .init(configuration.documents), models: try PageModels.load())
    hub.add(documents)
    text = TextModule(
      hub: hub, capture: capture,
      settings: TextSettings(configuration.text, configuration.document))
    hub.add(text)
    media = MediaModule(hub: hub, pipeline: capture.pipeline, isolation: isolation)
    hub.add(media)
    let gallery = gallery
    let settings = ScenesModule.Settings(configuration, log: log.subsystem(.scenes))
    scenes = ScenesModule(
      hub: hub, pipeline: capture.pipeline, scans: scans, isolation: isolation, settings: settings)
    hub.add(scenes)
    forms = FormModule(
      hub: hub,
      store: try RecordStore(
        folder: configuration.forms.folder, limits: FormModule.limits(hours: configuration.forms.keepFor)))
    hub.add(forms)
    signatures = SignatureModule(
      hub: hub,
      store: try RecordStore(
        folder: configuration.signatures.folder,
        limits: SignatureModule.limits(hours: configuration.signatures.keepFor)))
    hub.add(signatures)
    accounts = try AccountsModule(
      hub: hub, settings: try Self.accounts(configuration), folder: configuration.stateFolder + "/accounts")
    hub.add(accounts)
    let (scenes, scans, accounts) = (scenes, scans, accounts)
    accounts.judge = { scans.rules.judge }
    scans.onConfirmed { accounts.confirmed($0) }
    media.resource = { id in scenes.picture(id) ?? accounts.logo(id) }
    codes = CodesModule(hub: hub, scans: scans, pipeline: capture.pipeline, cameras: settings.cameras)
    hub.add(codes)
    profiles = ProfilesModule(hub: hub, profiles: configuration.profiles)
    hub.add(profiles)
    let profiles = profiles
    scans.isForOthers = { profiles.take($0) }
    profiles.onChange = { [weak self] in self?.use(profile: $0) }
    media.gallery = { id in try await gallery.open(id) }
    capture.onStatus.append { [weak self] _ in
      guard let self else { return }
      self.camera.sourceChanged()
      self.scenes.sourceChanged()
      self.codes.sourceChanged()
      self.manager.status(self.statusLine)
    }
  }

  /// Begins.
  package func start() throws {
    capture.start()
    scans.start()
    documents.start()
    scenes.start()
    accounts.start()
    profiles.start()
    try startTrigger()
  }

  /// Listens to the hardware key, where one is configured.
  private func startTrigger() throws {
    guard let device = configuration.trigger.device else { return }
    let (scans, log) = (scans, log.subsystem(.trigger))
    let mode = configuration.trigger.mode.flatMap(ScanModule.Machine.Mode.init(rawValue:)) ?? .barcode
    trigger = try HardwareTrigger(
      device: device, key: configuration.trigger.key ?? "KEY_ENTER",
      onPress: { ServiceActor.execute { scans.trigger(mode) } },
      onProblem: { problem in
        if let problem {
          log.warning("\(problem.message)", metadata: ["hint": "\(problem.hint)"])
        } else {
          log.info("the scan key is available", metadata: ["device": "\(device)"])
        }
      })
  }

  private static func accounts(_ configuration: ServiceConfiguration) throws -> AccountSettings? {
    guard let document = configuration.document else { return nil }
    let (settings, problems) = AccountSettings.read(document)
    if let problem = problems.first { throw problem }
    return settings
  }

  /// A word for `systemctl status`.
  var statusLine: String {
    let camera = capture.status
    return "\(camera.status.rawValue): \(camera.device ?? "no source")\(camera.message.map { " (\($0))" } ?? "")"
  }

  /// True if every lane answers.
  var isWell: Bool {
    let hung = capture.pipeline.hungLanes(limit: 10)
    if !hung.isEmpty { log.critical("lanes hang", metadata: ["lanes": "\(hung.joined(separator: ","))"]) }
    return hung.isEmpty
  }

  /// Takes over what can be changed while running, and says what cannot.
  ///
  /// - Returns: the sections that changed and need a restart.
  /// - Throws: what is wrong with the rules of scans; then nothing was taken over.
  @discardableResult
  package func reload(_ wanted: ServiceConfiguration) async throws -> [String] {
    // Settings that need a restart stay as they run until then: the next reload is to find the same differences, or none where a change was
    // taken back.
    var (new, fixed) = configuration.running(insteadOf: wanted)
    let newAccounts = try Self.accounts(new)
    profiled = try ProfiledSettings.all(new, log: log.subsystem(.scan))
    use(profile: profiles.use(new.profiles))
    let (roles, unknown) = RolePolicy.make(new.roles, socketGroup: socketGroup)
    for name in unknown {
      log.warning("the system has no such user or group; it is ignored in roles", metadata: ["name": "\(name)"])
    }
    hub.use(roles)
    hub.limits = new.limits
    gallery.use(new.galleryFolders)
    forms.keepFor(hours: new.forms.keepFor)
    signatures.keepFor(hours: new.signatures.keepFor)
    JournalLogHandler.use(new.log)
    var camera = new.camera
    (camera.calibrations, camera.fieldOfView) = (configuration.camera.calibrations, configuration.camera.fieldOfView)
    if camera != configuration.camera {
      let factory = SourceFactory(configuration: new, isolation: isolation)
      self.camera.use(factory.cameraSettings)
      do {
        // Looking for a camera may take a while.
        if new.source.path == nil {
          capture.pipeline.select(try await NIOThreadPool.singleton.runIfActive { try factory.make() })
        }
      } catch {
        log.error("the camera was not changed", metadata: ["error": "\(error)"])
      }
    }
    // Read again in any case: calibrations may have changed although their names have not.
    if accounts.use(newAccounts, folder: new.stateFolder + "/accounts") { fixed.append("accounts") }
    let settings = ScenesModule.Settings(new, log: log.subsystem(.scenes))
    scenes.use(settings)
    codes.use(settings.cameras)
    configuration = new
    log.notice("the new configuration is in effect")
    if !fixed.isEmpty {
      log.warning(
        "changes in these sections need a restart", metadata: ["sections": "\(fixed.joined(separator: ", "))"])
    }
    return fixed
  }

  /// Has the settings of a profile hold; the usual ones under nil.
  private func use(profile: String?) {
    guard let settings = profiled[profile] ?? profiled[nil] else { return }
    scans.use(settings.rules)
    text.use(settings.text)
    documents.use(settings.documents)
  }

  /// Tells everybody and ends what runs.
  package func stop(reason: String) {
    trigger?.stop()
    hub.stop(reason: reason)
  }

  /// How long the source and a frame that is being looked at are waited for, in seconds: less than who told the service to end waits.
  private static let sourceStopLimit = 0.75

  /// Waits until the clients have their last lines, a moment at most, and the source is given back.
  ///
  /// - Returns: whether it is; what is still at work then ends with the process.
  package func finish() async -> Bool {
    let now = MonotonicClock.now
    while !hub.connections.isEmpty, MonotonicClock.now < now + hub.limits.linger { await ServiceActor.pause(0.005) }
    return await capture.finished(by: now + Self.sourceStopLimit)
  }
}
