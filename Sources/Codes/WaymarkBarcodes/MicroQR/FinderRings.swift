import WaymarkImage

/// The isolated finder patterns of a picture with the corners of their dark ring, for symbols that have only one.
struct FinderRings {
  private let view: ImageView
  private let levels: BlockMean
  /// Of each polarity those first that most rows cross.
  private let patterns: [[FinderPattern]]

  init(_ view: ImageView, levels: BlockMean, _ search: FinderSearch) {
    (self.view, self.levels, patterns) = (view, levels, search.found)
  }

  /// Runs a reader on each candidate that lies in nothing it has read.
  ///
  /// - Parameter failures: how many of each polarity may be none of its symbols; a pattern without a ring counts a third.
  func detections(failures: Int, _ read: (Quadrilateral, _ inverted: Bool) -> MatrixDetection?) -> [MatrixDetection] {
    var detections: [MatrixDetection] = []
    for polarity in 0...1 {
      var left = 3 * failures
      for pattern in patterns[polarity] where left > 0 {
        if detections.contains(where: { $0.corners.contains(pattern.center) }) { continue }
        let corners = RingCorners.find(
          view, levels: levels, around: pattern.center, unit: [pattern.moduleX, pattern.moduleY],
          isDark: polarity == 0, past: [true, false], modules: 7)
        if let found = corners.flatMap({ read($0, polarity == 1) }) {
          detections.append(found)
        } else {
          left -= corners == nil ? 1 : 3
        }
      }
    }
    return detections
  }
}
