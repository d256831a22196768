import Logging
import NIOCore
import WaymarkSystem

/// Waits a moment when a connection cannot be accepted because descriptors or memory have run out.
///
/// The connection stays in the listening socket's queue, which is readable all the while: without a pause the loop would
/// spin. (NIO's own `AcceptBackoffHandler` delays the next `read`, but after a failed accept the last one still stands.)
/// Clients that are there go on; those that wait get their turn when there is room again.
final class AcceptPause: ChannelInboundHandler {
  typealias InboundIn = any Channel

  /// How long to wait.
  private static let pause = TimeAmount.milliseconds(200)
  /// It is told at most this often.
  private static let silence = TimeAmount.seconds(60)

  private let log: Logger
  private var lastTold: NIODeadline?
  private var isPaused = false

  init(log: Logger) { self.log = log }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let error = error as? IOError else { return context.fireErrorCaught(error) }
    let now = NIODeadline.now()
    if lastTold.map({ now - $0 > Self.silence }) ?? true {
      lastTold = now
      log.error(
        "connections cannot be accepted",
        metadata: [
          "reason": "\(systemMessage(error.errnoCode))", "hint": "raise LimitNOFILE, or lower clients.maximum",
        ])
    }
    guard !isPaused else { return }
    isPaused = true
    let options = context.channel.syncOptions
    try? options?.setOption(.autoRead, value: false)
    context.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) {
      self.isPaused = false
      try? options?.setOption(.autoRead, value: true)
    }
  }
}
