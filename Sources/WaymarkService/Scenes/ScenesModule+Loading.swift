import Logging
import NIOPosix
import WaymarkProtocol
import WaymarkScenes

extension ScenesModule {
  /// Loads a scene in the background and takes it into use; what was in use stays until then, and if this fails.
  func load(_ name: String, by actor: Actor?, reload: Bool = false) async throws {
    let catalog = catalog
    let entry = try await NIOThreadPool.singleton.runIfActive { catalog.entry(name) }
    guard let entry else { throw Self.unknown(name) }
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
      throw ServiceError(.busy, "Another scene was asked for meanwhile.", hint: "Watch scene.loaded.")
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

  /// Looks once a second whether the files of the scene have changed, and loads it again if they have and are at rest.
  func watch() {
    guard !watching else { return }
    watching = true
    look(at: nil)
  }

  /// - Parameter changed: the look of the files when they were first seen to differ.
  private func look(at changed: SceneStamp?) {
    ServiceActor.schedule(after: 1) { [weak self] in
      guard let self, !self.isStopped, let scene = self.loaded else {
        self?.watching = false
        return
      }
      Task { @ServiceActor in
        let stamp = try? await NIOThreadPool.singleton.runIfActive {
          SceneStamp(folder: scene.folder, scene: scene.scene)
        }
        guard let stamp, let now = self.loaded, now.name == scene.name, stamp != now.stamp else {
          return self.look(at: nil)
        }
        // Half-written files are left alone: the look must have been the same a second ago.
        guard stamp == changed else { return self.look(at: stamp) }
        // Whatever comes of it, this state of the files is not tried again.
        self.loaded?.stamp = stamp
        try? await self.load(scene.name, by: nil, reload: true)
        self.look(at: nil)
      }
    }
  }
}
