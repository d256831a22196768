/// Bounds how many lines a second a log may have: of one source, and of all together.
///
/// A source is what is said, and of whom. What is left out is counted, and told with the next line of its source that goes through. A
/// value without a clock.
struct LogRateLimiter: Sendable {
  /// Lines a second of one source, and of all.
  let share: Int
  let limit: Int
  /// Sources that are told apart; more count as one.
  private static let sources = 256

  private struct Count {
    var second: Int
    var lines = 0
    var missing = 0
  }

  private var counts: [String: Count] = [:]
  private var all = Count(second: .min)

  init(share: Int = 10, limit: Int = 200) {
    self.share = share
    self.limit = limit
  }

  /// Returns whether a line may be written; then also how many of its source were left out before it.
  mutating func admit(_ source: String, second: Int) -> Int? {
    if all.second != second { all = Count(second: second) }
    var key = source
    if counts[key] == nil, counts.count >= Self.sources {
      // Those that have nothing to tell any more make room.
      counts = counts.filter { $0.value.second == second || $0.value.missing > 0 }
      if counts.count >= Self.sources { key = "" }
    }
    var count = counts[key] ?? Count(second: second)
    if count.second != second { (count.second, count.lines) = (second, 0) }
    defer { counts[key] = count }
    guard count.lines < share, all.lines < limit else {
      count.missing += 1
      return nil
    }
    count.lines += 1
    all.lines += 1
    defer { count.missing = 0 }
    return count.missing
  }
}
