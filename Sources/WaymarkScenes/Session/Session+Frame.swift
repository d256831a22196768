import WaymarkGeometry
import WaymarkSystem

extension Session {
  mutating func take(_ frame: SessionFrame, _ effects: inout [SessionEffect]) {
    frameSize = Point2(Double(frame.width), Double(frame.height))
    intrinsics = frame.intrinsics
    lastFrame = now
    var seen: Set<String> = []
    for sighting in frame.sightings where sighting.isFinite && !seen.contains(sighting.anchor) {
      // With a scene, only its anchors count: a library may hold more.
      if let scene, !scene.anchors.contains(where: { $0.name == sighting.anchor }) { continue }
      // Where the scene waits for the proof, what may be another picture is not found; what was found stays.
      if scene?.ambiguous == .wait, sighting.ambiguous != nil, presences[sighting.anchor]?.isPresent != true {
        continue
      }
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
    let lost = passTime(seen: seen, &effects)
    let states = anchorStates(seen: seen, lost: lost)
    if !states.isEmpty { effects.append(.anchorsUpdated(states)) }
  }

  /// Applies the changes that time alone makes: anchors get lost, phases go on. Returns the anchors that were lost.
  @discardableResult
  mutating func passTime(seen: Set<String>, _ effects: inout [SessionEffect]) -> [String] {
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
    let any = scene?.anchors.contains { presences[$0.name]?.isPresent == true } ?? false
    switch phase {
    case .scanning where any: enter(.matched, &effects)
    case .matched where !any, .annotating where !any: enter(.scanning, &effects)
    case .matched:
      if let matchedAt, now - matchedAt >= configuration.annotateAfter { enter(.annotating, &effects) }
    default: break
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
        marker = hidden(marker)
      }
      markers[annotation.id] = marker
    }
  }

  private func isInside(_ p: Point2, margin: Double) -> Bool {
    p.x >= -0.5 + margin && p.y >= -0.5 + margin && p.x < frameSize.x - 0.5 - margin
      && p.y < frameSize.y - 0.5 - margin
  }

  func anchorStates(seen: Set<String>, lost: [String]) -> [AnchorState] {
    let names = scene?.anchors.map(\.name) ?? presences.keys.sorted()
    return names.compactMap { name in
      let isPresent = presences[name]?.isPresent == true
      guard isPresent || lost.contains(name) else { return nil }
      let method: AnchorPlacement.Method =
        !isPresent ? .notTracking : seen.contains(name) ? .fullTracking : .lastKnownPose
      return AnchorState(
        anchor: name, method: method, sighting: isPresent ? sightings[name] : nil, markers: markerStates(name))
    }
  }

  private func markerStates(_ anchor: String) -> [MarkerState] {
    (scene?.anchors.first { $0.name == anchor }?.annotations ?? []).compactMap { annotation in
      markers[annotation.id].map {
        MarkerState(
          id: annotation.id, visible: phase == .annotating && $0.inSight, selected: selected == annotation.id,
          screen: $0.screen, depth: $0.depth)
      }
    }
  }

  /// The anchors that are found at the moment, for whoever joins.
  package var anchorStates: [AnchorState] {
    anchorStates(seen: Set(presences.filter { $0.value.lastSeen == now }.keys), lost: [])
  }
}
