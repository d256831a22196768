package import WaymarkBarcodes
package import WaymarkImage
import WaymarkOnboarding
import WaymarkProtocol

/// The history of an armed scan's frames. It decides which codes are new (`SeenCodes`), why no code was read (`ScanEvidence`), and
/// which advice a person receives (`GuideAdvisor`).
struct ScanHistory: Sendable {
  /// The result of a frame in onboarding mode.
  enum Finding {
    case accepted(Symbol)
    case refused(InvalidReason)
    case advice(GuideAdvisor.Guidance)
  }

  private var seen: SeenCodes
  private var advisor = GuideAdvisor()
  /// The evidence for why no code was accepted.
  private(set) var evidence = ScanEvidence()
  private(set) var frames = 0

  init(awayAfter: Double) { seen = SeenCodes(awayAfter: awayAfter) }

  /// Starts over for another scan. Reported codes stay known.
  mutating func restart() {
    evidence = ScanEvidence()
    advisor.reset()
    frames = 0
  }

  mutating func forgetCodes() { seen = SeenCodes(awayAfter: seen.awayAfter) }

  /// Sets the seconds that a code must be out of view before it is reported again.
  mutating func setAwayAfter(_ seconds: Double) { seen.awayAfter = seconds }

  mutating func count() { frames += 1 }

  mutating func markRefused(_ symbol: Symbol, _ reason: InvalidReason, at now: Double) {
    seen.markReported(Self.key(symbol, refused: reason), at: now)
  }

  /// Adds a frame of an onboarding scan.
  ///
  /// - Returns: the result to publish; nil if it was already published.
  mutating func take(
    _ result: PictureVerdict, _ reading: ScanReading, accepting accepted: Set<Symbology>, at now: Double
  ) -> Finding? {
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
      return isNew(symbol, Self.key(symbol), at: now) ? .accepted(symbol) : nil
    case .invalid(let reason):
      guard let symbol = result.symbol else { return nil }
      advisor.reset()
      let key = Self.key(symbol, refused: reason)
      let isNew = isNew(symbol, key, at: now)
      if seen.isReported(key) { evidence.hasRefused = true }
      return isNew ? .refused(reason) : nil
    case .unsuccessful: return advise(reading, accepted, at: now).map(Finding.advice)
    }
  }

  /// Adds the codes of a frame, the nearest to the middle first, and returns the first new codes, at most `limit`.
  mutating func take(_ symbols: [Symbol], limit: Int, at now: Double) -> [Symbol] {
    seen.update(Set(symbols.map { Self.key($0) }), at: now)
    var news: [Symbol] = []
    for symbol in symbols where news.count < limit && isNew(symbol, Self.key(symbol), at: now) { news.append(symbol) }
    if !news.isEmpty { advisor.reset() }
    return news
  }

  /// Adds a frame without a code of the requested symbologies, and returns advice for a person; `nil` if no advice is due.
  mutating func takeEmpty(
    _ result: PictureVerdict, _ reading: ScanReading, accepting accepted: Set<Symbology>, at now: Double
  ) -> GuideAdvisor.Guidance? {
    evidence.add(result, reading)
    return advise(reading, accepted, at: now)
  }

  /// Returns whether a code is to be reported, and marks it as reported.
  private mutating func isNew(_ symbol: Symbol, _ key: SeenCodes.Key, at now: Double) -> Bool {
    let isLasting = symbol.mayBePart && !seen.hasMoved(key, to: symbol.corners.center)
    guard seen.isNew(key, agreeing: isLasting ? Self.lasting : Self.agreement(symbol)) else { return false }
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

  /// Returns the identity of a code in the history. It includes whether the code was refused, because a token that is not valid yet
  /// may be valid the next moment.
  private static func key(_ symbol: Symbol, refused reason: InvalidReason? = nil) -> SeenCodes.Key {
    switch reason {
    case nil:
      SeenCodes.Key(symbology: symbol.symbology, bytes: symbol.bytes, part: symbol.part, outcome: .accepted)
    // Two acceptable codes may alternate in being nearest to the middle; both share one key.
    case .ambiguous: SeenCodes.Key(symbology: nil, bytes: [], outcome: .ambiguous)
    case _?: SeenCodes.Key(symbology: symbol.symbology, bytes: symbol.bytes, outcome: .refused)
    }
  }

  /// The number of frames that must agree on a content that may be a part of a longer content, while the code does not move.
  private static let lasting = 5

  /// Returns the number of frames that must agree before a code is reported: one for matrix codes, which have error
  /// correction; two for linear codes; three for a part of a message, so that the other parts may be read meanwhile.
  private static func agreement(_ symbol: Symbol) -> Int {
    if symbol.part != nil { return 3 }
    return symbol.symbology.isMatrix ? 1 : 2
  }
}

// MARK: - Codes in view

/// The codes in view. Each is reported once until it has been out of view for `awayAfter` seconds.
struct SeenCodes: Sendable {
  struct Key: Hashable, Sendable {
    var symbology: Symbology?
    var bytes: [UInt8]
    /// The part of a message, since several parts may have the same bytes.
    var part: SymbolPart?
    var outcome: Outcome
  }

  /// The result with which a code is reported.
  enum Outcome: Hashable, Sendable {
    case accepted, refused, ambiguous
  }

  private struct Sighting: Sendable {
    var lastSeen: Double
    var lastLook: Int
    var looks: Int
    var isReported: Bool
    /// The position at which the code was first seen, in pixels, and whether a later frame showed it at another position.
    var place: Point2?
    var hasMoved = false
  }

  /// The seconds that a code must be out of view before it is reported again.
  var awayAfter: Double
  private var sightings: [Key: Sighting] = [:]
  private var look = 0

  init(awayAfter: Double) { self.awayAfter = awayAfter }

  /// Adds the codes of a frame and forgets codes that have been out of view for `awayAfter` seconds. The codes of this frame are
  /// kept, however long ago the last frame was.
  mutating func update(_ keys: Set<Key>, at now: Double) {
    look += 1
    for key in keys {
      var sighting = sightings[key] ?? Sighting(lastSeen: now, lastLook: look, looks: 0, isReported: false)
      // Only frames close to each other count as agreeing, because the same misreading is unlikely to come back so soon.
      if look - sighting.lastLook > Self.agreementLooks, !sighting.isReported {
        (sighting.looks, sighting.place, sighting.hasMoved) = (0, nil, false)
      }
      sighting.looks += 1
      sighting.lastLook = look
      sighting.lastSeen = now
      sightings[key] = sighting
    }
    sightings = sightings.filter { keys.contains($0.key) || now - $0.value.lastSeen < awayAfter }
  }

  /// Adds the code's position in this frame, in pixels, and returns whether the code has moved since it was first seen.
  mutating func hasMoved(_ key: Key, to place: Point2) -> Bool {
    guard let first = sightings[key]?.place else {
      sightings[key]?.place = place
      return false
    }
    if first.distance(to: place) > Self.leastMove { sightings[key]?.hasMoved = true }
    return sightings[key]?.hasMoved == true
  }

  /// Returns whether the code was seen in at least `count` frames near each other and was not reported yet.
  func isNew(_ key: Key, agreeing count: Int) -> Bool {
    guard let sighting = sightings[key] else { return count <= 1 }
    return !sighting.isReported && sighting.looks >= count
  }

  /// Returns whether the code was reported and is still in view.
  func isReported(_ key: Key) -> Bool { sightings[key]?.isReported ?? false }

  mutating func markReported(_ key: Key, at now: Double) {
    sightings[key, default: Sighting(lastSeen: now, lastLook: look, looks: 1, isReported: true)].isReported = true
  }

  /// The minimum distance of a movement, in pixels, since smaller differences are noise of the outline.
  private static let leastMove = 2.0

  /// The largest distance, in frames, between two sightings of a code that count as agreeing: both are within five consecutive
  /// frames.
  private static let agreementLooks = 4
}

// MARK: - Evidence

/// The evidence of codes that were not read or not accepted, which gives the reason if the scan times out.
struct ScanEvidence: Sendable {
  private var frames = 0
  private var unreadable = 0
  private var others = 0
  /// True if a code was read and refused.
  var hasRefused = false
  private(set) var missing: [Int]?
  private(set) var corners: Quadrilateral?

  mutating func add(_ result: PictureVerdict, _ reading: ScanReading) {
    frames += 1
    switch result.verdict.outcome {
    case .unsuccessful(.incomplete):
      // The frame with the most parts has the fewest missing parts.
      if missing.map({ result.verdict.missing.count <= $0.count }) ?? true { missing = result.verdict.missing }
      corners = result.corners
    case .unsuccessful(.codeNotReadable):
      unreadable += 1
      if missing == nil { corners = result.corners ?? corners }
    case .unsuccessful(.notQR): others += 1
    default: break
    }
  }

  /// The reason why no acceptable code was read. Unread codes and codes of other symbologies count only if they are in two frames,
  /// unless there is only one frame.
  var reason: UnsuccessfulReason {
    if hasRefused { return .codeRefused }
    let enough = min(2, max(1, frames))
    if missing != nil { return .incomplete }
    if unreadable >= enough { return .codeNotReadable }
    return others >= enough ? .notQR : .nothingFound
  }
}

// MARK: - Advice

/// Turns the hints of single frames into advice for a person. A hint becomes advice after it has persisted for a while, and advice
/// is repeated only at intervals.
package struct GuideAdvisor: Sendable {
  package struct Guidance: Hashable, Sendable {
    package let advice: UnreadCode.Advice
    package let corners: Quadrilateral?
  }

  /// The seconds that a hint has to persist before it becomes advice.
  private static let settling = 0.4
  /// The least number of frames that must have the hint in this time.
  private static let leastFrames = 2
  /// The seconds without a hint after which the hint is forgotten.
  private static let trackTimeout = 0.5
  /// The minimum seconds between two pieces of advice.
  private static let interval = 0.8
  /// The seconds after which the same advice is repeated, with the current position of the code.
  private static let reminder = 2.0

  private struct Track: Sendable {
    var since: Double
    var last: Double
    var frames: Int
    var corners: Quadrilateral?
  }

  private var tracks: [UnreadCode.Advice: Track] = [:]
  private var given: (advice: UnreadCode.Advice, at: Double)?

  package init() {}

  /// Adds the hints of a frame; returns advice if it is due, otherwise nil.
  package mutating func update(_ unread: [UnreadCode], at now: Double) -> Guidance? {
    tracks = tracks.filter { now - $0.value.last <= Self.trackTimeout }
    for code in unread {
      guard let advice = code.advice else { continue }
      var track = tracks[advice] ?? Track(since: now, last: now, frames: 0, corners: nil)
      if track.last < now || track.frames == 0 { track.frames += 1 }
      track.last = now
      track.corners = code.corners
      tracks[advice] = track
    }
    let settled = tracks.filter { now - $0.value.since >= Self.settling && $0.value.frames >= Self.leastFrames }
    // Advice stays as long as its hint persists, so that two alternating hints do not make it flicker.
    if let given, let track = settled[given.advice] {
      guard now - given.at >= Self.reminder else { return nil }
      return emit(given.advice, track, now)
    }
    guard let next = settled.max(by: { ($0.value.frames, $1.key.rawValue) < ($1.value.frames, $0.key.rawValue) }) else {
      return nil
    }
    if let given, now - given.at < Self.interval { return nil }
    return emit(next.key, next.value, now)
  }

  /// Forgets the hints, after a code was read.
  package mutating func reset() {
    tracks = [:]
    given = nil
  }

  private mutating func emit(_ advice: UnreadCode.Advice, _ track: Track, _ now: Double) -> Guidance {
    given = (advice, now)
    return Guidance(advice: advice, corners: track.corners)
  }
}
