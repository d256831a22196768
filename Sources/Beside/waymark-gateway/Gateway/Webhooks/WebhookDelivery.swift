import WaymarkSystem

/// Decides when to send which event to one address: a value, without clock, network and disk.
///
/// Events go out one at a time, in the order of their numbers. One that cannot be delivered holds those behind it up, for as long as the
/// receiver is away; one that the receiver refuses is put aside after some attempts, so that it holds nobody up for good.
struct WebhookDelivery: Sendable {
  /// The next step.
  enum Step: Hashable, Sendable {
    /// Send what follows a number.
    case send(after: UInt64)
    /// Do nothing for so many seconds.
    case rest(Double)
  }

  /// The result of an attempt.
  enum Outcome: Hashable, Sendable {
    /// The receiver has it.
    case delivered
    /// The receiver does not want it, with the status it answered.
    case refused(Int)
    /// The receiver is away, or cannot take it now.
    case failed(String)
  }

  /// The consequence of an attempt.
  enum Consequence: Hashable, Sendable {
    /// Everything up to the number is done.
    case acknowledge(UInt64)
    /// The event is put aside, and everything up to the number is done.
    case putAside(UInt64, status: Int)
    /// It is sent again.
    case again
  }

  private let attempts: Int
  private var backoff: Backoff
  private var until = -Double.infinity
  private var refusals = 0
  /// Up to here everything is done.
  private(set) var acknowledged: UInt64
  /// Why the last attempt failed; `nil` after one that did not.
  private(set) var lastFailure: String?

  /// - Parameters:
  ///   - acknowledged: everything up to this number is done.
  ///   - attempts: how often an event is sent that is refused.
  init(acknowledged: UInt64, attempts: Int, backoff: Backoff = Backoff(first: 1, longest: 300)) {
    self.acknowledged = acknowledged
    self.attempts = attempts
    self.backoff = backoff
  }

  /// The next step at the time `now`, in seconds.
  func step(now: Double) -> Step { until > now ? .rest(until - now) : .send(after: acknowledged) }

  /// Numbers up to this one are gone, or need no message.
  mutating func skip(through number: UInt64) { acknowledged = max(acknowledged, number) }

  /// Takes the result of sending the event of a number.
  ///
  /// - Parameter chance: 0 to 1: spreads senders that lost their receiver at the same moment.
  mutating func finished(
    _ number: UInt64, _ outcome: Outcome, now: Double, chance: Double = .random(in: 0...1)
  ) -> Consequence {
    switch outcome {
    case .delivered:
      done(number)
      lastFailure = nil
      return .acknowledge(number)
    case .refused(let status):
      refusals += 1
      lastFailure = "it was refused with \(status)"
      if refusals >= attempts {
        done(number)
        return .putAside(number, status: status)
      }
    case .failed(let reason): lastFailure = reason
    }
    until = now + backoff.next(chance: chance)
    return .again
  }

  private mutating func done(_ number: UInt64) {
    acknowledged = number
    refusals = 0
    until = -.infinity
    backoff.reset()
  }

  /// The outcome that an answer's status means (RFC 9110, section 15): what a later attempt may change is a failure.
  static func outcome(of status: Int) -> Outcome {
    switch status {
    case 200..<300: .delivered
    case 408, 425, 429: .failed("it answered \(status)")
    case 400..<500: .refused(status)
    default: .failed("it answered \(status)")
    }
  }
}
