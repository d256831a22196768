package import WaymarkGeometry
package import WaymarkImage

/// Follows one anchor from frame to frame, always against its reference, never against the last frame, so that nothing
/// drifts.
///
/// Each frame: expect the place by the motion so far; look for the anchor there by a joint search on a coarse octave; align
/// on intensities from coarse to fine, the reference drawn with the smear of the motion; accept or give up.
package struct AnchorTracker {
  package struct Options: Sendable {
    /// How far the anchor may be from the expected place, in pixels of the frame, at first and in the second attempt.
    package var radius = 20.0
    package var wideRadius = 44.0
    /// The least score to go on, and the least share of the patches in view that must agree.
    package var minimumScore = 0.6
    package var minimumShare = 0.3
    /// The fewest patches that must agree.
    package var minimumInliers = 6
    package init() {}
  }

  /// Where the anchor is in a frame.
  package struct Place: Sendable {
    package var alignment: PatchAligner.Result
    package var corners: Quadrilateral
  }

  package let template: AnchorTemplate
  package let options: Options
  package private(set) var history = MotionHistory()
  /// The homography of the last place.
  package private(set) var homography: Homography
  /// How it moved there.
  package private(set) var motion: CornerMotion?
  /// The deviation by which the frame is out of focus, as far as known, in pixels.
  package private(set) var softness = 0.0

  /// Begins with a place found by detection at `time`.
  package init(_ template: AnchorTemplate, at homography: Homography, time: Double, options: Options = Options()) {
    self.template = template
    self.options = options
    self.homography = homography
    history.add(homography.apply(outline), at: time)
  }

  private var outline: Quadrilateral { Quadrilateral(width: Double(template.width), height: Double(template.height)) }

  /// Looks for the anchor in the next frame.
  ///
  /// - Returns: `nil` where it is not there; the tracker stays as it was, and may be asked again with a later frame.
  package mutating func track(
    in pyramid: GrayPyramid, at time: Double, aligner: PatchAligner, search: PatchSearch, exposure: ExposureEstimate
  ) -> Place? {
    guard let expected = history.expected(at: time) else { return nil }
    if let place = attempt(
      expected, pyramid, time, aligner, search, exposure, radius: options.radius, smeared: true)
    {
      return accept(place, time)
    }
    // Once more, wider, around the last place: the motion may have stopped or turned.
    guard let last = history.lastCorners,
      let place = attempt(last, pyramid, time, aligner, search, exposure, radius: options.wideRadius, smeared: false)
    else { return nil }
    return accept(place, time)
  }

  /// Takes a place that came from elsewhere, such as a detection, as the next one.
  package mutating func accept(_ homography: Homography, at time: Double) {
    let corners = homography.apply(outline)
    motion = history.motion(at: corners, time)
    self.homography = homography
    history.add(corners, at: time)
  }

  /// How far the agreement at the last place is from chance, in standard deviations.
  package func deviations(
    in pyramid: GrayPyramid, aligner: PatchAligner, proof: StructureProof, exposure: ExposureEstimate
  ) -> Double {
    guard let corners = history.lastCorners, let octaves = aligner.octaves(template, homography, pyramid) else {
      return 0
    }
    let blur = motion.flatMap { exposure.blur(corners, $0, width: template.width, height: template.height) }
    return proof.deviations(
      template, homography, in: pyramid, octave: octaves.finest, softness: softness, blur: blur,
      enough: StructureProof.holding)
  }

  /// Compares three lengths of smear at the last place, and moves the estimate towards the likeliest.
  package func learnExposure(_ exposure: inout ExposureEstimate, in pyramid: GrayPyramid, aligner: PatchAligner) {
    guard let motion, let corners = history.lastCorners, let octaves = aligner.octaves(template, homography, pyramid)
    else { return }
    func likeness(_ factor: Double) -> Double? {
      aligner.likeness(
        template, homography, in: pyramid, octave: octaves.finest, limit: 24, softness: softness,
        blur: exposure.blur(corners, motion, width: template.width, height: template.height, factor: factor))
    }
    guard let shorter = likeness(1 / ExposureEstimate.step), let present = likeness(1),
      let longer = likeness(ExposureEstimate.step)
    else { return }
    exposure.update(shorter: shorter, present: present, longer: longer)
  }

  /// Compares a sharper and a softer drawing at the last place, and goes one step towards the likelier.
  package mutating func learnSoftness(in pyramid: GrayPyramid, aligner: PatchAligner, exposure: ExposureEstimate) {
    guard let corners = history.lastCorners, let octaves = aligner.octaves(template, homography, pyramid) else {
      return
    }
    let blur = motion.flatMap {
      exposure.blur(corners, $0, width: template.width, height: template.height)
    }
    func likeness(_ softness: Double) -> Double {
      aligner.likeness(
        template, homography, in: pyramid, octave: octaves.finest, limit: 32, softness: softness, blur: blur) ?? 0
    }
    let rungs = Self.softnesses
    let rung = rungs.lastIndex { $0 <= softness } ?? 0
    let present = likeness(softness)
    // A little better is not enough: going to and fro would show as trembling.
    if rung + 1 < rungs.count, likeness(rungs[rung + 1]) > present + 0.004 {
      softness = rungs[rung + 1]
    } else if rung > 0, likeness(rungs[rung - 1]) > present + 0.004 {
      softness = rungs[rung - 1]
    }
  }

  private static let softnesses = [0, 0.8, 1.2, 1.8, 2.7, 4.0]

  private mutating func accept(_ place: Place, _ time: Double) -> Place {
    accept(place.alignment.homography, at: time)
    return place
  }

  private func attempt(
    _ expected: Quadrilateral, _ pyramid: GrayPyramid, _ time: Double, _ aligner: PatchAligner, _ search: PatchSearch,
    _ exposure: ExposureEstimate, radius: Double, smeared: Bool
  ) -> Place? {
    guard expected.isPlausible(), var h = Homography(from: outline, to: expected),
      let octaves = aligner.octaves(template, h, pyramid)
    else { return nil }
    func blur(_ corners: Quadrilateral) -> MotionBlur? {
      guard smeared, let motion = history.motion(at: corners, time) else { return nil }
      return exposure.blur(corners, motion, width: template.width, height: template.height)
    }
    let scale = pyramid.scale(2 * octaves.coarsest)
    guard
      let found = search.search(
        template, around: h, in: pyramid, octave: octaves.coarsest,
        radius: Int((radius * scale).rounded(.up)) + 1, softness: softness, blur: blur(expected))
    else { return nil }
    h = found.homography
    // The coarse octaves tell the motion well enough to know the smear on the finest.
    if octaves.coarsest > octaves.finest {
      h = aligner.alignCoarse(
        template, from: h, in: pyramid, octaves: octaves, softness: softness, blur: blur(h.apply(outline)))
    }
    guard
      let result = aligner.align(
        template, from: h, in: pyramid, softness: softness, blur: blur(h.apply(outline)), coarsest: octaves.finest),
      result.score >= options.minimumScore, result.share >= options.minimumShare,
      result.inliers >= options.minimumInliers,
      let corners = result.homography.outline(width: Double(template.width), height: Double(template.height))
    else { return nil }
    return Place(alignment: result, corners: corners)
  }
}
