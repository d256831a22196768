import Hummingbird
import NIOCore

/// The context of a request: besides the usual, the connection it came over.
struct KioskContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel

  init(source: Source) {
    coreContext = .init(source: source)
    channel = source.channel
  }
}
