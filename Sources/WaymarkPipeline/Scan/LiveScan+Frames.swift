import WaymarkBarcodes
import WaymarkGeometry
import WaymarkOnboarding
import WaymarkSymbologies

extension LiveScan {
  /// Returns the identity of a code for the armed scan. A refused code is another than an accepted one: a token that was too
  /// early may be in time the next moment.
  static func key(_ symbol: Symbol, refused reason: InvalidReason? = nil) -> SeenCodes.Key {
    switch reason {
    case nil:
      SeenCodes.Key(symbology: symbol.symbology, bytes: symbol.bytes, part: symbol.part, standing: .accepted)
    // Two acceptable codes take turns in being nearest; they are one state of affairs.
    case .ambiguous: SeenCodes.Key(symbology: nil, bytes: [], standing: .ambiguous)
    case _?: SeenCodes.Key(symbology: symbol.symbology, bytes: symbol.bytes, standing: .refused)
    }
  }

  mutating func look(_ look: Observation, at now: Double) -> [Effect] {
    let due = tick(at: now)
    // A frame from before the scan was armed shows what was, not what is.
    guard due.isEmpty, case .scanning(let scan) = phase, look.captured >= scan.begun else { return due }
    frames += 1
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
    evidence.add(result, reading)
    var inView = Set(reading.symbols.flatMap { [Self.key($0), Self.key($0, refused: .malformed)] })
    if result.verdict.outcome == .invalid(.ambiguous), let symbol = result.symbol {
      inView.insert(Self.key(symbol, refused: .ambiguous))
    }
    seen.update(inView, at: now)
    switch result.verdict.outcome {
    case .successful:
      guard let symbol = result.symbol else { return [] }
      advisor.reset()
      guard seen.isNew(Self.key(symbol), agreeing: Self.agreement(symbol)) else { return [] }
      seen.markReported(Self.key(symbol), at: now)
      hasRead = true
      let success = Success(symbol: symbol, verdict: result.verdict)
      phase = .waiting(scan, success)
      return [.successful(scan, success), .changed]
    case .invalid(let reason):
      guard let symbol = result.symbol else { return [] }
      advisor.reset()
      let key = Self.key(symbol, refused: reason)
      guard seen.isNew(key, agreeing: Self.agreement(symbol)) else { return [] }
      seen.markReported(key, at: now)
      return [.invalid(scan, reason, result)]
    case .unsuccessful:
      return advise(scan, reading, accepted, at: now)
    }
  }

  private mutating func lookForCodes(_ scan: Scan, _ reading: ScanReading, _ look: Observation, at now: Double)
    -> [Effect]
  {
    let wanted = symbologies(of: scan)
    let symbols = reading.symbols.filter { wanted.contains($0.symbology) }
    seen.update(Set(symbols.map { Self.key($0) }), at: now)
    let center = scan.request.region.center(in: look.size)
    // The nearest to the middle first: it is the one meant when only one is wanted.
    let order = symbols.sorted { $0.corners.center.distance(to: center) < $1.corners.center.distance(to: center) }
    var effects: [Effect] = []
    for symbol in order where seen.isNew(Self.key(symbol), agreeing: Self.agreement(symbol)) {
      seen.markReported(Self.key(symbol), at: now)
      hasRead = true
      lastRead = now
      effects.append(.successful(scan, Success(symbol: symbol, verdict: nil)))
      if scan.request.once {
        phase = .idle
        effects.append(.ended(scan, .once, by: nil))
        break
      }
    }
    if !effects.isEmpty {
      advisor.reset()
      return effects + [.changed]
    }
    if !symbols.isEmpty { return [] }
    let verdict = look.judge.verdict(on: reading, center: center, accepting: wanted, now: look.date)
    evidence.add(verdict, reading)
    return advise(scan, reading, wanted, at: now)
  }

  private mutating func advise(
    _ scan: Scan, _ reading: ScanReading, _ accepted: Set<Symbology>, at now: Double
  ) -> [Effect] {
    let wanted = reading.unread.filter { code in
      switch code.kind {
      case .qr: accepted.contains(.qr)
      case .matrix: accepted.contains { $0.isMatrix && $0 != .qr }
      case .bars: accepted.contains { !$0.isMatrix }
      }
    }
    return advisor.update(wanted, at: now).map { [.guide(scan, $0)] } ?? []
  }

  /// How many frames must agree before a code is told. QR corrects its errors; bars without that are trusted when
  /// another frame says the same. A part of a message waits for a moment in which the others may be read too.
  private static func agreement(_ symbol: Symbol) -> Int {
    if symbol.part != nil { return 3 }
    return symbol.symbology.isMatrix ? 1 : 2
  }
}
