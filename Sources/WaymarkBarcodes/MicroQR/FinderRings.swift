import WaymarkGeometry
import WaymarkImage

/// The isolated finder patterns of a picture with the corners of their dark ring, for symbols that have only one.
struct FinderRings {
  private struct Ring {
    var center: Point2
    var corners: Quadrilateral
    var inverted: Bool
  }

  /// Of each polarity those first that most rows cross.
  private var rings: [[Ring]] = []

  /// The most patterns of each polarity that are looked at.
  private static let most = 24

  init(_ view: ImageView, levels: BlockMean, _ search: FinderSearch) {
    rings = (0...1).map { polarity in
      search.found[polarity].prefix(Self.most).compactMap { pattern in
        let corners = RingCorners.find(
          view, levels: levels, around: pattern.center, unit: [pattern.moduleX, pattern.moduleY],
          isDark: polarity == 0, past: [true, false], modules: 7)
        return corners.map { Ring(center: pattern.center, corners: $0, inverted: polarity == 1) }
      }
    }
  }

  /// Runs a reader on each candidate that lies in nothing it has read.
  ///
  /// - Parameter failures: how many of each polarity may be none of its symbols.
  func detections(failures: Int, _ read: (Quadrilateral, _ inverted: Bool) -> MatrixDetection?) -> [MatrixDetection] {
    var detections: [MatrixDetection] = []
    for rings in rings {
      var failed = 0
      for ring in rings where failed < failures {
        if detections.contains(where: { $0.corners.contains(ring.center) }) { continue }
        if let found = read(ring.corners, ring.inverted) { detections.append(found) } else { failed += 1 }
      }
    }
    return detections
  }
}
