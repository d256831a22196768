import Logging
import NIOCore

/// Waits a moment when a connection cannot be accepted because descriptors or memory have run out.
///
/// The connection stays in the listening socket's queue, which is readable all the while: without a pause the loop would
/// spin. Clients that are there go on; those that wait get their turn when there is room again.
final class AcceptPause {
  /// How long to wait.
  private static let pause = TimeAmount.milliseconds(200)
  /// It is told at most this often.
  private static let silence = TimeAmount.seconds(60)

  private let log: Logger
  private var lastTold: NIODeadline?

  init(log: Logger) { self.log = log }

  /// A handler for the listening channel.
  static func handler(log: Logger) -> AcceptBackoffHandler {
    let trouble = AcceptPause(log: log)
    return AcceptBackoffHandler(shouldForwardIOErrorCaught: false) { trouble.failed($0) }
  }

  private func failed(_ error: IOError) -> TimeAmount? {
    let now = NIODeadline.now()
    if lastTold.map({ now - $0 > Self.silence }) ?? true {
      lastTold = now
      log.error(
        "connections cannot be accepted",
        metadata: [
          "reason": "\(systemMessage(error.errnoCode))", "hint": "raise LimitNOFILE, or lower clients.maximum",
        ])
    }
    return Self.pause
  }
}
