import Testing
import WaymarkImage

@testable import WaymarkScenes

@Suite struct SessionTransitionTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var from: ScenePhase
    var input: SessionInput
    var to: ScenePhase
    var effects: [String]
    var testDescription: String { "\(from) \(input)".prefix(60).description }

    init(_ from: ScenePhase, _ input: SessionInput, _ to: ScenePhase, _ effects: String...) {
      self.from = from
      self.input = input
      self.to = to
      self.effects = effects
    }
  }

  static let hidden = ["-a1", "-a2", "-a3"]

  @Test(arguments: [
    Row(.inactive, .start, .coaching, "coaching"),
    Row(.inactive, .scan, .inactive, "refused wrongPhase"),
    Row(.inactive, .coach, .inactive, "refused wrongPhase"),
    Row(.inactive, .exit, .inactive),
    Row(.inactive, .select(id: "a1"), .inactive, "refused wrongPhase"),
    Row(.inactive, .tap(Point2(320, 240)), .inactive, "refused wrongPhase"),
    Row(.inactive, .next, .inactive, "refused wrongPhase"),
    Row(.inactive, .openCard(id: "a2"), .inactive, "refused wrongPhase"),
    Row(.inactive, .closeCard, .inactive),
    Row(.inactive, .clear, .inactive),
    Row(.inactive, .tick, .inactive),
    Row(.inactive, .sceneUnloaded, .inactive),
    Row(.coaching, .start, .coaching),
    Row(.coaching, .scan, .scanning, "scanning"),
    Row(.coaching, .coach, .coaching),
    Row(.coaching, .exit, .inactive, "inactive"),
    Row(.coaching, .select(id: "a1"), .coaching, "refused wrongPhase"),
    Row(.coaching, .previous, .coaching, "refused wrongPhase"),
    Row(.coaching, .sceneUnloaded, .inactive, "inactive"),
    Row(.scanning, .start, .scanning),
    Row(.scanning, .scan, .scanning),
    Row(.scanning, .coach, .coaching, "coaching"),
    Row(.scanning, .exit, .inactive, "inactive"),
    Row(.scanning, .select(id: "a2"), .scanning, "selected a2", "-a2*"),
    Row(.scanning, .tap(Point2(320, 240)), .scanning, "refused noMarkerThere"),
    Row(.scanning, .openCard(id: "a2"), .scanning, "selected a2", "opened a2", "-a2*"),
    Row(.matched, .coach, .coaching, "coaching"),
    Row(.matched, .scan, .matched),
    Row(.matched, .start, .matched),
    Row(.matched, .exit, .inactive, "inactive"),
    Row(.matched, .followingStopped, .scanning, "lost a", "scanning", "updated"),
    Row(.matched, .sceneUnloaded, .inactive, "inactive", "lost a", "updated"),
    Row(.annotating, .coach, .coaching, "coaching", "-a1", "-a2", "-a3"),
    Row(.annotating, .scan, .annotating),
    Row(.annotating, .start, .annotating),
    Row(.annotating, .exit, .inactive, "inactive", "-a1", "-a2", "-a3"),
    Row(.annotating, .followingStopped, .scanning, "lost a", "scanning", "updated", "-a1", "-a2", "-a3"),
    Row(.annotating, .sceneUnloaded, .inactive, "inactive", "-a1", "-a2", "-a3", "lost a", "updated"),
    Row(.annotating, .select(id: "a1"), .annotating, "selected a1", "+a1*!"),
    Row(.annotating, .select(id: "zz"), .annotating, "refused unknownAnnotation"),
    Row(.annotating, .openCard(id: "zz"), .annotating, "refused unknownAnnotation"),
    Row(.annotating, .openCard(id: "a1"), .annotating, "refused noCard"),
    Row(.annotating, .openCard(id: "b1"), .annotating, "selected b1", "opened b1", "-b1*"),
    Row(.annotating, .cardAction(id: "a2"), .annotating, "action a2"),
    Row(.annotating, .cardAction(id: "a3"), .annotating, "refused noAction"),
    Row(.annotating, .cardAction(id: "a1"), .annotating, "refused noCard"),
    Row(.annotating, .tap(Point2(321, 243)), .annotating, "selected a1", "+a1*!"),
    Row(.annotating, .tap(Point2(20, 20)), .annotating, "refused noMarkerThere"),
    Row(.annotating, .tap(Point2(.nan, 0)), .annotating, "refused noMarkerThere"),
    Row(.annotating, .next, .annotating, "selected a1", "+a1*!"),
    Row(.annotating, .previous, .annotating, "selected a3", "+a3*!"),
    Row(.annotating, .clear, .annotating),
    Row(.annotating, .closeCard, .annotating),
  ])
  func table(_ row: Row) {
    var fixture = SessionFixture.inPhase(row.from)
    #expect(fixture.session.phase == row.from)
    #expect(fixture.send(row.input) == row.effects)
    #expect(fixture.session.phase == row.to)
  }

  @Test func withoutASceneNothingStarts() {
    var fixture = SessionFixture()
    #expect(fixture.send(.start) == ["refused noScene"])
    #expect(fixture.send(.next) == ["refused wrongPhase"] || fixture.send(.next) == ["refused noScene"])
  }

  @Test func theWholeWayInOrder() {
    var fixture = SessionFixture()
    fixture = fixture.loaded()
    var words = fixture.send(.start)
    #expect(fixture.session.status.primaryAction == .beginScan)
    #expect(fixture.session.status.guide == "a")
    words += fixture.send(.scan)
    words += fixture.frames([], seconds: 0.5)
    let seen = SessionFixture.sighting()
    words += fixture.frames([seen], seconds: 2)
    words += fixture.send(.select(id: "a2"))
    words += fixture.send(.openCard(id: "a2"))
    words += fixture.send(.cardAction(id: "a2"))
    words += fixture.frames([], seconds: 1)
    words += fixture.frames([seen], seconds: 1.5)
    words += fixture.send(.closeCard)
    words += fixture.send(.clear)
    words += fixture.send(.coach)
    #expect(fixture.session.status.primaryAction == .returnToScan)
    words += fixture.send(.exit)
    #expect(
      words == [
        "coaching", "scanning", "found a", "matched", "annotating", "+a1", "+a2", "+a3", "selected a2", "+a2*!",
        "opened a2", "action a2", "lost a", "scanning", "-a1", "-a2*", "-a3", "found a", "matched", "annotating", "+a1",
        "+a2*!", "+a3", "closed a2", "cleared a2", "+a2", "coaching", "-a1", "-a2", "-a3", "inactive",
      ])
  }

  @Test func timesAreKeptAndNothingFlickers() {
    var fixture = SessionFixture.inPhase(.scanning)
    let seen = SessionFixture.sighting()
    // One sighting alone is not an anchor.
    #expect(fixture.frames([seen], seconds: 1.0 / 30) == [])
    #expect(fixture.frames([], seconds: 1) == [])
    // Found no sooner than the time says.
    let start = fixture.now
    var found: Double?
    while found == nil {
      if fixture.frame([seen]).contains(where: { $0.word == "found a" }) { found = fixture.now }
    }
    #expect(found.map { $0 - start - 1.0 / 30 >= 0.06 && $0 - start < 0.2 } == true)
    // Seen only now and then, but more often than the time to be lost: nothing happens, the last pose holds.
    _ = fixture.frames([seen], seconds: 1.5)
    #expect(fixture.session.phase == .annotating)
    for _ in 0..<20 {
      let effects = fixture.frame([], after: 0.2)
      guard case .anchorsUpdated(let states)? = effects.last else {
        Issue.record("no update")
        continue
      }
      #expect(states.map(\.method) == [.lastKnownPose])
      #expect(states[0].markers.allSatisfy { $0.visible && $0.screen != nil })
      #expect(fixture.frame([seen], after: 0.2).map(\.word) == ["updated"])
    }
    // Lost by time alone, whether frames come or not.
    let deadline = fixture.session.deadline
    #expect(deadline.map { abs($0 - fixture.now - 0.5) < 1e-9 } == true)
    fixture.now += 0.49
    #expect(fixture.send(.tick) == [])
    fixture.now += 0.02
    #expect(fixture.send(.tick) == ["lost a", "scanning", "updated"] + Self.hidden)
    #expect(fixture.session.deadline == nil)
  }

  /// A scene that waits for the proof finds an anchor once it is there, and keeps it.
  @Test(arguments: AmbiguousAnchors.allCases) func anAmbiguousAnchorWaitsWhereTheSceneSaysSo(
    _ treatment: AmbiguousAnchors
  ) {
    var fixture = SessionFixture()
    var scene = SessionFixture.scene
    scene.ambiguous = treatment
    _ = fixture.send(.sceneLoaded(scene, reload: false))
    _ = fixture.send(.start)
    _ = fixture.send(.scan)
    var doubtful = SessionFixture.sighting()
    doubtful.ambiguous = []
    func found(_ sighting: AnchorDetection) -> Bool {
      var isFound = false
      for _ in 0..<10 {
        for case .anchorFound(let seen) in fixture.frame([sighting]) { isFound = seen.anchor == sighting.anchor }
      }
      return isFound
    }
    #expect(found(doubtful) == (treatment == .show))
    #expect(found(SessionFixture.sighting()) == (treatment == .wait))
    #expect(fixture.frame([doubtful]).contains { if case .anchorsUpdated = $0 { true } else { false } })
  }

  @Test func severalAnchorsAtOnce() {
    var fixture = SessionFixture.inPhase(.annotating)
    let a = SessionFixture.sighting()
    let b = SessionFixture.sighting("b", position: Point3(0.1, 0, -0.6), width: 0.1)
    #expect(fixture.frames([a, b], seconds: 0.5) == ["found b", "+b1"])
    #expect(fixture.send(.previous) == ["selected b1", "+b1*!"])
    #expect(fixture.send(.next) == ["selected a1", "+a1*!", "+b1"])
    // One goes, the other stays: the phase stays, and swiping leaves out what hangs on the one that went.
    #expect(fixture.frames([b], seconds: 0.6) == ["lost a", "-a1*", "-a2", "-a3"])
    #expect(fixture.session.phase == .annotating)
    #expect(fixture.send(.next) == ["selected b1", "-a1", "+b1*!"])
    #expect(fixture.send(.next) == [])
    #expect(fixture.frames([], seconds: 0.6) == ["lost b", "scanning", "-b1*"])
  }

  @Test func reloadKeepsWhatStillExists() {
    var fixture = SessionFixture.inPhase(.annotating)
    _ = fixture.send(.openCard(id: "a2"))
    var changed = SessionFixture.scene
    changed.anchors[0].annotations.remove(at: 2)
    changed.anchors[0].annotations[1].card?.title = "New"
    #expect(fixture.send(.sceneLoaded(changed, reload: true)) == ["-a3", "annotating"])
    #expect(fixture.session.selected == "a2")
    #expect(fixture.session.openCard == "a2")
    changed.anchors[0].annotations[1].card = nil
    #expect(fixture.send(.sceneLoaded(changed, reload: true)) == ["closed a2", "annotating"])
    #expect(fixture.session.selected == "a2")
    changed.anchors[0].annotations.removeLast()
    #expect(fixture.send(.sceneLoaded(changed, reload: true)) == ["cleared a2", "-a2", "annotating"])
    changed.anchors[0].name = "c"
    #expect(
      fixture.send(.sceneLoaded(changed, reload: true)) == ["lost a", "annotating", "scanning", "updated", "-a1"])
    #expect(fixture.send(.sceneLoaded(SessionFixture.scene, reload: false)) == ["coaching"])
  }

  @Test func anAnchorOfNoSceneIsFoundAndLostToo() {
    var fixture = SessionFixture()
    let seen = SessionFixture.sighting("x")
    #expect(fixture.frames([seen], seconds: 0.2) == ["found x"])
    #expect(fixture.frame([seen]).map(\.word) == ["updated"])
    #expect(fixture.frames([], seconds: 0.6) == ["lost x"])
    #expect(fixture.frame([]).isEmpty)
  }
}
