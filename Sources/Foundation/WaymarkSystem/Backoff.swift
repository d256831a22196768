/// The waits between attempts, which grow exponentially and are randomised.
public struct Backoff: Hashable, Sendable {
  /// The first wait, in seconds.
  public var first: Double
  /// The longest wait, in seconds.
  public var longest: Double
  private var attempt = 0

  /// Creates waits from `first` to `longest` seconds, each twice the one before.
  public init(first: Double = 0.1, longest: Double = 5) {
    self.first = first
    self.longest = longest
  }

  /// Returns the next wait, in seconds.
  ///
  /// - Parameter chance: a random number, 0 to 1. It shortens the wait by up to half, so that clients that lost the service at the
  ///   same moment do not return at once.
  public mutating func next(chance: Double = .random(in: 0...1)) -> Double {
    defer { attempt = min(attempt + 1, 30) }
    var wait = first
    for _ in 0..<attempt where wait < longest { wait *= 2 }
    return min(wait, longest) * (0.5 + 0.5 * chance)
  }

  /// Starts over after a success.
  public mutating func reset() { attempt = 0 }
}
