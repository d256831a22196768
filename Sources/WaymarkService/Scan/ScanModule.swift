import FoundationEssentials
import Logging
import NIOCore
import NIOPosix
package import WaymarkBarcodes
import WaymarkImage
package import WaymarkOnboarding
package import WaymarkPipeline
package import WaymarkProtocol

/// `scan.*` and `gallery.scan`: feeds the one armed scan with frames, and tells what comes of it.
///
/// The rules are `LiveScan`'s; here are its clock, its frames, and the words of the wire.
@ServiceActor
package final class ScanModule: ServiceModule {
  package typealias Machine = LiveScan<Int, WaymarkProtocol.JSONValue>

  /// What a scan is held to.
  package struct Rules: Sendable {
    /// The policy.
    package var judge = OnboardingJudge()
    /// Where confirmations are written down.
    package var replayGuard: (any ReplayGuard)?
    /// What is read, and when a code is new again.
    package var settings = Machine.Settings()
    /// Frames a second that are looked at, at most.
    package var rate: Double?

    package init() {}
  }

  unowned let hub: Hub
  /// The armed scan.
  private(set) var machine: Machine
  private(set) var rules: Rules
  private let lane: BarcodeLane
  private let capture: CaptureModule
  private var deadline: Scheduled<Void>?
  private var progress: Scheduled<Void>?
  private var lastStatus: ScannerStatus
  private var frame: FrameReference?
  /// The picture that the armed scan came from, when it was none of the camera.
  private var picture: (scan: String, id: String?)?
  private var confirmation: CheckedContinuation<Void, any Error>?
  private var stillCount = 0

  /// The module of `hub`, with a lane in the pipeline of `capture`.
  package init(hub: Hub, capture: CaptureModule, rules: Rules) {
    self.hub = hub
    self.capture = capture
    self.rules = rules
    machine = Machine(settings: rules.settings)
    lastStatus = ScannerStatus(status: .idle)
    let relay = Relay()
    lane = .barcodes(maximumRate: rules.rate) { reading, frame in
      let reference = FrameReference(frame)
      let captured = frame.captured
      ServiceActor.execute { relay.module?.saw(reading, reference, captured) }
    }
    relay.module = self
    capture.pipeline.add(lane)
    capture.onStatus.append { [weak self] _ in self?.tellStatus() }
  }

  @ServiceActor
  private final class Relay: Sendable {
    weak var module: ScanModule?
  }

  /// Begins: arms what the configuration wants armed.
  package func start() { apply(machine.handle(.tick, at: WallClock.monotonic)) }

  /// Takes over other rules; what is armed stays.
  package func use(_ rules: Rules) {
    self.rules = rules
    lane.setMaximumRate(rules.rate)
    apply(machine.handle(.configure(rules.settings), at: WallClock.monotonic))
  }

  /// The hardware key was pressed.
  package func trigger(_ mode: Machine.Mode) { apply(machine.handle(.trigger(mode), at: WallClock.monotonic)) }

  package func stop() {
    deadline?.cancel()
    progress?.cancel()
    apply(machine.handle(.stop, at: WallClock.monotonic))
  }

  package func connectionClosed(_ connection: Connection) {
    apply(machine.handle(.left(connection.number), at: WallClock.monotonic))
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

  private func saw(_ reading: ScanReading, _ reference: FrameReference, _ captured: Double) {
    frame = reference
    let look = Machine.Look(
      reading: reading, size: PictureSize(width: reference.width, height: reference.height), captured: captured,
      date: Date(), judge: rules.judge)
    apply(machine.handle(.frame(look), at: WallClock.monotonic))
    frame = nil
  }

  // MARK: Requests

  package func register(in methods: inout MethodTable) {
    methods.add(ScanBeginRequest.self) { [weak self] request, connection in
      guard let self else { throw ServiceError.stopping }
      let wanted = try Self.request(request, of: connection.number)
      try self.perform(.begin(wanted))
      return ScanBeginResult(scan: self.machine.scan?.id ?? "")
    }
    methods.add(ScanCancelRequest.self) { [weak self] request, connection in
      try self?.perform(.cancel(scan: request.scan, by: connection.number))
      return Empty()
    }
    methods.addLater(ScanConfirmRequest.self) { [weak self] request, connection in
      guard let self else { throw ServiceError.stopping }
      try self.perform(.confirm(scan: request.scan, by: connection.number))
      return {
        try await self.confirmed()
        return Empty()
      }
    }
    methods.addLater(GalleryScanRequest.self) { [weak self] request, connection in
      guard let self else { throw ServiceError.stopping }
      return { try await self.scanPicture(request, connection) }
    }
    methods.addLater(ScanPictureRequest.self) { [weak self] request, connection in
      guard let self else { throw ServiceError.stopping }
      guard (1...ScanPictureRequest.largest).contains(request.size) else {
        defer { connection.close(.lineTooLong) }
        throw ServiceError(
          .badParams, "size must lie between 1 and \(ScanPictureRequest.largest) bytes.",
          hint: "Make the picture smaller.")
      }
      let body = connection.expectBody(request.size)
      return {
        let bytes = try await body.collect()
        return try await self.scan(
          bytes, as: GalleryScanRequest(id: "", mode: request.mode, context: request.context), connection)
      }
    }
  }

  private static func request(_ request: ScanBeginRequest, of owner: Int) throws -> Machine.Request {
    var wanted = Machine.Request(owner: owner, mode: Machine.Mode(request.mode))
    wanted.symbologies = try request.symbologies.map { try symbologies($0) }
    if let shares = request.region {
      guard let region = ScanRegion(shares) else {
        throw ServiceError(
          .badParams, "region must be four shares x, y, width, height inside the frame.",
          hint: "[0.25, 0.25, 0.5, 0.5] is the middle of the frame.")
      }
      wanted.region = region
    }
    if let timeout = request.timeout {
      guard timeout > 0, timeout <= 86_400 else {
        throw ServiceError(
          .badParams, "timeout must lie above 0 and at most at 86400 seconds.", hint: "Leave it out for no end.")
      }
      wanted.timeout = timeout
    }
    wanted.once = request.once ?? false
    wanted.context = request.context
    return wanted
  }

  /// Symbologies by their names.
  package nonisolated static func symbologies(_ names: [String]) throws -> Set<Symbology> {
    guard !names.isEmpty else {
      throw ServiceError(.badParams, "symbologies is empty.", hint: "Leave it out for the configured ones.")
    }
    return Set(
      try names.map { name in
        guard let symbology = Symbology(name: name) else {
          let known = Symbology.allCases.map(\.rawValue).joined(separator: ", ")
          throw ServiceError(
            .badParams, "There is no symbology \"\(DisplayText.escaped(name, limit: 40))\".", hint: "Known: \(known).")
        }
        return symbology
      })
  }

  /// Hands a request of a client in; a refusal is thrown.
  private func perform(_ input: Machine.Input) throws {
    let effects = machine.handle(input, at: WallClock.monotonic)
    apply(effects)
    for case .refused(let refusal) in effects { throw error(refusal) }
  }

  private func error(_ refusal: Machine.Refusal) -> ServiceError {
    switch refusal {
    case .busy(let holder):
      ServiceError(
        .busy, "Another client holds the scanner.", hint: "Wait until its scan is over.", holder: actor(holder))
    case .noScan: ServiceError(.noScan, "No such scan is armed.", hint: "scan.begin arms one.")
    case .nothingToConfirm:
      ServiceError(.nothingToConfirm, "No verdict waits for a confirmation.", hint: "Wait for scan.successful.")
    case .confirming:
      ServiceError(.busy, "A confirmation is being written.", hint: "Try again in a moment.")
    }
  }

  /// Who a connection is.
  private func actor(_ owner: Int?) -> Actor? {
    owner.map { number in
      Actor(client: number, user: hub.connections[number].map { Int($0.peer.user) })
    }
  }

  private func confirmed() async throws {
    guard case .confirming = machine.phase else { return }
    try await withCheckedThrowingContinuation { continuation in
      if case .confirming = machine.phase { confirmation = continuation } else { continuation.resume() }
    }
  }

  private func record(_ entry: ReplayEntry) {
    guard let replayGuard = rules.replayGuard else {
      ServiceActor.execute { [weak self] in self?.recorded(nil) }
      return
    }
    Task { @ServiceActor [weak self] in
      let isFirst = try? await NIOThreadPool.singleton.runIfActive { try replayGuard.record(entry) }
      self?.recorded(isFirst)
    }
  }

  private func recorded(_ isFirst: Bool?) {
    apply(machine.handle(.recorded(isFirst), at: WallClock.monotonic))
    let waiting = confirmation
    confirmation = nil
    switch isFirst {
    case true?: waiting?.resume()
    case false?:
      waiting?.resume(
        throwing: ServiceError(.replayed, "The code was confirmed before.", hint: "Ask for a new code."))
    case nil:
      waiting?.resume(
        throwing: ServiceError(
          .internalError, "The confirmation could not be written down.",
          hint: "Check replay.folder: its disk may be full or it may not be written."))
    }
  }

  // MARK: Effects

  private func apply(_ effects: [Machine.Effect]) {
    var isChanged = false
    for effect in effects {
      switch effect {
      case .began(let scan):
        hub.log.debug("a scan is armed", metadata: ["scan": "\(scan.id)", "mode": "\(scan.request.mode.rawValue)"])
      case .refused: break
      case .changed: isChanged = true
      case .record(let entry): record(entry)
      case .notRecorded(let scan):
        hub.log.error("a confirmation could not be written down", metadata: ["scan": "\(scan.id)"])
      default: tell(effect)
      }
    }
    guard isChanged else { return }
    if let demand = machine.demand { lane.settings = .live(demand) }
    lane.setEnabled(machine.demand != nil)
    if picture?.scan != machine.scan?.id { picture = nil }
    review()
    tellStatus()
  }

  private func tell(_ effect: Machine.Effect) {
    switch effect {
    case .successful(let scan, let success):
      let event = successful(scan, success)
      hub.log.info(
        "a code was accepted", metadata: ["scan": "\(scan.id)", "kind": "\(event.kind ?? event.symbology)"])
      hub.publish(event, frame: frame, redacted: redacted(event, success))
    case .invalid(let scan, let reason, let result):
      hub.log.info("a code was refused", metadata: ["scan": "\(scan.id)", "reason": "\(reason.rawValue)"])
      hub.publish(
        ScanInvalid(
          scan: scan.id, context: scan.request.context, reason: reason.rawValue,
          kind: result.verdict.kind?.rawValue, corners: result.corners.map(Self.corners), source: source(scan),
          picture: pictureID(scan)), frame: frame)
    case .unsuccessful(let scan, let reason, let missing, let corners):
      hub.publish(
        ScanUnsuccessful(
          scan: scan.id, context: scan.request.context, reason: Self.reason(reason),
          missing: missing.isEmpty ? nil : missing, corners: corners.map(Self.corners)))
    case .guide(let scan, let advice):
      guard let word = ScanAdvice(rawValue: advice.advice.rawValue) else { return }
      hub.publish(
        ScanGuide(
          scan: scan.id, context: scan.request.context, advice: word, corners: advice.corners.map(Self.corners)),
        frame: frame)
    case .confirmed(let scan, _, let owner):
      hub.log.info("a scan was confirmed", metadata: ["scan": "\(scan.id)"])
      hub.publish(ScanConfirmed(scan: scan.id, context: scan.request.context, by: actor(owner)))
    case .cancelled(let scan, let ending, let owner):
      hub.publish(
        ScanCancelled(
          scan: scan.id, context: scan.request.context, reason: CancelReason(rawValue: ending.rawValue) ?? .cancelled,
          by: actor(owner)))
    default: break
    }
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

  private var armed: ArmedScan? {
    guard let scan = machine.scan else { return nil }
    return ArmedScan(
      scan: scan.id, mode: ScanMode(scan.request.mode), context: scan.request.context,
      by: actor(scan.request.owner), pending: machine.pending.map { successful($0.scan, $0.success) })
  }

  private func tellStatus() {
    let now = status
    guard now != lastStatus else { return }
    lastStatus = now
    hub.publish(now)
  }

  /// Fits the timers to what is armed.
  private func review() {
    deadline?.cancel()
    deadline = machine.deadline.map { due in
      ServiceActor.schedule(after: due - WallClock.monotonic) { [weak self] in
        guard let self else { return }
        self.apply(self.machine.handle(.tick, at: WallClock.monotonic))
      }
    }
    if machine.demand == nil {
      progress?.cancel()
      progress = nil
    } else if progress == nil {
      tellProgress()
    }
  }

  /// Once a second while a scan looks: how many frames it has seen.
  private func tellProgress() {
    progress = ServiceActor.schedule(after: 1) { [weak self] in
      guard let self, self.machine.demand != nil else { return }
      if self.hub.isWanted(ScannerStatus.event) {
        var status = self.status
        status.frames = self.machine.frames
        self.hub.publish(status)
      }
      self.tellProgress()
    }
  }

  private func source(_ scan: Machine.Scan) -> ScanSource { picture?.scan == scan.id ? .gallery : .live }

  private func pictureID(_ scan: Machine.Scan) -> String? { picture?.scan == scan.id ? picture?.id : nil }

  private func successful(_ scan: Machine.Scan, _ success: Machine.Success) -> ScanSuccessful {
    Self.successful(
      scan.id, scan.request.context, success, source: source(scan), picture: pictureID(scan))
  }

  private func redacted(_ event: ScanSuccessful, _ success: Machine.Success) -> ScanSuccessful {
    var copy = event.withoutSecrets
    if !holdsSecrets(success) {
      copy.text = event.text
      copy.bytesBase64 = event.bytesBase64
      copy.charset = event.charset
      copy.redacted = nil
    }
    copy.fields = success.verdict.map { Self.fields($0.redactedFields) }
    return copy
  }

  /// Whether a payload says anything that observers must not hear, whatever it was read for.
  private func holdsSecrets(_ success: Machine.Success) -> Bool {
    if let verdict = success.verdict { return verdict.holdsSecrets }
    let code = ScannedCode(bytes: success.symbol.bytes, text: success.symbol.text)
    let payload = Inspection(code, policy: rules.judge.policy).payload
    return payload.isSecret || payload.fields.contains(where: \.isSecret)
  }
}

extension ScanModule {
  // MARK: Pictures of the gallery

  private func scanPicture(_ request: GalleryScanRequest, _ connection: Connection) async throws -> GalleryScanResult {
    guard let gallery = hub.modules.lazy.compactMap({ $0 as? GalleryModule }).first else {
      throw GalleryModule.notConfigured
    }
    return try await scan(try await gallery.bytes(of: request.id), as: request, connection)
  }

  private func scan(
    _ bytes: [UInt8], as request: GalleryScanRequest, _ connection: Connection
  ) async throws -> GalleryScanResult {
    let mode = request.mode ?? .onboarding
    let accepted =
      mode == .onboarding ? rules.settings.onboardingSymbologies : rules.settings.barcodeSymbologies
    let (reading, size) = try await NIOThreadPool.singleton.runIfActive {
      let image = try PictureDecoder().gray(bytes).image
      // Everything is looked for, so that a code of another symbology is told from none.
      var scanner = try BarcodeScanner(ScanConfiguration(symbologies: accepted.union(Symbology.common), effort: .still))
      return (image.withView { scanner.scan($0) }, PictureSize(width: image.width, height: image.height))
    }
    return mode == .onboarding
      ? try judge(reading, size, accepted, request, connection) : codes(reading, size, accepted, request)
  }

  /// The picture of the gallery that a request names; a picture that a client sent has no id.
  private static func picture(_ request: GalleryScanRequest) -> String? { request.id.isEmpty ? nil : request.id }

  private func newStillID() -> String {
    stillCount += 1
    return "still\(stillCount)"
  }

  private func judge(
    _ reading: ScanReading, _ size: PictureSize, _ accepted: Set<Symbology>, _ request: GalleryScanRequest,
    _ connection: Connection
  ) throws -> GalleryScanResult {
    let center = ScanRegion.whole.center(in: size)
    let result = rules.judge.verdict(on: reading, center: center, accepting: accepted, now: Date())
    switch result.verdict.outcome {
    case .successful: return try arm(reading, size, accepted, request, connection)
    case .invalid(let reason):
      let id = newStillID()
      let event = ScanInvalid(
        scan: id, context: request.context, reason: reason.rawValue, kind: result.verdict.kind?.rawValue,
        corners: result.corners.map(Self.corners), source: .gallery, picture: Self.picture(request))
      hub.publish(event)
      return GalleryScanResult(scan: id, outcome: .invalid, invalid: event)
    case .unsuccessful(let reason):
      return unsuccessful(reason, result, request)
    }
  }

  private func unsuccessful(
    _ reason: WaymarkOnboarding.UnsuccessfulReason, _ result: PictureVerdict, _ request: GalleryScanRequest
  ) -> GalleryScanResult {
    let id = newStillID()
    let missing = result.verdict.missing
    let event = ScanUnsuccessful(
      scan: id, context: request.context, reason: Self.reason(reason), missing: missing.isEmpty ? nil : missing,
      corners: result.corners.map(Self.corners), source: .gallery, picture: Self.picture(request))
    hub.publish(event)
    return GalleryScanResult(scan: id, outcome: .unsuccessful, unsuccessful: event)
  }

  /// An accepted picture waits for its confirmation like an accepted frame: it is armed and shown the picture.
  private func arm(
    _ reading: ScanReading, _ size: PictureSize, _ accepted: Set<Symbology>, _ request: GalleryScanRequest,
    _ connection: Connection
  ) throws -> GalleryScanResult {
    let now = WallClock.monotonic
    let wanted = Machine.Request(
      owner: connection.number, mode: .onboarding, symbologies: accepted, context: request.context)
    var effects = machine.handle(.begin(wanted), at: now)
    for case .refused(let refusal) in effects { throw error(refusal) }
    if let id = machine.scan?.id { picture = (id, Self.picture(request)) }
    let look = Machine.Look(reading: reading, size: size, captured: now, date: Date(), judge: rules.judge)
    // Symbologies that misread want two frames that agree; a still picture agrees with itself.
    for _ in 0..<2 where machine.demand != nil { effects += machine.handle(.frame(look), at: now) }
    apply(effects)
    guard let pending = machine.pending else {
      throw ServiceError(.internalError, "The picture could not be judged.", hint: "The service's log says more.")
    }
    return GalleryScanResult(
      scan: pending.scan.id, outcome: .successful, successful: [successful(pending.scan, pending.success)])
  }

  private func codes(
    _ reading: ScanReading, _ size: PictureSize, _ accepted: Set<Symbology>, _ request: GalleryScanRequest
  ) -> GalleryScanResult {
    let symbols = reading.symbols.filter { accepted.contains($0.symbology) }
    guard !symbols.isEmpty else {
      let result = rules.judge.verdict(
        on: reading, center: ScanRegion.whole.center(in: size), accepting: accepted, now: Date())
      if case .unsuccessful(let reason) = result.verdict.outcome { return unsuccessful(reason, result, request) }
      return unsuccessful(.nothingFound, result, request)
    }
    let id = newStillID()
    let events = symbols.map { symbol -> ScanSuccessful in
      let success = Machine.Success(symbol: symbol, verdict: nil)
      let event = Self.successful(id, request.context, success, source: .gallery, picture: Self.picture(request))
      hub.publish(event, redacted: redacted(event, success))
      return event
    }
    return GalleryScanResult(scan: id, outcome: .successful, successful: events)
  }
}
