/// How long to wait before the next attempt: longer each time, never the same for all clients at once.
public struct Backoff: Hashable, Sendable {
  /// The first wait, in seconds.
  public var first: Double
  /// The longest wait, in seconds.
  public var longest: Double
  private var attempt = 0

  /// Waits from `first` to `longest` seconds, doubling.
  public init(first: Double = 0.1, longest: Double = 5) {
    self.first = first
    self.longest = longest
  }

  /// The next wait in seconds.
  ///
  /// - Parameter chance: 0 to 1; spreads clients that lost the service at the same moment over half of the wait.
  public mutating func next(chance: Double = .random(in: 0...1)) -> Double {
    defer { attempt = min(attempt + 1, 30) }
    var wait = first
    for _ in 0..<attempt where wait < longest { wait *= 2 }
    return min(wait, longest) * (0.5 + 0.5 * chance)
  }

  /// Begins again, after a success.
  public mutating func reset() { attempt = 0 }
}
