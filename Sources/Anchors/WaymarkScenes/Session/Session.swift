import WaymarkImage

/// The AR session of a device: its phase, its selection, and its anchors in sight (`AnchorsInSight`).
///
/// A value without clock and I/O: every input has its time, in seconds of one monotonic clock, and its effects are returned. A time
/// earlier than the latest so far is replaced by the latest.
package struct Session: Sendable {
  package private(set) var phase = ScenePhase.inactive
  package private(set) var selected: String?
  /// The copy of the anchor on which the annotation was selected. It does not change when the copy is lost.
  package private(set) var selectedCopy: Int?
  package private(set) var openCard: String?
  /// True if the coaching view has closed since the session was started.
  private var coachingClosed = false
  private var matchedAt: Double?
  private(set) var sights: AnchorsInSight

  package init(configuration: SessionConfiguration = SessionConfiguration()) {
    sights = AnchorsInSight(configuration: configuration)
  }

  package var configuration: SessionConfiguration {
    get { sights.configuration }
    set { sights.configuration = newValue }
  }

  package var scene: Scene? { sights.scene }

  /// Handles an input and returns its effects in order.
  package mutating func handle(_ input: SessionInput, at time: Double) -> [SessionEffect] {
    sights.advance(to: time)
    guard sights.now.isFinite else { return [] }
    var effects: [SessionEffect] = []
    switch input {
    case .sceneLoaded(let scene, let reload): load(scene, reload: reload, &effects)
    case .sceneUnloaded: unload(&effects)
    case .start: start(&effects)
    case .scan: scan(&effects)
    case .coach: coach(&effects)
    case .exit: exit(&effects)
    case .frame(let frame): take(frame, &effects)
    case .tick: _ = passTime(seen: [], &effects)
    case .followingStopped: stopFollowing(&effects)
    case .select(let id, let copy): select(id, copy, &effects)
    case .tap(let point): tap(point, &effects)
    case .next: step(1, &effects)
    case .previous: step(-1, &effects)
    case .clear: clear(&effects)
    case .openCard(let id, let copy): open(id, copy, &effects)
    case .closeCard: closeCard(&effects)
    case .cardAction(let id, let copy): act(id, copy, &effects)
    }
    if case .frame = input {} else { updateLost(&effects) }
    sights.reportMarkers(emphasis, &effects)
    return effects
  }

  /// The phase and the texts of the session, for new subscribers.
  package var status: SessionStatus {
    let active = phase != .inactive
    return SessionStatus(
      phase: phase, primaryAction: active ? (coachingClosed ? .returnToScan : .beginScan) : nil,
      guide: active ? scene?.anchors.first?.name : nil, instruction: active ? scene?.instruction : nil)
  }

  /// The time of the next change without an input; `nil` if none is pending.
  package var deadline: Double? {
    let beat = phase == .matched ? matchedAt.map { $0 + configuration.annotateAfter } : nil
    return [sights.deadline, beat].compactMap { $0 }.min()
  }

  /// The states of the currently found anchors, for new subscribers.
  package var anchorStates: [AnchorState] {
    sights.states(seen: sights.seen(since: sights.now), lost: [], emphasis)
  }

  package func annotation(_ id: String) -> Annotation? {
    scene?.anchors.lazy.flatMap(\.annotations).first { $0.id == id }
  }

  private var emphasis: AnchorsInSight.Emphasis { .init(shows: phase == .annotating, selected: selected) }

  private mutating func enter(_ next: ScenePhase, _ effects: inout [SessionEffect]) {
    phase = next
    matchedAt = next == .matched ? sights.now : nil
    effects.append(.phase(status))
  }

  // MARK: The scene

  private mutating func load(_ new: Scene, reload: Bool, _ effects: inout [SessionEffect]) {
    let keep = reload && scene != nil
    let ids = keep ? Set(new.annotations.map(\.annotation.id)) : []
    let names = keep ? Set(new.anchors.map(\.name)) : []
    drop(markersExcept: ids, anchorsExcept: names, &effects)
    if let openCard, let annotation = new.annotations.first(where: { $0.annotation.id == openCard })?.annotation,
      annotation.card == nil
    {
      closeCard(&effects)
    }
    sights.use(new)
    guard phase != .inactive else { return }
    if keep {
      // The guide may have changed, and followed anchors may have been removed.
      effects.append(.phase(status))
      _ = passTime(seen: [], &effects)
    } else {
      coachingClosed = false
      enter(.coaching, &effects)
    }
  }

  private mutating func unload(_ effects: inout [SessionEffect]) {
    guard scene != nil else { return }
    exit(&effects)
    drop(markersExcept: [], anchorsExcept: [], &effects)
    sights.use(nil)
  }

  /// Removes the selection, markers and anchors that the next scene does not have. Anchors found while no scene was
  /// loaded are removed as well.
  private mutating func drop(
    markersExcept ids: Set<String>, anchorsExcept names: Set<String>, _ effects: inout [SessionEffect]
  ) {
    if let selected, !ids.contains(selected) { clear(&effects) }
    sights.dropMarkers(except: ids, &effects)
    sights.dropAnchors(except: names, &effects)
  }

  // MARK: Frames and time

  private mutating func take(_ frame: SessionFrame, _ effects: inout [SessionEffect]) {
    let seen = sights.take(frame, &effects)
    let lost = passTime(seen: seen, &effects)
    let states = sights.states(seen: seen, lost: lost, emphasis)
    if !states.isEmpty { effects.append(.anchorsUpdated(states)) }
  }

  /// Applies the changes caused by time: loses anchors and advances phases. Returns the lost anchors.
  private mutating func passTime(seen: Set<AnchorKey>, _ effects: inout [SessionEffect]) -> [AnchorKey] {
    let lost = sights.loseUnseen(except: seen, &effects)
    switch phase {
    case .scanning where sights.hasAnchor: enter(.matched, &effects)
    case .matched where !sights.hasAnchor, .annotating where !sights.hasAnchor: enter(.scanning, &effects)
    case .matched:
      if let matchedAt, sights.now - matchedAt >= configuration.annotateAfter { enter(.annotating, &effects) }
    default: break
    }
    return lost
  }

  private mutating func stopFollowing(_ effects: inout [SessionEffect]) {
    sights.dropAnchors(except: [], &effects)
    _ = passTime(seen: [], &effects)
  }

  /// Reports anchors that were lost without a frame in one more update as `notTracking`, for clients that draw only from updates.
  private func updateLost(_ effects: inout [SessionEffect]) {
    let lost = effects.compactMap {
      if case .anchorLost(let anchor, let copy, _) = $0 { AnchorKey(anchor: anchor, copy: copy) } else { nil }
    }
    if !lost.isEmpty { effects.append(.anchorsUpdated(sights.states(lost: lost, emphasis))) }
  }

  // MARK: Commands

  private mutating func start(_ effects: inout [SessionEffect]) {
    guard scene != nil else { return effects.append(.refused(.noScene)) }
    // The session belongs to the device, so a second client joins the running session.
    guard phase == .inactive else { return }
    coachingClosed = false
    enter(.coaching, &effects)
  }

  private mutating func scan(_ effects: inout [SessionEffect]) {
    switch phase {
    case .coaching:
      coachingClosed = true
      enter(.scanning, &effects)
    case .inactive: effects.append(.refused(.wrongPhase(phase)))
    case .scanning, .matched, .annotating: break
    }
  }

  private mutating func coach(_ effects: inout [SessionEffect]) {
    switch phase {
    case .scanning, .matched, .annotating:
      closeCard(&effects)
      enter(.coaching, &effects)
    case .inactive: effects.append(.refused(.wrongPhase(phase)))
    case .coaching: break
    }
  }

  private mutating func exit(_ effects: inout [SessionEffect]) {
    guard phase != .inactive else { return }
    clear(&effects)
    coachingClosed = false
    enter(.inactive, &effects)
  }

  /// Returns the annotation with an id and the addressed copy of its anchor; `nil` if the annotation cannot be selected now, which
  /// is reported as refused.
  private func target(
    _ id: String, _ copy: Int?, _ effects: inout [SessionEffect]
  ) -> (annotation: Annotation, copy: Int?)? {
    guard isSelectable(&effects) else { return nil }
    guard let annotation = annotation(id) else {
      effects.append(.refused(.unknownAnnotation(id)))
      return nil
    }
    if let copy, !sights.copies(of: annotation).contains(copy) {
      effects.append(.refused(.unknownCopy(copy)))
      return nil
    }
    return (annotation, meant(annotation, copy))
  }

  /// Returns the addressed copy of an annotation's anchor: the given copy, or else the copy on which the annotation was selected,
  /// or else its default copy; `nil` if no copy is followed.
  package func meant(_ annotation: Annotation, _ copy: Int?) -> Int? {
    copy ?? (annotation.id == selected ? selectedCopy : nil) ?? sights.copy(of: annotation)
  }

  private func isSelectable(_ effects: inout [SessionEffect]) -> Bool {
    let isOpen = phase != .inactive && phase != .coaching
    if scene == nil || !isOpen { effects.append(.refused(scene == nil ? .noScene : .wrongPhase(phase))) }
    return scene != nil && isOpen
  }

  private mutating func select(_ id: String, _ copy: Int?, _ effects: inout [SessionEffect]) {
    guard let target = target(id, copy, &effects) else { return }
    focus(target.annotation, target.copy, &effects)
  }

  private mutating func focus(_ annotation: Annotation, _ copy: Int?, _ effects: inout [SessionEffect]) {
    guard selected != annotation.id || selectedCopy != copy else { return }
    // The card of another copy belongs to another object.
    closeCard(&effects)
    selected = annotation.id
    selectedCopy = copy
    effects.append(.annotationSelected(annotation, copy: copy))
  }

  /// Selects the visible marker nearest to the tap. Of two markers at equal distance, selects the marker nearer to the camera.
  private mutating func tap(_ point: Point2, _ effects: inout [SessionEffect]) {
    guard isSelectable(&effects) else { return }
    guard let hit = sights.annotation(at: point) else { return effects.append(.refused(.noMarkerThere)) }
    focus(hit.annotation, hit.copy, &effects)
  }

  /// Selects the next or previous annotation in the order of the scene, cyclically. While anchors are in sight, only their
  /// annotations are selected, so that swiping does not lead to a machine in another room.
  private mutating func step(_ direction: Int, _ effects: inout [SessionEffect]) {
    guard isSelectable(&effects), let scene else { return }
    let all = scene.annotations
    let present = sights.present
    let near = all.filter { present.contains(scene.anchors[$0.anchor].name) }
    let reachable = Set((near.isEmpty ? all : near).map(\.annotation.id))
    guard !all.isEmpty else { return effects.append(.refused(.noMarkerThere)) }
    var index = all.firstIndex { $0.annotation.id == selected } ?? (direction > 0 ? -1 : all.count)
    for _ in all {
      index = (index + direction + all.count) % all.count
      let annotation = all[index].annotation
      guard reachable.contains(annotation.id) else { continue }
      return focus(annotation, annotation.id == selected ? selectedCopy : sights.copy(of: annotation), &effects)
    }
  }

  private mutating func clear(_ effects: inout [SessionEffect]) {
    closeCard(&effects)
    guard let id = selected else { return }
    selected = nil
    selectedCopy = nil
    effects.append(.annotationCleared(id: id))
  }

  private mutating func open(_ id: String, _ copy: Int?, _ effects: inout [SessionEffect]) {
    guard let (annotation, copy) = target(id, copy, &effects) else { return }
    guard annotation.card != nil else { return effects.append(.refused(.noCard(id))) }
    guard openCard != id || selectedCopy != copy else { return }
    focus(annotation, copy, &effects)
    openCard = id
    effects.append(.cardOpened(annotation, copy: copy))
  }

  private mutating func closeCard(_ effects: inout [SessionEffect]) {
    guard let id = openCard else { return }
    openCard = nil
    effects.append(.cardClosed(id: id))
  }

  private mutating func act(_ id: String, _ copy: Int?, _ effects: inout [SessionEffect]) {
    guard let (annotation, copy) = target(id, copy, &effects) else { return }
    guard annotation.card?.actionText != nil, annotation.card?.actionType != nil else {
      return effects.append(.refused(annotation.card == nil ? .noCard(id) : .noAction(id)))
    }
    effects.append(.cardAction(annotation, copy: copy))
  }
}
