import CKernels
package import WaymarkImage

/// Simulated camera views of a reference: tilted, rotated, near or far, blurred, dim and noisy, on a cluttered
/// background. The same index always gives the same view. `PictureRenderer` draws them.
package struct SimulatedCamera {
  package struct Shot {
    /// Reference pixels → frame pixels.
    package var map: Homography
    /// The share of a 640×480 frame that the reference covers.
    package var area: Double
    /// The angle between the camera's axis and the normal of the reference, in degrees.
    package var tilt: Double
  }

  private let width = 640.0
  private let height = 480.0
  private let focal = 600.0

  /// The range of areas, as shares of the frame that the reference covers.
  var areas = 0.008...0.8
  /// The range of tilts in degrees.
  var tilts = 0.0...70
  /// The seed of the random numbers that determine the views.
  var seed: UInt64 = 0x0A_1C_40

  /// Returns the shot with an index below `count` that shows a reference of `w` × `h` pixels; `nil` if it does not fit
  /// the frame.
  ///
  /// Tilts are uniform over `tilts`, areas uniform in their logarithm over `areas`.
  package func shot(_ index: Int, of count: Int, w: Int, h: Int) -> Shot? {
    var random = RandomSource(seed: seed &+ UInt64(index) &* 7919)
    let tilt =
      tilts.lowerBound + (tilts.upperBound - tilts.lowerBound) * (Double(index) + random.unit()) / Double(count)
    let order = Double((index &* 37) % count)
    let area =
      areas.lowerBound * Double.power(areas.upperBound / areas.lowerBound, (order + random.unit()) / Double(count))
    for _ in 0..<40 {
      let axis = 2 * Double.pi * random.unit()
      let roll = 2 * Double.pi * random.unit()
      let center = Point2(width * (0.2 + 0.6 * random.unit()), height * (0.2 + 0.6 * random.unit()))
      let middle = area > 0.3 ? Point2(width, height) / 2 + (center - Point2(width, height) / 2) * 0.25 : center
      guard let map = pose(tilt: tilt * .pi / 180, axis: axis, roll: roll, area: area, center: middle, w: w, h: h)
      else { continue }
      guard
        let outline = map.outline(width: Double(w), height: Double(h)),
        area > 0.3 || outline.corners.allSatisfy({ $0.x > -1 && $0.x < width && $0.y > -1 && $0.y < height })
      else { continue }
      return Shot(map: map, area: area, tilt: tilt)
    }
    return nil
  }

  /// Returns close view `index` of `count`, in which the reference is larger than the frame; `nil` if the reference is too small
  /// for this.
  ///
  /// The reference is enlarged 1.2 to 6 times, uniform in the logarithm, and tilted by up to 35°. The middles of the visible
  /// parts are spread evenly over the reference (the R2 sequence: M. Roberts, "The unreasonable effectiveness of quasirandom
  /// sequences", 2018).
  func closeUp(_ index: Int, of count: Int, w: Int, h: Int) -> Shot? {
    var random = RandomSource(seed: seed &+ 0xC1_05_E0 &+ UInt64(index) &* 7919)
    let size = Double(w * h).squareRoot()
    let order = Double((index &* 7) % count)
    let zoom = Double.power(5, (order + random.unit()) / Double(count)) * 1.2
    let axis = 2 * Double.pi * random.unit()
    let roll = 2 * Double.pi * random.unit()
    let tilt = 35 * random.unit() * .pi / 180
    let (u, v) = (0.5 + 0.7548776662466927 * Double(index), 0.5 + 0.5698402909980532 * Double(index))
    let side = 0.4 * min(width, height) / zoom
    // The middle of the visible part, at least `side` from the edges if the reference is large enough.
    func inner(_ t: Double, _ length: Double) -> Double {
      let margin = min(side, 0.4 * length)
      return margin + (t - t.rounded(.down)) * (length - 2 * margin)
    }
    let focus = Point2(inner(u, Double(w)), inner(v, Double(h)))
    guard
      let centred = pose(
        tilt: tilt, axis: axis, roll: roll, area: zoom * zoom * size * size / (width * height),
        center: Point2(width, height) / 2, w: w, h: h)
    else { return nil }
    let map = Homography.translation(Point2(width, height) / 2 - centred.apply(focus)) * centred
    guard map.outline(width: Double(w), height: Double(h)) != nil else { return nil }
    return Shot(map: map, area: zoom * zoom * size * size / (width * height), tilt: tilt * 180 / .pi)
  }

  /// Returns the map of a pose at the distance at which the outline covers `area` of the frame; `nil` without such a distance.
  /// Angles are in radians.
  private func pose(tilt: Double, axis: Double, roll: Double, area: Double, center: Point2, w: Int, h: Int)
    -> Homography?
  {
    // The rotation by `tilt` about an axis in the picture, after a rotation by `roll` in its plane; the first two columns.
    let (ca, sa) = (Double.cosine(axis), Double.sine(axis))
    let (ct, st) = (Double.cosine(tilt), Double.sine(tilt))
    let (cr, sr) = (Double.cosine(roll), Double.sine(roll))
    func rotate(_ v: Point2) -> Point3 {
      let u = Point2(cr * v.x - sr * v.y, sr * v.x + cr * v.y)
      let along = ca * u.x + sa * u.y
      let across = -sa * u.x + ca * u.y
      return Point3(ca * along - sa * across * ct, sa * along + ca * across * ct, across * st)
    }
    let (r1, r2) = (rotate(Point2(1, 0)), rotate(Point2(0, 1)))
    let ray = Point3((center.x - (width - 1) / 2) / focal, (center.y - (height - 1) / 2) / focal, 1)
    let camera = Homography(
      SIMD3(focal, 0, (width - 1) / 2), SIMD3(0, focal, (height - 1) / 2), SIMD3(0, 0, 1))
    // Distances are in reference pixels.
    var (near, far) = (10.0, 100_000.0)
    var result: Homography?
    for _ in 0..<40 {
      let distance = (near * far).squareRoot()
      let t = ray * distance
      let plane = Homography(SIMD3(r1.x, r2.x, t.x), SIMD3(r1.y, r2.y, t.y), SIMD3(r1.z, r2.z, t.z))
      let map = camera * plane * Homography.translation(Point2(-Double(w - 1) / 2, -Double(h - 1) / 2))
      let q = Quadrilateral(width: Double(w), height: Double(h))
      guard q.corners.allSatisfy({ map.depth($0) > 1 }) else {
        near = distance
        continue
      }
      if map.apply(q).signedArea / (width * height) > area { near = distance } else { far = distance }
      result = map
    }
    return result?.normalized
  }

  /// Renders a shot, cropped to the reference and a margin around it.
  ///
  /// - Parameter detail: The size of the renderer's picture relative to the reference.
  /// - Returns: The picture, and the map from reference pixels to pixels of this picture.
  func render(_ shot: Shot, index: Int, w: Int, h: Int, with renderer: PictureRenderer, detail: Double = 1) -> (
    GrayImage, Homography
  )? {
    var random = RandomSource(seed: 0xCA_3E_0A &+ UInt64(index) &* 104_729)
    guard let outline = shot.map.outline(width: Double(w), height: Double(h)) else { return nil }
    let xs = outline.corners.map(\.x)
    let ys = outline.corners.map(\.y)
    let margin = 24.0
    let x0 = max(0, (xs.min()! - margin).rounded(.down))
    let y0 = max(0, (ys.min()! - margin).rounded(.down))
    let x1 = min(width, (xs.max()! + margin).rounded(.up))
    let y1 = min(height, (ys.max()! + margin).rounded(.up))
    let (cw, ch) = (Int(x1 - x0), Int(y1 - y0))
    guard cw > 24, ch > 24 else { return nil }
    let map = Homography.translation(Point2(-x0, -y0)) * shot.map
    guard let back = map.inverse else { return nil }
    let shrink = (Double(w * h) / outline.signedArea).squareRoot() * detail
    let shown = detail == 1 ? back : Homography.resize(Point2(detail, detail)) * back
    let blur = random.unit() < 0.5 ? 2 * random.unit() : 0
    let gain = Double.exponential(-0.9 + 1.1 * random.unit())
    let lift = 40 * random.unit()
    let noise = 10 * random.unit()
    let ground = Ground(random: &random)
    let image = GrayImage(width: cw, height: ch) { pixels in
      guard let base = pixels.baseAddress else { return }
      renderer.render(shown, into: base, width: cw, height: ch, shrink: shrink, surroundings: false)
      // Outside the reference is the background.
      let inside = Interior(back, of: outline.center - Point2(x0, y0), w: w, h: h)
      for y in 0..<ch {
        let row = base + y * cw
        let seen = inside.columns(y, count: cw)
        for x in 0..<seen.lowerBound { row[x] = ground.value(x, y) }
        for x in seen.upperBound..<cw { row[x] = ground.value(x, y) }
      }
      if blur > 0.3 { GaussianBlur.apply(base, width: cw, height: ch, sigma: blur) }
      expose(base, cw * ch, gain: gain, lift: lift, noise: noise, random: &random)
    }
    return (image, map)
  }

  /// Multiplies the differences from the gray level `lift` by `gain`, then adds noise with a standard deviation of
  /// `noise` gray levels; computed in 1/65536 gray levels.
  private func expose(
    _ pixels: UnsafeMutablePointer<UInt8>, _ count: Int, gain: Double, lift: Double, noise: Double,
    random: inout RandomSource
  ) {
    withUnsafeTemporaryAllocation(of: Int32.self, capacity: 256) { tone in
      let base: Double = lift * (1 - gain)
      for i in 0..<256 {
        let light: Double = Double(i) * gain + base + 0.5
        tone[i] = Int32((light * 65536).rounded())
      }
      // An approximate normal distribution: the sum of four random bytes has a standard deviation of about 148. One random number
      // yields two such sums.
      let step = Int32((noise / 148 * 65536).rounded())
      var draw: UInt64 = 0
      for i in 0..<count {
        draw = i & 1 == 0 ? random.next() : draw >> 32
        let bell = Int32(draw & 0xff) &+ Int32(draw >> 8 & 0xff) &+ Int32(draw >> 16 & 0xff) &+ Int32(draw >> 24 & 0xff)
        let value = (tone[Int(pixels[i])] &+ (bell &- 510) &* step) >> 16
        pixels[i] = UInt8(truncatingIfNeeded: max(0, min(255, value)))
      }
    }
  }

  /// The columns of each row that show the reference. One range per row is enough, because the outline is convex.
  struct Interior {
    /// Linear functions of x and y that are all positive inside: the coefficients of x, y and 1.
    private var sides: [SIMD3<Double>]

    /// - Parameters:
    ///   - back: Picture pixels → reference pixels.
    ///   - center: A pixel that shows the reference.
    init(_ back: Homography, of center: Point2, w: Int, h: Int) {
      // The sign of a homography is arbitrary; it is chosen so that the depth is positive in front of the camera.
      let sign = back.depth(center) < 0 ? -1.0 : 1.0
      let (u, v, z) = (back.row0 * sign, back.row1 * sign, back.row2 * sign)
      sides = [z, u + 0.5 * z, v + 0.5 * z, (Double(w) - 0.5) * z - u, (Double(h) - 0.5) * z - v]
    }

    func columns(_ y: Int, count: Int) -> Range<Int> {
      var (low, high) = (0.0, Double(count))
      for s in sides {
        let rest = s.y * Double(y) + s.z
        if s.x > 0 {
          low = max(low, (-rest / s.x).rounded(.up))
        } else if s.x < 0 {
          high = min(high, (rest / -s.x).rounded(.up))
        } else if rest <= 0 {
          return 0..<0
        }
      }
      return low < high ? Int(low)..<Int(high) : 0..<0
    }
  }

  /// A cluttered background: smooth noise of two sizes over a base tone.
  private struct Ground {
    private var lattice: [Int16]

    init(random: inout RandomSource) {
      lattice = (0..<1024).map { _ in Int16(random.below(256)) }
    }

    @inline(__always)
    func value(_ x: Int, _ y: Int) -> UInt8 {
      lattice.withUnsafeBufferPointer { nodes in
        @inline(__always)
        func at(_ bits: Int, _ salt: Int) -> Int {
          let size = 1 << bits
          let (i, j) = (x >> bits, y >> bits)
          let (fx, fy) = (x & (size - 1), y & (size - 1))
          @inline(__always)
          func node(_ a: Int, _ b: Int) -> Int { Int(nodes[(a &* 31 &+ b &* 57 &+ salt) & 1023]) }
          let top = node(i, j) &* (size &- fx) &+ node(i &+ 1, j) &* fx
          let low = node(i, j &+ 1) &* (size &- fx) &+ node(i &+ 1, j &+ 1) &* fx
          return (top &* (size &- fy) &+ low &* fy) >> (2 &* bits)
        }
        return UInt8(truncatingIfNeeded: (5 &* at(4, 0) &+ 3 &* at(2, 500)) >> 3)
      }
    }
  }
}

/// Renders a reference picture through a map as a camera would, averaged over each pixel.
///
/// The renderer averages four samples per pixel, from the pyramid level with the closest pixel size. Buffers are reused. Use it
/// from one thread.
package final class PictureRenderer {
  private let pyramid = GrayPyramid()
  private var wide = PixelBuffer(capacity: 0)
  private var viewBuffer = PixelBuffer(capacity: 0)

  package init() {}

  /// Loads the picture to render.
  package func load(_ picture: ImageView) { pyramid.update(picture, levels: 9, minimumSide: 12) }

  /// Renders into `target` (`width` × `height`, rows without padding). Beyond the picture, the pixels at its edge are repeated.
  ///
  /// - Parameters:
  ///   - map: Target pixels → picture pixels.
  ///   - shrink: The number of picture pixels per target pixel, along each axis.
  ///   - surroundings: True to render the area outside the picture; if false, it may stay black away from the edge.
  func render(
    _ map: Homography, into target: UnsafeMutablePointer<UInt8>, width: Int, height: Int, shrink: Double,
    surroundings: Bool = true
  ) {
    guard width > 0, height > 0 else { return }
    if wide.capacity < 4 * width * height { wide = PixelBuffer(capacity: 4 * width * height) }
    // Two samples per pixel along each axis, so samples are half of `shrink` picture pixels apart.
    var level = 0
    while level + 2 < pyramid.count, shrink / 2 * pyramid.scale(level + 2) >= 1 { level += 2 }
    let source = pyramid.level(level)
    let s = pyramid.scale(level)
    let full = (Homography.resize(Point2(s, s)) * map * Homography.resize(Point2(0.5, 0.5))).normalized
    let (a, b, c) = (full.row0, full.row1, full.row2)
    withUnsafeTemporaryAllocation(of: Double.self, capacity: 9) { m in
      for k in 0..<3 { (m[k], m[3 + k], m[6 + k]) = (a[k], b[k], c[k]) }
      ck_warp(
        source.base, source.stride, Int32(source.width), Int32(source.height), m.baseAddress, surroundings ? -1 : 8,
        wide.bytes, 2 * width, Int32(2 * width), Int32(2 * height))
    }
    ck_halve(wide.bytes, 2 * width, target, width, Int32(width), Int32(height))
  }

  /// Renders the loaded picture as seen from a direction.
  ///
  /// - Parameters:
  ///   - enlarged: The size of the loaded picture relative to `width` × `height` pixels.
  ///   - size: The size of the result relative to `width` × `height` pixels, before the tilt compresses it.
  /// - Returns: The view, valid until the next call, and the map from its pixels to pixels of a picture of `width` × `height`
  ///   pixels; `nil` if the view is empty.
  func view(
    _ view: ViewCatalog.View, enlarged: Double = 1, size: Double, width: Int, height: Int
  ) -> (image: GrayImage, back: Homography)? {
    let linear = view.linear.scaled(by: Float(size))
    let (w, h) = (Double(width), Double(height))
    // The bounding box of the picture in the view.
    let (right, bottom) = (Float(w - 0.5), Float(h - 0.5))
    let (a, b) = (linear.apply(-0.5, -0.5), linear.apply(right, -0.5))
    let (c, d) = (linear.apply(right, bottom), linear.apply(-0.5, bottom))
    let low = pointwiseMin(pointwiseMin(a, b), pointwiseMin(c, d))
    let high = pointwiseMax(pointwiseMax(a, b), pointwiseMax(c, d))
    let (x0, y0) = (Double(low.x), Double(low.y))
    let columns = Int((Double(high.x) - x0).rounded(.up))
    let rows = Int((Double(high.y) - y0).rounded(.up))
    let forward =
      Homography.translation(Point2(-x0 - 0.5, -y0 - 0.5))
      * Homography(
        SIMD3(Double(linear.a), Double(linear.b), 0), SIMD3(Double(linear.c), Double(linear.d), 0), SIMD3(0, 0, 1))
    guard let back = forward.inverse, columns > 0, rows > 0 else { return nil }
    if viewBuffer.capacity < columns * rows { viewBuffer = PixelBuffer(capacity: 2 * columns * rows) }
    let shown = enlarged == 1 ? back : Homography.resize(Point2(enlarged, enlarged)) * back
    render(
      shown, into: viewBuffer.bytes, width: columns, height: rows, shrink: view.tilt.squareRoot() * enlarged / size)
    return (GrayImage(width: columns, height: rows, buffer: viewBuffer), back)
  }
}
