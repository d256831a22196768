import WaymarkGeometry

/// Further copies of the anchors that were found in a frame.
extension AnchorDetector {
  /// The fewest features that agree with a copy whose shape is known.
  private static let fewestOfCopy = 3

  /// How many wrong hypotheses of further copies end the search for them in one look, besides as many as there are copies: what was found
  /// speaks for more of it.
  private static let copyAttempts = 6
  /// How many wrong places beside copies end it likewise.
  private static let neighbourAttempts = 12
  /// The deviation of the shape that the plane of a copy tells.
  private static let ofCopy = 0.04

  /// Looks for further copies of the anchors that were found, the best supported hypothesis of all of them first: those on the planes of
  /// the copies found so far, then any other.
  ///
  /// Matches inside an accepted outline are its own; those of a hypothesis that failed are struck out, so that the next one is another.
  /// All copies share the wrong hypotheses that a look has time for.
  func searchCopies(_ set: FeatureSet, minimum: Int) {
    let features = set.features
    var waiting: [Hypothesis] = []
    func propose(_ anchor: Int) {
      waiting.removeAll { $0.anchor == anchor }
      guard isFurther(anchor),
        let next = hypotheses.next(of: anchor, on: planes(of: anchor), lookup.matches, features: features)
          ?? hypotheses.next(of: anchor, lookup.matches, features: features, minimum: minimum)
      else { return }
      waiting.append(next)
    }
    func strike(_ claim: DetectedAnchor) {
      guard let outline = limits.outline(claim) else { return }
      for anchor in limits.several {
        hypotheses.strike(of: anchor, in: outline, lookup.matches, features: features)
      }
      // A hypothesis that waits may be of this very thing.
      for spent in waiting where outline.contains(Point2(Double(spent.origin.x), Double(spent.origin.y))) {
        propose(spent.anchor)
      }
    }
    for claim in detections { strike(claim) }
    for claim in told + detections where !waiting.contains(where: { $0.anchor == claim.anchor }) {
      propose(claim.anchor)
    }
    var failures = 0
    while failures < Self.copyAttempts + detections.count, detections.count < AnchorCopies.most,
      let best = waiting.max(by: { $0.support < $1.support })
    {
      let claim = verify(best, set)
      hypotheses.strike(supporting: best, lookup.matches, features: features)
      if let claim, limits.allow(claim, beside: told + detections) {
        detections.append(claim)
        strike(claim)
        // It may have gone to a picture that looks alike.
        propose(claim.anchor)
      } else {
        failures += 1
      }
      propose(best.anchor)
    }
  }

  /// Looks beside every copy, also beside those that this brings: a row goes on, and pictures of which hardly a corner is told apart from the
  /// next are known by their intensities.
  func searchNeighbours(in size: Point2) {
    var claims = (told + detections).compactMap(limits.outline)
    let known = told.count
    var (next, failures) = (0, 0)
    while next < known + detections.count, failures < Self.neighbourAttempts, detections.count < AnchorCopies.most {
      let copy = next < known ? told[next] : detections[next - known]
      next += 1
      guard isFurther(copy.anchor), case .plane(let map) = copy.map else { continue }
      let reference = library.references[copy.anchor]
      for place in neighbours.beside(map, reference, in: size, except: claims, doubled: sight.doubled != nil) {
        guard let found = prover.look(for: template(copy.anchor), around: place, in: sight, except: claims) else {
          continue
        }
        let expected = place.outline(width: Double(reference.width), height: Double(reference.height))
        if let claim = claim(copy.anchor, found, 0, expected: expected),
          limits.allow(claim, beside: told + detections)
        {
          detections.append(claim)
          claims += [claim].compactMap(limits.outline)
        } else {
          failures += 1
        }
      }
    }
  }

  /// True if an anchor was found in the frame and there may be another copy of it.
  private func isFurther(_ anchor: Int) -> Bool {
    let claims = [told, detections].reduce(0) { $0 + $1.count(where: { $0.anchor == anchor }) }
    return claims > 0 && claims < limits[anchor]
  }

  private func planes(of anchor: Int) -> CopyPlanes {
    var planes = CopyPlanes()
    for claim in told + detections where claim.anchor == anchor {
      if case .plane(let map) = claim.map, let outline = limits.outline(claim) { planes.add(map, outline) }
    }
    return planes
  }

  /// The claim of a copy that stands where the plane of another one puts it.
  func confirm(_ predicted: Homography, _ anchor: Int, _ features: FeatureSet) -> DetectedAnchor? {
    let reference = library.references[anchor]
    guard let expected = predicted.outline(width: Double(reference.width), height: Double(reference.height)) else {
      return nil
    }
    var map = predicted
    let radii: InlineArray<2, Double> = [min(24, max(6, 0.08 * expected.signedArea.squareRoot())), 4]
    for round in radii.indices {
      guided.run(anchor, .plane(map), radius: Float(radii[round]), features)
      let found = UnsafeBufferPointer(rebasing: guided.pairs[..<guided.count])
      guard let better = map.steadied(by: found, looseness: Self.ofCopy, sigma: 2) else { return nil }
      map = better
    }
    let inliers = agreeing(with: map)
    return inliers >= Self.fewestOfCopy ? claim(anchor, .plane(map), inliers, expected: expected) : nil
  }
}
