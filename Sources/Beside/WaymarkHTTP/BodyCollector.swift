import HTTPTypes
package import Hummingbird
import NIOCore
import Synchronization
import WaymarkSystem

/// Collects the bodies of requests, limited in bytes, time and rate.
package enum BodyCollector {
  /// The first seconds of a body, for which no bytes are required.
  private static let grace = 5.0

  /// Reads a whole body; nil if it is too large or too slow, or if the connection or the task ends before the body.
  ///
  /// - Parameter rate: the bytes per second that must arrive on average after the first seconds; 0 to accept any rate.
  package static func collect(
    _ request: Request, upTo limit: Int, within deadline: Duration, rate: Int = 0
  ) async -> [UInt8]? {
    if let length = request.headers[.contentLength].flatMap(Int.init), length > limit { return nil }
    let received = Received()
    return await withTaskGroup(of: [UInt8]?.self) { group in
      group.addTask {
        var bytes: [UInt8] = []
        do {
          for try await piece in request.body {
            guard bytes.count + piece.readableBytes <= limit else { return nil }
            bytes.append(contentsOf: piece.readableBytesView)
            received.count.store(bytes.count, ordering: .relaxed)
          }
        } catch {
          return nil
        }
        return Task.isCancelled ? nil : bytes
      }
      group.addTask {
        let end = deadline / .seconds(1)
        var elapsed = 0.0
        while elapsed < end, !Task.isCancelled {
          let pause = min(rate > 0 ? 1 : end, end - elapsed)
          try? await Task.sleep(for: .seconds(pause))
          elapsed += pause
          if isTooSlow(received.count.load(ordering: .relaxed), after: elapsed, rate: rate) { break }
        }
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
  }

  /// Returns whether the bytes that have arrived are fewer than `rate` a second, not counting the first `grace`
  /// seconds.
  static func isTooSlow(_ bytes: Int, after seconds: Double, rate: Int) -> Bool {
    Double(bytes) < Double(rate) * (seconds - grace)
  }

  /// The number of bytes of a body that have arrived.
  private final class Received: Sendable { let count = Atomic(0) }
}
