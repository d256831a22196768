import WaymarkImage

/// Searches for an anchor around a position in a frame: first by shifting all patches together, then by alignment from coarse to fine octaves.
///
/// On coarse octaves, a picture with a repeating pattern may agree best at a position one period away. A shaking hand may turn the
/// picture between two frames more than its motion predicts, so that only a part agrees where alignment ends. So if the result is
/// doubtful, alignment starts again from the expected position, and for a fast anchor also from slightly turned positions. The
/// result with the best agreement is returned. `TrackingOptions` below decides which results are accepted.
struct PlaceSearch {
  private let template: AnchorTemplate
  private let expected: SurfaceMap
  private let pyramid: GrayPyramid
  private let aligner: PatchAligner
  private let search: PatchSearch
  private let options: TrackingOptions
  private let softness: Double
  private let smear: ExpectedSmear?
  private let isShaken: Bool
  private let octaves: (finest: Int, coarsest: Int)
  /// The search radius in pixels of the coarsest octave.
  private let reach: Int

  /// The corners at which alignments on the finest octave have started; only the first `count` are set.
  private var starts = InlineArray<6, Quadrilateral?>(repeating: nil)
  private var count = 0
  private var best: AlignmentResult?
  /// The agreement of `best`, computed when a second alignment is compared with it.
  private var agreement: Double?

  /// - Parameters:
  ///   - expected: Reference pixels → frame pixels at the position that the motion predicts.
  ///   - softness: The standard deviation of the defocus in pixels.
  ///   - smear: The expected motion blur; `nil` without blur.
  ///   - isShaken: True if the anchor moves so fast that its motion may have changed since the last frame.
  ///   - radius: The greatest distance from the expected position in frame pixels.
  /// - Returns: `nil` if the expected position is invalid.
  init?(
    _ template: AnchorTemplate, around expected: SurfaceMap, in pyramid: GrayPyramid, aligner: PatchAligner,
    search: PatchSearch, options: TrackingOptions, softness: Double, smear: ExpectedSmear?, isShaken: Bool,
    radius: Double
  ) {
    guard let octaves = aligner.octaves(template, expected, pyramid, blur: smear?.blur(at: expected)) else {
      return nil
    }
    (self.template, self.expected, self.pyramid) = (template, expected, pyramid)
    (self.aligner, self.search, self.options, self.softness) = (aligner, search, options, softness)
    (self.smear, self.isShaken, self.octaves) = (smear, isShaken, octaves)
    reach = Int((radius * pyramid.scale(2 * octaves.coarsest)).rounded(.up)) + 1
  }

  /// Returns the best alignment; `nil` if the anchor is not found.
  consuming func result() -> AlignmentResult? {
    guard var start = shifted(expected, octaves.coarsest, reach).map(coarse) else { return nil }
    if aligner.options.isRigid {
      // Few patches of a bar code determine a shift along the bars, and stepwise alignment follows the other patches,
      // the majority. So all shifts are compared.
      start = shifted(start, octaves.finest, 6) ?? start
    }
    consider(start)
    guard smear != nil, !aligner.options.isRigid, case .plane(let homography) = expected else { return best }
    let corners = homography.apply(template.outline)
    guard isDoubtful(corners) else { return best }
    consider(coarse(expected))
    guard isShaken else { return best }
    let arm = max(20, (0.5 * corners.signedArea).squareRoot())
    for turn in Self.turns {
      guard let turned = Homography(from: template.outline, to: corners.rotated(by: turn / arm)),
        let start = shifted(.plane(turned), octaves.coarsest, reach)
      else { continue }
      consider(coarse(start))
    }
    return best
  }

  /// Rotations from which alignment of a fast anchor also starts, as displacements of its corners in pixels.
  private static let turns = [5.0, -5, 10, -10]

  private func blur(_ place: SurfaceMap) -> MotionBlur? {
    smear?.blur(at: place)
  }

  private func shifted(_ start: SurfaceMap, _ octave: Int, _ radius: Int) -> SurfaceMap? {
    search.search(
      template, around: start, in: pyramid, octave: octave, radius: radius, softness: softness,
      blur: blur(start))?.map
  }

  /// Returns the map after alignment on all octaves but the finest, which is accurate enough to compute the motion blur
  /// for the finest.
  private func coarse(_ start: SurfaceMap) -> SurfaceMap {
    aligner.alignCoarse(
      template, from: start, in: pyramid, octaves: octaves, softness: softness, blur: { [smear] in smear?.blur(at: $0) }
    )
  }

  /// Aligns from `start`, unless an earlier start was less than a pixel away, and keeps the result if its agreement is the best so far.
  private mutating func consider(_ start: SurfaceMap) {
    let corners = start.homography.apply(template.outline)
    for k in 0..<count where starts[k].map({ $0.meanCornerDistance(to: corners) < 1 }) ?? false { return }
    starts[count] = corners
    count += 1
    guard
      // Passing the method `blur` itself would capture the whole search and allocate memory in every frame.
      let result = aligner.align(
        template, from: start, in: pyramid, softness: softness, coarsest: octaves.finest,
        blur: { [smear] in smear?.blur(at: $0) }),
      options.accept(result, of: template, isRigid: aligner.options.isRigid)
    else { return }
    guard let best else {
      self.best = result
      return
    }
    let (mine, others) = (agreement(result.map), agreement ?? agreement(best.map))
    agreement = max(mine, others)
    if mine > others { self.best = result }
  }

  /// Returns the sum, over the octaves, of the mean correlation of all patches. All patches count, because at a wrong position the
  /// better half of them may agree as well as at the right position.
  private func agreement(_ map: SurfaceMap) -> Double {
    let blur = blur(map)
    var sum = 0.0
    for octave in octaves.finest...octaves.coarsest {
      sum +=
        aligner.agreement(
          template, map, in: pyramid, octave: octave, limit: 64, softness: softness, blur: blur) ?? 0
    }
    return sum
  }

  /// Returns whether there is no result, or its shape differs from the expected one, or a part of the patches disagrees.
  ///
  /// The limits are wider for a picture without a repeating pattern, which agrees little at wrong positions.
  private func isDoubtful(_ expected: Quadrilateral) -> Bool {
    let repeats = !template.repeats.isEmpty
    guard let best, best.share >= (repeats ? 0.9 : 0.6) else { return true }
    let corners = best.map.homography.apply(template.outline)
    let shift = corners.center - expected.center
    return expected.mapped { $0 + shift }.meanCornerDistance(to: corners) > (repeats ? 2 : 8)
  }
}

/// The settings for tracking an anchor and the conditions for accepting an alignment.
package struct TrackingOptions: Sendable {
  /// The least score, and the least share of the patches in view that must agree.
  var minimumScore = 0.6
  var minimumShare = 0.3
  /// True if a picture with a repeating pattern is also compared at positions one period away.
  var comparesSteps = true
  package init() {}

  /// Returns whether an alignment is good enough to be the anchor's position.
  ///
  /// - Parameter isRigid: True for a bar code: its patches lie along one line, and its map keeps its shape.
  func accept(_ result: AlignmentResult, of template: AnchorTemplate, isRigid: Bool = false) -> Bool {
    result.score >= minimumScore && result.share >= minimumShare && result.inliers >= 6
      && (isRigid || result.determines(template))
      && result.map.outline(width: template.width, height: template.height) != nil
  }
}
