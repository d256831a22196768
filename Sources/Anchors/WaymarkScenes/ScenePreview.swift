@_spi(_Unicode) import Swift
package import WaymarkImage

/// A drawing of an anchor: its picture from the front, a numbered marker for each annotation, and the cards beside it.
/// `CodeSketch` below draws the placeholder for a code without a picture.
package struct ScenePreview {
  private let anchor: SceneAnchor
  private let picture: RGBImage
  private let cardPictures: [String: RGBImage]

  private let border = 48
  private let cardWidth = 380
  private let gap = 14
  private let ink = Colour(34, 42, 53)
  private let paper = Colour(244, 246, 248)

  package init(anchor: SceneAnchor, picture: RGBImage, cardPictures: [String: RGBImage]) {
    var placed = anchor
    placed.place(width: picture.width, height: picture.height)
    self.anchor = placed
    let scale = 900 / Double(max(picture.width, picture.height))
    self.picture = picture.resized(
      width: max(1, Int(Double(picture.width) * scale)), height: max(1, Int(Double(picture.height) * scale)))
    self.cardPictures = cardPictures.mapValues { image in
      let scale = 96 / Double(max(image.width, image.height))
      return image.resized(
        width: max(1, Int(Double(image.width) * scale)), height: max(1, Int(Double(image.height) * scale)))
    }
  }

  /// Returns the point of the drawing for a position; the height above the picture is ignored.
  private func place(_ position: Point3) -> Point2 {
    let scale = Double(picture.width) / (anchor.physicalWidth ?? 1)
    let center = Point2(Double(picture.width - 1), Double(picture.height - 1)) / 2
    return Point2(position.x, position.z) * scale + center + Double(border)
  }

  package func draw() -> RGBImage {
    let cards = anchor.annotations.map { lines($0) }
    let heights = zip(anchor.annotations, cards).map { annotation, lines in
      max(lines.count * 18 + 24, (cardPictures[annotation.id]?.height ?? 0) + 20)
    }
    let cardsHeight = heights.reduce(0) { $0 + $1 + gap }
    let width = picture.width + 2 * border + cardWidth + border
    let height = max(picture.height + 2 * border, cardsHeight + 2 * border)
    var canvas = RGBCanvas(GrayImage(width: width, height: height, value: 226))
    paste(picture, x: border, y: border, on: &canvas)
    var top = border
    let left = picture.width + 2 * border
    for (index, annotation) in anchor.annotations.enumerated() {
      canvas.rectangle(x: left, y: top, width: cardWidth, height: heights[index], paper)
      canvas.line(
        from: place(annotation.position), to: Point2(Double(left), Double(top + 18)), width: 2, Colour.blue)
      var x = left + 44
      if let image = cardPictures[annotation.id] {
        paste(image, x: x, y: top + 10, on: &canvas)
        x += image.width + 10
      }
      for (row, line) in cards[index].enumerated() {
        canvas.text(line.text, x: x, y: top + 11 + row * 18, scale: line.isTitle ? 2 : 1, line.isButton ? .blue : ink)
      }
      marker(index + 1, at: Point2(Double(left + 20), Double(top + 18)), on: &canvas)
      top += heights[index] + gap
    }
    for (index, annotation) in anchor.annotations.enumerated() {
      marker(index + 1, at: place(annotation.position), on: &canvas)
    }
    return canvas.finish()
  }

  private func marker(_ number: Int, at p: Point2, on canvas: inout RGBCanvas) {
    canvas.line(from: p, to: p, width: 30, .white)
    canvas.line(from: p, to: p, width: 26, .blue)
    let text = String(number)
    let width = Double(2 * BitmapFont.width(of: text))
    canvas.text(text, x: Int((p.x - width / 2).rounded()), y: Int(p.y.rounded()) - 7, scale: 2, .white)
  }

  private func paste(_ image: RGBImage, x: Int, y: Int, on canvas: inout RGBCanvas) {
    for row in 0..<image.height {
      for column in 0..<image.width {
        let color = image.withBytes { bytes in
          let at = 3 * (row * image.width + column)
          return Colour(bytes[at], bytes[at + 1], bytes[at + 2])
        }
        canvas.blend(x + column, y + row, color, 1)
      }
    }
  }

  private struct Line {
    var text: String
    var isTitle = false
    var isButton = false
  }

  /// Returns the text of a card, broken into lines that fit beside its picture.
  private func lines(_ annotation: Annotation) -> [Line] {
    let space = cardWidth - 56 - (cardPictures[annotation.id].map { $0.width + 10 } ?? 0)
    func wrap(_ text: String, scale: Int) -> [String] {
      let limit = max(4, space / ((BitmapFont.width + 1) * scale))
      var rows = [""]
      // The font has no accented characters.
      let plain = String(
        String.UnicodeScalarView(text._nfd.filter { $0.properties.generalCategory != .nonspacingMark }))
      for word in plain.split(whereSeparator: \.isWhitespace) {
        if !(rows.last ?? "").isEmpty, (rows.last ?? "").count + 1 + word.count > limit { rows.append("") }
        rows[rows.count - 1] += (rows[rows.count - 1].isEmpty ? "" : " ") + word.prefix(limit)
      }
      return rows
    }
    var result = wrap(annotation.card?.title ?? annotation.id, scale: 2).map { Line(text: $0, isTitle: true) }
    if let text = annotation.card?.description { result += wrap(text, scale: 1).map { Line(text: $0) } }
    if annotation.position.y != 0, anchor.physicalWidth != nil {
      let height = (annotation.position.y * 1000).rounded() / 10
      result.append(Line(text: "\(abs(height)) cm \(height > 0 ? "before" : "behind") the picture"))
    }
    if let action = annotation.card?.actionText {
      let type = annotation.card?.actionType.map { " (\($0.rawValue))" } ?? ""
      result += wrap("-- \(action)\(type)", scale: 1).map { Line(text: $0, isButton: true) }
    }
    return result
  }
}

/// Draws the placeholder of an anchor that is a code and has no picture.
package enum CodeSketch {
  /// Returns a square of 420 pixels with the three finder patterns of a QR code.
  package static func draw() -> RGBImage {
    let module = 20
    let modules = 21
    let image = GrayImage(width: module * modules, height: module * modules) { out in
      for i in out.indices {
        let (x, y) = (i % (module * modules) / module, i / (module * modules) / module)
        let (u, v) = (min(x, modules - 1 - x), min(y, modules - 1 - y))
        let isFinder = u < 7 && v < 7 && !(x > modules / 2 && y > modules / 2)
        let ring = max(abs(u - 3), abs(v - 3))
        out[i] = isFinder && ring != 2 ? 90 : 235
      }
    }
    return RGBImage(image)
  }
}
