import Foundation
import Logging
import NIOCore
import NIOPosix
package import WaymarkDocuments
import WaymarkFrames
import WaymarkGeometry
import WaymarkImage
import WaymarkPipeline
package import WaymarkProtocol
package import WaymarkServer
import WaymarkSystem
import WaymarkWorker

/// `document.*` and `media.document`: pages are looked for, captured, written down, put right and saved.
///
/// One session a device. Who began it holds it; when its client leaves, its pages stay for the next one. Every change is on the disk
/// before anybody is told of it, and changes are worked on one after the other.
@ServiceActor
package final class DocumentsModule: ServiceModule {
  /// Where pages are kept and go, and how many.
  package struct Settings: Hashable, Sendable {
    /// Where pages are kept until they are saved; nil: there is no such place.
    package var folder: String?
    /// Where they are saved.
    package var output: String?
    /// A file of 32 bytes by which pages are sealed until they are saved.
    package var keyFile: String?
    package var pageLimit = 100
    /// Bytes of all pictures of a session.
    package var byteLimit = 1 << 30
    /// Seconds after the last change for which pages of nobody are kept.
    var keepFor = 86_400.0
    /// Frames a second that are looked at, at most.
    package var rate: Double?

    package init() {}
  }

  unowned let hub: Hub
  private(set) var settings: Settings
  /// The manifest on disk; nil: there is no session.
  private(set) var ledger: DocumentManifest?
  var mode = DocumentMode.automatic
  /// The connection that holds the session.
  private(set) var owner: Int?
  /// The page whose place the next capture takes.
  var retake: Int?
  let isolation: Isolation
  private let capture: CaptureModule
  private let disk: PageStore.Disk
  private let lane: DocumentLane
  private var task = DocumentTask()
  /// Nil until `start`, and where the folder or its key cannot be used.
  private(set) var store: PageStore?
  private var trouble: ServiceProblem?
  private var tail: Task<Void, Never>?
  private var timer: Scheduled<Void>?
  /// Looks at frames' colours for the lane.
  private let pageWorker: PageWorker
  /// When the desk's worker is looked at, whether it is still needed.
  private var pageWorkerTimer: Scheduled<Void>?
  private var isStopped = false
  /// Seconds for which a page that was taken out can be brought back.
  nonisolated static let undoTime = 60

  /// The module of `hub`, with a lane in the pipeline of `capture`.
  package convenience init(hub: Hub, capture: CaptureModule, settings: Settings, models: PageModels) {
    self.init(hub: hub, capture: capture, settings: settings, models: models, disk: PageStore.Disk())
  }

  /// The same on a disk that is told.
  init(hub: Hub, capture: CaptureModule, settings: Settings, models: PageModels, disk: PageStore.Disk) {
    self.disk = disk
    self.hub = hub
    self.capture = capture
    isolation = capture.isolation
    self.settings = settings
    let relay = WeakReference<DocumentsModule>()
    let pageWorker = isolation.pageWorker()
    self.pageWorker = pageWorker
    lane = .documents(
      models, maximumRate: settings.rate,
      colours: PageColours(
        find: { picture, near in
          picture().flatMap { PageColours.Place(pageWorker.place($0, near: near, now: MonotonicClock.now)) }
        },
        settle: { PageColours.Place(pageWorker.settle($0, near: $1, now: MonotonicClock.now)) })
    ) { reading, frame in
      let reference = FrameReference(frame)
      ServiceActor.execute { relay.object?.handleReading(reading, reference) }
    }
    relay.object = self
    capture.pipeline.add(lane)
  }

  package var features: [String] { settings.folder == nil ? [] : ["documents"] }

  package func contribute(to snapshot: inout Snapshot) { snapshot.document = described }

  /// Begins: reads what a run before has left.
  package func start() {
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

  package func stop() {
    isStopped = true
    timer?.cancel()
    pageWorkerTimer?.cancel()
    if owner != nil { release(.stopping) }
  }

  package func connectionClosed(_ connection: Connection) {
    if owner == connection.number { release(.disconnected) }
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
    if let described { hub.publish(DocumentChanged(document: described)) }
  }

  // MARK: The session

  nonisolated static let noSession = ServiceError(
    .noSession, "No document session is open, or another client holds it.", hint: "Begin one with document.begin.")

  /// Refuses a request of a client that does not hold the session.
  func check(_ connection: Connection) throws {
    guard let owner, ledger != nil else { throw Self.noSession }
    guard owner == connection.number else {
      throw ServiceError(
        .busy, "Another client holds the document session.", hint: "Wait until it is over.", holder: actor(owner))
    }
  }

  /// Begins a session, or takes over the pages of the one before.
  func begin(_ request: DocumentBeginRequest, _ connection: Connection) async throws -> DocumentSession {
    if let trouble { throw ServiceError(.internalError, trouble.message, hint: trouble.hint) }
    guard store != nil else {
      throw ServiceError(
        .notConfigured, "No folder for pages is configured.", hint: "Name one as documents.folder.")
    }
    if let owner, owner != connection.number {
      throw ServiceError(
        .busy, "Another client holds the document session.", hint: "Wait until it is over.", holder: actor(owner))
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
    task = DocumentTask(generation: task.generation + 1, isAutomatic: mode == .automatic)
    review()
    publishChange()
    guard let described else { throw Self.noSession }
    return described
  }

  /// Nobody holds it any more; its pages stay.
  func release(_ reason: DocumentEnding) {
    guard let ledger, let holder = owner else { return }
    owner = nil
    retake = nil
    review()
    hub.publish(
      DocumentEnded(session: ledger.session, reason: reason, count: ledger.kept.count, by: actor(holder)))
    // One without pages is nothing to come back to.
    if ledger.pages.isEmpty { self.ledger = nil }
    expire()
  }

  /// Other limits hold from now on; where pages are kept and go, a restart alone changes.
  package func use(_ new: Settings) {
    settings.pageLimit = new.pageLimit
    settings.byteLimit = new.byteLimit
    settings.keepFor = new.keepFor
    settings.rate = new.rate
    lane.setMaximumRate(new.rate)
    expire()
  }

  /// The session is over: nothing is left of it.
  func end(_ reason: DocumentEnding, by connection: Connection?) async throws {
    guard let ended = ledger, let store else { throw Self.noSession }
    try await Self.blocking { try store.clear() }
    ledger = nil
    owner = nil
    retake = nil
    review()
    hub.publish(DocumentEnded(session: ended.session, reason: reason, count: 0, by: connection?.actor))
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

  /// Has the lane look for what is wanted now.
  func review() {
    task.isAutomatic = mode == .automatic
    lane.settings = task
    lane.setEnabled(owner != nil && mode != .paused)
    if owner != nil { watchPageWorker() } else { lane.forget() }
  }

  /// Ends the worker that looks at frames' colours when no frame needed it for a while.
  private func watchPageWorker(after seconds: Double = PageWorker.idleTime) {
    guard pageWorkerTimer == nil, !isStopped else { return }
    pageWorkerTimer = ServiceActor.schedule(after: seconds) { [weak self] in
      guard let self else { return }
      self.pageWorkerTimer = nil
      if let left = self.pageWorker.rest(now: MonotonicClock.now) {
        self.watchPageWorker(after: max(left, 0.1))
      } else if self.owner != nil, self.mode != .paused {
        self.watchPageWorker()
      }
    }
  }

  /// Presses the shutter.
  func pressShutter() throws {
    guard mode != .paused else {
      throw ServiceError(.wrongPhase, "Capturing is paused.", hint: "Call document.mode to resume.")
    }
    task.shots += 1
    review()
  }

  /// Lets the page in view be captured once more.
  func allowAgain() {
    task.retakes += 1
    review()
  }

  /// The session as operators see it.
  var described: DocumentSession? {
    guard let ledger else { return nil }
    let removed = ledger.pages.filter { $0.removed != nil }.map { Self.id($0.number) }
    return DocumentSession(
      session: ledger.session, mode: mode, filter: DocumentFilter(ledger.filter), count: ledger.kept.count,
      pages: ledger.kept.map(DocumentPage.init), removed: removed.isEmpty ? nil : removed, retake: retake.map(Self.id),
      by: actor(owner))
  }

  /// Returns the client behind a connection.
  func actor(_ owner: Int?) -> Actor? {
    owner.map { number in Actor(client: number, user: hub.connections[number].map { Int($0.peer.user) }) }
  }

  nonisolated static func id(_ number: Int) -> String { "p\(number)" }

  // MARK: Frames

  private func handleReading(_ reading: DocumentReading, _ reference: FrameReference) {
    guard let session = ledger?.session, owner != nil, reading.generation == task.generation else { return }
    if hub.isWanted(DocumentOutline.event) {
      let isSearching = reading.phase == .searching
      hub.publish(
        DocumentOutline(
          session: session, phase: DocumentPhase(rawValue: reading.phase.rawValue) ?? .searching,
          corners: reading.outline?.corners.map { [$0.x, $0.y] }, score: isSearching ? nil : reading.score,
          progress: reading.phase == .holding ? reading.progress : nil,
          advice: reading.advice.map { DocumentAdvice(rawValue: $0.rawValue) }), frame: reference)
    }
    if reading.hasFailed {
      fail(session, "badPicture", "The frame could not be encoded as a picture.", hint: "Press the shutter again.")
    }
    guard let shot = reading.shot else { return }
    Task {
      try? await self.inTurn {
        guard self.ledger?.session == session else { return }
        await self.keep(shot)
      }
    }
  }
}

extension PageColours.Place {
  /// As the worker tells it.
  fileprivate init?(_ location: PageLocation?) {
    guard let location else { return nil }
    self.init(
      outline: location.outline, bends: location.bends, score: location.score,
      size: (location.width, location.height))
  }
}
