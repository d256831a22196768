import WaymarkImage

/// The rectangle of a level of the frame in which a reference is in sight, with the pixels from one square to the next: so that about
/// as many squares as are wanted cover it, none nearer than eight pixels.
struct SightGrid {
  let left: Double
  let right: Double
  let top: Double
  let bottom: Double
  let step: Double

  /// - Parameters:
  ///   - map: of the reference into the level.
  ///   - wanted: the squares.
  init?(_ template: AnchorTemplate, _ map: SurfaceMap, in view: ImageView, squares wanted: Int) {
    guard let box = map.box(width: template.width, height: template.height) else { return nil }
    // A patch reaches four pixels beyond its middle.
    (left, right) = (max(5, box.low.x), min(Double(view.width) - 6, box.high.x))
    (top, bottom) = (max(5, box.low.y), min(Double(view.height) - 6, box.high.y))
    guard left < right, top < bottom else { return nil }
    step = max(8, ((right - left) * (bottom - top) / Double(wanted)).squareRoot().rounded(.up))
  }
}
