import Testing
import WaymarkSystem

@Suite struct PresenceTests {
  private func check(_ options: Presence.Options, _ steps: [(Double, Bool, Presence.Change?)]) {
    var p = Presence()
    for (time, seen, change) in steps { #expect(p.handle(seen: seen, at: time, options) == change, "at \(time)") }
  }

  @Test func foundAndLostInTime() {
    check(
      .init(foundAfter: 0.1, lostAfter: 0.5),
      [
        (0, false, nil), (0.05, true, nil), (0.1, true, nil), (0.15, false, nil), (0.2, true, nil), (0.25, true, nil),
        (0.31, true, .found), (0.4, false, nil), (0.6, true, nil), (0.7, false, nil), (1.0, false, nil),
        (1.1, false, .lost), (1.2, false, nil), (1.3, true, nil), (1.5, true, .found),
      ])
  }

  /// A pause within the gap counts as time in sight; a longer one begins the count again, told frame by frame or not.
  @Test func gapWhileItAppears() {
    let options = Presence.Options(foundAfter: 0.1, gap: 0.25, lostAfter: 0.5)
    check(options, [(0, true, nil), (0.05, false, nil), (0.2, true, .found)])
    check(options, [(0, true, nil), (0.26, true, nil), (0.3, true, nil), (0.4, true, .found)])
    check(options, [(0, true, nil), (0.2, false, nil), (0.26, false, nil), (0.3, true, nil), (0.4, true, .found)])
  }

  @Test func oneSightingAloneIsEnoughOnlyWhereNothingIsAsked() {
    check(.init(foundAfter: 0), [(1, true, .found)])
    check(.init(foundAfter: .leastNonzeroMagnitude, gap: 1), [(1, true, nil), (1, true, nil), (1.01, true, .found)])
  }

  @Test func deadline() {
    let options = Presence.Options(foundAfter: 0, lostAfter: 0.5)
    var p = Presence()
    #expect(p.deadline(options) == nil && p.lastSeen == -.infinity)
    _ = p.handle(seen: true, at: 2, options)
    #expect(p.deadline(options) == 2.5 && p.isPresent && p.lastSeen == 2)
    #expect(p.handle(seen: false, at: 2.5, options) == .lost)
    #expect(p.deadline(options) == nil && !p.isPresent)
  }
}
