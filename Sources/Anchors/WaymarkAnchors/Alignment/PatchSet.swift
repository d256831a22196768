import CKernels
package import WaymarkImage

/// Patches of a reference drawn as the frame should show them, at most `capacity` of them.
///
/// The file also has `PatchSearch`, which finds the shift of all patches together, and what patches are drawn with:
/// `MotionBlur`, the scale of the map (`LocalScale`) and the sample positions (`PatchSamples`).
///
/// Patch `i` covers whole pixels of one level of the frame; its first pixel is (`left[i]`, `top[i]`). All memory is
/// allocated in `init`. Use it from one thread at a time.
final class PatchSet {
  static let side = Int(CK_PATCH)
  /// The distance from a patch's first pixel to its centre, in pixels.
  static let middle = 3.5

  let capacity: Int
  private(set) var count = 0
  /// The column of each patch's first pixel on the level; `top`: the row.
  let left: UnsafeMutablePointer<Int32>
  let top: UnsafeMutablePointer<Int32>
  /// The centre of each patch on the level, without the lens distortion.
  let place: UnsafeMutablePointer<Point2>
  /// The derivatives of the distorted position with respect to the undistorted x and y, at each patch; the unit vectors
  /// without a lens.
  let bend: UnsafeMutablePointer<(dx: Point2, dy: Point2)>
  /// The lens of the frames. If set, maps exclude its distortion.
  var lens: LensMap?
  /// The index of each patch in the list of centres from which it was drawn.
  let index: UnsafeMutablePointer<Int32>
  /// The reference point at each patch's centre, in reference pixels.
  let anchor: UnsafeMutablePointer<Point2>
  /// The contrast of each patch: the root of the summed squares of its gray levels without their mean.
  let contrast: UnsafeMutablePointer<Float>
  /// The sums of gx·gx, gx·gy and gy·gy of each patch, in units of its contrast.
  let tensor: UnsafeMutablePointer<Float>
  let prepared: UnsafeMutablePointer<Float>
  private let memory = ScratchMemory()
  private let drawn: UnsafeMutablePointer<Float>
  /// The distance between two drawn patches in memory, in values; zero if only the last drawn patch is kept.
  private let step: Int
  private let ranking = TextureRanking()
  /// The patch centres on the visible part of a reference that is larger than the frame.
  private let near: CloseUpPatches

  /// - Parameter keepsDrawn: True if every patch is kept as drawn, for `drawing`.
  init(capacity: Int, keepsDrawn: Bool = false) {
    step = keepsDrawn ? Int(CK_DRAWN_CAPACITY) : 0
    self.capacity = capacity
    near = CloseUpPatches()
    left = memory.allocate(capacity)
    top = memory.allocate(capacity)
    place = memory.allocate(capacity)
    bend = memory.allocate(capacity)
    index = memory.allocate(capacity)
    anchor = memory.allocate(capacity)
    contrast = memory.allocate(capacity)
    tensor = memory.allocate(3 * capacity)
    prepared = memory.allocate(Int(CK_PREPARED) * capacity)
    drawn = memory.allocate(Int(CK_DRAWN_CAPACITY) * (keepsDrawn ? capacity : 1))
  }

  /// Adds the lens distortion to a position on a level of the frame.
  @inline(__always)
  func seen(_ straight: Point2, scale: Double) -> Point2 {
    guard let lens else { return straight }
    return (lens.bend((straight + 0.5) / scale - 0.5) + 0.5) * scale - 0.5
  }

  /// Removes the lens distortion from a position on a level of the frame.
  func straight(_ seen: Point2, scale: Double) -> Point2 {
    guard let lens else { return seen }
    return (lens.straighten((seen + 0.5) / scale - 0.5) + 0.5) * scale - 0.5
  }

  /// Returns a patch as drawn, with a margin of one pixel on each side.
  func drawing(_ i: Int) -> UnsafePointer<Float> { UnsafePointer(drawn + step * i) }

  func pattern(_ i: Int) -> UnsafeMutablePointer<Float> { prepared + i * Int(CK_PREPARED) }

  /// Draws the patches of a reference that are visible on a level of the frame under a map.
  ///
  /// - Parameters:
  ///   - map: Reference pixels → frame pixels of the full size.
  ///   - scale: The scale of the frame's level, relative to the full frame.
  ///   - width: The width of the frame's level; `height` likewise.
  ///   - limit: The most patches to draw.
  ///   - softness: The standard deviation of the defocus in pixels of the full frame.
  ///   - blur: The motion blur in pixels of the full frame; `nil`: none.
  ///   - keepsPlain: True to also keep patches without contrast; patches of one gray level get a pattern of zeros.
  ///   - chosen: The centres of the patches in reference pixels; `nil`: the squares of the reference with most texture.
  func draw(
    _ template: AnchorTemplate, map: SurfaceMap, scale: Double, width: Int, height: Int, limit: Int,
    softness: Double, blur: MotionBlur?, keepsPlain: Bool = false,
    at chosen: UnsafeBufferPointer<SIMD2<Float>>? = nil
  ) {
    count = 0
    let toLevel = map.resized(by: scale)
    // The scale of the reference on this level, from the derivative at the middle of the visible part.
    guard let inverse = toLevel.inverse else { return }
    let stretch = LocalScale(toLevel, inverse, template: template, width: width, height: height)
    guard stretch.largest.isFinite, stretch.largest > 0 else { return }
    // A coarser level of the reference is blurred: the box and tent filters of its pixels have a standard deviation of about half a pixel.
    let focus = min(1, 0.5 / max(softness * scale, 0.5))
    let sight = CloseUpRegion(template, inverse, width: width, height: height) { straight($0, scale: scale) }
    let size = template.level(for: min(sight == nil ? 1 : template.detail, stretch.largest * focus))
    let level = template.level(size, ranking: ranking)
    let view = template.pyramid.level(size)
    let shrink = Homography.resize(Point2(level.scale, level.scale))
    let cylinder = toLevel.cylinder
    let flat = cylinder == nil ? inverse.near(.zero).map { shrink * $0 } : nil
    let (right, bottom) = (Double(view.width) - 0.5, Double(view.height) - 0.5)
    let full = min(limit, capacity)
    let places = chosen ?? sight.flatMap { near.centers(template, size, $0, ranking) } ?? level.centers
    for (number, place) in places.enumerated() {
      if count == full { break }
      let center = Point2(Double(place.x), Double(place.y))
      let depth = toLevel.depth(center)
      guard depth > 0 else { continue }
      let straight = toLevel.apply(center)
      let c = seen(straight, scale: scale)
      let (x, y) = ((c.x - Self.middle).rounded(), (c.y - Self.middle).rounded())
      guard x >= 1, y >= 1, x + 10 <= Double(width), y + 10 <= Double(height) else { continue }
      // Patch pixels → undistorted pixels of the level; with a lens, by its derivative at the patch.
      var local = Homography.translation(Point2(x, y))
      var bent = (dx: Point2(1, 0), dy: Point2(0, 1))
      if let lens {
        bent = lens.derivative(at: (straight + 0.5) / scale - 0.5)
        guard let unbend = Self.straightening(bent, at: straight, seen: c) else { continue }
        local = unbend * local
      }
      // Patch pixels → pixels of the reference's level.
      guard let back = flat ?? inverse.near(straight).map({ shrink * $0 }) else { continue }
      let map = back * local
      func inside(_ p: Point2) -> Bool {
        let q = map.apply(p)
        return q.x >= -0.5 && q.y >= -0.5 && q.x <= right && q.y <= bottom
      }
      guard inside(Point2(-1, -1)), inside(Point2(8, -1)), inside(Point2(8, 8)), inside(Point2(-1, 8)) else { continue }
      // A cylinder is compressed towards its sides, a plane nearly evenly.
      let squeeze = flat != nil ? stretch : LocalScale(toLevel.derivative(at: center))
      let samples = PatchSamples(
        minification: squeeze.minification(of: level.scale), across: squeeze.across,
        way: blur.map { $0.way(of: center) } ?? (.zero, .zero), scale: scale)
      withUnsafeTemporaryAllocation(of: Float.self, capacity: 9 + 2 * PatchSamples.most) { memory in
        let m = memory.baseAddress!
        let s = 1 / map.row2.z
        for i in 0..<3 {
          m[i] = Float(map.row0[i] * s)
          m[3 + i] = Float(map.row1[i] * s)
          m[6 + i] = Float(map.row2[i] * s)
        }
        let offsets = samples.write(to: m + 9)
        ck_patch_draw(
          view.base, view.stride, Int32(view.width), Int32(view.height), m, m + 9, Int32(offsets), drawn + step * count)
      }
      let length = ck_patch_prepare(drawn + step * count, pattern(count), tensor + 3 * count)
      // A patch with a standard deviation below one gray level cannot be aligned.
      guard length > 8 || keepsPlain else { continue }
      if length == 0 { pattern(count).update(repeating: 0, count: Int(CK_PREPARED)) }
      index[count] = Int32(number)
      left[count] = Int32(x)
      top[count] = Int32(y)
      self.place[count] = local.apply(Point2(Self.middle, Self.middle))
      bend[count] = bent
      anchor[count] =
        cylinder.flatMap { $0.inverse(self.place[count]) }
        ?? (map.apply(Point2(Self.middle, Self.middle)) + 0.5) / level.scale - 0.5
      contrast[count] = length
      count += 1
    }
  }
}

extension PatchSet {
  /// Returns the map from frame pixels around `seen` to undistorted pixels around `straight`; `nil` where the distortion is not invertible.
  private static func straightening(_ bent: (dx: Point2, dy: Point2), at straight: Point2, seen: Point2) -> Homography?
  {
    let d = bent.dx.x * bent.dy.y - bent.dx.y * bent.dy.x
    guard d > 0.05 else { return nil }
    let (a, b, c, e) = (bent.dy.y / d, -bent.dy.x / d, -bent.dx.y / d, bent.dx.x / d)
    return Homography(
      SIMD3(a, b, straight.x - a * seen.x - b * seen.y), SIMD3(c, e, straight.y - c * seen.x - e * seen.y),
      SIMD3(0, 0, 1))
  }
}

/// The local scale of a map, in pixels of a level of the frame per reference pixel.
private struct LocalScale {
  /// The larger singular value of the map's derivative; `smallest` is the smaller one.
  var largest: Double
  var smallest: Double
  /// The unit direction in the frame that belongs to the smaller singular value.
  var across: Point2

  /// Computes the scale at the middle of the part of the reference that the level shows.
  init(_ map: SurfaceMap, _ inverse: SurfaceMap.Inverse, template: AnchorTemplate, width: Int, height: Int) {
    let (w, h) = (Double(template.width), Double(template.height))
    var middle = map.cylinder?.visibleMiddle ?? 0.5 * Point2(w, h)
    let seen = map.apply(middle)
    // If the middle is outside the frame, the nearest point inside is used.
    let nearest = Point2(min(max(seen.x, 0), Double(width)), min(max(seen.y, 0), Double(height)))
    if nearest != seen {
      if let p = inverse.apply(nearest), p.x.isFinite, p.y.isFinite {
        middle = Point2(min(max(p.x, 0), w), min(max(p.y, 0), h))
      }
    }
    self.init(map.derivative(at: middle))
  }

  init(_ derivative: (dx: Point2, dy: Point2)) {
    let (a, b) = derivative
    // The eigenvalues of D·Dᵀ, D being the derivative.
    let xx = a.x * a.x + b.x * b.x
    let xy = a.x * a.y + b.x * b.y
    let yy = a.y * a.y + b.y * b.y
    let root = (0.25 * (xx - yy) * (xx - yy) + xy * xy).squareRoot()
    largest = (0.5 * (xx + yy) + root).squareRoot()
    smallest = max(0, 0.5 * (xx + yy) - root).squareRoot()
    let angle = 0.5 * Double.arcTangent(y: 2 * xy, x: xx - yy) + .pi / 2
    across = Point2(Double.cosine(angle), Double.sine(angle))
  }

  /// Returns the number of pixels of a reference level of this scale per frame pixel, along `across`.
  func minification(of scale: Double) -> Double { scale / max(smallest, 0.02) }
}

/// The sample positions within and around a pixel: along the direction in which the reference is compressed, and along the
/// motion during the exposure.
private struct PatchSamples {
  static let most = 32
  private let squeezed: Int
  private let moved: Int
  private let across: Point2
  private let chord: Point2
  private let sag: Point2

  /// - Parameters:
  ///   - way: The path of the motion in pixels of the full frame.
  ///   - scale: The scale of the level, relative to the full frame.
  init(minification: Double, across: Point2, way: (chord: Point2, sag: Point2), scale: Double) {
    squeezed = min(4, max(1, Int((minification + 0.3).rounded())))
    let length = way.chord.length * scale
    moved = length < 1 ? 1 : max(2, Int((min(length, 12) / 1.5).rounded(.up)))
    self.across = across
    let shorter = scale * min(1, 40 / max(length, 1))
    chord = way.chord * shorter
    sag = way.sag * shorter
  }

  func write(to offsets: UnsafeMutablePointer<Float>) -> Int {
    var n = 0
    for i in 0..<squeezed {
      for j in 0..<moved {
        var p = across * ((Double(i) + 0.5) / Double(squeezed) - 0.5)
        if moved > 1 {
          // When the anchor has moved by some distance, a pixel shows the point of the drawing that is that distance
          // behind.
          let t = (Double(j) + 0.5) / Double(moved) - 0.5
          p -= chord * t + sag * (4 * t * t)
        }
        offsets[2 * n] = Float(p.x)
        offsets[2 * n + 1] = Float(p.y)
        n += 1
      }
    }
    return n
  }
}

/// Finds the shift of an anchor from its expected position by trying every shift within a square.
///
/// All patches of the reference, drawn at the expected position, decide together: a shift is rated by the sum of their correlation
/// coefficients with the frame. This works where single patches are ambiguous or blurred, and takes no longer than a separate
/// search for each patch.
package final class PatchSearch {
  /// The largest shift that can be searched, in pixels of an octave.
  static let greatestRadius = 12

  /// The lens of the frames. If set, maps exclude its distortion.
  package var lens: LensMap? {
    get { set.lens }
    set { set.lens = newValue }
  }
  private let set = PatchSet(capacity: 32)
  private let memory = ScratchMemory()
  private let map: UnsafeMutablePointer<Float>
  private let pattern: UnsafeMutablePointer<Int16>

  package init() {
    let side = 2 * Self.greatestRadius + 1
    map = memory.allocate(side * side)
    pattern = memory.allocate(PatchSet.side * PatchSet.side)
  }

  /// Searches for the shift on one octave of the frame.
  ///
  /// - Parameters:
  ///   - radius: The search radius in pixels of the octave, at most `greatestRadius`.
  ///   - softness: The standard deviation of the defocus in pixels.
  ///   - blur: The motion blur of the anchor; `nil`: none.
  /// - Returns: The map shifted to the best position, and the mean correlation there; `nil` if fewer than three patches
  ///   are in view.
  package func search(
    _ template: AnchorTemplate, around expected: SurfaceMap, in pyramid: GrayPyramid, octave: Int, radius: Int,
    softness: Double = 0, blur: MotionBlur? = nil
  ) -> (map: SurfaceMap, correlation: Double)? {
    let view = pyramid.level(2 * octave)
    let scale = pyramid.scale(2 * octave)
    set.draw(
      template, map: expected, scale: scale, width: view.width, height: view.height, limit: set.capacity,
      softness: softness, blur: blur)
    guard set.count >= 3 else { return nil }
    let r = min(radius, Self.greatestRadius)
    let side = 2 * r + 1
    map.update(repeating: 0, count: side * side)
    let weight = 1 / Float(set.count)
    for i in 0..<set.count {
      ck_patch_quantize(set.pattern(i), pattern)
      // Pixels of the margin around a level may be read; they correlate with nothing.
      ck_patch_search(
        view.base + Int(set.top[i]) * view.stride + Int(set.left[i]), view.stride, pattern, Int32(r), weight, map)
    }
    var best = 0
    for i in 1..<(side * side) where map[i] > map[best] { best = i }
    let (x, y) = (best % side, best / side)
    var shift = Point2(Double(x - r), Double(y - r))
    // The maximum of the parabola through the value and its two neighbours.
    func top(_ a: Float, _ b: Float, _ c: Float) -> Double {
      let curvature = a - 2 * b + c
      return curvature < -1e-6 ? Double(min(max(0.5 * (a - c) / curvature, -0.5), 0.5)) : 0
    }
    if x > 0, x < side - 1 { shift.x += top(map[best - 1], map[best], map[best + 1]) }
    if y > 0, y < side - 1 { shift.y += top(map[best - side], map[best], map[best + side]) }
    return (expected.shifted(by: shift / scale), Double(map[best]))
  }
}

/// The motion blur of a picture that moves while the shutter is open: every point moves along its own path.
///
/// The path is a parabola. Along a straight path, the middle of the blur would count as the position in the middle of the exposure.
/// Under an acceleration *a* and an exposure T, it is *a*·T²/24 away from this position: a twentieth of a pixel when a hand
/// reverses its motion.
package struct MotionBlur: Sendable {
  /// Reference pixels → frame pixels when the shutter opens, in the middle of the exposure, and when it closes.
  let opening: SurfaceMap
  let middle: SurfaceMap
  let closing: SurfaceMap

  /// Returns the path in the frame of a reference point during the exposure, in pixels: the chord from start to end, and the
  /// sag from the middle position to the middle of the chord.
  package func way(of p: Point2) -> (chord: Point2, sag: Point2) {
    let (a, b, c) = (opening.apply(p), middle.apply(p), closing.apply(p))
    let chord = c - a
    let sag = 0.5 * (a + c) - b
    guard chord.x.isFinite, chord.y.isFinite, sag.x.isFinite, sag.y.isFinite else { return (.zero, .zero) }
    return (chord, sag)
  }
}
