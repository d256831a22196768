import WaymarkGeometry
import WaymarkSystem

/// The anchors of a session and the markers that hang on them: which are in sight, since when, and where.
///
/// It knows the scene and the time, and nothing of phases, selections or cards.
struct AnchorsInSight: Sendable {
  var configuration: SessionConfiguration
  private(set) var scene: Scene?
  private(set) var now = -Double.infinity
  /// When the last frame came.
  private var lastFrame = -Double.infinity
  private var presences: [String: Presence] = [:]
  private var sightings: [String: AnchorDetection] = [:]
  private var markers: [String: TrackedMarker] = [:]
  private var frameSize = Point2(0, 0)

  /// The markers as the phase of the session and its selection show them.
  struct Emphasis {
    /// True if markers are shown.
    var shows: Bool
    var selected: String?
  }

  /// A marker as it was reported last, and where it is.
  private struct TrackedMarker: Sendable {
    var filter: OneEuroFilter
    var screen: Point2?
    var depth: Double?
    /// In the frame, before the camera, on a picture turned to it.
    var inSight = false
    var visible = false
    var selected = false
    var pulsing = false

    /// Forgets the place; what was reported stays.
    mutating func hide() {
      filter.reset()
      screen = nil
      depth = nil
      inSight = false
    }
  }

  init(configuration: SessionConfiguration) { self.configuration = configuration }

  /// Moves on to a time; one that goes back counts as the latest seen.
  mutating func advance(to time: Double) {
    if time.isFinite { now = max(now, time) }
  }

  // MARK: The scene

  /// Takes a scene into use; markers that it shares with the one before stay.
  mutating func use(_ new: Scene?) {
    scene = new
    for (_, annotation) in new?.annotations ?? [] where markers[annotation.id] == nil {
      markers[annotation.id] = TrackedMarker(
        filter: OneEuroFilter(
          .init(
            minimumCutoff: configuration.smoothingCutoff, slope: configuration.smoothingSlope,
            speedCutoff: configuration.smoothingSpeedCutoff)))
    }
  }

  /// Releases the markers that the next scene does not have, and says so while they still exist.
  mutating func dropMarkers(except ids: Set<String>, _ effects: inout [SessionEffect]) {
    for (_, annotation) in scene?.annotations ?? [] where !ids.contains(annotation.id) {
      if let marker = markers.removeValue(forKey: annotation.id), marker.visible || marker.selected {
        effects.append(.markerChanged(id: annotation.id, visible: false, selected: false, pulsing: false))
      }
    }
  }

  /// Forgets anchors; those that were found are lost.
  mutating func dropAnchors(except names: Set<String>, _ effects: inout [SessionEffect]) {
    for name in presences.keys.filter({ !names.contains($0) }).sorted() {
      if let presence = presences.removeValue(forKey: name), presence.isPresent {
        effects.append(.anchorLost(anchor: name, lastSeen: presence.lastSeen))
      }
      sightings[name] = nil
      hideMarkers(of: name)
    }
  }

  private mutating func hideMarkers(of anchor: String) {
    for annotation in scene?.anchors.first(where: { $0.name == anchor })?.annotations ?? [] {
      markers[annotation.id]?.hide()
    }
  }

  // MARK: Frames

  /// Takes the sightings of a frame.
  ///
  /// - Returns: the names of the anchors that were seen.
  mutating func take(_ frame: SessionFrame, _ effects: inout [SessionEffect]) -> Set<String> {
    frameSize = Point2(Double(frame.width), Double(frame.height))
    lastFrame = now
    var seen: Set<String> = []
    for sighting in frame.sightings where sighting.isFinite && !seen.contains(sighting.anchor) {
      // With a scene, only its anchors count: a library may hold more.
      if let scene, !scene.anchors.contains(where: { $0.name == sighting.anchor }) { continue }
      // Where the scene waits for the proof, what may be another picture is not found; what was found stays.
      if scene?.ambiguous == .wait, sighting.ambiguous != nil, !isPresent(sighting.anchor) { continue }
      seen.insert(sighting.anchor)
      var presence = presences[sighting.anchor] ?? Presence()
      let gap = now - presence.lastSeen
      let change = presence.handle(seen: true, at: now, configuration.presence)
      presences[sighting.anchor] = presence
      sightings[sighting.anchor] = sighting
      // After a pause the old speed says nothing; a jump is not a movement.
      if gap > configuration.candidateGap { hideMarkers(of: sighting.anchor) }
      if change == .found { effects.append(.anchorFound(sighting)) }
      if presence.isPresent { place(sighting, frame.intrinsics) }
    }
    return seen
  }

  /// Loses the anchors that were not seen for too long.
  ///
  /// - Returns: their names.
  mutating func loseUnseen(except seen: Set<String>, _ effects: inout [SessionEffect]) -> [String] {
    var lost: [String] = []
    for name in presences.keys.sorted() where !seen.contains(name) {
      guard var presence = presences[name] else { continue }
      let change = presence.handle(seen: false, at: now, configuration.presence)
      presences[name] = presence
      guard change == .lost else { continue }
      lost.append(name)
      sightings[name] = nil
      hideMarkers(of: name)
      effects.append(.anchorLost(anchor: name, lastSeen: presence.lastSeen))
    }
    return lost
  }

  /// Projects the markers of an anchor.
  private mutating func place(_ sighting: AnchorDetection, _ intrinsics: CameraIntrinsics) {
    guard let anchor = scene?.anchors.first(where: { $0.name == sighting.anchor }) else { return }
    let projector = MarkerProjector(
      sighting, physicalWidth: anchor.physicalWidth, radius: anchor.radius, intrinsics: intrinsics)
    for annotation in anchor.annotations {
      guard var marker = markers[annotation.id] else { continue }
      if let (pixel, depth) = projector.project(annotation.position) {
        let smooth = marker.filter.update(Point3(pixel.x, pixel.y, 0), at: now)
        let screen = Point2(smooth.x, smooth.y)
        marker.screen = screen
        marker.depth = anchor.physicalWidth == nil ? nil : depth
        let margin = marker.inSight ? 0 : configuration.edgeMargin
        marker.inSight = projector.facesCamera && isInside(screen, margin: margin)
      } else {
        marker.hide()
      }
      markers[annotation.id] = marker
    }
  }

  private func isInside(_ p: Point2, margin: Double) -> Bool {
    p.x >= -0.5 + margin && p.y >= -0.5 + margin && p.x < frameSize.x - 0.5 - margin
      && p.y < frameSize.y - 0.5 - margin
  }

  // MARK: What is in sight

  /// The anchors that are found.
  var present: Set<String> { Set(presences.filter { $0.value.isPresent }.keys) }

  private func isPresent(_ anchor: String) -> Bool { presences[anchor]?.isPresent == true }

  /// True if an anchor of the scene is in sight.
  var hasAnchor: Bool { scene?.anchors.contains { isPresent($0.name) } ?? false }

  /// When an anchor will be lost by time alone.
  var deadline: Double? { presences.values.compactMap { $0.deadline(configuration.presence) }.min() }

  /// The anchors whose last sighting is this old at most.
  func seen(since time: Double) -> Set<String> { Set(presences.filter { $0.value.lastSeen >= time }.keys) }

  /// The anchors that are found, and those that were lost just now.
  func states(seen: Set<String>, lost: [String], _ emphasis: Emphasis) -> [AnchorState] {
    let names = scene?.anchors.map(\.name) ?? presences.keys.sorted()
    return names.compactMap { name in
      let isPresent = isPresent(name)
      guard isPresent || lost.contains(name) else { return nil }
      let method: AnchorPlacement.Method =
        !isPresent ? .notTracking : seen.contains(name) ? .fullTracking : .lastKnownPose
      return AnchorState(
        anchor: name, method: method, sighting: isPresent ? sightings[name] : nil,
        markers: markerStates(name, emphasis))
    }
  }

  /// The states after something other than a frame lost anchors: those appear once more, as `notTracking`, whether or not
  /// they are part of the scene.
  func states(lost: [String], _ emphasis: Emphasis) -> [AnchorState] {
    var states = states(seen: seen(since: lastFrame), lost: lost, emphasis)
    for anchor in lost where !states.contains(where: { $0.anchor == anchor }) {
      states.append(AnchorState(anchor: anchor, method: .notTracking, sighting: nil, markers: []))
    }
    return states
  }

  private func markerStates(_ anchor: String, _ emphasis: Emphasis) -> [MarkerState] {
    (scene?.anchors.first { $0.name == anchor }?.annotations ?? []).compactMap { annotation in
      markers[annotation.id].map {
        MarkerState(
          id: annotation.id, visible: emphasis.shows && $0.inSight, selected: emphasis.selected == annotation.id,
          screen: $0.screen, depth: $0.depth)
      }
    }
  }

  /// Says of every marker whose visibility or selection has changed.
  mutating func reportMarkers(_ emphasis: Emphasis, _ effects: inout [SessionEffect]) {
    for anchor in scene?.anchors ?? [] {
      for annotation in anchor.annotations {
        guard var marker = markers[annotation.id] else { continue }
        let visible = emphasis.shows && marker.inSight
        let isSelected = emphasis.selected == annotation.id
        let pulsing = visible && isSelected
        guard visible != marker.visible || isSelected != marker.selected || pulsing != marker.pulsing else { continue }
        marker.visible = visible
        marker.selected = isSelected
        marker.pulsing = pulsing
        markers[annotation.id] = marker
        effects.append(.markerChanged(id: annotation.id, visible: visible, selected: isSelected, pulsing: pulsing))
      }
    }
  }

  /// The annotation whose visible marker is nearest to a point; of two equally near, the one nearer to the camera.
  func annotation(at point: Point2) -> Annotation? {
    let radius = configuration.tapRadius * max(frameSize.x, frameSize.y)
    let hits = (scene?.annotations ?? []).compactMap { _, annotation -> (Annotation, Double, Double)? in
      guard let marker = markers[annotation.id], marker.visible, let screen = marker.screen else { return nil }
      let distance = screen.distance(to: point)
      guard distance <= radius else { return nil }
      return (annotation, distance, marker.depth ?? 0)
    }
    return hits.min { ($0.1, $0.2) < ($1.1, $1.2) }?.0
  }
}
