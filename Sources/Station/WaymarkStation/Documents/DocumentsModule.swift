import Foundation
import Logging
import NIOCore
import NIOPosix
import WaymarkConfiguration
package import WaymarkDocuments
import WaymarkImage
package import WaymarkProtocol
package import WaymarkServer
package import WaymarkService
import WaymarkSystem
import WaymarkWorker

/// `document.*` and `media.document`: finds, captures, stores, corrects and saves pages.
///
/// `OpenDocument` keeps the pages, and `DocumentCapture` adds the pages that the camera captures.
@ServiceActor
package final class DocumentsModule: FeatureModule {
  package typealias Settings = DocumentSettings

  private unowned let hub: Hub
  private var settings: Settings
  private let document: OpenDocument
  private let capture: DocumentCapture
  private let isolation: Isolation

  /// Creates the module of `hub`, with a lane in the pipeline of each camera.
  package convenience init(hub: Hub, cameras: ByCamera<CaptureModule>, settings: Settings, models: PageModels) {
    self.init(hub: hub, cameras: cameras, settings: settings, models: models, disk: PageStore.Disk())
  }

  /// Creates the module with file operations, which tests replace.
  init(
    hub: Hub, cameras: ByCamera<CaptureModule>, settings: Settings, models: PageModels, disk: PageStore.Disk
  ) {
    self.hub = hub
    self.settings = settings
    isolation = cameras.first.isolation
    document = OpenDocument(hub: hub, settings: settings, disk: disk)
    capture = DocumentCapture(hub: hub, cameras: cameras, settings: settings, models: models, document: document)
  }

  package var features: [String] { settings.folder == nil ? [] : ["documents"] }

  package func contribute(to snapshot: inout Snapshot) { snapshot.document = document.described }

  /// Loads the pages that an earlier run has left.
  package func start() { document.start() }

  package func stop() {
    capture.stop()
    document.stop()
  }

  package func settings(_ configuration: ServiceConfiguration) -> @ServiceActor () -> Void {
    let new = Settings(configuration)
    return { [weak self] in self?.use(new) }
  }

  /// Applies new limits; the folders change only at a restart.
  package func use(_ new: Settings) {
    let running = settings
    settings = new
    settings.keep(running)
    document.use(settings)
    capture.use(settings)
  }

  package func connectionClosed(_ connection: Connection) {
    if document.owner == connection.number { document.release(.disconnected) }
  }

  // MARK: Methods

  package func register(in methods: inout MethodTable) {
    methods.addLater(DocumentBeginRequest.self) { [weak self] request, connection in
      guard let self else { throw ServiceError.stopping }
      return { try await self.document.inTurn { try self.capture.begin(request, connection) } }
    }
    methods.add(DocumentModeRequest.self) { [weak self] request, connection in
      guard let self else { throw ServiceError.stopping }
      try self.document.check(connection)
      self.document.mode = request.mode
      self.capture.review()
      self.document.publishChange()
      return Empty()
    }
    methods.add(DocumentCaptureRequest.self) { [weak self] _, connection in
      try self?.document.check(connection)
      try self?.capture.pressShutter()
      return Empty()
    }
    methods.addLater(DocumentPagesRequest.self) { [weak self] _, _ in
      guard let self else { throw ServiceError.stopping }
      return {
        try await self.document.inTurn {
          guard let described = self.document.described else { throw OpenDocument.noSession }
          return described
        }
      }
    }
    methods.add(DocumentRetakeRequest.self) { [weak self] request, connection in
      guard let self else { throw ServiceError.stopping }
      try self.document.check(connection)
      self.document.retake = try request.page.map { try self.document.page($0).number }
      self.capture.allowAgain()
      self.document.publishChange()
      return Empty()
    }
    registerEditing(in: &methods)
    methods.addTaking(MediaDocumentRequest.self) { [weak self] request, incoming, connection in
      guard let self else { throw ServiceError.stopping }
      try self.send(request, incoming, connection)
    }
  }

  /// Adds a method for the client that holds the session. Its calls run after all earlier changes of the document.
  private func addEdit<R: ServedRequest>(
    _ type: R.Type, _ methods: inout MethodTable,
    _ body: @escaping @ServiceActor (DocumentsModule, R, Connection) async throws -> R.Result
  ) {
    methods.addLater(type) { [weak self] request, connection in
      guard let self else { throw ServiceError.stopping }
      try self.document.check(connection)
      return {
        try await self.document.inTurn {
          try self.document.check(connection)
          return try await body(self, request, connection)
        }
      }
    }
  }

  private func registerEditing(in methods: inout MethodTable) {
    addEdit(DocumentAdjustRequest.self, &methods) { module, request, _ in try await module.adjust(request) }
    addEdit(DocumentFilterRequest.self, &methods) { module, request, _ in
      let filter = PageFilter(request.filter)
      let page = try request.page.map { try module.document.page($0).number }
      try await module.document.change { ledger in
        if page == nil { ledger.filter = filter }
        for index in ledger.pages.indices where page == nil || ledger.pages[index].number == page {
          guard ledger.pages[index].filter != filter else { continue }
          ledger.pages[index].filter = filter
          ledger.pages[index].revision += 1
        }
      }
      return try module.document.session()
    }
    addEdit(DocumentRotateRequest.self, &methods) { module, request, _ in
      guard [90, 180, 270].contains(request.degrees) else {
        throw ServiceError(.badParams, "degrees must be 90, 180 or 270.", hint: "Pages turn in quarters of a turn.")
      }
      return try await module.document.edit(request.page) { $0.turns = ($0.turns + request.degrees / 90) % 4 }
    }
    addEdit(DocumentReorderRequest.self, &methods) { module, request, _ in
      let number = try module.document.page(request.page).number
      let count = module.document.ledger?.kept.count ?? 0
      guard (0..<count).contains(request.index) else {
        throw ServiceError(.badParams, "index must be between 0 and \(count - 1).", hint: "It counts from 0.")
      }
      try await module.document.change { ledger in
        var kept = ledger.kept
        guard let from = kept.firstIndex(where: { $0.number == number }) else { return }
        let page = kept.remove(at: from)
        kept.insert(page, at: request.index)
        // Removed pages are last, and are restored at the end.
        ledger.pages = kept + ledger.pages.filter { $0.removed != nil }
      }
      return try module.document.session()
    }
    addEdit(DocumentDeleteRequest.self, &methods) { module, request, _ in
      let number = try module.document.page(request.page).number
      let now = Int(module.hub.wall())
      try await module.document.change(page: number) { $0.removed = now }
      if module.document.retake == number { module.document.retake = nil }
      module.capture.allowAgain()
      return try module.document.session()
    }
    addEdit(DocumentRestoreRequest.self, &methods) { module, request, _ in
      guard let number = OpenDocument.number(request.page),
        module.document.ledger?.pages.contains(where: { $0.number == number && $0.removed != nil }) == true
      else { throw OpenDocument.noPage }
      try await module.document.change(page: number) { $0.removed = nil }
      return try module.document.session()
    }
    addEdit(DocumentSaveRequest.self, &methods) { module, request, connection in
      try await module.save(request, connection)
    }
    addEdit(DocumentDiscardRequest.self, &methods) { module, _, connection in
      try await module.document.end(.discarded, by: connection)
      return Empty()
    }
    // This change also waits for its turn, so that pages captured earlier are stored first.
    addEdit(DocumentEndRequest.self, &methods) { module, _, _ in
      module.document.release(.ended)
      return Empty()
    }
  }

  // MARK: Pages

  private func adjust(_ request: DocumentAdjustRequest) async throws -> DocumentPage {
    let page = try document.page(request.page)
    guard let corners = request.corners else {
      return try await document.edit(request.page) { page in
        page.outline = nil
        page.bends = nil
      }
    }
    let (width, height) = (Double(page.width), Double(page.height))
    // A corner may lie outside the picture if the page does.
    let (across, down) = (-width...(2 * width), -height...(2 * height))
    guard corners.count == 4, corners.allSatisfy({ $0.count == 2 && across.contains($0[0]) && down.contains($0[1]) })
    else {
      throw ServiceError(
        .badParams, "corners must be four [x, y] in pixels of the picture.", hint: "Leave it out for the whole picture."
      )
    }
    let points = corners.map { Point2($0[0], $0[1]) }
    var outline = Quadrilateral(corners: points)
    guard outline.isConvex, outline.signedArea >= 64 else {
      throw ServiceError(
        .badParams, "The corners do not form the outline of a page.",
        hint: "List them clockwise from the page's top left, as a convex quadrilateral.")
    }
    var bends: [Double]?
    if let store = document.store {
      let (isolation, number) = (isolation, page.number)
      let order = PageRequest(.adjusted(outline, snaps: request.snap == true))
      let result = try await OpenDocument.blocking { try isolation.page(try store.picture(number), order) }
      if case .place(let place?) = result { (outline, bends) = (place.outline, place.bends) }
    }
    return try await document.edit(request.page) { page in
      page.outline = outline
      page.bends = bends
    }
  }

  // MARK: Pictures

  private func send(
    _ request: MediaDocumentRequest, _ incoming: IncomingRequest, _ connection: Connection
  ) throws {
    // A removed page is shown as long as it can be restored.
    guard let number = OpenDocument.number(request.page), let store = document.store,
      let page = document.ledger?.pages.first(where: { $0.number == number })
    else { throw OpenDocument.noPage }
    let outlet = connection.carryPictures()
    connection.countInFlight(1)
    let (hub, isolation) = (hub, isolation)
    let scheduler = hub.pictures
    let order =
      request.original == true
      ? PageRequest(.jpeg(width: request.width))
      : PageRequest(
        .jpeg(width: request.width), outline: page.outline, bends: page.bends, filter: page.filter, turns: page.turns)
    Task { @ServiceActor in
      do {
        let reservation = try await scheduler.reservation(for: page.bytes, of: connection)
        let made = try await scheduler.work(for: connection) { stop in
          try isolation.page(try store.picture(page.number), order, or: stop)
        }
        guard case .picture(let picture, _) = made else { throw OpenDocument.noPage }
        reservation.resize(to: picture.bytes.count)
        let header = MediaHeader(
          id: incoming.id, format: .jpeg, width: picture.width, height: picture.height,
          size: picture.bytes.count)
        if var buffer = hub.encode(header) {
          buffer.writeBytes(picture.bytes)
          outlet.send(picture: buffer, holding: reservation)
        }
      } catch is FileError {
        hub.fail(
          incoming, connection,
          ServiceError(.badPicture, "The picture of the page cannot be read.", hint: "See the service's log."))
      } catch {
        hub.fail(incoming, connection, error)
      }
      connection.countInFlight(-1)
    }
  }

  // MARK: Saving

  /// Writes the pages to files, publishes their paths and ends the session.
  private func save(
    _ request: DocumentSaveRequest, _ connection: Connection
  ) async throws -> DocumentSaved {
    guard let ledger = document.ledger, let store = document.store, let output = settings.output else {
      throw OpenDocument.noSession
    }
    let pages = ledger.kept
    guard !pages.isEmpty else {
      throw ServiceError(.badParams, "The document has no pages.", hint: "Capture one, or end the session.")
    }
    guard let name = DocumentWriter.name(request.name, now: Int(hub.wall())) else {
      throw ServiceError(
        .badParams, "name is not a valid file name.",
        hint: "Use at most 120 bytes without slashes and control characters, not beginning with a dot.")
    }
    let format = request.format ?? .pdf
    let writer = DocumentWriter(
      store: store, isolation: isolation, pages: pages, version: hub.version, created: Int(hub.wall()),
      textLanguages: document.textLanguages, log: hub.log.subsystem(.documents))
    let paths = try await OpenDocument.blocking { try writer.write(format, into: output, named: name) }
    let saved = DocumentSaved(
      session: ledger.session, format: format, pages: pages.count, paths: paths, by: connection.actor)
    hub.publish(saved, camera: document.camera)
    // The pages are saved now, even if they cannot be removed from the store.
    do {
      try await document.end(.saved, by: connection)
    } catch {
      hub.log.subsystem(.documents).error("saved pages could not be removed", metadata: ["error": "\(error)"])
    }
    return saved
  }
}

extension Feature {
  /// The feature that finds, captures, corrects and saves pages.
  package static let documents: Feature = {
    var feature = Feature()
    feature.keys = DocumentSettings.keys
    feature.cameraKeys = ["documents.rate"]
    feature.profileKeys = DocumentSettings.keys.filter(\.isReloadable)
    feature.problems = DocumentSettings.problems
    feature.make = { context in
      DocumentsModule(
        hub: context.hub, cameras: context.cameras.map { $1.capture },
        settings: DocumentSettings(context.configuration),
        models: try PageModels.load())
    }
    feature.task = PageRequest.self
    return feature
  }()
}
