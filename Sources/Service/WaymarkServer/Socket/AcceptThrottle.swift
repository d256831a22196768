import Glibc
import Logging
import NIOCore
import WaymarkSystem

/// Waits a moment when a connection cannot be accepted because descriptors or memory have run out, and keeps a few descriptors free of
/// connections: files, workers and the camera need some, and so does libdispatch, which looks at its threads in /proc and ends the
/// process where it cannot open a file.
///
/// The connection stays in the listening socket's queue, which is readable all the while: without a pause the loop would
/// spin. (NIO's own `AcceptBackoffHandler` delays the next `read`, but after a failed accept the last one still stands.)
/// Clients that are there go on; those that wait get their turn when there is room again.
final class AcceptThrottle: ChannelInboundHandler {
  typealias InboundIn = any Channel
  typealias InboundOut = any Channel

  /// Descriptors that no connection takes.
  private static let reserve: UInt = 8
  /// How long to wait.
  private static let pause = TimeAmount.milliseconds(200)
  /// It is told at most this often.
  private static let silence = TimeAmount.seconds(60)

  private let log: Logger
  private var lastLogged: NIODeadline?
  private var isPaused = false

  init(log: Logger) { self.log = log }

  /// True if descriptors are left for others. The lowest free number tells: all below it are taken.
  private static var hasRoom: Bool {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return true }
    let lowest = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard lowest >= 0 else { return errno != EMFILE && errno != ENFILE }
    close(lowest)
    return UInt(lowest) + reserve < UInt(limit.rlim_cur)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    context.fireChannelRead(data)
    if !Self.hasRoom { pause(context, "few file descriptors are left") }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let error = error as? IOError else { return context.fireErrorCaught(error) }
    pause(context, systemMessage(error.errnoCode))
  }

  private func pause(_ context: ChannelHandlerContext, _ reason: String) {
    let now = NIODeadline.now()
    if lastLogged.map({ now - $0 > Self.silence }) ?? true {
      lastLogged = now
      log.error(
        "connections cannot be accepted",
        metadata: ["reason": "\(reason)", "hint": "raise LimitNOFILE, or lower clients.maximum"])
    }
    guard !isPaused else { return }
    isPaused = true
    let options = context.channel.syncOptions
    try? options?.setOption(.autoRead, value: false)
    resumeAccepting(context.eventLoop, options)
  }

  private func resumeAccepting(_ loop: any EventLoop, _ options: (any NIOSynchronousChannelOptions)?) {
    loop.assumeIsolated().scheduleTask(in: Self.pause) {
      guard Self.hasRoom else { return self.resumeAccepting(loop, options) }
      self.isPaused = false
      try? options?.setOption(.autoRead, value: true)
    }
  }
}
