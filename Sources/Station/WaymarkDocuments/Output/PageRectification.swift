package import WaymarkImage

/// The deviation of a page that is not flat from the projective map between its corners, measured by its sides and its lines of
/// text. `PageRectifier` removes the deviation. `PageMap` below is the map with these bends.
package struct PageBends: Sendable {
  /// The bends of the sides; `nil` if they are straight.
  let sides: SideBends?
  /// The bends of the lines; `nil` without lines, or if they are straight after the sides are straightened.
  let lines: LineBends?

  /// The long side, in pixels, of the picture of the page in which lines are searched.
  private static let workSize = 1200.0
  /// The largest count of `numbers`.
  package static let numberLimit = SideBends.count + LineBends.count

  /// The numbers of the sides, then the numbers of the lines, if any.
  package var numbers: [Double] {
    (sides?.numbers ?? [Double](repeating: 0, count: SideBends.count)) + (lines?.numbers ?? [])
  }

  /// Creates bends from their stored numbers; `nil` if `SideBends` or `LineBends` does not accept its part.
  package init?(numbers: [Double]) {
    guard numbers.count >= SideBends.count, let sides = SideBends(numbers: Array(numbers.prefix(SideBends.count)))
    else { return nil }
    self.sides = sides
    guard numbers.count > SideBends.count else {
      lines = nil
      return
    }
    guard let lines = LineBends(numbers: Array(numbers.dropFirst(SideBends.count))) else { return nil }
    self.lines = lines
  }

  /// Measures the traced sides alone.
  ///
  /// - Returns: The bends; `nil` if the sides are straight, or too little of them was seen.
  package init?(sidesOf page: DetectedPage) {
    guard let bends = SideBends(page) else { return nil }
    sides = bends
    lines = nil
  }

  /// Measures the traced sides and the lines of text.
  ///
  /// - Returns: The bends; `nil` if no bend is measurable.
  package init?(_ page: DetectedPage, in image: RGBImage) {
    sides = SideBends(page)
    lines = Self.lines(within: page.outline, sides, in: image, edges: Self.edges(of: page, sides))
    if sides == nil, lines == nil { return nil }
  }

  /// Measures the lines of text alone.
  ///
  /// - Returns: The bends; `nil` without lines, or if they are straight.
  package init?(outline: Quadrilateral, in image: RGBImage) {
    sides = nil
    lines = Self.lines(within: outline, nil, in: image, edges: [])
    if lines == nil { return nil }
  }

  private static func lines(
    within outline: Quadrilateral, _ sides: SideBends?, in image: RGBImage, edges: [LineBends.Edge]
  ) -> LineBends? {
    let full = PageMap.size(of: outline, in: image)
    let factor = max(1, Int(Double(max(full.width, full.height)) / workSize))
    let small = GrayImage(image).withView { factor > 1 ? $0.shrunk(by: factor) : GrayImage(copying: $0) }
    let scale = min(1, workSize / Double(max(full.width, full.height)))
    let size = (Int(Double(full.width) * scale), Int(Double(full.height) * scale))
    guard let map = PageMap(outline: outline.scaled(by: 1 / Double(factor)), sides: sides, lines: nil),
      let page = map.draw(small, width: size.0, height: size.1)
    else { return nil }
    return LineBends(on: page, edges: edges, hasBentSides: sides != nil)
  }

  /// Returns the traced points of the upper and the lower side after removing their bends.
  private static func edges(of page: DetectedPage, _ sides: SideBends?) -> [LineBends.Edge] {
    guard page.sides.count == 4, page.seen.count == 4,
      let inverse = Homography(unitSquareTo: page.outline)?.inverse
    else { return [] }
    return [0, 2].filter { page.seen[$0] > SideBends.leastSeen }.map { side in
      let level = side == 0 ? 0.0 : 1
      return page.sides[side].compactMap { p in
        let q = inverse.apply(p)
        guard q.x > 0.01, q.x < 0.99 else { return nil }
        let bent = side == 0 ? sides?.top(q.x) : sides?.bottom(q.x)
        let shift = q.y - level - (bent ?? 0)
        return abs(shift) < 0.1 ? (Point2(q.x, level), shift) : nil
      }
    }
  }
}

/// Draws a page as if photographed perpendicularly from above, at the resolution of its pixels in the picture.
package struct PageRectifier: Sendable {
  package init() {}

  /// Returns the page within `page.outline` with its bends straightened; `nil` if the outline is not a quadrilateral seen from
  /// its front.
  package func rectify(_ image: RGBImage, page: DetectedPage) -> RGBImage? {
    rectify(image, outline: page.outline, bends: PageBends(page, in: image))
  }

  /// Returns the page within an outline, without `bends` as a flat page; `nil` if the outline is not a quadrilateral seen from
  /// its front.
  package func rectify(_ image: RGBImage, outline: Quadrilateral, bends: PageBends? = nil) -> RGBImage? {
    guard image.width > 1, image.height > 1,
      let map = PageMap(outline: outline, sides: bends?.sides, lines: bends?.lines)
    else { return nil }
    let (width, height) = PageMap.size(of: outline, in: image)
    return map.draw(image, width: width, height: height)
  }
}

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
