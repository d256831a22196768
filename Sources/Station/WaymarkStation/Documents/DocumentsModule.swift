package import WaymarkDocuments
package import WaymarkProtocol
package import WaymarkServer
package import WaymarkService
import WaymarkSystem

/// `document.*` and `media.document`: pages are looked for, captured, written down, put right and saved.
///
/// `OpenDocument` keeps the pages, `DocumentCapture` adds to them what the camera sees, `DocumentMethods` what clients ask for.
@ServiceActor
package final class DocumentsModule: FeatureModule {
  package typealias Settings = DocumentSettings

  private var settings: Settings
  private let document: OpenDocument
  private let capture: DocumentCapture
  private let methods: DocumentMethods

  /// The module of `hub`, with a lane in the pipeline of each camera.
  package convenience init(hub: Hub, cameras: ByCamera<CaptureModule>, settings: Settings, models: PageModels) {
    self.init(hub: hub, cameras: cameras, settings: settings, models: models, disk: PageStore.Disk())
  }

  /// The same on a disk that is told.
  init(
    hub: Hub, cameras: ByCamera<CaptureModule>, settings: Settings, models: PageModels, disk: PageStore.Disk
  ) {
    self.settings = settings
    let relay = WeakReference<DocumentCapture>()
    document = OpenDocument(hub: hub, settings: settings, disk: disk) { relay.object?.review() }
    capture = DocumentCapture(hub: hub, cameras: cameras, settings: settings, models: models, document: document)
    relay.object = capture
    methods = DocumentMethods(
      hub: hub, document: document, capture: capture, output: settings.output, isolation: cameras.first.isolation)
  }

  package var features: [String] { settings.folder == nil ? [] : ["documents"] }

  package func register(in methods: inout MethodTable) { self.methods.register(in: &methods) }

  package func contribute(to snapshot: inout Snapshot) { snapshot.document = document.described }

  /// Begins: reads what a run before has left.
  package func start() { document.start() }

  package func stop() {
    capture.stop()
    document.stop()
  }

  package func settings(_ configuration: ServiceConfiguration) -> @ServiceActor () -> Void {
    let new = Settings(configuration)
    return { [weak self] in self?.use(new) }
  }

  /// Other limits hold from now on; where pages are kept and go, a restart alone changes.
  package func use(_ new: Settings) {
    settings = settings.limited(as: new)
    document.use(settings)
    capture.use(settings)
  }

  package func connectionClosed(_ connection: Connection) {
    if document.owner == connection.number { document.release(.disconnected) }
  }
}
