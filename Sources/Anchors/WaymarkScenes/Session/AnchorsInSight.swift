import WaymarkImage
import WaymarkSystem

/// The anchors of a session and the markers attached to them: which are in sight, since when, and at which position.
///
/// Sight and position depend only on the scene, the frames and the time. Whether markers are shown and selected is passed in
/// (`Emphasis`).
struct AnchorsInSight: Sendable {
  var configuration: SessionConfiguration
  private(set) var scene: Scene?
  private(set) var now = -Double.infinity
  private var lastFrame = -Double.infinity
  private var presences: [AnchorKey: Presence] = [:]
  private var sightings: [AnchorKey: AnchorDetection] = [:]
  /// The markers of each annotation by copy: one marker with key 0 that all copies share, or one per copy with the copy's number as
  /// the key.
  private var markers: [String: [Int: TrackedMarker]] = [:]
  /// The index of each anchor in the scene, by name.
  private var order: [String: Int] = [:]
  /// For each anchor, the copy with the annotations, if they are attached to the nearest copy.
  private var bearers: [String: AnchorKey] = [:]
  private var frameSize = Point2(0, 0)

  /// The part of the session's state that markers depend on: whether they are shown, and the id of the selected
  /// annotation.
  struct Emphasis {
    var shows: Bool
    var selected: String?
  }

  /// The last reported state of a marker, and its position.
  private struct TrackedMarker: Sendable {
    var filter: OneEuroFilter
    var screen: Point2?
    var depth: Double?
    /// True if the marker is inside the frame, in front of the camera, and on a picture that faces the camera.
    var inSight = false
    var visible = false
    var selected = false
    var pulsing = false

    /// Forgets the position; the reported state stays.
    mutating func hide() {
      filter.reset()
      screen = nil
      depth = nil
      inSight = false
    }
  }

  init(configuration: SessionConfiguration) { self.configuration = configuration }

  /// Advances the clock; an earlier time leaves it unchanged.
  mutating func advance(to time: Double) {
    if time.isFinite { now = max(now, time) }
  }

  // MARK: The scene

  /// Sets the scene. Markers that the previous scene also has are kept.
  mutating func use(_ new: Scene?) {
    scene = new
    order = [:]
    for (index, anchor) in (new?.anchors ?? []).enumerated() {
      order[anchor.name] = index
      for annotation in anchor.annotations where markers[annotation.id] == nil {
        markers[annotation.id] = anchor.hangsOnEach ? [:] : [0: makeMarker()]
      }
    }
  }

  private func makeMarker() -> TrackedMarker {
    TrackedMarker(
      filter: OneEuroFilter(
        .init(
          minimumCutoff: configuration.smoothingCutoff, slope: configuration.smoothingSlope,
          speedCutoff: configuration.smoothingSpeedCutoff)))
  }

  /// Removes the markers of annotations that are not in `ids`, and reports visible and selected markers among them as hidden.
  mutating func dropMarkers(except ids: Set<String>, _ effects: inout [SessionEffect]) {
    for (_, annotation) in scene?.annotations ?? [] where !ids.contains(annotation.id) {
      guard let dropped = markers.removeValue(forKey: annotation.id) else { continue }
      for (copy, marker) in dropped.sorted(by: { $0.key < $1.key }) where marker.visible || marker.selected {
        effects.append(
          .markerChanged(
            id: annotation.id, copy: Self.reported(copy), visible: false, selected: false, pulsing: false))
      }
    }
  }

  /// Returns the number of a copy as reported in states and effects; `nil` for the shared marker.
  private static func reported(_ copy: Int) -> Int? { copy == 0 ? nil : copy }

  /// Forgets the anchors that are not in `names`, and reports anchors among them that were found as lost.
  mutating func dropAnchors(except names: Set<String>, _ effects: inout [SessionEffect]) {
    for key in presences.keys.filter({ !names.contains($0.anchor) }).sorted() {
      if let presence = presences.removeValue(forKey: key), presence.isPresent {
        effects.append(.anchorLost(anchor: key.anchor, copy: key.copy, lastSeen: presence.lastSeen))
      }
      forget(key)
    }
  }

  private mutating func forget(_ key: AnchorKey) {
    sightings[key] = nil
    hideMarkers(of: key)
    if bearers[key.anchor] == key { bearers[key.anchor] = nil }
  }

  private func anchor(_ name: String) -> SceneAnchor? { order[name].flatMap { scene?.anchors[$0] } }

  private mutating func hideMarkers(of key: AnchorKey) {
    guard let (anchor, copy) = bearer(key) else { return }
    for annotation in anchor.annotations { markers[annotation.id]?[copy]?.hide() }
  }

  /// Returns the anchor of a copy that has annotations, and the key of their markers; `nil` if the copy has none.
  private func bearer(_ key: AnchorKey) -> (anchor: SceneAnchor, copy: Int)? {
    guard let anchor = anchor(key.anchor) else { return nil }
    if anchor.hangsOnEach { return (anchor, key.copy ?? 0) }
    return anchor.copies == 1 || bearers[key.anchor] == key ? (anchor, 0) : nil
  }

  // MARK: Frames

  /// Processes the sightings of a frame: reports anchors that are now found, and moves the markers.
  ///
  /// - Returns: The anchors and copies that were seen.
  mutating func take(_ frame: SessionFrame, _ effects: inout [SessionEffect]) -> Set<AnchorKey> {
    frameSize = Point2(Double(frame.width), Double(frame.height))
    lastFrame = now
    var seen: Set<AnchorKey> = []
    for sighting in frame.sightings where sighting.isFinite && !seen.contains(sighting.key) {
      let key = sighting.key
      // With a scene, other anchors of the library are ignored.
      if scene != nil, order[key.anchor] == nil { continue }
      // If the scene requires proof, ambiguous anchors are not reported as found; anchors already found stay.
      if scene?.ambiguous == .wait, sighting.ambiguous != nil, !isPresent(key) { continue }
      seen.insert(key)
      var presence = presences[key] ?? Presence()
      let gap = now - presence.lastSeen
      let change = presence.handle(seen: true, at: now, configuration.presence)
      presences[key] = presence
      sightings[key] = sighting
      // After a pause the old speed is out of date, and a jump is not a movement.
      if gap > configuration.candidateGap { hideMarkers(of: key) }
      if change == .found { effects.append(.anchorFound(sighting)) }
    }
    for name in Set(seen.map(\.anchor)) {
      guard let anchor = anchor(name), anchor.copies > 1, !anchor.hangsOnEach else { continue }
      chooseBearer(of: anchor, seen)
    }
    for sighting in frame.sightings where seen.contains(sighting.key) && isPresent(sighting.key) {
      // A copy that occurs twice in a frame is placed once.
      if sightings[sighting.key] == sighting { place(sighting, frame.intrinsics) }
    }
    return seen
  }

  /// Attaches the annotations of an anchor to its nearest copy. Another copy must be nearer by a tenth to replace it, so that
  /// annotations do not alternate between two copies at equal distance.
  private mutating func chooseBearer(of anchor: SceneAnchor, _ seen: Set<AnchorKey>) {
    func distance(_ key: AnchorKey) -> Double { sightings[key]?.relativeDistance ?? .infinity }
    let present = seen.filter { $0.anchor == anchor.name && isPresent($0) }
    guard let nearest = present.min(by: { (distance($0), $0) < (distance($1), $1) }) else { return }
    if let bearer = bearers[anchor.name], isPresent(bearer), distance(nearest) > 0.9 * distance(bearer) { return }
    guard bearers[anchor.name] != nearest else { return }
    for annotation in anchor.annotations { markers[annotation.id]?[0]?.hide() }
    bearers[anchor.name] = nearest
  }

  /// Reports as lost the anchors that were out of sight for `lostAfter` seconds.
  ///
  /// - Returns: The lost anchors and copies.
  mutating func loseUnseen(except seen: Set<AnchorKey>, _ effects: inout [SessionEffect]) -> [AnchorKey] {
    var lost: [AnchorKey] = []
    for key in presences.keys.sorted() where !seen.contains(key) {
      guard var presence = presences[key] else { continue }
      let change = presence.handle(seen: false, at: now, configuration.presence)
      // A copy that is lost never reappears with the same number.
      let isOver = key.copy != nil && !presence.isPresent && now - presence.lastSeen > configuration.candidateGap
      presences[key] = isOver ? nil : presence
      if change == .lost {
        lost.append(key)
        effects.append(.anchorLost(anchor: key.anchor, copy: key.copy, lastSeen: presence.lastSeen))
      }
      if change == .lost || isOver { forget(key) }
    }
    return lost
  }

  private mutating func place(_ sighting: AnchorDetection, _ intrinsics: CameraIntrinsics) {
    guard let (anchor, copy) = bearer(sighting.key) else { return }
    let projector = MarkerProjector(
      sighting, physicalWidth: anchor.physicalWidth, radius: anchor.radius, intrinsics: intrinsics)
    for annotation in anchor.annotations {
      var marker = markers[annotation.id]?[copy] ?? makeMarker()
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
      markers[annotation.id]?[copy] = marker
    }
  }

  private func isInside(_ p: Point2, margin: Double) -> Bool {
    p.x >= -0.5 + margin && p.y >= -0.5 + margin && p.x < frameSize.x - 0.5 - margin
      && p.y < frameSize.y - 0.5 - margin
  }

  // MARK: Anchors in sight

  /// The names of the anchors that are reported as found and not lost.
  var present: Set<String> { Set(presences.lazy.filter { $0.value.isPresent }.map(\.key.anchor)) }

  private func isPresent(_ key: AnchorKey) -> Bool { presences[key]?.isPresent == true }

  /// The number of entries kept for anchors and copies, which must not grow without bound.
  var keptCount: Int { presences.count + sightings.count }

  /// True if an anchor of the scene is in sight.
  var hasAnchor: Bool { presences.contains { $0.value.isPresent && order[$0.key.anchor] != nil } }

  /// The time at which the first anchor will be lost without a further frame; `nil` if none is in sight.
  var deadline: Double? { presences.values.compactMap { $0.deadline(configuration.presence) }.min() }

  /// Returns the anchors last seen at `time` or later.
  func seen(since time: Double) -> Set<AnchorKey> { Set(presences.filter { $0.value.lastSeen >= time }.keys) }

  /// Returns the states of the found anchors and of the anchors just lost, in the order of the scene.
  func states(seen: Set<AnchorKey>, lost: [AnchorKey], _ emphasis: Emphasis) -> [AnchorState] {
    let reported = presences.lazy.filter { $0.value.isPresent }.map(\.key) + lost
    let known = scene == nil ? reported : reported.filter { order[$0.anchor] != nil }
    let keys = known.sorted { (order[$0.anchor] ?? 0, $0) < (order[$1.anchor] ?? 0, $1) }
    return keys.map { key in
      let isPresent = isPresent(key)
      let method: AnchorPlacement.Method =
        !isPresent ? .notTracking : seen.contains(key) ? .fullTracking : .lastKnownPose
      return AnchorState(
        anchor: key.anchor, copy: key.copy, method: method, sighting: isPresent ? sightings[key] : nil,
        markers: markerStates(key, emphasis))
    }
  }

  /// Returns the states after anchors were lost by an input other than a frame. The lost anchors are included once more as
  /// `notTracking`, whether or not they are part of the scene.
  func states(lost: [AnchorKey], _ emphasis: Emphasis) -> [AnchorState] {
    var states = states(seen: seen(since: lastFrame), lost: lost, emphasis)
    for key in lost where !states.contains(where: { $0.anchor == key.anchor && $0.copy == key.copy }) {
      states.append(
        AnchorState(anchor: key.anchor, copy: key.copy, method: .notTracking, sighting: nil, markers: []))
    }
    return states
  }

  private func markerStates(_ key: AnchorKey, _ emphasis: Emphasis) -> [MarkerState] {
    guard let (anchor, copy) = bearer(key) else { return [] }
    return anchor.annotations.compactMap { annotation in
      markers[annotation.id]?[copy].map {
        MarkerState(
          id: annotation.id, copy: Self.reported(copy), visible: emphasis.shows && $0.inSight,
          selected: emphasis.selected == annotation.id, screen: $0.screen, depth: $0.depth)
      }
    }
  }

  /// Reports the markers that have changed, and forgets the markers of lost copies.
  mutating func reportMarkers(_ emphasis: Emphasis, _ effects: inout [SessionEffect]) {
    for anchor in scene?.anchors ?? [] {
      for annotation in anchor.annotations {
        for copy in markers[annotation.id]?.keys.sorted() ?? [] {
          guard var marker = markers[annotation.id]?[copy] else { continue }
          let exists =
            anchor.hangsOnEach
            ? isPresent(AnchorKey(anchor: anchor.name, copy: Self.reported(copy))) : copy == 0
          let visible = exists && emphasis.shows && marker.inSight
          let isSelected = exists && emphasis.selected == annotation.id
          let pulsing = visible && isSelected
          if visible != marker.visible || isSelected != marker.selected || pulsing != marker.pulsing {
            (marker.visible, marker.selected, marker.pulsing) = (visible, isSelected, pulsing)
            effects.append(
              .markerChanged(
                id: annotation.id, copy: Self.reported(copy), visible: visible, selected: isSelected,
                pulsing: pulsing))
          }
          markers[annotation.id]?[copy] = exists ? marker : nil
        }
        // If annotations are no longer attached to each copy, one marker is shared.
        if !anchor.hangsOnEach, markers[annotation.id]?[0] == nil {
          let marker = makeMarker()
          markers[annotation.id]?[0] = marker
        }
      }
    }
  }

  /// Returns the numbers of the copies of an annotation's anchor that are in sight; empty if only one copy is followed.
  func copies(of annotation: Annotation) -> Set<Int> {
    guard let anchor = anchor(of: annotation) else { return [] }
    return Set(presences.lazy.filter { $0.key.anchor == anchor.name && $0.value.isPresent }.compactMap(\.key.copy))
  }

  /// Returns the default copy of an annotation: the copy to which it is attached, or the only copy in sight.
  func copy(of annotation: Annotation) -> Int? {
    let copies = copies(of: annotation)
    if copies.count < 2 { return copies.first }
    return anchor(of: annotation).flatMap { bearers[$0.name]?.copy }
  }

  private func anchor(of annotation: Annotation) -> SceneAnchor? {
    scene?.anchors.first { $0.annotations.contains { $0.id == annotation.id } }
  }

  /// Returns the annotation whose visible marker is nearest to a point of the frame, and the copy to which it is attached. Of two
  /// markers at equal distance, the marker nearer to the camera counts. `nil` if all markers are farther away than `tapRadius`.
  func annotation(at point: Point2) -> (annotation: Annotation, copy: Int?)? {
    let radius = configuration.tapRadius * max(frameSize.x, frameSize.y)
    let hits = (scene?.annotations ?? []).flatMap { _, annotation in
      (markers[annotation.id] ?? [:]).compactMap { copy, marker -> (Annotation, Int?, Double, Double)? in
        guard marker.visible, let screen = marker.screen else { return nil }
        let distance = screen.distance(to: point)
        guard distance <= radius else { return nil }
        return (annotation, Self.reported(copy) ?? self.copy(of: annotation), distance, marker.depth ?? 0)
      }
    }
    return hits.min { ($0.2, $0.3) < ($1.2, $1.3) }.map { ($0.0, $0.1) }
  }
}
