import Synchronization
import WaymarkSystem

/// Where the time of a frame goes: the recent times of each stage on its way, by name, in the order they first came.
package final class StageTimes: Sendable {
  private struct Stage: Sendable {
    let name: String
    var times = RecentTimes()
    var count: UInt64 = 0
  }

  /// One stage in numbers.
  package struct Summary: Hashable, Sendable {
    /// The name: `probe`, `luma`.
    package var name: String
    /// Frames that went through it since the start.
    package var count: UInt64
    /// Half of the recent times were shorter, in seconds.
    package var median: Double
    /// All but one in a hundred of the recent times were shorter, in seconds.
    package var percentile99: Double
  }

  private let stages = Mutex<[Stage]>([])

  /// Nothing measured yet.
  package init() {}

  /// Remembers a time, in seconds. After the first of a name it allocates nothing.
  package func record(_ name: String, _ seconds: Double) {
    stages.withLock { stages in
      let place = stages.firstIndex { $0.name == name } ?? stages.endIndex
      if place == stages.endIndex { stages.append(Stage(name: name)) }
      stages[place].times.record(max(0, seconds))
      stages[place].count += 1
    }
  }

  /// Begins again: stages without a time since are not told. Keeps the memory.
  package func forget() {
    stages.withLock { stages in
      for i in stages.indices {
        stages[i].times.forget()
        stages[i].count = 0
      }
    }
  }

  /// The stages so far.
  package var summary: [Summary] {
    // Within the lock: for whoever records meanwhile, a copy that is looked at outside of it would mean another array.
    stages.withLock { stages in
      stages.compactMap { stage in
        stage.times.percentiles([0.5, 0.99]).map {
          Summary(name: stage.name, count: stage.count, median: $0[0], percentile99: $0[1])
        }
      }
    }
  }
}

/// A stop watch that goes from stage to stage; without anybody to tell it costs next to nothing.
package struct StageClock {
  private let times: StageTimes?
  private var last: Double

  /// Starts now.
  package init(_ times: StageTimes?) {
    self.times = times
    last = times == nil ? 0 : MonotonicClock.now
  }

  /// The stage that began with the last mark ends here.
  package mutating func mark(_ name: String) {
    guard let times else { return }
    let now = MonotonicClock.now
    times.record(name, now - last)
    last = now
  }
}
