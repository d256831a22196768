import WaymarkDocuments
package import WaymarkGeometry
package import WaymarkImage

/// Makes a reference of the part of a photograph within an outline.
package struct PosterCapture {
  /// An advice to the photographer.
  package enum Advice: String {
    case outlineUncertain, cutOff, fromTheSide, tooFar, glare, unevenLight, wallUnknown, sizeDoubtful

    /// The hint for a person to read.
    package var text: String {
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

  /// The part of the photograph.
  package let outline: Quadrilateral
  private let photo: RGBImage
  private let gray: GrayImage
  private let longSide: Int
  /// False where something speaks against the outline.
  package var isCertain = true
  /// How badly what gave the size fits to the wall, where something did.
  package var misfit: Double?
  /// Hints for a better photograph.
  package private(set) var advice: [Advice] = []

  /// - Parameter longSide: the longer side of the reference in pixels, at most.
  package init(outline: Quadrilateral, photo: RGBImage, gray: GrayImage, longSide: Int) {
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
  package mutating func reference(aspect: Point2?, without others: [Quadrilateral]) -> RGBImage? {
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
  package func gray(_ reference: RGBImage) -> GrayImage {
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
