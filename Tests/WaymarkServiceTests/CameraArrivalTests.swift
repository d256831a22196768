import Synchronization
import Testing

@testable import WaymarkService

struct CameraArrivalTests {
  /// What was asked and done.
  @ServiceActor
  private final class Log {
    var isWanted = true
    var taken = 0
    var onEnd: CheckedContinuation<Void, Never>?

    func end() {
      onEnd?.resume()
      onEnd = nil
    }
  }

  @Test @ServiceActor func aCameraIsTakenOnceItIsThere() async {
    let looks = Atomic(0)
    let log = Log()
    let arrival = CameraArrival(
      interval: 0.001, isThere: { looks.add(1, ordering: .relaxed).newValue == 3 }, isWanted: { log.isWanted },
      take: {
        log.taken += 1
        log.end()
      })
    await withCheckedContinuation {
      log.onEnd = $0
      arrival.watch()
    }
    #expect(log.taken == 1)
    #expect(looks.load(ordering: .relaxed) == 3)
  }

  @Test @ServiceActor func nothingIsTakenFromASourceThatWasChosenMeanwhile() async {
    let log = Log()
    let arrival = CameraArrival(
      interval: 0.001, isThere: { true },
      isWanted: {
        defer { log.end() }
        return false
      }, take: { log.taken += 1 })
    await withCheckedContinuation {
      log.onEnd = $0
      arrival.watch()
    }
    #expect(log.taken == 0)
  }
}
