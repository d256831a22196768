/// A signal for a person without a screen.
package enum Cue: String, CaseIterable, Sendable {
  /// A code was read.
  case read
  /// A code was accepted for onboarding.
  case accepted
  /// A code was refused, or nothing could be read.
  case refused

  /// The cue for an event of the socket; nil for one that nobody need feel.
  ///
  /// - Parameters:
  ///   - event: its name on the wire.
  ///   - hasKind: whether it carries a verdict's kind.
  package init?(event: String, hasKind: Bool) {
    switch event {
    case "scan.successful": self = hasKind ? .accepted : .read
    case "scan.invalid", "scan.unsuccessful": self = .refused
    default: return nil
    }
  }

  /// Cues from their words, separated by commas; `all` is all of them. Nil where a word is none.
  package static func list(_ text: String) -> Set<Cue>? {
    if text == "all" { return Set(allCases) }
    let words = text.split(separator: ",", omittingEmptySubsequences: false).map { Cue(rawValue: String($0)) }
    let cues = words.compactMap { $0 }
    return cues.count == words.count ? Set(cues) : nil
  }

  /// How long something is on and off, in turn, in seconds: one, two and three beats, told apart by touch and from afar.
  var beats: [Double] {
    switch self {
    case .read: [0.12]
    case .accepted: [0.12, 0.08, 0.12]
    case .refused: [0.06, 0.06, 0.06, 0.06, 0.06]
    }
  }
}
