/// The times of the last few hundred frames; recording one costs nothing but a store.
package struct RecentTimes: Sendable {
  private var times: [Float]
  private var next = 0
  private var count = 0

  /// Remembers the last `capacity` times.
  package init(capacity: Int = 512) {
    times = [Float](repeating: 0, count: max(1, capacity))
  }

  /// Forgets all of them; keeps their memory.
  package mutating func forget() { (next, count) = (0, 0) }

  /// Remembers a time, in seconds.
  package mutating func record(_ seconds: Double) {
    times[next] = Float(seconds)
    next = next + 1 < times.count ? next + 1 : 0
    count = min(count + 1, times.count)
  }

  /// The time below which the share `shares[i]` (0...1) of the remembered ones lie (nearest rank); nil without any.
  package func percentiles(_ shares: [Double]) -> [Double]? {
    guard count > 0 else { return nil }
    let sorted = times[..<count].sorted()
    return shares.map { share in
      let rank = Int((share * Double(count)).rounded(.up))
      return Double(sorted[min(max(rank, 1), count) - 1])
    }
  }
}
