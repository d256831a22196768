package import WaymarkProtocol
package import WaymarkServer
package import WaymarkWorker

/// `scene.*`, `session.*`, `annotation.*`, `card.*` and the events of anchors.
///
/// The session belongs to the device: there is one, whoever commands it, and events say who did what. `SceneSession` has it,
/// `SceneInUse` its scene, and `SceneMethods` are what clients ask of it.
@ServiceActor
package final class ScenesModule: ServiceModule {
  package typealias Settings = SceneSettings

  private let session: SceneSession

  /// The module of `hub`, with a lane in the pipeline of each camera.
  ///
  /// - Parameter cameras: the cameras, and what reads the codes in their frames that are anchors; without it none are found.
  package init(
    hub: Hub, cameras: ByCamera<(capture: CaptureModule, scans: ScanModule?)>, isolation: Isolation = .none,
    settings: Settings
  ) {
    session = SceneSession(hub: hub, cameras: cameras, isolation: isolation, settings: settings)
  }

  package var features: [String] { ["anchors", "scenes", "session"] }

  package func register(in methods: inout MethodTable) { SceneMethods.register(session, in: &methods) }

  /// Opens the library and loads the scene of the configuration.
  package func start() { session.start() }

  /// The settings in use.
  var settings: Settings { session.settings }

  /// Takes over what the configuration says now.
  package func use(_ new: Settings) { session.use(new) }

  /// Another camera is in use: it may have a calibration of its own.
  func sourceChanged() { session.sourceChanged() }

  package func stop() { session.stop() }

  package func contribute(to status: inout StatusResult) { session.contribute(to: &status) }

  package func contribute(to snapshot: inout Snapshot) { session.contribute(to: &snapshot) }

  /// A picture of the scene in use, for `media.resource`.
  package func picture(_ id: String) -> String? { session.picture(id) }
}
