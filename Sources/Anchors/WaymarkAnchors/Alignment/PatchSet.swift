import CKernels
import WaymarkImage

/// Patches of a reference, drawn as the frame should show them, with room for a fixed number of them.
///
/// Patch `i` stands on whole pixels of one level of the frame: `left[i]`, `top[i]` is its first pixel. All memory is taken
/// once. To be used from one thread at a time.
final class PatchSet {
  static let side = Int(CK_PATCH)
  /// From a patch's first pixel to its centre.
  static let middle = 3.5

  let capacity: Int
  private(set) var count = 0
  /// Where the frame's level puts each patch, in pixels.
  let left: UnsafeMutablePointer<Int32>
  let top: UnsafeMutablePointer<Int32>
  /// Where each patch's centre stands on the level, the lens's distortion taken out.
  let place: UnsafeMutablePointer<Point2>
  /// How the frame's pixels move there with the straight ones: derivatives by x and y. Only with a lens.
  let bend: UnsafeMutablePointer<(dx: Point2, dy: Point2)>
  /// The lens; the homographies are then those without its distortion.
  var lens: LensMap?
  /// Which of the places that it was chosen from each patch has.
  let index: UnsafeMutablePointer<Int32>
  /// The point of the reference that each patch's centre shows, in reference pixels.
  let anchor: UnsafeMutablePointer<Point2>
  /// The patch's gray levels, and the root of their summed squares without the mean.
  let contrast: UnsafeMutablePointer<Float>
  /// Sums of gx·gx, gx·gy, gy·gy in units of the contrast.
  let tensor: UnsafeMutablePointer<Float>
  let prepared: UnsafeMutablePointer<Float>
  private let drawn: UnsafeMutablePointer<Float>
  /// From one drawn patch to the next; none where only the last one is kept.
  private let step: Int
  private let ranking = TextureRanking()
  /// The places of a part of a reference that is larger than the frame.
  private let near: CloseUpPatches

  /// - Parameter keepsDrawn: whether patches are kept as they were drawn, for `drawing`.
  init(capacity: Int, keepsDrawn: Bool = false) {
    step = keepsDrawn ? Int(CK_DRAWN_CAPACITY) : 0
    self.capacity = capacity
    near = CloseUpPatches()
    left = .allocate(capacity: capacity)
    top = .allocate(capacity: capacity)
    place = .allocate(capacity: capacity)
    bend = .allocate(capacity: capacity)
    index = .allocate(capacity: capacity)
    anchor = .allocate(capacity: capacity)
    contrast = .allocate(capacity: capacity)
    tensor = .allocate(capacity: 3 * capacity)
    prepared = .allocate(capacity: Int(CK_PREPARED) * capacity)
    drawn = .allocate(capacity: Int(CK_DRAWN_CAPACITY) * (keepsDrawn ? capacity : 1))
  }

  deinit {
    left.deallocate()
    top.deallocate()
    place.deallocate()
    bend.deallocate()
    index.deallocate()
    anchor.deallocate()
    contrast.deallocate()
    tensor.deallocate()
    prepared.deallocate()
    drawn.deallocate()
  }

  /// Where a level of the frame shows a place of the straight level.
  @inline(__always)
  func seen(_ straight: Point2, scale: Double) -> Point2 {
    guard let lens else { return straight }
    return (lens.bend((straight + 0.5) / scale - 0.5) + 0.5) * scale - 0.5
  }

  /// The straight place that a level of the frame shows somewhere.
  func straight(_ seen: Point2, scale: Double) -> Point2 {
    guard let lens else { return seen }
    return (lens.straighten((seen + 0.5) / scale - 0.5) + 0.5) * scale - 0.5
  }

  /// A patch as it was drawn, with one more pixel on each side.
  func drawing(_ i: Int) -> UnsafePointer<Float> { UnsafePointer(drawn + step * i) }

  func pattern(_ i: Int) -> UnsafeMutablePointer<Float> { prepared + i * Int(CK_PREPARED) }

  /// Draws the patches of a reference that a level of the frame should show under a map.
  ///
  /// - Parameters:
  ///   - map: reference → frame, in pixels of the full sizes.
  ///   - scale: of the frame's level.
  ///   - width: of the frame's level; `height` likewise.
  ///   - limit: how many patches at most.
  ///   - softness: the deviation in pixels of the full frame by which the frame is out of focus.
  ///   - blur: how motion smears a point of the reference during the exposure, in pixels of the full frame.
  ///   - keepsPlain: whether patches without contrast are kept, too; those of one gray level have a pattern of zeros.
  ///   - chosen: the centres of the patches in reference pixels; `nil`: where the reference has most texture.
  func draw(
    _ template: AnchorTemplate, map: SurfaceMap, scale: Double, width: Int, height: Int, limit: Int,
    softness: Double, blur: MotionBlur?, keepsPlain: Bool = false,
    at chosen: UnsafeBufferPointer<SIMD2<Float>>? = nil
  ) {
    count = 0
    let toLevel = map.resized(by: scale)
    // The scale of the reference on this level, from the derivative at the middle of what is seen of it.
    guard let inverse = toLevel.inverse else { return }
    let stretch = LocalScale(toLevel, inverse, template: template, width: width, height: height)
    guard stretch.largest.isFinite, stretch.largest > 0 else { return }
    // A coarser level of the reference is a softer one: box and tent of its pixels have a deviation of about half of one.
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
      // Patch pixels → straight pixels of the level: through a lens, by its derivative at the patch.
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
      // Round things are squeezed towards their sides, flat ones everywhere nearly alike.
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
      // Below a deviation of one gray level there is nothing to hold on to.
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
  /// Pixels of the frame around `seen` → straight pixels around `straight`; `nil` where the lens folds.
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

/// How much a map enlarges, at the middle of the part of the reference that a level of the frame shows.
private struct LocalScale {
  /// The larger and the smaller singular value of the derivative.
  var largest: Double
  var smallest: Double
  /// The unit direction in the frame along which the smaller one acts.
  var across: Point2

  init(_ map: SurfaceMap, _ inverse: SurfaceMap.Inverse, template: AnchorTemplate, width: Int, height: Int) {
    let (w, h) = (Double(template.width), Double(template.height))
    var middle = map.cylinder?.visibleMiddle ?? 0.5 * Point2(w, h)
    let seen = map.apply(middle)
    // Where the middle lies outside the frame, the nearest point inside stands for it.
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
    // Eigenvalues of D·Dᵀ.
    let xx = a.x * a.x + b.x * b.x
    let xy = a.x * a.y + b.x * b.y
    let yy = a.y * a.y + b.y * b.y
    let root = (0.25 * (xx - yy) * (xx - yy) + xy * xy).squareRoot()
    largest = (0.5 * (xx + yy) + root).squareRoot()
    smallest = max(0, 0.5 * (xx + yy) - root).squareRoot()
    let angle = 0.5 * Double.arcTangent(y: 2 * xy, x: xx - yy) + .pi / 2
    across = Point2(Double.cosine(angle), Double.sine(angle))
  }

  /// How many pixels of a reference level of this scale fall on one pixel of the frame, along `across`.
  func minification(of scale: Double) -> Double { scale / max(smallest, 0.02) }
}

/// Where within and around a pixel the reference is sampled: along the direction in which it is squeezed, and along the
/// motion during the exposure.
private struct PatchSamples {
  static let most = 32
  private let squeezed: Int
  private let moved: Int
  private let across: Point2
  private let chord: Point2
  private let sag: Point2

  /// - Parameters:
  ///   - way: of the motion, in pixels of the full frame.
  ///   - scale: of the level.
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
          // A pixel shows, while the anchor has moved on, the part of the drawing that lies that far behind it.
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
