import WaymarkImage

/// What is claimed in the frame that is searched.
struct FrameClaims {
  /// How many copies of each anchor are claimed.
  var limits: CopyLimits
  /// Claims of earlier looks at the same frame, of anchors with copies.
  private(set) var told: [DetectedAnchor] = []
  private(set) var found: [DetectedAnchor] = []

  init(limits: CopyLimits) {
    self.limits = limits
    found.reserveCapacity(2 * AnchorCopies.most)
  }

  /// All of them, those of earlier looks first.
  var all: [DetectedAnchor] { told + found }

  /// Begins a look.
  ///
  /// - Parameters:
  ///   - others: claims of earlier looks at the same frame.
  ///   - scale: from their pixels to those of the picture that is searched.
  mutating func begin(beside others: [DetectedAnchor], scale: Double) {
    found.removeAll(keepingCapacity: true)
    told.removeAll(keepingCapacity: true)
    for var claim in others where limits[claim.anchor] > 1 {
      claim.map = claim.map.resized(by: scale)
      told.append(claim)
    }
  }

  mutating func add(_ claim: DetectedAnchor) { found.append(claim) }

  /// Adds a further copy, unless all copies of its anchor are claimed or it lies on another claim.
  mutating func addCopy(_ claim: DetectedAnchor) -> Bool {
    guard limits.allow(claim, beside: all) else { return false }
    found.append(claim)
    return true
  }

  /// True if an anchor was found in the frame and there may be another copy of it.
  func isFurther(_ anchor: Int) -> Bool {
    let count = told.count { $0.anchor == anchor } + found.count { $0.anchor == anchor }
    return count > 0 && count < limits[anchor]
  }

  /// The planes on which an anchor was found.
  func planes(of anchor: Int) -> CopyPlanes {
    var planes = CopyPlanes()
    for claim in all where claim.anchor == anchor {
      if case .plane(let map) = claim.map, let outline = limits.outline(claim) { planes.add(map, outline) }
    }
    return planes
  }

  /// Returns whether this look has claimed as many of an anchor as are allowed.
  func isComplete(_ anchor: Int) -> Bool { found.count { $0.anchor == anchor } >= limits[anchor] }

  /// Gives the place of a claim to it or to the claim of an anchor that looks alike, to the one that fits better.
  ///
  /// - Parameter outline: of the claim, in the frame.
  /// - Returns: False if the place stays with the other one; where it does not, that one is taken back.
  mutating func makeRoom(for claim: DetectedAnchor, _ outline: Quadrilateral) -> Bool {
    guard let other = found.indices.first(where: { covers(found[$0], outline) }) else { return true }
    guard !claim.rivals.contains(found[other].anchor), found[other].score < claim.score else { return false }
    found.remove(at: other)
    return true
  }

  /// Returns whether a claim and an outline stand for the same thing in the frame: each holds the other's centre.
  private func covers(_ claim: DetectedAnchor, _ outline: Quadrilateral) -> Bool {
    guard let other = limits.outline(claim) else { return false }
    return other.contains(outline.center) && outline.contains(other.center)
  }

  /// Ends a look.
  ///
  /// - Parameter scale: from the pixels of the searched picture to those of the frame.
  /// - Returns: Its claims, the surest first.
  mutating func end(scale: Double) -> [DetectedAnchor] {
    found.sort { ($1.score, $0.anchor) < ($0.score, $1.anchor) }
    if scale != 1 {
      for i in found.indices { found[i].map = found[i].map.resized(by: scale) }
    }
    return found
  }
}
