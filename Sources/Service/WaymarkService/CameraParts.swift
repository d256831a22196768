package import WaymarkProtocol
package import WaymarkServer
import WaymarkSystem
import WaymarkWorker

/// The modules of the service for one camera. `CamerasModule` below combines the modules of all cameras.
@ServiceActor
package struct CameraParts {
  /// The source of frames and its pipeline.
  package let capture: CaptureModule
  /// The torch, the selection of a device, and the device's controls.
  let control: CameraModule
  package let scans: ScanModule
  package let codes: CodesModule
  /// The modules that features add for this camera.
  var further: [any ServiceModule] = []

  /// Creates the modules of a camera.
  ///
  /// - Parameters:
  ///   - name: the camera's name in its events; nil if there is only one camera.
  ///   - place: the index of the camera, and the number of cameras.
  /// - Throws: the error of a source that cannot be created (`SourceFactory.make()`).
  init(
    hub: Hub, configuration: ServiceConfiguration, name: String?, place: (index: Int, count: Int), isolation: Isolation,
    rules: ScanRules, cameras: CameraChoice, lenses: LensStore = LensStore(folder: nil)
  ) throws {
    let factory = SourceFactory(configuration: configuration, isolation: isolation)
    capture = CaptureModule(
      hub: hub, source: try factory.make(), camera: name, isolation: isolation,
      need: SourceNeed(keepsOpen: configuration.camera.keepOpen, idleTime: configuration.camera.closeAfter),
      lenses: lenses)
    control = CameraModule(capture: capture, settings: factory.cameraSettings, makeDecoder: isolation.makeDecoder)
    // The scan ids of the first camera have no prefix, as with a single camera.
    scans = ScanModule(hub: hub, capture: capture, rules: rules, further: place.index > 0 ? name : nil)
    codes = CodesModule(hub: hub, scans: scans, capture: capture, cameras: cameras, place: place)
  }

  var modules: [any ServiceModule] { [capture, control, scans, codes] + further }
}

// MARK: - All cameras

/// Combines the modules of all cameras: passes each request to the camera named in its member `camera`, and adds an entry for each
/// camera to the state.
@ServiceActor
package final class CamerasModule: ServiceModule {
  private let cameras: ByCamera<[any ServiceModule]>

  /// Creates the module from the modules of each camera, which have the same types in the same order for all cameras.
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
      // The id of a scan begins with the name of its camera, except for the first camera.
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
