import WaymarkImage

/// The picture of a line as Waymark's own network reads it: gray as it is, light on dark or dark on light, in the height and with the contrast with
/// which it was trained.
enum LatticePicture {
  /// Narrower pictures are read as if they were so wide.
  private static let leastWidth = 32
  /// Wider ones are drawn narrower than they are.
  private static let mostWidth = 1600
  /// Less contrast is not stretched to all grays, in gray values.
  private static let leastContrast = 24

  /// The picture of a line; nil for a view that can hold none.
  ///
  /// - Parameters:
  ///   - rows: the rows of its characters; all of them where that is not known.
  ///   - margin: what is seen above and below those, as a share of their height, as far as the view reaches.
  ///   - stretch: how much wider than high it is drawn.
  static func drawn(
    _ view: ImageView, rows: ClosedRange<Int>?, margin: Double, stretch: Double
  ) -> GrayImage? {
    guard view.width >= 4, view.height >= 4 else { return nil }
    let rows = rows ?? 0...(view.height - 1)
    let more = Int((margin * Double(rows.count)).rounded())
    let (top, bottom) = (max(0, rows.lowerBound - more), min(view.height - 1, rows.upperBound + more))
    let part = view.cropped(x: 0, y: top, width: view.width, height: bottom - top + 1)
    guard part.height >= 4 else { return nil }
    let height = LineLattice.height
    let width = Int((Double(part.width) * Double(height) / Double(part.height) * stretch).rounded())
    let drawn = GrayImage(copying: part).resized(width: max(leastWidth, min(mostWidth, width)), height: height)
    return stretched(drawn)
  }

  /// From the 1st to the 99th percentile to 10 … 245.
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
      // Halves go up, also below the dark end.
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
