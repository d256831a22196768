import WaymarkDocuments
import WaymarkImage

/// Detects a new sheet by the shape that differs from the background, also where its sides have no contrast or a hand covers them.
struct NewPageDetector {
  let detector: PageDetector
  let memory: BackgroundModel

  /// Below that nothing is a sheet: `BackgroundModel.sheet`.
  private static let minFitScore = 0.6
  /// The lead in fit that its outline needs over the other one, which is traced more exactly.
  private static let lead = 0.08
  /// The share of a likely page below which an outline may be a part of it.
  private static let part = 0.9
  /// The amount by which its sides may fit worse in luma.
  private static let slack = 0.04
  /// How much less like a page it may look than a likely page that it takes the place of.
  private static let doubt = 0.1
  /// From that fit on, what looks like a page is one.
  private static let confidentFitScore = 0.8

  /// The sheet, where its shape explains what came better than a known outline does; nil otherwise.
  func page(
    insteadOf known: PageCandidate?, in view: ImageView, _ foreground: BackgroundModel.Foreground
  ) -> PageCandidate? {
    let fits = known.map { memory.fitScore(of: $0.outline) ?? 0 } ?? 0
    // An outline that fits so well cannot be beaten: at rest nothing is searched.
    guard fits + Self.lead < 1, let sheet = memory.sheet(), sheet.fitScore >= Self.minFitScore else { return nil }
    let isPage = known.map { $0.score >= PageCapture.Settings().leastScore } ?? false
    if let known {
      guard fits + Self.lead < sheet.fitScore else { return nil }
      // A new object may be as bright as the table in part, which then is not part of the shape.
      let isPart = sheet.outline.signedArea < Self.part * known.outline.signedArea
      if isPart, isPage { return nil }
      if isPage, memory.isShadow(between: known.outline, and: sheet.outline) { return nil }
    }
    guard memory.isForeground(sheet.outline, everySide: true) else { return nil }
    let reduced = sheet.outline.scaled(by: 1 / Double(foreground.factor))
    guard let judged = foreground.image.withView({ detector.follow($0, from: reduced) }) else { return nil }
    var page = PageCandidate(judged)
    if let known, isPage {
      // An outline that looks like a page may be the known one, beside which its shadow came into view, too.
      let place = judged.outline.scaled(by: Double(foreground.factor))
      let isKnown = place.largestCornerDistance(to: known.outline) < place.largestCornerDistance(to: sheet.outline)
      if isKnown { return nil }
    }
    page.outline = sheet.outline
    if sheet.fitScore >= Self.confidentFitScore { page.weigh(.likelier) }
    // Where luma shows the sides, it shows them sharper.
    if let traced = detector.follow(view, from: sheet.outline), let fitScore = memory.fitScore(of: traced.outline),
      fitScore + Self.slack >= sheet.fitScore
    {
      page.outline = traced.outline
    }
    // A page that is known does not yield to what hardly looks like one.
    if let known, isPage, page.score < known.score - Self.doubt { return nil }
    return page
  }
}
