import Foundation
import Logging
import NIOCore
import NIOPosix
import WaymarkDocuments
import WaymarkImage
import WaymarkProtocol
import WaymarkServer
import WaymarkService
import WaymarkSystem
import WaymarkWorker

/// The methods of documents: what clients ask for, as changes of the open document.
@ServiceActor
final class DocumentMethods {
  private unowned let hub: Hub
  private let document: OpenDocument
  private let capture: DocumentCapture
  /// Where documents are saved.
  private let output: String?
  private let isolation: Isolation

  init(hub: Hub, document: OpenDocument, capture: DocumentCapture, output: String?, isolation: Isolation) {
    self.hub = hub
    self.document = document
    self.capture = capture
    self.output = output
    self.isolation = isolation
  }

  func register(in methods: inout MethodTable) {
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
    registerEnding(in: &methods)
    methods.addTaking(MediaDocumentRequest.self) { [weak self] request, incoming, connection in
      guard let self else { throw ServiceError.stopping }
      try self.send(request, incoming, connection)
    }
  }

  /// A method that changes what is written down.
  private func addEdit<R: ServedRequest>(
    _ type: R.Type, _ methods: inout MethodTable,
    _ body: @escaping @ServiceActor (DocumentMethods, R) async throws -> R.Result
  ) {
    methods.addLater(type) { [weak self] request, connection in
      guard let self else { throw ServiceError.stopping }
      try self.document.check(connection)
      return {
        try await self.document.inTurn {
          try self.document.check(connection)
          return try await body(self, request)
        }
      }
    }
  }

  private func registerEditing(in methods: inout MethodTable) {
    addEdit(DocumentAdjustRequest.self, &methods) { module, request in try await module.adjust(request) }
    addEdit(DocumentFilterRequest.self, &methods) { module, request in
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
    addEdit(DocumentRotateRequest.self, &methods) { module, request in
      guard [90, 180, 270].contains(request.degrees) else {
        throw ServiceError(.badParams, "degrees must be 90, 180 or 270.", hint: "Pages turn in quarters of a turn.")
      }
      return try await module.document.edit(request.page) { $0.turns = ($0.turns + request.degrees / 90) % 4 }
    }
    addEdit(DocumentReorderRequest.self, &methods) { module, request in
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
        // Those that were taken out go behind; they come back at the end.
        ledger.pages = kept + ledger.pages.filter { $0.removed != nil }
      }
      return try module.document.session()
    }
    addEdit(DocumentDeleteRequest.self, &methods) { module, request in
      let number = try module.document.page(request.page).number
      let now = Int(module.hub.wall())
      try await module.document.change { ledger in
        for index in ledger.pages.indices where ledger.pages[index].number == number {
          ledger.pages[index].removed = now
        }
      }
      if module.document.retake == number { module.document.retake = nil }
      module.capture.allowAgain()
      return try module.document.session()
    }
    addEdit(DocumentRestoreRequest.self, &methods) { module, request in
      guard let number = OpenDocument.number(request.page),
        module.document.ledger?.pages.contains(where: { $0.number == number && $0.removed != nil }) == true
      else { throw OpenDocument.noPage }
      try await module.document.change { ledger in
        for index in ledger.pages.indices where ledger.pages[index].number == number {
          ledger.pages[index].removed = nil
        }
      }
      return try module.document.session()
    }
  }

  private func registerEnding(in methods: inout MethodTable) {
    methods.addLater(DocumentSaveRequest.self) { [weak self] request, connection in
      guard let self else { throw ServiceError.stopping }
      try self.document.check(connection)
      return {
        try await self.document.inTurn {
          try self.document.check(connection)
          return try await self.save(request, connection)
        }
      }
    }
    methods.addLater(DocumentDiscardRequest.self) { [weak self] _, connection in
      guard let self else { throw ServiceError.stopping }
      try self.document.check(connection)
      return {
        try await self.document.inTurn {
          try self.document.check(connection)
          try await self.document.end(.discarded, by: connection)
          return Empty()
        }
      }
    }
    methods.addLater(DocumentEndRequest.self) { [weak self] _, connection in
      guard let self else { throw ServiceError.stopping }
      try self.document.check(connection)
      return {
        // The pages captured before are written down first.
        try await self.document.inTurn {
          try self.document.check(connection)
          self.document.release(.ended)
          return Empty()
        }
      }
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
    // A corner may lie a little beyond the picture: where the page goes on.
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
    // One that was taken out can still be looked at, as long as it can be brought back.
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

  /// Writes the pages into files, tells where they are, and ends the session.
  private func save(
    _ request: DocumentSaveRequest, _ connection: Connection
  ) async throws -> DocumentSaved {
    guard let ledger = document.ledger, let store = document.store, let output else {
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
    // From here on the pages are in their file: that they cannot be removed is not a reason to say that they were not saved.
    do {
      try await document.end(.saved, by: connection)
    } catch {
      hub.log.subsystem(.documents).error("saved pages could not be removed", metadata: ["error": "\(error)"])
    }
    return saved
  }
}
