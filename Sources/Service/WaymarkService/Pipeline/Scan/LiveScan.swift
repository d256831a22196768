import FoundationEssentials
package import WaymarkBarcodes
import WaymarkImage
import WaymarkOnboarding

/// The scan that is armed on a device: its owner, the codes it has seen, and the events to send.
///
/// A value without clock and I/O: inputs carry the time (seconds, CLOCK_MONOTONIC), effects say what to do. `Owner`
/// tells clients apart, nil being the service itself; `Context` is what a client wants back with every event.
package struct LiveScan<Owner: Hashable & Sendable, Context: Sendable>: Sendable {
  package typealias Mode = LiveScanValues<Owner, Context>.Mode
  package typealias Request = LiveScanValues<Owner, Context>.Request
  package typealias Scan = LiveScanValues<Owner, Context>.Scan
  package typealias Success = LiveScanValues<Owner, Context>.Success
  package typealias Settings = LiveScanValues<Owner, Context>.Settings
  package typealias Input = LiveScanValues<Owner, Context>.Input
  package typealias Observation = LiveScanValues<Owner, Context>.Observation
  package typealias Refusal = LiveScanValues<Owner, Context>.Refusal
  package typealias Ending = LiveScanValues<Owner, Context>.Ending
  package typealias Effect = LiveScanValues<Owner, Context>.Effect
  package typealias Phase = LiveScanValues<Owner, Context>.Phase

  /// The phase of the scan.
  package private(set) var phase = Phase.idle
  private var settings: Settings
  /// The codes that were seen in frames.
  private var history: ScanHistory
  private var lastRead = 0.0
  /// When the verdict that waits was given.
  private var acceptedAt = 0.0
  private var hasRead = false
  private var count = 0
  /// The beginning of the ids of scans.
  private let idPrefix: String
  /// Set once the service stops: nothing is armed any more.
  private var isStopped = false

  /// A scan that is not armed; with `autoBegin` the first input arms it.
  ///
  /// - Parameter idPrefix: what the ids of its scans begin with, where other scans count theirs too.
  package init(settings: Settings = Settings(), idPrefix: String = "") {
    self.settings = settings
    self.idPrefix = idPrefix
    history = ScanHistory(awayAfter: settings.newAfter)
  }

  /// Frames that the armed scan has looked at.
  package var frames: Int { history.frames }

  /// The armed scan.
  package var scan: Scan? {
    switch phase {
    case .idle: nil
    case .scanning(let scan), .waiting(let scan, _), .confirming(let scan, _, _, _): scan
    }
  }

  /// The verdict that waits for a person.
  package var pending: (scan: Scan, success: Success)? {
    switch phase {
    case .waiting(let scan, let success), .confirming(let scan, let success, _, _): (scan, success)
    case .idle, .scanning: nil
    }
  }

  /// The symbologies that frames are searched for; nil when none are wanted.
  package var demand: Set<Symbology>? {
    if case .scanning(let scan) = phase { symbologies(of: scan) } else { nil }
  }

  /// When `tick` is due; nil when it is not.
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

  /// Takes an input at a moment.
  package mutating func handle(_ input: Input, at now: Double) -> [Effect] {
    var effects: [Effect] = []
    switch input {
    case .begin(let request): effects = begin(request, at: now)
    case .confirm(let id, let owner, let judge, let date):
      effects = confirm(id, by: owner, judge: judge, date: date, at: now)
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

  /// Arms a scan; whatever was armed is over already.
  private mutating func arm(_ request: Request, at now: Double) -> [Effect] {
    guard !isStopped else { return [.refused(.noScan)] }
    count += 1
    let scan = Scan(id: idPrefix + String(count), request: request, begun: now)
    phase = .scanning(scan)
    history.restart()
    lastRead = now
    hasRead = false
    // A client that asks wants to know what is in view now; the service itself must not repeat what a person just answered.
    if request.owner != nil { history.forgetCodes() }
    return [.began(scan), .changed]
  }

  /// Ends what is armed.
  private mutating func end(_ ending: Ending, by owner: Owner?) -> [Effect] {
    guard let scan else { return [] }
    phase = .idle
    return [.cancelled(scan, ending, by: owner), .ended(scan, ending, by: owner), .changed]
  }

  // MARK: Frames

  private mutating func look(_ look: Observation, at now: Double) -> [Effect] {
    let due = tick(at: now)
    // A frame from before the scan was armed shows what was, not what is.
    guard due.isEmpty, case .scanning(let scan) = phase, look.captured >= scan.begun else { return due }
    history.count()
    var reading = look.reading
    let region = scan.request.region
    if region != .whole {
      reading.symbols.removeAll { !region.contains($0.corners.center, in: look.size) }
      reading.incomplete.removeAll { part in
        !part.corners.isEmpty && !part.corners.contains { region.contains($0.center, in: look.size) }
      }
      reading.unread.removeAll { code in code.corners.map { !region.contains($0.center, in: look.size) } ?? false }
    }
    return scan.request.mode == .onboarding
      ? lookForOnboarding(scan, reading, look, at: now) : lookForCodes(scan, reading, look, at: now)
  }

  private mutating func lookForOnboarding(
    _ scan: Scan, _ reading: ScanReading, _ look: Observation, at now: Double
  ) -> [Effect] {
    let accepted = symbologies(of: scan)
    let result = look.judge.verdict(
      on: reading, center: scan.request.region.center(in: look.size), accepting: accepted, now: look.date)
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
    // The nearest to the middle first: it is the one meant when only one is wanted.
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

  /// Returns whether somebody may act on the armed scan: its holder may, and everybody when the service armed it.
  private func mayAct(_ owner: Owner?, on scan: Scan) -> Bool {
    scan.request.owner == nil || owner == nil || scan.request.owner == owner
  }

  private mutating func begin(_ request: Request, at now: Double) -> [Effect] {
    if case .confirming = phase { return [.refused(.confirming)] }
    guard let scan else { return arm(request, at: now) }
    // A scan that the service armed by itself gives way; a client's scan only to its own.
    guard mayAct(request.owner, on: scan), request.owner != nil || scan.request.owner == nil else {
      return [.refused(.busy(holder: scan.request.owner))]
    }
    return end(.replaced, by: request.owner) + arm(request, at: now)
  }

  private mutating func trigger(_ mode: Mode, at now: Double) -> [Effect] {
    if case .confirming = phase { return [] }
    if let scan, scan.request.owner != nil { return [.refused(.busy(holder: scan.request.owner))] }
    // Pressed again while it looks for the same, it goes on looking.
    if case .scanning(let scan) = phase, scan.request.mode == mode { return [] }
    return end(.replaced, by: nil) + arm(Request(owner: nil, mode: mode), at: now)
  }

  private mutating func confirm(
    _ id: String?, by owner: Owner?, judge: OnboardingJudge, date: Date, at now: Double
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
        if let reason = Self.refusal(verdict, before) {
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

  /// Returns why a verdict does not stand for the one that a person was shown; nil if it does.
  private static func refusal(_ verdict: Verdict, _ shown: Verdict) -> InvalidReason? {
    switch verdict.outcome {
    case .invalid(let reason): reason
    case .unsuccessful: .malformed
    case .successful where verdict.kind != shown.kind: .kindNotAllowed
    case .successful: verdict.connectTo == shown.connectTo ? nil : .hostNotAllowed
    }
  }

  private mutating func recorded(_ isFirst: Bool?, at now: Double) -> [Effect] {
    guard case .confirming(let scan, let success, let owner, let isAbandoned) = phase else { return [] }
    // Whom it belonged to is gone: nobody could answer it, and nobody else might.
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

  private mutating func cancel(_ id: String?, by owner: Owner?, at now: Double) -> [Effect] {
    guard let scan, id == nil || id == scan.id else { return [.refused(.noScan)] }
    guard mayAct(owner, on: scan) else { return [.refused(.busy(holder: scan.request.owner))] }
    if case .confirming = phase { return [.refused(.confirming)] }
    return end(.cancelled, by: owner)
  }

  private mutating func left(_ owner: Owner) -> [Effect] {
    guard let scan, scan.request.owner == owner else { return [] }
    // A code that is being written is used up, whoever is still there to hear of it.
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
    // A scan that the service armed and should not have any more ends.
    if case .scanning(let scan) = phase, scan.request.owner == nil, before != nil, settings.autoBegin != before {
      return end(.cancelled, by: nil)
    }
    return [.changed]
  }

  private mutating func tick(at now: Double) -> [Effect] {
    guard let deadline, now >= deadline, let scan else { return [] }
    // A scan that read something has had its say.
    if hasRead { return end(.timedOut, by: nil) }
    phase = .idle
    return [
      .unsuccessful(
        scan, history.evidence.reason, missing: history.evidence.missing ?? [], corners: history.evidence.corners),
      .ended(scan, .timedOut, by: nil), .changed,
    ]
  }
}
