package import Logging
import WaymarkImage
import WaymarkPipeline
import WaymarkProtocol

/// The parts of one running service, put together.
@ServiceActor
package final class Assembly {
  /// Where everything meets.
  package let hub: Hub
  /// Source and pipeline.
  package let capture: CaptureModule
  /// Torch, selection, controls.
  package let camera: CameraModule
  /// The configured pictures.
  package let gallery: GalleryModule
  /// Pictures for clients.
  package let media: MediaModule
  /// Scenes, anchors, the AR session.
  package let scenes: ScenesModule
  private var configuration: ServiceConfiguration
  private let socketGroup: UInt32?
  private let manager: ServiceManager
  private let log: Logger

  /// Puts the parts together; nothing runs yet.
  package init(
    configuration: ServiceConfiguration, version: String, socketPath: String, socketGroup: UInt32?, log: Logger,
    manager: ServiceManager
  ) throws {
    self.configuration = configuration
    self.socketGroup = socketGroup
    self.log = log
    self.manager = manager
    let (roles, unknown) = RolePolicy.make(configuration.roles, socketGroup: socketGroup)
    for name in unknown {
      log.warning("there is no such account; it is left out of the roles", metadata: ["name": "\(name)"])
    }
    hub = Hub(version: version, roles: roles, limits: configuration.limits, log: log)
    hub.socketPath = socketPath
    hub.add(CoreModule(hub: hub))
    let factory = SourceFactory(configuration: configuration)
    let source = try factory.make()
    capture = CaptureModule(
      hub: hub, source: source, keepsOpen: configuration.camera.keepOpen, idleTime: configuration.camera.closeAfter)
    hub.add(capture)
    camera = CameraModule(pipeline: capture.pipeline, settings: factory.cameraSettings)
    hub.add(camera)
    gallery = GalleryModule(folders: configuration.galleryFolders)
    hub.add(gallery)
    media = MediaModule(hub: hub, pipeline: capture.pipeline)
    hub.add(media)
    let gallery = gallery
    scenes = ScenesModule(hub: hub, pipeline: capture.pipeline, settings: .init(configuration))
    hub.add(scenes)
    let scenes = scenes
    media.resource = { id in scenes.picture(id).map { .file($0) } }
    media.gallery = { id in try await gallery.bytes(of: id) }
    capture.onStatus.append { [weak self] _ in
      guard let self else { return }
      self.camera.sourceChanged()
      self.manager.status(self.statusLine)
    }
  }

  /// Begins.
  package func start() {
    capture.start()
    scenes.start()
  }

  /// A word for `systemctl status`.
  package var statusLine: String {
    let camera = capture.status
    return "\(camera.status.rawValue): \(camera.device ?? "no source")\(camera.message.map { " (\($0))" } ?? "")"
  }

  /// Whether every lane answers.
  package var isWell: Bool {
    let hung = capture.pipeline.hungLanes(limit: 10)
    if !hung.isEmpty { log.critical("lanes hang", metadata: ["lanes": "\(hung.joined(separator: ","))"]) }
    return hung.isEmpty
  }

  /// Takes over what can be changed while running, and says what cannot.
  package func reload(_ new: ServiceConfiguration) {
    let (roles, unknown) = RolePolicy.make(new.roles, socketGroup: socketGroup)
    for name in unknown {
      log.warning("there is no such account; it is left out of the roles", metadata: ["name": "\(name)"])
    }
    hub.roles = roles
    hub.limits = new.limits
    gallery.use(new.galleryFolders)
    JournalLogHandler.setLevel(Logger.Level(rawValue: new.logLevel) ?? .info)
    var fixed: [String] = []
    if new.socket != configuration.socket { fixed.append("socket") }
    if new.source != configuration.source { fixed.append("source") }
    configuration = new
    log.notice("the configuration was taken over")
    if !fixed.isEmpty {
      log.warning("these sections need a restart", metadata: ["sections": "\(fixed.joined(separator: ","))"])
    }
  }

  /// Tells everybody and ends what runs.
  package func stop(reason: String) { hub.stop(reason: reason) }

  /// Waits for the source to be given back.
  package func finish() async { await capture.finished() }
}
