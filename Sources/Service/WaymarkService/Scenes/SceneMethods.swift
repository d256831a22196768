import NIOPosix
import WaymarkImage
import WaymarkProtocol
import WaymarkScenes
import WaymarkServer

/// The methods of scenes, sessions and annotations: what clients ask for, as inputs of the session.
@ServiceActor
enum SceneMethods {
  static func register(_ module: SceneSession, in methods: inout MethodTable) {
    registerScenes(module, in: &methods)
    registerSession(module, in: &methods)
    registerAnnotations(module, in: &methods)
  }

  private static func registerScenes(_ module: SceneSession, in methods: inout MethodTable) {
    methods.addLater(SceneListRequest.self) { [weak module] _, _ in
      guard let module else { throw stopping }
      let (catalog, current) = (module.catalog, module.loaded?.name)
      return {
        let entries = try await NIOThreadPool.singleton.runIfActive {
          catalog.entries().map { ($0.name, SceneLoader.load(folder: $0.path).scene?.name) }
        }
        return SceneListResult(
          scenes: entries.map { SceneSummary(scene: $0.0, title: $0.1, loaded: $0.0 == current) })
      }
    }
    methods.addLater(SceneLoadRequest.self) { [weak module] request, connection in
      guard let module else { throw stopping }
      let actor = connection.actor
      return {
        try await module.load(request.name, by: actor, camera: request.camera)
        return SceneLoadResult(scene: request.name)
      }
    }
    methods.add(SceneUnloadRequest.self) { [weak module] _, connection in
      module?.unload(by: connection.actor)
      return Empty()
    }
  }

  private static func registerSession(_ module: SceneSession, in methods: inout MethodTable) {
    methods.addLater(SessionStartRequest.self) { [weak module] request, connection in
      guard let module else { throw stopping }
      let actor = connection.actor
      return {
        if let name = request.scene {
          if await !module.uses(name, in: request.camera) {
            try await module.load(name, by: actor, camera: request.camera)
          }
        } else {
          try await module.follow(in: request.camera)
        }
        return try await move(.start, by: actor, in: module)
      }
    }
    methods.add(SessionScanRequest.self) { [weak module] _, connection in
      try module.map { try move(.scan, by: connection.actor, in: $0) } ?? SessionResult(phase: .inactive)
    }
    methods.add(SessionCoachRequest.self) { [weak module] _, connection in
      try module.map { try move(.coach, by: connection.actor, in: $0) } ?? SessionResult(phase: .inactive)
    }
    methods.add(SessionExitRequest.self) { [weak module] _, connection in
      try module.map { try move(.exit, by: connection.actor, in: $0) } ?? SessionResult(phase: .inactive)
    }
  }

  private static func registerAnnotations(_ module: SceneSession, in methods: inout MethodTable) {
    methods.add(AnnotationSelectRequest.self) { [weak module] request, connection in
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
      return try module.map { try focus(input, by: connection.actor, in: $0) } ?? AnnotationResult()
    }
    methods.add(AnnotationNextRequest.self) { [weak module] _, connection in
      try module.map { try focus(.next, by: connection.actor, in: $0) } ?? AnnotationResult()
    }
    methods.add(AnnotationPreviousRequest.self) { [weak module] _, connection in
      try module.map { try focus(.previous, by: connection.actor, in: $0) } ?? AnnotationResult()
    }
    methods.add(AnnotationClearRequest.self) { [weak module] _, connection in
      try module.map { try focus(.clear, by: connection.actor, in: $0) } ?? AnnotationResult()
    }
    methods.add(CardOpenRequest.self) { [weak module] request, connection in
      guard let module else { throw stopping }
      return try focus(
        .openCard(id: try target(request.id, in: module), copy: request.copy), by: connection.actor, in: module)
    }
    methods.add(CardCloseRequest.self) { [weak module] _, connection in
      try module.map { try focus(.closeCard, by: connection.actor, in: $0) } ?? AnnotationResult()
    }
    methods.add(CardActionRequest.self) { [weak module] request, connection in
      guard let module else { throw stopping }
      let id = try target(request.id, in: module)
      _ = try focus(.cardAction(id: id, copy: request.copy), by: connection.actor, in: module)
      guard let annotation = module.session.annotation(id),
        let type = SessionWire.actionType(annotation.card?.actionType)
      else { throw reply(.noAction(id)) }
      return CardActionResult(
        id: id, copy: module.session.meant(annotation, request.copy), actionType: type,
        actionData: annotation.card?.actionData,
        businessObject: annotation.businessObject.map(SessionWire.json))
    }
  }

  /// The annotation that is meant: the named one, else the selected one.
  private static func target(_ id: String?, in module: SceneSession) throws -> String {
    guard let id = id ?? module.session.selected else {
      throw ServiceError(.notFound, "No annotation is selected.", hint: "Send an id, or select an annotation first.")
    }
    return id
  }

  private static func move(_ input: SessionInput, by actor: Actor, in module: SceneSession) throws -> SessionResult {
    if let refusal = module.send(input, by: actor) { throw reply(refusal) }
    return SessionResult(phase: SessionWire.phase(module.session.phase))
  }

  private static func focus(_ input: SessionInput, by actor: Actor, in module: SceneSession) throws -> AnnotationResult
  {
    if let refusal = module.send(input, by: actor) { throw reply(refusal) }
    return AnnotationResult(
      id: module.session.selected, copy: module.session.selectedCopy, open: module.session.openCard != nil)
  }

  private static func reply(_ refusal: SessionRefusal) -> ServiceError {
    let code: ServiceError.Code =
      switch refusal {
      case .noScene: .noScene
      case .wrongPhase: .wrongPhase
      case .unknownAnnotation, .unknownCopy, .noMarkerThere, .noCard, .noAction: .notFound
      }
    return ServiceError(code, refusal.message, hint: refusal.hint)
  }

  private static var stopping: ServiceError {
    ServiceError(.internalError, "The service is stopping.", hint: "Connect again later.")
  }
}
