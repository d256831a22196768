package import WaymarkImage

/// How a page that is not flat leaves the plane map between its corners: by its sides, and by its lines of text.
package struct PageBends: Sendable {
  /// nil where the sides are straight.
  let sides: SideBends?
  /// nil where the lines are straight once the sides are, or there are none.
  let lines: LineBends?

  /// The long side of the page on which lines are looked for, in pixels.
  private static let workSize = 1200.0
  /// So many numbers at most.
  package static let numberLimit = SideBends.count + LineBends.count

  /// Those of the sides, then those of the lines, where there are any.
  package var numbers: [Double] {
    (sides?.numbers ?? [Double](repeating: 0, count: SideBends.count)) + (lines?.numbers ?? [])
  }

  /// Bends that were kept as numbers; nil for what no page has.
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

  /// Looks at the sides alone that were traced.
  ///
  /// - Returns: nil where they are straight.
  package init?(sidesOf page: DetectedPage) {
    guard let bends = SideBends(page) else { return nil }
    sides = bends
    lines = nil
  }

  /// Looks at the sides that were traced and at the lines of text.
  ///
  /// - Returns: nil where the page is flat, as far as it can be seen.
  package init?(_ page: DetectedPage, in image: RGBImage) {
    sides = SideBends(page)
    lines = Self.lines(within: page.outline, sides, in: image, edges: Self.edges(of: page, sides))
    if sides == nil, lines == nil { return nil }
  }

  /// Looks at the lines of text alone.
  ///
  /// - Returns: nil where they are straight, or there are none.
  package init?(outline: Quadrilateral, in image: RGBImage) {
    sides = nil
    lines = Self.lines(within: outline, nil, in: image, edges: [])
    if lines == nil { return nil }
  }

  private static func lines(
    within outline: Quadrilateral, _ sides: SideBends?, in image: RGBImage, edges: [LineBends.Edge]
  ) -> LineBends? {
    let full = PageMap.size(of: outline, in: image, pixelLimit: PageMap.usualPixelLimit)
    let factor = max(1, Int(Double(max(full.width, full.height)) / workSize))
    let small = GrayImage(image).withView { factor > 1 ? $0.shrunk(by: factor) : GrayImage(copying: $0) }
    let scale = min(1, workSize / Double(max(full.width, full.height)))
    let size = (Int(Double(full.width) * scale), Int(Double(full.height) * scale))
    guard let map = PageMap(outline: outline.scaled(by: 1 / Double(factor)), sides: sides, lines: nil),
      let page = map.draw(small, width: size.0, height: size.1)
    else { return nil }
    return LineBends(on: page, edges: edges, hasBentSides: sides != nil)
  }

  /// The traced places of the upper and the lower side, after their bends.
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
