import WaymarkImage

/// Measures in how many difficult views (`TestCamera`) the detector finds a picture; the views are the same for every
/// picture.
///
/// `ClutterTexture` below draws the background of these views, and the objects that cover the picture.
///
/// Takes about a second per picture. Use one test per thread. The result depends only on the anchor.
package final class RecallTest {
  /// The number of views of the picture.
  package let views: Int
  private let camera = TestCamera()

  package init(views: Int = 64) { self.views = views }

  /// Tests an anchor and sets its `trial` and `recall` by the number of views in which it was found.
  ///
  /// - Throws: The errors of `LibraryWriter.bytes` and `AnchorLibrary.init`.
  package func judge(_ anchor: inout CompiledAnchor) throws(AnchorError) {
    let found = try count(anchor)
    anchor.trial = CompiledAnchor.Trial(views: views, found: found)
    anchor.recall = AnchorQuality.Scale.recall(anchor.sightings, found: found, of: views)
  }

  /// Returns the number of views in which the anchor is found and its corners are correct within ten pixels.
  private func count(_ anchor: CompiledAnchor) throws(AnchorError) -> Int {
    // The test camera shows the picture flat.
    var flat = anchor
    flat.radius = nil
    let detector = AnchorDetector(library: try AnchorLibrary(bytes: LibraryWriter.bytes(of: [flat])))
    let reference = Quadrilateral(width: Double(anchor.image.width), height: Double(anchor.image.height))
    camera.load(anchor.image)
    var found = 0
    for i in 0..<views {
      camera.show(i, of: views) { view, map in
        guard let detection = detector.detect(view).first else { return }
        if detection.homography.apply(reference).meanCornerDistance(to: map.apply(reference)) < 10 { found += 1 }
      }
    }
    return found
  }
}

/// The views in which the detector is tested on a picture: whole frames with everything that makes recognition hard, the same
/// for every picture. Buffers are reused. Use it from one thread.
///
/// The views are harder than those of `SimulatedCamera`, which choose the features: the background is cluttered, objects cover the
/// picture, motion blurs it, and the light is uneven.
final class TestCamera {
  static let width = 640
  static let height = 480

  private let renderer = PictureRenderer()
  private let textures = [ClutterTexture(seed: 0x1EAF), ClutterTexture(seed: 0xF1E1D)]
  private var size = (w: 0, h: 0)
  private var frame = PixelBuffer(capacity: width * height)
  private var other = PixelBuffer(capacity: width * height)
  /// 1 where the picture is visible, 2 where it is covered, 0 beside it.
  private var mask = PixelBuffer(capacity: width * height)
  private var sums = [UInt16](repeating: 0, count: width)

  /// Loads the picture to show.
  func load(_ picture: GrayImage) {
    size = (picture.width, picture.height)
    picture.withView { renderer.load($0) }
  }

  /// Calls `body` with view `index` of `count` and its map from reference to view. If the picture has no such view, does not call
  /// it.
  ///
  /// Tilts are uniform over 0…70°, areas uniform in their logarithm over 2…80 % of the frame.
  func show(_ index: Int, of count: Int, _ body: (ImageView, Homography) -> Void) {
    let camera = SimulatedCamera(areas: 0.02...0.8, seed: 0x7B_1A_15)
    guard let shot = camera.shot(index, of: count, w: size.w, h: size.h),
      let outline = shot.map.outline(width: Double(size.w), height: Double(size.h)), let back = shot.map.inverse
    else { return }
    // Each effect has its own random stream, so that all pictures get the same effects, even if shapes consume different amounts of
    // random values.
    func stream(_ salt: UInt64) -> RandomSource { RandomSource(seed: salt &+ UInt64(index) &* 15_485_863) }
    place(back, outline)
    cover(shot.map, stream(0xC0_7E))
    smear(stream(0xB1_02))
    expose(stream(0x11_64))
    GrayImage(width: Self.width, height: Self.height, buffer: frame).withView { body($0, shot.map) }

    /// Draws the picture on a part of a clutter texture, and marks in `mask` where it is visible.
    func place(_ back: Homography, _ outline: Quadrilateral) {
      var random = stream(0x62_0D)
      let texture = textures[random.below(2)]
      let (tx, ty) = (
        random.below(ClutterTexture.width - Self.width), random.below(ClutterTexture.height - Self.height)
      )
      let xs = outline.corners.map(\.x)
      let ys = outline.corners.map(\.y)
      let (x0, y0) = (max(0, Int(xs.min()!) - 2), max(0, Int(ys.min()!) - 2))
      let (x1, y1) = (min(Self.width, Int(xs.max()!) + 3), min(Self.height, Int(ys.max()!) + 3))
      let (w, h) = (max(0, x1 - x0), max(0, y1 - y0))
      let shifted = back * Homography.translation(Point2(Double(x0), Double(y0)))
      renderer.render(
        shifted, into: other.bytes, width: w, height: h,
        shrink: (Double(size.w * size.h) / outline.signedArea).squareRoot(), surroundings: false)
      let inside = SimulatedCamera.Interior(
        shifted, of: outline.center - Point2(Double(x0), Double(y0)), w: size.w, h: size.h)
      mask.bytes.update(repeating: 0, count: Self.width * Self.height)
      for y in 0..<Self.height {
        let row = frame.bytes + y * Self.width
        texture.copy(row: ty + y, at: tx, columns: 0..<Self.width, to: row)
        guard y >= y0, y < y1 else { continue }
        let seen = inside.columns(y - y0, count: w)
        guard !seen.isEmpty else { continue }
        (row + x0 + seen.lowerBound).update(
          from: other.bytes + (y - y0) * w + seen.lowerBound, count: seen.count)
        (mask.bytes + y * Self.width + x0 + seen.lowerBound).update(repeating: 1, count: seen.count)
      }
    }

    /// Covers up to half of the picture with objects, in half of the views.
    func cover(_ map: Homography, _ source: RandomSource) {
      var random = source
      guard random.unit() < 0.5 else { return }
      let share = 0.5 * random.unit()
      var visible = 0
      for i in 0..<(Self.width * Self.height) { visible += Int(mask.bytes[i]) }
      let texture = textures[random.below(2)]
      let (tx, ty) = (
        random.below(ClutterTexture.width - Self.width), random.below(ClutterTexture.height - Self.height)
      )
      let radius = (Double(visible) * max(0.05, share) / .pi).squareRoot()
      var covered = 0
      for _ in 0..<24 where Double(covered) < share * Double(visible) {
        let p = map.apply(Point2(random.unit() * Double(size.w), random.unit() * Double(size.h)))
        let (a, b) = (radius * (0.3 + 0.6 * random.unit()), radius * (0.3 + 0.6 * random.unit()))
        let angle = Double.pi * random.unit()
        let (c, s) = (Double.cosine(angle), Double.sine(angle))
        let reach = max(a, b)
        let (low, high) = (max(0, Int(p.y - reach)), min(Self.height - 1, Int(p.y + reach)))
        let (left, right) = (max(0, Int(p.x - reach)), min(Self.width - 1, Int(p.x + reach)))
        guard low <= high, left <= right else { continue }
        for y in low...high {
          for x in left...right {
            let (dx, dy) = (Double(x) - p.x, Double(y) - p.y)
            let (u, v) = ((c * dx + s * dy) / a, (c * dy - s * dx) / b)
            guard u * u + v * v < 1 else { continue }
            let i = y * Self.width + x
            if mask.bytes[i] == 1 { covered += 1 }
            mask.bytes[i] = 2
          }
        }
      }
      for y in 0..<Self.height {
        var x = 0
        while x < Self.width {
          let i = y * Self.width
          guard mask.bytes[i + x] == 2 else {
            x += 1
            continue
          }
          var end = x + 1
          while end < Self.width, mask.bytes[i + end] == 2 { end += 1 }
          texture.copy(row: ty + y, at: tx, columns: x..<end, to: frame.bytes + i)
          x = end
        }
      }
    }

    /// Defocuses a third of the views, and blurs another third by motion.
    func smear(_ source: RandomSource) {
      var random = source
      let kind = random.unit()
      if kind < 0.33 {
        GaussianBlur.apply(frame.bytes, width: Self.width, height: Self.height, sigma: 0.3 + 2.2 * random.unit())
      } else if kind > 0.67 {
        let length = 1 + 14 * random.unit()
        let angle = Double.pi * random.unit()
        move(by: Point2(length * Double.cosine(angle), length * Double.sine(angle)))
      }
    }

    /// Applies a tone curve, a brightness gradient across the frame, and noise.
    func expose(_ source: RandomSource) {
      var random = source
      let gamma = Double.exponential(1.2 * random.unit() - 0.6)
      let gain = Double.exponential(1.3 * random.unit() - 0.9)
      let shade = 0.5 * random.unit()
      let angle = 2 * Double.pi * random.unit()
      let (sx, sy) = (2 * shade * Double.cosine(angle), 2 * shade * Double.sine(angle))
      let step = 12 * random.unit() / 148
      var tones = InlineArray<256, Float>(repeating: 0)
      for i in 0..<256 { tones[i] = Float(255 * gain * Double.power(Double(i) / 255, gamma)) }
      for y in 0..<Self.height {
        let row = frame.bytes + y * Self.width
        var light = Float(1 + sy * (Double(y) / Double(Self.height) - 0.5) - sx * 0.5)
        let change = Float(sx / Double(Self.width))
        var draw: UInt64 = 0
        for x in 0..<Self.width {
          draw = x & 1 == 0 ? random.next() : draw >> 32
          let bell = Int(draw & 0xff) + Int(draw >> 8 & 0xff) + Int(draw >> 16 & 0xff) + Int(draw >> 24 & 0xff)
          let value = tones[Int(row[x])] * light + Float(bell - 510) * Float(step) + 0.5
          row[x] = UInt8(max(0, min(255, value)))
          light += change
        }
      }
    }
  }

  /// Blurs the frame by motion along a straight path, in pixels.
  private func move(by way: Point2) {
    let n = max(1, min(16, Int(way.length.rounded())))
    let offsets = (0..<n).map { i in
      let t = (Double(i) + 0.5) / Double(n) - 0.5
      return (x: Int((t * way.x).rounded()), y: Int((t * way.y).rounded()))
    }
    let (w, h) = (Self.width, Self.height)
    for y in 0..<h {
      for x in 0..<w { sums[x] = UInt16(n / 2) }
      sums.withUnsafeMutableBufferPointer { sums in
        for o in offsets {
          let row = frame.bytes + max(0, min(h - 1, y + o.y)) * w
          for x in max(0, -o.x)..<min(w, w - o.x) { sums[x] &+= UInt16(row[x + o.x]) }
          for x in 0..<max(0, -o.x) { sums[x] &+= UInt16(row[0]) }
          for x in min(w, w - o.x)..<w { sums[x] &+= UInt16(row[w - 1]) }
        }
        let out = other.bytes + y * w
        for x in 0..<w { out[x] = UInt8(truncatingIfNeeded: sums[x] / UInt16(n)) }
      }
    }
    swap(&frame, &other)
  }
}

/// The background and covering objects of simulated views: overlapping shapes of all sizes, which have the edges, corners and
/// scale statistics of natural pictures (the dead leaves model: A. Lee, D. Mumford, J. Huang, "Occlusion models for natural
/// images", IJCV 41 (2001)). The same seed gives the same picture.
struct ClutterTexture {
  static let width = 1024
  static let height = 768
  private var pixels: [UInt8]

  init(seed: UInt64) {
    var random = RandomSource(seed: seed)
    var pixels = [UInt8](repeating: 128, count: Self.width * Self.height)
    for _ in 0..<8000 {
      // The density of sizes falls with their cube, so that every scale covers the same area.
      let (least, most) = (3.0, 160.0)
      let u = random.unit()
      let radius = 1 / (u / (least * least) + (1 - u) / (most * most)).squareRoot()
      let stretch = 0.4 + 0.6 * random.unit()
      let angle = Double.pi * random.unit()
      let (c, s) = (Double.cosine(angle) / radius, Double.sine(angle) / radius)
      let (cx, cy) = (random.unit() * Double(Self.width), random.unit() * Double(Self.height))
      let gray = 120 + 42 * random.gaussian()
      let slope = 60 * (random.unit() - 0.5)
      let isRound = random.unit() < 0.6
      for y in max(0, Int(cy - 1.5 * radius))..<min(Self.height, Int(cy + 1.5 * radius) + 1) {
        for x in max(0, Int(cx - 1.5 * radius))..<min(Self.width, Int(cx + 1.5 * radius) + 1) {
          let (dx, dy) = (Double(x) - cx, Double(y) - cy)
          let (a, b) = (c * dx + s * dy, (c * dy - s * dx) / stretch)
          guard isRound ? a * a + b * b < 1 : max(abs(a), abs(b)) < 0.9 else { continue }
          pixels[y * Self.width + x] = UInt8(max(0, min(255, gray + slope * a)))
        }
      }
    }
    // A real lens does not show perfectly sharp edges.
    pixels.withUnsafeMutableBufferPointer {
      guard let base = $0.baseAddress else { return }
      GaussianBlur.apply(base, width: Self.width, height: Self.height, sigma: 0.8)
    }
    self.pixels = pixels
  }

  /// Copies the columns `columns` of a row whose first pixel is at (`x`, `y`) in the texture.
  func copy(row y: Int, at x: Int, columns: Range<Int>, to row: UnsafeMutablePointer<UInt8>) {
    pixels.withUnsafeBufferPointer {
      guard let base = $0.baseAddress, !columns.isEmpty else { return }
      (row + columns.lowerBound).update(from: base + y * Self.width + x + columns.lowerBound, count: columns.count)
    }
  }
}
