package import WaymarkDocuments
package import WaymarkGeometry
package import WaymarkImage

/// Finds a poster, and a sheet of paper beside it, in a photograph.
package struct PosterSearch {
  private let photo: RGBImage
  private let given: (outline: Quadrilateral?, sheet: Quadrilateral?)
  private var besides: Quadrilateral?
  /// True if nothing speaks against the outline.
  package private(set) var isCertain = true

  private let models: () throws -> PageModels

  /// - Parameters:
  ///   - outline: the poster, where somebody has named its corners.
  ///   - sheet: the sheet beside it, likewise.
  ///   - models: what finds a page where no wall is told from what hangs on it; asked for only then.
  package init(
    _ photo: RGBImage, outline: Quadrilateral?, sheet: Quadrilateral?, models: @escaping () throws -> PageModels
  ) {
    self.photo = photo
    self.models = models
    given = (outline, sheet)
  }

  /// The poster's outline.
  ///
  /// - Parameter besideSheet: whether an empty sheet hangs there too.
  package mutating func outline(besideSheet: Bool) throws -> Quadrilateral? {
    if let outline = given.outline { return outline }
    let canvas = given.sheet.map { Self.without($0, photo) } ?? photo
    let finds = PosterFinder(canvas).finds()
    // Where all are empty, so is the poster, and it is the first of them.
    let poster = finds.firstIndex { !(besideSheet && given.sheet == nil && $0.isBlank) } ?? finds.indices.first
    guard let poster else {
      // Where no wall is told from what hangs on it, something that looks like a page may still stand out.
      isCertain = false
      return PageDetector(try models()).detect(canvas)?.outline
    }
    isCertain = finds[poster].isCertain && !(besideSheet && given.sheet == nil && finds[poster].isBlank)
    besides = finds.indices.first { $0 != poster && finds[$0].isBlank && finds[$0].isCertain }.map { finds[$0].outline }
    return finds[poster].outline
  }

  /// The sheet beside the poster.
  package func sheet(beside outline: Quadrilateral) throws -> Quadrilateral? {
    if let known = given.sheet ?? besides { return known }
    let rest = Self.without(outline, photo)
    return try PosterFinder(rest).finds().first { $0.isBlank && $0.isCertain }?.outline
      ?? PageDetector(models()).detect(rest)?.outline
  }

  /// The photograph with a quadrilateral painted over in the colour of the wall around it, so that it has no edges any more.
  private static func without(_ outline: Quadrilateral, _ photo: RGBImage) -> RGBImage {
    let unit = Quadrilateral(width: 1, height: 1)
    guard let map = Homography(from: unit, to: outline), let inverse = map.inverse else { return photo }
    // The painted area blends from side to side: the wall is lit unevenly.
    func wall(_ u: Double, _ v: Double) -> SIMD3<Double>? {
      let p = map.apply(Point2(u, v))
      guard p.x >= 0, p.y >= 0, p.x <= Double(photo.width - 1), p.y <= Double(photo.height - 1) else { return nil }
      let c = photo[Int(p.x), Int(p.y)]
      return SIMD3(Double(c.red), Double(c.green), Double(c.blue))
    }
    return RGBImage(width: photo.width, height: photo.height) { out in
      photo.withBytes { bytes in
        for y in 0..<photo.height {
          for x in 0..<photo.width {
            let at = 3 * (y * photo.width + x)
            for c in 0..<3 { out[at + c] = bytes[at + c] }
            let p = inverse.apply(Point2(Double(x), Double(y)))
            guard p.x > -0.04, p.y > -0.04, p.x < 1.04, p.y < 1.04 else { continue }
            let around = [
              (wall(-0.08, p.y), 1 / (0.08 + p.x)), (wall(1.08, p.y), 1 / (1.08 - p.x)),
              (wall(p.x, -0.08), 1 / (0.08 + p.y)), (wall(p.x, 1.08), 1 / (1.08 - p.y)),
            ]
            var sum = SIMD3<Double>.zero
            var total = 0.0
            for case (let colour?, let weight) in around {
              sum += colour * weight
              total += weight
            }
            guard total > 0 else { continue }
            for c in 0..<3 { out[at + c] = UInt8(min(max((sum[c] / total).rounded(), 0), 255)) }
          }
        }
      }
    }
  }
}
