import WaymarkBarcodes

/// The codes in view, so that each is reported once until it has been out of view for a while.
struct SeenCodes: Sendable {
  /// The identity of a code.
  struct Key: Hashable, Sendable {
    var symbology: Symbology?
    var bytes: [UInt8]
    /// Parts of a message may say the same.
    var part: SymbolPart?
    var standing: Standing
  }

  /// The state of a code when it was last reported.
  enum Standing: Hashable, Sendable {
    case accepted, refused, ambiguous
  }

  private struct Sighting: Sendable {
    var lastSeen: Double
    var lastLook: Int
    var looks: Int
    var isReported: Bool
  }

  /// Seconds out of view after which a code counts as new again.
  var awayAfter: Double
  private var sightings: [Key: Sighting] = [:]
  private var look = 0

  init(awayAfter: Double) { self.awayAfter = awayAfter }

  /// Notes what one frame shows and forgets what has been away. Time in which nobody looked is not time away.
  mutating func update(_ keys: Set<Key>, at now: Double) {
    look += 1
    for key in keys {
      var sighting = sightings[key] ?? Sighting(lastSeen: now, lastLook: look, looks: 0, isReported: false)
      // Agreement is of frames near each other: a misreading does not come back so soon.
      if look - sighting.lastLook > Self.agreementLooks, !sighting.isReported { sighting.looks = 0 }
      sighting.looks += 1
      sighting.lastLook = look
      sighting.lastSeen = now
      sightings[key] = sighting
    }
    sightings = sightings.filter { keys.contains($0.key) || now - $0.value.lastSeen < awayAfter }
  }

  /// Returns whether the code was seen in at least so many frames near each other and not told yet.
  func isNew(_ key: Key, agreeing count: Int) -> Bool {
    guard let sighting = sightings[key] else { return count <= 1 }
    return !sighting.isReported && sighting.looks >= count
  }

  /// Notes that a code was told.
  mutating func markReported(_ key: Key, at now: Double) {
    sightings[key, default: Sighting(lastSeen: now, lastLook: look, looks: 1, isReported: true)].isReported = true
  }

  /// Two of five frames in a row.
  private static let agreementLooks = 4
}
