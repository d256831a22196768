import WaymarkImage

/// The look of a code that was read: the picture by which it is followed between readings.
///
/// Of a matrix code every module is known once its grid is, so the picture is redrawn, with edges as sharp as printed ones.
/// All these edges then say where the code is, not its four outer ones alone, and the reference is as exact as the print. Other
/// codes are cut out of the frame as they are.
struct CodeTemplate {
  /// The symbol with a margin around it.
  var image: GrayImage
  /// Pixels of the picture → pixels of the frame.
  var homography: Homography
  /// The symbol within the picture, whose pixels are squares around whole numbers: its outer edges.
  var outline: Quadrilateral
  /// True if it was drawn from modules.
  var isDrawn: Bool

  /// The longest side of a picture, in pixels.
  private static let side = 240

  /// A picture drawn from modules.
  ///
  /// - Parameters:
  ///   - corners: the outer edges of the symbol, in straight pixels of the frame; right within half a module.
  /// - Returns: `nil` where the modules do not stand out.
  static func drawn(
    _ frame: ImageView, _ corners: Quadrilateral, _ grids: [SIMD2<Int>], lens: LensMap?
  ) -> CodeTemplate? {
    let sampler = CodeSampler(frame: frame, lens: lens)
    guard let grid = sampler.grid(of: corners, grids), let modules = sampler.modules(corners, grid) else { return nil }
    return CodeTemplate(modules, corners)
  }

  /// The same code with its modules read again at another place; `nil` where they do not stand out.
  func redrawn(
    _ frame: ImageView, at homography: Homography, modules: SIMD2<Int>, lens: LensMap?
  ) -> CodeTemplate? {
    let corners = homography.apply(outline)
    return CodeSampler(frame: frame, lens: lens).modules(corners, modules).flatMap { CodeTemplate($0, corners) }
  }

  /// How many modules the picture shows in a row and in a column, without the margin.
  private(set) var modules = SIMD2(0, 0)

  private init?(_ modules: CodeModules, _ corners: Quadrilateral) {
    // One module of margin, as it was seen around the symbol.
    let (columns, rows) = (modules.columns + 2, modules.rows + 2)
    let pixels = min(12, max(2, Self.side / max(columns, rows)))
    image = GrayImage(width: columns * pixels, height: rows * pixels) { out in
      for i in out.indices {
        let (x, y) = (i % (columns * pixels) / pixels, i / (columns * pixels) / pixels)
        out[i] = modules.isLight(x - 1, y - 1) ? 215 : 40
      }
    }
    let (w, h) = (Double(modules.columns * pixels), Double(modules.rows * pixels))
    let p = Double(pixels) - 0.5
    outline = Quadrilateral(
      topLeft: Point2(p, p), topRight: Point2(p + w, p), bottomRight: Point2(p + w, p + h),
      bottomLeft: Point2(p, p + h))
    guard let map = Homography(from: outline, to: corners) else { return nil }
    homography = map
    isDrawn = true
    self.modules = SIMD2(modules.columns, modules.rows)
  }

  /// The same picture out of focus by a deviation of so many pixels of the frame.
  func softened(by softness: Double) -> CodeTemplate {
    let seen = homography.apply(outline).signedArea
    guard seen > 0 else { return self }
    let sigma = min(softness * (outline.signedArea / seen).squareRoot(), 16)
    var soft = self
    soft.image = GrayImage(width: image.width, height: image.height) { out in
      guard let pixels = out.baseAddress else { return }
      image.withView { view in
        for y in 0..<view.height { (pixels + y * view.width).update(from: view.row(y), count: view.width) }
      }
      GaussianBlur.apply(pixels, width: image.width, height: image.height, sigma: sigma)
    }
    return soft
  }

  /// A picture cut out of the frame, with an eighth of the symbol's height around it.
  ///
  /// - Parameter corners: as above.
  init?(_ frame: ImageView, cut corners: Quadrilateral, lens: LensMap?) {
    func mean(_ a: Double, _ b: Double) -> Double { 0.5 * (a + b) }
    let wide = mean(
      corners.topLeft.distance(to: corners.topRight), corners.bottomLeft.distance(to: corners.bottomRight))
    let high = mean(
      corners.topLeft.distance(to: corners.bottomLeft), corners.topRight.distance(to: corners.bottomRight))
    guard wide.isFinite, high.isFinite, wide >= 8, high >= 8 else { return nil }
    let scale = min(2, Double(Self.side) / max(wide, high))
    let (w, h) = ((wide * scale).rounded(), (high * scale).rounded())
    guard w >= 8, h >= 8 else { return nil }
    let margin = max(4, (0.125 * h).rounded())
    let p = margin - 0.5
    outline = Quadrilateral(
      topLeft: Point2(p, p), topRight: Point2(p + w, p), bottomRight: Point2(p + w, p + h),
      bottomLeft: Point2(p, p + h))
    guard let map = Homography(from: outline, to: corners) else { return nil }
    homography = map
    isDrawn = false
    let size = (width: Int(w + 2 * margin), height: Int(h + 2 * margin))
    let sampler = CodeSampler(frame: frame, lens: lens)
    image = GrayImage(width: size.width, height: size.height) { out in
      for i in out.indices {
        let level = sampler.gray(map.apply(Point2(Double(i % size.width), Double(i / size.width))))
        out[i] = UInt8(min(max(level.rounded(), 0), 255))
      }
    }
  }
}
