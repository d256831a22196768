package import Hummingbird
package import NIOCore

/// The context of a request: besides the usual, the connection it came over.
package struct ConnectionContext: RequestContext {
  /// The part of it that Hummingbird keeps.
  package var coreContext: CoreRequestContextStorage
  /// The connection.
  package let channel: any Channel

  package init(source: Source) {
    coreContext = .init(source: source)
    channel = source.channel
  }
}
