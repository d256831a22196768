import WaymarkImage
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
  private var presences: [SightKey: Presence] = [:]
  private var sightings: [SightKey: AnchorDetection] = [:]
  /// The markers of each annotation: one under 0 that all copies share, or one of each copy under its number.
  private var markers: [String: [Int: TrackedMarker]] = [:]
  /// The place of each anchor in the scene, by name.
  private var order: [String: Int] = [:]
  /// Of several copies the one that the annotations hang on, where they hang on the nearest.
  private var bearers: [String: SightKey] = [:]
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

  /// Releases the markers that the next scene does not have, and says so while they still exist.
  mutating func dropMarkers(except ids: Set<String>, _ effects: inout [SessionEffect]) {
    for (_, annotation) in scene?.annotations ?? [] where !ids.contains(annotation.id) {
      guard let dropped = markers.removeValue(forKey: annotation.id) else { continue }
      for (copy, marker) in dropped.sorted(by: { $0.key < $1.key }) where marker.visible || marker.selected {
        effects.append(
          .markerChanged(
            id: annotation.id, copy: Self.told(copy), visible: false, selected: false, pulsing: false))
      }
    }
  }

  /// The copy that a marker hangs on as it is told.
  private static func told(_ copy: Int) -> Int? { copy == 0 ? nil : copy }

  /// Forgets anchors; those that were found are lost.
  mutating func dropAnchors(except names: Set<String>, _ effects: inout [SessionEffect]) {
    for key in presences.keys.filter({ !names.contains($0.anchor) }).sorted() {
      if let presence = presences.removeValue(forKey: key), presence.isPresent {
        effects.append(.anchorLost(anchor: key.anchor, copy: key.copy, lastSeen: presence.lastSeen))
      }
      forget(key)
    }
  }

  /// Forgets where an anchor was seen.
  private mutating func forget(_ key: SightKey) {
    sightings[key] = nil
    hideMarkers(of: key)
    if bearers[key.anchor] == key { bearers[key.anchor] = nil }
  }

  private func anchor(_ name: String) -> SceneAnchor? { order[name].flatMap { scene?.anchors[$0] } }

  private mutating func hideMarkers(of key: SightKey) {
    guard let anchor = anchor(key.anchor), anchor.hangsOnEach || isBearer(key, of: anchor) else { return }
    let copy = anchor.hangsOnEach ? key.copy ?? 0 : 0
    for annotation in anchor.annotations { markers[annotation.id]?[copy]?.hide() }
  }

  /// Returns whether the annotations of an anchor hang on this one of its copies, where they do not hang on each.
  private func isBearer(_ key: SightKey, of anchor: SceneAnchor) -> Bool {
    anchor.copies == 1 || bearers[key.anchor] == key
  }

  // MARK: Frames

  /// Takes the sightings of a frame.
  ///
  /// - Returns: the names of the anchors that were seen.
  mutating func take(_ frame: SessionFrame, _ effects: inout [SessionEffect]) -> Set<SightKey> {
    frameSize = Point2(Double(frame.width), Double(frame.height))
    lastFrame = now
    var seen: Set<SightKey> = []
    for sighting in frame.sightings where sighting.isFinite && !seen.contains(sighting.key) {
      let key = sighting.key
      // With a scene, only its anchors count: a library may hold more.
      if scene != nil, order[key.anchor] == nil { continue }
      // Where the scene waits for the proof, what may be another picture is not found; what was found stays.
      if scene?.ambiguous == .wait, sighting.ambiguous != nil, !isPresent(key) { continue }
      seen.insert(key)
      var presence = presences[key] ?? Presence()
      let gap = now - presence.lastSeen
      let change = presence.handle(seen: true, at: now, configuration.presence)
      presences[key] = presence
      sightings[key] = sighting
      // After a pause the old speed says nothing; a jump is not a movement.
      if gap > configuration.candidateGap { hideMarkers(of: key) }
      if change == .found { effects.append(.anchorFound(sighting)) }
    }
    for name in Set(seen.map(\.anchor)) {
      guard let anchor = anchor(name), anchor.copies > 1, !anchor.hangsOnEach else { continue }
      chooseBearer(of: anchor, seen)
    }
    for sighting in frame.sightings where seen.contains(sighting.key) && isPresent(sighting.key) {
      // A copy that a frame tells twice counts once.
      if sightings[sighting.key] == sighting { place(sighting, frame.intrinsics) }
    }
    return seen
  }

  /// Hangs the annotations of an anchor on the nearest one of its copies. Another one must be nearer by a tenth, so that they do not go to and fro
  /// between two that are alike.
  private mutating func chooseBearer(of anchor: SceneAnchor, _ seen: Set<SightKey>) {
    func distance(_ key: SightKey) -> Double { sightings[key]?.relativeDistance ?? .infinity }
    let present = seen.filter { $0.anchor == anchor.name && isPresent($0) }
    guard let nearest = present.min(by: { (distance($0), $0) < (distance($1), $1) }) else { return }
    if let bearer = bearers[anchor.name], isPresent(bearer), distance(nearest) > 0.9 * distance(bearer) { return }
    guard bearers[anchor.name] != nearest else { return }
    for annotation in anchor.annotations { markers[annotation.id]?[0]?.hide() }
    bearers[anchor.name] = nearest
  }

  /// Loses the anchors that were not seen for too long.
  ///
  /// - Returns: the lost ones.
  mutating func loseUnseen(except seen: Set<SightKey>, _ effects: inout [SessionEffect]) -> [SightKey] {
    var lost: [SightKey] = []
    for key in presences.keys.sorted() where !seen.contains(key) {
      guard var presence = presences[key] else { continue }
      let change = presence.handle(seen: false, at: now, configuration.presence)
      // A copy that is gone does not come back under its number.
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

  /// Projects the markers of an anchor.
  private mutating func place(_ sighting: AnchorDetection, _ intrinsics: CameraIntrinsics) {
    guard let anchor = anchor(sighting.anchor), anchor.hangsOnEach || isBearer(sighting.key, of: anchor) else { return }
    let projector = MarkerProjector(
      sighting, physicalWidth: anchor.physicalWidth, radius: anchor.radius, intrinsics: intrinsics)
    let copy = anchor.hangsOnEach ? sighting.copy ?? 0 : 0
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

  // MARK: What is in sight

  /// The names of the anchors that are found.
  var present: Set<String> { Set(presences.lazy.filter { $0.value.isPresent }.map(\.key.anchor)) }

  private func isPresent(_ key: SightKey) -> Bool { presences[key]?.isPresent == true }

  /// How many anchors and copies something is kept of.
  var keptCount: Int { presences.count + sightings.count }

  /// True if an anchor of the scene is in sight.
  var hasAnchor: Bool { presences.contains { $0.value.isPresent && order[$0.key.anchor] != nil } }

  /// When an anchor will be lost by time alone.
  var deadline: Double? { presences.values.compactMap { $0.deadline(configuration.presence) }.min() }

  /// The anchors whose last sighting is this old at most.
  func seen(since time: Double) -> Set<SightKey> { Set(presences.filter { $0.value.lastSeen >= time }.keys) }

  /// The anchors that are found, and those that were lost just now, in the order of the scene.
  func states(seen: Set<SightKey>, lost: [SightKey], _ emphasis: Emphasis) -> [AnchorState] {
    let told = presences.lazy.filter { $0.value.isPresent }.map(\.key) + lost
    let known = scene == nil ? told : told.filter { order[$0.anchor] != nil }
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

  /// The states after something other than a frame lost anchors: those appear once more, as `notTracking`, whether or not
  /// they are part of the scene.
  func states(lost: [SightKey], _ emphasis: Emphasis) -> [AnchorState] {
    var states = states(seen: seen(since: lastFrame), lost: lost, emphasis)
    for key in lost where !states.contains(where: { $0.anchor == key.anchor && $0.copy == key.copy }) {
      states.append(
        AnchorState(anchor: key.anchor, copy: key.copy, method: .notTracking, sighting: nil, markers: []))
    }
    return states
  }

  private func markerStates(_ key: SightKey, _ emphasis: Emphasis) -> [MarkerState] {
    guard let anchor = anchor(key.anchor), anchor.hangsOnEach || isBearer(key, of: anchor) else { return [] }
    let copy = anchor.hangsOnEach ? key.copy ?? 0 : 0
    return anchor.annotations.compactMap { annotation in
      markers[annotation.id]?[copy].map {
        MarkerState(
          id: annotation.id, copy: Self.told(copy), visible: emphasis.shows && $0.inSight,
          selected: emphasis.selected == annotation.id, screen: $0.screen, depth: $0.depth)
      }
    }
  }

  /// Says of every marker whose visibility or selection has changed; those of copies that are gone are forgotten then.
  mutating func reportMarkers(_ emphasis: Emphasis, _ effects: inout [SessionEffect]) {
    for anchor in scene?.anchors ?? [] {
      for annotation in anchor.annotations {
        for copy in markers[annotation.id]?.keys.sorted() ?? [] {
          guard var marker = markers[annotation.id]?[copy] else { continue }
          let exists =
            anchor.hangsOnEach
            ? isPresent(SightKey(anchor: anchor.name, copy: Self.told(copy))) : copy == 0
          let visible = exists && emphasis.shows && marker.inSight
          let isSelected = exists && emphasis.selected == annotation.id
          let pulsing = visible && isSelected
          if visible != marker.visible || isSelected != marker.selected || pulsing != marker.pulsing {
            (marker.visible, marker.selected, marker.pulsing) = (visible, isSelected, pulsing)
            effects.append(
              .markerChanged(
                id: annotation.id, copy: Self.told(copy), visible: visible, selected: isSelected,
                pulsing: pulsing))
          }
          markers[annotation.id]?[copy] = exists ? marker : nil
        }
        // Where annotations do not hang on each copy any more, all share one.
        if !anchor.hangsOnEach, markers[annotation.id]?[0] == nil {
          let marker = makeMarker()
          markers[annotation.id]?[0] = marker
        }
      }
    }
  }

  /// The copies in sight of the anchor of an annotation; none where one alone is followed.
  func copies(of annotation: Annotation) -> Set<Int> {
    guard let anchor = anchor(of: annotation) else { return [] }
    return Set(presences.lazy.filter { $0.key.anchor == anchor.name && $0.value.isPresent }.compactMap(\.key.copy))
  }

  /// The copy that an annotation is about where none is named: the one that it hangs on, or the only one in sight.
  func copy(of annotation: Annotation) -> Int? {
    let copies = copies(of: annotation)
    if copies.count < 2 { return copies.first }
    return anchor(of: annotation).flatMap { bearers[$0.name]?.copy }
  }

  private func anchor(of annotation: Annotation) -> SceneAnchor? {
    scene?.anchors.first { $0.annotations.contains { $0.id == annotation.id } }
  }

  /// The annotation whose visible marker is nearest to a point, and the copy that this hangs on; of two equally near, the one nearer to the
  /// camera.
  func annotation(at point: Point2) -> (annotation: Annotation, copy: Int?)? {
    let radius = configuration.tapRadius * max(frameSize.x, frameSize.y)
    let hits = (scene?.annotations ?? []).flatMap { _, annotation in
      (markers[annotation.id] ?? [:]).compactMap { copy, marker -> (Annotation, Int?, Double, Double)? in
        guard marker.visible, let screen = marker.screen else { return nil }
        let distance = screen.distance(to: point)
        guard distance <= radius else { return nil }
        return (annotation, Self.told(copy) ?? self.copy(of: annotation), distance, marker.depth ?? 0)
      }
    }
    return hits.min { ($0.2, $0.3) < ($1.2, $1.3) }.map { ($0.0, $0.1) }
  }
}
