package import FoundationEssentials
package import WaymarkBarcodes
package import WaymarkImage
package import WaymarkOnboarding
package import WaymarkProtocol
package import WaymarkSystem

/// The state machine of the armed scan: its owner, the codes seen so far, and the events to publish. It uses neither a clock nor
/// I/O: inputs contain the time in seconds of CLOCK_MONOTONIC, and the caller performs the effects. An owner is the number of a
/// client's connection; nil for the service itself.
package struct LiveScan: Sendable {
  package struct Request: Sendable {
    package var owner: Int?
    /// The policy judges codes in onboarding mode, and an accepted code is then confirmed; barcode mode reports each new code.
    package var mode: ScanMode
    /// The symbologies to read; nil for the configured symbologies.
    package var symbologies: Set<Symbology>?
    package var region = ScanRegion.whole
    /// The seconds after which the scan ends without an accepted code or, in barcode mode, without a new code; nil for no limit.
    package var timeout: Double?
    /// True if the scan ends after the first code, in barcode mode.
    package var once = false
    /// A value of the client that the scan's events contain.
    package var context: JSONValue?
  }

  /// An armed scan.
  package struct Scan: Sendable {
    /// The prefix of the ids, and the number of the scan since the service started, from 1.
    package let id: String
    package let request: Request
    package let begun: Double
  }

  /// An accepted code, or a new code in barcode mode.
  package struct Success: Sendable {
    package let symbol: Symbol
    /// The verdict; nil in barcode mode.
    package let verdict: Verdict?
  }

  /// The symbologies to read and the times of a scan.
  package struct Settings: Sendable {
    package var onboardingSymbologies: Set<Symbology> = [.qr]
    package var barcodeSymbologies: Set<Symbology> = Symbology.common
    /// The seconds that a code must be out of view before it is reported again.
    package var newAfter = 2.0
    /// The seconds that an accepted code waits for its confirmation before the scan ends.
    package var confirmWithin = OnboardingConfiguration().confirmWithin
    /// The mode of the scan that the service arms while no client has armed one, or `nil`.
    package var autoBegin: ScanMode?

    package init() {}
  }

  package enum Input: Sendable {
    case begin(Request)
    /// A client confirms the waiting verdict, and `judge` judges the code again. A nil `scan` stands for the armed scan.
    case confirm(scan: String?, by: Int?, judge: OnboardingJudge, date: Date)
    case cancel(scan: String?, by: Int?)
    /// The result of `record`: true if the confirmation was written, false if the code was confirmed before, nil on failure.
    case recorded(Bool?)
    /// A client disconnected.
    case left(Int)
    case trigger(ScanMode)
    case frame(Observation)
    case tick
    case configure(Settings)
    case stop
  }

  package struct Observation: Sendable {
    package var reading: ScanReading
    package var size: PictureSize
    /// The time at which the frame was captured, on the clock of the inputs.
    package var captured: Double
    /// The time of the wall clock, by which tokens are judged.
    package var date: Date
    package var judge: OnboardingJudge
  }

  package enum Refusal: Hashable, Sendable {
    /// Another client owns the armed scan.
    case busy(holder: Int?)
    /// No scan is armed, or its id is not the requested one.
    case noScan
    /// No verdict is waiting to be confirmed.
    case nothingToConfirm
    /// The accepted code is not acceptable any more.
    case notAccepted(InvalidReason)
    /// The confirmation is being written.
    case confirming
  }

  package enum Effect: Sendable {
    case began(Scan)
    case refused(Refusal)
    /// A code was accepted, or is new in barcode mode.
    case successful(Scan, Success)
    /// A code was read and refused.
    case invalid(Scan, InvalidReason, PictureVerdict)
    /// The scan timed out without an acceptable code.
    case unsuccessful(Scan, UnsuccessfulReason, missing: [Int], corners: Quadrilateral?)
    case guide(Scan, GuideAdvisor.Guidance)
    /// The caller writes down that a code was used, and then passes the result in the input `recorded`.
    case record(ReplayEntry)
    /// The confirmation could not be written; the verdict still waits for a confirmation.
    case notRecorded(Scan)
    case confirmed(Scan, Success, by: Int?)
    case cancelled(Scan, ScanEnding, by: Int?)
    /// The scan ended. This effect follows the effect with the scan's result.
    case ended(Scan, ScanEnding, by: Int?)
    /// `phase`, `demand` or `deadline` has changed.
    case changed
  }

  package enum Phase: Sendable {
    case idle
    case scanning(Scan)
    /// An accepted code waits for its confirmation.
    case waiting(Scan, Success)
    /// The confirmation is being written; `isAbandoned` is true if the scan's owner has disconnected meanwhile.
    case confirming(Scan, Success, by: Int?, isAbandoned: Bool)
  }

  package private(set) var phase = Phase.idle
  private var settings: Settings
  private var history: ScanHistory
  private var lastRead = 0.0
  /// The time at which the waiting code was accepted.
  private var acceptedAt = 0.0
  private var hasRead = false
  private var count = 0
  /// The prefix of the ids of the scans; empty for the first camera.
  private let idPrefix: String
  /// True after the input `stop`: no scan is armed any more.
  private var isStopped = false

  /// Creates a machine without an armed scan. With `autoBegin`, the first input arms a scan.
  package init(settings: Settings = Settings(), idPrefix: String = "") {
    self.settings = settings
    self.idPrefix = idPrefix
    history = ScanHistory(awayAfter: settings.newAfter)
  }

  package var frames: Int { history.frames }

  package var scan: Scan? {
    switch phase {
    case .idle: nil
    case .scanning(let scan), .waiting(let scan, _), .confirming(let scan, _, _, _): scan
    }
  }

  /// The verdict that waits for its confirmation, or whose confirmation is being written.
  package var pending: (scan: Scan, success: Success)? {
    switch phase {
    case .waiting(let scan, let success), .confirming(let scan, let success, _, _): (scan, success)
    case .idle, .scanning: nil
    }
  }

  /// The symbologies to search frames for; nil if frames are not needed.
  package var demand: Set<Symbology>? {
    if case .scanning(let scan) = phase { symbologies(of: scan) } else { nil }
  }

  /// The time at which the input `tick` is due; nil if it is not due.
  package var deadline: Double? {
    switch phase {
    case .scanning(let scan): scan.request.timeout.map { lastRead + $0 }
    case .waiting: acceptedAt + settings.confirmWithin
    case .idle, .confirming: nil
    }
  }

  private func symbologies(of scan: Scan) -> Set<Symbology> {
    scan.request.symbologies
      ?? (scan.request.mode == .onboarding ? settings.onboardingSymbologies : settings.barcodeSymbologies)
  }

  package mutating func handle(_ input: Input, at now: Double) -> [Effect] {
    var effects: [Effect] = []
    switch input {
    case .begin(let request): effects = begin(request, at: now)
    case .confirm(let id, let owner, let judge, let date): effects = confirm(id, owner, judge, date, at: now)
    case .cancel(let id, let owner): effects = cancel(id, by: owner, at: now)
    case .recorded(let isFirst): effects = recorded(isFirst, at: now)
    case .left(let owner): effects = left(owner)
    case .trigger(let mode): effects = trigger(mode, at: now)
    case .frame(let look): effects = self.look(look, at: now)
    case .tick: effects = tick(at: now)
    case .configure(let settings): effects = configure(settings)
    case .stop:
      effects = end(.stopping, by: nil)
      isStopped = true
    }
    if case .idle = phase, let mode = settings.autoBegin, !isStopped {
      effects += arm(Request(owner: nil, mode: mode), at: now)
    }
    return effects
  }

  /// Arms a scan after the previous scan has ended.
  private mutating func arm(_ request: Request, at now: Double) -> [Effect] {
    guard !isStopped else { return [.refused(.noScan)] }
    count += 1
    let scan = Scan(id: idPrefix + String(count), request: request, begun: now)
    phase = .scanning(scan)
    history.restart()
    lastRead = now
    hasRead = false
    // A client's scan reports the codes that are in view. A scan armed by the service does not repeat a code that was just
    // confirmed or cancelled.
    if request.owner != nil { history.forgetCodes() }
    return [.began(scan), .changed]
  }

  private mutating func end(_ ending: ScanEnding, by owner: Int?) -> [Effect] {
    guard let scan else { return [] }
    phase = .idle
    return [.cancelled(scan, ending, by: owner), .ended(scan, ending, by: owner), .changed]
  }

  // MARK: Frames

  private mutating func look(_ look: Observation, at now: Double) -> [Effect] {
    let due = tick(at: now)
    // Frames captured before the scan was armed are ignored.
    guard due.isEmpty, case .scanning(let scan) = phase, look.captured >= scan.begun else { return due }
    history.count()
    var reading = look.reading
    let region = scan.request.region
    if region != .whole { reading.keep(in: region, look.size) }
    return scan.request.mode == .onboarding
      ? lookForOnboarding(scan, reading, look, at: now) : lookForCodes(scan, reading, look, at: now)
  }

  private mutating func lookForOnboarding(
    _ scan: Scan, _ reading: ScanReading, _ look: Observation, at now: Double
  ) -> [Effect] {
    let accepted = symbologies(of: scan)
    let center = scan.request.region.center(in: look.size)
    let result = look.judge.verdict(on: reading, center: center, accepting: accepted, now: look.date)
    switch history.take(result, reading, accepting: accepted, at: now) {
    case .accepted(let symbol):
      hasRead = true
      let success = Success(symbol: symbol, verdict: result.verdict)
      phase = .waiting(scan, success)
      acceptedAt = now
      return [.successful(scan, success), .changed]
    case .refused(let reason): return [.invalid(scan, reason, result)]
    case .advice(let advice): return [.guide(scan, advice)]
    case nil: return []
    }
  }

  private mutating func lookForCodes(
    _ scan: Scan, _ reading: ScanReading, _ look: Observation, at now: Double
  ) -> [Effect] {
    let wanted = symbologies(of: scan)
    let symbols = reading.symbols.filter { wanted.contains($0.symbology) }
    let center = scan.request.region.center(in: look.size)
    // The code nearest to the middle comes first, for scans that end after one code.
    let order = symbols.sorted { $0.corners.center.distance(to: center) < $1.corners.center.distance(to: center) }
    let news = history.take(order, limit: scan.request.once ? 1 : .max, at: now)
    if !news.isEmpty {
      hasRead = true
      lastRead = now
      var effects = news.map { Effect.successful(scan, Success(symbol: $0, verdict: nil)) }
      if scan.request.once {
        phase = .idle
        effects.append(.ended(scan, .once, by: nil))
      }
      return effects + [.changed]
    }
    if !symbols.isEmpty { return [] }
    let verdict = look.judge.verdict(on: reading, center: center, accepting: wanted, now: look.date)
    return history.takeEmpty(verdict, reading, accepting: wanted, at: now).map { [.guide(scan, $0)] } ?? []
  }

  // MARK: Requests

  /// Returns whether a client may act on the armed scan. Its owner and the service may; if the service armed the scan, every client
  /// may.
  private func mayAct(_ owner: Int?, on scan: Scan) -> Bool {
    scan.request.owner == nil || owner == nil || scan.request.owner == owner
  }

  private mutating func begin(_ request: Request, at now: Double) -> [Effect] {
    if case .confirming = phase { return [.refused(.confirming)] }
    guard let scan else { return arm(request, at: now) }
    // A client's request replaces its own scan, or a scan that the service armed.
    guard mayAct(request.owner, on: scan), request.owner != nil || scan.request.owner == nil else {
      return [.refused(.busy(holder: scan.request.owner))]
    }
    return end(.replaced, by: request.owner) + arm(request, at: now)
  }

  private mutating func trigger(_ mode: ScanMode, at now: Double) -> [Effect] {
    if case .confirming = phase { return [] }
    if let scan, scan.request.owner != nil { return [.refused(.busy(holder: scan.request.owner))] }
    // A scan of the same mode continues when the key is pressed again.
    if case .scanning(let scan) = phase, scan.request.mode == mode { return [] }
    return end(.replaced, by: nil) + arm(Request(owner: nil, mode: mode), at: now)
  }

  private mutating func confirm(
    _ id: String?, _ owner: Int?, _ judge: OnboardingJudge, _ date: Date, at now: Double
  ) -> [Effect] {
    let due = tick(at: now)
    guard due.isEmpty else { return due + [.refused(.noScan)] }
    guard let scan, id == nil || id == scan.id else { return [.refused(.noScan)] }
    guard mayAct(owner, on: scan) else { return [.refused(.busy(holder: scan.request.owner))] }
    switch phase {
    case .waiting(_, var success):
      if let before = success.verdict {
        let symbol = success.symbol
        let verdict = judge.verdict(for: [ScannedCode(bytes: symbol.bytes, text: symbol.text)], now: date)
        if let reason = verdict.refusal(of: before) {
          phase = .scanning(scan)
          lastRead = now
          history.markRefused(symbol, reason, at: now)
          let result = PictureVerdict(verdict: verdict, symbol: symbol, corners: symbol.corners)
          return [.invalid(scan, reason, result), .refused(.notAccepted(reason)), .changed]
        }
        success = Success(symbol: symbol, verdict: verdict)
      }
      if let entry = success.verdict?.replayEntry {
        phase = .confirming(scan, success, by: owner, isAbandoned: false)
        return [.record(entry)]
      }
      phase = .idle
      return [.confirmed(scan, success, by: owner), .ended(scan, .confirmed, by: owner), .changed]
    case .confirming: return [.refused(.confirming)]
    case .idle, .scanning: return [.refused(.nothingToConfirm)]
    }
  }

  private mutating func recorded(_ isFirst: Bool?, at now: Double) -> [Effect] {
    guard case .confirming(let scan, let success, let owner, let isAbandoned) = phase else { return [] }
    // If the owner has disconnected, the scan ends, since no other client may act on it.
    let ending = isAbandoned ? end(.disconnected, by: scan.request.owner) : nil
    switch isFirst {
    case true?:
      phase = .idle
      return [.confirmed(scan, success, by: owner), .ended(scan, .confirmed, by: owner), .changed]
    case false?:
      if ending == nil { phase = .scanning(scan) }
      lastRead = now
      guard let verdict = success.verdict?.replayed else { return ending ?? [.changed] }
      history.markRefused(success.symbol, .replayed, at: now)
      let result = PictureVerdict(verdict: verdict, symbol: success.symbol, corners: success.symbol.corners)
      return [.invalid(scan, .replayed, result)] + (ending ?? [.changed])
    case nil:
      if ending == nil { phase = .waiting(scan, success) }
      return [.notRecorded(scan)] + (ending ?? [])
    }
  }

  private mutating func cancel(_ id: String?, by owner: Int?, at now: Double) -> [Effect] {
    guard let scan, id == nil || id == scan.id else { return [.refused(.noScan)] }
    guard mayAct(owner, on: scan) else { return [.refused(.busy(holder: scan.request.owner))] }
    if case .confirming = phase { return [.refused(.confirming)] }
    return end(.cancelled, by: owner)
  }

  private mutating func left(_ owner: Int) -> [Effect] {
    guard let scan, scan.request.owner == owner else { return [] }
    // The confirmation being written still completes, although the client that owns the scan does not receive its events.
    if case .confirming(let scan, let success, let confirmer, _) = phase {
      phase = .confirming(scan, success, by: confirmer, isAbandoned: true)
      return []
    }
    return end(.disconnected, by: owner)
  }

  private mutating func configure(_ settings: Settings) -> [Effect] {
    let before = self.settings.autoBegin
    self.settings = settings
    history.setAwayAfter(settings.newAfter)
    // A scan that the service armed ends if its mode is no longer configured.
    if case .scanning(let scan) = phase, scan.request.owner == nil, before != nil, settings.autoBegin != before {
      return end(.cancelled, by: nil)
    }
    return [.changed]
  }

  private mutating func tick(at now: Double) -> [Effect] {
    guard let deadline, now >= deadline, let scan else { return [] }
    // A scan that has read a code has already published a result.
    if hasRead { return end(.timedOut, by: nil) }
    phase = .idle
    return [
      .unsuccessful(
        scan, history.evidence.reason, missing: history.evidence.missing ?? [], corners: history.evidence.corners),
      .ended(scan, .timedOut, by: nil), .changed,
    ]
  }
}
