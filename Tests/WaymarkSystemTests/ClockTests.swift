import Testing
import WaymarkSystem

@Suite struct BackoffTests {
  @Test func waitsGrowUpToTheLongest() {
    var backoff = Backoff(first: 0.1, longest: 1)
    #expect((0..<6).map { _ in backoff.next(chance: 1) } == [0.1, 0.2, 0.4, 0.8, 1, 1])
    backoff.reset()
    #expect(backoff.next(chance: 0) == 0.05)
  }

  /// The chance spreads a wait over its second half, and no more.
  @Test(arguments: [(0.0, 0.5), (0.25, 0.625), (0.5, 0.75), (1, 1)]) func waitsAreSpreadOverTheirSecondHalf(
    chance: Double, share: Double
  ) {
    var backoff = Backoff(first: 0.25, longest: 1.5)
    #expect((0..<5).map { _ in backoff.next(chance: chance) } == [0.25, 0.5, 1, 1.5, 1.5].map { $0 * share })
  }

  /// However often it is asked, and without overflow: thirty doublings of a second are 34 years.
  @Test func waitsStayTheLongest() {
    var backoff = Backoff(first: 1, longest: 1e9)
    for _ in 0..<30 { _ = backoff.next(chance: 1) }
    for _ in 0..<100 { #expect(backoff.next(chance: 1) == 1e9) }
  }

  @Test func withoutAChanceGivenWaitsDiffer() {
    let waits = (0..<100).map { _ in
      var backoff = Backoff(first: 1, longest: 1)
      return backoff.next()
    }
    #expect(Set(waits).count > 90 && waits.allSatisfy { (0.5...1).contains($0) })
  }
}

@Suite("Whether the wall clock can be believed")
struct ClockWatchTests {
  @Test("It is trusted after an hour beside the time since boot")
  func steady() {
    var watch = ClockWatch(wall: 1e9, boot: 50)
    for second in stride(from: 0.0, to: 3600, by: 60) {
      let isSteady = watch.isSteady(wall: 1e9 + second, boot: 50 + second)
      #expect(!isSteady)
    }
    let isSteady = watch.isSteady(wall: 1e9 + 3601, boot: 3651)
    #expect(isSteady)
  }

  @Test("A jump in either direction begins the hour again", arguments: [-1e8, -61, 61, 1e8])
  func jump(_ seconds: Double) {
    var watch = ClockWatch(wall: 1e9, boot: 0)
    let before = watch.isSteady(wall: 1e9 + 7200, boot: 7200)
    let at = watch.isSteady(wall: 1e9 + 7200 + seconds, boot: 7200)
    let soon = watch.isSteady(wall: 1e9 + 7200 + seconds + 3599, boot: 7200 + 3599)
    let after = watch.isSteady(wall: 1e9 + 7200 + seconds + 3601, boot: 7200 + 3601)
    #expect([before, at, soon, after] == [true, false, false, true])
  }
}

@Suite struct DayTimeTests {
  @Test(arguments: [
    ("08:00-17:30", 480, 1050), ("22:00-06:00", 1320, 360), ("00:00-24:00", 0, 1440), ("23:59-00:00", 1439, 0),
  ])
  func timesAreRead(_ text: String, _ start: Int, _ end: Int) {
    #expect(DayTime(text) == DayTime(start: start, end: end))
    #expect(DayTime(text)?.text == text)
  }

  @Test(arguments: ["8:00-17:00", "08:00", "24:00-25:00", "08:60-09:00", "08:00-08:00", "24:00-08:00", "08:00-17:00 "])
  func otherTimesAreNot(_ text: String) { #expect(DayTime(text) == nil) }
}

@Suite struct UpdatePaceTests {
  @Test("Changes are told at once, then once an interval") func pace() {
    var pace = UpdatePace(interval: 0.25)
    #expect(pace.change(at: 10) == 0)
    pace.report(at: 10)
    #expect(pace.change(at: 10.0625) == 0.1875)
    #expect(pace.change(at: 10.125) == nil)
    pace.report(at: 10.25)
    #expect(pace.change(at: 10.75) == 0)
  }
}

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

  /// A pause within the gap counts as time in sight; a longer one begins the count again, reported frame by frame or not.
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
