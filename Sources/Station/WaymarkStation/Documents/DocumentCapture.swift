import Foundation
import Logging
import NIOCore
import NIOPosix
import WaymarkDocuments
import WaymarkFrames
import WaymarkImage
import WaymarkProtocol
import WaymarkServer
import WaymarkService
import WaymarkSystem
import WaymarkWorker

/// Captures pages for the open document: owns the lanes that find pages in frames, and the lanes' worker.
@ServiceActor
final class DocumentCapture {
  private unowned let hub: Hub
  private var settings: DocumentSettings
  private let document: OpenDocument
  private let cameras: ByCamera<CaptureModule>
  private let models: PageModels
  /// The lane of each camera with the camera's name; the name is nil if there is only one camera.
  private lazy var lanes: ByCamera<(lane: DocumentLane, camera: String?)> = cameras.map { name, capture in
    (makeLane(maximumRate: settings.rates[name] ?? settings.rate), capture.camera)
  }
  /// The lane of the camera that captures.
  private lazy var lane = lanes.first.lane
  private var task = DocumentTask()
  /// Finds pages in the frames' colours for the lane.
  private let pageWorker: PageWorker
  /// The next check whether the worker is idle.
  private var pageWorkerTimer: Scheduled<Void>?
  private var isStopped = false

  /// Adds a lane to the pipeline of each camera.
  init(
    hub: Hub, cameras: ByCamera<CaptureModule>, settings: DocumentSettings, models: PageModels, document: OpenDocument
  ) {
    self.hub = hub
    self.settings = settings
    self.document = document
    self.cameras = cameras
    self.models = models
    pageWorker = cameras.first.isolation.pageWorker()
    for (capture, part) in zip(cameras.all, lanes.all) { capture.pipeline.add(part.lane) }
    document.onRelease = { [weak self] in self?.review() }
  }

  private func makeLane(maximumRate: Double?) -> DocumentLane {
    let pageWorker = pageWorker
    return .documents(
      models, maximumRate: maximumRate,
      colours: PageColours(
        find: { picture, near in picture().flatMap { pageWorker.place($0, near: near, now: MonotonicClock.now) } },
        settle: { pageWorker.settle($0, near: $1, now: MonotonicClock.now) })
    ) { [weak self] reading, frame in
      let reference = FrameReference(frame)
      ServiceActor.execute { self?.handleReading(reading, reference) }
    }
  }

  func stop() {
    isStopped = true
    pageWorkerTimer?.cancel()
  }

  // MARK: The task of the lane

  /// Begins a session with the requested camera, or continues the open document.
  ///
  /// - Throws: a `ServiceError` if there is no such camera, or the errors of `OpenDocument.begin`.
  func begin(_ request: DocumentBeginRequest, _ connection: Connection) throws -> DocumentSession {
    let (chosen, camera) = try lanes.part(of: request.camera)
    try document.begin(request, connection)
    document.camera = camera
    if chosen !== lane {
      lane.setEnabled(false)
      lane.forget()
      lane = chosen
    }
    task = DocumentTask(generation: task.generation + 1, isAutomatic: document.mode == .automatic)
    review()
    document.publishChange()
    return try document.session()
  }

  /// Applies new limits, such as the largest frame rates.
  func use(_ new: DocumentSettings) {
    settings = new
    for (name, part) in lanes.parts { part.lane.setMaximumRate(new.rates[name] ?? new.rate) }
  }

  /// Applies the document's mode and owner to the lane: its task, and whether it is enabled.
  func review() {
    task.isAutomatic = document.mode == .automatic
    lane.settings = task
    lane.setEnabled(document.owner != nil && document.mode != .paused)
    if document.owner != nil { watchPageWorker() } else { lane.forget() }
  }

  /// Ends the worker once it is idle.
  private func watchPageWorker(after seconds: Double = PageWorker.idleTime) {
    guard pageWorkerTimer == nil, !isStopped else { return }
    pageWorkerTimer = ServiceActor.schedule(after: seconds) { [weak self] in
      guard let self else { return }
      self.pageWorkerTimer = nil
      if let left = self.pageWorker.rest(now: MonotonicClock.now) {
        self.watchPageWorker(after: max(left, 0.1))
      } else if self.document.owner != nil, self.document.mode != .paused {
        self.watchPageWorker()
      }
    }
  }

  /// Captures the next frame, with or without a page in it.
  ///
  /// - Throws: `wrongPhase` while capturing is paused.
  func pressShutter() throws {
    guard document.mode != .paused else {
      throw ServiceError(.wrongPhase, "Capturing is paused.", hint: "Call document.mode to resume.")
    }
    task.shots += 1
    review()
  }

  /// Allows the page in view to be captured again.
  func allowAgain() {
    task.retakes += 1
    review()
  }

  // MARK: Frames

  private func handleReading(_ reading: DocumentReading, _ reference: FrameReference) {
    guard let session = document.ledger?.session, document.owner != nil, reading.generation == task.generation else {
      return
    }
    if hub.isWanted(DocumentOutline.event) {
      let isSearching = reading.phase == .searching
      hub.publish(
        DocumentOutline(
          session: session, phase: reading.phase,
          corners: reading.outline?.corners.map { [$0.x, $0.y] }, score: isSearching ? nil : reading.score,
          progress: reading.phase == .holding ? reading.progress : nil,
          advice: reading.advice), camera: document.camera,
        frame: reference)
    }
    if reading.hasFailed {
      fail(session, .badPicture, "The frame could not be encoded as a picture.", hint: "Press the shutter again.")
    }
    guard let shot = reading.shot else { return }
    Task {
      try? await self.document.inTurn {
        guard self.document.ledger?.session == session else { return }
        await self.keep(shot)
      }
    }
  }

  private func fail(_ session: String, _ code: DocumentFault, _ message: String, hint: String) {
    hub.publish(
      DocumentFailed(session: session, code: code, message: message, hint: hint), camera: document.camera)
  }

  /// Stores a captured page and publishes it.
  private func keep(_ shot: PageShot) async {
    guard let ledger = document.ledger else { return }
    let session = ledger.session
    guard ledger.kept.count < settings.pageLimit || document.retake != nil else {
      return fail(
        session, .tooManyPages, "The document has \(settings.pageLimit) pages already.",
        hint: "Save them, then begin another document.")
    }
    guard ledger.bytes + shot.picture.count <= settings.byteLimit else {
      return fail(
        session, .noSpace, "The pages take \(settings.byteLimit >> 20) MiB already.",
        hint: "Save them, then begin another document.")
    }
    do {
      var page: DocumentManifest.Page?
      let number = ledger.nextNumber
      let replaced = document.retake
      try await document.change(adding: (number, shot.picture), publishes: false) { ledger in
        var new = DocumentManifest.Page(
          number: ledger.takeNumber(), width: shot.width, height: shot.height, outline: shot.outline, bends: shot.bends,
          filter: ledger.filter, captured: Int(hub.wall()),
          bytes: shot.picture.count)
        if let replaced, let index = ledger.pages.firstIndex(where: { $0.number == replaced && $0.removed == nil }) {
          new.filter = ledger.pages[index].filter
          ledger.pages[index].removed = ledger.changed
          ledger.pages.insert(new, at: index)
        } else {
          ledger.pages.append(new)
        }
        page = new
      }
      if document.retake == replaced { document.retake = nil }
      hub.publish(
        DocumentCaptured(
          session: session, page: page.map(DocumentPage.init), count: self.document.ledger?.kept.count ?? 0,
          automatic: shot.isAutomatic, replaced: replaced == nil ? nil : true,
          others: shot.others.isEmpty ? nil : shot.others.map { $0.corners.map { [$0.x, $0.y] } }),
        camera: document.camera)
      document.publishChange()
    } catch {
      let known = error as? ServiceError
      fail(
        session, known?.code == .noSpace ? .noSpace : .notWritten, known?.message ?? "The page could not be stored.",
        hint: known?.hint ?? "See the service's log.")
      // The page was not stored, so it may be captured again.
      allowAgain()
    }
  }
}
