import WaymarkBarcodes
import WaymarkOnboarding

extension LiveScan {
  /// Returns whether somebody may act on the armed scan: its holder may, and everybody when the service armed it.
  private func mayAct(_ owner: Owner?, on scan: Scan) -> Bool {
    scan.request.owner == nil || owner == nil || scan.request.owner == owner
  }

  mutating func begin(_ request: Request, at now: Double) -> [Effect] {
    if case .confirming = phase { return [.refused(.confirming)] }
    guard let scan else { return arm(request, at: now) }
    // A scan that the service armed by itself gives way; a client's scan only to its own.
    guard mayAct(request.owner, on: scan), request.owner != nil || scan.request.owner == nil else {
      return [.refused(.busy(holder: scan.request.owner))]
    }
    return end(.replaced, by: request.owner) + arm(request, at: now)
  }

  mutating func trigger(_ mode: Mode, at now: Double) -> [Effect] {
    if case .confirming = phase { return [] }
    if let scan, scan.request.owner != nil { return [.refused(.busy(holder: scan.request.owner))] }
    // Pressed again while it looks for the same, it goes on looking.
    if case .scanning(let scan) = phase, scan.request.mode == mode { return [] }
    return end(.replaced, by: nil) + arm(Request(owner: nil, mode: mode), at: now)
  }

  mutating func confirm(_ id: String?, by owner: Owner?) -> [Effect] {
    guard let scan, id == nil || id == scan.id else { return [.refused(.noScan)] }
    guard mayAct(owner, on: scan) else { return [.refused(.busy(holder: scan.request.owner))] }
    switch phase {
    case .waiting(_, let success):
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

  mutating func recorded(_ isFirst: Bool?, at now: Double) -> [Effect] {
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
      seen.markReported(Self.key(success.symbol, refused: .replayed), at: now)
      let result = PictureVerdict(verdict: verdict, symbol: success.symbol, corners: success.symbol.corners)
      return [.invalid(scan, .replayed, result)] + (ending ?? [.changed])
    case nil:
      if ending == nil { phase = .waiting(scan, success) }
      return [.notRecorded(scan)] + (ending ?? [])
    }
  }

  mutating func cancel(_ id: String?, by owner: Owner?, at now: Double) -> [Effect] {
    guard let scan, id == nil || id == scan.id else { return [.refused(.noScan)] }
    guard mayAct(owner, on: scan) else { return [.refused(.busy(holder: scan.request.owner))] }
    if case .confirming = phase { return [.refused(.confirming)] }
    return end(.cancelled, by: owner)
  }

  mutating func left(_ owner: Owner) -> [Effect] {
    guard let scan, scan.request.owner == owner else { return [] }
    // A code that is being written is used up, whoever is still there to hear of it.
    if case .confirming(let scan, let success, let confirmer, _) = phase {
      phase = .confirming(scan, success, by: confirmer, isAbandoned: true)
      return []
    }
    return end(.disconnected, by: owner)
  }

  mutating func configure(_ settings: Settings) -> [Effect] {
    let before = self.settings.autoBegin
    self.settings = settings
    seen.awayAfter = settings.newAfter
    // A scan that the service armed and should not have any more ends.
    if case .scanning(let scan) = phase, scan.request.owner == nil, before != nil, settings.autoBegin != before {
      return end(.cancelled, by: nil)
    }
    return [.changed]
  }

  mutating func tick(at now: Double) -> [Effect] {
    guard let deadline, now >= deadline, let scan else { return [] }
    // A scan that read something has had its say.
    if hasRead { return end(.timedOut, by: nil) }
    phase = .idle
    return [
      .unsuccessful(scan, evidence.reason, missing: evidence.missing ?? [], corners: evidence.corners),
      .ended(scan, .timedOut, by: nil), .changed,
    ]
  }
}
