import Testing
import WaymarkImage
import WaymarkSystem

@Suite struct StageTimesTests {
  @Test func stagesKeepTheirOrderAndTheirShares() {
    let times = StageTimes()
    for i in 1...100 {
      times.record("wait", Double(i) / 1000)
      if i.isMultiple(of: 2) { times.record("whole", 0.5) }
    }
    let summary = times.summary
    #expect(summary.map(\.name) == ["wait", "whole"])
    #expect(summary.map(\.count) == [100, 50])
    #expect(abs(summary[0].median - 0.05) < 1e-6)
    #expect(abs(summary[0].percentile99 - 0.099) < 1e-6)
    #expect(summary[1].median == 0.5)
  }

  @Test func aClockThatRanBackwardsGivesNothingNegative() {
    let times = StageTimes()
    times.record("wait", -3)
    #expect(times.summary.first?.median == 0)
  }

  /// Each stage is as long as it lasted: no shorter than what was done in it, and all of them together no longer than the whole.
  @Test func theStagesOfAClockAddUp() throws {
    func spend(_ seconds: Double) {
      let end = MonotonicClock.now + seconds
      while MonotonicClock.now < end {}
    }
    let times = StageTimes()
    let began = MonotonicClock.now
    var clock = StageClock(times)
    spend(0.004)
    clock.mark("first")
    spend(0.002)
    clock.mark("second")
    clock.mark("third")
    let elapsed = MonotonicClock.now - began
    let summary = times.summary
    #expect(summary.map(\.name) == ["first", "second", "third"])
    #expect(summary[0].median >= 0.004 && summary[1].median >= 0.002)
    #expect(summary.reduce(0) { $0 + $1.median } <= elapsed)
  }

  @Test func aClockWithoutTimesRecordsNothing() {
    let times = StageTimes()
    var silent = StageClock(nil)
    silent.mark("nobody hears it")
    #expect(times.summary.isEmpty)
    var heard = StageClock(times)
    heard.mark("heard")
    #expect(times.summary.map(\.name) == ["heard"])
  }

  @Test func whatIsForgottenIsNotReported() {
    let times = StageTimes()
    for _ in 0..<600 { times.record("probe", 1) }
    times.record("strips", 1)
    times.forget()
    #expect(times.summary.isEmpty)
    times.record("probe", 0.25)
    #expect(times.summary.map(\.name) == ["probe"])
    #expect(times.summary.first?.count == 1)
    #expect(times.summary.first?.percentile99 == 0.25)
  }
}
