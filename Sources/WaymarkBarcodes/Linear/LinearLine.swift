import WaymarkGeometry
import WaymarkImage

/// The dark and light runs along one line across bars.
struct LinearLine {
  /// The first run is dark, the last one too; in pixels of the strip.
  let widths: [Double]
  /// Where each run begins, and where the last one ends.
  let edges: [Double]
  /// How long the line is, quiet zones included.
  private let length: Double

  /// - Parameters:
  ///   - row: of a picture in which bars stand upright.
  ///   - window: how many pixels to either side tell dark from light.
  init?(_ view: ImageView, row: Int, window: Double = 60) {
    let y = Double(row)
    let line = PDF417ScanLine(view, from: [0, y], to: [Double(view.width) - 1, y], window: window)
    var edges = line.edges
    if !edges.count.isMultiple(of: 2) { edges.removeLast() }
    guard edges.count >= 4 else { return nil }
    self.init(edges: edges, length: Double(view.width))
  }

  private init(edges: [Double], length: Double) {
    self.edges = edges
    self.length = length
    widths = zip(edges, edges.dropFirst()).map { $1 - $0 }
  }

  /// The same line from its other end.
  var reversed: LinearLine {
    LinearLine(edges: edges.reversed().map { length - $0 }, length: length)
  }

  /// Where a dark run begins before which it is light for a while.
  ///
  /// - Parameter quiet: how long, as a multiple of the run.
  func isQuiet(before run: Int, _ quiet: Double) -> Bool {
    // A quiet zone that is cut off at an end tells nothing.
    (run == 0 ? edges[0] : widths[run - 1]) >= quiet
  }

  /// The same after a dark run.
  func isQuiet(after run: Int, _ quiet: Double) -> Bool {
    (run + 1 >= widths.count ? length - edges[edges.count - 1] : widths[run + 1]) >= quiet
  }
}

/// The result of decoding a line.
struct LinearRead: Hashable {
  var symbology: Symbology
  var bytes: [UInt8]
  /// The first and the last run of it.
  var first: Int
  var last: Int
}
