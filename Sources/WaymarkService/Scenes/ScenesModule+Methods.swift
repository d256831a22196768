import NIOPosix
import WaymarkGeometry
import WaymarkProtocol
import WaymarkScenes
package import WaymarkServer

extension ScenesModule {
  package func register(in methods: inout MethodTable) {
    registerScenes(in: &methods)
    registerSession(in: &methods)
    registerAnnotations(in: &methods)
  }

  private func registerScenes(in methods: inout MethodTable) {
    methods.addLater(SceneListRequest.self, observers: true) { [weak self] _, _ in
      guard let self else { throw Self.stopping }
      let (catalog, current) = (self.catalog, self.loaded?.name)
      return {
        let entries = try await NIOThreadPool.singleton.runIfActive {
          catalog.entries().map { ($0.name, SceneLoader.load(folder: $0.path).scene?.name) }
        }
        return SceneListResult(
          scenes: entries.map { SceneSummary(scene: $0.0, title: $0.1, loaded: $0.0 == current) })
      }
    }
    methods.addLater(SceneLoadRequest.self) { [weak self] request, connection in
      guard let self else { throw Self.stopping }
      let actor = connection.actor
      return {
        try await self.load(request.name, by: actor)
        return SceneLoadResult(scene: request.name)
      }
    }
    methods.add(SceneUnloadRequest.self) { [weak self] _, connection in
      self?.unload(by: connection.actor)
      return Empty()
    }
  }

  private func registerSession(in methods: inout MethodTable) {
    methods.addLater(SessionStartRequest.self) { [weak self] request, connection in
      guard let self else { throw Self.stopping }
      let actor = connection.actor
      return {
        if let name = request.scene, await self.loaded?.name != name { try await self.load(name, by: actor) }
        return try await self.move(.start, by: actor)
      }
    }
    methods.add(SessionScanRequest.self) { [weak self] _, connection in
      try self?.move(.scan, by: connection.actor) ?? SessionResult(phase: .inactive)
    }
    methods.add(SessionCoachRequest.self) { [weak self] _, connection in
      try self?.move(.coach, by: connection.actor) ?? SessionResult(phase: .inactive)
    }
    methods.add(SessionExitRequest.self) { [weak self] _, connection in
      try self?.move(.exit, by: connection.actor) ?? SessionResult(phase: .inactive)
    }
  }

  private func registerAnnotations(in methods: inout MethodTable) {
    methods.add(AnnotationSelectRequest.self) { [weak self] request, connection in
      let input: SessionInput
      switch (request.id, request.point) {
      case (let id?, nil): input = .select(id: id)
      case (nil, let point?) where point.count == 2 && point.allSatisfy(\.isFinite):
        input = .tap(SIMD2(point[0], point[1]))
      default:
        throw ServiceError(
          .badParams, "annotation.select takes an id or a point of the frame.",
          hint: "Send id, or point as [x, y] in pixels.")
      }
      return try self?.focus(input, by: connection.actor) ?? AnnotationResult()
    }
    methods.add(AnnotationNextRequest.self) { [weak self] _, connection in
      try self?.focus(.next, by: connection.actor) ?? AnnotationResult()
    }
    methods.add(AnnotationPreviousRequest.self) { [weak self] _, connection in
      try self?.focus(.previous, by: connection.actor) ?? AnnotationResult()
    }
    methods.add(AnnotationClearRequest.self) { [weak self] _, connection in
      try self?.focus(.clear, by: connection.actor) ?? AnnotationResult()
    }
    methods.add(CardOpenRequest.self) { [weak self] request, connection in
      guard let self else { throw Self.stopping }
      return try self.focus(.openCard(id: try self.target(request.id)), by: connection.actor)
    }
    methods.add(CardCloseRequest.self) { [weak self] _, connection in
      try self?.focus(.closeCard, by: connection.actor) ?? AnnotationResult()
    }
    methods.add(CardActionRequest.self) { [weak self] request, connection in
      guard let self else { throw Self.stopping }
      let id = try self.target(request.id)
      _ = try self.focus(.cardAction(id: id), by: connection.actor)
      guard let annotation = self.session.annotation(id), let type = SessionWire.actionType(annotation.card?.actionType)
      else { throw Self.reply(.noAction(id)) }
      return CardActionResult(
        id: id, actionType: type, actionData: annotation.card?.actionData,
        businessObject: annotation.businessObject.map(SessionWire.json))
    }
  }

  /// The annotation that is meant: the named one, else the selected one.
  private func target(_ id: String?) throws -> String {
    guard let id = id ?? session.selected else {
      throw ServiceError(.notFound, "No annotation is selected.", hint: "Send an id, or select an annotation first.")
    }
    return id
  }

  private func move(_ input: SessionInput, by actor: Actor) throws -> SessionResult {
    if let refusal = send(input, by: actor) { throw Self.reply(refusal) }
    return SessionResult(phase: SessionWire.phase(session.phase))
  }

  private func focus(_ input: SessionInput, by actor: Actor) throws -> AnnotationResult {
    if let refusal = send(input, by: actor) { throw Self.reply(refusal) }
    return AnnotationResult(id: session.selected, open: session.openCard != nil)
  }

  private static func reply(_ refusal: SessionRefusal) -> ServiceError {
    let code: ServiceError.Code =
      switch refusal {
      case .noScene: .noScene
      case .wrongPhase: .wrongPhase
      case .unknownAnnotation, .noMarkerThere, .noCard, .noAction: .notFound
      }
    return ServiceError(code, refusal.message, hint: refusal.hint)
  }

  private static var stopping: ServiceError {
    ServiceError(.internalError, "The service is stopping.", hint: "Connect again later.")
  }
}
