import WaymarkImage

/// Searches for further copies of the anchors found in a frame: by their features (`run`), and beside the copies found
/// (`runBeside`).
///
/// `NeighbourPlaces` below returns the positions to search.
///
/// Use it from one thread at a time.
final class CopySearch {
  private let library: AnchorLibrary
  private let lookup: FeatureLookup
  private let hypotheses: HypothesisSearch
  private let verifier: HypothesisVerifier
  private var neighbours = NeighbourPlaces()

  init(
    library: AnchorLibrary, _ lookup: FeatureLookup, _ hypotheses: HypothesisSearch, _ verifier: HypothesisVerifier
  ) {
    self.library = library
    self.lookup = lookup
    self.hypotheses = hypotheses
    self.verifier = verifier
  }

  /// The search for further copies in one look ends after this many wrong hypotheses. Each copy found raises the number by one,
  /// because it makes further copies likelier.
  private static let attempts = 6
  /// The search beside copies ends after this many wrong positions.
  private static let neighbourAttempts = 12

  /// Forgets the positions searched in the last frame.
  func beginFrame() { neighbours.beginFrame() }

  /// Searches for further copies of the found anchors, the best supported hypothesis first. For each anchor, a hypothesis on the
  /// planes of its copies found so far is preferred to all others.
  ///
  /// Matches inside an accepted outline belong to the copy there. The matches of a failed hypothesis are removed, so that the next
  /// hypothesis differs. The limit on wrong hypotheses is common to all anchors.
  ///
  /// - Parameter minimum: The least number of matches for a hypothesis that is on no known plane.
  func run(_ set: FeatureSet, minimum: Int, _ claims: inout FrameClaims) {
    let features = set.features
    var waiting: [Hypothesis] = []
    func propose(_ anchor: Int, _ claims: FrameClaims) {
      waiting.removeAll { $0.anchor == anchor }
      guard claims.isFurther(anchor),
        let next = hypotheses.next(of: anchor, on: claims.planes(of: anchor), lookup.matches, features: features)
          ?? hypotheses.next(of: anchor, lookup.matches, features: features, minimum: minimum)
      else { return }
      waiting.append(next)
    }
    func strike(_ claim: DetectedAnchor, _ claims: FrameClaims) {
      guard let outline = claims.limits.outline(claim) else { return }
      for anchor in claims.limits.several {
        hypotheses.strike(of: anchor, in: outline, lookup.matches, features: features)
      }
      // A waiting hypothesis may show the copy that was just found.
      for spent in waiting where outline.contains(Point2(Double(spent.origin.x), Double(spent.origin.y))) {
        propose(spent.anchor, claims)
      }
    }
    for claim in claims.found { strike(claim, claims) }
    for claim in claims.all where !waiting.contains(where: { $0.anchor == claim.anchor }) {
      propose(claim.anchor, claims)
    }
    var failures = 0
    while failures < Self.attempts + claims.found.count, claims.found.count < AnchorCopies.most,
      let best = waiting.max(by: { $0.support < $1.support })
    {
      let claim = verifier.verify(best, set, &claims)
      hypotheses.strike(supporting: best, lookup.matches, features: features)
      if let claim, claims.addCopy(claim) {
        strike(claim, claims)
        // The verifier may have found that the copy shows another anchor, which looks alike.
        propose(claim.anchor, claims)
      } else {
        failures += 1
      }
      propose(best.anchor, claims)
    }
  }

  /// Searches beside every copy, including copies found by this search. Copies often form a row, and pictures with few distinct
  /// corners are recognised by their intensities.
  ///
  /// - Parameter size: The size of the searched picture in pixels.
  func runBeside(in size: Point2, _ claims: inout FrameClaims) {
    var outlines = claims.all.compactMap(claims.limits.outline)
    let known = claims.earlier.count
    var (next, failures) = (0, 0)
    while next < known + claims.found.count, failures < Self.neighbourAttempts, claims.found.count < AnchorCopies.most {
      let copy = next < known ? claims.earlier[next] : claims.found[next - known]
      next += 1
      guard claims.isFurther(copy.anchor), case .plane(let map) = copy.map else { continue }
      let places = neighbours.beside(
        map, library.references[copy.anchor], in: size, except: outlines, doubled: verifier.sight.doubled != nil)
      for place in places {
        let (isLike, claim) = verifier.look(for: copy.anchor, around: place, except: outlines, &claims)
        guard isLike else { continue }
        if let claim, claims.addCopy(claim) {
          outlines += [claim].compactMap(claims.limits.outline)
        } else {
          failures += 1
        }
      }
    }
  }
}

/// The positions at which further copies are searched for: to the right and left of a copy, below and above it, with a small gap.
///
/// A position is returned once per frame, and a second time when the frame is searched at double size.
struct NeighbourPlaces {
  /// The most positions in one frame, counted separately at double size.
  private static let most = 96
  /// The assumed distance between the centres of neighbouring copies, in widths or heights of a copy; the search around a position
  /// also finds copies that are nearer or farther by about a third.
  private static let pitch = 1.06

  private var tried: [Point2] = []
  private var triedDoubled: [Point2] = []

  /// Forgets the positions returned for the last frame.
  mutating func beginFrame() {
    tried.removeAll(keepingCapacity: true)
    triedDoubled.removeAll(keepingCapacity: true)
  }

  /// Returns the maps of an anchor moved to each side of a copy. Maps near the edge of the frame, on a detected anchor, or already
  /// returned for this frame are left out.
  ///
  /// - Parameters:
  ///   - map: The map of the copy.
  ///   - size: The size of the frame in pixels.
  ///   - claims: The outlines of the anchors detected so far.
  mutating func beside(
    _ map: Homography, _ reference: AnchorReference, in size: Point2, except claims: [Quadrilateral], doubled: Bool
  ) -> [Homography] {
    let (w, h) = (Double(reference.width), Double(reference.height))
    let steps = [Point2(w, 0), Point2(-w, 0), Point2(0, h), Point2(0, -h)]
    return steps.compactMap { step in
      let moved = map * Homography.translation(step * Self.pitch)
      guard let outline = moved.outline(width: w, height: h) else { return nil }
      let (center, side) = (outline.center, outline.signedArea.squareRoot())
      let margin = 0.4 * side
      let known = doubled ? triedDoubled : tried
      guard known.count < Self.most, center.x > margin, center.y > margin, center.x < size.x - margin,
        center.y < size.y - margin, !known.contains(where: { $0.distance(to: center) < 0.25 * side }),
        !claims.contains(where: { $0.contains(center) })
      else { return nil }
      if doubled { triedDoubled.append(center) } else { tried.append(center) }
      return moved
    }
  }
}
