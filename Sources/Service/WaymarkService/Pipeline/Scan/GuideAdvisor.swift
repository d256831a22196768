package import WaymarkBarcodes
package import WaymarkImage

/// Turns the hints of single frames into advice that a person can follow: it holds for a while before it is given, and
/// is not given again and again.
package struct GuideAdvisor: Sendable {
  /// Advice for a person.
  package struct Guidance: Hashable, Sendable {
    package let advice: UnreadCode.Advice
    package let corners: Quadrilateral?
  }

  /// Seconds that a hint must hold before it is given.
  private static let settling = 0.4
  /// Frames that must show it in that time.
  private static let leastFrames = 2
  /// Seconds without the hint after which it no longer holds.
  private static let trackTimeout = 0.5
  /// Seconds between two pieces of advice at least.
  private static let interval = 0.8
  /// Seconds after which the same advice is given again, with the code's new place.
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

  /// Takes the hints of one frame; returns advice when it is time for some.
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
    // An advice stands as long as it holds: two hints that take turns must not make the advice flicker.
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

  /// A code was read: whatever was wrong is over.
  package mutating func reset() {
    tracks = [:]
    given = nil
  }

  private mutating func emit(_ advice: UnreadCode.Advice, _ track: Track, _ now: Double) -> Guidance {
    given = (advice, now)
    return Guidance(advice: advice, corners: track.corners)
  }
}
