package import Logging
import NIOPosix
import WaymarkBarcodes
import WaymarkConfiguration
import WaymarkFrames
import WaymarkImage
import WaymarkOnboarding
import WaymarkProtocol
package import WaymarkServer
package import WaymarkSystem
import WaymarkWorker

/// Creates the modules of the service, connects them, and reloads and stops them. `ProfiledSettings` below are the
/// settings that a change of the profile puts in effect.
@ServiceActor
package final class Assembly {
  package let hub: Hub
  /// The modules of each camera.
  private let cameras: ByCamera<CameraParts>
  package let gallery: GalleryModule
  package let media: MediaModule
  package let scenes: ScenesModule
  /// The modules of the features, in the order of the program's list of features.
  package let features: [any FeatureModule]
  package let profiles: ProfilesModule
  /// The settings of each profile by its name; the key nil has the settings that apply without a profile.
  private var profiled: [String?: ProfiledSettings] = [:]
  /// The configuration in use. Keys that need a restart keep the values with which the service started.
  private(set) var configuration: ServiceConfiguration
  /// The sections and keys whose changes take effect only after a restart.
  private(set) var pendingRestart: [String] = []
  private let socketGroup: UInt32?
  private let manager: ServiceManager
  private var trigger: HardwareTrigger?
  private let log: Logger
  private let isolation: Isolation

  /// Creates the modules and connects them; nothing runs before `start()`.
  ///
  /// - Throws: the first problem of the cameras, the onboarding settings, the profiles or a feature.
  package init(
    configuration: ServiceConfiguration, features list: [Feature], version: String, socketPath: String,
    socketGroup: UInt32?, log: Logger, manager: ServiceManager
  ) throws {
    self.configuration = configuration
    self.socketGroup = socketGroup
    self.log = log
    self.manager = manager
    let (roles, unknown) = RolePolicy.make(configuration.roles, socketGroup: socketGroup)
    for name in unknown {
      log.warning("the system has no such user or group; it is ignored in roles", metadata: ["name": "\(name)"])
    }
    isolation = Isolation(launcher: configuration.isIsolated ? WorkerLauncher() : nil) { failure in
      let details: Logger.Metadata = ["code": "\(failure.code)", "hint": "\(failure.hint)"]
      log.subsystem(.scan).error("\(failure.message)", metadata: details)
    }
    hub = Hub(version: version, roles: roles, limits: configuration.limits, log: log.subsystem(.socket))
    hub.socketPath = socketPath
    hub.add(CoreModule(hub: hub))
    if let problem = configuration.cameraProblems.first { throw problem }
    let settings = SceneSettings(configuration, log: log.subsystem(.scenes))
    let usual = try CameraRules(configuration, log: log.subsystem(.scan))
    let (hub, isolation) = (hub, isolation)
    let names = configuration.cameraNames
    let lenses = LensStore(folder: configuration.stateFolder)
    cameras = try configuration.byCamera.map { name, own in
      var parts = try CameraParts(
        hub: hub, configuration: own, name: names.count == 1 ? nil : name,
        place: (names.firstIndex(of: name) ?? 0, names.count),
        isolation: isolation, rules: usual.rules(of: name), cameras: settings.choice(of: name), lenses: lenses)
      parts.further = try list.compactMap { [parts] in try $0.makeForCamera?(hub, parts, own) }
      return parts
    }
    hub.add(CamerasModule(cameras.map { $1.modules }))
    let captures = cameras.map { $1.capture }
    hub.add(StatisticsModule(hub: hub, cameras: captures))
    gallery = GalleryModule(folders: configuration.galleryFolders)
    hub.add(gallery)
    media = MediaModule(hub: hub, cameras: captures, isolation: isolation)
    hub.add(media)
    let gallery = gallery
    scenes = ScenesModule(
      hub: hub, cameras: cameras.map { ($1.capture, $1.scans) }, isolation: isolation, settings: settings)
    hub.add(scenes)
    hub.add(SceneMethods(scenes))
    let scenes = scenes
    media.resources.append { scenes.picture($0) }
    let context = FeatureContext(
      hub: hub, configuration: configuration, cameras: cameras, media: media, isolation: isolation)
    features = try list.compactMap { try $0.make?(context) }
    for feature in features { hub.add(feature) }
    profiles = ProfilesModule(hub: hub, profiles: configuration.profiles)
    hub.add(profiles)
    profiled = try ProfiledSettings.all(configuration, usual, features, log: log.subsystem(.scan))
    let profiles = profiles
    for camera in cameras.all { camera.scans.isForOthers = { profiles.take($0) } }
    profiles.onChange = { [weak self] in self?.use(profile: $0) }
    media.gallery = { id in try await gallery.open(id) }
    for (name, camera) in cameras.parts {
      camera.capture.onStatus.append { [weak self] _ in
        camera.control.sourceChanged()
        camera.codes.sourceChanged()
        self?.sourceChanged()
      }
      camera.control.owner = { [weak self] device in
        self?.cameras.parts.first { $0.name != name && $0.part.capture.pipeline.source.device == device }?.name
      }
    }
  }

  private func sourceChanged() {
    scenes.sourceChanged()
    manager.status(statusLine)
  }

  package func start() throws {
    for camera in cameras.all { camera.capture.start() }
    for camera in cameras.all { camera.scans.start() }
    scenes.start()
    for feature in features { feature.start() }
    profiles.start()
    try startTrigger()
  }

  private func startTrigger() throws {
    guard let device = configuration.trigger.device else { return }
    let (scans, log) = (try cameras.part(of: configuration.trigger.camera).scans, log.subsystem(.trigger))
    let mode = configuration.trigger.mode
    trigger = try HardwareTrigger(
      device: device, key: configuration.trigger.key,
      onPress: { ServiceActor.execute { scans.trigger(mode) } },
      onProblem: { problem in
        if let problem {
          log.warning("\(problem.message)", metadata: ["hint": "\(problem.hint)"])
        } else {
          log.info("the scan key is available", metadata: ["device": "\(device)"])
        }
      })
  }

  /// Returns the configuration in use, with the cautions of the policy that applies now.
  func configuration(isDefault: Bool) -> ConfigurationInUse {
    let cautions = cameras.first.scans.rules.judge.policy.cautions.map(\.message)
    return ConfigurationInUse(
      file: configuration.file?.absolutePath, isDefault: isDefault, cautions: cautions.isEmpty ? nil : cautions)
  }

  /// The state of each camera with its device and problem, for `systemctl status`.
  var statusLine: String {
    cameras.parts.map { name, parts in
      let camera = parts.capture.status
      let state = "\(camera.status.rawValue): \(camera.device ?? "no source")\(camera.message.map { " (\($0))" } ?? "")"
      return cameras.areSeveral ? "\(name) \(state)" : state
    }.joined(separator: "; ")
  }

  /// True if no lane has been busy with the same frame for more than 10 seconds. Otherwise logs the names of the lanes that hang.
  var isWell: Bool {
    let hung = cameras.parts.flatMap { name, camera in
      camera.capture.pipeline.hungLanes(limit: 10).map { cameras.areSeveral ? "\(name).\($0)" : $0 }
    }
    if !hung.isEmpty { log.critical("lanes hang", metadata: ["lanes": "\(hung.joined(separator: ","))"]) }
    return hung.isEmpty
  }

  /// Applies the keys of a new configuration that can change without a restart.
  ///
  /// - Returns: the sections that changed and need a restart.
  /// - Throws: the problem of the configuration, in which case the old configuration stays in effect.
  @discardableResult
  package func reload(_ wanted: ServiceConfiguration) async throws -> [String] {
    // In `new`, the keys that need a restart keep their current values. The next reload then compares with the values in use, and
    // does not report a change that was undone.
    var (new, fixed) = configuration.running(insteadOf: wanted)
    if let problem = wanted.cameraProblems.first { throw problem }
    let reloads = try features.map { try $0.reload(new) }
    profiled = try ProfiledSettings.all(
      new, CameraRules(new, log: log.subsystem(.scan)), features, log: log.subsystem(.scan))
    use(profile: profiles.use(new.profiles))
    let (roles, unknown) = RolePolicy.make(new.roles, socketGroup: socketGroup)
    for name in unknown {
      log.warning("the system has no such user or group; it is ignored in roles", metadata: ["name": "\(name)"])
    }
    hub.use(roles)
    hub.limits = new.limits
    gallery.use(new.galleryFolders)
    JournalLogHandler.use(new.log)
    let (before, after) = (configuration.byCamera, new.byCamera)
    for ((name, parts), (old, own)) in zip(cameras.parts, zip(before.all, after.all)) {
      await use(own, insteadOf: old, in: parts, named: name)
    }
    for reload in reloads { fixed += reload() }
    // Every reload reads the calibration files, because they may have changed under the same names.
    let settings = SceneSettings(new, log: log.subsystem(.scenes))
    scenes.use(settings)
    for (name, camera) in cameras.parts { camera.codes.use(settings.choice(of: name)) }
    configuration = new
    pendingRestart = fixed
    log.notice("the new configuration is in effect")
    if !fixed.isEmpty {
      log.warning(
        "changes in these sections need a restart", metadata: ["sections": "\(fixed.joined(separator: ", "))"])
    }
    return fixed
  }

  /// Applies the settings of a camera if they differ from `old` in more than its calibrations and field of view; opens
  /// the camera again unless `source.path` takes its place.
  private func use(
    _ new: ServiceConfiguration, insteadOf old: ServiceConfiguration, in parts: CameraParts, named name: String
  ) async {
    var camera = new.camera
    (camera.calibrations, camera.fieldOfView) = (old.camera.calibrations, old.camera.fieldOfView)
    guard camera != old.camera else { return }
    let factory = SourceFactory(configuration: new, isolation: isolation)
    parts.control.use(factory.cameraSettings)
    do {
      // Off the actor, since the search for a camera may take a while.
      if new.source.path == nil {
        parts.capture.pipeline.select(try await NIOThreadPool.singleton.runIfActive { try factory.make() })
      }
    } catch {
      log.error("the camera was not changed", metadata: ["camera": "\(name)", "error": "\(error)"])
    }
  }

  /// Puts the settings of a profile in effect; if it is nil or unknown, the settings without a profile.
  private func use(profile: String?) {
    guard let settings = profiled[profile] ?? profiled[nil] else { return }
    for (name, camera) in cameras.parts { camera.scans.use(settings.scans.rules(of: name)) }
    for use in settings.features { use() }
  }

  /// Sends all clients the event that the service is stopping, and stops the modules.
  package func stop(reason: String) {
    trigger?.stop()
    hub.stop(reason: reason)
  }

  /// The seconds that `finish()` waits until the sources are closed and the current frames are processed. Service managers have a
  /// longer stop timeout.
  private static let sourceStopLimit = 0.75

  /// Waits until all clients have received their last lines, for `ConnectionLimits.linger` seconds at most, and until the sources are
  /// closed.
  ///
  /// - Returns: true if all sources are closed; false if a source is still busy after `sourceStopLimit` seconds.
  package func finish() async -> Bool {
    let now = MonotonicClock.now
    while !hub.connections.isEmpty, MonotonicClock.now < now + ConnectionLimits.linger {
      await ServiceActor.pause(0.005)
    }
    var isFinished = true
    for camera in cameras.all where await !camera.capture.finished(by: now + Self.sourceStopLimit) {
      isFinished = false
    }
    return isFinished
  }
}

// MARK: - Settings of profiles

/// The settings that a profile can change, ready to use. Reading keys and records takes a while and can fail, so the settings of all
/// profiles are read with the configuration, and a change of the profile only assigns them.
@ServiceActor
struct ProfiledSettings {
  let scans: CameraRules
  /// The functions that put the settings of each feature in effect.
  let features: [@ServiceActor () -> Void]

  /// Reads the settings of each profile, by its name; the key nil has the settings that apply without a profile.
  ///
  /// - Parameter usual: the rules of scans without a profile.
  /// - Throws: the first problem that `CameraRules` or a feature finds in the settings.
  static func all(
    _ configuration: ServiceConfiguration, _ usual: CameraRules, _ features: [any FeatureModule], log: Logger
  ) throws -> [String?: ProfiledSettings] {
    for warning in configuration.warnings { log.warning("\(warning)", metadata: ["hint": "\(warning.hint)"]) }
    func make(_ configuration: ServiceConfiguration, _ scans: CameraRules) throws -> ProfiledSettings {
      ProfiledSettings(scans: scans, features: try features.map { try $0.settings(configuration) })
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
