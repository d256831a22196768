import WaymarkImage
import WaymarkSymbologies

extension LinearLine {
  /// The runs along a row of a picture; `nil` where it has fewer than two dark ones.
  ///
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
}
