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

/// Captures pages for the open document: the lane that looks for them, its worker, and what becomes of what it saw.
@ServiceActor
final class DocumentCapture {
  private unowned let hub: Hub
  private var settings: DocumentSettings
  private let document: OpenDocument
  /// The lane of each camera, and the name that events of it carry.
  private let lanes: ByCamera<(lane: DocumentLane, camera: String?)>
  /// The lane of the camera that captures.
  private var lane: DocumentLane
  private var task = DocumentTask()
  /// Looks at frames' colours for the lane.
  private let pageWorker: PageWorker
  /// When the worker is looked at, whether it is still needed.
  private var pageWorkerTimer: Scheduled<Void>?
  private var isStopped = false

  /// Adds a lane to the pipeline of each camera.
  init(
    hub: Hub, cameras: ByCamera<CaptureModule>, settings: DocumentSettings, models: PageModels, document: OpenDocument
  ) {
    self.hub = hub
    self.settings = settings
    self.document = document
    let relay = WeakReference<DocumentCapture>()
    let pageWorker = cameras.first.isolation.pageWorker()
    self.pageWorker = pageWorker
    lanes = cameras.map { name, capture in
      let lane = DocumentLane.documents(
        models, maximumRate: settings.rates[name] ?? settings.rate,
        colours: PageColours(
          find: { picture, near in
            picture().flatMap { PageColours.Place(pageWorker.place($0, near: near, now: MonotonicClock.now)) }
          },
          settle: { PageColours.Place(pageWorker.settle($0, near: $1, now: MonotonicClock.now)) })
      ) { reading, frame in
        let reference = FrameReference(frame)
        ServiceActor.execute { relay.object?.handleReading(reading, reference) }
      }
      capture.pipeline.add(lane)
      return (lane, capture.camera)
    }
    lane = lanes.first.lane
    relay.object = self
  }

  func stop() {
    isStopped = true
    pageWorkerTimer?.cancel()
  }

  // MARK: What the lane looks for

  /// Begins a session, or takes over the pages of the one before.
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

  /// Other limits hold from now on.
  func use(_ new: DocumentSettings) {
    settings = new
    for (name, part) in lanes.parts { part.lane.setMaximumRate(new.rates[name] ?? new.rate) }
  }

  /// Has the lane look for what is wanted now.
  func review() {
    task.isAutomatic = document.mode == .automatic
    lane.settings = task
    lane.setEnabled(document.owner != nil && document.mode != .paused)
    if document.owner != nil { watchPageWorker() } else { lane.forget() }
  }

  /// Ends the worker that looks at frames' colours when no frame needed it for a while.
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

  /// Presses the shutter.
  func pressShutter() throws {
    guard document.mode != .paused else {
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

  // MARK: Frames

  private func handleReading(_ reading: DocumentReading, _ reference: FrameReference) {
    guard let session = document.ledger?.session, document.owner != nil, reading.generation == task.generation else {
      return
    }
    if hub.isWanted(DocumentOutline.event) {
      let isSearching = reading.phase == .searching
      hub.publish(
        DocumentOutline(
          session: session, phase: DocumentPhase(reading.phase),
          corners: reading.outline?.corners.map { [$0.x, $0.y] }, score: isSearching ? nil : reading.score,
          progress: reading.phase == .holding ? reading.progress : nil,
          advice: reading.advice.map(DocumentAdvice.init)), camera: document.camera,
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

  /// Writes a captured page down and tells it.
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
      try await document.change(adding: (number, shot.picture), tells: false) { ledger in
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
      let told = error as? ServiceError
      fail(
        session, told?.code == .noSpace ? .noSpace : .notWritten, told?.message ?? "The page could not be stored.",
        hint: told?.hint ?? "See the service's log.")
      // It was not kept, so that it is not a page that was captured.
      allowAgain()
    }
  }
}

extension PageColours.Place {
  /// As the worker tells it.
  fileprivate init?(_ location: PageLocation?) {
    guard let location else { return nil }
    self.init(
      outline: location.outline, bends: location.bends, score: location.score, others: location.others,
      size: (location.width, location.height))
  }
}
