import WaymarkDocuments
package import WaymarkImage

/// A page that is in a frame.
package struct PageCandidate: Sendable {
  package var outline: Quadrilateral
  /// 0…1.
  package var score: Double
  /// `DetectedPage.logOdds`; nil where that is not known.
  var logOdds: Double?

  package init(outline: Quadrilateral, score: Double) {
    self.outline = outline
    self.score = score
  }

  init(_ page: DetectedPage) {
    self.init(outline: page.outline, score: page.score)
    logOdds = page.logOdds
  }

  /// Adds the evidence for it, or against it, beside its looks.
  mutating func weigh(_ weight: Weight) {
    switch weight {
    case .likelier: score = score.squareRoot()
    case .unlikelier: score *= 0.6
    }
    logOdds? += weight == .likelier ? 1.5 : -1.5
  }

  enum Weight {
    case likelier
    case unlikelier
  }
}
