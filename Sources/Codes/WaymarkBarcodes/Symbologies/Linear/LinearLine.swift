/// The dark and light runs along one line across bars.
package struct LinearLine {
  /// The first run is dark, the last one too; in pixels of the strip.
  package let widths: [Double]
  /// Where each run begins, and where the last one ends.
  package let edges: [Double]
  /// How long the line is, quiet zones included.
  private let length: Double

  /// - Parameters:
  ///   - edges: where it turns dark and light again, in pixels from the start of the line; an even number of them.
  ///   - length: of the line, in pixels.
  package init(edges: [Double], length: Double) {
    self.edges = edges
    self.length = length
    widths = zip(edges, edges.dropFirst()).map { $1 - $0 }
  }

  /// The same line from its other end.
  package var reversed: LinearLine {
    LinearLine(edges: edges.reversed().map { length - $0 }, length: length)
  }

  /// Where a dark run begins before which it is light for a while.
  ///
  /// - Parameter quiet: how long, as a multiple of the run.
  package func isQuiet(before run: Int, _ quiet: Double) -> Bool {
    // A quiet zone that is cut off at an end tells nothing.
    (run == 0 ? edges[0] : widths[run - 1]) >= quiet
  }

  /// The same after a dark run.
  package func isQuiet(after run: Int, _ quiet: Double) -> Bool {
    (run + 1 >= widths.count ? length - edges[edges.count - 1] : widths[run + 1]) >= quiet
  }
}

/// The result of decoding a line.
package struct LinearRead: Hashable {
  package var symbology: Symbology
  package var bytes: [UInt8]
  /// The first and the last run of it.
  package var first: Int
  package var last: Int
  /// FNC1 stands first: the content is GS1 element strings.
  package var isGS1 = false
}
