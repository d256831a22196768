import Testing
import WaymarkSystem

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
