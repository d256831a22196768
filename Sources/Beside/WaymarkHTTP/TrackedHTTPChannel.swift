import HummingbirdCore
import Logging
import NIOCore

/// An HTTP connection whose pipeline is set up by the task that serves it, never before.
///
/// Hummingbird hands a finished `NIOAsyncChannel` from the event loop to its accepting task. When that task is cancelled, or
/// the listener closes in between, the value is dropped, and a dropped `NIOAsyncChannel` whose writer was not finished
/// ends the process by a precondition. Here a plain channel is handed over instead, which may be dropped at any time: it
/// reads nothing until it is served, and `Connections` closes it. Nor is there a pipeline for one that says nothing.
struct TrackedHTTPChannel<Base: ServerChildChannel>: ServerChildChannel {
  /// A connection that is not served yet.
  struct Value: ServerChildChannelValue {
    let channel: any Channel
  }

  let base: Base
  let connections: Connections

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.eventLoop.flatSubmit {
      channel.setOption(.autoRead, value: false).always { _ in connections.opened(channel) }
        .map { Value(channel: channel) }
    }
  }

  func handle(value: Value, logger: Logger) async {
    let channel = value.channel
    do {
      if connections.isClosing { throw ChannelError.ioOnClosedChannel }
      let first = try await firstBytes(of: channel)
      let served = try await channel.eventLoop.flatSubmit {
        base.setup(channel: channel, logger: logger).map { served in
          first.value.release()
          return served
        }
      }.get()
      channel.setOption(.autoRead, value: true).whenSuccess { channel.read() }
      await base.handle(value: served, logger: logger)
    } catch {
      // It was closed before it was served.
      channel.close(promise: nil)
    }
  }

  /// Waits until the client has said something.
  ///
  /// - Throws: where the connection ends before.
  private func firstBytes(of channel: any Channel) async throws -> NIOLoopBound<FirstBytesHandler> {
    try await channel.eventLoop.flatSubmit {
      let hasCome = channel.eventLoop.makePromise(of: Void.self)
      let handler = FirstBytesHandler(hasCome: hasCome)
      do {
        try channel.pipeline.syncOperations.addHandler(handler)
        channel.read()
      } catch {
        hasCome.fail(error)
      }
      let bound = NIOLoopBound(handler, eventLoop: channel.eventLoop)
      return hasCome.futureResult.map { bound }
    }.get()
  }
}
