import WaymarkAnchors
import WaymarkImage

/// Pictures and frames for the tests, drawn by rule.
enum Stage {
  static let camera = CameraIntrinsics(fx: 320, fy: 320, cx: 159.5, cy: 119.5)!

  /// A picture full of blots and bars, another one for every seed.
  static func picture(_ seed: UInt64, width: Int = 240, height: Int = 180) -> GrayImage {
    var random = RandomSource(seed: seed)
    var pixels = [Float](repeating: 128, count: width * height)
    for _ in 0..<140 {
      let x0 = random.unit() * Double(width)
      let y0 = random.unit() * Double(height)
      let a = 3 + random.unit() * 22
      let b = 3 + random.unit() * 22
      let angle = random.unit() * .pi
      let (c, s) = (Double.cosine(angle), Double.sine(angle))
      let value = Float(random.unit() * 220 + 15)
      let round = random.unit() < 0.5
      let reach = Int(a + b)
      for y in max(0, Int(y0) - reach)..<min(height, Int(y0) + reach) {
        for x in max(0, Int(x0) - reach)..<min(width, Int(x0) + reach) {
          let u = ((Double(x) - x0) * c + (Double(y) - y0) * s) / a
          let v = ((Double(y) - y0) * c - (Double(x) - x0) * s) / b
          if round ? u * u + v * v < 1 : max(abs(u), abs(v)) < 0.7 { pixels[y * width + x] = value }
        }
      }
    }
    return GrayImage(width: width, height: height) { out in
      for i in pixels.indices { out[i] = UInt8(pixels[i]) }
    }
  }

  /// The contents of a frame.
  struct Shot {
    var width = 320
    var height = 240
    var noise = 2.0
    var gain = 1.0
    var offset = 0.0
    var background: UInt64 = 99
    /// Part of the frame that something else covers.
    var cover: (x: ClosedRange<Int>, y: ClosedRange<Int>)?
    var seed: UInt64 = 1
  }

  /// A frame with pictures at places; a picture with several places is smeared over them.
  static func frame(_ things: [(image: GrayImage, places: [Homography])], _ shot: Shot = Shot()) -> GrayImage {
    var random = RandomSource(seed: shot.seed)
    let (w, h) = (shot.width, shot.height)
    let back = picture(shot.background, width: w, height: h)
    let cover = picture(shot.background + 1, width: w, height: h)
    var sum = [Float](repeating: 0, count: w * h)
    for i in sum.indices { sum[i] = Float(back[i % w, i / w]) }
    for (image, places) in things {
      var layer = [Float](repeating: 0, count: w * h)
      var alpha = [Float](repeating: 0, count: w * h)
      for place in places {
        guard let inverse = place.inverse else { continue }
        for y in 0..<h {
          for x in 0..<w {
            for k in 0..<4 {
              let p = inverse.apply(
                Point2(Double(x) + (k % 2 == 0 ? -0.25 : 0.25), Double(y) + (k < 2 ? -0.25 : 0.25)))
              guard p.x >= 0, p.y >= 0, p.x < Double(image.width - 1), p.y < Double(image.height - 1) else { continue }
              layer[y * w + x] += sample(image, p)
              alpha[y * w + x] += 1
            }
          }
        }
      }
      let whole = Float(4 * places.count)
      for i in sum.indices { sum[i] = sum[i] * (1 - alpha[i] / whole) + layer[i] / whole }
    }
    return GrayImage(width: w, height: h) { out in
      for i in sum.indices {
        var v = Double(sum[i])
        if let c = shot.cover, c.x.contains(i % w), c.y.contains(i / w) { v = Double(cover[i % w, i / w]) }
        v = v * shot.gain + shot.offset + shot.noise * random.gaussian()
        out[i] = UInt8(min(max(v.rounded(), 0), 255))
      }
    }
  }

  /// A picture at a place as a lens shows it that bends straight lines.
  static func frame(_ image: GrayImage, _ place: Homography, through camera: CameraIntrinsics, noise: Double = 1)
    -> GrayImage
  {
    var random = RandomSource(seed: 5)
    let inverse = place.inverse ?? .identity
    let ground = picture(98, width: 320, height: 240)
    return GrayImage(width: 320, height: 240) { out in
      for i in out.indices {
        var sum: Float = 0
        for k in 0..<4 {
          let pixel = Point2(Double(i % 320) + (k % 2 == 0 ? -0.25 : 0.25), Double(i / 320) + (k < 2 ? -0.25 : 0.25))
          let p = inverse.apply(camera.rectify(pixel))
          let inside = p.x >= 0 && p.y >= 0 && p.x < Double(image.width - 1) && p.y < Double(image.height - 1)
          sum += inside ? sample(image, p) : Float(ground[i % 320, i / 320])
        }
        out[i] = UInt8(min(max((Double(sum) / 4 + noise * random.gaussian()).rounded(), 0), 255))
      }
    }
  }

  static func sample(_ image: GrayImage, _ p: Point2) -> Float {
    let (x, y) = (Int(p.x), Int(p.y))
    let (u, v) = (Float(p.x) - Float(x), Float(p.y) - Float(y))
    let top = Float(image[x, y]) * (1 - u) + Float(image[x + 1, y]) * u
    let bottom = Float(image[x, y + 1]) * (1 - u) + Float(image[x + 1, y + 1]) * u
    return top * (1 - v) + bottom * v
  }

  /// The map of a picture 0.2 m wide at a pose.
  static func homography(_ image: GrayImage, tilt: Point2, roll: Double, at t: Point3) -> Homography {
    let s = 0.2 / Double(image.width)
    let center = 0.5 * Point2(Double(image.width - 1), Double(image.height - 1))
    let r =
      Matrix3.rotation(Point3(tilt.x, 0, 0)) * Matrix3.rotation(Point3(0, tilt.y, 0))
      * Matrix3.rotation(Point3(0, 0, roll))
    func seen(_ x: Double, _ y: Double) -> Point2 {
      let p = r * Point3((x - center.x) * s, (y - center.y) * s, 0) + t
      return camera.project(Point2(p.x, p.y) / p.z)
    }
    let (w, h) = (Double(image.width), Double(image.height))
    return Homography(
      from: Quadrilateral(width: w, height: h),
      to: Quadrilateral(topLeft: seen(0, 0), topRight: seen(w, 0), bottomRight: seen(w, h), bottomLeft: seen(0, h)))!
  }

  /// A hand-held path: the place of a picture at a time in seconds.
  static func path(_ image: GrayImage, _ time: Double, speed: Double = 1, distance: Double = 0.36) -> Homography {
    let t = time * speed
    return homography(
      image, tilt: Point2(0.35 * Double.sine(2.1 * t) + 0.1, 0.3 * Double.sine(1.7 * t + 1)),
      roll: 0.4 * Double.sine(1.3 * t),
      at: Point3(0.03 * Double.sine(2.3 * t), 0.02 * Double.sine(1.9 * t + 2), distance + 0.05 * Double.sine(1.1 * t)))
  }

  static func corners(_ image: GrayImage, _ h: Homography) -> Quadrilateral {
    h.apply(Quadrilateral(width: Double(image.width), height: Double(image.height)))
  }

  /// The same outline with every corner moved by up to `pixels`.
  static func disturbed(_ image: GrayImage, _ h: Homography, _ pixels: Double, seed: UInt64) -> Homography {
    var random = RandomSource(seed: seed)
    func move() -> Point2 { pixels * (2 * Point2(random.unit(), random.unit()) - 1) }
    let q = corners(image, h)
    return Homography(
      from: Quadrilateral(width: Double(image.width), height: Double(image.height)),
      to: Quadrilateral(
        topLeft: q.topLeft + move(), topRight: q.topRight + move(), bottomRight: q.bottomRight + move(),
        bottomLeft: q.bottomLeft + move()))!
  }
}

/// Pictures and frames made up for the tests: always the same.
enum Scenery {
  /// A reference full of rectangles and discs.
  static func picture(seed: UInt64, width: Int = 480, height: Int = 360) -> GrayImage {
    var random = RandomSource(seed: seed)
    return GrayImage(width: width, height: height) { pixels in
      for i in pixels.indices { pixels[i] = 128 }
      for k in 0..<220 {
        let (x, y) = (random.below(width), random.below(height))
        let (w, h) = (6 + random.below(50), 6 + random.below(40))
        let value = UInt8(random.below(256))
        let round = k % 3 == 0
        for v in max(0, y - h / 2)..<min(height, y + h / 2) {
          for u in max(0, x - w / 2)..<min(width, x + w / 2) {
            let (a, b) = (Double(u - x) / Double(w), Double(v - y) / Double(h))
            if !round || a * a + b * b < 0.25 { pixels[v * width + u] = value }
          }
        }
      }
    }
  }

  /// The reference as a camera shows it under a map reference → frame, before a plain ground.
  static func frame(
    _ reference: GrayImage, _ map: Homography, width: Int = 640, height: Int = 480, on ground: GrayImage? = nil
  ) -> GrayImage {
    let back = map.inverse ?? .identity
    return GrayImage(width: width, height: height) { pixels in
      for y in 0..<height {
        for x in 0..<width {
          var (sum, count) = (0, 0)
          for (dx, dy) in [(-0.25, -0.25), (0.25, -0.25), (-0.25, 0.25), (0.25, 0.25)] {
            let p = back.apply(Point2(Double(x) + dx, Double(y) + dy))
            let inside =
              p.x > -0.5 && p.y > -0.5 && p.x < Double(reference.width) - 0.5 && p.y < Double(reference.height) - 0.5
            if inside {
              sum += Int(bilinear(reference, p))
            } else {
              sum += Int(ground?[x, y] ?? 90)
            }
            count += 1
          }
          pixels[y * width + x] = UInt8(sum / count)
        }
      }
    }
  }

  private static func bilinear(_ image: GrayImage, _ p: Point2) -> Double {
    let x = min(max(p.x, 0), Double(image.width - 1))
    let y = min(max(p.y, 0), Double(image.height - 1))
    let (i, j) = (min(Int(x), image.width - 2), min(Int(y), image.height - 2))
    let (u, v) = (x - Double(i), y - Double(j))
    let top = Double(image[i, j]) * (1 - u) + Double(image[i + 1, j]) * u
    let low = Double(image[i, j + 1]) * (1 - u) + Double(image[i + 1, j + 1]) * u
    return top * (1 - v) + low * v
  }

  /// Compiled once for all tests: three pictures.
  static let anchors: [CompiledAnchor] = {
    let compiler = AnchorCompiler()
    return (1...3).map {
      compiler.compile(name: "picture-\($0)", physicalWidth: 0.2, image: picture(seed: UInt64($0)))
    }
  }()

  /// A library in memory.
  static func library(_ anchors: [CompiledAnchor]) throws -> AnchorLibrary {
    try AnchorLibrary(bytes: LibraryWriter.bytes(of: anchors))
  }
}

/// A detector whose claims a test sets.
class ScriptedSource: AnchorDetecting {
  let references: [AnchorReference]
  var next: [DetectedAnchor] = []
  private(set) var searches = 0
  var twins: [[AnchorTwin]] = []
  var copies = AnchorCopies()
  var lens: LensMap?
  var intrinsics: CameraIntrinsics?

  init(_ references: [AnchorReference]) { self.references = references }

  convenience init(_ images: [GrayImage], physicalWidth: Double? = 0.2) {
    self.init(
      images.enumerated().map {
        AnchorReference(name: "p\($0.offset)", physicalWidth: physicalWidth, image: $0.element)
      })
  }

  func detections(in _: ImageView, from _: Int) -> [DetectedAnchor] { [] }

  func detections(in frame: ImageView, known: [Quadrilateral], beside _: [DetectedAnchor]) -> [DetectedAnchor] {
    searches += 1
    return next
  }
  func reference(_ anchor: Int) -> AnchorReference { references[anchor] }
  func template(_ anchor: Int) -> AnchorTemplate {
    AnchorTemplate(references[anchor].image ?? GrayImage(width: 16, height: 16, value: 0))
  }
  var referenceCount: Int { references.count }
}
