import Logging
import NIOPosix
import WaymarkProtocol
import WaymarkScenes
import WaymarkServer

extension ScenesModule {
  /// Loads a scene in the background and takes it into use; what was in use stays until then, and if this fails.
  func load(_ name: String, by actor: Actor?, reload: Bool = false) async throws {
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
    loading += 1
    let turn = loading
    let store = store
    let previous = loaded
    let result = try await NIOThreadPool.singleton.runIfActive {
      store.load(entry, previous: previous) { done, total in
        ServiceActor.execute { [weak self] in
          guard let self, self.loading == turn else { return }
          self.hub.publish(SceneProgress(scene: name, done: done, total: total))
        }
      }
    }
    guard loading == turn, !isStopped else {
      throw ServiceError(.busy, "Another scene was requested meanwhile.", hint: "Watch scene.loaded.")
    }
    switch result {
    case .success(let scene):
      for problem in scene.warnings { hub.log.subsystem(.scenes).warning("\(problem)", metadata: ["scene": "\(name)"]) }
      hub.log.subsystem(.scenes).info(
        "a scene is in use", metadata: ["scene": "\(name)", "anchors": "\(scene.scene.anchors.count)"])
      use(scene, reload: reload && loaded?.name == name, by: actor)
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

  static func unknown(_ name: String) -> ServiceError {
    let shown = name.unicodeScalars.prefix(64).map { $0.value >= 32 ? Character($0) : "?" }
    return ServiceError(.notFound, "There is no scene \"\(String(shown))\".", hint: "scene.list names them.")
  }

  /// Loads the scene that the configuration names; one that cannot be used is tried again when its files change.
  func loadConfigured() {
    guard let name = settings.load else { return }
    Task { @ServiceActor in
      do {
        try await load(name, by: nil)
        if settings.start { send(.start, by: nil) }
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
  func reloadIfMoved() {
    guard let loaded else { return }
    let (catalog, name, path) = (catalog, loaded.name, loaded.folder.path)
    Task { @ServiceActor in
      let entry = try? await NIOThreadPool.singleton.runIfActive { catalog.entry(name) }
      guard let entry, SceneFolder(entry.path)?.path != path, self.loaded?.name == name else { return }
      try? await load(name, by: nil, reload: true)
    }
  }

  /// Looks regularly whether the files of the scene have changed, and loads it again if they have and are at rest.
  func watch() {
    guard !watching else { return }
    watching = true
    look(at: nil)
  }

  /// - Parameter changed: the look of the files when they were first seen to differ.
  private func look(at changed: SceneFingerprint?) {
    ServiceActor.schedule(after: settings.watchInterval) { [weak self] in
      guard let self, !self.isStopped, self.loaded != nil || self.awaited != nil else {
        self?.watching = false
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
      if loaded != nil, settings.start { send(.start, by: nil) }
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
      if loaded != nil, settings.start { send(.start, by: nil) }
    }
    return nil
  }
}
