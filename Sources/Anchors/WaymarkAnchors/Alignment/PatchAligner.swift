import CKernels
package import WaymarkImage

/// Aligns a map from reference to frame until the reference, drawn through the map, agrees with the frame: direct alignment on intensities.
///
/// Each patch of the reference is drawn on the frame's pixel grid as the frame should show it, and its gradients are computed once.
/// The patch is then compared with the frame at shifted positions until the steps vanish (inverse compositional: S. Baker, I.
/// Matthews, "Lucas-Kanade 20 years on", IJCV 56 (2004)). Within a patch, a step is a shift, because the patch was drawn under a
/// nearly correct map; all patches together determine the eight parameters of the map. Every patch has its own gain and offset of
/// the light: the mean of the patch, its length and the components of its gradients along both are removed. Patches that are
/// covered, or shifted against the majority, lose their weight.
///
/// All memory is allocated in `init`. Use it from one thread at a time. The file is long because the passes of an alignment share
/// this memory.
package final class PatchAligner {
  package struct Options: Sendable {
    /// The number of patches compared on the finest level; more patches take more time and reduce the jitter.
    var patches = 96
    /// The number of patches compared on the finest level under motion blur, when each patch is less informative.
    var smearedPatches = 96
    /// The number of patches compared on the coarser levels.
    var coarsePatches = 48
    /// The number of patches compared in a first pass on the finest level; zero without such a pass. The pass brings the map near
    /// its final value, so that the next pass draws all patches close to their positions in the frame.
    var draftPatches = 0
    /// True to measure the sides of a flat anchor where its texture hardly determines them, and to compute the covariance
    /// of its corners.
    package var measuresCorners = false
    /// True if a flat anchor may only be shifted, turned and scaled, as a bar code: at any length and slant, bars look alike.
    var isRigid = false
    package init() {}
  }

  /// The largest number of steps on an octave, and of octaves of the frame on which an anchor is aligned.
  private static let iterations = 6
  private static let levels = 3
  /// The standard deviation of the camera's noise, in gray levels.
  private static let noise = 4.0
  /// The standard deviation of the drawing error, as a share of a patch's contrast.
  private static let mismatch = 0.25

  let options: Options
  /// The lens of the frames. If set, all maps passed in and returned exclude its distortion.
  package var lens: LensMap? {
    get { set.lens }
    set { set.lens = newValue }
  }
  private let memory = ScratchMemory()
  private let set: PatchSet
  /// The shift of each patch measured by the last comparison, in pixels of the level.
  private let shift: UnsafeMutablePointer<Point2>
  private let correlation: UnsafeMutablePointer<Float>
  private let information: UnsafeMutablePointer<Double>
  private let product: UnsafeMutablePointer<Point2>
  /// The derivatives by the shift of the products of frame and drawn gradients: xx, xy, yy.
  private let slope: UnsafeMutablePointer<Point3>
  private let sorted: UnsafeMutablePointer<Float>
  private let out: UnsafeMutablePointer<Float>
  private let profiles: UnsafeMutablePointer<PrintEdges.Profile>

  package init(_ options: Options = Options()) {
    self.options = options
    let capacity = max(options.patches, options.smearedPatches, options.coarsePatches, options.draftPatches)
    set = PatchSet(capacity: capacity)
    shift = memory.allocate(capacity)
    correlation = memory.allocate(capacity)
    information = memory.allocate(capacity)
    product = memory.allocate(capacity)
    slope = memory.allocate(capacity)
    sorted = memory.allocate(capacity)
    out = memory.allocate(5)
    profiles = memory.allocate(PrintEdges.profiles)
  }

  /// Aligns a reference with a frame from coarse to fine octaves.
  ///
  /// - Parameters:
  ///   - start: Reference pixels → frame pixels, correct within a few pixels.
  ///   - pyramid: The pyramid of the frame. Only its octaves are used.
  ///   - softness: The standard deviation of the defocus in pixels.
  ///   - coarsest: The octave to start on; `nil`: chosen by the size of the anchor.
  ///   - blur: Returns the motion blur of the anchor at a map. Called on each octave with the map of the last one.
  /// - Returns: `nil` if the outline under `start` is invalid or fewer than four patches are in view.
  package func align(
    _ template: AnchorTemplate, from start: SurfaceMap, in pyramid: GrayPyramid, softness: Double = 0,
    coarsest: Int? = nil, blur: (SurfaceMap) -> MotionBlur? = { _ in nil }
  ) -> AlignmentResult? {
    guard let range = octaves(template, start, pyramid, blur: blur(start)) else { return nil }
    let octaves = (finest: range.finest, coarsest: max(range.finest, min(coarsest ?? range.coarsest, range.coarsest)))
    var h = alignCoarse(template, from: start, in: pyramid, octaves: octaves, softness: softness, blur: blur)
    if options.draftPatches > 0 {
      h = step(
        template, h, pyramid, octaves.finest, softness, blur(h), limit: options.draftPatches, prior: 0.1, judged: false)
    }
    let blur = blur(h)
    let end = step(
      template, h, pyramid, octaves.finest, softness, blur,
      limit: blur == nil ? options.patches : options.smearedPatches, prior: 0.1, judged: true)
    guard var result = judge(end, octave: octaves.finest) else { return nil }
    if options.measuresCorners, end.cylinder == nil {
      let smear = blur?.way(of: 0.5 * Point2(Double(template.width), Double(template.height))).chord.length ?? 0
      refine(&result, template, pyramid, octaves.finest, smear: smear + 3 * softness)
    }
    return result
  }

  /// Refines the map of a flat anchor by the sides of the print, and computes the covariance of its corners.
  ///
  /// - Parameter smear: The extent of motion blur and defocus in pixels of the frame.
  private func refine(
    _ result: inout AlignmentResult, _ template: AnchorTemplate, _ pyramid: GrayPyramid, _ octave: Int, smear: Double
  ) {
    let (view, scale) = (pyramid.level(2 * octave), pyramid.scale(2 * octave))
    let frame = AlignmentFrame(set)
    let freedom = AlignmentParameters(result.map, scale, frame)
    guard let limit = limit(robust: true) else { return }
    var system = equations(frame, freedom, limit)
    // Residuals larger than the noise explains are errors of the drawing, and enlarge the covariance.
    let excess = max(1, excess(limit))
    for k in 0..<8 { system.rows[k] /= excess }
    system.rhs /= excess
    Self.hold(&system, prior: 0.1)
    let (w, h) = (Double(template.width), Double(template.height))
    let sides = PrintEdges(
      view: view, scale: scale, map: result.map.resized(by: scale), set: set, frame: frame, smear: smear * scale,
      outline: Quadrilateral(width: w, height: h).mapped { $0 - 0.5 }, profiles: profiles)
    let added = sides.add(to: &system)
    if added, let x = system.solve(), let next = freedom.step(x, from: result.map, scale, frame) { result.map = next }
    guard let inverse = Matrix8(rows: system.rows).inverse else { return }
    var moves = Matrix8()
    let corners = result.map.resized(by: scale).homography.apply(template.outline)
    for i in 0..<4 {
      let (x, y) = AlignmentParameters.derivative(frame, at: corners[i])
      (moves.rows[2 * i], moves.rows[2 * i + 1]) = (x, y)
    }
    result.covariance = moves * inverse * moves.transposed * (1 / (scale * scale))
  }

  /// Returns the mean square of the patches' residuals in units of their variance.
  private func excess(_ limit: Double) -> Double {
    var (sum, count) = (0.0, 0.0)
    for i in 0..<set.count where information[i] > 0 {
      let ratio = shift[i].length / limit
      guard ratio < 1 else { continue }
      let doubt = (1 - ratio * ratio) * (1 - ratio * ratio)
      let s = slope[i]
      let squared = s.x * shift[i].x * shift[i].x + 2 * s.y * shift[i].x * shift[i].y + s.z * shift[i].y * shift[i].y
      sum += information[i] * doubt * squared
      count += 2 * doubt
    }
    return count > 8 ? sum / (count - 8) : 1
  }

  /// Returns the map after alignment on all octaves but the finest.
  func alignCoarse(
    _ template: AnchorTemplate, from start: SurfaceMap, in pyramid: GrayPyramid,
    octaves: (finest: Int, coarsest: Int), softness: Double, blur: (SurfaceMap) -> MotionBlur?
  ) -> SurfaceMap {
    var h = start
    for octave in stride(from: octaves.coarsest, to: octaves.finest, by: -1) {
      h = step(
        template, h, pyramid, octave, softness, blur(h), limit: options.coarsePatches, prior: 0.02, judged: false)
    }
    return h
  }

  /// Returns the likeness of reference and frame under a map, without changing the map: the mean of the better half of
  /// the correlations of at most `limit` patches, 0…1; `nil` if fewer than four are in view.
  package func likeness(
    _ template: AnchorTemplate, _ h: SurfaceMap, in pyramid: GrayPyramid, octave: Int, limit: Int,
    softness: Double = 0, blur: MotionBlur? = nil
  ) -> Double? {
    guard compare(template, h, pyramid, octave, limit, softness, blur) else { return nil }
    return betterHalf()
  }

  /// Returns the mean of the correlations of at most `limit` patches; `nil` if fewer than four are in view.
  ///
  /// It distinguishes the positions of a picture with a repeating pattern. A shift by one period leaves the better half of the
  /// correlations nearly as high as at the right position, but not the other half.
  package func agreement(
    _ template: AnchorTemplate, _ h: SurfaceMap, in pyramid: GrayPyramid, octave: Int, limit: Int,
    softness: Double = 0, blur: MotionBlur? = nil
  ) -> Double? {
    guard compare(template, h, pyramid, octave, limit, softness, blur) else { return nil }
    var sum = 0.0
    for i in 0..<set.count { sum += Double(correlation[i]) }
    return sum / Double(set.count)
  }

  /// Returns whether a reference with a repeating pattern agrees better with the frame under `map` than after a shift by one
  /// period; always true without a repeating pattern.
  ///
  /// Features and structure verification match the pattern at each of its periods, and unknown motion blur hides the differences.
  func standsOut(_ template: AnchorTemplate, _ map: SurfaceMap, in pyramid: GrayPyramid) -> Bool {
    guard case .plane(let homography) = map, !template.repeats.isEmpty,
      let octave = octaves(template, map, pyramid)?.coarsest
    else { return true }
    func agreement(_ map: SurfaceMap) -> Double {
      self.agreement(template, map, in: pyramid, octave: octave, limit: 32) ?? -1
    }
    let own = agreement(map)
    return template.repeats.allSatisfy { agreement(.plane(homography * Homography.translation($0))) < own }
  }

  /// Compares the patches of reference and frame under a map; returns false if fewer than four are in view.
  private func compare(
    _ template: AnchorTemplate, _ h: SurfaceMap, _ pyramid: GrayPyramid, _ octave: Int, _ limit: Int,
    _ softness: Double, _ blur: MotionBlur?
  ) -> Bool {
    let view = pyramid.level(2 * octave)
    let scale = pyramid.scale(2 * octave)
    set.draw(
      template, map: h, scale: scale, width: view.width, height: view.height, limit: limit,
      softness: softness, blur: blur)
    guard set.count >= 4 else { return false }
    measure(h, view, scale)
    return true
  }

  /// Returns the finest and the coarsest octave of the frame for alignment: the finest enlarges the reference at most 1.5 times, on
  /// the coarsest it still has several patches; `nil` if the outline is invalid.
  ///
  /// - Parameter blur: The motion blur of the anchor. If it is several pixels long, the next coarser octave is the finest: it shows as
  ///   much detail, and its patches cover four times the area.
  package func octaves(
    _ template: AnchorTemplate, _ h: SurfaceMap, _ pyramid: GrayPyramid, blur: MotionBlur? = nil
  ) -> (finest: Int, coarsest: Int)? {
    guard let q = h.outline(width: template.width, height: template.height) else { return nil }
    let extent = q.signedArea.squareRoot()
    let scale = h.enlargement(q, width: template.width, height: template.height)
    let last = (pyramid.count - 1) / 2
    let (frame, size) = (pyramid.level(0), pyramid.scale(0))
    let isNear =
      template.detail > 1
      && h.inverse.flatMap {
        CloseUpRegion(template, $0, width: Int(Double(frame.width) / size), height: Int(Double(frame.height) / size)) {
          set.straight($0, scale: 1)
        }
      } != nil
    let enlarged = isNear ? 1.5 * template.detail : 1.5
    var finest = 0
    while finest < last, scale / Double(1 << finest) > enlarged { finest += 1 }
    if let blur, finest < last, extent / Double(1 << finest) > 100 {
      let way = blur.way(of: 0.5 * Point2(Double(template.width), Double(template.height))).chord.length
      if way / Double(1 << finest) > Self.sharpest { finest += 1 }
    }
    var coarsest = finest
    while coarsest < last, coarsest < finest + Self.levels - 1, extent / Double(1 << (coarsest + 1)) >= 32 {
      coarsest += 1
    }
    return (finest, coarsest)
  }

  /// The longest motion blur, in pixels of an octave, at which the octave shows more detail than the next coarser octave.
  private static let sharpest = 6.0

  /// Returns the map after alignment on one octave.
  ///
  /// - Parameters:
  ///   - prior: The standard deviation of a step's change of the perspective over the radius of the patches, without
  ///     unit.
  ///   - judged: True if the patches are measured once more at the resulting map, for `judge`.
  private func step(
    _ template: AnchorTemplate, _ start: SurfaceMap, _ pyramid: GrayPyramid, _ octave: Int, _ softness: Double,
    _ blur: MotionBlur?, limit: Int, prior: Double, judged: Bool
  ) -> SurfaceMap {
    let view = pyramid.level(2 * octave)
    let scale = pyramid.scale(2 * octave)
    set.draw(
      template, map: start, scale: scale, width: view.width, height: view.height, limit: limit,
      softness: softness, blur: blur)
    guard set.count >= 4 else { return start }
    var frame = AlignmentFrame(set)
    var h = start
    for round in 0..<Self.iterations {
      measure(h, view, scale)
      guard let step = solve(&frame, h, scale, robust: round > 0, prior: prior) else { return h }
      h = step.map
      // A step this short leaves the measurements valid.
      if step.length < 0.01 { return h }
    }
    if judged { measure(h, view, scale) }
    return h
  }

  /// Compares every patch with the frame at its position under `h`.
  private func measure(_ h: SurfaceMap, _ view: ImageView, _ scale: Double) {
    let toLevel = h.resized(by: scale)
    let noise = Self.noise * Self.noise
    let mismatch = Self.mismatch * Self.mismatch / 64
    // In a bar code, the few patches at the ends of bars must outweigh the many that a shift along the bars does not change.
    let flat = options.isRigid ? 0.0005 : 0.01
    for i in 0..<set.count {
      let c = set.seen(toLevel.apply(set.anchor[i]), scale: scale)
      let (x, y) = (c.x - PatchSet.middle, c.y - PatchSet.middle)
      information[i] = 0
      correlation[i] = 0
      shift[i] = .zero
      product[i] = .zero
      guard x >= 1, y >= 1, x < Double(view.width - 10), y < Double(view.height - 10) else { continue }
      let (xi, yi) = (x.rounded(.down), y.rounded(.down))
      let pointer = view.base + Int(yi) * view.stride + Int(xi)
      ck_patch_measure(pointer, view.stride, Float(x - xi), Float(y - yi), set.pattern(i), out)
      let length = Double(out[1])
      let rho = Double(out[2])
      correlation[i] = out[2]
      guard length > 0, rho > 0.1 else { continue }
      // The step to the shift at which the difference to the frame is orthogonal to the drawn gradients.
      let b = Point2(-Double(out[3]), -Double(out[4]))
      let (tx, xy, ty) = (
        rho * Double(set.tensor[3 * i]), rho * Double(set.tensor[3 * i + 1]), rho * Double(set.tensor[3 * i + 2])
      )
      let (xx, yy) = (tx + 0.01 * (tx + ty), ty + 0.01 * (tx + ty))
      let determinant = xx * yy - xy * xy
      guard xx > 0, yy > 0, determinant > 1e-4 * (tx + ty) * (tx + ty) else { continue }
      slope[i] = Point3(tx + flat * (tx + ty), xy, ty + flat * (tx + ty))
      product[i] = b
      shift[i] = Point2(yy * b.x - xy * b.y, xx * b.y - xy * b.x) / determinant
      let contrast = length * rho
      information[i] = 1 / (noise / (contrast * contrast) + mismatch)
    }
  }

  /// Returns the map after the least-squares step towards the patches' measured positions, and the length of the step in
  /// pixels of the level.
  private func solve(
    _ frame: inout AlignmentFrame, _ h: SurfaceMap, _ scale: Double, robust: Bool, prior: Double
  ) -> (map: SurfaceMap, length: Double)? {
    guard let limit = limit(robust: robust) else { return nil }
    let freedom = AlignmentParameters(h, scale, frame)
    var system = equations(frame, freedom, limit)
    Self.hold(&system, prior: prior)
    if options.isRigid, h.cylinder == nil {
      // A similarity scales and turns both axes alike and has no perspective.
      let rows = system.rows
      let weight = 10 * max(rows[0][0], rows[1][1], rows[3][3], rows[4][4])
      system.add(SIMD8(1, 0, 0, 0, -1, 0, 0, 0), 0, weight: weight)
      system.add(SIMD8(0, 1, 0, 1, 0, 0, 0, 0), 0, weight: weight)
      for k in 6..<8 { system.rows[k][k] += weight }
    }
    guard let x = system.solve() else { return nil }
    let length = (abs(x[0]) + abs(x[1]) + abs(x[2]) + abs(x[3]) + abs(x[4]) + abs(x[5])) * frame.radius
    guard length.isFinite, let next = freedom.step(x, from: h, scale, frame) else { return nil }
    return (next, length)
  }

  /// Returns the residual shift from which a patch has no weight; `nil` if too few patches were measured.
  private func limit(robust: Bool) -> Double? {
    // The limit is three times the median of the residual shifts and at least 0.3 pixels if `robust` is true and the anchor is not
    // rigid; otherwise four times the median and at least one pixel.
    var n = 0
    for i in 0..<set.count where information[i] > 0 {
      sorted[n] = Float(shift[i].length)
      n += 1
    }
    guard n >= 4 else { return nil }
    sorted.select(n / 2, of: n)
    let median = Double(sorted[n / 2])
    return options.isRigid ? max(1, 4 * median) : robust ? max(0.3, 3 * median) : max(1, 4 * median)
  }

  /// Adds priors that stabilise a map that few patches determine: the changes have zero mean, and a standard deviation
  /// of `prior` for the perspective over the radius, and of 0.5 for the other parameters.
  private static func hold(_ system: inout NormalEquations, prior: Double) {
    let loose = 1 / (0.5 * 0.5)
    let tight = 1 / (prior * prior)
    for k in 0..<6 { system.rows[k][k] += loose }
    for k in 6..<8 { system.rows[k][k] += tight }
  }

  /// Returns the normal equations of the measured patches, each weighted by how well it agrees.
  private func equations(_ frame: AlignmentFrame, _ freedom: AlignmentParameters, _ limit: Double) -> NormalEquations {
    var system = NormalEquations()
    for i in 0..<set.count where information[i] > 0 {
      let ratio = shift[i].length / limit
      guard ratio < 1 else { continue }
      // The weight is Tukey's biweight of the shift times the squared correlation.
      let doubt = (1 - ratio * ratio) * (1 - ratio * ratio)
      let rho = Double(correlation[i])
      let weight = information[i] * doubt * rho * rho
      var (jx, jy) = freedom.derivative(frame, set, i)
      if set.lens != nil {
        let (dx, dy) = set.bend[i]
        (jx, jy) = (jx * dx.x + jy * dy.x, jx * dx.y + jy * dy.y)
      }
      let (xx, xy, yy) = (slope[i].x, slope[i].y, slope[i].z)
      let ax = (jx * xx + jy * xy) * weight
      let ay = (jx * xy + jy * yy) * weight
      for k in 0..<8 { system.rows[k] += ax * jx[k] + ay * jy[k] }
      system.rhs += (jx * product[i].x + jy * product[i].y) * weight
    }
    return system
  }

  /// Returns the mean of the better half of the correlations, 0…1.
  private func betterHalf() -> Double {
    let n = set.count
    for i in 0..<n { sorted[i] = correlation[i] }
    let half = max(1, (n + 1) / 2)
    sorted.select(n - half, of: n)
    var sum = 0.0
    for i in (n - half)..<n { sum += Double(sorted[i]) }
    return min(1, max(0, sum / Double(half)))
  }

  private func judge(_ h: SurfaceMap, octave: Int) -> AlignmentResult? {
    let n = set.count
    guard n >= 4 else { return nil }
    let score = betterHalf()
    var inliers = 0
    var squares = 0.0
    var gain = 0.0
    var (middle, xx, xy, yy) = (Point2.zero, 0.0, 0.0, 0.0)
    for i in 0..<n where correlation[i] > 0.5 && shift[i].length < 1 {
      inliers += 1
      let p = set.anchor[i]
      middle += p
      xx += p.x * p.x
      xy += p.x * p.y
      yy += p.y * p.y
      squares += shift[i].dot(shift[i])
      gain += Double(correlation[i])
    }
    let count = Double(max(1, inliers))
    middle = middle / count
    (xx, xy, yy) = (
      xx / count - middle.x * middle.x, xy / count - middle.x * middle.y, yy / count - middle.y * middle.y
    )
    let least = 0.5 * (xx + yy) - (0.25 * (xx - yy) * (xx - yy) + xy * xy).squareRoot()
    return AlignmentResult(
      map: h, score: score, share: Double(inliers) / Double(n), patches: n,
      inliers: inliers,
      residual: (squares / Double(max(1, inliers))).squareRoot() * Double(1 << octave),
      spread: max(0, least).squareRoot(),
      gain: gain / Double(max(1, inliers)))
  }
}
