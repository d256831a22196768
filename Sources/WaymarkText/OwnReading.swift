package import WaymarkImage

/// Reads a line with Waymark's own network, which sees it a few times: with more and with less around its ink, and drawn wider. Errors of one view are
/// seldom those of the others.
package enum OwnReading {
  /// Reads a picture of one line, drawn as Waymark's own network wants it; nil where that is not to read it.
  package typealias Network = (GrayImage) throws -> LineLattice?

  /// The margin above and below the ink, as a share of its height, and how much wider than high it is drawn.
  private static let views: [(margin: Double, stretch: Double)] = [(0.15, 1), (0.28, 1), (0.05, 1.15)]

  /// The characters that each view says, of so many views; none for a line that the network is not to read.
  static func readings(
    of image: GrayImage, views count: Int, limitedTo alphabet: LineAlphabet, _ lattice: Network
  ) throws -> [[ReadSymbol]] {
    let rows = image.withView { LinePicture($0)?.inkRows }
    var readings: [[ReadSymbol]] = []
    for view in views.prefix(count) {
      let drawn = image.withView {
        LatticePicture.drawn($0, rows: rows, margin: view.margin, stretch: view.stretch)
      }
      guard let drawn, let told = try lattice(drawn) else { continue }
      readings.append(told.limited(to: alphabet).symbols())
    }
    return readings
  }

  /// A line of a machine-readable zone, as the first view says it; nil where it is none.
  static func zone(in image: GrayImage, _ lattice: Network) throws -> [ReadSymbol]? {
    let rows = image.withView { LinePicture($0)?.inkRows }
    guard let drawn = image.withView({ LatticePicture.drawn($0, rows: rows, margin: 0.15, stretch: 1) }) else {
      return nil
    }
    return try lattice(drawn).flatMap(ZoneLattice.symbols)
  }
}
