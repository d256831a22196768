import WaymarkImage

/// Which of the followed anchors a claim shows again, and which of two copies holds a place, where several copies of an anchor are allowed.
///
/// Copies look the same. Only their places tell them apart, so that a copy is known by where it was and keeps its number as long as it is followed.
struct CopyRoster {
  /// The place of a claim among the anchors that are followed.
  enum Seat {
    /// It is followed, or the number of its copies that is allowed is reached.
    case taken
    /// It was followed a moment ago: the index of what is kept of it.
    case again(Int)
    /// It is new.
    case free
  }

  let copies: AnchorCopies
  /// The number of the last copy that was taken up.
  var lastCopy = 0

  init(_ copies: AnchorCopies) { self.copies = copies }

  /// The seat of a claim.
  ///
  /// - Parameter corners: of the claim, without the lens's distortion.
  func seat(of anchor: Int, _ name: String, at corners: Quadrilateral, among anchors: [FollowedAnchor]) -> Seat {
    let allowed = copies.allowed(of: name)
    guard allowed > 1 else {
      guard let own = anchors.firstIndex(where: { $0.index == anchor }) else { return .free }
      return anchors[own].isSeen ? .taken : .again(own)
    }
    var seen = 0
    var kept: Int?
    for (i, other) in anchors.enumerated() where other.index == anchor {
      let isHere = other.place.overlaps(corners)
      if other.isSeen {
        if isHere { return .taken }
        seen += 1
      } else if isHere, kept == nil {
        kept = i
      }
    }
    guard seen < allowed else { return .taken }
    if let kept { return .again(kept) }
    return anchors.count(where: { $0.copy != nil }) < AnchorCopies.most ? .free : .taken
  }

  /// The number of a copy that is taken up; `nil` where one is allowed.
  mutating func number(_ name: String) -> Int? {
    guard copies.allowed(of: name) > 1 else { return nil }
    lastCopy += 1
    return lastCopy
  }

  /// Returns whether what was found for a followed copy is another one that is followed itself: alignment that lost its own copy holds on to
  /// the one beside it. Where two that were apart meet, the one that jumped gives way, of two that have met the younger one.
  func isAnother(_ corners: Quadrilateral, than i: Int, among anchors: [FollowedAnchor]) -> Bool {
    let own = anchors[i]
    guard let copy = own.copy else { return false }
    return anchors.contains { other in
      guard other.index == own.index, let rival = other.copy, rival != copy, other.isSeen,
        other.place.overlaps(corners)
      else { return false }
      let jumped =
        corners.center.distance(to: own.place.center) > corners.center.distance(to: other.place.center)
      return jumped || (rival < copy && own.place.overlaps(other.place))
    }
  }
}
