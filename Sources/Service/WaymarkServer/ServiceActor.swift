package import NIOCore
package import NIOPosix

/// The actor of the server, which runs on one event loop, so that the state of connections needs no locks and
/// events have one order.
///
/// Lanes and sources have their own threads, and pass values with `ServiceActor.execute`.
@globalActor
package actor ServiceActor {
  package static let shared = ServiceActor()
  /// The event loop's thread, which exists as long as the process.
  package static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  package static let loop: any EventLoop = group.next()

  package nonisolated var unownedExecutor: UnownedSerialExecutor { Self.loop.executor.asUnownedSerialExecutor() }

  /// Calls `body`; the caller must be on the loop.
  ///
  /// Global actors have no `assumeIsolated`. The cast below only removes the isolation from the closure's type;
  /// the precondition ensures it.
  static func assumeIsolated<R>(_ body: @ServiceActor () throws -> R) rethrows -> R {
    loop.preconditionInEventLoop()
    return try withoutActuallyEscaping(body) { escaping in
      try unsafeBitCast(escaping, to: (() throws -> R).self)()
    }
  }

  /// Runs `body` on the loop later, in the order of the calls.
  package static func execute(_ body: @escaping @ServiceActor @Sendable () -> Void) {
    loop.execute { assumeIsolated(body) }
  }

  /// Waits, even if the task was cancelled, so that the service can stop in order.
  package static func pause(_ seconds: Double) async {
    await withCheckedContinuation { continuation in schedule(after: seconds) { continuation.resume() } }
  }

  /// Runs `body` on the loop after a number of seconds.
  @discardableResult
  package static func schedule(after seconds: Double, _ body: @escaping @ServiceActor @Sendable () -> Void)
    -> Scheduled<
      Void
    >
  {
    loop.scheduleTask(in: .nanoseconds(Int64(max(0, seconds) * 1e9))) { assumeIsolated(body) }
  }
}
