import NIOPosix
import WaymarkImage
import WaymarkProtocol
import WaymarkScenes
package import WaymarkServer

/// The methods of scenes, sessions and annotations: passes the requests of clients to `ScenesModule`.
@ServiceActor
package final class SceneMethods: ServerModule {
  private let module: ScenesModule
  /// The newest request `session.start`, with its number; nil after it has been answered.
  private var starting: (number: Int, task: Task<Void, Never>)?
  private var starts = 0

  /// Creates the methods, which act on `module`.
  package init(_ module: ScenesModule) { self.module = module }

  package func register(in methods: inout MethodTable) {
    registerScenes(in: &methods)
    registerSession(in: &methods)
    registerAnnotations(in: &methods)
  }

  private func registerScenes(in methods: inout MethodTable) {
    methods.addLater(SceneListRequest.self) { [self] _, _ in
      let (catalog, current) = (module.catalog, module.loaded?.name)
      return {
        let entries = try await NIOThreadPool.singleton.runIfActive {
          catalog.entries().map { ($0.name, SceneLoader.load(folder: $0.path).scene?.name) }
        }
        return SceneListResult(
          scenes: entries.map { SceneSummary(scene: $0.0, title: $0.1, loaded: $0.0 == current) })
      }
    }
    methods.addLater(SceneLoadRequest.self) { [self] request, connection in
      let actor = connection.actor
      return { [self] in
        try await module.load(request.name, by: actor, camera: request.camera)
        return SceneLoadResult(scene: request.name)
      }
    }
    methods.add(SceneUnloadRequest.self) { [self] _, connection in
      module.unload(by: connection.actor)
      return Empty()
    }
  }

  private func registerSession(in methods: inout MethodTable) {
    methods.addLater(SessionStartRequest.self) { [self] request, connection in
      let start = Task { @ServiceActor [self] in try await begin(request, by: connection.actor) }
      starts += 1
      let number = starts
      let end = Task { @ServiceActor [self] in
        _ = await start.result
        if starting?.number == number { starting = nil }
      }
      starting = (number, end)
      return { try await start.value }
    }
    // A client may send these requests right after `session.start`; they wait until that request has loaded its scene.
    methods.add(SessionScanRequest.self, after: { [self] in starting?.task }) { [self] _, connection in
      try move(.scan, by: connection.actor)
    }
    methods.add(SessionCoachRequest.self, after: { [self] in starting?.task }) { [self] _, connection in
      try move(.coach, by: connection.actor)
    }
    methods.add(SessionExitRequest.self) { [self] _, connection in try move(.exit, by: connection.actor) }
  }

  private func registerAnnotations(in methods: inout MethodTable) {
    methods.add(AnnotationSelectRequest.self) { [self] request, connection in
      let input: SessionInput
      switch (request.id, request.copy, request.point) {
      case (let id?, let copy, nil): input = .select(id: id, copy: copy)
      case (nil, nil, let point?) where point.count == 2 && point.allSatisfy(\.isFinite):
        input = .tap(SIMD2(point[0], point[1]))
      default:
        throw ServiceError(
          .badParams, "annotation.select takes an id or a point of the frame.",
          hint: "Send id, with a copy where one is meant, or point as [x, y] in pixels.")
      }
      return try focus(input, by: connection.actor)
    }
    methods.add(AnnotationNextRequest.self) { [self] _, connection in try focus(.next, by: connection.actor) }
    methods.add(AnnotationPreviousRequest.self) { [self] _, connection in try focus(.previous, by: connection.actor) }
    methods.add(AnnotationClearRequest.self) { [self] _, connection in try focus(.clear, by: connection.actor) }
    methods.add(CardOpenRequest.self) { [self] request, connection in
      try focus(.openCard(id: try target(request.id), copy: request.copy), by: connection.actor)
    }
    methods.add(CardCloseRequest.self) { [self] _, connection in try focus(.closeCard, by: connection.actor) }
    methods.add(CardActionRequest.self) { [self] request, connection in
      let id = try target(request.id)
      _ = try focus(.cardAction(id: id, copy: request.copy), by: connection.actor)
      guard let annotation = module.session.annotation(id),
        let type = SessionWire.actionType(annotation.card?.actionType)
      else { throw reply(.noAction(id)) }
      return CardActionResult(
        id: id, copy: module.session.meant(annotation, request.copy), actionType: type,
        actionData: annotation.card?.actionData, businessObject: annotation.businessObject)
    }
  }

  /// Returns the requested annotation, or the selected annotation if the id is nil.
  private func target(_ id: String?) throws -> String {
    guard let id = id ?? module.session.selected else {
      throw ServiceError(.notFound, "No annotation is selected.", hint: "Send an id, or select an annotation first.")
    }
    return id
  }

  private func begin(_ request: SessionStartRequest, by actor: Actor) async throws -> SessionResult {
    if let name = request.scene {
      if !module.uses(name, in: request.camera) {
        try await module.load(name, by: actor, camera: request.camera)
      }
    } else {
      try module.follow(in: request.camera)
    }
    return try move(.start, by: actor)
  }

  private func move(_ input: SessionInput, by actor: Actor) throws -> SessionResult {
    if let refusal = module.send(input, by: actor) { throw reply(refusal) }
    return SessionResult(phase: SessionWire.phase(module.session.phase))
  }

  private func focus(_ input: SessionInput, by actor: Actor) throws -> AnnotationResult {
    if let refusal = module.send(input, by: actor) { throw reply(refusal) }
    return AnnotationResult(
      id: module.session.selected, copy: module.session.selectedCopy, open: module.session.openCard != nil)
  }

  private func reply(_ refusal: SessionRefusal) -> ServiceError {
    let code: ServiceError.Code =
      switch refusal {
      case .noScene: .noScene
      case .wrongPhase: .wrongPhase
      case .unknownAnnotation, .unknownCopy, .noMarkerThere, .noCard, .noAction: .notFound
      }
    return ServiceError(code, refusal.message, hint: refusal.hint)
  }
}
