package import WaymarkImage

/// The picture of one line, prepared for recognition: dark on light, without shading and parts of other lines, at the sizes
/// that recognition networks read best. `LatticePicture` below is the picture for Waymark's own network.
package struct LinePicture {
  /// The way a line is drawn for the network.
  package struct Style: Hashable, Sendable {
    /// The height of the capitals in pixels.
    package var capitals: Double
    /// The standard deviation of the blur in pixels, which joins dots of print and the edges of pixels.
    package var blur: Double
    /// The ratio of the horizontal to the vertical scale.
    package var stretch = 1.0
    /// True to read with all languages, false with the first only.
    package var asksAll = false
    /// The exponent by which grays are darkened, 1 for none; it preserves faintly printed dots and strokes.
    package var gamma = 1.0
    /// True if shading and glare are removed.
    package var isFlat = false

    /// Three styles with different errors: for faint and thick print, for wide and narrow letters.
    package static let all = [
      Style(capitals: 34, blur: 1.3, asksAll: true),
      Style(capitals: 28, blur: 1.1, stretch: 1.25, asksAll: true, gamma: 2.5),
      Style(capitals: 30, blur: 1, stretch: 1.1, asksAll: true, gamma: 0.7),
    ]

    /// The styles for successive frames: smaller, without shading and glare, and read by one network only. The second joins
    /// distant strokes, the third separates joined characters; all of them join the parts of broken characters.
    package static let live = [
      Style(capitals: 30, blur: 1.1, stretch: 1.1, isFlat: true),
      Style(capitals: 28, blur: 2, stretch: 1.25, gamma: 2, isFlat: true),
      Style(capitals: 26, blur: 0.8, gamma: 1.5, isFlat: true),
    ]
  }

  /// The picture, dark on light, with stretched grays.
  let plane: InkPlane
  /// The height of the capitals in pixels of `plane`.
  let capitalHeight: Double
  /// True if the characters consist of several connected components, as in dot print.
  let isInPieces: Bool
  /// The rows of the characters, without specks.
  let inkRows: ClosedRange<Int>
  /// The standard deviation of the blur that joins dots to strokes, as a share of the height of capitals: half of the
  /// distance of dots that are arranged in seven rows.
  private static let joining = 0.068
  /// The white margin around a line in pixels.
  private static let margin = 14
  /// The largest side of a drawn line in pixels.
  package static let sideLimit = 4200
  /// The largest width at which a line is drawn, in pixels.
  private static let widest = 4000

  package enum Ground {
    /// Text of either polarity, unchanged.
    case plain
    /// Text of either polarity; shading and glare are removed.
    case flat
    /// Print that is darker than its background and equally dark everywhere; shading and glare are removed.
    case print
  }

  /// Creates the picture of a line that fills `view`; `nil` if it is empty.
  package init?(_ view: ImageView, on ground: Ground = .plain) {
    guard view.width >= 4, view.height >= 4 else { return nil }
    var plane = InkPlane(view)
    let (dark, light) = (plane.percentile(0.02), plane.percentile(0.98))
    guard light > dark, light - dark >= 12 else { return nil }
    if ground != .print, plane.standsOutLight { plane.invert() }
    if ground != .plain { plane.flatten() }
    plane.stretch(from: plane.percentile(0.02), to: plane.percentile(0.85))
    let pieces = Self.clean(&plane)
    guard let capitals = Self.capitals(pieces, height: plane.height) else { return nil }
    self.plane = plane
    (capitalHeight, isInPieces) = capitals
    inkRows = Self.rows(pieces, capitals: capitals.height, height: plane.height)
  }

  /// Returns the rows of all components at least a third as high as capitals; all rows without such components.
  private static func rows(_ pieces: [InkComponent], capitals: Double, height: Int) -> ClosedRange<Int> {
    let large = pieces.filter { Double($0.height) >= capitals / 3 && $0.area >= 4 }
    guard let top = large.map(\.top).min(), let bottom = large.map(\.bottom).max() else { return 0...(height - 1) }
    return top...bottom
  }

  /// Erases the ink of components at the border that are not part of the line, and returns the components that remain.
  private static func clean(_ plane: inout InkPlane) -> [InkComponent] {
    let (width, height) = (plane.width, plane.height)
    // The threshold is closer to the paper's gray, so that faint traces of other lines are erased as well.
    let middle = plane.threshold
    let threshold = UInt8(Int(middle) + (245 - min(245, Int(middle))) / 3)
    let found = InkComponent.find(plane.pixels.map { $0 <= threshold }, width: width, height: height)
    let isForeign = found.pieces.map { piece -> Bool in
      let touches = piece.top == 0 || piece.bottom == height - 1
      let middle = piece.centerY / Double(max(1, height - 1))
      let isOutside = touches && (middle < 0.2 || middle > 0.8) && 3 * piece.height < height
      let isRule = 10 * piece.width > 6 * width && 7 * piece.height < height && width > 3 * height && touches
      return isOutside || isRule
    }
    guard isForeign.contains(true) else { return solid(plane, middle) }
    for y in 0..<height {
      for x in 0..<width {
        // The soft edge around the component is erased as well.
        search: for ny in max(0, y - 1)...min(height - 1, y + 1) {
          for nx in max(0, x - 1)...min(width - 1, x + 1) {
            let label = found.labels[ny * width + nx]
            if label >= 0, isForeign[Int(label)] {
              plane.pixels[y * width + x] = 245
              break search
            }
          }
        }
      }
    }
    return solid(plane, middle)
  }

  /// Returns the connected components of the pixels at or below a gray level.
  private static func solid(_ plane: InkPlane, _ threshold: UInt8) -> [InkComponent] {
    InkComponent.find(plane.pixels.map { $0 <= threshold }, width: plane.width, height: plane.height).pieces
  }

  /// Returns the height of capitals in pixels, which most of the larger characters have, and whether characters consist of
  /// several components; `nil` without ink.
  private static func capitals(_ pieces: [InkComponent], height: Int) -> (height: Double, areInPieces: Bool)? {
    let solid = pieces.filter { $0.area >= 4 }
    guard let top = solid.map(\.top).min(), let bottom = solid.map(\.bottom).max() else { return nil }
    let reach = Double(bottom - top + 1)
    let columns = columns(solid.filter { $0.top > 0 && $0.bottom < height - 1 && Double($0.width) < 2 * reach })
    let high = columns.filter { Double($0.height) >= 0.4 * reach }
    // Dots of letters and parts of other lines are components as well, but do not change the height of letters.
    let share = high.reduce(0) { $0 + Double($1.tallest) / Double($1.height) } / Double(max(1, high.count))
    let areInPieces = high.count >= 5 && share < 0.6 && high.reduce(0) { $0 + $1.pieces } >= 2 * high.count
    // Single components are about half as high as such characters.
    let heights = (areInPieces ? high.map(\.height) : solid.map(\.height).filter { Double($0) >= 0.4 * reach }).sorted()
    // Dot print may have no large components at all.
    guard !heights.isEmpty else { return (max(4, reach * 0.9), false) }
    return (max(4, Double(heights[min(heights.count - 1, heights.count * 7 / 10)])), areInPieces)
  }

  /// Components one above the other, as in one character.
  private struct Column {
    var left: Int
    var right: Int
    var top: Int
    var bottom: Int
    var pieces = 1
    var tallest: Int

    var height: Int { bottom - top + 1 }

    init(_ piece: InkComponent) {
      (left, right, top, bottom, tallest) = (piece.left, piece.right, piece.top, piece.bottom, piece.height)
    }

    /// Returns whether a component overlaps the column by more than half of the narrower one's width.
    func holds(_ piece: InkComponent) -> Bool {
      2 * (min(right, piece.right) - max(left, piece.left) + 1) > min(piece.width, right - left + 1)
    }

    mutating func add(_ piece: InkComponent) {
      right = max(right, piece.right)
      (top, bottom) = (min(top, piece.top), max(bottom, piece.bottom))
      pieces += 1
      tallest = max(tallest, piece.height)
    }
  }

  private static func columns(_ pieces: [InkComponent]) -> [Column] {
    var columns: [Column] = []
    for piece in pieces.sorted(by: { $0.left < $1.left }) {
      if let place = columns.indices.suffix(4).last(where: { columns[$0].holds(piece) }) {
        columns[place].add(piece)
      } else {
        columns.append(Column(piece))
      }
    }
    return columns
  }

  package func drawn(_ style: Style) -> GrayImage {
    var scale = style.capitals / capitalHeight
    scale = min(scale, 12, Double(Self.widest) / (Double(plane.width) * style.stretch))
    let width = max(8, Int((Double(plane.width) * scale * style.stretch).rounded()))
    let height = max(8, Int((Double(plane.height) * scale).rounded()))
    var large = plane.image.resized(width: width, height: height).withView { InkPlane($0) }
    if style.gamma != 1 { large.darken(style.gamma) }
    large = large.softened(isInPieces ? max(style.blur, Self.joining * capitalHeight * scale) : style.blur)
    let margin = Self.margin
    return large.cropped(x: -margin, y: -margin, width: width + 2 * margin, height: height + 2 * margin).image
  }

  /// Returns an x position in a drawn line as a share of the line's length.
  package static func share(of x: Double, in width: Int) -> Double {
    let inner = Double(max(1, width - 2 * margin))
    return min(1, max(0, (x - Double(margin)) / inner))
  }
}

/// Draws the picture of a line for the networks of lines and of words: gray values of either polarity, with the height and, for
/// lines, the contrast used in training.
enum LatticePicture {
  /// The least width of a picture in pixels.
  private static let leastWidth = 32
  /// The largest width in pixels; wider pictures are compressed.
  private static let mostWidth = 1600
  /// The margin above and below the rows for the network of words, as a share of their height.
  private static let wordMargin = 0.15
  /// The smallest range of gray levels that is stretched to the full one, so that noise is not amplified further.
  private static let leastContrast = 24

  /// Draws the picture of a line; nil for a view that is too small.
  ///
  /// - Parameters:
  ///   - rows: The rows of the characters; `nil` for all rows.
  ///   - margin: The margin above and below the rows, as a share of their height, limited by the view.
  ///   - stretch: The ratio of the horizontal to the vertical scale.
  static func drawn(
    _ view: ImageView, rows: ClosedRange<Int>?, margin: Double, stretch: Double
  ) -> GrayImage? {
    scaled(view, rows: rows, margin: margin, stretch: stretch, height: LineLattice.height).map(stretched)
  }

  /// Draws the picture of a line for the network of words.
  static func word(_ view: ImageView, rows: ClosedRange<Int>?) -> GrayImage? {
    scaled(view, rows: rows, margin: wordMargin, stretch: 1, height: WordNetwork.height)
  }

  private static func scaled(
    _ view: ImageView, rows: ClosedRange<Int>?, margin: Double, stretch: Double, height: Int
  ) -> GrayImage? {
    guard view.width >= 4, view.height >= 4 else { return nil }
    let rows = rows ?? 0...(view.height - 1)
    let more = Int((margin * Double(rows.count)).rounded())
    let (top, bottom) = (max(0, rows.lowerBound - more), min(view.height - 1, rows.upperBound + more))
    let part = view.cropped(x: 0, y: top, width: view.width, height: bottom - top + 1)
    guard part.height >= 4 else { return nil }
    let width = Int((Double(part.width) * Double(height) / Double(part.height) * stretch).rounded())
    return GrayImage(copying: part).resized(width: max(leastWidth, min(mostWidth, width)), height: height)
  }

  /// Returns the picture with the 1st and 99th percentiles stretched to 10 and 245.
  private static func stretched(_ image: GrayImage) -> GrayImage {
    image.withView { view in
      let histogram = GrayHistogram(view)
      func value(_ share: Double) -> Int {
        histogram.level(behind: Int(share * Double(view.width * view.height))) ?? 255
      }
      var (low, high) = (value(0.01), value(0.99))
      if high - low < leastContrast {
        low = (low + high - leastContrast) / 2
        high = low + leastContrast
      }
      // Halves are rounded up, also below the dark end.
      let table = GrayStretch.table(from: low, to: high) { ($0 + 0.5).rounded(.down) }
      return GrayImage(width: view.width, height: view.height) { target in
        for y in 0..<view.height {
          let row = view.row(y)
          for x in 0..<view.width { target[y * view.width + x] = table[Int(row[x])] }
        }
      }
    }
  }
}
