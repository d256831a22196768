import WaymarkBarcodes
import WaymarkOnboarding

/// The frames that an armed scan has looked at: which of their codes are news, what stood in the way of a read, and what a
/// person is advised.
struct ScanHistory: Sendable {
  /// The outcome of a frame for onboarding.
  enum News {
    case accepted(Symbol)
    case refused(InvalidReason)
    case advice(GuideAdvisor.Guidance)
  }

  private var seen: SeenCodes
  private var advisor = GuideAdvisor()
  /// Codes that were seen and not read.
  private(set) var evidence = ScanEvidence()
  /// Frames that were looked at.
  private(set) var frames = 0

  init(awayAfter: Double) { seen = SeenCodes(awayAfter: awayAfter) }

  /// Begins again for another scan; codes that were told before are still known.
  mutating func restart() {
    evidence = ScanEvidence()
    advisor.reset()
    frames = 0
  }

  /// Forgets the codes that were told.
  mutating func forgetCodes() { seen = SeenCodes(awayAfter: seen.awayAfter) }

  /// Sets the seconds out of view after which a code counts as new again.
  mutating func setAwayAfter(_ seconds: Double) { seen.awayAfter = seconds }

  /// Counts a frame.
  mutating func count() { frames += 1 }

  /// Notes that a code was told as refused.
  mutating func markRefused(_ symbol: Symbol, _ reason: InvalidReason, at now: Double) {
    seen.markReported(Self.key(symbol, refused: reason), at: now)
  }

  /// Takes the verdict on a frame; nil where it is not news.
  mutating func take(
    _ result: PictureVerdict, _ reading: ScanReading, accepting accepted: Set<Symbology>, at now: Double
  ) -> News? {
    evidence.add(result, reading)
    var inView = Set(reading.symbols.flatMap { [Self.key($0), Self.key($0, refused: .malformed)] })
    if result.verdict.outcome == .invalid(.ambiguous), let symbol = result.symbol {
      inView.insert(Self.key(symbol, refused: .ambiguous))
    }
    seen.update(inView, at: now)
    switch result.verdict.outcome {
    case .successful:
      guard let symbol = result.symbol else { return nil }
      advisor.reset()
      return isNews(symbol, Self.key(symbol), at: now) ? .accepted(symbol) : nil
    case .invalid(let reason):
      guard let symbol = result.symbol else { return nil }
      advisor.reset()
      return isNews(symbol, Self.key(symbol, refused: reason), at: now) ? .refused(reason) : nil
    case .unsuccessful: return advise(reading, accepted, at: now).map(News.advice)
    }
  }

  /// Takes the codes of a frame, the nearest to the middle first, and returns those that are new, `limit` of them at most.
  mutating func take(_ symbols: [Symbol], limit: Int, at now: Double) -> [Symbol] {
    seen.update(Set(symbols.map { Self.key($0) }), at: now)
    var news: [Symbol] = []
    for symbol in symbols where news.count < limit && isNews(symbol, Self.key(symbol), at: now) { news.append(symbol) }
    if !news.isEmpty { advisor.reset() }
    return news
  }

  /// Takes a frame without a code that is looked for, and returns what a person should do about it.
  mutating func takeEmpty(
    _ result: PictureVerdict, _ reading: ScanReading, accepting accepted: Set<Symbology>, at now: Double
  ) -> GuideAdvisor.Guidance? {
    evidence.add(result, reading)
    return advise(reading, accepted, at: now)
  }

  /// Returns whether a code is to be told, and notes that it is.
  private mutating func isNews(_ symbol: Symbol, _ key: SeenCodes.Key, at now: Double) -> Bool {
    guard seen.isNew(key, agreeing: Self.agreement(symbol)) else { return false }
    seen.markReported(key, at: now)
    return true
  }

  private mutating func advise(
    _ reading: ScanReading, _ accepted: Set<Symbology>, at now: Double
  ) -> GuideAdvisor.Guidance? {
    let wanted = reading.unread.filter { code in
      switch code.kind {
      case .qr: accepted.contains(.qr)
      case .matrix: accepted.contains { $0.isMatrix && $0 != .qr }
      case .bars: accepted.contains { !$0.isMatrix }
      }
    }
    return advisor.update(wanted, at: now)
  }

  /// Returns the identity of a code for the armed scan. A refused code is another than an accepted one: a token that was too
  /// early may be in time the next moment.
  private static func key(_ symbol: Symbol, refused reason: InvalidReason? = nil) -> SeenCodes.Key {
    switch reason {
    case nil:
      SeenCodes.Key(symbology: symbol.symbology, bytes: symbol.bytes, part: symbol.part, standing: .accepted)
    // Two acceptable codes take turns in being nearest; they are one state of affairs.
    case .ambiguous: SeenCodes.Key(symbology: nil, bytes: [], standing: .ambiguous)
    case _?: SeenCodes.Key(symbology: symbol.symbology, bytes: symbol.bytes, standing: .refused)
    }
  }

  /// How many frames must agree before a code is told. QR corrects its errors; bars without that are trusted when
  /// another frame says the same. A part of a message waits for a moment in which the others may be read too.
  private static func agreement(_ symbol: Symbol) -> Int {
    if symbol.part != nil { return 3 }
    return symbol.symbology.isMatrix ? 1 : 2
  }
}
