import WaymarkGeometry
import WaymarkSystem

extension Session {
  mutating func load(_ new: Scene, reload: Bool, _ effects: inout [SessionEffect]) {
    let keep = reload && scene != nil
    let ids = keep ? Set(new.annotations.map(\.annotation.id)) : []
    let names = keep ? Set(new.anchors.map(\.name)) : []
    drop(markersExcept: ids, anchorsExcept: names, &effects)
    if let openCard, let annotation = new.annotations.first(where: { $0.annotation.id == openCard })?.annotation,
      annotation.card == nil
    {
      closeCard(&effects)
    }
    scene = new
    for (_, annotation) in new.annotations where markers[annotation.id] == nil {
      markers[annotation.id] = newMarker()
    }
    guard phase != .inactive else { return }
    if keep {
      // The guide may be another one; and what was followed may be gone.
      effects.append(.phase(status))
      passTime(seen: [], &effects)
    } else {
      coachingClosed = false
      enter(.coaching, &effects)
    }
  }

  mutating func unload(_ effects: inout [SessionEffect]) {
    guard scene != nil else { return }
    exit(&effects)
    drop(markersExcept: [], anchorsExcept: [], &effects)
    scene = nil
  }

  /// Releases what the next scene does not have, and says so while it still exists.
  private mutating func drop(
    markersExcept ids: Set<String>, anchorsExcept names: Set<String>, _ effects: inout [SessionEffect]
  ) {
    guard let scene else {
      // Anchors followed without a scene are not part of the next one.
      lose(presences.keys.filter { !names.contains($0) }.sorted(), &effects)
      return
    }
    if let selected, !ids.contains(selected) { clear(&effects) }
    for (_, annotation) in scene.annotations where !ids.contains(annotation.id) {
      if let marker = markers.removeValue(forKey: annotation.id), marker.visible || marker.selected {
        effects.append(.markerChanged(id: annotation.id, visible: false, selected: false, pulsing: false))
      }
    }
    lose(presences.keys.filter { !names.contains($0) }.sorted(), &effects)
  }

  /// Forgets anchors; those that were found are lost.
  mutating func lose(_ names: [String], _ effects: inout [SessionEffect]) {
    for name in names {
      if let presence = presences.removeValue(forKey: name), presence.isPresent {
        effects.append(.anchorLost(anchor: name, lastSeen: presence.lastSeen))
      }
      sightings[name] = nil
      hideMarkers(of: name)
    }
  }

  mutating func stopFollowing(_ effects: inout [SessionEffect]) {
    lose(presences.keys.sorted(), &effects)
    passTime(seen: [], &effects)
  }

  func hidden(_ marker: TrackedMarker) -> TrackedMarker {
    var marker = marker
    marker.filter.reset()
    marker.screen = nil
    marker.depth = nil
    marker.inSight = false
    return marker
  }

  mutating func hideMarkers(of anchor: String) {
    for annotation in scene?.anchors.first(where: { $0.name == anchor })?.annotations ?? [] {
      markers[annotation.id] = markers[annotation.id].map(hidden)
    }
  }
}
