import WaymarkAnchors
import WaymarkDocuments
import WaymarkGeometry
import WaymarkImage

/// Finds a poster, and a sheet of paper beside it, in a photograph.
struct PosterSearch {
  private let photo: RGBImage
  private let given: (outline: Quadrilateral?, sheet: Quadrilateral?)
  private var besides: Quadrilateral?
  /// True if nothing speaks against the outline.
  private(set) var isCertain = true

  init(_ photo: RGBImage, outline: Quadrilateral?, sheet: Quadrilateral?) {
    self.photo = photo
    given = (outline, sheet)
  }

  /// The poster's outline.
  ///
  /// - Parameter besideSheet: whether an empty sheet hangs there too.
  mutating func outline(besideSheet: Bool) throws -> Quadrilateral? {
    if let outline = given.outline { return outline }
    let canvas = given.sheet.map { Self.without($0, photo) } ?? photo
    let finds = PosterFinder(canvas).finds()
    // Where all are empty, so is the poster, and it is the first of them.
    let poster = finds.firstIndex { !(besideSheet && given.sheet == nil && $0.isBlank) } ?? finds.indices.first
    guard let poster else {
      // Where no wall is told from what hangs on it, something that looks like a page may still stand out.
      isCertain = false
      return PageDetector(try pageModels()).detect(canvas)?.outline
    }
    isCertain = finds[poster].isCertain && !(besideSheet && given.sheet == nil && finds[poster].isBlank)
    besides = finds.indices.first { $0 != poster && finds[$0].isBlank && finds[$0].isCertain }.map { finds[$0].outline }
    return finds[poster].outline
  }

  /// The sheet beside the poster.
  func sheet(beside outline: Quadrilateral) throws -> Quadrilateral? {
    if let known = given.sheet ?? besides { return known }
    let rest = Self.without(outline, photo)
    return try PosterFinder(rest).finds().first { $0.isBlank && $0.isCertain }?.outline
      ?? PageDetector(pageModels()).detect(rest)?.outline
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

/// Makes a reference of the part of a photograph within an outline.
struct PosterCapture {
  /// An advice to the photographer.
  enum Advice: String {
    case outlineUncertain, cutOff, fromTheSide, tooFar, glare, unevenLight, wallUnknown, sizeDoubtful

    var text: String {
      switch self {
      case .outlineUncertain: "the outline is uncertain: check the reference, and set --corners if it is wrong"
      case .cutOff: "cut off: the poster reaches beyond the photograph; step back"
      case .fromTheSide: "from the side: one side is seen much larger than the other; stand before the poster"
      case .tooFar: "too far: the poster has fewer than 640 pixels; step closer"
      case .glare: "glare: a part is burnt out; switch off the flash, or stand aside of the lamp's reflection"
      case .unevenLight:
        "uneven light: it was corrected by the brightness of the bare wall; photograph in even light if you can"
      case .wallUnknown:
        "the light was not corrected: the wall around the poster is not bare enough to measure it"
      case .sizeDoubtful:
        "the size is doubtful: the object beside the poster is not flat on the same wall, or not of that size"
      }
    }
  }

  let outline: Quadrilateral
  let photo: RGBImage
  let gray: GrayImage
  let longSide: Int
  var isCertain = true
  var misfit: Double?
  private(set) var advice: [Advice] = []

  init(outline: Quadrilateral, photo: RGBImage, gray: GrayImage, longSide: Int) {
    self.outline = outline
    self.photo = photo
    self.gray = gray
    self.longSide = longSide
  }

  /// The poster straight and evenly lit.
  ///
  /// - Parameters:
  ///   - aspect: its size in any unit, where it is known better than the photograph tells.
  ///   - others: what hangs beside it and is not a wall.
  mutating func reference(aspect: Point2?, without others: [Quadrilateral]) -> RGBImage? {
    guard let flat = PageRectifier().rectify(photo, outline: outline) else { return nil }
    let size = aspect ?? Point2(Double(flat.width), Double(flat.height))
    let long = Double(min(longSide, max(flat.width, flat.height)))
    let factor = long / max(size.x, size.y)
    let picture = flat.resized(
      width: max(1, Int((size.x * factor).rounded())), height: max(1, Int((size.y * factor).rounded())))
    let light = gray.withView { IlluminationModel($0, around: outline, without: others) }
    advise(picture, light)
    return light?.evened(picture) ?? picture
  }

  /// The reference as the compiler takes it.
  func gray(_ reference: RGBImage) -> GrayImage {
    GrayImage(width: reference.width, height: reference.height) { out in
      reference.withBytes { bytes in
        // ITU-R BT.601, as JPEG's luma.
        for i in out.indices {
          let sum = 299 * Int(bytes[3 * i]) + 587 * Int(bytes[3 * i + 1]) + 114 * Int(bytes[3 * i + 2])
          out[i] = UInt8((sum + 500) / 1000)
        }
      }
    }
  }

  private mutating func advise(_ picture: RGBImage, _ light: IlluminationModel?) {
    let q = outline
    if !isCertain { advice.append(.outlineUncertain) }
    if let misfit, misfit > 0.04 { advice.append(.sizeDoubtful) }
    let (w, h) = (Double(photo.width), Double(photo.height))
    if q.corners.contains(where: { $0.x < -1 || $0.y < -1 || $0.x > w || $0.y > h }) { advice.append(.cutOff) }
    let sides = [
      (q.topLeft.distance(to: q.topRight), q.bottomLeft.distance(to: q.bottomRight)),
      (q.topLeft.distance(to: q.bottomLeft), q.topRight.distance(to: q.bottomRight)),
    ]
    if sides.contains(where: { max($0.0, $0.1) > 1.5 * min($0.0, $0.1) }) { advice.append(.fromTheSide) }
    if sides.map({ max($0.0, $0.1) }).max() ?? 0 < 640 { advice.append(.tooFar) }
    let burnt = picture.withBytes { bytes in
      stride(from: 0, to: bytes.count - 2, by: 3).count { min(bytes[$0], bytes[$0 + 1], bytes[$0 + 2]) >= 252 }
    }
    if burnt * 50 > picture.width * picture.height { advice.append(.glare) }
    if let light {
      if light.unevenness > 1.35 { advice.append(.unevenLight) }
    } else {
      advice.append(.wallUnknown)
    }
  }
}
