import WaymarkGeometry
import WaymarkSystem

/// The AR session of a device: what phase it is in, which anchors and markers are in sight, what is selected.
///
/// A value without clock and I/O: every input comes with its time, in seconds on one monotonic clock, and what follows from
/// it is returned. Times that go back count as the latest time seen.
package struct Session: Sendable {
  package var configuration: SessionConfiguration
  package internal(set) var scene: Scene?
  package internal(set) var phase = ScenePhase.inactive
  package internal(set) var selected: String?
  package internal(set) var openCard: String?

  /// True if the coaching view has closed since the session was started.
  var coachingClosed = false
  var matchedAt: Double?
  var now = -Double.infinity
  /// When the last frame came.
  var lastFrame = -Double.infinity
  var presences: [String: Presence] = [:]
  var sightings: [String: AnchorDetection] = [:]
  var markers: [String: TrackedMarker] = [:]
  var frameSize = Point2(0, 0)
  var intrinsics: CameraIntrinsics?

  /// A marker as it was reported last, and where it is.
  struct TrackedMarker: Sendable {
    var filter: OneEuroFilter
    var screen: Point2?
    var depth: Double?
    /// In the frame, before the camera, on a picture turned to it.
    var inSight = false
    var visible = false
    var selected = false
    var pulsing = false
  }

  package init(configuration: SessionConfiguration = SessionConfiguration()) {
    self.configuration = configuration
  }

  /// Takes an input and says what follows from it, in the order in which it happened.
  package mutating func handle(_ input: SessionInput, at time: Double) -> [SessionEffect] {
    if time.isFinite { now = max(now, time) }
    guard now.isFinite else { return [] }
    var effects: [SessionEffect] = []
    switch input {
    case .sceneLoaded(let scene, let reload): load(scene, reload: reload, &effects)
    case .sceneUnloaded: unload(&effects)
    case .start: start(&effects)
    case .scan: scan(&effects)
    case .coach: coach(&effects)
    case .exit: exit(&effects)
    case .frame(let frame): take(frame, &effects)
    case .tick: passTime(seen: [], &effects)
    case .followingStopped: stopFollowing(&effects)
    case .select(let id): select(id, &effects)
    case .tap(let point): tap(point, &effects)
    case .next: step(1, &effects)
    case .previous: step(-1, &effects)
    case .clear: clear(&effects)
    case .openCard(let id): open(id, &effects)
    case .closeCard: closeCard(&effects)
    case .cardAction(let id): act(id, &effects)
    }
    if case .frame = input {} else { updateLost(&effects) }
    reportMarkers(&effects)
    return effects
  }

  /// An anchor lost by anything but a frame appears once more in an update too, as `notTracking`: whoever draws by updates
  /// alone would show it for ever.
  private func updateLost(_ effects: inout [SessionEffect]) {
    let lost = effects.compactMap { if case .anchorLost(let anchor, _) = $0 { anchor } else { nil } }
    guard !lost.isEmpty else { return }
    let current = Set(presences.filter { $0.value.lastSeen >= lastFrame }.keys)
    var states = anchorStates(seen: current, lost: lost)
    // An anchor that is not part of the scene, or of no scene any more.
    for anchor in lost where !states.contains(where: { $0.anchor == anchor }) {
      states.append(AnchorState(anchor: anchor, method: .notTracking, sighting: nil, markers: []))
    }
    effects.append(.anchorsUpdated(states))
  }

  /// The session for whoever joins now.
  package var status: SessionStatus {
    let active = phase != .inactive
    return SessionStatus(
      phase: phase, scene: scene?.name, primaryAction: active ? (coachingClosed ? .returnToScan : .beginScan) : nil,
      guide: active ? scene?.anchors.first?.name : nil, instruction: active ? scene?.instruction : nil,
      selected: selected, openCard: openCard)
  }

  /// When time alone will change something; `nil` when nothing is pending.
  package var deadline: Double? {
    let lost = presences.values.compactMap { $0.deadline(configuration.presence) }.min()
    let beat = phase == .matched ? matchedAt.map { $0 + configuration.annotateAfter } : nil
    return [lost, beat].compactMap { $0 }.min()
  }

  /// The annotation with an id.
  package func annotation(_ id: String) -> Annotation? {
    scene?.anchors.lazy.flatMap(\.annotations).first { $0.id == id }
  }

  mutating func enter(_ next: ScenePhase, _ effects: inout [SessionEffect]) {
    phase = next
    matchedAt = next == .matched ? now : nil
    effects.append(.phase(status))
  }

  /// Says of every marker whose visibility or selection has changed.
  private mutating func reportMarkers(_ effects: inout [SessionEffect]) {
    guard let scene else { return }
    for anchor in scene.anchors {
      for annotation in anchor.annotations {
        guard var marker = markers[annotation.id] else { continue }
        let visible = phase == .annotating && marker.inSight
        let isSelected = selected == annotation.id
        let pulsing = visible && isSelected
        guard visible != marker.visible || isSelected != marker.selected || pulsing != marker.pulsing else { continue }
        marker.visible = visible
        marker.selected = isSelected
        marker.pulsing = pulsing
        markers[annotation.id] = marker
        effects.append(
          .markerChanged(id: annotation.id, visible: visible, selected: isSelected, pulsing: pulsing))
      }
    }
  }

  func newMarker() -> TrackedMarker {
    TrackedMarker(
      filter: OneEuroFilter(
        .init(
          minimumCutoff: configuration.smoothingCutoff, slope: configuration.smoothingSlope,
          speedCutoff: configuration.smoothingSpeedCutoff)))
  }
}
