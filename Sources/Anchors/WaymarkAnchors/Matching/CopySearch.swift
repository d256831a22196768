import WaymarkImage

/// Looks for further copies of the anchors that were found in a frame.
///
/// To be used from one thread at a time.
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

  /// How many wrong hypotheses of further copies end the search for them in one look, besides as many as there are copies: what was found
  /// speaks for more of it.
  private static let attempts = 6
  /// How many wrong places beside copies end it likewise.
  private static let neighbourAttempts = 12

  /// Begins the first look at a frame.
  func beginFrame() { neighbours.beginFrame() }

  /// Looks for further copies of the anchors that were found, the best supported hypothesis of all of them first: those on the planes of
  /// the copies found so far, then any other.
  ///
  /// Matches inside an accepted outline are its own; those of a hypothesis that failed are struck out, so that the next one is another.
  /// All copies share the wrong hypotheses that a look has time for.
  ///
  /// - Parameter minimum: the fewest matches that are a hypothesis where no plane is known.
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
      // A hypothesis that waits may be of this very thing.
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
        // It may have gone to a picture that looks alike.
        propose(claim.anchor, claims)
      } else {
        failures += 1
      }
      propose(best.anchor, claims)
    }
  }

  /// Looks beside every copy, also beside those that this brings: a row goes on, and pictures of which hardly a corner is told apart from the
  /// next are known by their intensities.
  ///
  /// - Parameter size: of the picture that is searched, in pixels.
  func runBeside(in size: Point2, _ claims: inout FrameClaims) {
    var outlines = claims.all.compactMap(claims.limits.outline)
    let known = claims.told.count
    var (next, failures) = (0, 0)
    while next < known + claims.found.count, failures < Self.neighbourAttempts, claims.found.count < AnchorCopies.most {
      let copy = next < known ? claims.told[next] : claims.found[next - known]
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
