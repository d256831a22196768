package import WaymarkImage

/// A page that `PageDetector` found or followed: its outline, its score and its traced sides.
package struct DetectedPage: Sendable {
  /// The corners in pixels, clockwise from the top left of a page upright in the picture. A page that is partly outside is
  /// cut at the picture's border.
  package var outline: Quadrilateral
  /// The probability that the picture shows a page, 0…1.
  package var score: Double
  /// The log-odds of this outline against there being no page. They are comparable between outlines of one picture that were scored
  /// in the same way: either by `follow` or by the other methods.
  package var logOdds: Double
  /// The traced sides: top, right, bottom, left, each as points clockwise, in pixels. The sides of bent paper are not straight.
  package var sides: [[Point2]]
  /// The shares of the sides that were seen as edges, 0…1 each. The rest was bridged because of fingers, glare or the picture's
  /// border.
  package var seen: [Double]
}

/// Finds the outline of a page in a picture.
///
/// Hypotheses come from the mask of a small network, and from straight edges and areas brighter or darker than their surroundings.
/// Edges and areas are searched in a picture of at most 400 pixels a side without its dark marks, so that writing forms no lines.
/// The likeliest hypotheses are traced along their real sides, and scored by the pixels inside, outside and along them, and by the
/// mask. Use it from one thread at a time; memory is reused.
package final class PageDetector {
  /// The least probability with which a page is returned.
  private static let minimumScore = 0.35

  private let picture = WorkingPicture()
  private let map = EdgeMap()
  private let lineSearch = LineSearch()
  private let regionSearch = RegionSearch()
  private let tracer: OutlineTracer
  private let cornerSearch = CornerSearch()
  private let models: PageModels
  private let segmenter: PageSegmenter
  /// The probabilities of the segmenter; `nil` if not computed yet.
  private var probabilities: [Float]?
  /// The mask of the page; `nil` while the page is only followed.
  private var mask: PageMask?
  /// The number of hypotheses whose sides are traced.
  private static let traced = 6
  /// The distance between corners, in pixels of the work picture, up to which two outlines count as the same.
  private static let distinct = 1.5
  /// The least score, 0…2, of a corner to which an outline's corner is moved.
  private static let leastCorner = 1.0
  /// The least lead of such a corner over the score of the old position.
  private static let leastGain = 0.2
  /// The first and the second search distance for a followed page, in pixels of the work picture.
  private static let followReach = (near: 4, far: 13)
  /// The largest distance of corners from their approximately known position, as a share of the longer diagonal. It is limited
  /// because a single picture is less certain than all earlier pictures together.
  private static let settledFarthest = 0.04
  /// The least area of a settled page, as a share of the known page's area.
  private static let leastArea = 0.97
  /// An outline found at the far distance is preferred if it exceeds either of these: the lead in probability, or the ratio of
  /// odds.
  private static let followLead = 0.1
  private static let followOdds = 2.0
  /// The largest number of pages beyond the first. At most the share `mostShared` of the area of such a page is inside other pages,
  /// and its score is at least `leastOther`.
  package static let mostOthers = 3
  private static let mostShared = 0.2
  private static let leastOther = 0.6

  /// Creates a detector with fitted models.
  package init(_ models: PageModels) {
    self.models = models
    segmenter = PageSegmenter(models.network)
    tracer = OutlineTracer(map)
  }

  /// Finds the page in a colour picture; `nil` if none is likely enough.
  package func detect(_ image: RGBImage) -> DetectedPage? {
    load(image)
    return image.withBytes { bytes in
      best(
        FullResolutionPicture(
          bytes.baseAddress, width: image.width, height: image.height, stride: 3 * image.width, channels: 3))
    }
  }

  /// Finds the page in a gray picture; `nil` if none is likely enough.
  package func detect(_ view: ImageView) -> DetectedPage? {
    probabilities = nil
    return detectAgain(view)
  }

  /// Finds the page in another picture of the view that `detect` searched last, of any size, with the probabilities
  /// computed by `detect`; `nil` if no page is likely enough. Call it directly after `detect`.
  package func detectAgain(_ view: ImageView) -> DetectedPage? {
    picture.load(view)
    return best(
      FullResolutionPicture(view.base, width: view.width, height: view.height, stride: view.stride, channels: 1))
  }

  /// Returns the page near an outline in the picture last searched by `detect` or `detectAgain`. It is scored as they score pages, and
  /// is returned with any score.
  ///
  /// - Returns: The page; `nil` without such a picture, or if `outline` is not convex.
  package func lookAgain(near outline: Quadrilateral) -> DetectedPage? {
    guard mask != nil, picture.width >= 24, picture.height >= 24, let judged = seen(near: outline) else { return nil }
    return page(judged, score: PageScorer.shares([judged.score]).reduce(0, +))
  }

  /// Follows a page from the last frame by tracing its sides again, which takes a fraction of the time of `detect`.
  ///
  /// - Parameter last: The outline in the last frame in pixels.
  /// - Returns: The page; `nil` if it is no longer visible or has moved by more than about a thirtieth of the picture.
  package func follow(_ view: ImageView, from last: Quadrilateral) -> DetectedPage? {
    load(view)
    return follow(from: last)
  }

  /// Follows a page in a colour picture; see the gray version.
  package func follow(_ image: RGBImage, from last: Quadrilateral) -> DetectedPage? {
    load(image)
    return follow(from: last)
  }

  /// Finds the page near a known outline as thoroughly as `detect`, whatever its score.
  ///
  /// - Returns: The page; `nil` if `last` is not a valid outline, or all outlines found are smaller than `leastArea` or farther
  ///   away than `settledFarthest` allows.
  package func settle(_ image: RGBImage, near last: Quadrilateral) -> DetectedPage? {
    load(image)
    let all = traced(Self.traced)
    guard picture.width >= 24, picture.height >= 24, let followed = seen(near: last) else { return nil }
    let known = reduced(last)
    let limit = Self.settledFarthest * known.longerDiagonal
    let rivals = all.filter { $0.hypothesis.outline.largestCornerDistance(to: known) < limit }
    var best = followed
    for rival in rivals where rival.score > best.score { best = rival }
    // Fingers cause false corners; with these, the page fits worse.
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
    // A frame printed on the page may have stronger edges than the page.
    let least = Self.leastArea * abs(last.signedArea)
    let farthest = Self.settledFarthest * last.longerDiagonal
    return pages.first {
      abs($0.outline.signedArea) >= least && $0.outline.largestCornerDistance(to: last) <= farthest
    }
  }

  /// Returns further pages in the picture last searched by `detect` or `settle`, likeliest first: the pages found after painting
  /// over the known ones. Takes about as long as `detect` for each page, and once more for the last search.
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
    return score >= Self.minimumScore ? page(judged, score: score) : nil
  }

  /// Traces an outline near its last position in the loaded picture, and scores it; `nil` if the picture is smaller
  /// than 24 pixels or the outline is invalid.
  private func judged(near last: Quadrilateral) -> Judged? {
    guard picture.width >= 24, picture.height >= 24, last.isFinite else { return nil }
    mask = nil
    picture.removeMarks(radius: 3)
    map.update(picture.closed[..<picture.planeCount])
    return seen(near: last)
  }

  /// Like `judged(near:)`, in a picture whose edges are known; `nil` if the outline is not finite and convex.
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
    // A side hidden by fingers is taken as unmoved, unless another position explains the frame better.
    let (near, far) = (judged(Self.followReach.near), judged(Self.followReach.far))
    let shares = [near, far].map { PageScorer.shares([$0.score]).reduce(0, +) }
    let isLikelier = shares[1] * (1 - shares[0]) > Self.followOdds * shares[0] * (1 - shares[1])
    return isLikelier || shares[1] > shares[0] + Self.followLead ? far : near
  }

  /// Returns the score of an outline with traced sides.
  private func score(_ evidence: PageFeatures) -> Double {
    (mask == nil ? models.followed : models.traced).score(evidence)
  }

  /// Returns which sides are on the picture's border.
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
    guard score >= Self.minimumScore else { return nil }
    var page = page(first, score: score)
    if let fine { refine(&page.outline, fine) }
    return page
  }

  /// Moves corners to nearby corners that `CornerSearch` finds with a clearly better score, and traces the sides again.
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

  /// Refines corners to subpixel precision in the full-resolution picture, as crossings of the adjacent parts of the sides.
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

  /// Converts a hypothesis to a page in original pixels, with the sides in the order of the upright page.
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

  /// Returns the likeliest hypotheses after tracing their sides, best first.
  private func traced(_ count: Int) -> [Judged] {
    traced(hypotheses().prefix(count)).sorted { $0.score > $1.score }
  }

  /// Returns hypotheses after tracing their sides, in the same order. The evaluator is created after `hypotheses` has reallocated
  /// planes, because it borrows them.
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
    // As with lines, a region that reaches three sides of the picture is a part of a close object.
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

  /// Returns hypotheses from the areas of high probability, each as found and as fitted to the mask. Hypotheses are left out if
  /// they are far from a rectangle, have more than two sides on the picture's border, or repeat an earlier one.
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

  /// Converts original pixels to pixels of the work picture.
  private func reduced(_ q: Quadrilateral) -> Quadrilateral { q.scaled(by: 1 / Double(picture.factor)) }

  /// Converts pixels of the work picture to original pixels.
  private func original(_ p: Point2) -> Point2 { (p + 0.5) * Double(picture.factor) - 0.5 }

  private func original(_ q: Quadrilateral) -> Quadrilateral { q.scaled(by: Double(picture.factor)) }
}

extension PageDetector {
  /// The possible pages, each with its evidence in the order of `PageFeatures.values`.
  package typealias Considered = [(outline: Quadrilateral, values: [Double])]

  /// Returns the evidence of every hypothesis in a picture before and after tracing, in the same order, with its outline. The
  /// weights of `PageScorer` are fitted to these data.
  package func evidence(in image: RGBImage) -> (first: Considered, traced: Considered) {
    load(image)
    return evidence()
  }

  /// Returns the evidence of every hypothesis in a gray picture.
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
