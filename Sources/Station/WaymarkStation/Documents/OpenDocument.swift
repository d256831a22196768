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

/// The open document of a device: its pages on disk, its owner, and the target of the next capture.
///
/// When the owner leaves, the pages stay for the next owner. Changes are made one after the other, and stored before they are published.
@ServiceActor
final class OpenDocument {
  /// Seconds for which a removed page can be restored.
  nonisolated private static let undoTime = 60

  /// The manifest of the open session. A change is stored before the manifest is replaced here. Nil without a session.
  private(set) var ledger: DocumentManifest?
  /// The files of the pages; nil until `start` has loaded them, and if the folder or its key cannot be used.
  private(set) var store: PageStore?
  /// The number of the connection that holds the session; nil without an owner.
  private(set) var owner: Int?
  var mode = DocumentMode.automatic
  /// The name of the capturing camera; nil for a single camera, and until a session begins.
  var camera: String?
  /// The number of the page that the next capture replaces; nil to add a page.
  var retake: Int?
  private unowned let hub: Hub
  private var settings: DocumentSettings
  private let disk: PageStore.Disk
  private var trouble: ServiceProblem?
  private var tail: Task<Void, Never>?
  private var timer: Scheduled<Void>?
  private var isStopped = false
  /// Called when the session is released or ended, before the event is published.
  var onRelease: @ServiceActor () -> Void = {}

  init(hub: Hub, settings: DocumentSettings, disk: PageStore.Disk) {
    self.hub = hub
    self.settings = settings
    self.disk = disk
  }

  /// The languages of the hidden text in PDFs; nil for no text.
  var textLanguages: [String]? { settings.textLanguages }

  /// Applies new settings. The session expires if it has no owner and was not changed for `keepFor` seconds.
  func use(_ new: DocumentSettings) {
    settings = new
    expire()
  }

  /// Loads the pages that an earlier run has left.
  func start() {
    guard let folder = settings.folder else { return }
    let (keyFile, log, disk, wall) = (settings.keyFile, hub.log.subsystem(.documents), disk, hub.wall)
    Task {
      try? await self.inTurn {
        do {
          let (store, found) = try await Self.blocking {
            let store = PageStore(
              folder: folder, seal: try keyFile.map { try PageSeal(keyFile: $0) }, disk: disk, wall: wall)
            return (store, try store.load())
          }
          self.store = store
          self.ledger = found.ledger
          for warning in found.warnings { log.warning("\(warning)") }
          if let ledger = found.ledger {
            log.notice("pages of an earlier run are kept", metadata: ["pages": "\(ledger.kept.count)"])
          }
        } catch let problem as ServiceProblem {
          self.trouble = problem
          log.error("\(problem.message)", metadata: ["hint": "\(problem.hint)"])
        }
        self.expire()
      }
    }
  }

  func stop() {
    isStopped = true
    timer?.cancel()
    if owner != nil { release(.stopping) }
  }

  // MARK: Changes

  /// Runs work after all work that was passed to this method earlier.
  func inTurn<T: Sendable>(_ work: @escaping @ServiceActor () async throws -> T) async throws -> T {
    let before = tail
    let task = Task { @ServiceActor in
      await before?.value
      return try await work()
    }
    tail = Task { _ = await task.result }
    return try await task.value
  }

  /// Runs blocking work on another thread; a `FileError` is thrown as a `ServiceError`.
  nonisolated static func blocking<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
    do {
      return try await BlockingWork.documents.runIfActive { try work() }
    } catch let error as FileError {
      let code: ServiceError.Code = error.code == .noSpace ? .noSpace : .internalError
      throw ServiceError(code, error.message.hasSuffix(".") ? error.message : error.message + ".", hint: error.hint)
    }
  }

  /// Stores a change, then publishes it.
  ///
  /// - Parameters:
  ///   - picture: the picture of an added page, which is written first.
  ///   - publishes: false if the caller publishes the change.
  @discardableResult
  func change(
    adding picture: (number: Int, bytes: [UInt8])? = nil, publishes: Bool = true,
    _ edit: (inout DocumentManifest) throws -> Void
  ) async throws -> DocumentManifest {
    guard var new = ledger, let store else { throw Self.noSession }
    let now = Int(hub.wall())
    try edit(&new)
    new.changed = now
    // Pages removed in the future expire too: the clock has been set back.
    let dropped = new.pages.filter { $0.removed.map { $0 > now || $0 <= now - Self.undoTime } ?? false }
    new.pages.removeAll { page in dropped.contains { $0.number == page.number } }
    let written = new
    try await Self.blocking {
      do {
        if let picture { try store.add(picture.bytes, picture.number) }
        try store.write(written)
      } catch {
        if let picture { store.remove([picture.number]) }
        throw error
      }
      store.remove(dropped.map(\.number))
    }
    ledger = new
    // The owner may have left meanwhile.
    if owner == nil { expire() }
    if publishes { publishChange() }
    return new
  }

  func publishChange() {
    if let described { hub.publish(DocumentChanged(document: described), camera: camera) }
  }

  // MARK: The session

  nonisolated static let noSession = ServiceError(
    .noSession, "No document session is open, or another client holds it.", hint: "Begin one with document.begin.")

  /// Throws `noSession` if the session has no owner, and `busy` if another client holds it.
  func check(_ connection: Connection) throws {
    guard let owner, ledger != nil else { throw Self.noSession }
    guard owner == connection.number else {
      throw ServiceError(
        .busy, "Another client holds the document session.", hint: "Wait until it is over.", holder: hub.actor(owner))
    }
  }

  /// Makes a connection the owner of the open document, and creates the document if necessary.
  ///
  /// - Throws: `notConfigured` without a folder, `busy` if another client holds the session, `stopping` when the connection or the
  ///   service ends, and `internalError` if the folder could not be read at the start.
  func begin(_ request: DocumentBeginRequest, _ connection: Connection) throws {
    if let trouble { throw ServiceError(.internalError, trouble.message, hint: trouble.hint) }
    guard store != nil else {
      throw ServiceError(
        .notConfigured, "No folder for pages is configured.", hint: "Name one as documents.folder.")
    }
    if let owner, owner != connection.number {
      throw ServiceError(
        .busy, "Another client holds the document session.", hint: "Wait until it is over.", holder: hub.actor(owner))
    }
    guard hub.connections[connection.number] === connection, !isStopped else { throw ServiceError.stopping }
    let filter = request.filter.map(PageFilter.init)
    if ledger == nil {
      let id = "d" + String(UInt64.random(in: .min ... .max), radix: 36)
      let now = Int(hub.wall())
      ledger = DocumentManifest(session: id, changed: now, filter: filter ?? .colour)
    } else if let filter {
      ledger?.filter = filter
    }
    owner = connection.number
    mode = request.mode ?? .automatic
    retake = nil
    timer?.cancel()
  }

  /// Releases the session. Its pages stay.
  func release(_ reason: DocumentEnding) {
    guard let ledger, let holder = owner else { return }
    owner = nil
    retake = nil
    onRelease()
    hub.publish(
      DocumentEnded(session: ledger.session, reason: reason, count: ledger.kept.count, by: hub.actor(holder)),
      camera: camera)
    // A session without pages is not continued.
    if ledger.pages.isEmpty { self.ledger = nil }
    expire()
  }

  /// Ends the session and removes its pages.
  ///
  /// - Throws: `noSession` without a session, or a `ServiceError` if the record cannot be removed.
  func end(_ reason: DocumentEnding, by connection: Connection?) async throws {
    guard let ended = ledger, let store else { throw Self.noSession }
    try await Self.blocking { try store.clear() }
    ledger = nil
    owner = nil
    retake = nil
    onRelease()
    hub.publish(
      DocumentEnded(session: ended.session, reason: reason, count: 0, by: connection?.actor), camera: camera)
  }

  /// Ends a released session `keepFor` seconds after its last change.
  private func expire() {
    timer?.cancel()
    guard let ledger, owner == nil, !isStopped else { return }
    let left = settings.keepFor - (hub.wall() - Double(ledger.changed))
    guard left <= 0 else {
      timer = ServiceActor.schedule(after: min(left + 1, 3600)) { [weak self] in self?.expire() }
      return
    }
    Task {
      try? await self.inTurn {
        guard self.owner == nil, self.ledger?.changed == ledger.changed else { return }
        try await self.end(.expired, by: nil)
      }
    }
  }

  /// The session as operators receive it; nil without one.
  var described: DocumentSession? {
    guard let ledger else { return nil }
    let removed = ledger.pages.filter { $0.removed != nil }.map { Self.id($0.number) }
    return DocumentSession(
      session: ledger.session, mode: mode, filter: DocumentFilter(ledger.filter), count: ledger.kept.count,
      pages: ledger.kept.map(DocumentPage.init), removed: removed.isEmpty ? nil : removed, retake: retake.map(Self.id),
      by: hub.actor(owner), camera: camera)
  }

  // MARK: Pages

  nonisolated static func id(_ number: Int) -> String { "p\(number)" }

  nonisolated static let noPage = ServiceError(
    .notFound, "There is no page of this id.", hint: "document.pages lists them.")

  nonisolated static func number(_ id: String) -> Int? { id.hasPrefix("p") ? Int(id.dropFirst()) : nil }

  /// Returns the page with an id, such as `p3`; throws `notFound` if there is no such page or it is removed.
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

  /// Changes the page with an id, and increases its revision.
  ///
  /// - Throws: `notFound` if there is no such page, or the error of `change`.
  func edit(_ id: String, _ body: (inout DocumentManifest.Page) -> Void) async throws -> DocumentPage {
    try await change(page: try page(id).number) { page in
      body(&page)
      page.revision += 1
    }
    return DocumentPage(try page(id))
  }

  /// Changes the page with a number, and keeps its revision.
  func change(page number: Int, _ body: (inout DocumentManifest.Page) -> Void) async throws {
    try await change { ledger in
      for index in ledger.pages.indices where ledger.pages[index].number == number { body(&ledger.pages[index]) }
    }
  }
}

extension DocumentPage {
  init(_ page: DocumentManifest.Page) {
    let shape = page.outline.map { PageShape(outline: $0, width: Double(page.width), height: Double(page.height)) }
    self.init(
      id: OpenDocument.id(page.number), revision: page.revision, width: page.width, height: page.height,
      corners: page.outline?.corners.map { [$0.x, $0.y] }, format: shape?.format.map(PaperFormat.init),
      filter: DocumentFilter(page.filter), rotation: page.turns * 90,
      captured: WallClock.timestamp(seconds: page.captured)
    )
  }
}

extension PageFilter {
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
