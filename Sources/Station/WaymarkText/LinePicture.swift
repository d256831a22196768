package import WaymarkImage

/// The picture of one line, prepared for recognition: dark on light, without shading, without what reaches in from other lines, and in the
/// sizes that a recognition network reads best.
package struct LinePicture {
  /// How a line is drawn for the network.
  package struct Style: Hashable, Sendable {
    /// The height of its capitals, in pixels.
    package var capitals: Double
    /// The deviation of the blur, in pixels: print of dots and the edges of pixels grow together.
    package var blur: Double
    /// How much wider than high it is drawn.
    package var stretch: Double
    /// True if all languages are asked, false if the first alone.
    package var asksAll: Bool
    /// The exponent by which gray is made darker, 1 for not at all: dots and strokes that were printed faintly stay.
    package var gamma: Double
    /// True if shading and glare are taken off.
    package var isFlat: Bool

    package init(
      capitals: Double, blur: Double, stretch: Double = 1, asksAll: Bool = false, gamma: Double = 1,
      isFlat: Bool = false
    ) {
      self.capitals = capitals
      self.blur = blur
      self.stretch = stretch
      self.asksAll = asksAll
      self.gamma = gamma
      self.isFlat = isFlat
    }

    /// Three that fail differently: faint print and thick print want other grays, wide and narrow letters other widths.
    package static let all = [
      Style(capitals: 34, blur: 1.3, asksAll: true),
      Style(capitals: 28, blur: 1.1, stretch: 1.25, asksAll: true, gamma: 2.5),
      Style(capitals: 30, blur: 1, stretch: 1.1, asksAll: true, gamma: 0.7),
    ]

    /// For frames, one after the other: smaller, without shading and glare, and read by one network only. The second one joins pieces
    /// that lie far apart, the third one keeps apart what has run together; characters in pieces are joined by all of them.
    package static let live = [
      Style(capitals: 30, blur: 1.1, stretch: 1.1, isFlat: true),
      Style(capitals: 28, blur: 2, stretch: 1.25, gamma: 2, isFlat: true),
      Style(capitals: 26, blur: 0.8, gamma: 1.5, isFlat: true),
    ]
  }

  /// Dark on light, its grays stretched.
  let plane: InkPlane
  /// How high its capitals are, in its own pixels.
  let capitalHeight: Double
  /// True if its characters are in pieces, as those of dots are.
  let isInPieces: Bool
  /// The rows that its characters take in, specks apart.
  let inkRows: ClosedRange<Int>
  /// The deviation of the blur that makes strokes of dots, as a share of the height of capitals: half of what dots are apart that stand
  /// in seven rows.
  private static let joining = 0.068
  /// White around a line, in pixels.
  private static let margin = 14
  /// No drawn line is wider or higher, in pixels.
  package static let sideLimit = 4200
  /// No line is drawn wider than this, in pixels.
  private static let widest = 4000

  /// The background of a line.
  package enum Ground {
    /// Text of either polarity, as it is.
    case plain
    /// Text of either polarity; shading and glare are taken away.
    case flat
    /// Print that is darker than what it stands on, and equally dark everywhere; shading and glare are taken away.
    case print
  }

  /// A line that fills a picture; nil when there is nothing on it.
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

  /// From the highest to the lowest row of what is at least a third as high as capitals; all rows where nothing is.
  private static func rows(_ pieces: [InkComponent], capitals: Double, height: Int) -> ClosedRange<Int> {
    let large = pieces.filter { Double($0.height) >= capitals / 3 && $0.area >= 4 }
    guard let top = large.map(\.top).min(), let bottom = large.map(\.bottom).max() else { return 0...(height - 1) }
    return top...bottom
  }

  /// Erases what reaches in over the border and is not part of the line; the pieces that stay.
  private static func clean(_ plane: inout InkPlane) -> [InkComponent] {
    let (width, height) = (plane.width, plane.height)
    // Faint traces of other lines too: a threshold on the paper's side of the middle.
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
        // With the soft edge around it.
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

  /// The pieces of what is dark.
  private static func solid(_ plane: InkPlane, _ threshold: UInt8) -> [InkComponent] {
    InkComponent.find(plane.pixels.map { $0 <= threshold }, width: plane.width, height: plane.height).pieces
  }

  /// How high capitals are: what most of the larger characters reach; and whether characters are in pieces.
  private static func capitals(_ pieces: [InkComponent], height: Int) -> (height: Double, areInPieces: Bool)? {
    let solid = pieces.filter { $0.area >= 4 }
    guard let top = solid.map(\.top).min(), let bottom = solid.map(\.bottom).max() else { return nil }
    let reach = Double(bottom - top + 1)
    let columns = columns(solid.filter { $0.top > 0 && $0.bottom < height - 1 && Double($0.width) < 2 * reach })
    let high = columns.filter { Double($0.height) >= 0.4 * reach }
    // Dots on letters are pieces, too, and what is left of other lines; but those leave a letter as high as it is.
    let share = high.reduce(0) { $0 + Double($1.tallest) / Double($1.height) } / Double(max(1, high.count))
    let areInPieces = high.count >= 5 && share < 0.6 && high.reduce(0) { $0 + $1.pieces } >= 2 * high.count
    // The pieces themselves would tell half of the height.
    let heights = (areInPieces ? high.map(\.height) : solid.map(\.height).filter { Double($0) >= 0.4 * reach }).sorted()
    // Print of dots hangs together in no piece.
    guard !heights.isEmpty else { return (max(4, reach * 0.9), false) }
    return (max(4, Double(heights[min(heights.count - 1, heights.count * 7 / 10)])), areInPieces)
  }

  /// The pieces that stand above each other, as those of one character do.
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

    /// Returns whether a piece stands above or below it with most of the narrower one's width.
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

  /// The line redrawn.
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

  /// A place in a drawn line as a share of the line's length.
  package static func share(of x: Double, in width: Int) -> Double {
    let inner = Double(max(1, width - 2 * margin))
    return min(1, max(0, (x - Double(margin)) / inner))
  }
}
