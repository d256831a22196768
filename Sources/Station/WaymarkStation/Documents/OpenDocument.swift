import Foundation
import Logging
import NIOCore
import NIOPosix
import WaymarkDocuments
import WaymarkProtocol
import WaymarkServer
import WaymarkService
import WaymarkSystem
import WaymarkWorker

/// The document that is being made: its pages on the disk, who holds it, and what the next capture is for.
///
/// One a device. When the client that holds it leaves, its pages stay for the next one. Every change is on the disk before anybody is
/// told of it, and changes are worked on one after the other.
@ServiceActor
final class OpenDocument {
  /// Seconds for which a page that was taken out can be brought back.
  nonisolated private static let undoTime = 60

  /// The manifest on disk; nil: there is no session.
  private(set) var ledger: DocumentManifest?
  /// Nil until `start`, and where the folder or its key cannot be used.
  private(set) var store: PageStore?
  /// The connection that holds the session.
  private(set) var owner: Int?
  var mode = DocumentMode.automatic
  /// The camera that captures, where there are several; nil until a client of this run began.
  var camera: String?
  /// The page whose place the next capture takes.
  var retake: Int?
  private unowned let hub: Hub
  private var settings: DocumentSettings
  private let disk: PageStore.Disk
  private var trouble: ServiceProblem?
  private var tail: Task<Void, Never>?
  private var timer: Scheduled<Void>?
  private var isStopped = false
  /// Called when nobody holds the session any more, before it is told.
  private let onRelease: @ServiceActor () -> Void

  init(
    hub: Hub, settings: DocumentSettings, disk: PageStore.Disk, onRelease: @escaping @ServiceActor () -> Void
  ) {
    self.hub = hub
    self.settings = settings
    self.disk = disk
    self.onRelease = onRelease
  }

  /// The languages of the text that a PDF holds unseen; nil: it holds none.
  var textLanguages: [String]? { settings.textLanguages }

  /// Other limits hold from now on.
  func use(_ new: DocumentSettings) {
    settings = new
    expire()
  }

  /// Reads what a run before has left.
  func start() {
    guard let folder = settings.folder else { return }
    let (keyFile, log, disk, wall) = (settings.keyFile, hub.log.subsystem(.documents), disk, hub.wall)
    Task {
      try? await self.inTurn {
        do {
          let (store, found) = try await Self.blocking {
            let store = PageStore(
              folder: folder, key: try keyFile.map { try PageStore.key($0) }, disk: disk, wall: wall)
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

  // MARK: One after the other

  /// Does something when all that was asked for before is done.
  func inTurn<T: Sendable>(_ work: @escaping @ServiceActor () async throws -> T) async throws -> T {
    let before = tail
    let task = Task { @ServiceActor in
      await before?.value
      return try await work()
    }
    tail = Task { _ = await task.result }
    return try await task.value
  }

  /// Does what blocks.
  nonisolated static func blocking<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
    do {
      return try await BlockingWork.documents.runIfActive { try work() }
    } catch let error as FileError {
      let code: ServiceError.Code = error.code == .noSpace ? .noSpace : .internalError
      throw ServiceError(code, error.message.hasSuffix(".") ? error.message : error.message + ".", hint: error.hint)
    }
  }

  /// Writes a change down, then tells it.
  ///
  /// - Parameter picture: of a page that the change adds: it is written first.
  @discardableResult
  func change(
    adding picture: (number: Int, bytes: [UInt8])? = nil, tells: Bool = true,
    _ edit: (inout DocumentManifest) throws -> Void
  ) async throws -> DocumentManifest {
    guard var new = ledger, let store else { throw Self.noSession }
    let now = Int(hub.wall())
    try edit(&new)
    new.changed = now
    // Clocks are put back, and a record may hold any number.
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
    // Its client may have left meanwhile.
    if owner == nil { expire() }
    if tells { publishChange() }
    return new
  }

  func publishChange() {
    if let described { hub.publish(DocumentChanged(document: described), camera: camera) }
  }

  // MARK: The session

  nonisolated static let noSession = ServiceError(
    .noSession, "No document session is open, or another client holds it.", hint: "Begin one with document.begin.")

  /// Refuses a request of a client that does not hold the session.
  func check(_ connection: Connection) throws {
    guard let owner, ledger != nil else { throw Self.noSession }
    guard owner == connection.number else {
      throw ServiceError(
        .busy, "Another client holds the document session.", hint: "Wait until it is over.", holder: hub.actor(owner))
    }
  }

  /// Begins a session, or takes over the pages of the one before.
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

  /// Nobody holds it any more; its pages stay.
  func release(_ reason: DocumentEnding) {
    guard let ledger, let holder = owner else { return }
    owner = nil
    retake = nil
    onRelease()
    hub.publish(
      DocumentEnded(session: ledger.session, reason: reason, count: ledger.kept.count, by: hub.actor(holder)),
      camera: camera)
    // One without pages is nothing to come back to.
    if ledger.pages.isEmpty { self.ledger = nil }
    expire()
  }

  /// The session is over: nothing is left of it.
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

  /// Sees to it that pages of nobody are kept no longer than configured.
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

  /// The session as operators see it.
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
}
