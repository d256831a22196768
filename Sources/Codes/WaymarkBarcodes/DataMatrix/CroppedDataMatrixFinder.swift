import WaymarkImage

/// Detects, but does not decode, Data Matrix symbols that are partly outside the picture: two opposite sides extend to its border,
/// and the side between these is complete.
struct CroppedDataMatrixFinder {
  let view: ImageView
  let levels: BlockMean

  /// The least number of tone changes of an alternating side: lines with fewer are in any picture.
  private static let fewest = 7

  /// The largest number of sides that extend to the border to try, the longest first: bars, fences and keyboards have hundreds.
  private static let most = 12

  /// Returns the symbol whose L has its corner `c` inside the picture and exactly one stroke cut off by the border; `nil` for
  /// another number of cut strokes, or if the alternating side and the tones around do not fit a symbol.
  func finding(_ c: DataMatrixCorner) -> MatrixDetection? {
    let (isUpper, isRight) = (border(at: c.top) != nil, border(at: c.right) != nil)
    guard isUpper != isRight else { return nil }
    let (whole, cut) = isRight ? (c.top, c.right) : (c.right, c.top)
    guard let side = border(at: cut) else { return nil }
    let search = DataMatrixTimingSearch(view: view, levels: levels, inverted: c.inverted)
    let (u, v) = ((cut - c.corner) / cut.distance(to: c.corner), (whole - c.corner) / whole.distance(to: c.corner))
    guard let stroke = search.thickness(from: c.corner, to: whole, along: [], inward: u),
      let other = search.thickness(from: c.corner, to: cut, along: [], inward: v), stroke < 2 * other,
      other < 2 * stroke, whole.distance(to: c.corner) > 7 * stroke
    else { return nil }
    let top = search.pattern(from: whole, back: -v * other, along: u * stroke, length: cut.distance(to: c.corner))
    guard let top, isCut(top, at: side, module: stroke) else { return nil }
    var frame = Frame(view, inverted: c.inverted)
    frame.addStroke(from: c.corner, to: whole, inward: u * stroke)
    frame.addStroke(from: c.corner, to: cut, inward: v * other)
    frame.addTiming(top, outward: v * other)
    guard frame.isClear else { return nil }
    return finding([whole, c.corner], towards: cut - c.corner, module: stroke, inverted: c.inverted)
  }

  /// Returns symbols whose corner of the L is outside the picture. They show a stroke that begins at the border, the alternating
  /// side at the end of this stroke, and the second alternating side, which leads back to the border.
  func detections(_ contours: Contours) -> [MatrixDetection] {
    let search = DataMatrixTimingSearch(view: view, levels: levels, inverted: false)
    var sides: [(from: Point2, end: Point2, border: Int, inward: Point2, length: Double)] = []
    for polygon in contours.polygons {
      let count = polygon.corners.count
      for i in 0..<count {
        let (a, b) = (polygon.points[polygon.corners[i]], polygon.points[polygon.corners[(i + 1) % count]])
        let length = a.distance(to: b)
        guard length >= DataMatrixCorner.shortest, polygon.sides.contains(length), let (from, end) = fromBorder(a, b),
          let side = border(at: from)
        else { continue }
        // A line along the border of the picture is not a side of a code.
        guard border(at: (from + end) / 2 + (from - end) * 0.1) == nil else { continue }
        // The polygon is traced with the dark side to the right.
        sides.append((from, end, side, Point2(a.y - b.y, b.x - a.x) / length, length))
      }
    }
    var detections: [MatrixDetection] = []
    for (from, end, side, inward, length) in sides.sorted(by: { $0.length > $1.length }).prefix(Self.most) {
      let back = (from - end) / length
      guard let stroke = search.thickness(from: from, to: end, along: [], inward: inward), length > 5 * stroke,
        let near = search.pattern(from: end, back: back * stroke, along: inward * stroke, length: 2 * length),
        near.changes.count >= Self.fewest, let last = near.changes.last
      else { continue }
      let way = (last - near.changes[0]) / last.distance(to: near.changes[0])
      let pitch = last.distance(to: near.changes[0]) / Double(near.changes.count - 1)
      let far = last + way * pitch - back * (0.5 * stroke)
      let other = search.pattern(from: far + back * stroke, back: -way * pitch, along: back * stroke, length: length)
      guard let other, isCut(other, at: side, module: stroke) else { continue }
      var frame = Frame(view, inverted: false)
      frame.addStroke(from: from, to: end, inward: inward * stroke)
      frame.addTiming(near, outward: -back * stroke)
      frame.addTiming(other, outward: way * pitch)
      guard frame.isClear else { continue }
      detections.append(finding([end, far], towards: back * length, module: stroke, inverted: false))
    }
    return detections
  }

  /// Gray levels sampled in a symbol's strokes, alternating sides and quiet zone, separated by the expected tone.
  private struct Frame {
    private let view: ImageView
    private let inverted: Bool
    private var dark: [Double] = []
    private var light: [Double] = []

    init(_ view: ImageView, inverted: Bool) {
      self.view = view
      self.inverted = inverted
    }

    private func value(_ p: Point2) -> Double { inverted ? 255 - view.sample(p) : view.sample(p) }

    /// - Parameter inward: the vector of one module into the symbol, in pixels.
    mutating func addStroke(from a: Point2, to b: Point2, inward: Point2) {
      for i in 1..<12 {
        let p = a + (b - a) * (0.08 * Double(i))
        dark.append(value(p + inward * 0.5))
        light.append(value(p - inward))
      }
    }

    /// - Parameter outward: the vector of one module out of the symbol, in pixels.
    mutating func addTiming(_ timing: DataMatrixTiming, outward: Point2) {
      for (i, (a, b)) in zip(timing.changes, timing.changes.dropFirst()).enumerated() {
        let p = (a + b) / 2
        if i.isMultiple(of: 2) { light.append(value(p)) } else { dark.append(value(p)) }
        light.append(value(p + outward))
      }
    }

    /// True if at least 94 % of the samples have the expected tone, at a contrast of more than 40 gray levels.
    var isClear: Bool {
      let (low, high) = (dark.reduce(0, +) / Double(dark.count), light.reduce(0, +) / Double(light.count))
      guard high - low > 40 else { return false }
      let (darkest, lightest) = (low + 0.45 * (high - low), low + 0.55 * (high - low))
      let right = dark.count { $0 < darkest } + light.count { $0 > lightest }
      return 100 * right >= 94 * (dark.count + light.count)
    }
  }

  private func finding(_ whole: [Point2], towards cut: Point2, module: Double, inverted: Bool) -> MatrixDetection {
    let outside = cut * (1 + max(6, 4 * module) / cut.length)
    return MatrixDetection(
      symbology: .dataMatrix,
      corners: Quadrilateral(
        topLeft: whole[0], topRight: whole[0] + outside, bottomRight: whole[1] + outside, bottomLeft: whole[1]),
      module: module, certainty: 0.95, inverted: inverted)
  }

  /// Returns whether an alternating side continues evenly to the border of the picture.
  private func isCut(_ timing: DataMatrixTiming?, at side: Int, module: Double) -> Bool {
    guard let changes = timing?.changes, changes.count >= Self.fewest, let last = changes.last,
      distances(last)[side] < 3 * module
    else { return false }
    let pitch = changes[0].distance(to: last) / Double(changes.count - 1)
    guard pitch > 0.6 * module, pitch < 1.7 * module else { return false }
    // Compares pairs of runs, because ink spread makes dark runs longer and light runs shorter.
    return zip(changes, changes.dropFirst(2)).allSatisfy { a, b in abs(a.distance(to: b) - 2 * pitch) < 0.6 * pitch }
  }

  /// Returns the border of the picture within 2.5 pixels of a point: 0 is left, then top, right, bottom; `nil` without such a
  /// border.
  private func border(at p: Point2) -> Int? {
    let distances = distances(p)
    return distances.indices.first { distances[$0] < 2.5 }
  }

  private func distances(_ p: Point2) -> [Double] {
    [p.x, p.y, Double(view.width - 1) - p.x, Double(view.height - 1) - p.y]
  }

  /// Returns the end at the border of the picture, then the opposite end; `nil` if not exactly one end is at the border.
  private func fromBorder(_ a: Point2, _ b: Point2) -> (from: Point2, end: Point2)? {
    switch (border(at: a), border(at: b)) {
    case (.some, .none): (a, b)
    case (.none, .some): (b, a)
    default: nil
    }
  }
}
