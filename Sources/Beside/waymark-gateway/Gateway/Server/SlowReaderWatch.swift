import NIOCore
import Synchronization
import WaymarkSystem

/// Closes a connection whose client takes nothing of a stream for a while.
final class SlowReaderWatch: Sendable {
  private let channel: any Channel
  private let limit: Duration
  /// When what is being written was begun; infinite while nothing is.
  private let begun: Mutex<Double> = Mutex(.infinity)
  private let timer: Mutex<RepeatedTask?> = Mutex(nil)

  init(_ channel: any Channel, limit: Duration) {
    self.channel = channel
    self.limit = limit
    let seconds = limit / .seconds(1)
    let pause = TimeAmount(limit / 4)
    let task = channel.eventLoop.scheduleRepeatedTask(initialDelay: pause, delay: pause) { [weak self] task in
      guard let self else { return task.cancel() }
      if MonotonicClock.now - begun.withLock({ $0 }) > seconds { channel.close(promise: nil) }
    }
    timer.withLock { $0 = task }
  }

  deinit { end() }

  /// Writes something, which is to be taken within the limit.
  func writing(_ write: () async throws -> Void) async rethrows {
    begun.withLock { $0 = MonotonicClock.now }
    defer { begun.withLock { $0 = .infinity } }
    try await write()
  }

  /// The stream is over.
  func end() {
    timer.withLock { timer in
      timer?.cancel()
      timer = nil
    }
  }
}
