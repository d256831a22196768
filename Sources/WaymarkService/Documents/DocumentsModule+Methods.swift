import Foundation
import NIOCore
import NIOPosix
import WaymarkDocuments
import WaymarkGeometry
import WaymarkImage
import WaymarkProtocol
package import WaymarkServer
import WaymarkSystem
import WaymarkWorker

extension DocumentsModule {
  package func register(in methods: inout MethodTable) {
    methods.addLater(DocumentBeginRequest.self) { [weak self] request, connection in
      guard let self else { throw ServiceError.stopping }
      return { try await self.inTurn { try await self.begin(request, connection) } }
    }
    methods.add(DocumentModeRequest.self) { [weak self] request, connection in
      guard let self else { throw ServiceError.stopping }
      try self.check(connection)
      self.mode = request.mode
      self.review()
      self.publishChange()
      return Empty()
    }
    methods.add(DocumentCaptureRequest.self) { [weak self] _, connection in
      try self?.check(connection)
      try self?.pressShutter()
      return Empty()
    }
    methods.addLater(DocumentPagesRequest.self) { [weak self] _, _ in
      guard let self else { throw ServiceError.stopping }
      return {
        try await self.inTurn {
          guard let described = self.described else { throw Self.noSession }
          return described
        }
      }
    }
    methods.add(DocumentRetakeRequest.self) { [weak self] request, connection in
      guard let self else { throw ServiceError.stopping }
      try self.check(connection)
      self.retake = try request.page.map { try self.page($0).number }
      self.allowAgain()
      self.publishChange()
      return Empty()
    }
    registerEditing(in: &methods)
    registerEnding(in: &methods)
    methods.addTaking(MediaDocumentRequest.self) { [weak self] request, incoming, connection in
      try self?.send(request, incoming, connection)
    }
  }

  /// A method that changes what is written down.
  private func addEdit<R: ServiceRequest>(
    _ type: R.Type, _ methods: inout MethodTable,
    _ body: @escaping @ServiceActor (DocumentsModule, R) async throws -> R.Result
  ) {
    methods.addLater(type) { [weak self] request, connection in
      guard let self else { throw ServiceError.stopping }
      try self.check(connection)
      return {
        try await self.inTurn {
          try self.check(connection)
          return try await body(self, request)
        }
      }
    }
  }

  private func registerEditing(in methods: inout MethodTable) {
    addEdit(DocumentAdjustRequest.self, &methods) { module, request in try await module.adjust(request) }
    addEdit(DocumentFilterRequest.self, &methods) { module, request in
      let filter = PageFilter(request.filter)
      let page = try request.page.map { try module.page($0).number }
      try await module.change { ledger in
        if page == nil { ledger.filter = filter }
        for index in ledger.pages.indices where page == nil || ledger.pages[index].number == page {
          guard ledger.pages[index].filter != filter else { continue }
          ledger.pages[index].filter = filter
          ledger.pages[index].revision += 1
        }
      }
      return try module.session()
    }
    addEdit(DocumentRotateRequest.self, &methods) { module, request in
      guard [90, 180, 270].contains(request.degrees) else {
        throw ServiceError(.badParams, "degrees must be 90, 180 or 270.", hint: "Pages turn in quarters of a turn.")
      }
      return try await module.edit(request.page) { $0.turns = ($0.turns + request.degrees / 90) % 4 }
    }
    addEdit(DocumentReorderRequest.self, &methods) { module, request in
      let number = try module.page(request.page).number
      let count = module.ledger?.kept.count ?? 0
      guard (0..<count).contains(request.index) else {
        throw ServiceError(.badParams, "index must be between 0 and \(count - 1).", hint: "It counts from 0.")
      }
      try await module.change { ledger in
        var kept = ledger.kept
        guard let from = kept.firstIndex(where: { $0.number == number }) else { return }
        let page = kept.remove(at: from)
        kept.insert(page, at: request.index)
        // Those that were taken out go behind; they come back at the end.
        ledger.pages = kept + ledger.pages.filter { $0.removed != nil }
      }
      return try module.session()
    }
    addEdit(DocumentDeleteRequest.self, &methods) { module, request in
      let number = try module.page(request.page).number
      let now = Int(module.hub.wall())
      try await module.change { ledger in
        for index in ledger.pages.indices where ledger.pages[index].number == number {
          ledger.pages[index].removed = now
        }
      }
      if module.retake == number { module.retake = nil }
      module.allowAgain()
      return try module.session()
    }
    addEdit(DocumentRestoreRequest.self, &methods) { module, request in
      guard let number = Self.number(request.page),
        module.ledger?.pages.contains(where: { $0.number == number && $0.removed != nil }) == true
      else { throw Self.noPage }
      try await module.change { ledger in
        for index in ledger.pages.indices where ledger.pages[index].number == number {
          ledger.pages[index].removed = nil
        }
      }
      return try module.session()
    }
  }

  private func registerEnding(in methods: inout MethodTable) {
    methods.addLater(DocumentSaveRequest.self) { [weak self] request, connection in
      guard let self else { throw ServiceError.stopping }
      try self.check(connection)
      return {
        try await self.inTurn {
          try self.check(connection)
          return try await self.save(request, connection)
        }
      }
    }
    methods.addLater(DocumentDiscardRequest.self) { [weak self] _, connection in
      guard let self else { throw ServiceError.stopping }
      try self.check(connection)
      return {
        try await self.inTurn {
          try self.check(connection)
          try await self.end(.discarded, by: connection)
          return Empty()
        }
      }
    }
    methods.addLater(DocumentEndRequest.self) { [weak self] _, connection in
      guard let self else { throw ServiceError.stopping }
      try self.check(connection)
      return {
        // The pages captured before are written down first.
        try await self.inTurn {
          try self.check(connection)
          self.release(.ended)
          return Empty()
        }
      }
    }
  }

  // MARK: Pages

  nonisolated static let noPage = ServiceError(
    .notFound, "There is no page of this id.", hint: "document.pages lists them.")

  nonisolated static func number(_ id: String) -> Int? { id.hasPrefix("p") ? Int(id.dropFirst()) : nil }

  /// The page of an id.
  func page(_ id: String) throws -> DocumentManifest.Page {
    guard let number = Self.number(id), let page = ledger?.kept.first(where: { $0.number == number }) else {
      throw Self.noPage
    }
    return page
  }

  func session() throws -> DocumentSession {
    guard let described else { throw Self.noSession }
    return described
  }

  /// Changes one page.
  func edit(_ id: String, _ body: (inout DocumentManifest.Page) -> Void) async throws -> DocumentPage {
    let number = try page(id).number
    try await change { ledger in
      for index in ledger.pages.indices where ledger.pages[index].number == number {
        body(&ledger.pages[index])
        ledger.pages[index].revision += 1
      }
    }
    return DocumentPage(try page(id))
  }

  private func adjust(_ request: DocumentAdjustRequest) async throws -> DocumentPage {
    let page = try page(request.page)
    guard let corners = request.corners else {
      return try await edit(request.page) { page in
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
    if request.snap == true, let store {
      let (isolation, number, near) = (self.isolation, page.number, outline)
      let result = try await Self.blocking {
        try isolation.page(try store.picture(number), PageRequest(.place(near: near)))
      }
      if case .place(let place?) = result { (outline, bends) = (place.outline, place.bends) }
    }
    return try await edit(request.page) { page in
      page.outline = outline
      page.bends = bends
    }
  }

  // MARK: Pictures

  private func send(_ request: MediaDocumentRequest, _ incoming: IncomingRequest, _ connection: Connection) throws {
    // One that was taken out can still be looked at, as long as it can be brought back.
    guard let number = Self.number(request.page), let store,
      let page = ledger?.pages.first(where: { $0.number == number })
    else { throw Self.noPage }
    let outlet = connection.carryPictures()
    connection.countInFlight(1)
    let (hub, isolation, scheduler) = (hub, self.isolation, hub.pictures)
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
        guard case .picture(let picture, _) = made else { throw Self.noPage }
        reservation.resize(to: picture.bytes.count)
        let header = MediaHeader(
          id: incoming.id, format: PictureFormat.jpeg.rawValue, width: picture.width, height: picture.height,
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
}

extension DocumentPage {
  /// As the wire tells it.
  init(_ page: DocumentManifest.Page) {
    let shape = page.outline.map { PageShape(outline: $0, width: Double(page.width), height: Double(page.height)) }
    self.init(
      id: DocumentsModule.id(page.number), revision: page.revision, width: page.width, height: page.height,
      corners: page.outline?.corners.map { [$0.x, $0.y] }, format: shape?.format?.rawValue,
      filter: DocumentFilter(page.filter), rotation: page.turns * 90,
      captured: WallClock.timestamp(seconds: page.captured)
    )
  }
}

extension PageFilter {
  /// The filter of the wire.
  init(_ filter: DocumentFilter) {
    self =
      switch filter {
      case .colour: .colour
      case .grayscale: .grayscale
      case .blackAndWhite: .blackAndWhite
      case .photo: .photo
      }
  }
}

extension DocumentFilter {
  /// As the wire calls it.
  init(_ filter: PageFilter) {
    self =
      switch filter {
      case .colour: .colour
      case .grayscale: .grayscale
      case .blackAndWhite: .blackAndWhite
      case .photo: .photo
      }
  }
}
