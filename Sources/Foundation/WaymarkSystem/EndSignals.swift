import Dispatch
import Glibc
import Synchronization

/// The signals that end a program in order.
package enum EndSignals {
  /// Kept for as long as the program runs: a source that is gone hears nothing.
  private static let sources = Mutex<[any DispatchSourceSignal]>([])

  /// Signals as they come. From the return on they end nothing by themselves.
  package static func received(_ numbers: [CInt]) -> AsyncStream<CInt> {
    let (signals, continuation) = AsyncStream.makeStream(of: CInt.self)
    sources.withLock { sources in
      for number in numbers {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number)
        source.setEventHandler { continuation.yield(number) }
        source.resume()
        sources.append(source)
      }
    }
    return signals
  }

  /// Waits for SIGTERM or SIGINT, which end nothing by themselves from then on.
  package static func requested() async {
    for await _ in received([SIGTERM, SIGINT]) { break }
  }

  /// Writing to a closed connection is an error, and no signal.
  package static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }
}
