/// A part of a server: its methods, and what it does when a client leaves.
@ServiceActor
package protocol ServerModule: AnyObject {
  /// Adds its methods.
  func register(in methods: inout MethodTable)
  /// Words for `hello.features`.
  var features: [String] { get }
  /// A client is gone.
  func connectionClosed(_ connection: Connection)
  /// The server stops: ends what runs.
  func stop()
}

extension ServerModule {
  package func register(in methods: inout MethodTable) {}
  package var features: [String] { [] }
  package func connectionClosed(_ connection: Connection) {}
  package func stop() {}
}
