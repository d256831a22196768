import WaymarkImage

/// Looks for an anchor around a place of a frame: by a shift that all patches tell together, then by alignment from coarse to fine.
///
/// Coarsely a picture that repeats itself may agree best a step aside; and a hand that shakes turns it within a frame by more than the motion so far
/// tells, so that alignment ends at a place where only a part agrees. So where the place found is not what was expected, alignment begins at the
/// expected one as well, and where the anchor moves fast at those turned a little to both sides. The place where most agrees is taken.
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
  /// In pixels of the coarsest octave.
  private let reach: Int

  /// Where alignment began on the finest octave so far.
  private var starts = InlineArray<6, Quadrilateral?>(repeating: nil)
  private var count = 0
  private var best: PatchAligner.Result?
  /// How much agrees at the best place, once that was asked.
  private var agreement: Double?

  /// - Parameters:
  ///   - expected: reference → frame, where the motion so far lets one expect it.
  ///   - softness: the deviation by which the frame is out of focus, in pixels.
  ///   - smear: `nil`: it is looked for without smear.
  ///   - isShaken: whether it moves by so much that its motion may have changed.
  ///   - radius: how far it may be from there, in pixels of the frame.
  /// - Returns: `nil` where the expected place is none.
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

  /// Looks for it; `nil` where it is not there.
  consuming func result() -> PatchAligner.Result? {
    guard var start = shifted(expected, octaves.coarsest, reach).map(coarse) else { return nil }
    if aligner.options.isRigid {
      // The few patches that tell a shift along bars are outvoted step by step; all shifts compared, they decide.
      start = shifted(start, octaves.finest, 6) ?? start
    }
    consider(start)
    guard smear != nil, !aligner.options.isRigid, case .plane(let homography) = expected else { return best }
    let corners = homography.apply(outline)
    guard isDoubtful(corners) else { return best }
    consider(coarse(expected))
    guard isShaken else { return best }
    let arm = max(20, (0.5 * corners.signedArea).squareRoot())
    for turn in Self.turns {
      guard let turned = Homography(from: outline, to: corners.rotated(by: turn / arm)),
        let start = shifted(.plane(turned), octaves.coarsest, reach)
      else { continue }
      consider(coarse(start))
    }
    return best
  }

  /// By how much a shaken anchor is looked for turned, in pixels at its corners.
  private static let turns = [5.0, -5, 10, -10]

  private var outline: Quadrilateral { Quadrilateral(width: Double(template.width), height: Double(template.height)) }

  private func blur(_ place: SurfaceMap) -> MotionBlur? {
    smear?.blur(at: place)
  }

  private func shifted(_ start: SurfaceMap, _ octave: Int, _ radius: Int) -> SurfaceMap? {
    search.search(
      template, around: start, in: pyramid, octave: octave, radius: radius, softness: softness,
      blur: blur(start))?.map
  }

  /// Aligned so far that the motion is known well enough to know the smear on the finest octave.
  private func coarse(_ start: SurfaceMap) -> SurfaceMap {
    aligner.alignCoarse(
      template, from: start, in: pyramid, octaves: octaves, softness: softness, blur: blur)
  }

  /// Aligns from a place, unless that was done from one that is nearly the same, and keeps what agrees more than all before.
  private mutating func consider(_ start: SurfaceMap) {
    let corners = start.homography.apply(outline)
    for k in 0..<count where starts[k].map({ $0.meanCornerDistance(to: corners) < 1 }) ?? false { return }
    starts[count] = corners
    count += 1
    guard
      let result = aligner.align(
        template, from: start, in: pyramid, softness: softness, coarsest: octaves.finest, blur: blur),
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

  /// How much all patches agree on all octaves: where only a part does, the better half is as like as at the right place.
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

  /// Returns whether the place is none, or has another shape than was expected, or a part of it does not agree.
  ///
  /// Of a picture that does not repeat itself little agrees at a wrong place, so that more may differ before it is doubted.
  private func isDoubtful(_ expected: Quadrilateral) -> Bool {
    let repeats = !template.repeats.isEmpty
    guard let best, best.share >= (repeats ? 0.9 : 0.6) else { return true }
    let corners = best.map.homography.apply(outline)
    let shift = corners.center - expected.center
    return expected.mapped { $0 + shift }.meanCornerDistance(to: corners) > (repeats ? 2 : 8)
  }
}
