import Testing
import WaymarkImage
import WaymarkSystem

@testable import WaymarkScenes

/// A hundred thousand random steps against the invariants.
@Suite struct SessionRandomWalkTests {
  @Test func invariantsHold() {
    var random = RandomSource(seed: 20_260_101)
    var fixture = SessionFixture()
    var world = World()
    var visited: Set<ScenePhase> = []
    var kinds: Set<String> = []
    for step in 0..<100_000 {
      fixture.now += [0, 0.001, 0.033, 0.033, 0.05, 0.3, 1.2][random.below(7)]
      let before = fixture.session
      let input = Self.input(&random)
      let time = random.below(500) == 0 ? [Double.nan, .infinity, -.infinity, 0][random.below(4)] : fixture.now
      let effects = fixture.session.handle(input, at: time)
      if let broken = world.check(input, effects, before: before, session: fixture.session) {
        Issue.record("step \(step), \(input): \(broken)")
        return
      }
      visited.insert(fixture.session.phase)
      kinds.formUnion(effects.map { String($0.word.prefix { $0.isLetter }) })
    }
    // The walk is worth something only if it has been everywhere.
    #expect(visited.count == ScenePhase.allCases.count)
    for kind in ["found", "lost", "selected", "cleared", "opened", "closed", "action", "refused", "updated"] {
      #expect(kinds.contains(kind), "the walk never saw \(kind)")
    }
  }

  static func input(_ random: inout RandomSource) -> SessionInput {
    let ids = ["a1", "a2", "a3", "b1", "b2", "nobody"]
    func id() -> String { ids[random.below(ids.count)] }
    switch random.below(100) {
    case 0: return .sceneLoaded(scene(&random), reload: true)
    case 1: return random.below(4) == 0 ? .sceneUnloaded : .sceneLoaded(scene(&random), reload: false)
    case 2...4: return .start
    case 5...8: return .scan
    case 9: return .coach
    case 10: return random.below(4) == 0 ? .exit : .tick
    case 11: return random.below(4) == 0 ? .followingStopped : .tick
    case 12...15: return .select(id: id())
    case 16...19: return .tap(Point2(random.unit() * 640, random.below(50) == 0 ? .nan : random.unit() * 480))
    case 20...22: return .next
    case 23...25: return .previous
    case 26: return .clear
    case 27...30: return .openCard(id: id())
    case 31: return .closeCard
    case 32...34: return .cardAction(id: id())
    default: return .frame(frame(&random))
    }
  }

  /// The scene, sometimes without some of its annotations or an anchor.
  static func scene(_ random: inout RandomSource) -> Scene {
    var scene = SessionFixture.scene
    if random.below(3) == 0 { scene.anchors[0].annotations.remove(at: random.below(3)) }
    if random.below(3) == 0 { scene.anchors[0].physicalWidth = nil }
    if random.below(4) == 0 { scene.anchors.remove(at: random.below(2)) }
    if random.below(4) == 0, scene.anchors.count > 1 {
      scene.anchors[1].annotations.append(Annotation(id: "b2", position: Point3(50, -50, 50)))
    }
    return scene
  }

  /// Anchors anywhere, also beside the frame, edge-on, turned away, broken or unknown.
  static func frame(_ random: inout RandomSource) -> SessionFrame {
    var sightings: [AnchorDetection] = []
    for anchor in ["a", "b", "stranger"] where random.below(anchor == "stranger" ? 20 : 4) != 0 {
      let position = Point3(random.unit() - 0.5, random.unit() - 0.5, -0.2 - random.unit())
      var seen = SessionFixture.sighting(anchor, position: position, tilt: (random.unit() - 0.5) * 3)
      switch random.below(40) {
      case 0: seen.homography.row0.x = .nan
      case 1: seen.pose?.position.y = .infinity
      case 2: seen.corners.topLeft.x = -.infinity
      case 3: seen.placement.homography = Homography(.zero, .zero, .zero)
      case 4: seen.placement.referenceSize = .zero
      case 5: seen.placement.score = .nan
      case 6: seen.placement.homography = Homography(SIMD3(1e300, 0, 0), SIMD3(0, 1e300, 0), SIMD3(0, 0, 1e-300))
      case 7: seen.placement.pose = nil
      default: break
      }
      sightings.append(seen)
      if random.below(50) == 0 { sightings.append(seen) }
    }
    return SessionFrame(
      width: 640, height: 480, intrinsics: SessionFixture.intrinsics, sightings: sightings)
  }
}

/// The world as a client knows it from the effects.
private struct World {
  var phase = ScenePhase.inactive
  var found: Set<String> = []
  var visible: Set<String> = []
  var marked: Set<String> = []
  var selected: String?
  var open: String?

  /// Returns the problem, if there is one.
  mutating func check(
    _ input: SessionInput, _ effects: [SessionEffect], before: Session, session: Session
  ) -> String? {
    let previousScene = Set(visible).union(marked)
    let known = Set(session.scene?.annotations.map(\.annotation.id) ?? []).union(previousScene)
      .union([before.selected, before.openCard].compactMap { $0 })
    for effect in effects {
      switch effect {
      case .phase(let status):
        guard Self.follows(phase, status.phase, input) else { return "\(phase) cannot become \(status.phase)" }
        phase = status.phase
        if (phase == .inactive) != (status.guide == nil) { return "a guide while inactive, or none while active" }
      case .anchorFound(let seen):
        guard found.insert(seen.anchor).inserted else { return "\(seen.anchor) found twice" }
        guard seen.isFinite else { return "a number that is none" }
      case .anchorLost(let anchor, _, let lastSeen):
        guard found.remove(anchor) != nil else { return "\(anchor) lost without having been found" }
        guard lastSeen.isFinite else { return "never seen" }
      case .anchorsUpdated(let states):
        if let broken = check(states) { return broken }
      case .markerChanged(let id, _, let isVisible, let isSelected, let pulsing):
        guard known.contains(id) else { return "a marker of the unknown id \(id)" }
        guard pulsing == (isVisible && isSelected) else { return "\(id) pulses wrongly" }
        if isVisible { visible.insert(id) } else { visible.remove(id) }
        if isSelected { marked.insert(id) } else { marked.remove(id) }
      case .annotationSelected(let annotation, _):
        selected = annotation.id
      case .annotationCleared(let id):
        guard selected == id else { return "\(id) cleared, but \(selected ?? "nothing") was selected" }
        selected = nil
      case .cardOpened(let annotation, _):
        guard open == nil else { return "two cards open" }
        guard annotation.card != nil else { return "a card that does not exist" }
        open = annotation.id
      case .cardClosed(let id):
        guard open == id else { return "\(id) closed, but \(open ?? "nothing") was open" }
        open = nil
      case .cardAction(let annotation, _):
        guard annotation.card?.actionType != nil else { return "an action that does not exist" }
      case .refused:
        guard effects.count == 1, session.status == before.status, session.scene == before.scene,
          session.selected == before.selected, session.openCard == before.openCard
        else { return "refused, and yet something changed" }
      }
    }
    return agreement(session)
  }

  private func check(_ states: [AnchorState]) -> String? {
    for state in states {
      guard (state.sighting == nil) == (state.method == .notTracking) else { return "a place without tracking" }
      guard state.sighting?.isFinite ?? true else { return "a number that is none" }
      for marker in state.markers {
        if marker.visible, state.sighting == nil { return "\(marker.id) is visible without a pose" }
        guard let screen = marker.screen else {
          if marker.visible { return "\(marker.id) is visible nowhere" }
          continue
        }
        guard screen.x.isFinite, screen.y.isFinite, marker.depth?.isFinite ?? true else {
          return "a number that is none"
        }
        guard marker.depth ?? 1 > 0 else { return "\(marker.id) is behind the camera" }
        let inside = screen.x >= -0.5 && screen.y >= -0.5 && screen.x < 639.5 && screen.y < 479.5
        if marker.visible, !inside { return "\(marker.id) is visible beside the frame" }
      }
    }
    return nil
  }

  /// The client's state and the true one must be the same.
  private func agreement(_ session: Session) -> String? {
    guard phase == session.phase else { return "the phase was not told" }
    guard selected == session.selected else { return "the selection was not told" }
    guard open == session.openCard else { return "the open card was not told" }
    guard open == nil || open == selected else { return "an open card that is not selected" }
    guard marked == Set([selected].compactMap { $0 }) else {
      return "markers \(marked) are selected, not \(selected ?? "none")"
    }
    guard visible.isEmpty || phase == .annotating else { return "markers show in \(phase)" }
    guard session.scene != nil || (phase == .inactive && selected == nil) else { return "a session without a scene" }
    let present = session.sights.present
    guard found == present else { return "found \(found), but present \(present)" }
    if phase == .matched || phase == .annotating, present.isEmpty { return "\(phase) without an anchor" }
    let states = Dictionary(grouping: session.anchorStates.flatMap(\.markers), by: \.id)
    for id in visible {
      guard states[id]?.count == 1, states[id]?[0].visible == true else { return "\(id) should not be visible" }
    }
    if let selected, session.annotation(selected) == nil { return "the selection does not exist" }
    return nil
  }

  private static func follows(_ from: ScenePhase, _ to: ScenePhase, _ input: SessionInput) -> Bool {
    switch (from, to) {
    case (_, .inactive): from != .inactive
    case (.inactive, .coaching), (.coaching, .scanning), (.scanning, .coaching), (.matched, .coaching),
      (.annotating, .coaching), (.scanning, .matched), (.matched, .scanning), (.matched, .annotating),
      (.annotating, .scanning):
      true
    // The guide of a scene that was loaded meanwhile.
    default: if case .sceneLoaded = input { from == to } else { false }
    }
  }
}
