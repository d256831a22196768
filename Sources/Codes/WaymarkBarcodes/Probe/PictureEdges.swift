import WaymarkImage

/// The cells of a picture in which brightness changes as much as in a code: made once, asked by every family.
struct PictureEdges {
  let tensor: StructureTensor
  /// Pixels of the whole picture to one of the octave the map was made from.
  private let factor: Double

  /// The mean square of neighbour differences below which a cell holds no edge of a code, in gray levels squared.
  private static let leastEnergy: Float = 12
  /// Cells of edges that no symbol explains and that a code would fill at least.
  private static let fewest = 3

  init(_ view: ImageView, factor: Double) {
    tensor = StructureTensor(view)
    self.factor = factor
  }

  /// Returns whether edges are left that no symbol explains: a picture without is done.
  func isExplained(by places: ExplainedPlaces) -> Bool {
    guard !places.isEmpty else { return false }
    let side = Double(StructureTensor.side)
    // A cell shares the edges of its neighbours.
    let corners: [Point2] = [[-1, -1], [1, -1], [-1, 1], [1, 1], [0, 0]]
    var open = 0
    for y in 0..<tensor.rows {
      for x in 0..<tensor.columns where tensor.energy[y * tensor.columns + x] > Self.leastEnergy {
        let center = Point2(Double(x) + 0.5, Double(y) + 0.5) * side
        let isNear = corners.contains { places.contains((center + $0 * (0.75 * side)) * factor) }
        if isNear { continue }
        open += 1
        if open >= Self.fewest { return false }
      }
    }
    return true
  }
}
