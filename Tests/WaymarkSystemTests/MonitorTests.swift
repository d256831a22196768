import Testing
import WaymarkSystem

@Suite struct MonitorTests {
  /// Whoever waits is asked again only when there is something for them; the few others allow for wake-ups without a reason.
  @Test func onlyASignalWakes() {
    struct State: Sendable {
      var asked = 0
      var isDone = false
    }
    let state = Monitor(State())
    let seen = Monitor<Int?>(nil)
    let thread = WorkerThread(name: "wm-test")
    thread.start { _ in
      let asked = state.wait { state -> Int? in
        state.asked += 1
        return state.isDone ? state.asked : nil
      }
      seen.update { $0 = asked }
    }
    for _ in 0..<1000 { state.signal { _ in false } }
    state.signal { state in
      state.isDone = true
      return true
    }
    let asked = seen.wait { $0 }
    #expect((1...20).contains(asked ?? 0))
    thread.stop()
  }
}
