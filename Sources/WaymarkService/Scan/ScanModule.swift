import FoundationEssentials
import Logging
import NIOCore
import NIOPosix
import WaymarkBarcodes
import WaymarkFrames
import WaymarkImage
package import WaymarkJSON
package import WaymarkOnboarding
package import WaymarkPipeline
package import WaymarkProtocol
package import WaymarkServer
import WaymarkSymbologies
import WaymarkSystem
import WaymarkWorker

/// `scan.*` and `gallery.scan`: feeds the one armed scan with frames, and tells what comes of it.
///
/// The rules are `LiveScan`'s; here are its clock, its frames, and the words of the wire.
@ServiceActor
package final class ScanModule: ServiceModule {
  package typealias Machine = LiveScan<Int, JSONValue>

  /// Called when a person went on with an accepted onboarding code.
  var onConfirmed: @ServiceActor (ScanSuccessful) -> Void = { _ in }

  /// Told of the text of each code in view of an armed scan: whether it is for somebody else, so that the scan does not read it.
  var isForOthers: @ServiceActor (String) -> Bool = { _ in false }

  /// The rules of a scan.
  package struct Rules: Sendable {
    /// The policy.
    package var judge = OnboardingJudge()
    /// Where confirmations are written down.
    package var replayGuard: (any ReplayGuard)?
    /// The symbologies to read, and when a code is new again.
    package var settings = Machine.Settings()
    /// Frames a second that are looked at, at most.
    package var rate: Double?
    /// True when frames that come from no camera may onboard the device.
    var acceptsPlayedFrames = false

    package init() {}
  }

  unowned let hub: Hub
  /// The armed scan.
  var machine: Machine
  private(set) var rules: Rules
  private let lane: BarcodeLane
  /// A reader of codes beside the armed scan.
  enum Reader: Hashable {
    /// Those who follow codes.
    case followers
    /// A scene some of whose anchors are codes.
    case scene
  }

  /// Where what was read is put for each of them.
  let mail = (followers: CodeMailbox(), scene: CodeMailbox())
  /// The symbologies that each of them wants.
  private var besides: [Reader: Set<Symbology>] = [:]
  let capture: CaptureModule
  private var deadline: Scheduled<Void>?
  private var progress: Scheduled<Void>?
  private var lastStatus: ScannerStatus
  var frame: FrameReference?
  /// The picture that the armed scan came from, when it was none of the camera.
  var picture: (scan: String, id: String?)?
  /// The confirmation that is being written: whether it is the first of its code.
  private var recording: Task<Bool?, Never>?
  var stillCount = 0

  /// The module of `hub`, with a lane in the pipeline of `capture`.
  package init(hub: Hub, capture: CaptureModule, rules: Rules) {
    self.hub = hub
    self.capture = capture
    self.rules = rules
    machine = Machine(settings: rules.settings)
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
    var judge = rules.judge
    judge.trustsSource = rules.acceptsPlayedFrames || reference.source == .camera
    let look = Machine.Observation(
      reading: reading, size: PictureSize(width: reference.width, height: reference.height), captured: captured,
      date: hub.date, judge: judge)
    apply(machine.handle(.frame(look), at: MonotonicClock.now))
    frame = nil
  }

  // MARK: Confirming

  /// Returns the write that the answer to a confirmation waits for, once; `nil` when nothing is to be written.
  func takeRecording() -> Task<Bool?, Never>? {
    defer { recording = nil }
    return recording
  }

  private func record(_ entry: ReplayEntry) {
    let replayGuard = rules.replayGuard
    recording = Task { @ServiceActor [weak self] in
      var isFirst: Bool?
      if let replayGuard {
        do {
          isFirst = try await BlockingWork.records.runIfActive { try replayGuard.record(entry) }
        } catch {
          self?.hub.log.subsystem(.scan).error("\((error as? ServiceProblem)?.message ?? "\(error)")")
        }
      }
      guard let self else { return isFirst }
      self.apply(self.machine.handle(.recorded(isFirst), at: MonotonicClock.now))
      return isFirst
    }
  }

  /// Waits until a confirmation is written; throws unless it was written, and for the first time.
  nonisolated static func written(_ recording: Task<Bool?, Never>?) async throws {
    guard let recording else { return }
    switch await recording.value {
    case true?: return
    case false?:
      throw ServiceError(.replayed, "The code was confirmed before.", hint: "Ask for a new code.")
    case nil:
      throw ServiceError(
        .internalError, "The confirmation could not be saved.",
        hint: "Check replay.folder: its disk may be full or it may not be written.")
    }
  }

  // MARK: Effects

  func apply(_ effects: [Machine.Effect]) {
    var isChanged = false
    for effect in effects {
      switch effect {
      case .began(let scan):
        hub.log.subsystem(.scan).debug(
          "a scan is armed", metadata: ["scan": "\(scan.id)", "mode": "\(scan.request.mode.rawValue)"])
      case .refused: break
      case .changed: isChanged = true
      case .record(let entry): record(entry)
      case .notRecorded(let scan):
        hub.log.subsystem(.scan).error("a confirmation could not be saved", metadata: ["scan": "\(scan.id)"])
      case .successful, .invalid, .unsuccessful, .guide, .confirmed, .cancelled, .ended: publish(effect)
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
    status.by = actor(machine.scan?.request.owner)
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
      scan: scan.id, mode: ScanMode(scan.request.mode), context: scan.request.context, by: actor(scan.request.owner),
      pending: machine.pending.map { successful($0, $1) })
  }

  private func publishStatus() {
    let now = status
    guard now != lastStatus else { return }
    lastStatus = now
    hub.publish(now)
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
        self.hub.publish(status)
      }
      self.publishProgress()
    }
  }
}

extension Hub {
  /// The time of day, as verdicts take it.
  var date: Date { Date(timeIntervalSince1970: wall()) }
}
