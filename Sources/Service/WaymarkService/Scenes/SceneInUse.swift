import Logging
import NIOPosix
import WaymarkFrames
import WaymarkProtocol
import WaymarkScenes
import WaymarkServer
import WaymarkWorker

/// Loads the scene in use on another thread, watches its files, and reloads it when they have changed.
///
/// Publishes the progress and the failures of loading, and calls `onLoad` with each loaded scene.
@ServiceActor
final class SceneInUse {
  /// A loaded scene, and how it differs from the previous one.
  struct Change {
    var scene: LoadedScene
    /// True if the anchors differ from the previous anchors.
    var isOther: Bool
    /// True if the same scene was loaded again after its files changed.
    var isReload: Bool
    var by: Actor?
    /// The camera named in the request; nil if the request names none.
    var camera: String?
  }

  private(set) var loaded: LoadedScene?
  private(set) var catalog: SceneCatalog
  private var store: SceneStore
  private var settings: SceneSettings
  /// The number of loads. A load is abandoned when a newer load has begun.
  private var loads = 0
  /// The load in progress; requests for the same scene wait for it.
  private var running: (name: String, turn: Int, task: Task<Void, any Error>)?
  private var isWatching = false
  /// The name of the configured scene if it could not be loaded; it is loaded again when its files change.
  private var awaited: String?
  private var awaitedStamp: SceneFingerprint?
  /// True if the last load failed for a reason that may end without a change of the files.
  private var hasTemporaryFailure = false
  private var isStopped = false
  private unowned let hub: Hub
  private let isolation: Isolation
  /// Called after a scene was loaded.
  private let onLoad: @ServiceActor (Change) -> Void
  /// Called when the session of the configured scene has to start.
  private let onReady: @ServiceActor () -> Void

  init(
    hub: Hub, isolation: Isolation, settings: SceneSettings,
    onLoad: @escaping @ServiceActor (Change) -> Void, onReady: @escaping @ServiceActor () -> Void
  ) {
    self.hub = hub
    self.isolation = isolation
    self.settings = settings
    self.onLoad = onLoad
    self.onReady = onReady
    catalog = SceneCatalog(folders: settings.folders)
    store = SceneStore(cache: settings.cache, isolation: isolation)
  }

  /// Uses the folders and the cache of new settings; `follow(_:)` then loads the scene that they require.
  func use(_ new: SceneSettings) {
    let old = settings
    settings = new
    catalog = SceneCatalog(folders: new.folders)
    if new.cache != old.cache { store = SceneStore(cache: new.cache, isolation: isolation) }
  }

  /// Loads the configured scene if its name differs from the name in the settings `old`; reloads the scene in use if its name now
  /// refers to another folder.
  func follow(_ old: SceneSettings) {
    if settings.load != old.load || (loaded == nil && settings.load != nil) {
      loadConfigured()
    } else if settings.folders != old.folders {
      reloadIfMoved()
    }
  }

  func stop() { isStopped = true }

  private func use(_ new: LoadedScene, reload: Bool, by actor: Actor?, camera: String?) {
    let isOther = loaded?.library !== new.library || loaded?.codes != new.codes || loaded?.copies != new.copies
    loaded = new
    awaited = nil
    onLoad(Change(scene: new, isOther: isOther, isReload: reload, by: actor, camera: camera))
    watch()
  }

  /// Abandons the load in progress, and no longer waits for the files of the configured scene.
  func cancelLoads() {
    loads += 1
    awaited = nil
  }

  func release() { loaded = nil }

  /// Loads a scene on another thread and uses it. The previous scene stays in use until then, and also if loading fails.
  func load(_ name: String, by actor: Actor?, camera: String? = nil, reload: Bool = false) async throws {
    let catalog = catalog
    let entry = try await NIOThreadPool.singleton.runIfActive { catalog.entry(name) }
    guard let entry else {
      if let exhausted = SceneFailure.exhausted(name) { throw fail(exhausted, name) }
      hasTemporaryFailure = false
      if reload {
        hub.publish(
          SceneFailed(
            scene: name, code: "notFound",
            message: "The folder of the scene \"\(name)\" was removed; the loaded scene stays in use.",
            hint: "Put it back, or load another scene.", problems: []))
      }
      throw Self.unknown(name)
    }
    if !reload, let running, running.name == name, running.turn == loads { return try await running.task.value }
    loads += 1
    let turn = loads
    let task = Task { try await load(entry, turn: turn, by: actor, camera: camera, reload: reload) }
    running = (name, turn, task)
    defer { if running?.turn == turn { running = nil } }
    try await task.value
  }

  private func load(
    _ entry: SceneCatalog.Entry, turn: Int, by actor: Actor?, camera: String?, reload: Bool
  ) async throws {
    let name = entry.name
    let store = store
    let previous = loaded
    let result = try await NIOThreadPool.singleton.runIfActive {
      store.load(entry, previous: previous) { done, total in
        ServiceActor.execute { [weak self] in
          guard let self, self.loads == turn else { return }
          self.hub.publish(SceneProgress(scene: name, done: done, total: total))
        }
      }
    }
    guard loads == turn, !isStopped else {
      throw ServiceError(.busy, "Another scene was requested meanwhile.", hint: "Watch scene.loaded.")
    }
    switch result {
    case .success(let scene):
      hasTemporaryFailure = false
      for problem in scene.warnings { hub.log.subsystem(.scenes).warning("\(problem)", metadata: ["scene": "\(name)"]) }
      hub.log.subsystem(.scenes).info(
        "a scene is in use", metadata: ["scene": "\(name)", "anchors": "\(scene.scene.anchors.count)"])
      use(scene, reload: reload && loaded?.name == name, by: actor, camera: camera)
    case .failure(let failure):
      throw fail(failure, name)
    }
  }

  /// Reports that a scene cannot be used, and returns the error for the client. A temporary failure is reported only once.
  private func fail(_ failure: SceneFailure, _ name: String) -> ServiceError {
    if !(failure.isTemporary && hasTemporaryFailure) {
      hub.log.subsystem(.scenes).error(
        "a scene cannot be used",
        metadata: ["scene": "\(name)", "message": "\(failure.message)", "problems": "\(failure.problems)"])
      hub.publish(
        SceneFailed(
          scene: name, code: failure.code, message: failure.message, hint: failure.hint, problems: failure.problems))
    }
    hasTemporaryFailure = failure.isTemporary
    return failure.reply
  }

  private static func unknown(_ name: String) -> ServiceError {
    let shown = name.unicodeScalars.prefix(64).map { $0.value >= 32 ? Character($0) : "?" }
    return ServiceError(.notFound, "There is no scene \"\(String(shown))\".", hint: "scene.list names them.")
  }

  /// Loads the configured scene. If this fails, the scene is loaded again when its files change.
  func loadConfigured() {
    guard let name = settings.load else { return }
    Task { @ServiceActor in
      do {
        try await load(name, by: nil)
        if settings.start { onReady() }
      } catch {
        hub.log.subsystem(.scenes).error(
          "the configured scene cannot be used", metadata: ["scene": "\(name)", "error": "\(error)"])
        // If another scene is in use, it stays in use, and its files are watched.
        guard loaded == nil, settings.load == name, !isStopped else { return }
        awaited = name
        awaitedStamp = nil
        watch()
      }
    }
  }

  /// Reloads the scene in use if its name now refers to another folder.
  private func reloadIfMoved() {
    guard let loaded else { return }
    let (catalog, name, path) = (catalog, loaded.name, loaded.folder.path)
    Task { @ServiceActor in
      let entry = try? await NIOThreadPool.singleton.runIfActive { catalog.entry(name) }
      guard let entry, SceneFolder(entry.path)?.path != path, self.loaded?.name == name else { return }
      try? await load(name, by: nil, reload: true)
    }
  }

  /// Checks the files of the scene regularly. Reloads the scene when they have changed and then stayed the same between two checks.
  private func watch() {
    guard !isWatching else { return }
    isWatching = true
    look(at: nil)
  }

  /// Schedules the next check of the files.
  ///
  /// - Parameter changed: the changed state of the files at the last check; nil if they had not changed.
  private func look(at changed: SceneFingerprint?) {
    ServiceActor.schedule(after: settings.watchInterval) { [weak self] in
      guard let self, !self.isStopped, self.loaded != nil || self.awaited != nil else {
        self?.isWatching = false
        return
      }
      Task { @ServiceActor in self.look(at: await self.reloadIfChanged(changed)) }
    }
  }

  /// Reloads the scene if its files have changed and the state is the same as at the last check, `changed`.
  ///
  /// - Returns: the state of the files if it is to be compared at the next check, because it has changed since the last check and
  ///   the files may still be written, or because the reload failed for a temporary reason; otherwise nil.
  private func reloadIfChanged(_ changed: SceneFingerprint?) async -> SceneFingerprint? {
    let (scene, name, catalog) = (loaded, awaited, catalog)
    let stamp = try? await NIOThreadPool.singleton.runIfActive {
      if let scene { return SceneFingerprint(folder: scene.folder, scene: scene.scene) }
      return SceneFingerprint(everythingIn: name.flatMap { catalog.entry($0)?.path })
    }
    guard let stamp, !isStopped, loaded?.name == scene?.name, awaited == name else { return nil }
    if scene == nil, awaitedStamp == nil {
      awaitedStamp = stamp
      // The files may have been corrected after the failed load and before this first fingerprint.
      if let name { try? await load(name, by: nil) }
      if loaded != nil, settings.start { onReady() }
      if loaded == nil, hasTemporaryFailure { awaitedStamp = nil }
      return nil
    }
    guard stamp != (loaded?.stamp ?? awaitedStamp) else { return nil }
    // Files that are still being written are not loaded, so their state has to be the same at two checks.
    guard stamp == changed else { return stamp }
    // This state of the files is not loaded again, even if loading fails, unless the failure is temporary.
    let before = (loaded?.stamp, awaitedStamp)
    if scene != nil { loaded?.stamp = stamp } else { awaitedStamp = stamp }
    if let scene {
      try? await load(scene.name, by: nil, reload: true)
    } else if let name {
      try? await load(name, by: nil)
      if loaded != nil, settings.start { onReady() }
    }
    guard hasTemporaryFailure, loaded?.name == scene?.name else { return nil }
    if let stamp = before.0 { loaded?.stamp = stamp } else { awaitedStamp = before.1 }
    return stamp
  }
}

/// A camera in which anchors can be followed.
@ServiceActor
struct AnchorView {
  let name: String
  let lane: AnchorLane
  let capture: CaptureModule
  /// The module that reads the codes in the camera's frames; nil if no codes are found as anchors.
  let scans: ScanModule?

  /// Returns the calibrations and the field of view of the device in use.
  func choice(of settings: SceneSettings) -> CameraChoice {
    settings.choice(of: name).narrowed(to: capture.pipeline.status.device)
  }
}
