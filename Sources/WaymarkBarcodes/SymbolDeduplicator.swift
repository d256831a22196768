import WaymarkGeometry

/// Turns the readings of frame after frame into news: each code once, and again only after it was away.
///
/// Two codes of one content are two where one frame shows both: each is followed by its place, the nearest one being taken
/// for the same.
///
/// A value without a clock: the time of a frame is given, so that a test can make its own. What misreads easily (ITF,
/// Code 39, Codabar, UPC-E, short codes) is news only when two frames agree on it.
public struct SymbolDeduplicator: Sendable {
  /// What is known of one content.
  private struct Known: Sendable {
    var symbology: Symbology
    var bytes: [UInt8]
    /// Where it was seen last.
    var place: Point2
    var lastSeen: Double
    var frames: Int
    var isAnnounced: Bool
  }

  /// After so many seconds unseen a code is new again.
  public var absence: Double
  /// A frame that should confirm another must come within so many seconds.
  public var agreement: Double
  private var known: [Known] = []

  /// A deduplicator that has seen nothing.
  public init(absence: Double = 2, agreement: Double = 1) {
    self.absence = absence
    self.agreement = agreement
  }

  /// The symbols of a frame that are news.
  ///
  /// - Parameters:
  ///   - symbols: what was read in it.
  ///   - time: when it was captured, in seconds of any clock that does not go back.
  public mutating func handle(_ symbols: [Symbol], at time: Double) -> [Symbol] {
    known.removeAll { time - $0.lastSeen > ($0.isAnnounced ? absence : agreement) }
    var news: [Symbol] = []
    // Those that a symbol of this frame was taken for: no other symbol of it can be the same.
    var taken: Set<Int> = []
    for symbol in symbols {
      let place = symbol.corners.center
      let same = known.indices.filter { i in
        !taken.contains(i) && known[i].symbology == symbol.symbology && known[i].bytes == symbol.bytes
      }
      if let i = same.min(by: { known[$0].place.distance(to: place) < known[$1].place.distance(to: place) }) {
        taken.insert(i)
        known[i].place = place
        if known[i].lastSeen < time { known[i].frames += 1 }
        known[i].lastSeen = time
        if !known[i].isAnnounced, known[i].frames >= 2 {
          known[i].isAnnounced = true
          news.append(symbol)
        }
      } else {
        let announce = !symbol.needsSecondFrame
        taken.insert(known.count)
        known.append(
          Known(
            symbology: symbol.symbology, bytes: symbol.bytes, place: place, lastSeen: time, frames: 1,
            isAnnounced: announce))
        if announce { news.append(symbol) }
      }
    }
    return news
  }

  /// Forgets everything: the next frame is the first.
  public mutating func reset() { known.removeAll() }
}

extension Symbol {
  /// Whether one live frame is too little to believe it.
  var needsSecondFrame: Bool {
    switch symbology {
    case .itf, .code39, .codabar, .upcE: true
    case .ean13, .ean8, .upcA: quality < 8
    case .code128: text.utf8.count < 4
    default: false
    }
  }
}
