import CGlyphs
package import WaymarkImage

/// The strokes of a signature as curves, thinner where the pen was fast. Below are the border around them and its font.
///
/// Points are joined by the cubics of a uniform Catmull–Rom spline (Catmull and Rom 1974), written as Bézier curves; the first and
/// the last point are repeated. The width depends on the pen's speed, or on its pressure if the device reports pressure, and
/// changes gradually. The web page draws by the same rules (`signature-ink.js`).
package struct SignatureCurve: Sendable {
  /// A piece between two points, in pixels of the area.
  package struct Piece: Hashable, Sendable {
    /// The start, two control points and the end.
    package let points: [Point2]
    /// The width in pixels at the start.
    package let from: Double
    /// The width in pixels at the end.
    package let to: Double
  }

  /// The pieces in the order in which they were drawn. A dot is a piece without length.
  package let pieces: [Piece]

  /// The distance in pixels below which points are drawn as one.
  private static let nearest = 0.35

  package init(_ signature: Signature) {
    let side = Double(min(signature.width, signature.height))
    let thick = max(2.2, side / 55)
    let thin = thick * 0.38
    var pieces: [Piece] = []
    for stroke in signature.strokes {
      var points: [(at: Point2, time: Double, pressure: Double?)] = []
      for point in stroke {
        let at = Point2(Double(point.x) / 10, Double(point.y) / 10)
        if let last = points.last, last.at.distance(to: at) < Self.nearest { continue }
        points.append((at, Double(point.time), point.pressure.map { Double($0) / 1000 }))
      }
      func target(_ index: Int) -> Double {
        // In short sides of the area per second; the first point is given the speed of the second.
        let (a, b) = index > 0 ? (points[index - 1], points[index]) : (points[0], points[min(1, points.count - 1)])
        let speed = a.at.distance(to: b.at) / side * 1000 / max(1, b.time - a.time)
        let slow = 1 / (1 + speed / 3.5)
        guard let pressure = points[index].pressure else { return thin + (thick - thin) * slow }
        return thin + (thick * 1.25 - thin) * min(1, 0.2 * slow + 0.8 * pressure)
      }
      if points.count == 1 {
        let width = points[0].pressure.map { thin + (thick * 1.25 - thin) * $0 } ?? thick
        pieces.append(Piece(points: Array(repeating: points[0].at, count: 4), from: width, to: width))
        continue
      }
      var width = target(0)
      for index in 1..<points.count {
        let (p0, p1) = (points[max(0, index - 2)].at, points[index - 1].at)
        let (p2, p3) = (points[index].at, points[min(points.count - 1, index + 1)].at)
        let next = width + 0.35 * (target(index) - width)
        pieces.append(
          Piece(points: [p1, p1 + (p2 - p0) * (1.0 / 6), p2 - (p3 - p1) * (1.0 / 6), p2], from: width, to: next))
        width = next
      }
    }
    self.pieces = pieces
  }
}

extension SignatureCurve.Piece {
  /// Approximates the piece by at most 64 straight segments. Returns their ends with the widths there, the start first.
  ///
  /// - Parameter scale: The number of pixels per pixel of the area.
  package func line(scale: Double) -> [(at: Point2, width: Double)] {
    let length =
      (points[0].distance(to: points[1]) + points[1].distance(to: points[2]) + points[2].distance(to: points[3]))
      * scale
    let steps = max(1, min(64, Int((length / 3).rounded(.up))))
    return (0...steps).map { step in
      let t = Double(step) / Double(steps)
      let s = 1 - t
      let at =
        points[0] * (s * s * s) + points[1] * (3 * s * s * t) + points[2] * (3 * s * t * t) + points[3] * (t * t * t)
      return (at * scale, (from + (to - from) * t) * scale)
    }
  }
}

/// The border of a drawn signature with time, signer, purpose and hash, which binds the picture to them.
struct SignatureBorder {
  /// The margin around the area in which the signer drew, in pixels of the area.
  let margin: Int
  let lineHeight: Int
  /// The height of the letters in pixels of the area.
  let letters: Double
  let lines: [String]
  /// The size of the picture in pixels of the area.
  let width: Int
  let height: Int

  init(_ signature: Signature) {
    let side = min(signature.width, signature.height)
    margin = max(8, side / 16)
    letters = Double(max(9, min(18, signature.width / 42)))
    lineHeight = Int(letters * 1.5)
    // The width of letters is 7/13 of their height.
    let columns = max(24, Int(Double(signature.width) / (letters * 7 / 13)))
    var lines = [
      signature.signer.isEmpty ? "Signed \(signature.time)" : "Signed \(signature.time) by \(signature.signer)"
    ]
    if !signature.purpose.isEmpty { lines.append("For: \(signature.purpose)") }
    lines.append("SHA-256 \(signature.hash)")
    self.lines = lines.flatMap { Self.wrapped($0, columns: columns) }
    width = signature.width + 2 * margin
    height = signature.height + 2 * margin + self.lines.count * lineHeight + margin / 2
  }

  /// Wraps a text at spaces into up to four lines; an ellipsis marks the rest.
  private static func wrapped(_ text: String, columns: Int) -> [String] {
    var rest = Array(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 })
    var lines: [String] = []
    while !rest.isEmpty {
      if lines.count == 3, rest.count > columns {
        lines.append(String(String.UnicodeScalarView(rest.prefix(columns - 1))) + "…")
        break
      }
      var count = min(columns, rest.count)
      if count < rest.count, let space = rest.prefix(count).lastIndex(of: " "), space > columns / 2 {
        count = space + 1
      }
      lines.append(String(String.UnicodeScalarView(rest.prefix(count))))
      rest.removeFirst(count)
    }
    return lines
  }
}

/// The letters of the border: the X Window System's fixed font of 7 × 13 pixels (font-misc-misc, in the public domain), Latin
/// scripts only.
enum SignatureFont {
  static let width = 7
  static let height = 13

  /// Returns the rows of a letter from the top, the leftmost pixel in the most significant bit. For a letter that the font lacks,
  /// returns the rows of a question mark.
  static func rows(of scalar: Unicode.Scalar) -> ArraySlice<UInt8> {
    let start = places[scalar.value] ?? places[0x3F] ?? 0
    return bits[start..<min(bits.count, start + height)]
  }

  private static let places: [UInt32: Int] = {
    var places: [UInt32: Int] = [:]
    for range in ranges { for scalar in range { places[scalar] = places.count * height } }
    return places
  }()

  private static let ranges: [ClosedRange<UInt32>] = [
    0x20...0x7E, 0xA0...0x107, 0x10C...0x113, 0x116...0x11B, 0x11E...0x11F, 0x122...0x123, 0x128...0x12B,
    0x12E...0x131, 0x136...0x13E, 0x141...0x148, 0x14A...0x14D, 0x150...0x15B, 0x15E...0x16B, 0x16E...0x173,
    0x178...0x17E, 0x218...0x21B, 0x2C7...0x2C7, 0x2D8...0x2D9, 0x2DB...0x2DB, 0x2DD...0x2DD, 0x2019...0x2019,
    0x201C...0x201E, 0x20AC...0x20AC,
  ]

  private static let bits: [UInt8] = {
    var count = 0
    let bytes = waymark_signature_font(&count)
    return Array(UnsafeRawBufferPointer(start: bytes, count: count))
  }()
}
