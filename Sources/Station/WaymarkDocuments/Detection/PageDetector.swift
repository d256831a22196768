package import WaymarkImage

/// A page in a picture.
package struct DetectedPage: Sendable {
  /// Where its corners are, clockwise from the one that is top left if the page stands upright in the picture; pixels. A page that is only
  /// partly in the picture ends with the picture.
  package var outline: Quadrilateral
  /// How likely it is that a page was found, 0…1.
  package var score: Double
  /// The logarithm of how much likelier this outline is than that there is no page: by it outlines in one picture compare that were judged
  /// alike, by `follow` or by all else.
  package var logOdds: Double
  /// Where its sides run: top, right, bottom, left, each as points clockwise, in pixels. Bent paper leaves the straight way between corners.
  package var sides: [[Point2]]
  /// Which shares of these sides were seen as edges, 0…1 each; the rest was bridged (fingers, glare, the picture's border).
  package var seen: [Double]
}

/// Finds the outline of the one page that a picture shows.
///
/// Hypotheses come from straight edges and from areas that are brighter or darker than what surrounds them, in a picture of at most 400 pixels a
/// side without its dark marks (so that writing makes no lines), and from where a small network sees a page. The likeliest are followed along their real sides, and judged by what is
/// inside, outside and along them, and by what that network sees. To be used from one thread at a time; memory is kept from picture to picture.
package final class PageDetector {
  /// The rules for what counts as a page.
  package struct Configuration: Sendable {
    /// Nothing below this score is a page.
    package var minimumScore = 0.35

    /// The limits that the scanner uses.
    package init() {}
  }

  private let configuration: Configuration
  private let picture = WorkingPicture()
  private let map = EdgeMap()
  private let lineSearch = LineSearch()
  private let regionSearch = RegionSearch()
  private let tracer: OutlineTracer
  private let cornerSearch = CornerSearch()
  private let models: PageModels
  private let segmenter: PageSegmenter
  /// The probabilities of the segmenter; nil where it was not asked.
  private var probabilities: [Float]?
  /// Where a page probably is in the picture; nil where one is only followed.
  private var mask: PageMask?
  /// Hypotheses whose sides are traced.
  private static let traced = 6
  /// Outlines whose corners are all nearer to another's, in pixels of the work picture, are that one.
  private static let distinct = 1.5
  /// The least score of a corner, 0…2, for moving one there.
  private static let leastCorner = 1.0
  /// By how much more than the place where it was taken to be.
  private static let leastGain = 0.2
  /// How far, in pixels of the work picture, a page that is followed is looked for first, and how far else.
  private static let followReach = (near: 4, far: 13)
  /// How far corners may be from where they are known to be about, as a share of the longer diagonal: one picture does not know better than
  /// all that led to it.
  private static let settledFarthest = 0.04
  /// How small it may be there, as a share of the area that is known.
  private static let leastArea = 0.97
  /// By how much likelier what is seen farther off must be, or by what odds.
  private static let followLead = 0.1
  private static let followOdds = 2.0
  /// More pages beside the first are not told, nor those with this share of them on others, nor below that score.
  package static let mostOthers = 3
  private static let mostShared = 0.2
  private static let leastOther = 0.6

  /// A detector that judges by fitted models, with limits of its own.
  package init(_ models: PageModels, _ configuration: Configuration = Configuration()) {
    self.configuration = configuration
    self.models = models
    segmenter = PageSegmenter(models.network)
    tracer = OutlineTracer(map)
  }

  /// The page in a colour picture; nil when there is none.
  package func detect(_ image: RGBImage) -> DetectedPage? {
    load(image)
    return image.withBytes { bytes in
      best(
        FullResolutionPicture(
          bytes.baseAddress, width: image.width, height: image.height, stride: 3 * image.width, channels: 3))
    }
  }

  /// The page in a gray picture; nil when there is none.
  package func detect(_ view: ImageView) -> DetectedPage? {
    load(view)
    return best(
      FullResolutionPicture(view.base, width: view.width, height: view.height, stride: view.stride, channels: 1))
  }

  /// The page in a picture that shows the same view as the last one that was looked at by `detect`, in another way, whatever its size: where a
  /// page probably is stays known. To be called straight after it.
  package func detectAgain(_ view: ImageView) -> DetectedPage? {
    picture.load(view)
    return best(
      FullResolutionPicture(view.base, width: view.width, height: view.height, stride: view.stride, channels: 1))
  }

  /// Returns the page near an outline in the picture that `detect` or `detectAgain` has just looked at, judged alike, whatever the score.
  package func lookAgain(near outline: Quadrilateral) -> DetectedPage? {
    guard mask != nil, picture.width >= 24, picture.height >= 24, let judged = seen(near: outline) else { return nil }
    return page(judged, score: PageScorer.shares([judged.score]).reduce(0, +))
  }

  /// The page where it was a moment ago, its sides traced again: a fraction of the work of `detect`.
  ///
  /// - Parameter last: where it was in the frame before, in pixels.
  /// - Returns: nil where no page is there any more, or where it has moved by more than about a thirtieth of the picture.
  package func follow(_ view: ImageView, from last: Quadrilateral) -> DetectedPage? {
    load(view)
    return follow(from: last)
  }

  /// The same in a colour picture.
  package func follow(_ image: RGBImage, from last: Quadrilateral) -> DetectedPage? {
    load(image)
    return follow(from: last)
  }

  /// The page that is known to be about there, whatever the score, with the care of `detect`: of all that may be a page in that place the
  /// likeliest.
  ///
  /// - Returns: nil where `last` is not a page's outline, or nothing but a part of it is seen.
  package func settle(_ image: RGBImage, near last: Quadrilateral) -> DetectedPage? {
    load(image)
    let all = traced(Self.traced)
    guard picture.width >= 24, picture.height >= 24, let followed = seen(near: last) else { return nil }
    let known = reduced(last)
    let limit = Self.settledFarthest * known.longerDiagonal
    let rivals = all.filter { $0.hypothesis.outline.largestCornerDistance(to: known) < limit }
    var best = followed
    for rival in rivals where rival.score > best.score { best = rival }
    // A fingers produce false corners: the page fits worse with them.
    var placed = best
    placeCorners(&placed)
    placed.evidence = PageEvaluator(picture: picture, map: map, mask: mask).evidence(placed.hypothesis, placed.sides)
    placed.score = score(placed.evidence)
    if placed.score >= best.score { best = placed }
    let pages = [best, followed].map { judged -> DetectedPage in
      var page = page(judged, score: PageScorer.shares([judged.score]).reduce(0, +))
      image.withBytes { bytes in
        guard
          let fine = FullResolutionPicture(
            bytes.baseAddress, width: image.width, height: image.height, stride: 3 * image.width, channels: 3)
        else { return }
        refine(&page.outline, fine)
      }
      return page
    }
    // A frame that is printed on the page has stronger edges than the page.
    let least = Self.leastArea * abs(last.signedArea)
    let farthest = Self.settledFarthest * last.longerDiagonal
    return pages.first {
      abs($0.outline.signedArea) >= least && $0.outline.largestCornerDistance(to: last) <= farthest
    }
  }

  /// Further pages in the picture that `detect` or `settle` has just looked at, likeliest first: those that are found when the pages known so far are
  /// painted over. Takes about as long as `detect` once more for each, and once for there being no other.
  package func others(beside first: DetectedPage) -> [DetectedPage] {
    var pages = [first]
    while pages.count <= Self.mostOthers {
      picture.paint(over: reduced(pages[pages.count - 1].outline))
      probabilities = nil
      let known = pages.map { reduced($0.outline) }
      func isFree(_ judged: Judged) -> Bool { judged.hypothesis.outline.share(in: known) < Self.mostShared }
      let rivals = traced(hypotheses().filter(isFree).prefix(Self.traced)).filter(isFree)
      let score = PageScorer.shares(rivals.map(\.score)).reduce(0, +)
      guard let other = rivals.max(by: { $0.score < $1.score }), score >= Self.leastOther else { break }
      pages.append(page(other, score: score))
    }
    return Array(pages.dropFirst())
  }

  private func load(_ image: RGBImage) {
    probabilities = nil
    picture.load(image)
  }

  private func load(_ view: ImageView) {
    probabilities = nil
    picture.load(view)
  }

  private func follow(from last: Quadrilateral) -> DetectedPage? {
    guard let judged = judged(near: last) else { return nil }
    let score = PageScorer.shares([judged.score]).reduce(0, +)
    return score >= configuration.minimumScore ? page(judged, score: score) : nil
  }

  /// Judges an outline in the loaded picture near where it was.
  private func judged(near last: Quadrilateral) -> Judged? {
    guard picture.width >= 24, picture.height >= 24, last.isFinite else { return nil }
    mask = nil
    picture.removeMarks(radius: 3)
    map.update(picture.closed[..<picture.planeCount])
    return seen(near: last)
  }

  /// The same in a picture whose edges are known.
  private func seen(near last: Quadrilateral) -> Judged? {
    guard last.isFinite else { return nil }
    var hypothesis = PageHypothesis(outline: reduced(last), edgeSupport: 0)
    guard hypothesis.outline.isConvex else { return nil }
    hypothesis.borders = borders(hypothesis.outline)
    let judge = PageEvaluator(picture: picture, map: map, mask: mask)
    func judged(_ reach: Int) -> Judged {
      var hypothesis = hypothesis
      let trace = tracer.trace(hypothesis, reach: reach)
      hypothesis.outline = trace.outline
      let sides = mask == nil ? trace.sides : tracer.widened(trace.sides, of: hypothesis)
      let evidence = judge.evidence(hypothesis, sides)
      return Judged(hypothesis: hypothesis, sides: sides, evidence: evidence, score: score(evidence))
    }
    // A side that fingers hide is where it was, unless another place explains the frame better.
    let (near, far) = (judged(Self.followReach.near), judged(Self.followReach.far))
    let shares = [near, far].map { PageScorer.shares([$0.score]).reduce(0, +) }
    let isLikelier = shares[1] * (1 - shares[0]) > Self.followOdds * shares[0] * (1 - shares[1])
    return isLikelier || shares[1] > shares[0] + Self.followLead ? far : near
  }

  /// How likely an outline is whose sides were traced.
  private func score(_ evidence: PageFeatures) -> Double {
    (mask == nil ? models.followed : models.traced).score(evidence)
  }

  /// Which sides lie on the picture's border.
  private func borders(_ q: Quadrilateral) -> [Bool] {
    let (right, bottom) = (Double(picture.width) - 3, Double(picture.height) - 3)
    return (0..<4).map { side in
      let (a, b) = (q.corners[side], q.corners[(side + 1) % 4])
      return max(a.x, b.x) < 2 || max(a.y, b.y) < 2 || min(a.x, b.x) > right || min(a.y, b.y) > bottom
    }
  }

  private func best(_ fine: FullResolutionPicture?) -> DetectedPage? {
    let judged = traced(Self.traced)
    guard var first = judged.first else { return nil }
    placeCorners(&first)
    let score = PageScorer.shares(judged.map(\.score)).reduce(0, +)
    guard score >= configuration.minimumScore else { return nil }
    var page = page(first, score: score)
    if let fine { refine(&page.outline, fine) }
    return page
  }

  /// Moves corners to where they are seen, and traces the sides between them once more.
  private func placeCorners(_ judged: inout Judged) {
    var corners = judged.hypothesis.outline.corners
    let closed = picture.closed[..<picture.planeCount].map { UnsafePointer($0.pixels) }
    for i in 0..<4 where !judged.hypothesis.borders[i] && !judged.hypothesis.borders[(i + 3) % 4] {
      let old = judged.hypothesis.outline.corners
      guard
        let found = cornerSearch.corner(map.view, closed, old[i], before: old[(i + 3) % 4], after: old[(i + 1) % 4]),
        found.score > Self.leastCorner, found.gain > Self.leastGain
      else { continue }
      corners[i] = found.place
    }
    let outline = Quadrilateral(corners: corners)
    guard outline.isConvex else { return }
    judged.hypothesis.outline = outline
    judged.sides = tracer.widened(tracer.sides(judged.hypothesis), of: judged.hypothesis)
  }

  /// Places corners to a fraction of a pixel, by the stretches of the sides next to them.
  private func refine(_ outline: inout Quadrilateral, _ fine: FullResolutionPicture) {
    let old = outline.corners
    var new = old
    let reach = 2 * picture.factor + 2
    for i in 0..<4 {
      var lines: [StraightLine] = []
      for other in [old[(i + 1) % 4], old[(i + 3) % 4]] {
        let length = old[i].distance(to: other)
        let along = (other - old[i]) / max(length, 1e-9)
        var inward = Point2(-along.y, along.x)
        let third = old[(i + 2) % 4] - old[i]
        if inward.dot(third) < 0 { inward = inward * -1 }
        let end = old[i] + along * min(0.4 * length, 24 * Double(picture.factor))
        guard let line = fine.side(from: old[i] + along * 4, to: end, inward: inward, reach: reach) else { break }
        lines.append(line)
      }
      guard lines.count == 2 else { continue }
      guard let p = lines[0].crossing(lines[1], leastSine: PageHypothesis.leastSine) else { continue }
      if p.distance(to: old[i]) < 1.6 * Double(reach) { new[i] = p }
    }
    let refined = Quadrilateral(corners: new)
    if refined.isConvex { outline = refined }
  }

  /// Describes a hypothesis as a page.
  private func page(_ judged: Judged, score: Double) -> DetectedPage {
    let traced = tracer.widened(judged.sides, of: judged.hypothesis)
    var sides = traced.map { side in side.points.map(original) }
    var seen = traced.map(\.support)
    let placed = original(judged.hypothesis.outline)
    let turns = placed.turnsToUpright
    sides = (0..<4).map { sides[($0 + turns) % 4] }
    seen = (0..<4).map { seen[($0 + turns) % 4] }
    return DetectedPage(
      outline: placed.turned(by: turns), score: score, logOdds: judged.score, sides: sides, seen: seen)
  }

  /// The likeliest hypotheses after their sides were traced, best first.
  private func traced(_ count: Int) -> [Judged] {
    traced(hypotheses().prefix(count)).sorted { $0.score > $1.score }
  }

  /// Hypotheses after their sides were traced, in their order. The judge borrows planes that `hypotheses` may move: it is made after them.
  private func traced(_ hypotheses: some Sequence<Judged>) -> [Judged] {
    let judge = PageEvaluator(picture: picture, map: map, mask: mask)
    return hypotheses.map { first in
      let trace = tracer.trace(first.hypothesis)
      var hypothesis = first.hypothesis
      hypothesis.outline = trace.outline
      let sides = tracer.widened(trace.sides, of: hypothesis)
      let evidence = judge.evidence(hypothesis, sides)
      return Judged(hypothesis: hypothesis, sides: sides, evidence: evidence, score: score(evidence))
    }
  }

  /// Returns the possible pages, likeliest first.
  private func hypotheses() -> [Judged] {
    guard picture.width >= 24, picture.height >= 24 else { return [] }
    let probabilities = self.probabilities ?? segmenter.probabilities(picture)
    self.probabilities = probabilities
    let mask = PageMask(
      probabilities, cells: models.network.cells, width: picture.width, height: picture.height)
    self.mask = mask
    picture.removeMarks(radius: 3)
    map.update(picture.closed[..<picture.planeCount])
    var all = QuadSearch().quadrilaterals(lineSearch.lines(of: map), width: map.width, height: map.height)
    // As with lines: what goes on beyond three sides of the picture is a part of something, seen from near by.
    for region in regionSearch.quadrilaterals(picture) where borders(region).count(where: { $0 }) <= 2 {
      all.append(PageHypothesis(outline: region, edgeSupport: 0))
    }
    all += probable(probabilities, mask)
    let judge = PageEvaluator(picture: picture, map: map, mask: mask)
    return all.map { hypothesis in
      let evidence = judge.evidence(hypothesis)
      return Judged(hypothesis: hypothesis, evidence: evidence, score: models.first.score(evidence))
    }.sorted { $0.score > $1.score }
  }

  /// The outlines of what the mask shows.
  private func probable(_ probabilities: [Float], _ mask: PageMask) -> [PageHypothesis] {
    var found: [PageHypothesis] = []
    let start = regionSearch.quadrilaterals(
      of: probabilities, side: models.network.cells, width: picture.width, height: picture.height)
    for outline in start.flatMap({ [$0, mask.fitted($0)] }) where QuadSearch.looksLikeRectangle(outline) {
      let borders = borders(outline)
      guard borders.count(where: { $0 }) <= 2,
        !found.contains(where: { $0.outline.largestCornerDistance(to: outline) < Self.distinct })
      else { continue }
      found.append(PageHypothesis(outline: outline, edgeSupport: 0, borders: borders))
    }
    return found
  }

  /// From pixels of the original to those of the work picture.
  private func reduced(_ q: Quadrilateral) -> Quadrilateral { q.scaled(by: 1 / Double(picture.factor)) }

  /// From pixels of the work picture to those of the original.
  private func original(_ p: Point2) -> Point2 { (p + 0.5) * Double(picture.factor) - 0.5 }

  private func original(_ q: Quadrilateral) -> Quadrilateral { q.scaled(by: Double(picture.factor)) }
}

extension PageDetector {
  /// A possible page, with its evidence in the order of `PageFeatures.values`.
  package typealias Considered = [(outline: Quadrilateral, values: [Double])]

  /// The evidence of every hypothesis in a picture, as it was put together and, in the same order, as it was traced, with its outline: what
  /// the weights of `PageScorer` are fitted to.
  package func evidence(in image: RGBImage) -> (first: Considered, traced: Considered) {
    load(image)
    return evidence()
  }

  /// The same of a gray picture.
  package func evidence(in view: ImageView) -> (first: Considered, traced: Considered) {
    load(view)
    return evidence()
  }

  private func evidence() -> (first: Considered, traced: Considered) {
    func considered(_ list: [Judged]) -> Considered {
      list.map { (original($0.hypothesis.outline), $0.evidence.values) }
    }
    let first = hypotheses()
    return (considered(first), considered(traced(first)))
  }
}
