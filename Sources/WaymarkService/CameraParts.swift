import WaymarkPipeline
import WaymarkServer
import WaymarkWorker

/// The parts of the service that each camera has of its own.
@ServiceActor
struct CameraParts {
  /// Source and pipeline.
  let capture: CaptureModule
  /// Torch, selection, controls.
  let control: CameraModule
  /// The armed scan.
  let scans: ScanModule
  /// Codes that are followed.
  let codes: CodesModule
  /// Codes that are counted.
  let count: CountModule

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
    count = CountModule(hub: hub, scans: scans, codes: codes, camera: name)
  }

  /// All of them, as modules of the server.
  var modules: [any ServiceModule] { [capture, control, scans, codes, count] }
}
