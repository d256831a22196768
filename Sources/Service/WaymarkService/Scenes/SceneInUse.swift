import Logging
import NIOPosix
import WaymarkProtocol
import WaymarkScenes
import WaymarkServer
import WaymarkWorker

/// The scene in use: loads it off the loop, watches its files, and loads it again when they have changed.
///
/// It tells how loading goes and why it fails; what a new scene means for the session is told to `onLoad`.
@ServiceActor
final class SceneInUse {
  /// A scene that was taken into use, and how.
  struct Change {
    var scene: LoadedScene
    /// True if what is looked for is another than before.
    var isOther: Bool
    /// True if it is the same scene with other files.
    var isReload: Bool
    var by: Actor?
    /// The camera that was asked for.
    var camera: String?
  }

  private(set) var loaded: LoadedScene?
  private(set) var catalog: SceneCatalog
  private var store: SceneStore
  private var settings: SceneSettings
  /// Counts loads: a newer one of another scene takes the place of the one that runs.
  private var loads = 0
  /// The load that runs: whoever asks for the same scene meanwhile waits for it.
  private var running: (name: String, turn: Int, task: Task<Void, any Error>)?
  private var isWatching = false
  /// The scene of the configuration while it cannot be used: it is tried again when its files change.
  private var awaited: String?
  private var awaitedStamp: SceneFingerprint?
  private var isStopped = false
  private unowned let hub: Hub
  private let isolation: Isolation
  /// Called when a scene is in use.
  private let onLoad: @ServiceActor (Change) -> Void
  /// Called when the session of the configured scene is to start.
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

  /// Takes over where scenes are now; `follow` then loads what that means.
  func use(_ new: SceneSettings) {
    let old = settings
    settings = new
    catalog = SceneCatalog(folders: new.folders)
    if new.cache != old.cache { store = SceneStore(cache: new.cache, isolation: isolation) }
  }

  /// Loads what the settings name now and did not name before: another scene, or the one in use where its name now means another
  /// folder.
  func follow(_ old: SceneSettings) {
    if settings.load != old.load || (loaded == nil && settings.load != nil) {
      loadConfigured()
    } else if settings.folders != old.folders {
      reloadIfMoved()
    }
  }

  func stop() { isStopped = true }

  /// Takes a scene into use.
  private func use(_ new: LoadedScene, reload: Bool, by actor: Actor?, camera: String?) {
    let isOther = loaded?.library !== new.library || loaded?.codes != new.codes || loaded?.copies != new.copies
    loaded = new
    awaited = nil
    onLoad(Change(scene: new, isOther: isOther, isReload: reload, by: actor, camera: camera))
    watch()
  }

  /// Waits for no scene any more, neither one that loads nor one whose files have to be mended first.
  func waitForNone() {
    loads += 1
    awaited = nil
  }

  /// Uses no scene any longer.
  func release() { loaded = nil }

  /// Loads a scene off the loop and takes it into use; what was in use stays until then, and if this fails.
  func load(_ name: String, by actor: Actor?, camera: String? = nil, reload: Bool = false) async throws {
    let catalog = catalog
    let entry = try await NIOThreadPool.singleton.runIfActive { catalog.entry(name) }
    guard let entry else {
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
      for problem in scene.warnings { hub.log.subsystem(.scenes).warning("\(problem)", metadata: ["scene": "\(name)"]) }
      hub.log.subsystem(.scenes).info(
        "a scene is in use", metadata: ["scene": "\(name)", "anchors": "\(scene.scene.anchors.count)"])
      use(scene, reload: reload && loaded?.name == name, by: actor, camera: camera)
    case .failure(let failure):
      hub.log.subsystem(.scenes).error(
        "a scene cannot be used", metadata: ["scene": "\(name)", "problems": "\(failure.problems)"])
      hub.publish(
        SceneFailed(
          scene: name, code: failure.code, message: failure.message, hint: failure.hint, problems: failure.problems))
      throw ServiceError(
        ServiceError.Code(rawValue: failure.code), failure.message,
        hint: failure.problems.first.map { "\(failure.hint) First: \($0)" } ?? failure.hint)
    }
  }

  private static func unknown(_ name: String) -> ServiceError {
    let shown = name.unicodeScalars.prefix(64).map { $0.value >= 32 ? Character($0) : "?" }
    return ServiceError(.notFound, "There is no scene \"\(String(shown))\".", hint: "scene.list names them.")
  }

  /// Loads the scene that the configuration names; one that cannot be used is tried again when its files change.
  func loadConfigured() {
    guard let name = settings.load else { return }
    Task { @ServiceActor in
      do {
        try await load(name, by: nil)
        if settings.start { onReady() }
      } catch {
        hub.log.subsystem(.scenes).error(
          "the configured scene cannot be used", metadata: ["scene": "\(name)", "error": "\(error)"])
        // Where another scene is in use, that one is watched, and stays.
        guard loaded == nil, settings.load == name, !isStopped else { return }
        awaited = name
        awaitedStamp = nil
        watch()
      }
    }
  }

  /// Loads the scene in use again where its name means another folder by now.
  private func reloadIfMoved() {
    guard let loaded else { return }
    let (catalog, name, path) = (catalog, loaded.name, loaded.folder.path)
    Task { @ServiceActor in
      let entry = try? await NIOThreadPool.singleton.runIfActive { catalog.entry(name) }
      guard let entry, SceneFolder(entry.path)?.path != path, self.loaded?.name == name else { return }
      try? await load(name, by: nil, reload: true)
    }
  }

  /// Looks regularly whether the files of the scene have changed, and loads it again if they have and are at rest.
  private func watch() {
    guard !isWatching else { return }
    isWatching = true
    look(at: nil)
  }

  /// - Parameter changed: the look of the files when they were first seen to differ.
  private func look(at changed: SceneFingerprint?) {
    ServiceActor.schedule(after: settings.watchInterval) { [weak self] in
      guard let self, !self.isStopped, self.loaded != nil || self.awaited != nil else {
        self?.isWatching = false
        return
      }
      Task { @ServiceActor in self.look(at: await self.reloadIfChanged(changed)) }
    }
  }

  /// - Returns: how the files look when they have changed but are not yet known to be at rest.
  private func reloadIfChanged(_ changed: SceneFingerprint?) async -> SceneFingerprint? {
    let (scene, name, catalog) = (loaded, awaited, catalog)
    let stamp = try? await NIOThreadPool.singleton.runIfActive {
      if let scene { return SceneFingerprint(folder: scene.folder, scene: scene.scene) }
      return SceneFingerprint(everythingIn: name.flatMap { catalog.entry($0)?.path })
    }
    guard let stamp, !isStopped, loaded?.name == scene?.name, awaited == name else { return nil }
    if scene == nil, awaitedStamp == nil {
      awaitedStamp = stamp
      // It may have been mended since it was read.
      if let name { try? await load(name, by: nil) }
      if loaded != nil, settings.start { onReady() }
      return nil
    }
    guard stamp != (loaded?.stamp ?? awaitedStamp) else { return nil }
    // Half-written files are left alone: the look must have been the same the last time.
    guard stamp == changed else { return stamp }
    // This state of the files is not tried again, however it ends.
    if scene != nil { loaded?.stamp = stamp } else { awaitedStamp = stamp }
    if let scene {
      try? await load(scene.name, by: nil, reload: true)
    } else if let name {
      try? await load(name, by: nil)
      if loaded != nil, settings.start { onReady() }
    }
    return nil
  }
}
