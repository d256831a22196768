package import WaymarkImage

/// Follows one anchor from frame to frame, always against its reference, never against the last frame, so that nothing
/// drifts.
///
/// Each frame: expect the place by the motion so far; look for the anchor there by a joint search on a coarse octave; align
/// on intensities from coarse to fine, the reference drawn with the smear of the motion; accept or give up.
package struct AnchorTracker {
  /// Where the anchor is in a frame.
  package struct Place: Sendable {
    package var alignment: PatchAligner.Result
  }

  package let template: AnchorTemplate
  package let options: TrackingOptions
  private var history = MotionHistory()
  /// The same of a round anchor.
  private var turns = CylinderMotion()
  /// The last place.
  package private(set) var map: SurfaceMap
  /// How a flat anchor moved there.
  package private(set) var motion: CornerMotion?
  /// The deviation by which the frame is out of focus, as far as known, in pixels.
  private(set) var softness = 0.0

  /// Begins with a place found by detection at `time`.
  package init(
    _ template: AnchorTemplate, at map: SurfaceMap, time: Double, options: TrackingOptions = TrackingOptions()
  ) {
    self.template = template
    self.options = options
    self.map = map
    accept(map, at: time)
  }

  /// How fast it moves, in pixels a second.
  package var speed: Double { map.cylinder == nil ? motion?.velocity.mean ?? 0 : turns.speed }

  private var outline: Quadrilateral { Quadrilateral(width: Double(template.width), height: Double(template.height)) }

  /// Looks for the anchor in the next frame.
  ///
  /// - Returns: `nil` where it is not there; the tracker stays as it was, and may be asked again with a later frame.
  package mutating func track(
    in pyramid: GrayPyramid, at time: Double, aligner: PatchAligner, search: PatchSearch, exposure: ExposureEstimate
  ) -> Place? {
    if let expected = expected(at: time, isRigid: aligner.options.isRigid),
      let place = attempt(
        expected, pyramid, time, aligner, search, exposure, radius: options.radius, smeared: true)
    {
      return settled(place, expected, pyramid, time, aligner, exposure, smeared: true).map { accept($0, time) }
    }
    // Once more, wider, around the last place: the motion may have stopped or turned.
    guard
      let place = attempt(map, pyramid, time, aligner, search, exposure, radius: options.wideRadius, smeared: false)
    else { return nil }
    return settled(place, map, pyramid, time, aligner, exposure, smeared: false).map { accept($0, time) }
  }

  /// Of a picture that repeats itself, the place at which all of it agrees best: a whole step of the pattern aside much of it agrees as well,
  /// and where it moved further than was looked, that is what was found.
  ///
  /// - Returns: `nil` where two places agree alike and neither is where it was expected: that is not a place to tell.
  private func settled(
    _ place: Place, _ expected: SurfaceMap, _ pyramid: GrayPyramid, _ time: Double, _ aligner: PatchAligner,
    _ exposure: ExposureEstimate, smeared: Bool
  ) -> Place? {
    guard options.comparesSteps, case .plane(let homography) = place.alignment.map,
      case .plane(let before) = expected, !template.repeats.isEmpty,
      let octaves = aligner.octaves(template, place.alignment.map, pyramid)
    else { return place }
    let smear = smeared ? smear(at: time, exposure) : nil
    func agreement(_ map: SurfaceMap, _ blur: MotionBlur?, _ octave: Int, of patches: Int) -> Double? {
      aligner.agreement(
        template, map, in: pyramid, octave: octave, limit: patches, softness: softness, blur: blur)
    }
    let ownBlur = smear?.blur(at: place.alignment.map)
    guard let own = agreement(place.alignment.map, ownBlur, octaves.coarsest, of: 32) else { return place }
    var best: (map: SurfaceMap, blur: MotionBlur?, agreement: Double)?
    for step in template.repeats {
      let map = SurfaceMap.plane(homography * Homography.translation(step))
      guard map.outline(width: template.width, height: template.height) != nil else { continue }
      // Either it came from where it was told to be, and is smeared by that, or it was there all along.
      let blurs: InlineArray<2, MotionBlur?> = [smear?.blur(at: map), ownBlur]
      for k in blurs.indices {
        let blur = blurs[k]
        guard let agreement = agreement(map, blur, octaves.coarsest, of: 32) else { continue }
        // A place that agrees so much less before it is aligned does not do so afterwards.
        if agreement > max(own - 0.15, best?.agreement ?? 0) { best = (map, blur, agreement) }
      }
    }
    guard let best,
      let rival = aligner.align(template, from: best.map, in: pyramid, softness: softness, blur: best.blur),
      options.accept(rival, of: template), let rivals = agreement(rival.map, best.blur, octaves.finest, of: 64),
      let present = agreement(place.alignment.map, ownBlur, octaves.finest, of: 64)
    else { return place }
    let lead = rivals - present
    guard abs(lead) < Self.clearLead else { return lead > 0 ? Place(alignment: rival) : place }
    let middle = 0.5 * Point2(Double(template.width), Double(template.height))
    let (here, there) = (before.apply(middle), rival.map.apply(middle))
    let (near, far) = (homography.apply(middle).distance(to: here), there.distance(to: here))
    let step = homography.apply(middle).distance(to: there)
    // One that converged to the same place is not a rival.
    guard step > 2, 3 * min(near, far) > step else { return near <= far ? place : Place(alignment: rival) }
    return nil
  }

  /// By how much more all patches of one place must agree than those of another, where their correlations err by a few tenths each.
  private static let clearLead = 0.03

  /// Where the motion so far lets one expect it.
  private func expected(at time: Double, isRigid: Bool) -> SurfaceMap? {
    if map.cylinder != nil { return turns.expected(at: time).map(SurfaceMap.cylinder) }
    guard let corners = history.expected(at: time), corners.isPlausible() else { return nil }
    // With the shape that it had, where that is kept.
    if isRigid { return map.shifted(by: corners.center - (history.lastCorners ?? corners).center) }
    return Homography(from: outline, to: corners).map(SurfaceMap.plane)
  }

  /// Takes the next place.
  private mutating func accept(_ map: SurfaceMap, at time: Double) {
    self.map = map
    switch map {
    case .plane(let homography):
      let corners = homography.apply(outline)
      motion = history.motion(at: corners, time)
      history.add(corners, at: time)
    case .cylinder(let cylinder): turns.add(cylinder, at: time)
    }
  }

  /// How it is smeared at the last place, the shutter open `factor` times as long as estimated.
  private func blur(_ exposure: ExposureEstimate, factor: Double = 1) -> MotionBlur? {
    if let cylinder = map.cylinder {
      return turns.blur(cylinder, at: -.infinity, exposure: exposure.seconds * factor)
    }
    guard let corners = history.lastCorners, let motion else { return nil }
    return exposure.blur(corners, motion, width: template.width, height: template.height, factor: factor)
  }

  /// How it is smeared at places of the frame at `time` that were not accepted yet.
  private func smear(at time: Double, _ exposure: ExposureEstimate) -> ExpectedSmear {
    ExpectedSmear(
      history: history, turns: turns, exposure: exposure, time: time, width: template.width, height: template.height)
  }

  /// How far the agreement at the last place is from chance, in standard deviations.
  package func deviations(
    in pyramid: GrayPyramid, aligner: PatchAligner, verifier: StructureVerifier, exposure: ExposureEstimate
  ) -> Double {
    guard let octaves = aligner.octaves(template, map, pyramid) else { return 0 }
    return verifier.deviations(
      template, map, in: pyramid, octave: octaves.finest, softness: softness, blur: blur(exposure),
      enough: StructureVerifier.holding)
  }

  /// Compares three lengths of smear at the last place, and moves the estimate towards the likeliest.
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

  /// Compares a sharper and a softer drawing at the last place, and goes one step towards the likelier.
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
    // A little better is not enough: going to and fro would show as trembling.
    if rung + 1 < rungs.count, likeness(rungs[rung + 1]) > present + 0.004 {
      softness = rungs[rung + 1]
    } else if rung > 0, likeness(rungs[rung - 1]) > present + 0.004 {
      softness = rungs[rung - 1]
    }
  }

  private static let softnesses = [0, 0.8, 1.2, 1.8, 2.7, 4.0]

  private mutating func accept(_ place: Place, _ time: Double) -> Place {
    accept(place.alignment.map, at: time)
    return place
  }

  private func attempt(
    _ expected: SurfaceMap, _ pyramid: GrayPyramid, _ time: Double, _ aligner: PatchAligner, _ search: PatchSearch,
    _ exposure: ExposureEstimate, radius: Double, smeared: Bool
  ) -> Place? {
    PlaceSearch(
      template, around: expected, in: pyramid, aligner: aligner, search: search, options: options, softness: softness,
      smear: smeared ? smear(at: time, exposure) : nil, isShaken: isShaken(at: time), radius: radius
    )?.result().map(Place.init)
  }

  /// Returns whether it was seen in the frame before, and moves by so much from frame to frame that its motion may have changed.
  private func isShaken(at time: Double) -> Bool {
    guard let last = history.lastTime, time - last < 0.1 else { return false }
    return speed * (time - last) > 12
  }
}
