/// A colour picture to draw on; becomes an ``RGBImage`` when it is done.
///
/// Coordinates are those of pictures: pixel centres at whole numbers.
package struct RGBCanvas: ~Copyable {
  package let width: Int
  package let height: Int
  private let buffer: PixelBuffer

  /// A copy of `image`.
  package init(_ image: RGBImage) {
    width = image.width
    height = image.height
    buffer = PixelBuffer(capacity: 3 * width * height)
    buffer.bytes.update(from: image.buffer.bytes, count: 3 * width * height)
  }

  /// A copy of `image`.
  package init(_ image: GrayImage) {
    let colour = RGBImage(image)
    width = colour.width
    height = colour.height
    buffer = colour.buffer  // made a moment ago, so nobody else has it
  }

  /// The finished picture; no more can be drawn.
  package consuming func finish() -> RGBImage { RGBImage(width: width, height: height, buffer: buffer) }

  /// Lays `colour` over a pixel, `share` of it; outside nothing happens.
  package mutating func blend(_ x: Int, _ y: Int, _ colour: Colour, _ share: Double) {
    guard x >= 0, x < width, y >= 0, y < height, share > 0 else { return }
    let pixel = buffer.bytes + 3 * (y * width + x)
    let part = min(1, share)
    func mix(_ old: UInt8, _ new: UInt8) -> UInt8 { UInt8((Double(old) * (1 - part) + Double(new) * part).rounded()) }
    pixel[0] = mix(pixel[0], colour.red)
    pixel[1] = mix(pixel[1], colour.green)
    pixel[2] = mix(pixel[2], colour.blue)
  }

  /// A line with round ends and smooth edges.
  package mutating func line(from a: Point2, to b: Point2, width lineWidth: Double, _ colour: Colour) {
    let reach = lineWidth / 2 + 1
    guard let rows = pixels(min(a.y, b.y) - reach, max(a.y, b.y) + reach, below: height) else { return }
    let direction = b - a
    let squared = direction.dot(direction)
    for y in rows {
      // The piece of the line that can touch this row says which columns are worth looking at.
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

  /// The outline of a polygon.
  package mutating func polygon(_ points: [Point2], width lineWidth: Double, _ colour: Colour) {
    for (a, b) in zip(points, points.dropFirst() + points.prefix(1)) {
      line(from: a, to: b, width: lineWidth, colour)
    }
  }

  /// A filled rectangle with its top left pixel at (`x`, `y`).
  package mutating func rectangle(x: Int, y: Int, width w: Int, height h: Int, _ colour: Colour, opacity: Double = 1) {
    for row in max(0, y)..<max(0, y, min(height, y + h)) {
      for column in max(0, x)..<max(0, x, min(width, x + w)) { blend(column, row, colour, opacity) }
    }
  }

  /// A line of text with its top left pixel at (`x`, `y`); what the font lacks is drawn as a box.
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
