import Testing
import WaymarkImage

@testable import WaymarkText

/// What finding and reading lines computes for pictures that are drawn, number by number.
@Suite struct RecordedLinesTests {
  /// Words of a made-up script, drawn as strokes: enough for where lines are, which asks nothing of letters.
  private static func page(
    angle: Double, size: Double, isLight: Bool = false, hasDots: Bool = false, bend: Double = 0
  ) -> GrayImage {
    let (width, height) = (360, 220)
    let (cosine, sine) = (Double.cosine(angle), Double.sine(angle))
    return GrayImage(width: width, height: height) { out in
      for y in 0..<height {
        for x in 0..<width {
          let (dx, dy) = (Double(x) - 180, Double(y) - 110)
          let along = dx * cosine + dy * sine
          let across = dy * cosine - dx * sine - bend * along * along
          let ink = isInk(along + 150, across + 80, size, hasDots)
          let value = (isLight ? (ink ? 215 : 60) : (ink ? 40 : 200)) + (x * 7 + y * 13) % 5 + x / 30
          out[y * width + x] = UInt8(min(255, value))
        }
      }
    }
  }

  private static func isInk(_ x: Double, _ y: Double, _ size: Double, _ hasDots: Bool) -> Bool {
    guard x > 0, y > 0, x < 300, y < 5 * size else { return false }
    let row = Int(y / (2.5 * size))
    let inRow = y - Double(row) * 2.5 * size
    let column = Int(x / (0.8 * size))
    let inLetter = x - Double(column) * 0.8 * size
    // Words of five and of three letters; some reach below the line.
    guard column % 6 != 5, row > 0 || column % 4 != 3 else { return false }
    let depth = (column + row) % 5 == 2 ? 1.3 * size : size
    guard inLetter < 0.62 * size, inRow < depth else { return false }
    if hasDots {
      let step = size / 7
      let (dx, dy) = (inLetter - (inLetter / step).rounded(.down) * step, inRow - (inRow / step).rounded(.down) * step)
      return (dx - step / 2) * (dx - step / 2) + (dy - step / 2) * (dy - step / 2) < step * step / 6
        && (Int(inLetter / step) + Int(inRow / step) + column) % 3 != 0
    }
    let stroke = size / 6
    return inLetter < stroke || inRow < stroke && column % 2 == 0 || inLetter > 0.62 * size - stroke && column % 3 != 0
      || abs(inRow - size / 2) < stroke / 2 && column % 3 == 1
  }

  private static let pages: [(String, GrayImage)] = [
    ("straight", page(angle: 0, size: 20)), ("small", page(angle: 0.05, size: 10)),
    ("oblique", page(angle: 0.35, size: 18)), ("light", page(angle: -0.1, size: 22, isLight: true)),
    ("dotted", page(angle: 0.02, size: 26, hasDots: true)), ("bent", page(angle: 0, size: 18, bend: 0.0006)),
    ("upright", page(angle: 1.5, size: 16)),
  ]

  private func numbers(_ outline: Quadrilateral) -> [Double] { outline.corners.flatMap { [$0.x, $0.y] } }

  @Test func linesAreFoundAsRecorded() throws {
    var golden = NumberGolden()
    for (name, picture) in Self.pages {
      let found = picture.withView { LineFinder().search($0) }
      golden.add("\(name).count", [Double(found.outlines.count)])
      for (place, outline) in found.outlines.prefix(6).enumerated() { golden.add("\(name).\(place)", numbers(outline)) }
    }
    try golden.check("Text/lines.txt")
  }

  /// A line of a machine-readable zone in the drawings of a typeface.
  private static func zone(
    _ text: String, face: Int, pitch: Double, tilt: Double = 0, ink: Double = 190, isPale: Bool = false
  ) -> GrayImage {
    let face = ZoneGlyphs.faces[face]
    let values = face.values
    let (w, h) = (ZoneGlyphs.width, ZoneGlyphs.height)
    let places = Array(text).compactMap { ZoneGlyphs.characters.firstIndex(of: $0) }
    let (width, height) = (Int(pitch * Double(places.count + 4)), Int(pitch * 3.2))
    return GrayImage(width: width, height: height) { out in
      for y in 0..<height {
        for x in 0..<width {
          let u = Double(x) / pitch - 2
          // A drawing is 1.4 capitals high and begins a fifth of one above them.
          let top = 0.9 + tilt * u / Double(places.count)
          let v = (Double(y) / pitch - top) / (1.4 * face.capitals)
          var value = 0.0
          if u >= 0, u < Double(places.count), v >= 0, v < 1 {
            let (column, row) = (Int((u - u.rounded(.down)) * Double(w)), Int(v * Double(h)))
            value = Double(values[(places[Int(u)] * h + row) * w + column]) / 15
          }
          let level = 225 - (isPale ? 0.5 : 1) * value * ink
          out[y * width + x] = UInt8(max(0, min(255, level + Double((x * 5 + y * 11) % 4))))
        }
      }
    }
  }

  @Test func zonesAreReadAsRecorded() throws {
    var golden = NumberGolden()
    let lines = ["P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "D231458907UTO7408122F1204159<<<<<<<6"]
    for (number, text) in lines.enumerated() {
      for face in ZoneGlyphs.faces.indices {
        for (pitch, tilt, isPale) in [(14.0, 0.0, false), (9.3, 0.1, false), (21.7, -0.1, true)] {
          let picture = Self.zone(text, face: face, pitch: pitch, tilt: tilt, isPale: isPale)
          let symbols = ZoneLineReader(picture)?.read() ?? []
          let right = zip(symbols, text).filter { $0.text == String($1) }
          golden.add("\(number).\(face).\(pitch).right", [Double(symbols.count), Double(right.count)])
          golden.add("\(number).\(face).\(pitch).sure", symbols.map(\.confidence))
          golden.add(
            "\(number).\(face).\(pitch).spans",
            symbols.prefix(3).flatMap { [$0.span.lowerBound, $0.span.upperBound] })
        }
      }
    }
    try golden.check("Text/zones.txt")
  }

  @Test func linesAreDrawnForTheNetworkAsRecorded() throws {
    var golden = NumberGolden()
    for (name, picture) in Self.pages {
      guard let outline = picture.withView({ LineFinder().lines(in: $0).first }),
        let straight = picture.withView({ TextReader.rectified($0, outline) })
      else { continue }
      golden.add("\(name).size", [Double(straight.width), Double(straight.height)])
      let means = straight.withView { view in
        (0..<8).map { part in
          let from = part * view.width / 8
          let cells = (0..<view.height).flatMap { y in
            (from..<max(from + 1, from + view.width / 8)).map { Double(view[$0, y]) }
          }
          return cells.reduce(0, +) / Double(cells.count)
        }
      }
      golden.add("\(name).means", means)
    }
    try golden.check("Text/straight.txt", within: 0.01)
  }
}
