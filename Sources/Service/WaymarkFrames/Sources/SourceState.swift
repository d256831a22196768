import Synchronization
package import WaymarkImage

/// The state that a source's own thread and its owner share.
package final class SourceState: Sendable {
  private struct Values: Sendable {
    var demand = FrameDemand()
    var statistics = SourceStatistics()
    var sequence: UInt64 = 0
  }

  private let values = Mutex(Values())
  /// Where the time of a frame goes before it is handed over.
  package let stages = StageTimes()

  /// Nothing delivered, luma wanted.
  package init() {}

  /// The demand for the frames to come.
  package var demand: FrameDemand {
    get { values.withLock { $0.demand } }
    set { values.withLock { $0.demand = newValue } }
  }

  /// The counts so far.
  package var statistics: SourceStatistics { values.withLock { $0.statistics } }

  /// Counts something.
  package func count(_ key: any WritableKeyPath<SourceStatistics, UInt64> & Sendable, _ number: UInt64 = 1) {
    values.withLock { $0.statistics[keyPath: key] += number }
  }

  /// Counts a frame as delivered and numbers it.
  package func nextSequence() -> UInt64 {
    values.withLock {
      $0.statistics.delivered += 1
      $0.sequence += 1
      return $0.sequence
    }
  }
}
