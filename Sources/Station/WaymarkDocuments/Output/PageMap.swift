import WaymarkImage

/// The map from points of a page to points of a picture: projective, after adding the bends of its sides and lines.
struct PageMap {
  private let map: Homography
  private let sides: SideBends?
  private let lines: LineBends?

  /// Creates a map; `nil` if the outline is not a quadrilateral seen from its front.
  init?(outline: Quadrilateral, sides: SideBends?, lines: LineBends?) {
    guard outline.isPlausible(), let map = Homography(unitSquareTo: outline) else { return nil }
    self.map = map
    self.sides = sides
    self.lines = lines
  }

  /// The largest number of pixels of a rectified page.
  private static let pixelLimit = 24_000_000

  /// Returns the size of a rectified page in pixels.
  static func size(of outline: Quadrilateral, in image: RGBImage) -> (width: Int, height: Int) {
    let shape = PageShape(outline: outline, width: Double(image.width), height: Double(image.height))
    // No side becomes shorter than in the picture.
    let across = max(
      outline.topLeft.distance(to: outline.topRight), outline.bottomLeft.distance(to: outline.bottomRight))
    let down = max(
      outline.topLeft.distance(to: outline.bottomLeft), outline.topRight.distance(to: outline.bottomRight))
    var height = max(down, across / shape.aspect)
    var width = height * shape.aspect
    let excess = (width * height / Double(pixelLimit)).squareRoot()
    if excess > 1 {
      width /= excess
      height /= excess
    }
    return (max(8, Int(width.rounded())), max(8, Int(height.rounded())))
  }

  /// Calls `body` with the index of each pixel of a page, row by row, and its point in the picture.
  @inline(__always)
  private func forEachPixel(width: Int, height: Int, _ body: (_ at: Int, _ place: Point2) -> Void) {
    let columns = (0..<width).map { (Double($0) + 0.5) / Double(width) }
    let top = columns.map { sides?.top($0) ?? 0 }
    let bottom = columns.map { sides?.bottom($0) ?? 0 }
    let taps = lines == nil ? [] : columns.map(LineBends.taps)
    for y in 0..<height {
      let v = (Double(y) + 0.5) / Double(height)
      let (left, right) = (sides?.left(v) ?? 0, sides?.right(v) ?? 0)
      let row = lines.map { LineBends.Row($0, at: v) }
      for x in 0..<width {
        let u = columns[x]
        // The position between straight sides plus the bends of opposite sides, interpolated (S. A. Coons, 1967).
        let across = u + (1 - u) * left + u * right
        var down = v + (1 - v) * top[x] + v * bottom[x]
        if let row { down += row.shift(taps[x]) }
        let p = SIMD3(across, down, 1)
        let w = map.row2.dot(p)
        body(y &* width &+ x, Point2(map.row0.dot(p) / w, map.row1.dot(p) / w))
      }
    }
  }

  /// Returns the page in colour, by bilinear interpolation.
  func draw(_ image: RGBImage, width: Int, height: Int) -> RGBImage {
    RGBImage(width: width, height: height) { out in
      image.withBytes { source in
        guard let source = source.baseAddress, let out = out.baseAddress else { return }
        forEachPixel(width: width, height: height) { at, place in
          let across = LinearTap(place.x, count: image.width)
          let down = LinearTap(place.y, count: image.height)
          let (fx, fy) = (Int(across.share * 128), Int(down.share * 128))
          let first = source + 3 &* (down.low &* image.width &+ across.low)
          for c in 0..<3 {
            let value = Bilinear.fixed(first + c, stride: 3 &* image.width, next: 3, fx: fx, fy: fy, bits: 7)
            out[3 &* at &+ c] = UInt8(truncatingIfNeeded: (value &+ 8192) &>> 14)
          }
        }
      }
    }
  }

  /// Returns the page in gray, by bilinear interpolation; `nil` if the picture is smaller than two pixels a side.
  func draw(_ image: GrayImage, width: Int, height: Int) -> GrayImage? {
    guard image.width > 1, image.height > 1 else { return nil }
    return GrayImage(width: width, height: height) { out in
      image.withView { view in
        forEachPixel(width: width, height: height) { at, place in
          let (across, down) = (LinearTap(place.x, count: view.width), LinearTap(place.y, count: view.height))
          let first = view.row(down.low) + across.low
          let value = Bilinear.fixed(
            first, stride: view.stride, fx: Int(across.share * 128), fy: Int(down.share * 128), bits: 7)
          out[at] = UInt8(truncatingIfNeeded: (value &+ 8192) &>> 14)
        }
      }
    }
  }
}
