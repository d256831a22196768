import WaymarkGeometry
import WaymarkSystem

extension Session {
  mutating func start(_ effects: inout [SessionEffect]) {
    guard scene != nil else { return effects.append(.refused(.noScene)) }
    // The session belongs to the device: a second client joins the one that runs.
    guard phase == .inactive else { return }
    coachingClosed = false
    enter(.coaching, &effects)
  }

  mutating func scan(_ effects: inout [SessionEffect]) {
    switch phase {
    case .coaching:
      coachingClosed = true
      enter(.scanning, &effects)
    case .inactive: effects.append(.refused(.wrongPhase(phase)))
    case .scanning, .matched, .annotating: break
    }
  }

  mutating func coach(_ effects: inout [SessionEffect]) {
    switch phase {
    case .scanning, .matched, .annotating:
      closeCard(&effects)
      enter(.coaching, &effects)
    case .inactive: effects.append(.refused(.wrongPhase(phase)))
    case .coaching: break
    }
  }

  mutating func exit(_ effects: inout [SessionEffect]) {
    guard phase != .inactive else { return }
    clear(&effects)
    coachingClosed = false
    enter(.inactive, &effects)
  }

  /// The annotation of an id, if something can be done with it now.
  private func target(_ id: String, _ effects: inout [SessionEffect]) -> Annotation? {
    guard isSelectable(&effects) else { return nil }
    guard let annotation = annotation(id) else {
      effects.append(.refused(.unknownAnnotation(id)))
      return nil
    }
    return annotation
  }

  private func isSelectable(_ effects: inout [SessionEffect]) -> Bool {
    guard scene != nil else {
      effects.append(.refused(.noScene))
      return false
    }
    guard phase != .inactive, phase != .coaching else {
      effects.append(.refused(.wrongPhase(phase)))
      return false
    }
    return true
  }

  mutating func select(_ id: String, _ effects: inout [SessionEffect]) {
    guard let annotation = target(id, &effects) else { return }
    focus(annotation, &effects)
  }

  private mutating func focus(_ annotation: Annotation, _ effects: inout [SessionEffect]) {
    guard selected != annotation.id else { return }
    closeCard(&effects)
    selected = annotation.id
    effects.append(.annotationSelected(annotation))
  }

  /// The visible marker nearest to the tap; of two equally near, the one nearer to the camera.
  mutating func tap(_ point: Point2, _ effects: inout [SessionEffect]) {
    guard isSelectable(&effects) else { return }
    let radius = configuration.tapRadius * max(frameSize.x, frameSize.y)
    let hits = (scene?.annotations ?? []).compactMap { _, annotation -> (Annotation, Double, Double)? in
      guard let marker = markers[annotation.id], marker.visible, let screen = marker.screen else { return nil }
      let distance = screen.distance(to: point)
      guard distance <= radius else { return nil }
      return (annotation, distance, marker.depth ?? 0)
    }
    guard let hit = hits.min(by: { ($0.1, $0.2) < ($1.1, $1.2) }) else {
      return effects.append(.refused(.noMarkerThere))
    }
    focus(hit.0, &effects)
  }

  /// The next or previous annotation in the order of the scene, round and round. While anchors are in sight, only what hangs
  /// on them: swiping must not lead to a machine in another room.
  mutating func step(_ direction: Int, _ effects: inout [SessionEffect]) {
    guard isSelectable(&effects), let scene else { return }
    let all = scene.annotations
    let near = all.filter { presences[scene.anchors[$0.anchor].name]?.isPresent == true }
    let reachable = Set((near.isEmpty ? all : near).map(\.annotation.id))
    guard !all.isEmpty else { return effects.append(.refused(.noMarkerThere)) }
    var index = all.firstIndex { $0.annotation.id == selected } ?? (direction > 0 ? -1 : all.count)
    for _ in all {
      index = (index + direction + all.count) % all.count
      if reachable.contains(all[index].annotation.id) { return focus(all[index].annotation, &effects) }
    }
  }

  mutating func clear(_ effects: inout [SessionEffect]) {
    closeCard(&effects)
    guard let id = selected else { return }
    selected = nil
    effects.append(.annotationCleared(id: id))
  }

  mutating func open(_ id: String, _ effects: inout [SessionEffect]) {
    guard let annotation = target(id, &effects) else { return }
    guard annotation.card != nil else { return effects.append(.refused(.noCard(id))) }
    guard openCard != id else { return }
    focus(annotation, &effects)
    openCard = id
    effects.append(.cardOpened(annotation))
  }

  mutating func closeCard(_ effects: inout [SessionEffect]) {
    guard let id = openCard else { return }
    openCard = nil
    effects.append(.cardClosed(id: id))
  }

  mutating func act(_ id: String, _ effects: inout [SessionEffect]) {
    guard let annotation = target(id, &effects) else { return }
    guard annotation.card?.actionText != nil, annotation.card?.actionType != nil else {
      return effects.append(.refused(annotation.card == nil ? .noCard(id) : .noAction(id)))
    }
    effects.append(.cardAction(annotation))
  }
}
