import WaymarkImage

/// A code that a reader of this module found at a place, decoded or not.
struct MatrixDetection {
  var symbology: Symbology
  /// From the top left of the upright code clockwise.
  var corners: Quadrilateral
  /// Pixels a module.
  var module: Double
  /// How much of what is known of such codes was seen, 0 to 1.
  var certainty: Double
  var inverted = false
  var message: CodeMessage?

  init(symbology: Symbology, corners: Quadrilateral, module: Double, certainty: Double) {
    self.symbology = symbology
    self.corners = corners
    self.module = module
    self.certainty = certainty
  }

  var isRead: Bool { message != nil }

  /// The code as a symbol; `nil` where it was not read or is empty.
  var symbol: Symbol? { message.flatMap { Symbol($0, symbology: symbology, corners: corners) } }

  /// The same in the picture of which the one that was read is a copy `scale` times as large, or a part that begins at `origin`.
  func placed(scale: Double = 1, origin: Point2 = [0, 0]) -> MatrixDetection {
    let shift = origin + (scale - 1) / 2
    let map = Homography([scale, 0, shift.x], [0, scale, shift.y], [0, 0, 1])
    var other = self
    other.corners = map.apply(corners)
    other.module *= scale
    return other
  }
}
