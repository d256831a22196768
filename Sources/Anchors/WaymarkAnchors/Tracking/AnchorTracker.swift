package import WaymarkImage

/// Follows one anchor from frame to frame. Each frame is compared with the reference, never with the last frame, so that errors do not accumulate.
///
/// In each frame, the tracker predicts the position from the motion so far, searches around it by shifting all patches together on
/// a coarse octave, aligns on intensities from coarse to fine with the reference blurred by the expected motion, and accepts or
/// rejects the result.
package struct AnchorTracker {
  package let template: AnchorTemplate
  /// The search radius around the expected position in the first and in the second attempt, in frame pixels.
  private static let radius = 20.0
  private static let wideRadius = 44.0

  private let options: TrackingOptions
  private var history = MotionHistory()
  /// The motion of a round anchor.
  private var turns = CylinderMotion()
  /// Reference pixels → frame pixels at the last accepted position.
  package private(set) var map: SurfaceMap
  /// The motion of a flat anchor's corners at the last accepted position.
  package private(set) var motion: CornerMotion?
  /// The estimated standard deviation of the defocus in pixels.
  private(set) var softness = 0.0

  /// Creates a tracker that starts from a position found by detection at `time`.
  package init(
    _ template: AnchorTemplate, at map: SurfaceMap, time: Double, options: TrackingOptions = TrackingOptions()
  ) {
    self.template = template
    self.options = options
    self.map = map
    accept(map, at: time)
  }

  /// The speed of the anchor in pixels per second.
  package var speed: Double { map.cylinder == nil ? motion?.velocity.mean ?? 0 : turns.speed }

  /// Searches for the anchor in the next frame.
  ///
  /// - Returns: The alignment; `nil` if the anchor is not found. The tracker is then unchanged and can be used with a later frame.
  package mutating func track(
    in pyramid: GrayPyramid, at time: Double, aligner: PatchAligner, search: PatchSearch, exposure: ExposureEstimate
  ) -> AlignmentResult? {
    if let expected = expected(at: time, isRigid: aligner.options.isRigid),
      let place = attempt(
        expected, pyramid, time, aligner, search, exposure, radius: Self.radius, smeared: true)
    {
      return settled(place, expected, pyramid, time, aligner, exposure, smeared: true).map { accept($0, time) }
    }
    // The second attempt, around the last position with a wider radius: the motion may have stopped or changed direction.
    guard
      let place = attempt(map, pyramid, time, aligner, search, exposure, radius: Self.wideRadius, smeared: false)
    else { return nil }
    return settled(place, map, pyramid, time, aligner, exposure, smeared: false).map { accept($0, time) }
  }

  /// Returns the position at which a picture with a repeating pattern agrees best. One period away, much of the picture agrees as
  /// well, and an anchor that moved further than the search radius may be found there instead.
  ///
  /// - Returns: `nil` if two positions agree equally well and neither is near the expected one.
  private func settled(
    _ place: AlignmentResult, _ expected: SurfaceMap, _ pyramid: GrayPyramid, _ time: Double,
    _ aligner: PatchAligner,
    _ exposure: ExposureEstimate, smeared: Bool
  ) -> AlignmentResult? {
    guard options.comparesSteps, case .plane(let homography) = place.map,
      case .plane(let before) = expected, !template.repeats.isEmpty,
      let octaves = aligner.octaves(template, place.map, pyramid)
    else { return place }
    let smear = smeared ? smear(at: time, exposure) : nil
    func agreement(_ map: SurfaceMap, _ blur: MotionBlur?, _ octave: Int, of patches: Int) -> Double? {
      aligner.agreement(
        template, map, in: pyramid, octave: octave, limit: patches, softness: softness, blur: blur)
    }
    let ownBlur = smear?.blur(at: place.map)
    guard let own = agreement(place.map, ownBlur, octaves.coarsest, of: 32) else { return place }
    var best: (map: SurfaceMap, blur: MotionBlur?, agreement: Double)?
    for step in template.repeats {
      let map = SurfaceMap.plane(homography * Homography.translation(step))
      guard map.outline(width: template.width, height: template.height) != nil else { continue }
      // Two blurs are tried, because the anchor either moved to this position in the last interval, or was already there.
      let blurs: InlineArray<2, MotionBlur?> = [smear?.blur(at: map), ownBlur]
      for k in blurs.indices {
        let blur = blurs[k]
        guard let agreement = agreement(map, blur, octaves.coarsest, of: 32) else { continue }
        // A position whose agreement without alignment is lower by 0.15 or more does not catch up by alignment.
        if agreement > max(own - 0.15, best?.agreement ?? 0) { best = (map, blur, agreement) }
      }
    }
    guard let best,
      let rival = aligner.align(template, from: best.map, in: pyramid, softness: softness, blur: { _ in best.blur }),
      options.accept(rival, of: template), let rivals = agreement(rival.map, best.blur, octaves.finest, of: 64),
      let present = agreement(place.map, ownBlur, octaves.finest, of: 64)
    else { return place }
    let lead = rivals - present
    guard abs(lead) < Self.clearLead else { return lead > 0 ? rival : place }
    let middle = 0.5 * Point2(Double(template.width), Double(template.height))
    let (here, there) = (before.apply(middle), rival.map.apply(middle))
    let (near, far) = (homography.apply(middle).distance(to: here), there.distance(to: here))
    let step = homography.apply(middle).distance(to: there)
    // An alignment that converged to the same position is not a rival.
    guard step > 2, 3 * min(near, far) > step else { return near <= far ? place : rival }
    return nil
  }

  /// The least difference in agreement (the mean correlation of 64 patches) that decides between two positions. The correlation of
  /// a single patch has an error of a few tenths.
  private static let clearLead = 0.03

  /// Returns the map that the motion so far predicts for `time`; `nil` if the predicted corners are implausible.
  private func expected(at time: Double, isRigid: Bool) -> SurfaceMap? {
    if map.cylinder != nil { return turns.expected(at: time).map(SurfaceMap.cylinder) }
    guard let corners = history.expected(at: time), corners.isPlausible() else { return nil }
    // A rigid anchor keeps its last shape and is only shifted.
    if isRigid { return map.shifted(by: corners.center - (history.lastCorners ?? corners).center) }
    return Homography(from: template.outline, to: corners).map(SurfaceMap.plane)
  }

  /// Records a position that was accepted in the frame at `time`, and the motion that follows from it.
  private mutating func accept(_ map: SurfaceMap, at time: Double) {
    self.map = map
    switch map {
    case .plane(let homography):
      let corners = homography.apply(template.outline)
      motion = history.motion(at: corners, time)
      history.add(corners, at: time)
    case .cylinder(let cylinder): turns.add(cylinder, at: time)
    }
  }

  /// Returns the motion blur at the last position if the exposure is `factor` times the estimate.
  private func blur(_ exposure: ExposureEstimate, factor: Double = 1) -> MotionBlur? {
    if let cylinder = map.cylinder {
      return turns.blur(cylinder, at: -.infinity, exposure: exposure.seconds * factor)
    }
    guard let corners = history.lastCorners, let motion else { return nil }
    return exposure.blur(corners, motion, width: template.width, height: template.height, factor: factor)
  }

  /// Returns the expected motion blur at positions in the frame at `time` that are not accepted yet.
  private func smear(at time: Double, _ exposure: ExposureEstimate) -> ExpectedSmear {
    ExpectedSmear(
      history: history, turns: turns, exposure: exposure, time: time, width: template.width, height: template.height)
  }

  /// Returns how far the agreement at the last position is above chance, in standard deviations; 0 if the position is
  /// invalid.
  package func deviations(
    in pyramid: GrayPyramid, aligner: PatchAligner, verifier: StructureVerifier, exposure: ExposureEstimate
  ) -> Double {
    guard let octaves = aligner.octaves(template, map, pyramid) else { return 0 }
    return verifier.deviations(
      template, map, in: pyramid, octave: octaves.finest, softness: softness, blur: blur(exposure),
      enough: StructureVerifier.holding)
  }

  /// Compares the frame at the last position with the reference drawn with three exposure times, and moves the estimate
  /// towards the likeliest.
  func learnExposure(_ exposure: inout ExposureEstimate, in pyramid: GrayPyramid, aligner: PatchAligner) {
    guard let octaves = aligner.octaves(template, map, pyramid) else { return }
    let estimate = exposure
    func likeness(_ factor: Double) -> Double? {
      aligner.likeness(
        template, map, in: pyramid, octave: octaves.finest, limit: 24, softness: softness,
        blur: blur(estimate, factor: factor))
    }
    guard let shorter = likeness(1 / ExposureEstimate.step), let present = likeness(1),
      let longer = likeness(ExposureEstimate.step)
    else { return }
    exposure.update(shorter: shorter, present: present, longer: longer)
  }

  /// Compares the reference drawn sharper and softer at the last position, and moves `softness` one step towards the likelier.
  mutating func learnSoftness(in pyramid: GrayPyramid, aligner: PatchAligner, exposure: ExposureEstimate) {
    guard let octaves = aligner.octaves(template, map, pyramid) else { return }
    let blur = blur(exposure)
    func likeness(_ softness: Double) -> Double {
      aligner.likeness(
        template, map, in: pyramid, octave: octaves.finest, limit: 32, softness: softness, blur: blur) ?? 0
    }
    let rungs = Self.softnesses
    let rung = rungs.lastIndex { $0 <= softness } ?? 0
    let present = likeness(softness)
    // A minimal improvement is required, because alternating between two values would show as jitter.
    if rung + 1 < rungs.count, likeness(rungs[rung + 1]) > present + 0.004 {
      softness = rungs[rung + 1]
    } else if rung > 0, likeness(rungs[rung - 1]) > present + 0.004 {
      softness = rungs[rung - 1]
    }
  }

  private static let softnesses = [0, 0.8, 1.2, 1.8, 2.7, 4.0]

  private mutating func accept(_ place: AlignmentResult, _ time: Double) -> AlignmentResult {
    accept(place.map, at: time)
    return place
  }

  private func attempt(
    _ expected: SurfaceMap, _ pyramid: GrayPyramid, _ time: Double, _ aligner: PatchAligner, _ search: PatchSearch,
    _ exposure: ExposureEstimate, radius: Double, smeared: Bool
  ) -> AlignmentResult? {
    PlaceSearch(
      template, around: expected, in: pyramid, aligner: aligner, search: search, options: options, softness: softness,
      smear: smeared ? smear(at: time, exposure) : nil, isShaken: isShaken(at: time), radius: radius
    )?.result()
  }

  /// Returns whether the anchor was seen less than 0.1 s ago and moves so far per frame that its motion may have changed.
  private func isShaken(at time: Double) -> Bool {
    guard let last = history.lastTime, time - last < 0.1 else { return false }
    return speed * (time - last) > 12
  }
}
