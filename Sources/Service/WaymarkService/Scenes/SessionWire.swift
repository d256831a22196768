import WaymarkAnchors
import WaymarkBarcodes
package import WaymarkImage
package import WaymarkProtocol
import WaymarkScenes
import WaymarkSystem

/// Converts the values of the session to values of the protocol.
enum SessionWire {
  static func phase(_ status: SessionStatus, _ loaded: LoadedScene?, by actor: Actor?) -> SessionPhaseEvent {
    let scene = loaded?.name
    return SessionPhaseEvent(
      phase: phase(status.phase),
      primaryAction: status.primaryAction.map(PrimaryAction.init),
      guide: status.guide.map { name in
        let anchor = loaded?.scene.anchors.first { $0.name == name }
        return SessionGuide(anchor: name, resource: anchor.map(resource) ?? resource(anchor: name))
      },
      scene: scene,
      instruction: status.instruction, by: actor)
  }

  static func phase(_ phase: ScenePhase) -> SessionPhase {
    switch phase {
    case .inactive: .inactive
    case .coaching: .coaching
    case .scanning: .scanning
    case .matched: .matched
    case .annotating: .annotating
    }
  }

  // The ids of pictures for `media.resource`.
  static func resource(anchor: String) -> String { "anchor/\(anchor)" }
  private static func resource(_ anchor: SceneAnchor) -> String? {
    anchor.image == nil ? nil : resource(anchor: anchor.name)
  }
  static func resource(card id: String) -> String { "card/\(id)" }
  static func resource(icon id: String) -> String { "icon/\(id)" }

  /// Converts the detection of an anchor to its event.
  ///
  /// - Parameter isHarmless: true if observers may see the content of the code.
  static func found(_ seen: AnchorDetection, isHarmless: Bool) -> AnchorFound {
    var found = AnchorFound(
      anchor: seen.anchor, copy: seen.copy, corners: ScanWire.corners(seen.corners), pose: pose(seen.pose),
      score: seen.score,
      ambiguous: seen.ambiguous)
    if let symbol = seen.code {
      found.code = AnchorCodeContent(symbology: symbol.symbology.rawValue, text: symbol.text)
      found.code?.isHarmless = isHarmless
    }
    return found
  }

  static func updated(_ states: [AnchorState], _ camera: Intrinsics) -> AnchorsUpdated {
    AnchorsUpdated(anchors: states.map(tracking), intrinsics: camera)
  }

  private static func tracking(_ state: AnchorState) -> AnchorTracking {
    AnchorTracking(
      anchor: state.anchor, copy: state.copy,
      trackingMethod: TrackingMethod(state.method),
      corners: state.sighting.map { ScanWire.corners($0.corners) } ?? [],
      outline: state.sighting.flatMap { $0.outline.isEmpty ? nil : $0.outline.map { [$0.x, $0.y] } },
      homography: state.sighting?.homography.normalized.rowMajor ?? [],
      uncertainty: state.sighting?.uncertainty.map { [$0.x, $0.y, $0.z, $0.w] }, pose: pose(state.sighting?.pose),
      rawPose: pose(state.sighting?.rawPose), score: state.sighting?.score, ambiguous: state.sighting?.ambiguous,
      markers: state.markers.map {
        MarkerTracking(
          id: $0.id, visible: $0.visible, selected: $0.selected, screen: $0.screen.map { [$0.x, $0.y] }, depth: $0.depth
        )
      })
  }

  static func pose(_ pose: Pose?) -> PoseValue? { pose.map(PoseValue.init) }

  static func intrinsics(_ camera: CameraIntrinsics) -> Intrinsics {
    Intrinsics(
      fx: camera.focal.x, fy: camera.focal.y, cx: camera.center.x, cy: camera.center.y,
      distortion: camera.distortion.values, source: IntrinsicsSource(camera.source))
  }

  /// Converts the card of an annotation. For an annotation without a card, creates a card with the annotation's id as title, so
  /// that clients can always show a card.
  static func card(_ annotation: Annotation) -> Card {
    guard let card = annotation.card else { return Card(title: annotation.id) }
    return Card(
      title: card.title, description: card.description,
      image: card.image == nil ? nil : resource(card: annotation.id), actionText: card.actionText,
      actionType: actionType(card.actionType), actionData: card.actionData, language: card.language)
  }

  static func actionType(_ type: CardActionType?) -> ActionType? { type.map(ActionType.init) }

  private static func code(_ code: SceneCode) -> AnchorCodeDescription {
    var description = AnchorCodeDescription(
      symbologies: code.symbologies.isEmpty ? nil : code.symbologies.map(\.rawValue))
    switch code.content {
    case .text(let text): description.text = text
    case .prefix(let prefix): description.prefix = prefix
    case .pattern(let pattern): description.pattern = pattern.expression
    case .gs1(let identifier, let value):
      description.identifier = identifier
      description.value = value
    }
    return description
  }

  static func description(_ name: String, _ scene: Scene, _ library: AnchorLibrary?) -> SceneDescription {
    SceneDescription(
      scene: name, title: scene.name,
      anchors: scene.anchors.map { anchor in
        let found = library.flatMap { library in library.index(of: anchor.name).map { (library, $0) } }
        let reference = found.map { $0.references[$1] }
        return AnchorDescription(
          anchor: anchor.name, resource: resource(anchor), width: reference?.width, height: reference?.height,
          quality: found.map { $0.quality(of: $1) }, code: anchor.code.map(code), physicalWidth: anchor.physicalWidth,
          radius: anchor.radius,
          copies: anchor.copies > 1 ? anchor.copies : nil,
          annotate: anchor.copies > 1 ? AnnotatedCopies(anchor.annotate) : nil,
          annotations: anchor.annotations.map { annotation in
            let icon = annotation.marker.icon.map { Scene.isPicturePath($0) ? resource(icon: annotation.id) : $0 }
            let p = annotation.position
            return AnnotationDescription(
              id: annotation.id, position: [p.x, p.y, p.z], icon: icon, card: card(annotation),
              businessObject: annotation.businessObject)
          })
      })
  }
}

extension PoseValue {
  package init(_ pose: Pose) {
    let (p, q) = (pose.position, pose.orientation.vector)
    self.init(position: [p.x, p.y, p.z], orientation: [q.x, q.y, q.z, q.w], matrix: pose.matrix)
  }
}
