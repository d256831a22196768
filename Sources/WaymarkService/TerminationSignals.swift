import CSignals
import Dispatch
import Glibc
import ServiceLifecycle

/// Ends when the process is told to end (SIGTERM, SIGINT), and with it the group of services that it belongs to.
///
/// From the first instruction on these signals are looked after by `CSignals`: there is no moment in between at which they would end
/// the process as they do by default, or be lost.
struct TerminationSignals: Service {
  private let descriptor: CInt

  /// Takes the signals over; nil in a process that is not `waymark serve`.
  init?() {
    let descriptor = csignals_take_over()
    guard descriptor >= 0 else { return nil }
    self.descriptor = descriptor
  }

  func run() async throws {
    let (told, continuation) = AsyncStream.makeStream(of: Void.self)
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
    source.setEventHandler { continuation.yield() }
    source.resume()
    defer { source.cancel() }
    for await _ in told.cancelOnGracefulShutdown() { return }
  }
}
