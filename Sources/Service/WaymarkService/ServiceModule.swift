package import WaymarkProtocol
package import WaymarkServer

/// A part of the service: a module of its server that also has a share of the state.
@ServiceActor
package protocol ServiceModule: ServerModule {
  /// Adds its share of the state that `subscribe` answers with, as operators see it.
  func contribute(to snapshot: inout Snapshot)
  /// Adds its share of `status`, as operators see it.
  func contribute(to status: inout StatusResult)
}

extension ServiceModule {
  package func contribute(to snapshot: inout Snapshot) {}
  package func contribute(to status: inout StatusResult) {}
}
