package import WaymarkProtocol
package import WaymarkServer
import WaymarkSystem

/// The modules that each camera has of its own: `camera` of a request says whose answers it, and the state tells of each camera.
@ServiceActor
package final class CamerasModule: ServiceModule {
  private let cameras: ByCamera<[any ServiceModule]>

  /// The modules of each camera: the same ones in the same order.
  package init(_ cameras: ByCamera<[any ServiceModule]>) { self.cameras = cameras }

  package var features: [String] { cameras.first.flatMap(\.features) }

  package func register(in methods: inout MethodTable) {
    let tables = cameras.parts.map { name, modules in
      var table = MethodTable()
      for module in modules { module.register(in: &table) }
      return (name, table)
    }
    let cameras = cameras.map { _, _ in () }
    methods.add(tables) { params in
      // A scan's id says of which camera it is, so that who was told of it need not.
      params["camera"]?.string ?? params["scan"]?.string.flatMap(ScanModule.camera(ofScan:))
    } unknown: {
      cameras.unknown($0)
    }
  }

  package func connectionClosed(_ connection: Connection) {
    for module in cameras.all.joined() { module.connectionClosed(connection) }
  }

  package func stop() {
    for module in cameras.all.joined() { module.stop() }
  }

  package func contribute(to snapshot: inout Snapshot) {
    for module in cameras.first { module.contribute(to: &snapshot) }
    guard cameras.areSeveral else { return }
    let empty = Snapshot(
      seq: snapshot.seq, instance: snapshot.instance, events: [], scanner: ScannerStatus(status: .idle),
      camera: CameraStatus(status: .closed))
    snapshot.cameras = cameras.parts.map { name, modules in
      var own = empty
      for module in modules { module.contribute(to: &own) }
      return CameraOverview(
        name: name, camera: own.camera, scanner: own.scanner, scan: own.scan, codes: own.codes, count: own.count)
    }
  }

  package func contribute(to status: inout StatusResult) {
    for module in cameras.first { module.contribute(to: &status) }
    guard cameras.areSeveral else { return }
    var empty = status
    (empty.scan, empty.scanner, empty.camera) = (nil, ScannerStatus(status: .idle), CameraStatus(status: .closed))
    status.cameras = cameras.parts.map { name, modules in
      var own = empty
      for module in modules { module.contribute(to: &own) }
      return CameraOverview(name: name, camera: own.camera, scanner: own.scanner, scan: own.scan)
    }
  }
}
