import Synchronization
import WaymarkSystem

/// The recent processing times of each stage of a frame, by name, in the order of their first occurrence. `StageClock` below
/// measures the times, and `RecentTimes` keeps the times of one stage.
package final class StageTimes: Sendable {
  private struct Stage: Sendable {
    let name: String
    var times = RecentTimes()
    var count: UInt64 = 0
  }

  package struct Summary: Hashable, Sendable {
    package var name: String
    /// The number of frames that passed this stage since the start.
    package var count: UInt64
    /// The median of the recent times, in seconds.
    package var median: Double
    /// The 99th percentile of the recent times, in seconds.
    package var percentile99: Double
  }

  private let stages = Mutex<[Stage]>([])

  package init() {}

  /// Records a time, in seconds. Only the first time of a name allocates memory.
  package func record(_ name: String, _ seconds: Double) {
    stages.withLock { stages in
      let place = stages.firstIndex { $0.name == name } ?? stages.endIndex
      if place == stages.endIndex { stages.append(Stage(name: name)) }
      stages[place].times.record(max(0, seconds))
      stages[place].count += 1
    }
  }

  /// Discards the times and keeps the memory. A stage is in the summary again after its next `record`.
  package func forget() {
    stages.withLock { stages in
      for i in stages.indices {
        stages[i].times.forget()
        stages[i].count = 0
      }
    }
  }

  package var summary: [Summary] {
    // The summary is computed within the lock. If a copy were used outside, a concurrent `record` would have to copy the array.
    stages.withLock { stages in
      stages.compactMap { stage in
        stage.times.percentiles([0.5, 0.99]).map {
          Summary(name: stage.name, count: stage.count, median: $0[0], percentile99: $0[1])
        }
      }
    }
  }
}

/// A stop watch for consecutive stages. Without `StageTimes` it has no effect.
package struct StageClock {
  private let times: StageTimes?
  private var last: Double

  package init(_ times: StageTimes?) {
    self.times = times
    last = times == nil ? 0 : MonotonicClock.now
  }

  /// Records the time since the last mark for the stage `name`.
  package mutating func mark(_ name: String) {
    guard let times else { return }
    let now = MonotonicClock.now
    times.record(name, now - last)
    last = now
  }
}

/// The times of the most recent frames; recording a time is a single store.
package struct RecentTimes: Sendable {
  private var times: [Float]
  private var next = 0
  private var count = 0

  /// Creates a store for the last `capacity` times.
  package init(capacity: Int = 512) {
    times = [Float](repeating: 0, count: max(1, capacity))
  }

  /// Discards all times; keeps the memory.
  package mutating func forget() { (next, count) = (0, 0) }

  /// Records a time, in seconds.
  package mutating func record(_ seconds: Double) {
    times[next] = Float(seconds)
    next = next + 1 < times.count ? next + 1 : 0
    count = min(count + 1, times.count)
  }

  /// Returns the quantile `shares[i]` (0...1) of the recorded times, by nearest rank; `nil` without times.
  package func percentiles(_ shares: [Double]) -> [Double]? {
    guard count > 0 else { return nil }
    let sorted = times[..<count].sorted()
    return shares.map { share in
      let rank = Int((share * Double(count)).rounded(.up))
      return Double(sorted[min(max(rank, 1), count) - 1])
    }
  }
}
