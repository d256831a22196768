package import WaymarkServer
import WaymarkWorker

/// The parts of the service that each camera has of its own.
@ServiceActor
package struct CameraParts {
  /// Source and pipeline.
  package let capture: CaptureModule
  /// Torch, selection, controls.
  let control: CameraModule
  /// The armed scan.
  package let scans: ScanModule
  /// Codes that are followed.
  package let codes: CodesModule
  /// The modules that features have in it.
  private var further: [any ServiceModule]

  /// The parts of a camera.
  ///
  /// - Parameters:
  ///   - configuration: of this camera.
  ///   - name: the name that its events carry, where there are several.
  ///   - place: which of how many cameras it is, from 0 on.
  ///   - lenses: the lenses that were learned, by camera.
  init(
    hub: Hub, configuration: ServiceConfiguration, name: String?, place: (index: Int, count: Int), isolation: Isolation,
    rules: ScanRules, cameras: CameraChoice, lenses: LensStore = LensStore(folder: nil)
  ) throws {
    let factory = SourceFactory(configuration: configuration, isolation: isolation)
    capture = CaptureModule(
      hub: hub, source: try factory.make(), camera: name, isolation: isolation,
      keepsOpen: configuration.camera.keepOpen, idleTime: configuration.camera.closeAfter, lenses: lenses)
    control = CameraModule(capture: capture, settings: factory.cameraSettings, makeDecoder: isolation.makeDecoder)
    // The ids of the first camera's scans are what they are where it is the only one.
    scans = ScanModule(hub: hub, capture: capture, rules: rules, further: place.index > 0 ? name : nil)
    codes = CodesModule(hub: hub, scans: scans, capture: capture, cameras: cameras, place: place)
    further = []
    let parts = self
    further = configuration.schema.features.compactMap { $0.makeForCamera?(hub, parts) }
  }

  /// All of them, as modules of the server.
  var modules: [any ServiceModule] { [capture, control, scans, codes] + further }
}
