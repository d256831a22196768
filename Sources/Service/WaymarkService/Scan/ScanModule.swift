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

/// `scan.*` and `gallery.scan`: feeds the one armed scan with frames, and tells what comes of it.
///
/// The rules are `LiveScan`'s; here are its clock, its frames, and the words of the wire.
@ServiceActor
package final class ScanModule: ServiceModule {
  package typealias Machine = ScanMachine

  package typealias Rules = ScanRules

  /// A reader of codes beside the armed scan.
  enum Reader: Hashable {
    /// Those who follow codes.
    case followers
    /// A scene some of whose anchors are codes.
    case scene
  }

  /// Where what was read is put for each of them.
  let mail = (followers: CodeMailbox(), scene: CodeMailbox())
  package private(set) var rules: Rules
  /// Told of the text of each code in view of an armed scan: whether it is for somebody else, so that the scan does not read it.
  var isForOthers: @ServiceActor (String) -> Bool = { _ in false }
  private unowned let hub: Hub
  /// The armed scan.
  private var machine: Machine
  private let capture: CaptureModule
  private let lane: BarcodeLane
  private var publisher: ScanPublisher
  private let confirmations: ConfirmationWriter
  /// The beginning of the ids of its scans.
  private let idPrefix: String
  private(set) lazy var stills = StillScans(
    hub: hub, isolation: capture.isolation, idPrefix: idPrefix, rules: { [unowned self] in self.rules },
    arm: { [unowned self] in try self.arm($0, $1) })
  /// The symbologies that each of the other readers wants.
  private var besides: [Reader: Set<Symbology>] = [:]
  private var deadline: Scheduled<Void>?
  private var progress: Scheduled<Void>?
  private var lastStatus: ScannerStatus
  /// The frame whose reading is worked on.
  private var frame: FrameReference?
  /// The source of the code that waits for its confirmation.
  private var acceptedSource = ScanSource.camera
  /// The picture that the armed scan came from, when it was none of the camera.
  private var picture: (scan: String, id: String?)?

  /// The module of `hub`, with a lane in the pipeline of `capture`.
  ///
  /// - Parameter further: the name of a camera beside the first, which its scans' ids begin with.
  package init(hub: Hub, capture: CaptureModule, rules: Rules, further: String? = nil) {
    self.hub = hub
    self.capture = capture
    self.rules = rules
    idPrefix = further.map { $0 + "." } ?? ""
    machine = Machine(settings: rules.settings, idPrefix: idPrefix)
    publisher = ScanPublisher(hub: hub, camera: capture.camera)
    confirmations = ConfirmationWriter(log: hub.log.subsystem(.scan))
    lastStatus = ScannerStatus(status: .idle)
    let relay = WeakReference<ScanModule>()
    let (isolation, mail) = (capture.isolation, mail)
    lane = .barcodes(maximumRate: rules.rate, makeReading: { isolation.codeReading(stages: $0) }) { reading, frame in
      mail.followers.put(reading.symbols, frame)
      mail.scene.put(reading.symbols, frame)
      let reference = FrameReference(frame)
      let captured = frame.captured
      ServiceActor.execute { relay.object?.handleReading(reading, reference, captured) }
    }
    relay.object = self
    capture.pipeline.add(lane)
    capture.onStatus.append { [weak self] _ in self?.publishStatus() }
  }

  /// The further camera that the id of a scan names; nil for one of the first.
  static func camera(ofScan id: String) -> String? { id.lastIndex(of: ".").map { String(id[..<$0]) } }

  /// Begins: arms what the configuration wants armed.
  package func start() { apply(machine.handle(.tick, at: MonotonicClock.now)) }

  /// Takes over other rules; what is armed stays.
  package func use(_ rules: Rules) {
    self.rules = rules
    lane.setMaximumRate(rules.rate)
    apply(machine.handle(.configure(rules.settings), at: MonotonicClock.now))
  }

  /// The hardware key was pressed.
  package func trigger(_ mode: Machine.Mode) { apply(machine.handle(.trigger(mode), at: MonotonicClock.now)) }

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
    methods.add(ScanBeginRequest.self) { [weak self] request, connection in
      guard let self else { throw ServiceError.stopping }
      let wanted = try ScanWire.request(request, of: connection.number)
      try self.perform(.begin(wanted))
      return ScanBeginResult(scan: self.machine.scan?.id ?? "")
    }
    methods.add(ScanCancelRequest.self) { [weak self] request, connection in
      try self?.perform(.cancel(scan: request.scan, by: connection.number))
      return Empty()
    }
    methods.addLater(ScanConfirmRequest.self) { [weak self] request, connection in
      guard let self else { throw ServiceError.stopping }
      try self.perform(
        .confirm(
          scan: request.scan, by: connection.number, judge: self.judge(of: self.acceptedSource), date: self.hub.date))
      // Taken at once: it may be over before the answer is worked on.
      let recording = self.confirmations.take()
      return {
        try await ConfirmationWriter.written(recording)
        return Empty()
      }
    }
    methods.addLater(GalleryScanRequest.self) { [weak self] request, connection in
      guard let self else { throw ServiceError.stopping }
      return { try await self.stills.scanPicture(request, connection) }
    }
    methods.addUpload(ScanPictureRequest.self, largest: ScanPictureRequest.largest) {
      [weak self] request, body, connection in
      guard let self else { throw ServiceError.stopping }
      guard let body else {
        throw ServiceError(
          .badParams, "size must be between 1 and \(ScanPictureRequest.largest) bytes.",
          hint: "Send the bytes of a picture file.")
      }
      return { try await self.stills.scanUpload(request, body, connection) }
    }
  }

  /// Hands a request of a client in; a refusal is thrown.
  private func perform(_ input: Machine.Input) throws {
    let effects = machine.handle(input, at: MonotonicClock.now)
    apply(effects)
    for case .refused(let refusal) in effects { throw ScanWire.error(refusal, client: hub.actor) }
  }

  /// An accepted picture waits for its confirmation like an accepted frame: it is armed and shown the picture.
  private func arm(_ still: StillScans.Accepted, _ connection: Connection) throws -> GalleryScanResult {
    // A client that left while the picture was read would hold the scanner for ever.
    guard hub.connections[connection.number] === connection else {
      throw ServiceError(.badPicture, "The client disconnected.", hint: "Send the picture again.")
    }
    let now = MonotonicClock.now
    let wanted = Machine.Request(
      owner: connection.number, mode: .onboarding, symbologies: still.symbologies, context: still.context)
    var effects = machine.handle(.begin(wanted), at: now)
    for case .refused(let refusal) in effects { throw ScanWire.error(refusal, client: hub.actor) }
    if let scan = machine.scan?.id { picture = (scan, still.picture) }
    let look = Machine.Observation(
      reading: still.reading, size: still.size, captured: now, date: hub.date, judge: rules.judge)
    // Symbologies that misread want two frames that agree; a still picture agrees with itself.
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

  /// Reads codes of these symbologies, whatever is armed, and puts them into the mailbox of who wants them.
  func read(_ symbologies: Set<Symbology>, for reader: Reader) {
    guard symbologies != besides[reader] ?? [] else { return }
    besides[reader] = symbologies
    fitLane()
  }

  /// The symbologies that are read for others.
  private var forOthers: Set<Symbology> { besides.values.reduce(into: []) { $0.formUnion($1) } }

  private func fitLane() {
    let wanted = forOthers.union(machine.demand ?? [])
    if !wanted.isEmpty { lane.settings = .live(wanted) }
    lane.setEnabled(!wanted.isEmpty)
  }

  private func handleReading(_ reading: ScanReading, _ reference: FrameReference, _ captured: Double) {
    guard let demand = machine.demand else { return }
    var reading = reading
    // A code that is read for others does not belong to the armed scan.
    if !forOthers.isSubset(of: demand) { reading.symbols.removeAll { !demand.contains($0.symbology) } }
    reading.symbols.removeAll { $0.part == nil && isForOthers($0.text) }
    reading.incomplete.removeAll { !demand.contains($0.symbology) }
    frame = reference
    let look = Machine.Observation(
      reading: reading, size: PictureSize(width: reference.width, height: reference.height), captured: captured,
      date: hub.date, judge: judge(of: reference.source))
    apply(machine.handle(.frame(look), at: MonotonicClock.now))
    frame = nil
  }

  /// The judge of what a source shows.
  private func judge(of source: ScanSource) -> OnboardingJudge {
    var judge = rules.judge
    judge.trustsSource = rules.acceptsPlayedFrames || source == .camera || source == .picture
    return judge
  }

  // MARK: Effects

  /// Sets what is called when a person went on with an accepted onboarding code.
  package func onConfirmed(_ handler: @escaping @ServiceActor (ScanSuccessful) -> Void) {
    publisher.onConfirmed = handler
  }

  /// Returns whether observers may see the text of a code that nobody has judged.
  func isHarmless(_ symbol: Symbol) -> Bool {
    ScanWire.isHarmless(.init(symbol: symbol, verdict: nil), rules.judge.policy)
  }

  /// The source of a verdict of `scan`: its picture, the frame at hand, else what plays now.
  private func view(_ scan: Machine.Scan) -> ScanPublisher.View {
    let isOfPicture = picture?.scan == scan.id
    return ScanPublisher.View(
      frame: frame, source: isOfPicture ? .picture : frame?.source ?? ScanSource(capture.pipeline.source.origin),
      picture: isOfPicture ? picture?.id : nil, policy: rules.judge.policy)
  }

  private func apply(_ effects: [Machine.Effect]) {
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
        acceptedSource = view(scan).source
        publisher.publish(effect, view(scan))
      case .invalid(let scan, _, _), .unsuccessful(let scan, _, _, _), .guide(let scan, _),
        .confirmed(let scan, _, _), .cancelled(let scan, _, _), .ended(let scan, _, _):
        publisher.publish(effect, view(scan))
      }
    }
    guard isChanged else { return }
    fitLane()
    if picture?.scan != machine.scan?.id { picture = nil }
    review()
    publishStatus()
  }

  // MARK: State

  /// The scanner as the wire tells it.
  private var status: ScannerStatus {
    let camera = capture.status
    var status = ScannerStatus(status: .idle)
    status.scan = machine.scan?.id
    status.mode = machine.scan.map { ScanMode($0.request.mode) }
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

  /// The armed scan; a verdict that waits is reported as its event was.
  private var armed: ArmedScan? {
    guard let scan = machine.scan else { return nil }
    return ArmedScan(
      scan: scan.id, mode: ScanMode(scan.request.mode), context: scan.request.context,
      by: hub.actor(scan.request.owner),
      pending: machine.pending.map { publisher.successful($0, $1, view($0)) })
  }

  private func publishStatus() {
    let now = status
    guard now != lastStatus else { return }
    lastStatus = now
    hub.publish(now, camera: capture.camera)
  }

  /// Fits the timers to what is armed.
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

  /// Once a second while a scan looks: how many frames it has seen.
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
  /// The time of day, as verdicts take it.
  package var date: Date { Date(timeIntervalSince1970: wall()) }
}
