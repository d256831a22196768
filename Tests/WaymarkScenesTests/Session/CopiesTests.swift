import Testing
import WaymarkImage

@testable import WaymarkScenes

/// Several copies of one picture: each found and lost by its number, and which of them the annotations hang on.
@Suite struct CopiesInSessionTests {
  private func fixture(_ annotate: AnnotationCopies, copies: Int = 20) -> SessionFixture {
    var fixture = SessionFixture()
    _ = fixture.send(.sceneLoaded(Self.scene(annotate, copies: copies), reload: false))
    _ = fixture.send(.start)
    _ = fixture.send(.scan)
    return fixture
  }

  private static func scene(_ annotate: AnnotationCopies, copies: Int = 20) -> Scene {
    Scene(
      name: "Shelf",
      anchors: [
        SceneAnchor(
          name: "a", image: "a.png", physicalWidth: 0.2, copies: copies, annotate: annotate,
          annotations: [
            Annotation(
              id: "p", position: Point3(0, 0, 0),
              card: SceneCard(title: "P", actionText: "Order", actionType: .custom, actionData: "p"))
          ])
      ])
  }

  private func copy(_ number: Int?, x: Double = 0, z: Double = -0.5) -> AnchorDetection {
    var sighting = SessionFixture.sighting(position: Point3(x, 0, z))
    sighting.copy = number
    return sighting
  }

  private func updated(_ fixture: inout SessionFixture, _ sightings: [AnchorDetection]) -> [AnchorState] {
    for case .anchorsUpdated(let states) in fixture.frame(sightings) { return states }
    return []
  }

  @Test func eachIsFoundAndLostByItsNumber() {
    var fixture = fixture(.nearest)
    let both = [copy(4), copy(9, x: 0.15)]
    #expect(fixture.frames(both, seconds: 0.3) == ["found a/4", "found a/9", "matched"])
    #expect(updated(&fixture, both).map(\.copy) == [4, 9])
    #expect(fixture.frames([both[1]], seconds: 0.6) == ["lost a/4"])
    #expect(fixture.frames([], seconds: 0.6) == ["annotating", "+p", "lost a/9", "scanning", "-p"])
  }

  @Test func annotationsHangOnTheNearest() throws {
    var fixture = fixture(.nearest)
    let (near, far) = (copy(1, x: 0, z: -0.5), copy(2, x: 0.1, z: -0.7))
    let words = fixture.frames([far, near], seconds: 1.6)
    #expect(words.filter { $0.hasPrefix("+") } == ["+p"])
    var states = updated(&fixture, [far, near])
    #expect(states.map { $0.markers.count } == [1, 0])
    let place = try #require(states[0].markers[0].screen)
    // A little nearer is not enough to move them: they would go to and fro between two that are alike.
    states = updated(&fixture, [copy(2, x: 0.1, z: -0.46), near])
    #expect(states.map { $0.markers.count } == [1, 0])
    states = updated(&fixture, [copy(2, x: 0.1, z: -0.4), near])
    #expect(states.map { $0.markers.count } == [0, 1])
    // They jump there: nothing is smoothed between two things.
    let now = try #require(states[1].markers[0].screen)
    #expect(now.x > place.x + 60)
    // The one that they hang on goes: they hang on the other.
    #expect(fixture.frames([near], seconds: 0.7).contains("lost a/2"))
    #expect(updated(&fixture, [near]).map { $0.markers.count } == [1])
  }

  @Test func annotationsHangOnEach() {
    var fixture = fixture(.each)
    let both = [copy(1), copy(2, x: 0.15)]
    let words = fixture.frames(both, seconds: 1.6)
    #expect(words.filter { $0.hasPrefix("+") } == ["+p/1", "+p/2"])
    let states = updated(&fixture, both)
    #expect(states.map { $0.markers.map(\.copy) } == [[1], [2]])
    #expect(fixture.send(.select(id: "p")) == ["selected p", "+p/1*!", "+p/2*!"])
    #expect(fixture.frames([both[0]], seconds: 0.6) == ["lost a/2", "-p/2"])
    // One that comes later has the marker, too.
    #expect(fixture.frames([both[0], copy(3, x: 0.15)], seconds: 0.3) == ["found a/3", "+p/3*!"])
    #expect(fixture.send(.clear) == ["cleared p", "+p/1", "+p/3"])
  }

  @Test func aTapMeansTheMarkerUnderIt() throws {
    var fixture = fixture(.each)
    let both = [copy(1), copy(2, x: 0.15)]
    _ = fixture.frames(both, seconds: 1.6)
    let place = try #require(updated(&fixture, both)[1].markers[0].screen)
    #expect(fixture.send(.tap(place)) == ["selected p/2", "+p/1*!", "+p/2*!"])
  }

  @Test func aCardKnowsTheCopyItWasOpenedFor() throws {
    var fixture = fixture(.each)
    let both = [copy(1), copy(2, x: 0.15)]
    _ = fixture.frames(both, seconds: 1.6)
    #expect(fixture.send(.openCard(id: "p", copy: 2)) == ["selected p/2", "opened p/2", "+p/1*!", "+p/2*!"])
    // A request without a copy means that one, even when it is out of sight.
    #expect(fixture.send(.cardAction(id: "p")) == ["action p/2"])
    _ = fixture.frames([both[0]], seconds: 0.6)
    #expect(fixture.send(.cardAction(id: "p")) == ["action p/2"])
    #expect(fixture.send(.select(id: "p")) == [])
    // The card of another copy is another thing's.
    #expect(fixture.send(.select(id: "p", copy: 1)) == ["closed p", "selected p/1"])
    #expect(fixture.send(.openCard(id: "p")) == ["opened p/1"])
    #expect(fixture.send(.clear) == ["closed p", "cleared p", "+p/1"])
    // Of one copy in sight it follows which is meant.
    #expect(fixture.send(.cardAction(id: "p")) == ["action p/1"])
  }

  @Test func aCopyThatIsNotInSightIsRefused() {
    var fixture = fixture(.each)
    _ = fixture.frames([copy(1), copy(2, x: 0.15)], seconds: 1.6)
    #expect(fixture.send(.select(id: "p", copy: 3)) == ["refused unknownCopy"])
    #expect(fixture.send(.cardAction(id: "p", copy: -1)) == ["refused unknownCopy"])
    // Of several in sight none follows.
    #expect(fixture.send(.cardAction(id: "p")) == ["action p"])
  }

  @Test func whereTheyHangOnTheNearestThatOneIsMeant() {
    var fixture = fixture(.nearest)
    let (near, far) = (copy(1, z: -0.5), copy(2, x: 0.1, z: -0.7))
    _ = fixture.frames([far, near], seconds: 1.6)
    #expect(fixture.send(.openCard(id: "p")) == ["selected p/1", "opened p/1", "+p*!"])
    // They move on; the card that is open stays that of the copy it was opened for.
    _ = fixture.frame([copy(2, x: 0.1, z: -0.4), near])
    #expect(fixture.send(.cardAction(id: "p")) == ["action p/1"])
    #expect(fixture.send(.cardAction(id: "p", copy: 2)) == ["action p/2"])
  }

  @Test func withoutCopiesNoCopyIsReported() {
    var fixture = fixture(.nearest, copies: 1)
    _ = fixture.frames([copy(nil)], seconds: 1.6)
    #expect(fixture.send(.openCard(id: "p")) == ["selected p", "opened p", "+p*!"])
    #expect(fixture.send(.cardAction(id: "p", copy: 1)) == ["refused unknownCopy"])
  }

  @Test func aSceneThatAllowsOneAgainKeepsNoMarkerOfACopy() {
    var fixture = fixture(.each)
    _ = fixture.frames([copy(1), copy(2, x: 0.15)], seconds: 1.6)
    let words = fixture.send(.sceneLoaded(Self.scene(.nearest, copies: 1), reload: true))
    #expect(words.contains("-p/1") && words.contains("-p/2"))
    let rest = fixture.frames([copy(nil)], seconds: 0.7)
    #expect(rest.contains("lost a/1") && rest.contains("lost a/2") && rest.contains("+p"))
  }

  /// Copies come and go under ever new numbers: none of them stays in mind.
  @Test func nothingIsKeptOfCopiesThatAreGone() {
    var fixture = fixture(.each)
    for number in 1...300 { _ = fixture.frame([copy(number)]) }
    #expect(fixture.session.sights.keptCount <= 20)
  }
}
