package import FoundationEssentials
import Logging
import NIOCore
import NIOPosix
import WaymarkBarcodes
import WaymarkFrames
import WaymarkImage
import WaymarkOnboarding
package import WaymarkProtocol
package import WaymarkServer
import WaymarkSystem
import WaymarkWorker

/// Serves `scan.*` and `gallery.scan`: passes frames to the armed scan and publishes its effects.
///
/// `LiveScan` makes the decisions; this module adds the clock, the frames, and the translation to the protocol.
@ServiceActor
package final class ScanModule: ServiceModule {
  /// A consumer of the read codes other than the armed scan.
  enum Reader: Hashable {
    case followers
    /// A scene with codes among its anchors.
    case scene
  }

  /// The newest codes that the lane has read, for the followers of codes and for the scene.
  let (followedCodes, sceneCodes) = (CodeMailbox(), CodeMailbox())
  package private(set) var rules: ScanRules
  /// Returns whether another module claims a code, given its text. The armed scan then ignores the code.
  var isForOthers: @ServiceActor (String) -> Bool = { _ in false }
  private unowned let hub: Hub
  private var machine: LiveScan
  private let capture: CaptureModule
  private lazy var lane = makeLane()
  private var publisher: ScanPublisher
  private let confirmations: ConfirmationWriter
  private var outcomes = AwaitedOutcomes()
  /// The prefix of the ids of the scans; empty for the first camera.
  private let idPrefix: String
  private(set) lazy var stills = StillScans(
    hub: hub, isolation: capture.isolation, idPrefix: idPrefix, camera: capture.camera,
    rules: { [unowned self] in self.rules },
    arm: { [unowned self] in try self.arm($0, $1) })
  /// The symbologies that each reader requested.
  private var requested: [Reader: Set<Symbology>] = [:]
  private var deadline: Scheduled<Void>?
  private var progress: Scheduled<Void>?
  private var lastStatus: ScannerStatus
  /// The source of the accepted code that waits for its confirmation.
  private var acceptedSource = ScanSource.camera
  /// The id of the scan that was armed for a picture, and the picture's id in the gallery; nil if the scan reads frames of the
  /// camera.
  private var picture: (scan: String, id: String?)?

  /// Adds a lane that reads codes to the pipeline of `capture`.
  ///
  /// - Parameter further: the name of a further camera, which prefixes the ids of its scans; nil for the first camera.
  package init(hub: Hub, capture: CaptureModule, rules: ScanRules, further: String? = nil) {
    self.hub = hub
    self.capture = capture
    self.rules = rules
    idPrefix = further.map { $0 + "." } ?? ""
    machine = LiveScan(settings: rules.settings, idPrefix: idPrefix)
    publisher = ScanPublisher(hub: hub, camera: capture.camera)
    confirmations = ConfirmationWriter(log: hub.log.subsystem(.scan))
    lastStatus = ScannerStatus(status: .idle)
    capture.pipeline.add(lane)
    capture.onStatus.append { [weak self] _ in self?.publishStatus() }
  }

  private func makeLane() -> BarcodeLane {
    let (isolation, followedCodes, sceneCodes) = (capture.isolation, followedCodes, sceneCodes)
    return .barcodes(maximumRate: rules.rate, makeReading: { isolation.codeReading(stages: $0) }) {
      [weak self] reading, frame in
      followedCodes.put(reading.symbols, frame)
      sceneCodes.put(reading.symbols, frame)
      let reference = FrameReference(frame)
      ServiceActor.execute { self?.handleReading(reading, in: reference) }
    }
  }

  /// Returns the name of the further camera in the id of a scan; nil for a scan of the first camera.
  static func camera(ofScan id: String) -> String? { id.lastIndex(of: ".").map { String(id[..<$0]) } }

  /// Starts the module, and arms a scan if `scan.autoBegin` is set.
  package func start() { apply(machine.handle(.tick, at: MonotonicClock.now)) }

  /// Applies other rules from now on; the armed scan continues.
  package func use(_ rules: ScanRules) {
    self.rules = rules
    lane.setMaximumRate(rules.rate)
    apply(machine.handle(.configure(rules.settings), at: MonotonicClock.now))
  }

  package func trigger(_ mode: ScanMode) { apply(machine.handle(.trigger(mode), at: MonotonicClock.now)) }

  package func stop() {
    deadline?.cancel()
    progress?.cancel()
    apply(machine.handle(.stop, at: MonotonicClock.now))
  }

  package func connectionClosed(_ connection: Connection) {
    apply(machine.handle(.left(connection.number), at: MonotonicClock.now))
  }

  package func contribute(to snapshot: inout Snapshot) {
    snapshot.scanner = status
    snapshot.scan = armed
  }

  package func contribute(to status: inout StatusResult) {
    status.scanner = self.status
    status.scan = armed
  }

  // MARK: Requests

  package func register(in methods: inout MethodTable) {
    methods.add(ScanBeginRequest.self) { [self] request, connection in
      try perform(.begin(try ScanWire.request(request, of: connection.number)))
      return ScanBeginResult(scan: machine.scan?.id ?? "")
    }
    methods.add(ScanCancelRequest.self) { [self] request, connection in
      try perform(.cancel(scan: request.scan, by: connection.number))
      return Empty()
    }
    methods.addLater(ScanConfirmRequest.self) { [self] request, connection in
      try perform(
        .confirm(scan: request.scan, by: connection.number, judge: judge(of: acceptedSource), date: hub.date))
      // Taken before the reply is prepared: the write may have ended by then.
      let recording = confirmations.take()
      return {
        try await ConfirmationWriter.written(recording)
        return Empty()
      }
    }
    methods.add(OnboardingOutcomeRequest.self) { [self] request, connection in
      let outcome = try outcomes.take(request, at: MonotonicClock.now, by: connection.actor)
      hub.log.subsystem(.scan).info(
        "an onboarding ended", metadata: ["scan": "\(request.scan)", "outcome": "\(request.outcome.rawValue)"])
      hub.publish(outcome, camera: capture.camera)
      return Empty()
    }
    methods.addLater(GalleryScanRequest.self) { [self] request, connection in
      { try await self.stills.scanPicture(request, connection) }
    }
    methods.addUpload(ScanPictureRequest.self, largest: ScanPictureRequest.largest) {
      [self] request, body, connection in
      guard let body else {
        throw ServiceError(
          .badParams, "size must be between 1 and \(ScanPictureRequest.largest) bytes.",
          hint: "Send the bytes of a picture file.")
      }
      return { try await self.stills.scanUpload(request, body, connection) }
    }
  }

  /// Passes a client's request to the scan; throws the error if it is refused.
  private func perform(_ input: LiveScan.Input) throws {
    let effects = machine.handle(input, at: MonotonicClock.now)
    apply(effects)
    for case .refused(let refusal) in effects { throw ScanWire.error(refusal, client: hub.actor) }
  }

  /// Arms a scan for an accepted picture and passes the picture to it as a frame, so that the code waits for its confirmation.
  private func arm(_ still: StillScans.Accepted, _ connection: Connection) throws -> GalleryScanResult {
    // A client that disconnected while the picture was read would hold the scanner for ever.
    guard hub.connections[connection.number] === connection else {
      throw ServiceError(.badPicture, "The client disconnected.", hint: "Send the picture again.")
    }
    let now = MonotonicClock.now
    let wanted = LiveScan.Request(
      owner: connection.number, mode: .onboarding, symbologies: still.symbologies, context: still.context)
    var effects = machine.handle(.begin(wanted), at: now)
    for case .refused(let refusal) in effects { throw ScanWire.error(refusal, client: hub.actor) }
    if let scan = machine.scan?.id { picture = (scan, still.picture) }
    let look = LiveScan.Observation(
      reading: still.reading, size: still.size, captured: now, date: hub.date, judge: rules.judge)
    // Linear codes are accepted only after two frames agree, so the same picture is passed twice.
    for _ in 0..<2 where machine.demand != nil { effects += machine.handle(.frame(look), at: now) }
    apply(effects)
    guard let pending = machine.pending else {
      throw ServiceError(.internalError, "The picture could not be processed.", hint: "See the service's log.")
    }
    return GalleryScanResult(
      scan: pending.scan.id, outcome: .successful,
      successful: [publisher.successful(pending.scan, pending.success, view(pending.scan))])
  }

  // MARK: Frames

  /// Sets the symbologies that are read for a reader, in addition to the symbologies of the armed scan.
  func read(_ symbologies: Set<Symbology>, for reader: Reader) {
    guard symbologies != requested[reader] ?? [] else { return }
    requested[reader] = symbologies
    fitLane()
  }

  private var forOthers: Set<Symbology> { requested.values.reduce(into: []) { $0.formUnion($1) } }

  private func fitLane() {
    let wanted = forOthers.union(machine.demand ?? [])
    if !wanted.isEmpty { lane.settings = .live(wanted) }
    lane.setEnabled(!wanted.isEmpty)
  }

  private func handleReading(_ reading: ScanReading, in frame: FrameReference) {
    guard let demand = machine.demand else { return }
    var reading = reading
    // Codes that only the readers requested are removed before the armed scan takes the reading.
    if !forOthers.isSubset(of: demand) { reading.symbols.removeAll { !demand.contains($0.symbology) } }
    reading.symbols.removeAll { $0.part == nil && isForOthers($0.text) }
    reading.incomplete.removeAll { !demand.contains($0.symbology) }
    let look = LiveScan.Observation(
      reading: reading, size: PictureSize(width: frame.width, height: frame.height), captured: frame.captured,
      date: hub.date, judge: judge(of: frame.source))
    apply(machine.handle(.frame(look), at: MonotonicClock.now), frame)
  }

  private func judge(of source: ScanSource) -> OnboardingJudge {
    var judge = rules.judge
    judge.trustsSource = rules.acceptsPlayedFrames || source == .camera || source == .picture
    return judge
  }

  // MARK: Effects

  /// Sets the handler of confirmed onboarding codes.
  package func onConfirmed(_ handler: @escaping @ServiceActor (ScanSuccessful) -> Void) {
    publisher.onConfirmed = handler
  }

  /// Returns whether observers may see the text of a code that was not judged.
  func isHarmless(_ symbol: Symbol) -> Bool {
    ScanWire.isHarmless(.init(symbol: symbol, verdict: nil), rules.judge.policy)
  }

  /// Returns the source and frame for the events of `scan`: the picture for which the scan was armed; otherwise `frame` and its
  /// source, or the current source without a frame.
  private func view(_ scan: LiveScan.Scan, _ frame: FrameReference? = nil) -> ScanPublisher.View {
    let isOfPicture = picture?.scan == scan.id
    return ScanPublisher.View(
      frame: frame, source: isOfPicture ? .picture : frame?.source ?? ScanSource(capture.pipeline.source.origin),
      picture: isOfPicture ? picture?.id : nil, policy: rules.judge.policy)
  }

  private func apply(_ effects: [LiveScan.Effect], _ frame: FrameReference? = nil) {
    var isChanged = false
    for effect in effects {
      switch effect {
      case .began(let scan):
        hub.log.subsystem(.scan).debug(
          "a scan is armed", metadata: ["scan": "\(scan.id)", "mode": "\(scan.request.mode.rawValue)"])
      case .refused: break
      case .changed: isChanged = true
      case .record(let entry):
        confirmations.write(entry, to: rules.replayGuard) { [weak self] isFirst in
          guard let self else { return }
          self.apply(self.machine.handle(.recorded(isFirst), at: MonotonicClock.now))
        }
      case .notRecorded(let scan):
        hub.log.subsystem(.scan).error("a confirmation could not be saved", metadata: ["scan": "\(scan.id)"])
      case .successful(let scan, _):
        acceptedSource = view(scan, frame).source
        publisher.publish(effect, view(scan, frame))
      case .confirmed(let scan, _, _):
        if scan.request.mode == .onboarding {
          outcomes.confirmed(scan.id, scan.request.context, at: MonotonicClock.now)
        }
        publisher.publish(effect, view(scan, frame))
      case .invalid(let scan, _, _), .unsuccessful(let scan, _, _, _), .guide(let scan, _), .cancelled(let scan, _, _),
        .ended(let scan, _, _):
        publisher.publish(effect, view(scan, frame))
      }
    }
    guard isChanged else { return }
    fitLane()
    if picture?.scan != machine.scan?.id { picture = nil }
    review()
    publishStatus()
  }

  // MARK: State

  /// The state of the scanner for its event.
  private var status: ScannerStatus {
    let camera = capture.status
    var status = ScannerStatus(status: .idle)
    status.scan = machine.scan?.id
    status.mode = machine.scan?.request.mode
    status.by = hub.actor(machine.scan?.request.owner)
    switch machine.phase {
    case .idle: status.status = camera.status == .streaming ? .ready : .idle
    case .waiting, .confirming: status.status = .ready
    case .scanning:
      status.status = .scanning
      if let code = camera.code, camera.status != .streaming {
        status.status = .error
        status.code = code
        status.message = camera.message
        status.hint = camera.hint
      }
    }
    return status
  }

  /// The armed scan, with the event of the verdict that waits for confirmation.
  private var armed: ArmedScan? {
    guard let scan = machine.scan else { return nil }
    return ArmedScan(
      scan: scan.id, mode: scan.request.mode, context: scan.request.context,
      by: hub.actor(scan.request.owner),
      pending: machine.pending.map { publisher.successful($0, $1, view($0)) })
  }

  private func publishStatus() {
    let now = status
    guard now != lastStatus else { return }
    lastStatus = now
    hub.publish(now, camera: capture.camera)
  }

  private func review() {
    deadline?.cancel()
    deadline = machine.deadline.map { due in
      ServiceActor.schedule(after: due - MonotonicClock.now) { [weak self] in
        guard let self else { return }
        self.apply(self.machine.handle(.tick, at: MonotonicClock.now))
      }
    }
    if machine.demand == nil {
      progress?.cancel()
      progress = nil
    } else if progress == nil {
      publishProgress()
    }
  }

  /// Publishes once a second, while a scan searches for codes, how many frames it has received.
  private func publishProgress() {
    progress = ServiceActor.schedule(after: 1) { [weak self] in
      guard let self, self.machine.demand != nil else { return }
      if self.hub.isWanted(ScannerStatus.event) {
        var status = self.status
        status.frames = self.machine.frames
        self.hub.publish(status, camera: self.capture.camera)
      }
      self.publishProgress()
    }
  }
}

extension Hub {
  /// The time of the wall clock, for verdicts.
  package var date: Date { Date(timeIntervalSince1970: wall()) }
}
