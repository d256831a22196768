import CKernels
package import WaymarkImage

/// Moves a homography until the reference, drawn through it, agrees with the frame: direct alignment on intensities.
///
/// The reference is drawn patch by patch as the frame should show it, on the frame's own pixels, and its gradients are
/// taken there once; the frame is then compared at shifted places until nothing moves (inverse compositional: S. Baker,
/// I. Matthews, "Lucas-Kanade 20 years on", IJCV 56 (2004)). Within a patch the step is a shift, since the patch was drawn
/// under a map that is nearly right; all patches together determine the eight numbers of the map. Gain and offset of the
/// light are free in every patch (its mean, its length and the parts of the gradients along both are taken out). Patches
/// that are covered, or shifted against what the others agree on, lose their weight.
///
/// All memory is taken once. To be used from one thread at a time.
package final class PatchAligner {
  package struct Options: Sendable {
    /// How many patches are compared on the finest level; more take more time and tremble less.
    var patches = 96
    /// The same where the anchor is smeared by motion: each patch says less then.
    var smearedPatches = 96
    /// How many on the coarser levels.
    var coarsePatches = 48
    /// How many are compared on the finest level before all of them are: they bring the map so near that the others are drawn where they are
    /// compared. None are where this is zero.
    var draftPatches = 0
    /// The most steps on a level.
    package var iterations = 6
    /// On how many levels of the frame, each half the one before, it is done.
    package var levels = 3
    /// The standard deviation of the camera's noise, in gray levels.
    package var noise = 4.0
    /// The error of the drawing, as a share of a patch's contrast.
    package var mismatch = 0.25
    /// True if a flat anchor keeps its shape, being shifted, turned and resized alone: bars look alike however long they are, and however
    /// slanted along themselves.
    var isRigid = false
    package init() {}
  }

  package let options: Options
  /// The lens of the frames; all homographies given and returned are then those without its distortion.
  package var lens: LensMap? {
    get { set.lens }
    set { set.lens = newValue }
  }
  private let set: PatchSet
  /// The result of the last comparison of each patch.
  private let shift: UnsafeMutablePointer<Point2>
  private let correlation: UnsafeMutablePointer<Float>
  private let information: UnsafeMutablePointer<Double>
  private let product: UnsafeMutablePointer<Point2>
  /// How the products of the frame with the drawn gradients change with the shift: xx, xy, yy.
  private let slope: UnsafeMutablePointer<Point3>
  private let sorted: UnsafeMutablePointer<Float>
  private let out: UnsafeMutablePointer<Float>

  package init(_ options: Options = Options()) {
    self.options = options
    let capacity = max(options.patches, options.smearedPatches, options.coarsePatches, options.draftPatches)
    set = PatchSet(capacity: capacity)
    shift = .allocate(capacity: capacity)
    correlation = .allocate(capacity: capacity)
    information = .allocate(capacity: capacity)
    product = .allocate(capacity: capacity)
    slope = .allocate(capacity: capacity)
    sorted = .allocate(capacity: capacity)
    out = .allocate(capacity: 5)
  }

  deinit {
    shift.deallocate()
    correlation.deallocate()
    information.deallocate()
    product.deallocate()
    slope.deallocate()
    sorted.deallocate()
    out.deallocate()
  }

  /// Aligns, from coarse to fine.
  ///
  /// - Parameters:
  ///   - start: reference → frame, right within a few pixels.
  ///   - pyramid: of the frame; its whole octaves are used.
  ///   - softness: the deviation in pixels by which the frame is out of focus.
  ///   - blur: how the anchor is smeared by motion.
  ///   - coarsest: the coarsest octave to begin with; `nil`: by the size of the anchor.
  /// - Returns: `nil` where too little of the anchor is in view or nothing agrees.
  package func align(
    _ template: AnchorTemplate, from start: SurfaceMap, in pyramid: GrayPyramid, softness: Double = 0,
    blur: MotionBlur? = nil, coarsest: Int? = nil
  ) -> Result? {
    align(template, from: start, in: pyramid, softness: softness, coarsest: coarsest) { _ in blur }
  }

  /// The same where the smear follows from the place.
  ///
  /// - Parameter blur: how the anchor is smeared that is seen at a place; asked on each octave with the place that is known by then.
  func align(
    _ template: AnchorTemplate, from start: SurfaceMap, in pyramid: GrayPyramid, softness: Double,
    coarsest: Int? = nil, blur: (SurfaceMap) -> MotionBlur?
  ) -> Result? {
    guard let range = octaves(template, start, pyramid, blur: blur(start)) else { return nil }
    let octaves = (finest: range.finest, coarsest: max(range.finest, min(coarsest ?? range.coarsest, range.coarsest)))
    var h = alignCoarse(template, from: start, in: pyramid, octaves: octaves, softness: softness, blur: blur)
    if options.draftPatches > 0 {
      h = step(
        template, h, pyramid, octaves.finest, softness, blur(h), limit: options.draftPatches, prior: 0.1, judged: false)
    }
    let blur = blur(h)
    return judge(
      step(
        template, h, pyramid, octaves.finest, softness, blur,
        limit: blur == nil ? options.patches : options.smearedPatches, prior: 0.1, judged: true),
      octave: octaves.finest)
  }

  /// Aligns on all octaves but the finest.
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

  /// How alike reference and frame are under a map, without moving it: the mean of the better half of the correlations of
  /// at most `limit` patches; `nil` where too little is in view.
  package func likeness(
    _ template: AnchorTemplate, _ h: SurfaceMap, in pyramid: GrayPyramid, octave: Int, limit: Int,
    softness: Double = 0, blur: MotionBlur? = nil
  ) -> Double? {
    guard compare(template, h, pyramid, octave, limit, softness, blur) else { return nil }
    return betterHalf()
  }

  /// The same, the mean of all correlations: of a picture that repeats itself the better half is nearly as like a step aside.
  package func agreement(
    _ template: AnchorTemplate, _ h: SurfaceMap, in pyramid: GrayPyramid, octave: Int, limit: Int,
    softness: Double = 0, blur: MotionBlur? = nil
  ) -> Double? {
    guard compare(template, h, pyramid, octave, limit, softness, blur) else { return nil }
    var sum = 0.0
    for i in 0..<set.count { sum += Double(correlation[i]) }
    return sum / Double(set.count)
  }

  /// Returns whether a reference agrees with the frame under a map more than with it a step of its pattern aside, where it repeats itself.
  ///
  /// Features and proof know the pattern at each of its places, and motion that is not known yet smears what would tell them apart.
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

  /// Compares reference and frame under a map; `false` where too little is in view.
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

  /// The octaves of the frame between which the alignment moves: on the finest the reference is hardly enlarged, on the
  /// coarsest it still has several patches.
  ///
  /// - Parameter blur: how the anchor is smeared. What is smeared over several pixels has no more detail than the next octave shows, where as many
  ///   patches cover four times as much of it.
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
    while coarsest < last, coarsest < finest + options.levels - 1, extent / Double(1 << (coarsest + 1)) >= 32 {
      coarsest += 1
    }
    return (finest, coarsest)
  }

  /// The longest smear, in pixels of an octave, with which the octave shows more than the next one.
  private static let sharpest = 6.0

  /// The map moved on one octave.
  ///
  /// - Parameter judged: whether `judge` should speak of where it ends; otherwise nothing is measured there.
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
    for round in 0..<options.iterations {
      measure(h, view, scale)
      guard let step = solve(&frame, h, scale, robust: round > 0, prior: prior) else { return h }
      h = step.map
      // The gradient measured a hundredth of a pixel away holds here, too.
      if step.length < 0.01 { return h }
    }
    if judged { measure(h, view, scale) }
    return h
  }

  /// Compares every patch with the frame at the place where `h` now puts it.
  private func measure(_ h: SurfaceMap, _ view: ImageView, _ scale: Double) {
    let toLevel = h.resized(by: scale)
    let noise = options.noise * options.noise
    let mismatch = options.mismatch * options.mismatch / 64
    // Of bars a few ends must outweigh the many that know nothing of a shift along themselves.
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
      // The step towards the place where the frame is orthogonal to the drawn gradients.
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

  /// The map after the step that brings the patches nearest to where they were seen, and how long that was in pixels of the level.
  private func solve(
    _ frame: inout AlignmentFrame, _ h: SurfaceMap, _ scale: Double, robust: Bool, prior: Double
  ) -> (map: SurfaceMap, length: Double)? {
    // The scale of the patches' own disagreement: the median of their shifts, at least a tenth of a pixel.
    var n = 0
    for i in 0..<set.count where information[i] > 0 {
      sorted[n] = Float(shift[i].length)
      n += 1
    }
    guard n >= 4 else { return nil }
    sorted.select(n / 2, of: n)
    let median = Double(sorted[n / 2])
    let limit = options.isRigid ? max(1, 4 * median) : robust ? max(0.3, 3 * median) : max(1, 4 * median)
    let freedom = AlignmentParameters(h, scale, frame)
    var system = NormalEquations()
    for i in 0..<set.count where information[i] > 0 {
      let ratio = shift[i].length / limit
      guard ratio < 1 else { continue }
      // Tukey's biweight on the shift, and the correlation as a doubt of its own.
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
    // The little that is known beforehand steadies a map that few patches determine: the perspective changes by at most
    // a few hundredths over the radius, the rest by a few tenths.
    let loose = 1 / (0.5 * 0.5)
    let tight = 1 / (prior * prior)
    for k in 0..<6 { system.rows[k][k] += loose }
    for k in 6..<8 { system.rows[k][k] += tight }
    if options.isRigid, h.cylinder == nil {
      // A similarity scales both ways alike, turns both ways alike, and keeps what is parallel.
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

  /// The mean of the better half of the correlations, 0…1.
  private func betterHalf() -> Double {
    let n = set.count
    for i in 0..<n { sorted[i] = correlation[i] }
    let half = max(1, (n + 1) / 2)
    sorted.select(n - half, of: n)
    var sum = 0.0
    for i in (n - half)..<n { sum += Double(sorted[i]) }
    return min(1, max(0, sum / Double(half)))
  }

  private func judge(_ h: SurfaceMap, octave: Int) -> Result? {
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
    return Result(
      map: h, score: score, share: Double(inliers) / Double(n), patches: n,
      inliers: inliers,
      residual: (squares / Double(max(1, inliers))).squareRoot() * Double(1 << octave),
      spread: max(0, least).squareRoot(),
      gain: gain / Double(max(1, inliers)))
  }
}
