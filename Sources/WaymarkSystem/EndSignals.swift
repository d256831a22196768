import Dispatch
import Glibc

/// The signals that end a program in order.
package enum EndSignals {
  /// Waits for SIGTERM or SIGINT, which end nothing by themselves from then on.
  package static func requested() async {
    signal(SIGTERM, SIG_IGN)
    signal(SIGINT, SIG_IGN)
    let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
    let sources = [SIGTERM, SIGINT].map { number in
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { continuation.yield() }
      source.resume()
      return source
    }
    for await _ in signals { break }
    for source in sources { source.cancel() }
  }

  /// Writing to a closed connection is an error, and no signal.
  package static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }
}
