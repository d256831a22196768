import WaymarkImage

/// The evidence for and against a quadrilateral being the outline of a page, as values of about 0…1. `PageEvaluator` below computes
/// the evidence, and `Judged` is a hypothesis with its evidence.
struct PageFeatures {
  /// The mean edge strength along the weakest side and along all sides.
  var weakestSupport = 0.0
  var support = 0.0
  /// The contrast across the weakest side and across all sides.
  var weakestContrast = 0.0
  var contrast = 0.0
  /// The share of points just inside that are brighter than just outside.
  var brighterInside = 0.0
  /// The square root of the share of the picture inside the outline.
  var size = 0.0
  /// The share of the rim (points just inside the sides) with a colour near the rim's median.
  var evenRim = 0.0
  /// The share of points just outside with a colour near the rim's median.
  var spill = 0.0
  /// The mean edge strength on the extensions of the sides beyond the corners.
  var overrun = 0.0
  /// The share of the inside with a colour near the rim's median.
  var paper = 0.0
  /// The mean darkness of the marks inside; 1 from 40 gray levels.
  var marks = 0.0
  /// The deviation of the worst angle from a right angle (cosine), and of the lengths of opposite sides.
  var skew = 0.0
  var taper = 0.0
  /// The share of the sides on the picture's border.
  var borders = 0.0
  /// The brightness of the rim, 0…1.
  var brightness = 0.0
  /// The deviation of the sides from straight lines.
  var bend = 0.0
  /// The share of the area just outside the worst side that looks like paper in another light. If it is large, the side is a fold
  /// or the edge of a column rather than a side of the page.
  var worstSpill = 0.0
  /// The mean darkness of the marks just outside the side with the most; 1 from 30 gray levels.
  var outerMarks = 0.0
  /// The agreement with the mask of the page; 0 without a mask.
  var mask = PageMask.Agreement()

  /// The number of `values`, with and without the values of the mask, which come last.
  static let count = 22
  static let countWithoutMask = 18

  var values: [Double] {
    [
      weakestSupport, support, weakestContrast, contrast, brighterInside, size, evenRim, spill, overrun, paper, marks,
      skew, taper, borders, brightness, bend * 10, worstSpill, outerMarks, mask.overlap, mask.inside, mask.share,
      mask.weakestSide,
    ]
  }
}

/// Computes the evidence for and against hypotheses.
struct PageEvaluator {
  private let map: EdgeView
  private let mask: PageMask?
  /// The planes without dark marks.
  private let closed: [UnsafePointer<UInt8>]
  /// The green or gray plane, which shows marks best, with marks and without them.
  private let seen: UnsafePointer<UInt8>
  private let bare: UnsafePointer<UInt8>
  private static let samples = 24

  /// Creates an evaluator for the current picture.
  init(picture: WorkingPicture, map: EdgeMap, mask: PageMask?) {
    self.map = map.view
    self.mask = mask
    closed = picture.closed[..<picture.planeCount].map { UnsafePointer($0.pixels) }
    let green = picture.planeCount == 3 ? 1 : 0
    seen = UnsafePointer(picture.planes[green].pixels)
    bare = UnsafePointer(picture.closed[green].pixels)
  }

  /// Returns the evidence for and against a hypothesis.
  ///
  /// - Parameter sides: The hypothesis's traced sides; empty for straight lines between its corners.
  func evidence(_ hypothesis: PageHypothesis, _ sides: [OutlineTracer.Side] = []) -> PageFeatures {
    var evidence = PageFeatures()
    if let mask { evidence.mask = mask.agreement(with: hypothesis.outline, alongSides: sides.map(\.points)) }
    let corners = hypothesis.outline.corners
    let n = Self.samples
    var inside: [SIMD4<Float>] = []
    var outside: [SIMD4<Float>] = []
    var total = (support: 0.0, contrast: 0.0, length: 0.0)
    var overrun = (hits: 0.0, count: 0.0)
    evidence.weakestSupport = 1
    evidence.weakestContrast = 1
    var brighter = 0
    var bySide: [Range<Int>] = []
    for side in 0..<4 {
      let a = corners[side]
      let b = corners[(side + 1) % 4]
      let length = a.distance(to: b)
      let along = (b - a) / max(length, 1e-9)
      // Corners are clockwise on a screen, so the inside is a quarter turn clockwise from the direction of a side.
      let inward = Point2(-along.y, along.x)
      if hypothesis.borders[side] {
        evidence.borders += 0.25
        continue
      }
      var hits = 0.0
      var contrast = 0.0
      var outer = 0.0
      for i in 0..<n {
        var p = a + along * (length * (0.03 + 0.94 * (Double(i) + 0.5) / Double(n)))
        if sides.isEmpty {
          hits += hit(p, inward, reach: 3)
        } else {
          let k = 1 + i * (sides[side].points.count - 2) / n
          p = sides[side].points[k]
          hits += sides[side].strength[k]
        }
        let (x, y) = (color(p + inward * 4.5), color(p - inward * 4.5))
        let d = x - y
        contrast += Double(min(40, max(abs(d.x), max(abs(d.y), abs(d.z)))) / 40)
        if d.w > 0 { brighter += 1 }
        for step in 1...3 { outer += marks(p - inward * (2 + 3 * Double(step))) / 3 }
        inside.append(x)
        outside.append(y)
      }
      let share = hits / Double(n)
      total.support += share * length
      total.contrast += contrast / Double(n) * length
      total.length += length
      evidence.weakestSupport = min(evidence.weakestSupport, share)
      bySide.append((outside.count - n)..<outside.count)
      evidence.outerMarks = max(evidence.outerMarks, min(1, outer / Double(n) / 30))
      evidence.weakestContrast = min(evidence.weakestContrast, contrast / Double(n))
      for i in 1...6 {
        let d = 4 + length * 0.02 * Double(i)
        for p in [a - along * d, b + along * d] where contains(p) {
          overrun.hits += hit(p, inward, reach: 2)
          overrun.count += 1
        }
      }
    }
    guard total.length > 0, !inside.isEmpty else { return evidence }
    evidence.support = total.support / total.length
    evidence.contrast = total.contrast / total.length
    evidence.brighterInside = Double(brighter) / Double(inside.count)
    evidence.size = (hypothesis.outline.signedArea / Double(map.width * map.height)).squareRoot()
    evidence.overrun = overrun.count > 0 ? overrun.hits / overrun.count : 0
    evidence.bend = sides.map(\.bend).max() ?? 0
    let rim = median(inside)
    for samples in bySide {
      let like = outside[samples].count { isPaper($0, like: rim) }
      evidence.worstSpill = max(evidence.worstSpill, Double(like) / Double(n))
    }
    evidence.evenRim = Double(inside.count { distance($0, rim) < 24 }) / Double(inside.count)
    evidence.spill = Double(outside.count { distance($0, rim) < 14 }) / Double(outside.count)
    evidence.brightness = Double(rim.w) / 255
    interior(hypothesis.outline, rim, &evidence)
    for i in 0..<4 {
      let (a, b) = (corners[(i + 1) % 4] - corners[i], corners[(i + 3) % 4] - corners[i])
      evidence.skew = max(evidence.skew, abs(a.dot(b)) / max(a.length * b.length, 1e-9))
      let c = corners[(i + 3) % 4] - corners[(i + 2) % 4]
      evidence.taper = max(evidence.taper, 1 - min(a.length, c.length) / max(a.length, c.length, 1e-9))
    }
    return evidence
  }

  private func interior(_ q: Quadrilateral, _ rim: SIMD4<Float>, _ evidence: inout PageFeatures) {
    let steps = 10
    var (paper, marks) = (0.0, 0.0)
    for i in 0..<steps {
      for j in 0..<steps {
        let (u, v) = ((Double(i) + 0.5) / Double(steps), (Double(j) + 0.5) / Double(steps))
        let top = q.topLeft * (1 - u) + q.topRight * u
        let bottom = q.bottomLeft * (1 - u) + q.bottomRight * u
        let p = top * (1 - v) + bottom * v
        let c = color(p)
        if distance(c, rim) < 30 { paper += 1 }
        marks += self.marks(p)
      }
    }
    evidence.paper = paper / Double(steps * steps)
    evidence.marks = min(1, marks / Double(steps * steps) / 40)
  }

  /// Returns the gray levels by which a mark makes a point darker; 0 without one.
  private func marks(_ p: Point2) -> Double {
    let x = min(max(0, Int(p.x + 0.5)), map.width - 1)
    let y = min(max(0, Int(p.y + 0.5)), map.height - 1)
    let i = y &* map.width &+ x
    return Double(bare[i]) - Double(seen[i])
  }

  /// Returns whether a colour equals the rim's at 0.6 to 1.4 times its brightness.
  private func isPaper(_ color: SIMD4<Float>, like rim: SIMD4<Float>) -> Bool {
    let ratio = color.w / max(rim.w, 1)
    guard ratio > 0.6, ratio < 1.4 else { return false }
    return distance(color, rim * ratio) < 0.05 * color.w + 4
  }

  private func contains(_ p: Point2) -> Bool {
    p.x >= 1 && p.y >= 1 && p.x <= Double(map.width - 2) && p.y <= Double(map.height - 2)
  }

  /// Returns the strength of an edge across `normal` near a point, 0…1.
  private func hit(_ p: Point2, _ normal: Point2, reach: Int) -> Double {
    let turn = Int(EdgeMap.turn(Float(normal.x), Float(normal.y)))
    var best: UInt8 = 0
    for k in -reach...reach {
      best = max(
        best,
        map.strength(p.x + normal.x * Double(k), p.y + normal.y * Double(k), across: turn, tolerance: 14))
    }
    return best > 0 ? min(1, 0.4 + Double(best) / 255) : 0
  }

  /// Returns red, green, blue and brightness at a point without dark marks.
  private func color(_ p: Point2) -> SIMD4<Float> {
    let x = min(max(0, Int(p.x + 0.5)), map.width - 1)
    let y = min(max(0, Int(p.y + 0.5)), map.height - 1)
    let i = y &* map.width &+ x
    if closed.count == 1 { return SIMD4(repeating: Float(closed[0][i])) }
    let (r, g, b) = (Float(closed[0][i]), Float(closed[1][i]), Float(closed[2][i]))
    return SIMD4(r, g, b, 0.299 * r + 0.587 * g + 0.114 * b)
  }

  private func distance(_ a: SIMD4<Float>, _ b: SIMD4<Float>) -> Float {
    let d = a - b
    return max(abs(d.x), max(abs(d.y), abs(d.z)))
  }

  private func median(_ list: [SIMD4<Float>]) -> SIMD4<Float> {
    var result = SIMD4<Float>()
    for c in 0..<4 { result[c] = list.map { $0[c] }.sorted()[list.count / 2] }
    return result
  }
}

/// A hypothesis with its evidence and score.
struct Judged {
  var hypothesis: PageHypothesis
  var sides: [OutlineTracer.Side] = []
  var evidence: PageFeatures
  var score: Double
}
