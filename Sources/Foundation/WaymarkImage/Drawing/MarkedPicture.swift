/// A place in a picture with a word for it.
package struct AnnotationMark: Sendable {
  package let corners: Quadrilateral
  package let label: String
  package let colour: Colour

  /// A mark from its parts.
  package init(corners: Quadrilateral, label: String, colour: Colour) {
    (self.corners, self.label, self.colour) = (corners, label, colour)
  }
}

/// Draws what was found into a copy of the picture.
package enum MarkedPicture {
  /// The picture with an outline and a label around each mark, in sizes that fit the picture.
  package static func draw(_ marks: [AnnotationMark], on image: RGBImage) -> RGBImage {
    var canvas = RGBCanvas(image)
    let side = Double(min(image.width, image.height))
    let line = max(1.5, side / 200)
    let scale = max(1, Int(side / 300))
    for mark in marks { canvas.polygon(mark.corners.corners, width: line, mark.colour) }
    // Labels last, so that no outline crosses them.
    for mark in marks {
      let text = BitmapFont.width(of: mark.label) * scale + 4 * scale
      let height = (BitmapFont.height + 4) * scale
      let xs = mark.corners.corners.map(\.x)
      let ys = mark.corners.corners.map(\.y)
      guard let left = xs.min(), let top = ys.min(), let bottom = ys.max(), mark.corners.isFinite else { continue }
      // Above the code where there is room, else below, and always inside.
      let above = Int(top - line) - height
      let y = above >= 0 ? above : max(0, min(image.height - height, Int(bottom + line) + 1))
      let x = max(0, min(image.width - text, Int(left)))
      canvas.rectangle(x: x, y: y, width: text, height: height, mark.colour)
      canvas.text(mark.label, x: x + 2 * scale, y: y + 2 * scale, scale: scale, .white)
    }
    return canvas.finish()
  }
}
