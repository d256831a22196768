package import NIOCore
package import NIOPosix

/// Everything that belongs to connections lives on one event loop: no locks, and one order for all.
///
/// Lanes and sources have threads of their own and hand values over with `ServiceActor.execute`.
@globalActor
package actor ServiceActor {
  /// The one instance.
  package static let shared = ServiceActor()
  /// The thread behind it; lives as long as the process.
  package static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  /// The loop behind it.
  package static let loop: any EventLoop = group.next()

  package nonisolated var unownedExecutor: UnownedSerialExecutor { Self.loop.executor.asUnownedSerialExecutor() }

  /// Runs `body` at once; the caller must already be on the loop.
  ///
  /// Global actors have `run` but no `assumeIsolated` of their own. The cast only takes the isolation off the
  /// closure's type, and the line before it has checked that it holds.
  static func assumeIsolated<R>(_ body: @ServiceActor () throws -> R) rethrows -> R {
    loop.preconditionInEventLoop()
    return try withoutActuallyEscaping(body) { escaping in
      try unsafeBitCast(escaping, to: (() throws -> R).self)()
    }
  }

  /// Runs `body` on the loop soon, in the order of the calls.
  package static func execute(_ body: @escaping @ServiceActor @Sendable () -> Void) {
    loop.execute { assumeIsolated(body) }
  }

  /// Waits, also where the task was cancelled: an end in order takes its moment.
  package static func pause(_ seconds: Double) async {
    await withCheckedContinuation { continuation in schedule(after: seconds) { continuation.resume() } }
  }

  /// Runs `body` on the loop after a time.
  @discardableResult
  package static func schedule(after seconds: Double, _ body: @escaping @ServiceActor @Sendable () -> Void)
    -> Scheduled<
      Void
    >
  {
    loop.scheduleTask(in: .nanoseconds(Int64(max(0, seconds) * 1e9))) { assumeIsolated(body) }
  }
}
