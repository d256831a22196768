import Hummingbird
import NIOCore
import WaymarkProtocol

/// The context of a request: besides the usual, the connection it came over, and whom it is from.
struct GatewayContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel
  /// Whom the request is from. Nobody has no rights: the guard sets it before any route is asked.
  var caller = Caller(name: "nobody", role: .observer)

  init(source: Source) {
    coreContext = .init(source: source)
    channel = source.channel
  }
}
