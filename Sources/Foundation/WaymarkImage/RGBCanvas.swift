/// A colour picture to draw on; `finish` converts it to an ``RGBImage``.
///
/// Pixel centres have integer coordinates. The file also has `Colour`, a bitmap font, and `MarkedPicture`, which draws
/// labelled outlines.
package struct RGBCanvas: ~Copyable {
  package let width: Int
  package let height: Int
  private let buffer: PixelBuffer

  package init(_ image: RGBImage) {
    width = image.width
    height = image.height
    buffer = PixelBuffer(capacity: 3 * width * height)
    buffer.bytes.update(from: image.buffer.bytes, count: 3 * width * height)
  }

  package init(_ image: GrayImage) {
    let colour = RGBImage(image)
    width = colour.width
    height = colour.height
    buffer = colour.buffer  // just made, and referenced here alone
  }

  /// Returns the finished picture and consumes the canvas.
  package consuming func finish() -> RGBImage { RGBImage(width: width, height: height, buffer: buffer) }

  /// Blends `colour` into a pixel with opacity `share`, 0…1; pixels outside the picture are ignored.
  package mutating func blend(_ x: Int, _ y: Int, _ colour: Colour, _ share: Double) {
    guard x >= 0, x < width, y >= 0, y < height, share > 0 else { return }
    let pixel = buffer.bytes + 3 * (y * width + x)
    let part = min(1, share)
    func mix(_ old: UInt8, _ new: UInt8) -> UInt8 { UInt8((Double(old) * (1 - part) + Double(new) * part).rounded()) }
    pixel[0] = mix(pixel[0], colour.red)
    pixel[1] = mix(pixel[1], colour.green)
    pixel[2] = mix(pixel[2], colour.blue)
  }

  /// Draws a line with round ends and antialiased edges.
  package mutating func line(from a: Point2, to b: Point2, width lineWidth: Double, _ colour: Colour) {
    let reach = lineWidth / 2 + 1
    guard let rows = pixels(min(a.y, b.y) - reach, max(a.y, b.y) + reach, below: height) else { return }
    let direction = b - a
    let squared = direction.dot(direction)
    for y in rows {
      // The segment of the line near this row limits the columns to test.
      var (low, high) = (min(a.x, b.x), max(a.x, b.x))
      if abs(direction.y) > 1e-9 {
        let first = a.x + direction.x * min(1, max(0, (Double(y) - reach - a.y) / direction.y))
        let last = a.x + direction.x * min(1, max(0, (Double(y) + reach - a.y) / direction.y))
        (low, high) = (min(first, last), max(first, last))
      }
      guard let columns = pixels(low - reach, high + reach, below: width) else { continue }
      for x in columns {
        let point = Point2(Double(x), Double(y))
        let along = squared > 0 ? min(1, max(0, (point - a).dot(direction) / squared)) : 0
        let distance = point.distance(to: a + direction * along)
        blend(x, y, colour, lineWidth / 2 + 0.5 - distance)
      }
    }
  }

  /// Draws the outline of a polygon.
  package mutating func polygon(_ points: [Point2], width lineWidth: Double, _ colour: Colour) {
    for (a, b) in zip(points, points.dropFirst() + points.prefix(1)) {
      line(from: a, to: b, width: lineWidth, colour)
    }
  }

  /// Fills a rectangle with its top left pixel at (`x`, `y`).
  package mutating func rectangle(x: Int, y: Int, width w: Int, height h: Int, _ colour: Colour) {
    for row in max(0, y)..<max(0, y, min(height, y + h)) {
      for column in max(0, x)..<max(0, x, min(width, x + w)) { blend(column, row, colour, 1) }
    }
  }

  /// Draws a line of text with its top left pixel at (`x`, `y`). A character that is missing in the font is drawn as a box.
  package mutating func text(_ text: String, x: Int, y: Int, scale: Int = 1, _ colour: Colour) {
    var left = x
    for character in text {
      for (row, bits) in BitmapFont.rows(of: character).enumerated() {
        for column in 0..<BitmapFont.width where bits >> (BitmapFont.width - 1 - column) & 1 == 1 {
          rectangle(x: left + column * scale, y: y + row * scale, width: scale, height: scale, colour)
        }
      }
      left += (BitmapFont.width + 1) * scale
    }
  }

  private func pixels(_ low: Double, _ high: Double, below limit: Int) -> ClosedRange<Int>? {
    guard low.isFinite, high.isFinite else { return nil }
    let first = Int(max(0, min(Double(limit), low.rounded(.down))))
    let last = Int(min(Double(limit - 1), max(-1, high.rounded(.up))))
    return first <= last ? first...last : nil
  }
}

/// A colour to draw with, in sRGB.
package struct Colour: Sendable, Hashable {
  package let red: UInt8
  package let green: UInt8
  package let blue: UInt8

  package init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  package static let black = Colour(0, 0, 0)
  package static let white = Colour(255, 255, 255)
  package static let green = Colour(0, 160, 70)
  package static let red = Colour(215, 40, 40)
  package static let blue = Colour(30, 110, 220)
  package static let orange = Colour(235, 140, 0)
}

// MARK: - Font

/// A bitmap font of 5 × 7 pixels for labels.
package enum BitmapFont {
  package static let width = 5
  package static let height = 7

  /// Returns the seven rows of a glyph from the top; bits 4…0 of a row are its pixels from the left.
  package static func rows(of character: Character) -> [Int] {
    (glyphs[character] ?? "vhhhhhv").compactMap { Int(String($0), radix: 32) }
  }

  /// Returns the width of a line of text at scale 1, in pixels.
  package static func width(of text: String) -> Int { max(0, text.count * (width + 1) - 1) }

  /// The seven rows of each glyph as base-32 digits, whose five bits are the pixels: `e` is 01110.
  private static let glyphs: [Character: String] = [
    " ": "0000000", "!": "4444404", "\"": "aa00000", "#": "aavavaa", "%": "op248j3", "'": "4480000", "(": "2488842",
    ")": "8422248", "+": "044v440", ",": "0000c48", "-": "000v000", ".": "00000cc", "/": "01248g0", ":": "0cc0cc0",
    "=": "00v0v00", "?": "eh12404", "_": "000000v",
    "0": "ehjlphe", "1": "4c4444e", "2": "eh1248v", "3": "v2421he", "4": "26aiv22", "5": "vgu11he", "6": "68guhhe",
    "7": "v124888", "8": "ehhehhe", "9": "ehhf12c",
    "A": "ehhvhhh", "B": "uhhuhhu", "C": "ehggghe", "D": "uhhhhhu", "E": "vgguggv", "F": "vgguggg", "G": "ehgnhhf",
    "H": "hhhvhhh", "I": "e44444e", "J": "72222ic", "K": "hikokih", "L": "ggggggv", "M": "hrllhhh", "N": "hhpljhh",
    "O": "ehhhhhe", "P": "uhhuggg", "Q": "ehhhlid", "R": "uhhukih", "S": "fgge11u", "T": "v444444", "U": "hhhhhhe",
    "V": "hhhhha4", "W": "hhhllla", "X": "hha4ahh", "Y": "hha4444", "Z": "v1248gv",
    "a": "00e1fhf", "b": "gguhhhu", "c": "00egghe", "d": "11fhhhf", "e": "00ehvge", "f": "698s888", "g": "0fhhf1e",
    "h": "gguhhhh", "i": "40c444e", "j": "20622ic", "k": "ggikoki", "l": "c44444e", "m": "00qllhh", "n": "00uhhhh",
    "o": "00ehhhe", "p": "00uhugg", "q": "00fhf11", "r": "00mpggg", "s": "00fge1u", "t": "88s8896", "u": "00hhhjd",
    "v": "00hhha4", "w": "00hhlla", "x": "00ha4ah", "y": "0hhhf1e", "z": "00v248v",
  ]
}

// MARK: - Outlines with labels

/// A labelled outline to draw into a picture.
package struct AnnotationMark: Sendable {
  package let corners: Quadrilateral
  package let label: String
  package let colour: Colour

  package init(corners: Quadrilateral, label: String, colour: Colour) {
    (self.corners, self.label, self.colour) = (corners, label, colour)
  }
}

/// Draws marks into a copy of a picture.
package enum MarkedPicture {
  /// Returns a copy of the picture with the outline and label of each mark, in sizes that fit the picture.
  package static func draw(_ marks: [AnnotationMark], on image: RGBImage) -> RGBImage {
    var canvas = RGBCanvas(image)
    let side = Double(min(image.width, image.height))
    let line = max(1.5, side / 200)
    let scale = max(1, Int(side / 300))
    for mark in marks { canvas.polygon(mark.corners.corners, width: line, mark.colour) }
    // The labels are drawn last, so that no outline crosses them.
    for mark in marks {
      let text = BitmapFont.width(of: mark.label) * scale + 4 * scale
      let height = (BitmapFont.height + 4) * scale
      let xs = mark.corners.corners.map(\.x)
      let ys = mark.corners.corners.map(\.y)
      guard let left = xs.min(), let top = ys.min(), let bottom = ys.max(), mark.corners.isFinite else { continue }
      // A label is above its outline if there is room, otherwise below it, and always inside the picture.
      let above = Int(top - line) - height
      let y = above >= 0 ? above : max(0, min(image.height - height, Int(bottom + line) + 1))
      let x = max(0, min(image.width - text, Int(left)))
      canvas.rectangle(x: x, y: y, width: text, height: height, mark.colour)
      canvas.text(mark.label, x: x + 2 * scale, y: y + 2 * scale, scale: scale, .white)
    }
    return canvas.finish()
  }
}
